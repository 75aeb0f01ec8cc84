// The page in a real browser, as an owner uses it: `node tools/browser.mjs BARDO [WORDS]` (a built binary; only tests whose names have the
// words; `crowd` measures the page of five hundred golems, which is left out otherwise). Screenshots go to target/screens. Needs playwright-core and axe-core under target/tools/npm, and a chromium.

import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import assert from "node:assert/strict";
import { looks } from "./browser/looks.mjs";
import { moments } from "./browser/moments.mjs";
import { orders } from "./browser/orders.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const require = createRequire(path.join(root, "target/tools/npm/package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const bardo = path.resolve(process.argv[2] || "target/release/bardo");
const screens = path.join(root, "target/screens");
mkdirSync(screens, { recursive: true });
const home = mkdtempSync(path.join(tmpdir(), "bardo-browser-"));
const env = { ...process.env, BARDO_HOME: home, NO_COLOR: "1" };
const run = (...args) => execFileSync(bardo, args, { env, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
const children = new Set();
const start = (...args) => {
  const child = spawn(bardo, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  children.add(child);
  return child;
};
const end = (child) =>
  new Promise((done) => (child.exitCode !== null ? done() : (child.once("exit", done), child.kill("SIGTERM"))));

/** A server; its token is known from the first start. */
let token = null;
async function serve(port = 0, ...more) {
  const child = start("serve", "--listen", `127.0.0.1:${port}`, "--json", ...more);
  const line = await new Promise((done) => child.stdout.once("data", (text) => done(String(text))));
  const told = JSON.parse(line);
  token ??= told.token;
  return { child, url: told.url.replace(/\/$/, "") };
}

const tests = [];
const test = (name, work) => tests.push([name, work]);

// A life that is over, one that dreams, and one that runs while it is watched.
run("demo", "--seed", "42", "--speed", "max", "--quiet");
run("golem", "create", "dreamer", "--seed", "7", "--set", "dream.enabled=true", "--set", "dream.schedule=autonomous");
run("golem", "run", "dreamer", "--ticks", "6000", "--speed", "max", "--quiet");
// One that dies of ignorance within hours, so that its death teaches something, and the heir that carries it.
const clock = (measure, low, high) =>
  [`measure=${measure}`, `senescence_threshold=${low}`, `recovery_threshold=${high}`].flatMap((set) => [
    "--set",
    `mortality.epistemic.${set}`,
  ]);
run(
  "golem",
  "create",
  "elder",
  "--seed",
  "1",
  ...clock("r_squared", 0.6, 0.9),
  "--set",
  "mortality.epistemic.senescence_max_ticks=2000",
);
run("golem", "run", "elder", "--ticks", "2000", "--speed", "max", "--quiet");
const heirs = ["--inherit-grimoire", "--force-similarity", "--yes", "--seed", "1"];
run("golem", "successor", "elder", "--name", "heir", ...heirs, ...clock("skill", 0.35, 0.45));
run("golem", "run", "heir", "--ticks", "1500", "--speed", "max", "--quiet");
run("library", "list");
run("golem", "create", "ada", "--seed", "3");
run("golem", "run", "ada", "--ticks", "3000", "--speed", "max", "--quiet");
// One whose money is over, in the first turns of its vigil, whenever that comes.
run("golem", "create", "poor", "--seed", "11", "--budget", "4");
run("golem", "run", "poor", "--ticks", "20000", "--speed", "max", "--quiet");
for (let turns = 0, state = {}; !state.vigil; ) {
  const step = state.phase === "declining" ? 20 : 200;
  run("golem", "run", "poor", "--ticks", `${step}`, "--speed", "max", "--quiet");
  state = JSON.parse(run("golem", "status", "poor", "--json"));
  turns += step;
  if (turns > 20000 || state.standing !== "alive") throw new Error(`it keeps no vigil: ${state.standing}`);
}
let server = await serve();
const port = new URL(server.url).port;
const id = (name) => JSON.parse(run("golem", "list", "--json")).find((golem) => golem.name === name).id;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});

/** A page with the token, whose console must stay silent. */
async function open(at, { before, ...how } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...how });
  const page = await context.newPage();
  await before?.(page);
  const wrong = [];
  page.on("console", (said) => said.type() === "error" && wrong.push(said.text()));
  page.on("pageerror", (why) => wrong.push(String(why)));
  await page.goto(`${server.url}${at}#token=${token}`);
  page.wrong = wrong;
  return page;
}
const shot = (page, name, fullPage = true) => page.screenshot({ path: path.join(screens, `${name}.png`), fullPage });
async function accessible(page) {
  // The page lets no script in but its own; the checker is put in from outside of it.
  const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
  const serious = found.violations.filter((v) => ["serious", "critical"].includes(v.impact));
  assert.deepEqual(
    serious.map(
      (v) =>
        `${v.id}: ${v.nodes
          .slice(0, 3)
          .map((n) => n.target)
          .join(" ")} ${v.nodes[0].failureSummary}`,
    ),
    [],
  );
}
const narrow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth + 1);

test("without the token nothing is shown", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${server.url}/`);
  await page.getByRole("textbox", { name: "Token" }).fill("wrong".repeat(10));
  await page.getByRole("button", { name: "Open" }).click();
  await page.getByText("The token was refused").waitFor();
  assert.ok(!(await page.content()).includes("dreamer"));
  await shot(page, "token");
  await context.close();
});

test("a link from elsewhere does not lock the owner out", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "ada" }).waitFor();
  const kept = () => page.evaluate(() => localStorage.getItem("bardo.token"));
  assert.equal(await kept(), token);
  await page.goto("about:blank");
  await page.goto(`${server.url}/#token=${"0".repeat(64)}`);
  await page.getByRole("link", { name: "ada" }).waitFor();
  assert.equal(await kept(), token, "the one that was let in stays");
  await page.context().close();
});

test("one that is halted says so, and is resumed", async () => {
  run("golem", "create", "held", "--seed", "11");
  run("golem", "run", "held", "--ticks", "50", "--speed", "max", "--quiet");
  run("golem", "halt", "held", "--reason", "look first");
  run("golem", "run", "held", "--ticks", "2", "--speed", "max", "--quiet");
  const page = await open(`/golem/${id("held")}`);
  await page.locator(".trouble", { hasText: "look first" }).waitFor();
  assert.ok(await page.getByRole("button", { name: "Pause" }).isVisible(), "it can still be paused");
  await accessible(page);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".note:not(:empty)").waitFor({ timeout: 20000 });
  run("golem", "run", "held", "--ticks", "2", "--speed", "max", "--quiet");
  await page.locator(".trouble").waitFor({ state: "hidden", timeout: 20000 });
  assert.equal(await page.getByRole("button", { name: "Resume" }).count(), 0);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("the fleet, and one that comes alive", async () => {
  const page = await open("/");
  await page.getByRole("link", { name: "ada" }).waitFor();
  assert.equal(page.url().includes("token"), false, "the token does not stay in the address");
  const turn = async () => page.locator("tr", { hasText: "ada" }).innerText();
  const before = await turn();
  const running = start("golem", "run", "ada", "--speed", "max", "--ticks", "40000", "--quiet");
  await page.waitForFunction(
    (was) => [...document.querySelectorAll("tr")].find((row) => row.innerText.includes("ada")).innerText !== was,
    before,
    { timeout: 20000 },
  );
  await end(running);
  await page.getByRole("searchbox").fill("dead");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 2);
  await page.getByRole("searchbox").fill("");
  await shot(page, "fleet");
  await accessible(page);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("one golem, live, and on after the server was away", async () => {
  const page = await open(`/golem/${id("ada")}`);
  await page.getByRole("heading", { name: "ada" }).waitFor();
  const running = start("golem", "run", "ada", "--speed", "x4000", "--quiet");
  const sub = page.locator(".sub");
  const changes = async () => {
    const was = await sub.innerText();
    await page.waitForFunction((was) => document.querySelector(".sub").innerText !== was, was, { timeout: 20000 });
  };
  await changes();
  await changes();
  await page.getByRole("status").filter({ hasText: "live" }).waitFor();
  await end(server.child);
  await page.getByText("the line is lost").waitFor();
  server = await serve(port);
  await page.locator("#line", { hasText: /^live$/ }).waitFor({ timeout: 20000 });
  await changes();
  await page.getByRole("button", { name: "Tell" }).click();
  await page.getByLabel("Words").fill("be careful");
  await page.locator("dialog").getByRole("button", { name: "Tell" }).click();
  await page.locator(".note:not(:empty)").waitFor({ timeout: 20000 });
  await page.waitForTimeout(1500);
  await shot(page, "golem");
  await end(running);
  const lost = page.wrong.filter(
    (text) => !["REFUSED", "RESET"].some((how) => text.includes(`ERR_CONNECTION_${how}`)) && !text.includes("ERR_INCOMPLETE_CHUNKED"),
  );
  assert.deepEqual(lost, [], "nothing but the lost line itself");
  await accessible(page);
  await page.context().close();
});

test("who is not there, not yet, and no more", async () => {
  run("golem", "create", "newborn", "--seed", "9");
  // The browser says in its own words, too, that something was refused.
  const unknown = (text) => !/status of 40[49]/.test(text);
  for (const [at, words] of [
    ["/golem/nobody", 'there is no golem called "nobody"'],
    ["/golem/newborn", "newborn has not taken a turn yet"],
  ]) {
    const page = await open(at);
    await page.getByText(words).waitFor();
    assert.deepEqual(page.wrong.filter(unknown), []);
    await page.context().close();
  }
  // A page that is opened in the moment of a birth waits for it, and for the first turn; the list of the home may be a second old.
  const early = await open("/golem/unborn");
  await early.getByText("there is no golem called").waitFor();
  run("golem", "create", "unborn", "--seed", "10");
  await early.getByText("unborn has not taken a turn yet").waitFor({ timeout: 20000 });
  run("golem", "run", "unborn", "--ticks", "3", "--speed", "max", "--quiet");
  await early.getByRole("heading", { name: "unborn" }).waitFor({ timeout: 20000 });
  await early.locator("dl.tiles").first().waitFor({ timeout: 20000 });
  assert.deepEqual(early.wrong.filter(unknown), []);
  await early.context().close();
  // A copy of a golem within the home is not shown as if it were the golem: orders would reach the other one.
  const copy = id("unborn").replace(/^./, (first) => (first === "0" ? "1" : "0"));
  cpSync(path.join(home, "golems", id("unborn")), path.join(home, "golems", copy), { recursive: true });
  const twin = await open(`/golem/${copy}`);
  await twin.getByText("which lives in this home already").waitFor({ timeout: 20000 });
  assert.equal(await twin.locator("dl.tiles").count(), 0);
  rmSync(path.join(home, "golems", copy), { recursive: true });
  await twin.context().close();
  // Who was removed while the server was away is not shown by the next one.
  const page = await open("/");
  await page.getByRole("link", { name: "newborn" }).waitFor();
  await end(server.child);
  rmSync(path.join(home, "golems", id("newborn")), { recursive: true });
  server = await serve(port);
  await page.getByRole("link", { name: "newborn" }).waitFor({ state: "detached", timeout: 20000 });
  await page.getByRole("link", { name: "ada" }).waitFor();
  await page.context().close();
});

test("any moment of a life", async () => {
  const page = await open(`/golem/${id("dreamer")}`);
  const scrub = page.getByRole("slider");
  await scrub.waitFor();
  const sub = page.locator(".sub");
  const now = await sub.innerText();
  await scrub.focus();
  await page.keyboard.press("Home");
  const first = await sub.innerText();
  assert.ok(first.includes("as it was") && first !== now, first);
  for (let n = 0; n < 9; n += 1) await page.keyboard.press("ArrowRight");
  assert.notEqual(await sub.innerText(), first);
  assert.equal((await page.locator("line.now").count()) > 0, true);
  await shot(page, "scrubbed", false);
  await page.getByRole("button", { name: "Now", exact: true }).click();
  assert.equal(await sub.innerText(), now);
  for (const tab of ["Mind", "Dreams", "Fate", "Log"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page.locator(`#p-${tab} h2`).first().waitFor();
    await page.waitForTimeout(300);
    await accessible(page);
    await shot(page, tab.toLowerCase());
  }
  await page.getByRole("tab", { name: "Log" }).press("ArrowRight");
  await page.locator("#p-Overview:not([hidden])").waitFor();
  await page.getByRole("tab", { name: "Mind" }).click();
  await page.getByLabel("What to look for").fill("gas price");
  await page.getByRole("button", { name: "Search" }).click();
  await page.locator("#p-Mind .plain, #p-Mind .none").first().waitFor();
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("what drives what, and a report of it all", async () => {
  const page = await open(`/golem/${id("demo-42")}`);
  await page.getByRole("tab", { name: "Mind" }).click();
  const causes = await page.evaluate(
    (at) =>
      fetch(at, { headers: { authorization: `Bearer ${localStorage.getItem("bardo.token")}` } }).then((r) => r.json()),
    `/api/golems/${id("demo-42")}/causes`,
  );
  assert.ok(
    causes.length > 3 && causes.some((c) => c.holds) && causes.some((c) => !c.holds),
    "a life long enough to err",
  );
  await page.locator("svg.graph .arrow").first().waitFor();
  const drawn = await page.locator("svg.graph .arrow title").allTextContents();
  assert.deepEqual(
    drawn.sort(),
    causes.map((c) => c.words.sentence).sort(),
    "an arrow for each, with all that is known of it",
  );
  const named = await page.locator("svg.graph .thing text").allTextContents();
  assert.deepEqual(named.sort(), [...new Set(causes.flatMap((c) => [c.words.from, c.words.to]))].sort());
  const rows = page.getByRole("region", { name: "Causes" }).locator("tbody tr");
  assert.equal(await rows.count(), causes.length, "and a row for each");
  const said = (await rows.allInnerTexts()).join(" ");
  assert.ok(said.includes("holds no more") && said.includes(causes[0].words.after), said);
  // What lowers and what is over can be told without colours.
  for (const [kind, dashed] of [
    ["raises", false],
    ["lowers", true],
    ["gone", true],
  ]) {
    const line = page.locator(`svg.graph .cause.c-${kind}`).first();
    if (!(await line.count())) continue;
    assert.equal((await line.evaluate((node) => getComputedStyle(node).strokeDasharray)) !== "none", dashed, kind);
  }
  for (const button of ["golem", "obituary"]) {
    if (button === "obituary") await page.goto(`${server.url}/obituary/${id("demo-42")}`);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Report" }).click();
    const file = readFileSync(await (await saved).path(), "utf8");
    assert.ok(
      file.includes("<svg") && file.includes("demo-42") && !file.includes("<script") && !file.includes(token),
      button,
    );
    await page.getByText("Its report is saved").waitFor();
  }
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

test("what was paid for with a life", async () => {
  // Who died early on another market left no mark on this one.
  run("golem", "create", "far", "--seed", "14", "--set", "chain.scenario=calm");
  run("golem", "run", "far", "--ticks", "20", "--speed", "max", "--quiet");
  run("golem", "kill", "far", "--reason", "enough", "--yes");
  const page = await open(`/golem/${id("heir")}`);
  const market = page.locator("figure.plot", { hasText: "Price and trades" });
  await market.locator("text.stain").waitFor();
  assert.match(await market.locator("text.stain title").textContent(), /^elder died here/);
  assert.ok((await market.innerText()).includes("† 1 died here"), "and none of another market");
  // It lies at the price that the dead one saw last: the axis tells where that is.
  const [low, high] = await market.locator("text.tick[text-anchor=end]").evaluateAll((all) =>
    [all[0], all.at(-1)].map((tick) => [Number(tick.textContent), Number(tick.getAttribute("y")) - 4]),
  );
  const grave = (await ask(`/api/graveyard?beside=${id("heir")}`)).graves.find((grave) => grave.name === "elder");
  const y = low[1] + ((grave.price - low[0]) / (high[0] - low[0])) * (high[1] - low[1]);
  assert.ok(Math.abs(Number(await market.locator("text.stain").getAttribute("y")) - y) < 2, `${y}`);
  await page.getByRole("tab", { name: "Mind" }).click();
  await page.getByLabel("What to look for").fill("forecasts before a death by ignorance");
  await page.getByRole("button", { name: "Search" }).click();
  const card = page.locator("#p-Mind li.blood").first();
  await card.waitFor();
  assert.equal(await card.locator(".dagger").count(), 4);
  assert.match(await card.innerText(), /Paid for by elder/);
  const look = await card.evaluate((node) => {
    const [own, ash] = [getComputedStyle(node), getComputedStyle(node.querySelector(".ash"))];
    return { frame: own.borderTopStyle, tint: node.style.getPropertyValue("--tint"), moves: ash.animationName };
  });
  assert.deepEqual([look.frame, look.moves], ["dashed", "none"], "nothing moves where motion is not wanted");
  assert.match(look.tint, /^rgb/, "the dead one's mood");
  await page.emulateMedia({ reducedMotion: "no-preference" });
  assert.equal(await card.locator(".ash").evaluate((node) => getComputedStyle(node).animationName), "ash");
  await page.emulateMedia({ reducedMotion: "reduce" });
  await accessible(page);
  await shot(page, "bloodstains");
  await page.getByRole("tab", { name: "Fate" }).click();
  await page.locator("#p-Fate .stone", { hasText: "elder" }).waitFor();
  assert.equal(await page.locator("#p-Fate .stone").count(), 3, "the dead of this home");
  assert.ok((await page.locator("#p-Fate .plain > li").count()) > 2, "and what they left");
  await page.locator("#p-Fate li.blood", { hasText: "elder" }).first().waitFor();
  // Beside the dead one itself there is no mark of its own, nor of who died on its market when it was gone.
  run("golem", "successor", "elder", "--name", "late", "--no-inherit", "--another", "--force-similarity", "--yes", "--seed", "2");
  run("golem", "run", "late", "--ticks", "3000", "--speed", "max", "--quiet");
  const beside = (await ask(`/api/graveyard?beside=${id("elder")}`)).graves.filter((grave) => grave.same_market);
  assert.deepEqual(beside.map((grave) => grave.name).sort(), ["elder", "late"]);
  await page.goto(`${server.url}/golem/${id("elder")}`);
  await market.locator("path.lines").waitFor();
  await page.waitForLoadState("networkidle");
  assert.equal(await market.locator("text.stain").count(), 0);
  // What the dead one learnt, got wrong and suspects is read where its line is.
  await page.goto(`${server.url}/golem/${id("elder")}#Fate`);
  const said = run("golem", "testament", "elder");
  const titles = [...said.split("~~~~~~~~")[0].matchAll(/^## (.+)$/gm)].map((found) => found[1].replaceAll("\\", ""));
  assert.ok(titles.length > 5, said);
  for (const title of titles) await page.locator("#p-Fate h3", { hasText: title }).first().waitFor();
  await accessible(page);
  assert.deepEqual(page.wrong, []);
  await page.context().close();
});

for (const [name, how] of [
  ["light", {}],
  ["dark", { colorScheme: "dark" }],
  ["phone", { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true }],
])
  test(`the obituary, ${name}`, async () => {
    const page = await open("/graveyard", how);
    await page.getByRole("link", { name: "demo-42" }).click();
    await page.locator(".chapters li").first().waitFor();
    assert.ok((await page.locator(".chapters li").count()) > 2);
    assert.equal(await page.locator(".obituary svg path.lines").count(), 2);
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save as a file" }).click();
    const file = readFileSync(await (await saved).path(), "utf8");
    assert.ok(
      file.includes("demo-42") && !file.includes("<script") && !file.includes(token),
      "one file that needs nothing else",
    );
    await page.waitForTimeout(200);
    await shot(page, `obituary-${name}`);
    await accessible(page);
    assert.ok(await narrow(page), "it does not scroll sideways");
    await page.goto(`${server.url}/`);
    await page.getByRole("link", { name: "ada" }).waitFor();
    await shot(page, `fleet-${name}`);
    await accessible(page);
    assert.ok(await narrow(page), "nor does the fleet");
    const seen = await page.locator("table.fleet tbody tr").first().locator("td").evaluateAll((all) =>
      all.slice(2, 5).map((cell) => {
        const at = cell.getBoundingClientRect();
        return at.width > 0 && at.left >= 0 && at.right <= window.innerWidth;
      }),
    );
    assert.deepEqual(seen, [true, true, true], "worth, chance and suffering are seen without scrolling");
    await page.goto(`${server.url}/golem/${id("dreamer")}`);
    await page.locator("svg path.lines").first().waitFor();
    await page.waitForTimeout(300);
    await shot(page, `golem-${name}`);
    await accessible(page);
    assert.ok(await narrow(page), "nor does a golem");
    await page.goto(`${server.url}/golem/${id("demo-42")}#Mind`);
    await page.locator("svg.graph .arrow").first().waitFor();
    await page.getByLabel("What to look for").fill("fees");
    await page.getByRole("button", { name: "Search" }).click();
    await page.locator("#p-Mind .plain > li").first().waitFor();
    await shot(page, `mind-${name}`);
    // In the light they were looked at before.
    if (name !== "light") await accessible(page);
    assert.ok(await narrow(page), "nor does a mind");
    await page.goto(`${server.url}/golem/${id("heir")}#Fate`);
    await page.locator("#p-Fate .stone").first().waitFor();
    await shot(page, `fate-${name}`);
    if (name !== "light") await accessible(page);
    assert.ok(await narrow(page), "nor does fate");
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

/** What the server says, asked beside the page. */
// Each question on a line of its own: whoever waits for a command hears nothing meanwhile, and the server hangs up.
const asked = (at) => fetch(server.url + at, { headers: { authorization: `Bearer ${token}`, connection: "close" } });
const ask = (at) => asked(at).then((r) => r.json());
const said = (at) => asked(at).then((r) => r.text());
/** The server's events, heard beside the page until the signal says stop. */
async function hear(at, signal, onEvent) {
  try {
    const response = await fetch(server.url + at, { headers: { authorization: `Bearer ${token}` }, signal });
    let text = "";
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
      const parts = (text + chunk).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const [, kind] = part.match(/^event: (.*)$/m) ?? [];
        const [, data] = part.match(/^data: (.*)$/m) ?? [];
        if (kind && data) onEvent(kind, JSON.parse(data));
      }
    }
  } catch (why) {
    if (!signal.aborted) throw why;
  }
}
const another = {
  get now() {
    return server;
  },
  /** Serve again where it was; another token from then on, if that is wished. */
  async again(...more) {
    if (more.includes("--new-token")) token = null;
    server = await serve(port, ...more);
    return token;
  },
};
const around = { test, run, start, end, open, ask, said, hear, id, home, browser, accessible, shot, server: another };
for (const more of [moments, orders, looks]) more(around);

let failed = 0;
for (const [name, work] of tests) {
  if (process.argv[3] && !name.includes(process.argv[3])) continue;
  const begun = Date.now();
  try {
    await work();
    console.log(`ok   ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  } catch (why) {
    failed += 1;
    console.log(`FAIL ${name}\n${why.stack}`);
  }
}
await browser.close();
for (const child of children) await end(child);
if (existsSync(home)) rmSync(home, { recursive: true, force: true });
// Blessed by the same word as golden texts: these stand in the README and in the book.
if (!failed && process.env.INSTA_UPDATE === "always")
  for (const name of ["golem-light", "obituary-dark"])
    copyFileSync(path.join(screens, `${name}.png`), path.join(root, "docs/pictures", `page-${name}.png`));
process.exit(failed ? 1 : 0);
