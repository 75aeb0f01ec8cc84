// All golems of a home, the dead, and the library.

import { get, listen } from "/api.js";
import { age, day, fixed, grouped, h, meter, percent, phaseChip, signed, table, usdc, words } from "/charts.js";
import { gravesById, stone } from "/lore.js";

const ORDERS = {
  name: (a, b) => a.name.localeCompare(b.name),
  vitality: (a, b) => (a.glance?.vitality.composite ?? 9) - (b.glance?.vitality.composite ?? 9),
  worth: (a, b) => (b.worth_micro_usdc ?? -1) - (a.worth_micro_usdc ?? -1),
  suffering: (a, b) => (b.glance?.load ?? -1) - (a.glance?.load ?? -1),
  age: (a, b) => b.age_days - a.age_days,
};

export async function fleetView(around) {
  const golems = new Map();
  const rows = new Map();
  const body = h("tbody");
  const sums = h("dl.sums");
  const find = h("input", {
    type: "search",
    placeholder: "Find by name or state",
    "aria-label": "Find by name or state",
    oninput: () => arrange(),
  });
  const order = h(
    "select",
    { "aria-label": "Order", onchange: () => arrange() },
    Object.keys(ORDERS).map((word) => h("option", { value: word }, `by ${word}`)),
  );
  const empty = h("p.none", {}, "Looking…");
  const heads = ["Golem", "State", "Vitality", "Worth, USDC", "Next day, dice", "Suffering", "Mood", "Age"];
  const columns = h(
    "tr",
    {},
    heads.map((word, n) => h("th", { scope: "col", class: [3, 4, 7].includes(n) ? "right" : "" }, word)),
  );
  around.show(
    h("h1", {}, "Golems"),
    sums,
    h("p.row.tools", {}, find, order),
    h(
      "div.wide",
      { tabindex: "0", role: "region", "aria-label": "All golems" },
      h("table.fleet", {}, h("caption.hear", {}, "All golems of this home"), h("thead", {}, columns), body),
    ),
    empty,
  );

  function row(golem) {
    let cells = rows.get(golem.id);
    if (!cells) {
      const link = h("a", { href: `/golem/${golem.id}`, "data-link": true }, golem.name);
      cells = {
        row: h(
          "tr",
          {},
          h("th", { scope: "row" }, link),
          ...[0, 0, 1, 1, 0, 0, 1].map((right, n) => h("td", { class: right ? "right" : "", "data-head": heads[n + 1] })),
        ),
        link,
      };
      rows.set(golem.id, cells);
    }
    const [, state, vital, worth, next, load, mood, lived] = cells.row.children;
    const glance = golem.glance;
    const standing = golem.problem ? "unreadable" : golem.standing === "alive" ? glance?.behaviour : golem.standing;
    state.replaceChildren(
      phaseChip(standing),
      golem.cause
        ? ` ${golem.died_of}`
        : golem.safe_mode
          ? " safe mode"
          : glance?.vigil
            ? " vigil: feed it, or it dies"
          : glance?.halted
            ? " halted"
            : glance && glance.mode !== "waking" && !golem.cause
              ? ` ${words(glance.mode)}`
              : "",
    );
    vital.replaceChildren(glance ? meter(glance.vitality.composite, fixed(glance.vitality.composite), standing) : "–");
    worth.textContent = usdc(golem.worth_micro_usdc);
    // In a vigil the dice are not what decides.
    next.textContent = glance && !golem.cause && !glance.vigil ? percent(glance.survival_24h, 2) : "–";
    load.replaceChildren(
      glance?.load != null && !golem.cause ? meter(glance.load, glance.band || fixed(glance.load), "load") : "–",
    );
    mood.textContent = golem.cause ? "–" : glance?.mood || "–";
    lived.textContent = golem.tick ? age(golem.age_days) : "–";
    cells.row.title = golem.problem || "";
    return cells.row;
  }

  function arrange() {
    const wanted = find.value.trim().toLowerCase();
    const fits = (g) =>
      !wanted || `${g.name} ${g.id} ${g.standing} ${g.glance?.behaviour} ${g.cause} ${g.died_of}`.toLowerCase().includes(wanted);
    const all = [...golems.values()].filter(fits).sort(ORDERS[order.value]);
    const nodes = all.map((golem) => (rows.get(golem.id) || { row: row(golem) }).row);
    // Rows that are where they belong stay: a reader's place in the table is not lost.
    if (nodes.length !== body.children.length || nodes.some((node, n) => body.children[n] !== node))
      body.replaceChildren(...nodes);
    empty.textContent = golems.size
      ? all.length
        ? ""
        : "Nobody fits that."
      : "No golem lives here yet: bardo golem create NAME";
    const of = (standing) => [...golems.values()].filter((g) => g.standing === standing).length;
    const worth = [...golems.values()].reduce((sum, g) => sum + (g.worth_micro_usdc || 0), 0);
    const earned = [...golems.values()].reduce((sum, g) => sum + (g.glance?.earned_micro_usdc || 0), 0);
    const sum = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    sums.replaceChildren(
      sum("alive", grouped(of("alive"))),
      sum("paused", grouped(of("paused"))),
      sum("dying", grouped(of("dying"))),
      sum("dead", grouped(of("dead"))),
      sum("worth together, USDC", usdc(worth)),
      sum("earned together, USDC", signed(earned)),
    );
  }

  for (const golem of await get("/api/golems", around.signal)) (golems.set(golem.id, golem), row(golem));
  arrange();
  let due = false;
  listen("/api/events", {
    signal: around.signal,
    onLine: around.onLine,
    onEvent: (kind, golem) => {
      // Another server speaks: whoever it does not name is gone.
      if (kind === "reset") (golems.clear(), rows.clear());
      else if (kind === "gone") (golems.delete(golem.id), rows.delete(golem.id));
      else (golems.set(golem.id, golem), row(golem));
      // Many cards come at once; the table is arranged once for all of them.
      if (!due) requestAnimationFrame(() => ((due = false), arrange()));
      due = true;
    },
  });
}

export async function graveyardView(around) {
  const { graves, unreadable } = await get("/api/graveyard", around.signal);
  around.show(
    h("h1", {}, "Graveyard"),
    graves.length
      ? h(
          "ul.stones",
          {},
          graves.map((grave) => stone(grave, "h2")),
        )
      : h("p.none", {}, "Nobody has died here."),
    ...unreadable.map((why) => h("p.warn", {}, why)),
  );
}

export async function libraryView(around) {
  const [{ entries, deposits }, { graves }] = await Promise.all([
    get("/api/library", around.signal),
    get("/api/graveyard", around.signal),
  ]);
  const known = gravesById(graves);
  const paid = (e) => e.blood && `† paid for by ${known.get(e.blood)?.name || e.blood.slice(0, 8)}`;
  const marks = (e) =>
    [paid(e), e.battle_tested && "battle-tested", e.disputed && "disputed"].filter(Boolean).join(", ");
  around.show(
    h("h1", {}, "Library"),
    h(
      "p",
      {},
      `${grouped(entries.length)} entries, ${grouped(deposits.length)} deposits of deaths. Only commands of the library bring it up to date: bardo library list.`,
    ),
    table(
      "What golems left",
      [["Worth now", "right"], "What it says", "Kind", "Came as", ["Seen true by", "right"], ["Equipped", "right"]],
      entries
        .slice(0, 500)
        .map((e) => [
          fixed(e.effective),
          [e.in_words, marks(e) ? h("small", {}, ` ${marks(e)}`) : ""]
            .flat()
            .reduce((p, c) => (p.append(c), p), h("span")),
          words(e.kind),
          words(e.inflow),
          grouped(e.validated_by),
          grouped(e.equipped),
        ]),
      "The library is empty: golems leave to it when they die.",
    ),
    h("h2", {}, "Deposits"),
    table(
      "Deposits of deaths",
      ["Golem", "Template", "When", ["Entries", "right"]],
      deposits.map((d) => [d.name, d.template, day(d.at), grouped(d.entries)]),
      "None yet.",
    ),
  );
}
