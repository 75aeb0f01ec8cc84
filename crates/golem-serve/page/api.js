// What the page asks of the server: reads, orders and live events, always with the owner's token in a header.

const KEY = "bardo.token";

/**
 * The token: from the address once (what stands behind the mark is never sent), then kept for this browser. Any page can link here with
 * any words behind the mark: the one that is kept stays until the new one has been let in.
 */
export async function takeToken() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token")?.trim();
  if (!found) return;
  history.replaceState(null, "", location.pathname + location.search);
  if (found === localStorage.getItem(KEY)) return;
  const tried = await fetch("/api/openapi.json", { headers: { authorization: `Bearer ${found}` } }).catch(() => null);
  if (tried?.ok) localStorage.setItem(KEY, found);
}

export const hasToken = () => Boolean(localStorage.getItem(KEY));
export const setToken = (words) => localStorage.setItem(KEY, words.trim());

const heads = (more = {}) => ({ authorization: `Bearer ${localStorage.getItem(KEY) || ""}`, ...more });

/** Why something was refused, with what would help. */
export class Refused extends Error {
  constructor(code, error) {
    super(error?.message || `the server answered ${code}`);
    this.code = code;
    this.hint = error?.hint || "";
  }
}

/** What has no place in a text, as everywhere else: controls, and marks that nobody sees, that hide what follows or turn its direction. */
const HIDDEN =
  /[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** JSON as the page may show it, whoever wrote the words: owners, strangers and models. */
const shown = (text) => JSON.parse(text, (_, value) => (typeof value === "string" ? value.replace(HIDDEN, "") : value));

async function answered(response) {
  const text = await response.text();
  if (response.ok) return shown(text);
  let told = {};
  try {
    told = shown(text);
  } catch {
    // Somebody else answers there; the number says enough.
  }
  throw new Refused(response.status, told.error);
}

export const get = (path, signal) => fetch(path, { headers: heads(), signal }).then(answered);

/** The same, but nothing where there is nothing to be had. */
export async function maybe(path, signal) {
  try {
    return await get(path, signal);
  } catch (why) {
    if (why instanceof Refused && [404, 409].includes(why.code)) return null;
    throw why;
  }
}

/** A whole page, as text. */
export const page = (path, signal) =>
  fetch(path, { headers: heads(), signal }).then((response) => (response.ok ? response.text() : answered(response)));

export const order = (id, body) =>
  fetch(`/api/golems/${encodeURIComponent(id)}/orders`, {
    method: "POST",
    headers: heads({ "content-type": "application/json" }),
    body: JSON.stringify(body),
  }).then(answered);

const pause = (ms, signal) =>
  new Promise((done) => {
    const over = () => (clearTimeout(timer), signal.removeEventListener("abort", over), done());
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over);
  });

/** Ask again and again until the answer is yes: false where the view was over before. While the server is away there is no answer. */
export async function until(ask, ms, signal) {
  while (!signal.aborted) {
    await pause(ms, signal);
    const answer = await ask().catch((why) => {
      if (why instanceof Refused) throw why;
    });
    if (answer) return !signal.aborted;
  }
  return false;
}

/** So long a page that nobody looks at keeps its line: a browser has six to one server, for all of its tabs together. */
const UNSEEN_MS = 5000;

/** The end of one line: that of its view, or that nobody has looked for a while. */
function lineEnd(signal) {
  const line = new AbortController();
  let timer = null;
  const look = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(() => line.abort(), UNSEEN_MS);
  };
  signal.addEventListener("abort", () => line.abort(), { signal: line.signal });
  document.addEventListener("visibilitychange", look, { signal: line.signal });
  look();
  return line;
}

/** Until somebody looks, or the view is over. */
const looked = (signal) =>
  new Promise((done) => {
    const over = new AbortController();
    const look = () => (document.hidden && !signal.aborted ? null : (over.abort(), done()));
    document.addEventListener("visibilitychange", look, { signal: over.signal });
    signal.addEventListener("abort", look, { signal: over.signal });
    look();
  });

/**
 * Live events until the signal says stop. The browser's own reader cannot send a header, so this one reads the stream itself;
 * it comes back behind the last event that it heard, whatever ended the line.
 */
export async function listen(path, { signal, onEvent, onLine, lastId = null }) {
  let wait = 500;
  while (!signal.aborted) {
    await looked(signal);
    if (signal.aborted) return;
    const line = lineEnd(signal);
    try {
      const headers = heads(lastId === null ? {} : { "last-event-id": lastId });
      const response = await fetch(path, { headers, signal: line.signal, cache: "no-store" });
      if (!response.ok) await answered(response);
      onLine("live");
      wait = 500;
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        text += value;
        const parts = text.split("\n\n");
        text = parts.pop();
        for (const part of parts) {
          const event = spelled(part);
          if (event.id !== null) lastId = event.id;
          if (event.data) onEvent(event.kind, shown(event.data), event.id);
        }
      }
    } catch (why) {
      if (signal.aborted) return;
      if (why instanceof Refused && why.code === 401) {
        line.abort();
        onLine("refused");
        return;
      }
      // Whoever was removed while the line was away is not waited for.
      if (why instanceof Refused && why.code === 404) {
        line.abort();
        onEvent("gone", {}, lastId);
        return;
      }
    }
    const unseen = line.signal.aborted;
    line.abort();
    if (signal.aborted) return;
    // Whoever looks again is told all from where the line ended.
    if (unseen) continue;
    onLine("lost");
    await pause(wait, signal);
    wait = Math.min(wait * 2, 5000);
  }
}

function spelled(part) {
  const event = { id: null, kind: "message", data: "" };
  for (const line of part.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue;
    const value = line.slice(at + 1).replace(/^ /, "");
    if (line.startsWith("id")) event.id = value;
    else if (line.startsWith("event")) event.kind = value;
    else if (line.startsWith("data")) event.data += value;
  }
  return event;
}
