// One golem: how it stands, what it did, thinks, dreams and comes from; live, and at any moment of its life.

import { Refused, get, listen, maybe, order, until } from "/api.js";
import {
  Chart,
  age,
  ether,
  fixed,
  grouped,
  h,
  meter,
  moment,
  percent,
  phaseChip,
  signed,
  table,
  usdc,
  words,
} from "/charts.js";
import { reportButton } from "/file.js";
import { tinted } from "/lore.js";
import { ribbon } from "/obituary.js";
import { holdings } from "/positions.js";
import { dreamsTab, fateTab, mindTab } from "/tabs.js";

const TABS = ["Overview", "Mind", "Dreams", "Fate", "Log"];

export async function golemView(around, id) {
  const place = `/api/golems/${encodeURIComponent(id)}`;
  const { signal } = around;
  let [status, said] = [null, null];
  const there = async () => {
    status = await get(`${place}/status`, signal).catch((why) => {
      if (!(why instanceof Refused) || why.code === 401) throw why;
      // What is busy or damaged may be there, too, a moment later. Words that are shown already stay, to be marked and copied.
      const words = [why.message, why.hint].filter(Boolean).join(". ");
      if (words !== said) around.show(h("h1", {}, id), h(why.code === 409 ? "p.none" : "p.warn", {}, words));
      said = words;
    });
    return status;
  };
  if (!(await there())) {
    // Whoever is born, or takes its first turn, a moment later is shown then.
    until(there, 2000, signal)
      .then((born) => born && golemView(around, id))
      .catch((why) => signal.aborted || around.fail(why));
    return;
  }
  const series = await get(`${place}/series?points=1500`, signal);
  let trades = await get(`${place}/trades?last=500`, signal);
  const log = await get(`${place}/facts?limit=300`, signal);
  // The dead of this home; read once, when somebody first wants to know.
  let asked = null;
  const yard = () =>
    (asked ??= get(`/api/graveyard?beside=${encodeURIComponent(status.id)}`, signal).catch((why) => {
      asked = null;
      throw why;
    }));
  let graves = [];
  document.title = `${status.name} – bardo`;
  const seen = { at: null };
  const bornMs = Date.parse(status.at) - status.age_days * 86_400_000;

  // The frame of the page, filled by `draw`.
  const head = h("div.golem-head");
  const trouble = h("p.warn.trouble");
  const doings = h("p.row.orders");
  const note = h("p.note", { role: "status" });
  const tiles = h("dl.tiles", { "aria-live": "off" });
  const panels = Object.fromEntries(
    TABS.map((name) => [
      name,
      h("section.panel", {
        id: `p-${name}`,
        role: "tabpanel",
        tabindex: "0",
        "aria-labelledby": `t-${name}`,
        hidden: true,
      }),
    ]),
  );
  const tabs = h(
    "div.tabs",
    { role: "tablist", "aria-label": "Views" },
    TABS.map((name) =>
      h(
        "button",
        {
          type: "button",
          role: "tab",
          id: `t-${name}`,
          "aria-controls": `p-${name}`,
          onclick: () => open(name),
          onkeydown: (event) => arrows(event, name),
        },
        name,
      ),
    ),
  );
  const scrub = h("input", {
    type: "range",
    min: 0,
    max: Math.max(series.length - 1, 0),
    value: Math.max(series.length - 1, 0),
    step: 1,
    "aria-label": "A moment of its life",
    oninput: () => look(Number(scrub.value)),
  });
  const when = h("output.when");
  const live = h("button", { type: "button", onclick: () => look(null) }, "Now");
  const timeline = h("div.timeline", {}, h("span.label", {}, "Its life"), scrub, when, live);
  around.show(head, trouble, doings, note, timeline, tiles, tabs, ...Object.values(panels));

  const line = (name, tone, of, area = false) => ({ name, tone, area, points: series.map((p) => [p.age_days, of(p)]) });
  const vitality = new Chart({
    title: "Vitality",
    unit: "0 to 1; the ribbon is the phase",
    low: 0,
    high: 1,
    data: () => ({
      lines: [
        line("composite", "vital", (p) => p.vitality.composite, true),
        line("money", "worth", (p) => p.vitality.economic),
        line("knowledge", "mind", (p) => p.vitality.epistemic),
        line("age", "age", (p) => p.vitality.age_factor),
      ],
      bands: ribbon(series),
    }),
  });
  const worth = new Chart({
    title: "Balance",
    unit: "USDC",
    form: (y) => y.toFixed(y >= 1000 ? 0 : 2),
    data: () => ({
      lines: [
        line("worth", "worth", (p) => p.balance_micro_usdc / 1e6, true),
        line("to live on", "age", (p) => p.operating_micro_usdc / 1e6),
        line("in positions", "mind", (p) => p.positions_micro_usdc / 1e6),
      ],
    }),
  });
  /** Who died on this market, at the price that each saw last: at their moment, or at the left where that was before. */
  function bloodstains() {
    const [first, last] = [series[0]?.age_days, series.at(-1)?.age_days];
    const stains = graves
      .filter((grave) => grave.same_market && grave.id !== status.id && grave.price != null)
      .map((grave) => ({
        x: Math.max((Date.parse(grave.died_at) - bornMs) / 86_400_000, first),
        y: grave.price,
        title: `${grave.name} died here of ${grave.died_of} at ${fixed(grave.price)}`,
        mark: (node) => tinted(node, grave),
      }))
      .filter((stain) => stain.x <= last);
    return { stains, notes: stains.length ? [`† ${grouped(stains.length)} died here`] : [] };
  }
  const price = new Chart({
    title: "Price and trades",
    unit: "USDC for one ETH",
    form: (y) => y.toFixed(0),
    data: () => ({
      lines: [line("price", "price", (p) => p.price)],
      ...bloodstains(),
      marks: trades
        .filter((t) => t.done && t.price)
        .map((t) => ({
          x: (Date.parse(t.at) - bornMs) / 86_400_000,
          y: t.price,
          tone: ["buy", "add"].includes(t.what) ? "good" : "bad",
          title: `${t.what} ${ether(t.amount.eth)} ETH at ${fixed(t.price)}`,
        })),
    }),
  });
  const mood = new Chart({
    title: "Mood and suffering",
    unit: "−1 to 1",
    low: -1,
    high: 1,
    height: 160,
    data: () => ({
      lines: [
        line("pleasure", "worth", (p) => p.mood?.[0]),
        line("arousal", "price", (p) => p.mood?.[1]),
        line("dominance", "mind", (p) => p.mood?.[2]),
        line("suffering", "bad", (p) => p.load),
      ],
    }),
  });
  const hazard = new Chart({
    title: "Hazard",
    unit: "chance of dying in a day",
    low: 0,
    height: 160,
    form: (y) => percent(y, 1),
    data: () => ({ lines: [line("", "bad", (p) => 1 - (1 - p.hazard_rate) ** 2160)] }),
  });
  const charts = [vitality, worth, price, mood, hazard];
  const pain = h("div");
  const acts = h("div");
  const holds = holdings();
  let alive = null;
  let foretold = null;
  panels.Overview.append(
    h(
      "div.plots",
      {},
      charts.map((chart) => chart.node),
    ),
    h("h2", {}, "What weighs on it"),
    pain,
    h("h2", {}, "What it holds"),
    holds.node,
    h("h2", {}, "What it did with its money"),
    acts,
  );

  function look(n) {
    seen.at = n === null || n >= series.length - 1 ? null : n;
    if (seen.at === null) scrub.value = scrub.max;
    draw();
    charts.forEach((chart) => chart.look(seen.at === null ? null : series[seen.at].age_days));
    drawTrades();
    drawLog();
    // What is asked for anew is asked for once the hand rests.
    clearTimeout(resting);
    resting = setTimeout(() => signal.aborted || again(), 250);
  }
  let resting = null;
  /** The moment that is looked at; none in the present. */
  const past = () => (seen.at === null ? null : series[seen.at]);
  /** What was filled was of another moment. */
  function again() {
    drawPain().catch(() => {});
    ["Mind", "Dreams", "Fate"].forEach((name) => filled.delete(name));
    open(TABS.find((name) => !panels[name].hidden));
  }

  function draw() {
    const point = seen.at === null ? null : series[seen.at];
    const now = point ? { ...point, survival_24h: (1 - point.hazard_rate) ** 2160, at: point.at } : status;
    const dead = !point && status.death;
    holds.draw(point ? null : (status.open ?? []));
    head.replaceChildren(
      h(
        "h1",
        {},
        status.name,
        " ",
        phaseChip(dead ? status.standing : status.standing === "paused" && !point ? "paused" : now.phase),
      ),
      h(
        "p.sub",
        {},
        point ? "as it was" : words(status.standing),
        ` · turn ${grouped(now.tick)} · ${age(now.age_days)} old · ${moment(now.at)}`,
      ),
    );
    trouble.textContent = point ? "" : troubles().join(" · ");
    trouble.hidden = !trouble.textContent;
    // Buttons stay while nothing of them changes: whoever stands on one with the keyboard keeps its place.
    const can = `${status.standing} ${held()} ${Boolean(status.dreams)}`;
    if (doings.dataset.can !== can) {
      doings.dataset.can = can;
      doings.replaceChildren(
        ...(status.death
          ? [
              h(
                "a.button",
                { href: `/obituary/${status.id}`, "data-link": true },
                status.standing === "dead" ? "Its obituary" : "Its story so far",
              ),
            ]
          : orders()),
        reportButton(status.id, status.name, note, signal),
      );
    }
    const tile = (name, value, more) =>
      h("div", {}, h("dt", {}, name), h("dd", {}, value), more ? h("dd.more", {}, more) : null);
    const v = now.vitality;
    const day = point ? null : ahead()[0]?.[1];
    tiles.replaceChildren(
      tile(
        "Vitality",
        meter(v.composite, fixed(v.composite), now.phase),
        `money ${fixed(v.economic)}, knowledge ${fixed(v.epistemic)}, age ${fixed(v.age_factor)}`,
      ),
      tile(
        "Worth, USDC",
        // What it has sent home is its owner's, and part of what it was worth.
        usdc(now.balance_micro_usdc + (point ? 0 : status.home?.worth_micro_usdc || 0)),
        point
          ? `spent ${usdc(now.spent_micro_usdc)}`
          : `earned ${signed(now.earned_micro_usdc)}, spent ${usdc(now.spent_micro_usdc)}`,
      ),
      tile("Positions, USDC", usdc(now.positions_micro_usdc), `${percent(now.exposure, 0)} exposed`),
      tile(
        "Runway",
        point || dead || now.vigil != null ? "–" : now.projected_life_h == null ? "nothing burns" : age(now.projected_life_h / 24),
        point || dead ? "" : now.vigil != null ? "its vigil runs" : "at this burn",
      ),
      // What is foretold counts every clock; of the past, and until that is known, the chance of the dice alone is told, and named so.
      tile(
        dead || day != null ? "Next day" : "Next day, dice",
        dead ? "–" : percent(day ?? now.survival_24h, 2),
        `hazard ${now.hazard_rate.toExponential(1)} a tick`,
      ),
      tile(
        "Market",
        now.price == null ? "–" : fixed(now.price),
        words(typeof now.regime === "string" ? now.regime : now.regime?.name || ""),
      ),
      tile(
        "Mood",
        point
          ? now.mood
            ? now.mood.map((x) => fixed(x, 1)).join(" ")
            : "–"
          : status.affect
            ? words(status.affect.mood)
            : "–",
        point || !status.affect?.emotion ? "" : words(status.affect.emotion),
      ),
      tile(
        "Suffering",
        now.load == null ? "–" : meter(now.load, fixed(now.load), "load"),
        point ? "" : words(status.band || ""),
      ),
    );
    when.textContent = point ? `${moment(point.at)}, ${age(point.age_days)} old` : dead && status.standing === "dead" ? "its end" : "now";
    live.disabled = seen.at === null;
    if (alive) alive.node.hidden = Boolean(point);
    scrub.setAttribute("aria-valuetext", when.textContent);
  }

  /** Whether it takes no new risk until its owner says so. */
  const held = () => Boolean(status.cage?.halted || status.cage?.bled);

  /** What its owner must know before anything else. */
  function troubles() {
    if (status.death && status.standing !== "dying") return [];
    const stage = log.findLast((fact) => fact.name === "mortality.dying_stage")?.words;
    return [
      status.standing === "dying" ? `It is dying${stage ? `; ${stage}` : ""}` : null,
      status.vigil != null ? `Vigil, turn ${grouped(status.vigil)}: feed it, or it dies` : null,
      status.cage?.halted ? `Halted: ${status.cage.halted}. It takes no new risk until it is resumed` : null,
      status.cage?.bled ? "It has lost too much of its best worth: it only reduces until it is resumed" : null,
      status.safe_mode ? "Safe mode after too many crashes: it only observes and reduces risk" : null,
    ].filter(Boolean);
  }

  function orders() {
    const tell = async (title, body, fields, grave = false, text = "") => {
      const said =
        fields || grave ? await around.question({ title, text, fields: fields || [], grave, yes: title }) : {};
      if (!said) return;
      try {
        const answer = await order(status.id, typeof body === "function" ? body(said) : body);
        note.textContent =
          answer.reply ||
          (answer.running ? "It will be taken at the next turn." : "It does not run: the order waits in its inbox.");
      } catch (why) {
        note.textContent = `${why.message}${why.hint ? ` – ${why.hint}` : ""}`;
      }
    };
    const button = (title, ...how) => h("button", { type: "button", onclick: () => tell(title, ...how) }, title);
    return [
      status.standing === "paused" || held() ? button("Resume", { order: "resume" }) : null,
      status.standing === "paused" ? null : button("Pause", { order: "pause" }),
      button("Feed", (said) => ({ order: "feed", usdc: said.usdc }), [
        { name: "usdc", label: "USDC", mode: "decimal", pattern: "[0-9]+(\\.[0-9]{1,6})?" },
      ]),
      button("Tell", (said) => ({ order: "tell", text: said.text }), [{ name: "text", label: "Words" }]),
      status.dreams ? button("Dream now", { order: "dream" }) : null,
      button(
        "Kill",
        (said) => ({ order: "kill", reason: said.reason, confirm: said.confirm }),
        [
          { name: "reason", label: "Why" },
          { name: "confirm", label: `Its name, ${status.name}, as a word that you mean it` },
        ],
        true,
        "It will die, for ever.",
      ),
    ].filter(Boolean);
  }

  async function drawPain() {
    if (past()) return pain.replaceChildren(h("p.none", {}, "Of an earlier moment only its load is known."));
    const told = await maybe(`${place}/suffering`, signal);
    if (past()) return;
    if (!told) return pain.replaceChildren(h("p.none", {}, "It lives without suffering."));
    const one = (stressor) =>
      h(
        "li",
        {},
        h("strong", {}, words(stressor.name)),
        " ",
        meter(stressor.severity, fixed(stressor.severity), "load"),
        h("p", {}, stressor.evidence),
        h("p.small", {}, `Will ease when: ${stressor.eases_when}`),
        told.remedies[stressor.name] ? h("p.small", {}, `What you can do: ${told.remedies[stressor.name]}`) : null,
      );
    pain.replaceChildren(
      h("p", {}, `Band ${words(told.band)}, load ${fixed(told.load)}.`),
      told.stressors.length ? h("ul.plain", {}, told.stressors.map(one)) : h("p.none", {}, "Nothing does."),
      told.locked.length
        ? h(
            "ul.small",
            {},
            told.locked.map((why) => h("li", {}, why)),
          )
        : "",
    );
  }

  function drawTrades() {
    const known = trades.filter((t) => !past() || t.tick <= past().tick);
    const early = past() && trades.length >= 500 && known.length < 40;
    const rows = known
      .slice(-40)
      .reverse()
      .map((t) => [
        moment(t.at),
        t.done ? t.what : `${t.what}, refused`,
        ether(t.amount.eth),
        usdc(Math.abs(t.amount.micro_usdc)),
        fixed(t.price),
        t.pnl_micro_usdc == null ? "–" : signed(t.pnl_micro_usdc),
        t.why,
      ]);
    acts.replaceChildren(
      table(
        "Trades, the latest first",
        ["When", "What", ["ETH", "right"], ["USDC", "right"], ["Price", "right"], ["Profit", "right"], "Why"],
        rows,
        early ? "What it did then is not among its latest 500 trades." : past() ? "It had not traded yet." : "It has not traded yet.",
      ),
    );
  }

  /** The days ahead, until nobody would be left. */
  const ahead = () => {
    const all = (foretold?.p_alive ?? []).map((p, n) => [p.day ?? n + 1, p.p]);
    const end = all.findIndex(([, p]) => p < 0.0005);
    return end < 0 ? all : all.slice(0, Math.max(end + 1, 2));
  };
  async function drawForecast() {
    foretold = status.death ? null : await maybe(`${place}/forecast`, signal);
    if (foretold && !alive) {
      alive = new Chart({
        title: "P(alive)",
        unit: "over the days ahead",
        low: 0,
        high: 1,
        height: 160,
        data: () => ({ lines: [{ name: "", tone: "vital", area: true, points: [[0, 1], ...ahead()] }] }),
      });
      hazard.node.after(alive.node);
    }
    alive?.draw();
    if (seen.at === null) draw();
  }

  const filled = new Set();
  const desk = { place, signal, note, yard, past, golem: () => status, stale: (name) => filled.delete(name) };
  const fill = {
    Mind: (panel) => mindTab(panel, desk),
    Dreams: (panel) => dreamsTab(panel, desk),
    Fate: (panel) => fateTab(panel, desk),
    Log: async (panel) => panel.replaceChildren(h("h2", {}, "What happened"), list),
  };
  const list = h("ol.log", { reversed: true });
  const isLater = (turn) => Boolean(past() && turn > past().tick);
  const drawLog = () => [...list.children].forEach((line) => (line.hidden = isLater(Number(line.dataset.turn))));
  const told = (fact) =>
    h("li", { class: fact.event ? "event" : "", "data-seq": fact.seq, "data-turn": fact.tick, hidden: isLater(fact.tick) }, h("time", {}, moment(fact.at)), " ", fact.words || words(fact.name));
  log.filter((fact) => fact.words).forEach((fact) => list.prepend(told(fact)));

  function open(name) {
    for (const tab of TABS) {
      const on = tab === name;
      panels[tab].hidden = !on;
      const button = tabs.children[TABS.indexOf(tab)];
      button.setAttribute("aria-selected", String(on));
      button.tabIndex = on ? 0 : -1;
    }
    history.replaceState(null, "", `${location.pathname}#${name}`);
    if (name === "Overview") charts.forEach((chart) => chart.draw());
    if (!filled.has(name) && fill[name]) {
      filled.add(name);
      // An answer about another moment comes too late.
      const of = past();
      const panel = { replaceChildren: (...nodes) => past() === of && panels[name].replaceChildren(...nodes) };
      fill[name](panel).catch((why) => {
        if (past() !== of) return;
        filled.delete(name);
        if (!signal.aborted) panels[name].replaceChildren(h("p.warn", {}, `${why.message} ${why.hint || ""}`));
      });
    }
  }
  function arrows(event, name) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = TABS[(TABS.indexOf(name) + step + TABS.length) % TABS.length];
    open(next);
    tabs.children[TABS.indexOf(next)].focus();
  }

  draw();
  drawTrades();
  open(TABS.includes(location.hash.slice(1)) ? location.hash.slice(1) : "Overview");
  // Without the dead the chart is a chart all the same; where they are listed it is said why they cannot be read.
  const remember = async () => {
    ({ graves } = await yard().catch(() => ({ graves: [] })));
    price.draw();
  };
  await Promise.all([drawPain(), drawForecast(), remember()]);
  /** Its folder is no more: nothing of it can be asked for, and what was shown of it is not there. */
  const gone = () => {
    around.end();
    around.onLine("none");
    around.show(
      h("h1", {}, status.name),
      h("p.warn", { role: "alert" }, "It was removed from this home while you looked at it: its whole record is gone."),
      h("p", {}, h("a", { href: "/", "data-link": true }, "All golems")),
    );
  };
  // Of the dead nothing more is to be told, but that they are removed: that needs no line of its own, of which a browser has few.
  if (status.standing === "dead") {
    const left = () => get(`${place}/status`, signal).then(() => false, (why) => why?.code === 404);
    until(left, 5000, signal).then((yes) => yes && gone());
    return;
  }

  // Live: how it stands is drawn at once; what has to be asked for is asked for at most once a second.
  const soon = (work, ms = 1000) => {
    let timer = null;
    return () => (timer ??= setTimeout(() => ((timer = null), signal.aborted || work().catch(() => {})), ms));
  };
  const moreTrades = soon(
    async () => ((trades = await get(`${place}/trades?last=500`, signal)), drawTrades(), price.draw()),
  );
  const morePain = soon(drawPain, 3000);
  const moreAhead = soon(drawForecast, 30_000);
  const redraw = soon(async () => charts.forEach((chart) => chart.draw()), 500);
  const last = log.at(-1)?.seq;
  listen(`${place}/events?facts=events`, {
    signal,
    lastId: last === undefined ? null : String(last),
    onLine: around.onLine,
    onEvent: (kind, data) => {
      if (kind === "gone") return gone();
      // Another history stands in its place: all that is shown is of the old one.
      if (kind === "reset") return location.reload();
      if (kind === "fact") {
        if (data.name === "mortality.dying_stage") log.push(data);
        if (data.words) list.prepend(told(data));
        while (list.children.length > 500) list.lastChild.remove();
        return;
      }
      if (kind !== "status") return;
      const before = status;
      status = { ...status, ...data };
      // Nothing open is left out.
      status.open = data.open;
      if (data.trades !== before.trades) moreTrades();
      morePain();
      moreAhead();
      // What goes home at the end is no loss, as in the series that is kept.
      const home = data.death ? data.home?.worth_micro_usdc || 0 : 0;
      const mood = data.affect ? data.affect.mood_pad : null;
      const point = { ...data, balance_micro_usdc: data.balance_micro_usdc + home, mood };
      const latest = series.at(-1);
      if (!latest || data.age_days - latest.age_days > 1 / 288 || data.death) {
        series.push(point);
        scrub.max = series.length - 1;
        if (seen.at === null) scrub.value = scrub.max;
        redraw();
      }
      if (seen.at === null) draw();
    },
  });
}
