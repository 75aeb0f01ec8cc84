// What drives what, drawn: nodes on an oval, and an arrow for each cause. Colour is never alone: what lowers is dashed, what
// holds no more is dotted, and the table below says all of it.

import { fixed, grouped, h, percent, s, table } from "/charts.js";

const BOX = 28;
/** Where along an arrow its label may stand, the best first. */
const PLACES = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74];

const tone = (cause) => (cause.holds ? (cause.words.way === "raises" ? "raises" : "lowers") : "gone");
const weight = (cause) => `${cause.weight < 0 ? "−" : "+"}${fixed(Math.abs(cause.weight))}`;

/** A point of a quadratic curve. */
const along = ([a, b, c], t) => [0, 1].map((n) => (1 - t) ** 2 * a[n] + 2 * (1 - t) * t * b[n] + t ** 2 * c[n]);
/** The part of a quadratic curve between two moments, as one of its own. */
function part([a, b, c], t0, t1) {
  const middle = [0, 1].map(
    (n) => (1 - t0) * (1 - t1) * a[n] + ((1 - t0) * t1 + t0 * (1 - t1)) * b[n] + t0 * t1 * c[n],
  );
  return [along([a, b, c], t0), middle, along([a, b, c], t1)];
}
const within = (box, [x, y], room) =>
  Math.abs(x - box.x) < box.wide / 2 + room && Math.abs(y - box.y) < box.high / 2 + room;
const apart = (a, b) => Math.abs(a.x - b.x) >= (a.wide + b.wide) / 2 || Math.abs(a.y - b.y) >= (a.high + b.high) / 2;

/** A graph of causes that is drawn anew whenever its width changes. */
export class CauseGraph {
  constructor(causes) {
    this.causes = causes;
    this.names = [...new Set(causes.flatMap((c) => [c.words.from, c.words.to]))].sort();
    this.svg = s("svg", { class: "graph", role: "img" });
    const keys = [
      ["raises", "raises it"],
      ["lowers", "lowers it"],
      ["gone", "holds no more"],
    ].filter(([kind]) => causes.some((c) => tone(c) === kind));
    const sample = (kind) =>
      s(
        "svg",
        { class: "sample", viewBox: "0 0 30 8", width: 30, height: 8, "aria-hidden": "true" },
        s("path", { class: `cause c-${kind}`, d: "M1 4H29", "stroke-width": 2.5 }),
      );
    this.node = h(
      "figure.plot.causes",
      {},
      h("figcaption", {}, h("span", {}, "What drives what"), h("small", {}, "weight, and after how long")),
      h(
        "ul.legend",
        {},
        keys.map(([kind, words]) => h("li", {}, sample(kind), ` ${words}`)),
      ),
      this.svg,
    );
    const holding = causes.filter((c) => c.holds).length;
    this.svg.setAttribute(
      "aria-label",
      `What drives what: ${grouped(causes.length)} causes among ${grouped(this.names.length)} observed things, ${grouped(holding)} of them hold. The table below says each.`,
    );
    new ResizeObserver(() => this.draw()).observe(this.node);
  }

  draw() {
    const width = Math.floor(this.node.clientWidth) - 26;
    if (width < 80 || width === this.width) return;
    this.width = width;
    const slim = width < 520;
    const letter = slim ? 6.4 : 7.2;
    const height = [0, 0, 170, 260][this.names.length] || 360;
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${width} ${height}`, width, height }))
      this.svg.setAttribute(name, value);
    const widest = Math.max(...this.names.map((name) => name.length)) * letter + 20;
    const [rx, ry] = [Math.min((width - widest) / 2 - 4, 340), height / 2 - BOX];
    // Two stand beside each other; more go round, from the top, and fill what height there is.
    const from = this.names.length === 2 ? Math.PI : -Math.PI / 2;
    const angles = this.names.map((_, n) => from + (2 * Math.PI * n) / this.names.length);
    const deep = Math.max(...angles.map(Math.sin), 0.5);
    const boxes = new Map(
      this.names.map((name, n) => {
        const down = Math.sin(angles[n]) > 0 ? Math.sin(angles[n]) / deep : Math.sin(angles[n]);
        const [x, y] = [width / 2 + rx * Math.cos(angles[n]), height / 2 + ry * down];
        return [name, { x, y, wide: name.length * letter + 20, high: BOX }];
      }),
    );
    const met = new Map();
    const drawn = this.causes.map((cause) => {
      const key = `${cause.words.from}>${cause.words.to}`;
      const nth = met.get(key) || 0;
      met.set(key, nth + 1);
      return [cause, this.curve(boxes.get(cause.words.from), boxes.get(cause.words.to), nth)];
    });
    // Labels find their places in the order of the table, away from boxes, from each other and from other arrows.
    const placed = [...boxes.values()];
    const others = drawn.map(([, curve]) => [curve, Array.from({ length: 25 }, (_, n) => along(curve, n / 24))]);
    const labels = drawn
      .filter(([cause]) => cause.holds)
      .map(([cause, curve]) => {
        const points = others.filter(([other]) => other !== curve).flatMap(([, all]) => all);
        return label(cause, curve, placed, points, slim);
      });
    // What holds is drawn last, over what holds no more.
    const arrows = drawn.reverse().map(([cause, curve]) => arrow(cause, curve));
    const nodes = [...boxes].map(([name, box]) =>
      s(
        "g",
        { class: "thing" },
        s("rect", { x: box.x - box.wide / 2, y: box.y - BOX / 2, width: box.wide, height: BOX, rx: 8 }),
        s("text", { x: box.x, y: box.y + 4, "text-anchor": "middle" }, name),
      ),
    );
    this.svg.replaceChildren(...arrows, ...nodes, ...labels);
  }

  /** From the edge of one box to the edge of another, bent to the left of its way: there and back are two lines. */
  curve(a, b, nth) {
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const far = Math.hypot(dx, dy) || 1;
    const bend = Math.min(far * 0.2, 40) + 44 * nth;
    const whole = [
      [a.x, a.y],
      [(a.x + b.x) / 2 + (dy / far) * bend, (a.y + b.y) / 2 - (dx / far) * bend],
      [b.x, b.y],
    ];
    let [t0, t1] = [0, 1];
    while (t0 < 0.45 && within(a, along(whole, t0), 2)) t0 += 0.01;
    while (t1 > 0.55 && within(b, along(whole, t1), 3)) t1 -= 0.01;
    return part(whole, t0, t1);
  }
}

function arrow(cause, curve) {
  const kind = tone(cause);
  const [a, b, c] = curve;
  const thick = cause.holds ? 1.6 + 3 * Math.min(Math.abs(cause.weight), 1) : 1.4;
  const [dx, dy] = [c[0] - b[0], c[1] - b[1]];
  const far = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / far, dy / far];
  const long = 7 + thick * 1.6;
  // The line ends where its head begins, so that the point stays sharp.
  const neck = [c[0] - ux * long, c[1] - uy * long];
  const side = (sign) => `${neck[0] - uy * sign * long * 0.45} ${neck[1] + ux * sign * long * 0.45}`;
  const at = (point) => point.map((x) => x.toFixed(1)).join(" ");
  const line = `M${at(a)}Q${at(b)} ${at(neck)}`;
  return s(
    "g",
    { class: "arrow" },
    s("title", {}, cause.words.sentence),
    s("path", { class: "reach", d: line }),
    s("path", { class: `cause c-${kind}`, d: line, "stroke-width": thick.toFixed(1) }),
    s("path", { class: `point c-${kind}`, d: `M${at(c)}L${side(1)}L${side(-1)}Z` }),
  );
}

/** What stands beside an arrow, where it covers least. */
function label(cause, curve, placed, points, slim) {
  const said = slim ? weight(cause) : `${weight(cause)} · ${cause.words.after}`;
  const boxes = PLACES.map((t) => {
    const [x, y] = along(curve, t);
    return { x, y, wide: said.length * 6.4 + 4, high: 16 };
  });
  const covers = (box) =>
    placed.filter((other) => !apart(box, other)).length * 20 + points.filter((point) => within(box, point, 0)).length;
  const box = boxes.reduce((best, one) => (covers(one) < covers(best) ? one : best));
  placed.push(box);
  return s(
    "g",
    { class: "label" },
    s("rect", { class: "plate", x: box.x - box.wide / 2, y: box.y - 8, width: box.wide, height: 16, rx: 4 }),
    s("text", { class: `said c-${tone(cause)}`, x: box.x, y: box.y + 4, "text-anchor": "middle" }, said),
  );
}

/** The graph and the same as a table; or a word that there is nothing. */
export function causesPart(causes) {
  if (!causes.length) return [h("p.none", {}, "It has found no causes yet.")];
  return [
    h(
      "p.small",
      {},
      "What tended to follow what, found in one stretch of its life and confirmed in others. A hidden common cause looks the same.",
    ),
    new CauseGraph(causes).node,
    table(
      "Causes",
      [
        "What drives",
        "What it does",
        ["Weight", "right"],
        ["After", "right"],
        ["Held", "right"],
        ["Failed", "right"],
        ["Sure", "right"],
        "Today",
      ],
      causes.map((c) => [
        c.words.from,
        `${c.words.way} ${c.words.to}`,
        weight(c),
        c.words.after,
        grouped(c.held),
        grouped(c.failed),
        percent(c.confidence_bp / 1e4, 0),
        c.holds ? "holds" : "holds no more",
      ]),
    ),
  ];
}
