// The tabs of one golem that are filled when they are opened: what it thinks, what it dreams, and where it comes from.

import { get, maybe, order } from "/api.js";
import { Chart, age, fixed, grouped, h, moment, percent, table, usdc, words } from "/charts.js";
import { causesPart } from "/graph.js";
import { gravesById, loreItem, shelfPart, yardPart } from "/lore.js";
import { pageOf } from "/testament.js";

/** Forecasts with their intervals, what it knows, its rules, and what it takes for causes. */
export async function mindTab(panel, { place, signal, yard, past }) {
  const of = past();
  const asOf = of ? `as_of=${of.tick}` : "";
  const [told, book, causes] = await Promise.all([
    get(`${place}/predictions?top=400&${asOf}`, signal),
    get(`${place}/playbook?${asOf}`, signal),
    get(`${place}/causes?${asOf}`, signal),
  ]);
  const found = h("div");
  const words_ = h("input", {
    type: "search",
    name: "q",
    required: true,
    "aria-label": "What to look for",
    placeholder: "gas, spike, liquidity",
  });
  const search = h(
    "form.row",
    {
      role: "search",
      onsubmit: async (event) => (event.preventDefault(), found.replaceChildren(...(await searched(words_.value)))),
    },
    words_,
    h("button", { type: "submit" }, "Search"),
  );
  async function searched(q) {
    const [told, { graves }] = await Promise.all([
      get(`${place}/grimoire?q=${encodeURIComponent(q)}&top=15&${asOf}`, signal),
      yard(),
    ]);
    const known = gravesById(graves);
    if (!told.entries.length && !told.episodes.length) return [h("p.none", {}, "Nothing is known about that.")];
    return [
      h(
        "ul.plain",
        {},
        told.entries.map((e) =>
          loreItem(e, `${words(e.kind)}, ${percent(e.effective, 0)} sure, fits ${fixed(e.score)}`, known),
        ),
      ),
      table(
        "What happened to it",
        [["Turn", "right"], "Episode"],
        told.episodes.map((e) => [grouped(e.tick), e.text]),
        "No episode has these words.",
      ),
    ];
  }
  const rate = (x) => (x == null ? "–" : percent(x, 0));
  const share = (x) => (x == null ? "–" : (x > 0 ? "+" : "") + x.toFixed(3));
  const scores = told.scores
    .filter((score) => score.settled || score.pending)
    .map((score) => [
      words(score.domain),
      grouped(score.settled),
      grouped(score.pending),
      share(score.skill),
      share(score.newborn),
      rate(score.hit_rate),
      rate(score.coverage),
    ]);
  const count = (domain) => told.settled.filter((p) => p.domain === domain && p.came).length;
  const domains = [...new Set(told.settled.map((p) => p.domain))].filter((domain) => count(domain) > 2);
  const plots = domains.map((domain) => {
    const of = told.settled.filter((p) => p.domain === domain && p.came);
    return new Chart({
      title: words(domain),
      unit: "said, with its interval, and what came",
      height: 150,
      form: (y) => Number(y.toPrecision(3)),
      data: () => ({
        lines: [{ name: "came", tone: "vital", points: of.map((p) => [p.made / 86_400_000, p.came.actual]).reverse() }],
        whiskers: of
          .filter((p) => p.interval)
          .map((p) => ({
            x: p.made / 86_400_000,
            low: p.interval[0],
            high: p.interval[1],
            y: p.predicted,
            tone: p.came.inside === false ? "bad" : "mind",
          })),
        marks: of.map((p) => ({
          x: p.made / 86_400_000,
          y: p.predicted,
          tone: p.came.loss <= p.came.naive_loss ? "good" : "bad",
          title: `said ${fixed(p.predicted, 4)}, came ${fixed(p.came.actual, 4)}`,
        })),
      }),
    });
  });
  panel.replaceChildren(
    h("h2", {}, "Forecasts"),
    h(
      "p.small",
      {},
      "Skill is the share of the naive rule's loss that was saved in the last five days, Newborn the same against a newborn's; four in five should lie inside their interval.",
    ),
    table(
      of ? "Forecasts by domain, as of now" : "Forecasts by domain",
      [
        "Domain",
        ["Settled", "right"],
        ["Open", "right"],
        ["Skill", "right"],
        ["Newborn", "right"],
        ["Hits", "right"],
        ["Inside", "right"],
      ],
      scores,
    ),
    h(
      "div.plots",
      {},
      plots.map((plot) => plot.node),
    ),
    h("h2", {}, "What it knows"),
    search,
    found,
    h("h2", {}, "Its playbook"),
    h("pre.page", { tabindex: "0", "aria-label": "Its playbook" }, book.text),
    h("h2", {}, "What it takes for causes"),
    ...causesPart(causes),
  );
}

/** What is being tested of what it dreamt, and its journal. */
export async function dreamsTab(panel, { place, signal, note, golem, stale, past }) {
  const status = golem();
  const asOf = past() ? `as_of=${past().tick}` : "";

  const [book, { staged }] = await Promise.all([
    get(`${place}/dreams?last=30&${asOf}`, signal),
    get(`${place}/staging?${asOf}`, signal),
  ]);
  const judge = (p, word) =>
    h(
      "button",
      {
        type: "button",
        onclick: async (event) => {
          event.target.disabled = true;
          const answer = await order(status.id, { order: word, proposal: p.number }).catch((why) => ({
            reply: why.message,
          }));
          note.textContent = answer.reply || "The order waits in its inbox.";
          stale("Dreams");
        },
      },
      word === "approve" ? "Approve" : "Reject",
    );
  const proposals = staged.map((p) => [
    grouped(p.number),
    p.text,
    percent(p.confidence_bp / 1e4, 0),
    `${p.trial.hits} of ${p.trial.hits + p.trial.misses}`,
    status.death || asOf ? "–" : h("span.row", {}, judge(p, "approve"), judge(p, "reject")),
  ]);
  const dream = (d) =>
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("strong", {}, moment(d.timestamp)),
        ` ${d.phase1_summary.episodes_replayed} replayed, ${d.phase2_summary.counterfactuals_generated} other ways tried, ${d.phase2_summary.threats_simulated.length} threats, ${d.later.proposed} proposed, quality ${fixed(d.dream_quality_score)}`,
      ),
      h(
        "ul.small",
        {},
        h("li", {}, `Because: ${d.trigger}`),
        d.onset.theme ? h("li", {}, `Theme: ${d.onset.theme}`) : null,
        ...d.phase1_summary.patterns_found.map((text) => h("li", {}, `Pattern: ${text}`)),
        ...d.phase2_summary.creative_hypotheses.map((idea) => h("li", {}, `Imagined: ${idea.text}`)),
        ...d.phase2_summary.threats_simulated.map((t) =>
          h(
            "li",
            {},
            `Threat: ${words(t.threat_id)}, ${fixed(t.loss_bps / 100)} % lost, ${fixed(t.best_loss_bps / 100)} % with ${t.best_response}`,
          ),
        ),
        ...d.phase3_summary.grimoire_updates.map((u) => h("li", {}, `Proposed: ${u.text}`)),
        ...d.nothing_because.map((why) => h("li", {}, `Nothing: ${why}`)),
        h("li", {}, `Since then ${d.later.confirmed} came true, ${d.later.refuted} did not, ${d.later.expired} had their chances.`),
      ),
    );
  panel.replaceChildren(
    h("h2", {}, "What is being tested"),
    table(
      "Staged proposals",
      [["No.", "right"], "What it proposes", ["Sure", "right"], ["Came true", "right"], "Your word"],
      proposals,
      "Nothing is staged.",
    ),
    h("h2", {}, "Journal"),
    book.dreams.length
      ? h("div.journal", {}, book.dreams.map(dream))
      : h(
          "p.none",
          {},
          status.dreams ? (asOf ? "No dreams by then." : "No dreams yet.") : "It does not dream: dreams are off by default (dream.enabled).",
        ),
    book.inherited.length ? h("p.small", {}, `${book.inherited.length} dreams were left to it.`) : "",
  );
}

/** Its line, its testament, the dead and the library of its home, and what it was born with. */
export async function fateTab(panel, { place, signal, golem, yard, past }) {
  const status = golem();
  const of = past();
  // What no moment takes back stands under a title that says so.
  const now = of ? ", as of now" : "";

  const [line, testament, config, dead, library] = await Promise.all([
    get(`${place}/lineage`, signal),
    // Whoever lives has left none: to ask for it would be an error of the page.
    status.standing === "dead" && !of ? maybe(`${place}/testament`, signal) : null,
    get(`${place}/config`, signal),
    yard(),
    get("/api/library", signal),
  ]);
  const known = new Set(line.map((m) => m.id));
  const branch = (m) =>
    h(
      "li",
      {},
      h(
        "a",
        {
          href: m.cause ? `/obituary/${m.id}` : `/golem/${m.id}`,
          "data-link": true,
          "aria-current": m.id === status.id ? "true" : null,
        },
        `${m.cause ? "† " : ""}${m.name}`,
      ),
      h(
        "span.small",
        {},
        ` generation ${m.generation}${m.cause ? `, ${age(m.age_days)}, died of ${m.died_of}, ${usdc(m.worth_micro_usdc)} USDC` : `, ${m.standing ?? "alive"}`}${m.verdict ? `, ${words(m.verdict)}` : ""}`,
      ),
      line.some((c) => c.parent === m.id) ? h("ul", {}, line.filter((c) => c.parent === m.id).map(branch)) : null,
    );
  panel.replaceChildren(
    h("h2", {}, `Its line${now}`),
    h("ul.tree", {}, line.filter((m) => !m.parent || !known.has(m.parent)).map(branch)),
    testament
      ? h(
          "section",
          {},
          h("h2", {}, "Its testament"),
          ...pageOf(testament.page),
        )
      : "",
    h("h2", {}, "Graveyard"),
    ...yardPart(of ? { ...dead, graves: dead.graves.filter((grave) => grave.died_at <= of.at) } : dead),
    h("h2", {}, `Library${now}`),
    ...shelfPart(library, dead),
    h("h2", {}, "What it was born with"),
    h(
      "details",
      {},
      h("summary", {}, "Its settings"),
      h("pre.page", { tabindex: "0", "aria-label": "Its settings" }, JSON.stringify(config, null, 2)),
    ),
  );
}
