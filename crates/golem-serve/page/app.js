// The frame: places of the page, the theme, the question for the token, and the line to the server.

import { hasToken, setToken, takeToken } from "/api.js";
import { h } from "/charts.js";
import { fleetView, graveyardView, libraryView } from "/fleet.js";
import { golemView } from "/golem.js";
import { obituaryView } from "/obituary.js";

const main = document.getElementById("main");
const line = document.getElementById("line");
const ask = document.getElementById("ask");
let leave = new AbortController();

const LINES = { live: "live", lost: "the line is lost; trying again", refused: "the token is refused", none: "" };

/** What views are given: an end, a place to put themselves, and ways to speak. */
function frame() {
  leave.abort();
  const mine = (leave = new AbortController());
  return {
    signal: mine.signal,
    /** What is shown stays, and nothing more is asked or heard for it. */
    end: () => mine.abort(),
    show: (...nodes) => main.replaceChildren(...nodes),
    onLine: (word) => {
      line.textContent = LINES[word];
      line.dataset.line = word;
      if (word === "refused") askToken();
    },
    go,
    question,
    fail,
  };
}

const PLACES = [
  [/^\/golem\/([^/]+)$/, golemView],
  [/^\/obituary\/([^/]+)$/, obituaryView],
  [/^\/graveyard$/, graveyardView],
  [/^\/library$/, libraryView],
  [/^\/$/, fleetView],
];

async function route() {
  const around = frame();
  around.onLine("none");
  if (!hasToken()) return askToken();
  const [found, view] =
    PLACES.map(([path, view]) => [location.pathname.match(path), view]).find(([found]) => found) || [];
  for (const link of document.querySelectorAll("header nav a")) {
    const here = link.getAttribute("href") === location.pathname;
    here ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
  }
  document.body.dataset.place = location.pathname.split("/")[1] || "fleet";
  if (!view) return fail(new Error("There is nothing here."));
  try {
    await view(around, found[1] && decodeURIComponent(found[1]));
  } catch (why) {
    if (!around.signal.aborted) fail(why);
  }
}

function go(path) {
  if (path !== location.pathname) history.pushState(null, "", path);
  route().then(() => {
    window.scrollTo(0, 0);
    main.focus({ preventScroll: true });
  });
}

function fail(why) {
  if (why?.code === 401) return askToken(why);
  main.replaceChildren(
    h(
      "section.card.sorry",
      { role: "alert" },
      h("h1", {}, why?.message || "Something went wrong."),
      why?.hint ? h("p", {}, why.hint) : null,
      h("p", {}, h("a", { href: "/", "data-link": true }, "All golems")),
    ),
  );
}

/** Ask something; what was answered comes back, or null. */
function question({ title, text, fields = [], yes = "Send", grave = false }) {
  return new Promise((done) => {
    const inputs = fields.map((field) =>
      h("input", {
        name: field.name,
        id: `f-${field.name}`,
        required: field.required !== false,
        inputmode: field.mode,
        pattern: field.pattern,
        value: field.value || "",
        autocomplete: "off",
        type: field.type || "text",
      }),
    );
    const close = (answer) => {
      ask.close();
      done(answer);
    };
    const form = h(
      "form",
      {
        onsubmit: (event) => {
          event.preventDefault();
          close(Object.fromEntries(inputs.map((input) => [input.name, input.value])));
        },
      },
      h("h2", { id: "ask-title" }, title),
      text ? h("p", {}, text) : null,
      ...fields.map((field, n) => h("label", { for: `f-${field.name}` }, field.label, inputs[n])),
      h(
        "p.row",
        {},
        h("button", { type: "submit", class: grave ? "grave" : "primary" }, yes),
        h("button", { type: "button", onclick: () => close(null) }, "Cancel"),
      ),
    );
    ask.replaceChildren(form);
    ask.oncancel = () => done(null);
    ask.showModal();
    (inputs[0] || form.querySelector("button")).focus();
  });
}

async function askToken(why) {
  if (ask.open) return;
  main.replaceChildren(
    h(
      "section.card.sorry",
      {},
      h("h1", {}, "bardo"),
      h("p", {}, "This page shows your golems once it has your token."),
    ),
  );
  const given = await question({
    title: "Your token",
    text: why?.message
      ? "The token was refused. It is in the file serve.token of your home."
      : "It is in the file serve.token of your home; bardo serve says where.",
    fields: [{ name: "token", label: "Token", type: "password" }],
    yes: "Open",
  });
  if (given) {
    setToken(given.token);
    route();
  }
}

const THEMES = ["system", "light", "dark"];
function theme(word) {
  localStorage.setItem("bardo.theme", word);
  word === "system"
    ? document.documentElement.removeAttribute("data-theme")
    : document.documentElement.setAttribute("data-theme", word);
  document.getElementById("theme").textContent = `Theme: ${word}`;
}
document.getElementById("theme").addEventListener("click", () => {
  const now = localStorage.getItem("bardo.theme") || "system";
  theme(THEMES[(THEMES.indexOf(now) + 1) % THEMES.length]);
});

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-link]");
  if (!link || event.metaKey || event.ctrlKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.getAttribute("href"));
});
window.addEventListener("popstate", route);

theme(localStorage.getItem("bardo.theme") || "system");
takeToken().then(route);
