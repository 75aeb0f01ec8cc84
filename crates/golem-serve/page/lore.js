// What is known, and who paid for it: graves, and entries that a death has marked.

import { age, day, fixed, grouped, h, usdc, words } from "/charts.js";

/** The dead one's last mood for what it has touched; ash where nobody knows it. */
export function tinted(node, grave) {
  if (grave?.mood_rgb) node.style.setProperty("--tint", `rgb(${grave.mood_rgb.join(" ")})`);
  return node;
}

export const gravesById = (graves) => new Map(graves.map((grave) => [grave.id, grave]));

/** Something known, as a list has it. What was paid for with a life has daggers for corners, a dashed frame and ash. */
export function loreItem(entry, said, graves) {
  const text = h("p", {}, entry.in_words || entry.text);
  if (!entry.blood) return h("li", {}, text, h("p.small", {}, said));
  const grave = graves.get(entry.blood);
  const whose = grave
    ? h("a", { href: `/obituary/${grave.id}`, "data-link": true }, grave.name)
    : h("span", {}, entry.blood.slice(0, 8));
  const dagger = (corner) => h(`span.dagger.${corner}`, { "aria-hidden": "true" }, "†");
  return tinted(
    h(
      "li.blood",
      {},
      ["nw", "ne", "sw", "se"].map(dagger),
      h("span.ash", { "aria-hidden": "true" }),
      h("p.paid", {}, "Paid for by ", whose),
      text,
      h("p.small", {}, said),
    ),
    grave,
  );
}

/** A grave; its name is a heading of the level that it stands on. */
export const stone = (grave, level) =>
  tinted(
    h(
      "li.stone",
      {},
      h(level, {}, h("a", { href: `/obituary/${grave.id}`, "data-link": true }, grave.name)),
      h("p", {}, `${age(grave.age_days)} · died ${day(grave.died_at)} · generation ${grave.generation}`),
      h("p", {}, `${usdc(grave.worth_micro_usdc)} of ${usdc(grave.funded_micro_usdc)} USDC left`),
      h("p.small", {}, grave.cause_in_words),
      grave.last_words ? h("blockquote", {}, grave.last_words) : null,
    ),
    grave,
  );

/** The first of many, and a way to all of them. */
function some(all, most, list, none, where, name) {
  if (!all.length) return [h("p.none", {}, none)];
  return [
    list(all.slice(0, most)),
    h("p", {}, h("a", { href: where, "data-link": true }, `${name}: all ${grouped(all.length)}`)),
  ];
}

/** The graveyard and the library beside one golem's life. */
export function yardPart({ graves, unreadable }) {
  return [
    ...some(
      graves,
      9,
      (few) =>
        h(
          "ul.stones",
          {},
          few.map((grave) => stone(grave, "h3")),
        ),
      "Nobody has died in this home.",
      "/graveyard",
      "Graveyard",
    ),
    ...unreadable.map((why) => h("p.warn", {}, why)),
  ];
}

export function shelfPart({ entries }, { graves }) {
  const known = gravesById(graves);
  const marks = (e) =>
    [
      words(e.kind),
      `worth ${fixed(e.effective)} now`,
      `came as ${words(e.inflow)}`,
      e.validated_by ? `seen true by ${grouped(e.validated_by)}` : "",
      e.battle_tested ? "battle-tested" : "",
      e.disputed ? "disputed" : "",
    ]
      .filter(Boolean)
      .join(", ");
  return some(
    entries,
    30,
    (few) =>
      h(
        "ul.plain",
        {},
        few.map((e) => loreItem(e, marks(e), known)),
      ),
    "The library is empty: golems leave to it when they die.",
    "/library",
    "Library",
  );
}
