// The page as time goes on: what is live comes, what is past stays as it was, and nothing is lost or told twice while the server is away.

import assert from "node:assert/strict";
import { renameSync, rmSync } from "node:fs";
import path from "node:path";

export function moments({ test, run, start, end, open, ask, said, hear, id, server, home }) {
  const two = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const usdc = (micro) => (micro / 1e6).toLocaleString("en", two);

  test("charts, log and the past, while it lives and while nobody serves", async () => {
    const page = await open(`/golem/${id("ada")}`);
    const sub = page.locator(".sub");
    const slider = page.getByRole("slider");
    await slider.waitFor();
    const line = page.locator("figure.plot", { hasText: "Vitality" }).locator("path.lines").first();
    await page.getByRole("tab", { name: "Log" }).click();
    const seqs = () => page.locator("#p-Log li").evaluateAll((all) => all.map((li) => Number(li.dataset.seq)));
    await page.locator("#p-Log li").first().waitFor();
    const before = await seqs();
    await page.getByRole("tab", { name: "Overview" }).click();
    const drawn = await line.getAttribute("d");
    const running = start("golem", "run", "ada", "--speed", "x4000", "--quiet");
    const changed = (was) => page.waitForFunction((was) => document.querySelector(".sub").innerText !== was, was, { timeout: 20000 });
    const moved = async (locator, was) => {
      for (let n = 0; n < 200 && (await locator.getAttribute("d")) === was; n += 1) await page.waitForTimeout(100);
      assert.notEqual(await locator.getAttribute("d"), was, "the line goes on");
    };
    await moved(line, drawn);
    // Turns of events that one can wait for.
    const events = async () => {
      for (const order of [["halt", "ada", "--reason", "look"], ["resume", "ada"]]) run("golem", ...order);
    };
    await events();
    await page.waitForFunction((was) => Number(document.querySelector("#p-Log li").dataset.seq) > was, Math.max(...before), { timeout: 20000 });
    // What was is not overwritten by what comes.
    await slider.focus();
    await page.keyboard.press("Home");
    const then = [await sub.innerText(), await page.locator("dl.tiles").innerText()];
    const max = Number(await slider.getAttribute("max"));
    await page.waitForFunction((max) => Number(document.querySelector("input[type=range]").max) > max, max, { timeout: 20000 });
    assert.deepEqual([await sub.innerText(), await page.locator("dl.tiles").innerText()], then);
    assert.equal(await slider.inputValue(), "0", "whoever looks at the past is left there");
    await page.getByRole("button", { name: "Now", exact: true }).click();
    // It lives on while nobody serves; then all of that is told, once.
    await end(server.now.child);
    await page.getByText("the line is lost").waitFor();
    await events();
    const away = await sub.innerText();
    await server.again();
    await page.locator("#line", { hasText: /^live$/ }).waitFor({ timeout: 20000 });
    await changed(away);
    await end(running);
    const status = await ask(`/api/golems/${id("ada")}/status`);
    await page.locator(".sub", { hasText: `turn ${status.tick.toLocaleString("en")}` }).waitFor({ timeout: 20000 });
    const facts = [];
    for (let after = Math.max(...before); ; after = facts.at(-1).seq) {
      const more = await ask(`/api/golems/${id("ada")}/facts?limit=2000&after=${after}`);
      if (!more.length) break;
      facts.push(...more);
    }
    const wanted = facts.filter((fact) => fact.event && fact.words).map((fact) => fact.seq);
    await page.waitForFunction((last) => Number(document.querySelector("#p-Log li")?.dataset.seq) >= last, wanted.at(-1));
    const told = (await seqs()).reverse();
    assert.ok(wanted.length > 3, `${wanted.length} turns of events`);
    assert.deepEqual(told.filter((seq) => seq > Math.max(...before)), wanted.slice(-500), "none is missing, and none is told twice");
    await page.context().close();
  });

  test("a moment of the past is what was recorded of it", async () => {
    const page = await open(`/golem/${id("dreamer")}`);
    const slider = page.getByRole("slider");
    await slider.waitFor();
    const series = await ask(`/api/golems/${id("dreamer")}/series?points=1500`);
    const status = await ask(`/api/golems/${id("dreamer")}/status`);
    await page.getByRole("status").filter({ hasText: "live" }).waitFor();
    await page.waitForTimeout(500);
    const tile = (name) => page.locator("dl.tiles > div", { has: page.getByText(name, { exact: true }) });
    for (const n of [0, Math.floor(series.length / 2)]) {
      await slider.fill(String(n));
      const point = series[n];
      const v = point.vitality;
      const fixed = (x) => x.toFixed(2);
      const said = await tile("Vitality").innerText();
      assert.ok(said.includes(fixed(v.composite)), said);
      assert.ok(said.includes(`money ${fixed(v.economic)}, knowledge ${fixed(v.epistemic)}, age ${fixed(v.age_factor)}`), said);
      assert.ok((await tile("Worth, USDC").innerText()).includes(usdc(point.balance_micro_usdc)));
      assert.ok((await tile("Positions, USDC").innerText()).includes(usdc(point.positions_micro_usdc)));
      await page.getByText("Of an earlier moment only the sum is known").waitFor();
      // And the charts mark that very moment.
      // The last point of the chart is how it stands.
      const [born, now] = [series[0].age_days, Math.max(series.at(-1).age_days, status.age_days)];
      const share = (point.age_days - born) / (now - born);
      const [left, right] = [52, (await page.locator("svg.chart").first().getAttribute("width")) - 8];
      const x = Number(await page.locator("line.now").first().getAttribute("x1"));
      assert.ok(Math.abs(x - (left + share * (right - left))) < 1, `${x} at ${share} of ${left} to ${right}`);
    }
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

  test("what was known, dreamt and done at a moment is what its tabs say", async () => {
    const first = ["stable", "thriving"].flatMap((phase) => ["--set", `dream.first_dream.${phase}=20`]);
    run("golem", "create", "sleeper", "--seed", "7", "--budget", "1000", "--set", "dream.enabled=true", ...first);
    run("golem", "run", "sleeper", "--ticks", "3000", "--speed", "max", "--quiet");
    const page = await open(`/golem/${id("sleeper")}`);
    const slider = page.getByRole("slider");
    await slider.waitFor();
    const series = await ask(`/api/golems/${id("sleeper")}/series?points=1500`);
    await slider.fill(String(Math.floor(series.length / 2)));
    // What cannot be of that moment says that it is of now.
    const turn = series[Math.floor(series.length / 2)].tick;
    const asked = [];
    page.on("request", (request) => asked.push(new URL(request.url())));
    const tab = (name) => page.getByRole("tab", { name, exact: true }).click();
    const asOf = (end) => asked.findLast((at) => at.pathname.endsWith(end))?.searchParams.get("as_of");
    const journal = page.locator("div.journal > details");
    const { dreams } = await ask(`/api/golems/${id("sleeper")}/dreams?last=30`);
    const { dreams: then } = await ask(`/api/golems/${id("sleeper")}/dreams?last=30&as_of=${turn}`);
    assert.ok(then.length < dreams.length, `${then.length} dreams by turn ${turn}, ${dreams.length} by now`);
    await tab("Dreams");
    await (then.length ? journal.first() : page.getByText("No dreams by then.")).waitFor();
    assert.equal(await journal.count(), then.length);
    assert.equal(await page.getByRole("button", { name: "Approve" }).count(), 0, "nobody judges in the past");
    await tab("Mind");
    await page.getByText("Forecasts by domain, as of now").waitFor();
    assert.deepEqual(["/dreams", "/staging", "/predictions", "/playbook", "/causes"].map(asOf), Array(5).fill(String(turn)));
    await tab("Fate");
    await page.getByRole("heading", { name: "Its line, as of now" }).waitFor();
    await tab("Log");
    const lines = page.locator("ol.log > li");
    const hidden = await lines.evaluateAll((all) => all.map((line) => [Number(line.dataset.turn), line.hidden]));
    assert.ok(hidden.length > 0 && hidden.some(([, gone]) => gone) && hidden.every(([at, gone]) => gone === at > turn), "nothing later is in its log");
    await tab("Overview");
    const shown = await page.getByRole("region", { name: "Trades, the latest first" }).locator("tbody tr").count();
    const traded = await ask(`/api/golems/${id("sleeper")}/trades?last=500`);
    assert.equal(shown, Math.min(traded.filter((t) => t.tick <= turn).length, 40));
    await page.getByRole("button", { name: "Now", exact: true }).click();
    await tab("Dreams");
    await journal.nth(dreams.length - 1).waitFor();
    assert.equal(asOf("/dreams"), null);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

  test("vitality goes on as it is lived, number by number", async () => {
    // Its money is over within days, so that vitality moves while one looks.
    run("golem", "create", "ember", "--seed", "11", "--budget", "4");
    run("golem", "run", "ember", "--ticks", "2000", "--speed", "max", "--quiet");
    // Somebody else hears how it stands at each turn that is told.
    const told = new Map();
    const ear = new AbortController();
    const heard = hear(`/api/golems/${id("ember")}/events?facts=none`, ear.signal, (kind, status) => {
      if (kind === "status") told.set(status.tick, status.vitality);
    });
    const page = await open(`/golem/${id("ember")}`);
    await page.locator("dl.tiles").waitFor();
    await page.getByRole("status").filter({ hasText: "live" }).waitFor();
    const look = () =>
      page.evaluate(() => {
        const tile = [...document.querySelectorAll("dl.tiles > div")].find((one) => one.querySelector("dt").textContent === "Vitality");
        const turn = document.querySelector(".sub").textContent.match(/turn ([\d,]+)/)[1];
        return {
          turn: Number(turn.replaceAll(",", "")),
          said: [...tile.querySelectorAll("dd")].map((dd) => dd.textContent).join(" "),
          wide: Number(tile.querySelector("rect.fill").getAttribute("width")),
        };
      });
    const running = start("golem", "run", "ember", "--speed", "x20000", "--quiet");
    const seen = new Map();
    const ways = () => new Set([...seen.values()].map((one) => one.said)).size;
    for (let n = 0; n < 500 && ways() < 8; n += 1) {
      const now = await look();
      if (now.turn > 2000) seen.set(now.turn, now);
      await page.waitForTimeout(50);
    }
    await end(running);
    const status = await ask(`/api/golems/${id("ember")}/status`);
    await page.locator(".sub", { hasText: `turn ${status.tick.toLocaleString("en")}` }).waitFor({ timeout: 20000 });
    seen.set(status.tick, await look());
    told.set(status.tick, status.vitality);
    ear.abort();
    await heard;
    assert.ok(ways() >= 5, `vitality moved: ${JSON.stringify([...seen.values()])}`);
    const both = [...seen.values()].filter((one) => told.has(one.turn));
    assert.ok(both.length >= 5, `${both.length} of ${seen.size} moments were told to somebody else too`);
    const fixed = (x) => x.toFixed(2);
    for (const { turn, said, wide } of both) {
      const v = told.get(turn);
      const words = `${fixed(v.composite)} money ${fixed(v.economic)}, knowledge ${fixed(v.epistemic)}, age ${fixed(v.age_factor)}`;
      assert.equal(said, words, `turn ${turn}`);
      assert.ok(Math.abs(wide - 100 * v.composite) < 0.01, `turn ${turn}: a bar of ${wide}`);
    }
    // And its chart, which is drawn twice a second, ends where it stands, within the few turns of a point.
    await page.waitForTimeout(700);
    const chart = page.locator("figure.plot", { hasText: "Vitality" }).locator("svg.chart");
    const ends = (await chart.getAttribute("aria-label")).match(/composite ([\d.]+), money ([\d.]+)/).slice(1).map(Number);
    const { composite, economic } = status.vitality;
    assert.ok(Math.abs(ends[0] - composite) < 0.03 && Math.abs(ends[1] - economic) < 0.03, `${ends} for ${composite}, ${economic}`);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

  test("a page that nobody looks at keeps no line to the server, and misses nothing", async () => {
    const lines = async () => Number((await said("/metrics")).match(/^bardo_serve_streams (\d+)/m)[1]);
    const page = await open(`/golem/${id("ada")}`);
    await page.getByRole("status").filter({ hasText: "live" }).waitFor();
    const sub = page.locator(".sub");
    const looks = (hidden) =>
      page.evaluate((hidden) => {
        Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event("visibilitychange"));
      }, hidden);
    // Lines of pages that were closed a moment ago may still be counted.
    for (let n = 0; n < 200 && (await lines()) > 1; n += 1) await page.waitForTimeout(100);
    assert.equal(await lines(), 1);
    await looks(true);
    for (let n = 0; n < 200 && (await lines()) > 0; n += 1) await page.waitForTimeout(100);
    assert.equal(await lines(), 0, "a browser has six lines for all its tabs");
    const was = await sub.innerText();
    run("golem", "run", "ada", "--ticks", "200", "--speed", "max", "--quiet");
    const { tick } = await ask(`/api/golems/${id("ada")}/status`);
    await page.waitForTimeout(1000);
    assert.equal(await sub.innerText(), was, "nobody looks");
    await looks(false);
    await page.locator(".sub", { hasText: `turn ${tick.toLocaleString("en")}` }).waitFor({ timeout: 20000 });
    await page.locator("#line", { hasText: /^live$/ }).waitFor();
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

  test("who is removed under one's eyes is gone, dead or alive", async () => {
    for (const name of ["leaver", "fallen"]) {
      run("golem", "create", name, "--seed", "12");
      run("golem", "run", name, "--ticks", "5", "--speed", "max", "--quiet");
    }
    run("golem", "kill", "fallen", "--reason", "enough", "--yes");
    const [leaver, fallen] = ["leaver", "fallen"].map(id);
    const [page, grave, all] = [await open(`/golem/${leaver}`), await open(`/golem/${fallen}`), await open("/")];
    await page.getByRole("heading", { name: "leaver" }).waitFor();
    await page.getByRole("status").filter({ hasText: "live" }).waitFor();
    await grave.getByRole("link", { name: "Its obituary" }).waitFor();
    await all.getByRole("link", { name: "leaver" }).waitFor();
    await all.getByRole("status").filter({ hasText: "live" }).waitFor();
    // As an owner removes the dead; the living only somebody else's hand can take away, at once.
    run("golem", "remove", "fallen", "--yes");
    const at = path.join(home, "golems", leaver);
    renameSync(at, path.join(home, "taken"));
    rmSync(path.join(home, "taken"), { recursive: true });
    for (const name of ["leaver", "fallen"])
      await all.getByRole("link", { name }).waitFor({ state: "detached", timeout: 20000 });
    const asked = [];
    for (const one of [page, grave]) {
      await one.getByText("It was removed from this home").waitFor({ timeout: 20000 });
      assert.equal(await one.locator("dl.tiles").count(), 0, "nothing of it is shown any more");
      one.on("request", (request) => asked.push(request.url()));
    }
    await page.waitForTimeout(6000);
    assert.deepEqual(asked, [], "nobody asks for it any more");
    // That there is no such golem the browser says in its own words where it was asked for.
    for (const one of [page, grave, all]) {
      assert.deepEqual(one.wrong.filter((text) => !text.includes("404")), []);
      await one.context().close();
    }
  });
}
