// A life as a page that one would send to a friend: what it was, what it learnt, and what it said last.

import { get } from "/api.js";
import { Chart, age, day, fixed, grouped, h, percent, signed, usdc, words } from "/charts.js";
import { reportButton, saveFile } from "/file.js";

export async function obituaryView(around, id) {
  const place = `/api/golems/${encodeURIComponent(id)}`;
  const [life, series] = await Promise.all([
    get(`${place}/obituary`, around.signal),
    get(`${place}/series?points=1500`, around.signal),
  ]);
  const dead = life.standing === "dead";
  const dying = Boolean(life.death) && !dead;
  document.title = `${life.name} – bardo`;
  const dates = dead ? `${day(life.born_at)} – ${day(life.ended_at)}` : `born ${day(life.born_at)}, and ${dying ? "dying" : "alive"}`;
  const charts = [
    new Chart({
      title: "Its worth",
      unit: "USDC",
      low: 0,
      height: 170,
      data: () => ({
        lines: [
          { name: "", tone: "worth", area: true, points: series.map((p) => [p.age_days, p.balance_micro_usdc / 1e6]) },
        ],
      }),
    }),
    new Chart({
      title: "Its skill",
      unit: `${life.naive_fitness} is as good as a naive guess`,
      height: 170,
      low: 0,
      high: 1,
      data: () => ({
        lines: [{ name: "", tone: "mind", area: false, points: series.map((p) => [p.age_days, p.vitality.epistemic]) }],
        rules: [{ y: life.naive_fitness, name: "a naive guess" }],
        bands: ribbon(series),
      }),
    }),
  ];
  const spent = (name, micro) => (micro ? [name, signed(-micro)] : null);
  const reckoning = [
    ["Given", usdc(life.reckoning.given_micro_usdc)],
    ["Trading", signed(life.reckoning.trading_micro_usdc)],
    spent("Gas", life.reckoning.gas_micro_usdc),
    spent("Rent", life.reckoning.rent_micro_usdc),
    spent("Models", life.reckoning.models_micro_usdc),
    spent("Dying", life.reckoning.dying_micro_usdc),
    ["Left", usdc(life.reckoning.left_micro_usdc)],
    ["Had it held instead", life.holding_micro_usdc == null ? null : usdc(life.holding_micro_usdc)],
  ].filter((row) => row && row[1] !== null);
  const phases = Object.entries(life.phases).sort((a, b) => b[1] - a[1]);
  const article = h(
    "article.obituary",
    {},
    h(
      "header",
      {},
      h("p.cross", { "aria-hidden": "true" }, dead ? "†" : "·"),
      h("h1", {}, life.name),
      h("p.dates", {}, dates),
      h("p.lived", {}, `${age(life.age_days)} · ${grouped(life.turns)} turns · ${grouped(life.trades)} trades`),
    ),
    life.last_words ? h("blockquote.last", {}, h("p", {}, life.last_words), h("footer", {}, "its last words")) : null,
    life.death
      ? h("p.cause", {}, `${dead ? "It died" : "It is dying"} of ${life.cause_in_words || words(life.cause)}.`)
      : null,
    h(
      "ol.chapters",
      {},
      life.chapters.map((chapter) =>
        h(
          "li",
          {},
          h("p.when", {}, h("time", {}, day(chapter.at)), h("strong", {}, chapter.title)),
          h("p", {}, chapter.text),
        ),
      ),
    ),
    h(
      "div.plots",
      {},
      charts.map((chart) => chart.node),
    ),
    life.rule
      ? h(
          "section",
          {},
          h("h2", {}, life.rule.is_rule ? "The rule it trusted most" : "What it was surest of"),
          h("p", {}, life.rule_in_words || life.rule.text),
          h(
            "p.small",
            {},
            `held ${life.rule.held} times, failed ${life.rule.failed}; ${percent(life.rule.confidence_bp / 1e4, 0)} sure`,
          ),
        )
      : null,
    h(
      "section",
      {},
      h("h2", {}, "Its money, in USDC"),
      h(
        "dl.pairs",
        {},
        reckoning.flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]),
      ),
    ),
    h(
      "section",
      {},
      h("h2", {}, "Its days"),
      h(
        "dl.pairs",
        {},
        phases.flatMap(([name, days]) => [h("dt", {}, words(name)), h("dd", {}, age(days))]),
      ),
    ),
    h(
      "footer.prints",
      {},
      h(
        "p",
        {},
        `Fitness ${fixed(life.fitness, 3)} in the end. The fingerprint of this life: `,
        h("code", {}, life.hash),
      ),
    ),
  );
  const note = h("p.note.noprint", { role: "status" });
  around.show(
    h(
      "p.row.tools.noprint",
      {},
      h("a", { href: `/golem/${life.id}`, "data-link": true }, "Its whole life"),
      h("button", { type: "button", onclick: () => save(life.name, article) }, "Save as a file"),
      h("button", { type: "button", onclick: () => print() }, "Print"),
      reportButton(life.id, life.name, note, around.signal),
    ),
    note,
    article,
  );
  charts.forEach((chart) => chart.draw());
}

/** Phases along a life, as bands. */
export function ribbon(series) {
  const bands = [];
  for (const point of series) {
    const last = bands.at(-1);
    if (last && last.tone === point.phase) last.to = point.age_days;
    else {
      if (last) last.to = point.age_days;
      bands.push({ from: point.age_days, to: point.age_days, tone: point.phase });
    }
  }
  return bands;
}

/** One file that needs nothing else: the page as it stands, with its styles in it. */
async function save(name, article) {
  const style = await fetch("/style.css").then((response) => response.text());
  const parts = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${name}</title><style>`,
    style,
    '</style></head><body data-place="obituary"><main>',
    article.outerHTML,
    "</main></body></html>",
  ];
  saveFile(name, parts);
}
