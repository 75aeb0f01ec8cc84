// A testament as the terminal shows it: the server sends its page as Markdown, of which it uses headings, lists, tables and notes.

import { h } from "/charts.js";

const bare = (text) => text.replace(/\\([\\`*_{}[\]()#+.!|<>~-])/g, "$1");

/** Words with their notes; that a model tells some of them is said above them. */
function told(text) {
  const parts = text.split(/(\[\^\d+\])/).map((part) => {
    const note = part.match(/^\[\^(\d+)\]$/);
    return note ? h("sup", {}, note[1]) : bare(part.replace(/(?<!\\)\*/g, ""));
  });
  return parts.filter((part) => part !== "");
}

const cells = (line) =>
  line
    .replace(/^\||\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

function block(lines) {
  const [first] = lines;
  if (first.startsWith("# ")) return null;
  if (first.startsWith("## ")) return h("h3", {}, told(first.slice(3)));
  if (first.startsWith("> ")) return h("blockquote", {}, told(lines.map((line) => line.slice(2)).join(" ")));
  if (first.startsWith("- ")) return h("ul", {}, lines.map((line) => h("li", {}, told(line.slice(2)))));
  if (first.startsWith("|")) {
    const rows = lines.map(cells).filter((row) => !row.every((cell) => /^:?-*:?$/.test(cell)));
    return h("dl.pairs", {}, rows.flatMap(([name, ...rest]) => [h("dt", {}, told(name)), h("dd", {}, told(rest.join(" ")))]));
  }
  if (first.startsWith("[^"))
    return h("ul.small.plain", {}, lines.map((line) => h("li", {}, bare(line.replace(/^\[\^(\d+)\]: */, "$1  ")))));
  return h("p", {}, told(lines.join(" ")));
}

/** The page as nodes, without its head: whose it is stands above it. */
export function pageOf(text) {
  const nodes = [];
  let lines = [];
  let fence = null;
  const end = () => {
    if (lines.length) nodes.push(block(lines));
    lines = [];
  };
  for (const line of text.split("\n")) {
    if (fence) {
      if (line.startsWith("~~~~~~~~")) {
        nodes.push(h("pre.page", { tabindex: "0", "aria-label": "Its playbook in the end" }, fence.slice(1).join("\n")));
        fence = null;
      } else fence.push(line);
    } else if (line.startsWith("~~~~~~~~")) {
      end();
      fence = [line];
    } else if (line.trim() === "") end();
    else lines.push(line);
  }
  end();
  return nodes.filter(Boolean);
}
