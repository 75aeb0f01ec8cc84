// What is saved from the page: files that need nothing else.

import { page } from "/api.js";
import { h } from "/charts.js";

/** Hand a file to the browser. */
export function saveFile(name, parts) {
  const link = h("a", { href: URL.createObjectURL(new Blob(parts, { type: "text/html" })), download: `${name}.html` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/**
 * The whole life as one page with charts. It needs the token, which no plain link carries, and styles of its own, which this page
 * lets nobody have: so it is saved, as bardo report does.
 */
export function reportButton(id, name, note, signal) {
  const button = h(
    "button",
    {
      type: "button",
      title: "Its whole life with charts, as one file that needs nothing else",
      onclick: async () => {
        button.disabled = true;
        note.textContent = "Its report is being written.";
        try {
          saveFile(`${name}-report`, [await page(`/api/golems/${encodeURIComponent(id)}/report`, signal)]);
          note.textContent = `Its report is saved as ${name}-report.html.`;
        } catch (why) {
          if (!signal.aborted) note.textContent = `${why.message}${why.hint ? ` – ${why.hint}` : ""}`;
        }
        button.disabled = false;
      },
    },
    "Report",
  );
  return button;
}
