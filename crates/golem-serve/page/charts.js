// Small pieces: elements, numbers for people, and charts as SVG. Nothing is ever put in as markup.

/** An element with attributes and children; texts are texts. */
export function h(tag, attrs = {}, ...children) {
  const [kind, ...classes] = tag.split(".");
  const node = document.createElement(kind || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(attrs)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.className += ` ${value}`;
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";
export function s(tag, attrs = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attrs))
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  node.append(...children.flat().filter(Boolean));
  return node;
}

export const usdc = (micro) =>
  micro === null || micro === undefined
    ? "–"
    : (micro / 1e6).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
export const signed = (micro) => (micro > 0 ? "+" : micro < 0 ? "−" : "") + usdc(Math.abs(micro));
export const percent = (x, digits = 1) => (x === null || x === undefined ? "–" : `${(x * 100).toFixed(digits)} %`);
export const fixed = (x, digits = 2) => (x === null || x === undefined ? "–" : x.toFixed(digits));
export const grouped = (n) => Number(n).toLocaleString("en");
export const words = (name) => String(name).replaceAll("_", " ");
export function age(days) {
  if (days === null || days === undefined) return "–";
  if (days >= 2) return `${days.toFixed(1)} days`;
  const hours = days * 24;
  return hours >= 2 ? `${hours.toFixed(1)} hours` : `${(hours * 60).toFixed(0)} minutes`;
}
/** A moment of a life on an axis, by how long the axis is. */
const calendar = (days, span) =>
  span >= 2 ? `day ${Number(days.toFixed(span < 6 ? 1 : 0))}` : `${Number((days * 24).toFixed(1))} h`;
export const ether = (text) => String(Number(Number(text).toFixed(6)));
export const day = (at) => String(at).slice(0, 10);
export const moment = (at) => String(at).slice(0, 16).replace("T", " ");

export const PHASES = ["thriving", "stable", "conservation", "declining", "terminal"];
export const phaseChip = (word) => h(`span.chip.p-${word || "none"}`, {}, words(word || "newborn"));

/** Round steps for an axis. */
function ticks(low, high, about) {
  const span = high - low || 1;
  const raw = span / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= raw) || raw;
  const all = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step * 1e-9; at += step) all.push(at);
  return all;
}

/** As many points as there are pixels, with the extremes of each stretch kept. */
function thinned(points, most) {
  if (points.length <= most * 2) return points;
  const size = Math.ceil(points.length / most);
  const all = [];
  for (let at = 0; at < points.length; at += size) {
    const part = points.slice(at, at + size);
    const low = part.reduce((a, b) => (b[1] < a[1] ? b : a));
    const high = part.reduce((a, b) => (b[1] > a[1] ? b : a));
    all.push(...[low, high].sort((a, b) => a[0] - b[0]));
  }
  all.push(points[points.length - 1]);
  return all;
}

const path = (points, x, y) =>
  points.map(([px, py], n) => `${n ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");

/**
 * A chart of lines over time, drawn anew whenever its width or its data changes.
 * `data()` gives { lines: [{ name, tone, points: [[x, y]], area }], bands: [{ from, to, tone }], marks: [{ x, y, tone, title }],
 * whiskers: [{ x, low, high, tone }], rules: [{ y, name }], stains: [{ x, y, title, mark }], notes: [words] }.
 */
export class Chart {
  constructor({
    title,
    unit = "",
    height = 190,
    low = null,
    high = null,
    form = (y) => fixed(y),
    time = calendar,
    data,
    note = "",
  }) {
    Object.assign(this, { title, unit, height, low, high, form, time, data, note, at: null });
    this.legend = h("ul.legend");
    this.said = h("p.chart-said", { "aria-hidden": "true" });
    this.svg = s("svg", { class: "chart", role: "img" });
    this.node = h(
      "figure.plot",
      {},
      h("figcaption", {}, h("span", {}, title), unit ? h("small", {}, unit) : null),
      this.legend,
      this.svg,
      this.said,
    );
    new ResizeObserver(() => this.draw()).observe(this.node);
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener(
      "pointerleave",
      () => ((this.said.textContent = this.note), this.hair?.setAttribute("visibility", "hidden")),
    );
    this.said.textContent = note;
  }

  /** The moment that is looked at; none for all of it. */
  look(x) {
    this.at = x;
    this.draw();
  }

  draw() {
    const width = Math.floor(this.legend.clientWidth);
    if (!width) return;
    const { lines = [], bands = [], marks = [], whiskers = [], rules = [], stains = [], notes = [] } = this.data();
    const all = lines.flatMap((line) => line.points);
    const [left, right, top, bottom] = [52, 8, 8, 28];
    const inner = [width - left - right, this.height - top - bottom];
    this.svg.setAttribute("viewBox", `0 0 ${width} ${this.height}`);
    this.svg.setAttribute("width", width);
    this.svg.setAttribute("height", this.height);
    this.legend.replaceChildren(
      ...lines.filter((line) => line.name).map((line) => h("li", {}, h(`span.key.t-${line.tone}`), line.name)),
      ...notes.map((words) => h("li", {}, words)),
    );
    const xs = [...all.map(([x]) => x), ...marks.map((mark) => mark.x), ...whiskers.map((w) => w.x)].filter(
      Number.isFinite,
    );
    if (xs.length < 2) {
      this.svg.replaceChildren(
        s("text", { x: width / 2, y: this.height / 2, class: "none", "text-anchor": "middle" }, "nothing to draw yet"),
      );
      this.svg.setAttribute("aria-label", `${this.title}: nothing yet`);
      return;
    }
    const ys = [
      ...all.map(([, y]) => y),
      ...whiskers.flatMap((w) => [w.low, w.high, w.y]),
      ...rules.map((r) => r.y),
    ].filter(Number.isFinite);
    const [x0, x1] = [Math.min(...xs), Math.max(...xs)];
    let [y0, y1] = [this.low ?? Math.min(...ys), this.high ?? Math.max(...ys)];
    if (y0 === y1) [y0, y1] = [y0 - Math.abs(y0) * 0.05 - 1e-6, y1 + Math.abs(y1) * 0.05 + 1e-6];
    const room = (y1 - y0) * 0.06;
    if (this.low === null) y0 -= room;
    if (this.high === null) y1 += room;
    const x = (v) => left + ((v - x0) / (x1 - x0 || 1)) * inner[0];
    const y = (v) => top + (1 - (v - y0) / (y1 - y0)) * inner[1];
    const floor = top + inner[1];
    const parts = [];
    for (const band of bands) {
      const from = x(Math.max(band.from, x0));
      parts.push(
        s("rect", {
          class: `band b-${band.tone}`,
          x: from,
          y: floor + 3,
          height: 5,
          width: Math.max(x(Math.min(band.to, x1)) - from, 0.5),
        }),
      );
    }
    for (const at of ticks(y0, y1, 4))
      parts.push(
        s("line", { class: "grid", x1: left, x2: width - right, y1: y(at), y2: y(at) }),
        s("text", { class: "tick", x: left - 6, y: y(at) + 4, "text-anchor": "end" }, this.form(at)),
      );
    const last = x1 - x0;
    for (const at of ticks(x0, x1, Math.max(3, Math.floor(width / 110))))
      parts.push(
        s(
          "text",
          {
            class: "tick",
            x: Math.min(Math.max(x(at), left + 14), width - 24),
            y: this.height - 6,
            "text-anchor": "middle",
          },
          this.time(at, last),
        ),
      );
    for (const rule of rules)
      parts.push(
        s(
          "line",
          { class: "rule", x1: left, x2: width - right, y1: y(rule.y), y2: y(rule.y) },
          s("title", {}, rule.name),
        ),
      );
    for (const line of lines) {
      const points = thinned(
        line.points.filter(([, v]) => Number.isFinite(v)),
        inner[0],
      );
      if (points.length < 2) continue;
      const drawn = path(points, x, y);
      if (line.area)
        parts.push(
          s("path", {
            class: `area t-${line.tone}`,
            d: `${drawn}L${x(points.at(-1)[0])} ${floor}L${x(points[0][0])} ${floor}Z`,
          }),
        );
      parts.push(s("path", { class: `lines t-${line.tone}`, d: drawn }));
    }
    for (const w of whiskers)
      parts.push(s("line", { class: `whisker t-${w.tone}`, x1: x(w.x), x2: x(w.x), y1: y(w.low), y2: y(w.high) }));
    for (const mark of marks)
      parts.push(
        s("circle", { class: `mark t-${mark.tone}`, cx: x(mark.x), cy: y(mark.y), r: 3.5 }, s("title", {}, mark.title)),
      );
    for (const stain of stains) {
      // Where somebody died is told even when the price was another then.
      const high = Math.min(Math.max(y(stain.y), top + 8), floor);
      parts.push(
        stain.mark(
          s(
            "text",
            { class: "stain", x: x(stain.x), y: high, "text-anchor": "middle" },
            s("title", {}, stain.title),
            "†",
          ),
        ),
      );
    }
    if (this.at !== null) parts.push(s("line", { class: "now", x1: x(this.at), x2: x(this.at), y1: top, y2: floor }));
    this.hair = s("line", { class: "hair", x1: 0, x2: 0, y1: top, y2: floor, visibility: "hidden" });
    parts.push(this.hair);
    this.svg.replaceChildren(...parts);
    // What was not known at a moment, such as a price, has no number there.
    const known = (line) => line.points.filter(([, v]) => Number.isFinite(v));
    this.scale = { x, x0, x1, left, inner, lines: lines.map((line) => ({ ...line, points: known(line) })) };
    const ends = lines
      .filter((line) => line.name && known(line).length)
      .map((line) => `${line.name} ${this.form(known(line).at(-1)[1])}`);
    this.svg.setAttribute("aria-label", `${this.title}: ${[...ends, ...notes].join(", ") || `${marks.length} points`}`);
  }

  /** What stands under the pointer, in words. */
  point(event) {
    if (!this.scale) return;
    const { x, x0, x1, left, inner, lines } = this.scale;
    const at = x0 + ((event.offsetX - left) / inner[0]) * (x1 - x0);
    if (at < x0 || at > x1) return;
    this.hair.setAttribute("x1", x(at));
    this.hair.setAttribute("x2", x(at));
    this.hair.setAttribute("visibility", "visible");
    const said = lines
      .filter((line) => line.points.length)
      .map((line) => {
        const near = line.points.reduce((a, b) => (Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a));
        return `${line.name || this.title} ${this.form(near[1])}`;
      });
    this.said.textContent = `${this.time(at, x1 - x0)}: ${said.join(", ")}`;
  }
}

/** A share from 0 to 1 as a bar, with its number as text beside it. */
export function meter(share, label, tone = "vital") {
  const wide = Math.max(0, Math.min(1, share || 0)) * 100;
  const bar = s(
    "svg",
    { class: "meter", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "rail", width: 100, height: 8, rx: 2 }),
    s("rect", { class: `fill m-${tone}`, width: wide, height: 8, rx: 2 }),
  );
  return h("span.metered", {}, bar, h("span.num", {}, label));
}

/** A table with a caption for those who hear it. */
export function table(caption, heads, rows, none = "nothing yet") {
  if (!rows.length) return h("p.none", {}, none);
  const head = heads.map((word) =>
    h(
      "th",
      { scope: "col", class: typeof word === "string" ? "" : word[1] },
      typeof word === "string" ? word : word[0],
    ),
  );
  const cell = (value, n) => h("td", { class: typeof heads[n] === "string" ? "" : heads[n][1] }, value);
  return h(
    "div.wide",
    { tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      {},
      h("caption.hear", {}, caption),
      h("thead", {}, h("tr", {}, head)),
      h(
        "tbody",
        {},
        rows.map((row) => h("tr", {}, row.map(cell))),
      ),
    ),
  );
}
