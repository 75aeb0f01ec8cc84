// What an owner is told first, what an owner orders, and words that mean no good.

import assert from "node:assert/strict";

export function orders({ test, run, open, ask, id, accessible, shot }) {
  test("its last days: what weighs on it, its vigil, its dying, its end", async () => {
    const poor = id("poor");
    const page = await open(`/golem/${poor}`);
    const trouble = page.locator(".trouble");
    await trouble.filter({ hasText: /Vigil, turn \d+: feed it, or it dies/ }).waitFor();
    const pain = await ask(`/api/golems/${poor}/suffering`);
    assert.ok(pain.stressors.length > 0 && Object.keys(pain.remedies).length > 0, "whoever starves suffers");
    for (const stressor of pain.stressors) {
      const item = page.locator("#p-Overview li", { hasText: stressor.name.replaceAll("_", " ") }).first();
      const said = await item.innerText();
      for (const words of [stressor.evidence, stressor.eases_when, pain.remedies[stressor.name]].filter(Boolean))
        assert.ok(said.includes(words), `${words}: ${said}`);
    }
    assert.ok(pain.locked.length > 0 && new Set(pain.locked).size === pain.locked.length, "each reason once");
    await page.locator("figure.plot", { hasText: "P(alive)" }).locator("path.lines").waitFor();
    // The dice would let it live: what is foretold counts its money too.
    const foretold = await ask(`/api/golems/${poor}/forecast`);
    const tile = (name) => page.locator("dl.tiles > div", { has: page.getByText(name, { exact: true }) });
    await tile("Next day").filter({ hasText: `${(foretold.p_alive[0].p * 100).toFixed(2)} %` }).waitFor();
    assert.ok((await tile("Runway").innerText()).includes("vigil"));
    const all = await open("/");
    await all.locator("tr", { hasText: "poor" }).filter({ hasText: "feed it, or it dies" }).waitFor();
    await all.context().close();
    await accessible(page);
    await shot(page, "vigil");
    // It is told anew as it changes.
    run("golem", "run", "poor", "--ticks", "36", "--speed", "max", "--quiet");
    const later = await ask(`/api/golems/${poor}/suffering`);
    const [was, now] = [pain, later].map((told) => told.stressors.map((stressor) => stressor.eases_when));
    assert.notDeepEqual(now, was);
    for (const words of now) await page.locator("#p-Overview li", { hasText: words }).first().waitFor({ timeout: 20000 });
    const standing = () => ask(`/api/golems/${poor}/status`).then((status) => status.standing);
    while ((await standing()) === "alive") run("golem", "run", "poor", "--ticks", "10", "--speed", "max", "--quiet");
    if ((await standing()) === "dying") {
      await trouble.filter({ hasText: "It is dying" }).waitFor({ timeout: 20000 });
      await page.locator("h1 .chip", { hasText: "dying" }).waitFor();
    }
    run("golem", "run", "poor", "--speed", "max", "--quiet");
    await page.getByRole("link", { name: "Its obituary" }).waitFor({ timeout: 20000 });
    assert.equal(await page.getByRole("button", { name: "Feed" }).count(), 0, "nobody feeds the dead");
    assert.equal(await trouble.isVisible(), false);
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });

  test("orders by hand, and a death that is meant", async () => {
    // Markup, a turned direction, and words that nobody sees.
    const evil = "look <b id=evil>here</b> \u202edrawkcab\u{e0041}\u{e0042}";
    run("golem", "create", "orla", "--seed", "13");
    run("golem", "run", "orla", "--ticks", "40", "--speed", "max", "--quiet");
    run("golem", "halt", "orla", "--reason", evil);
    run("golem", "run", "orla", "--ticks", "2", "--speed", "max", "--quiet");
    const page = await open(`/golem/${id("orla")}`);
    await page.locator(".trouble", { hasText: "look <b id=evil>here</b>" }).waitFor();
    const funded = () => ask(`/api/golems/${id("orla")}/status`).then((status) => status.funded_micro_usdc);
    const before = await funded();
    const answers = async (fields, yes) => {
      for (const [label, words] of Object.entries(fields)) await page.getByLabel(label).fill(words);
      const sent = page.waitForRequest((request) => request.url().endsWith("/orders"));
      await page.locator("dialog").getByRole("button", { name: yes }).click();
      return (await sent).postDataJSON();
    };
    await page.getByRole("button", { name: "Feed" }).click();
    assert.deepEqual(await answers({ USDC: "2.5" }, "Feed"), { order: "feed", usdc: "2.5" });
    await page.locator(".note", { hasText: "does not run" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Kill" }).click();
    await accessible(page);
    const wrong = await answers({ Why: "enough", "Its name": "orlo" }, "Kill");
    assert.deepEqual(wrong, { order: "kill", reason: "enough", confirm: "orlo" });
    await page.locator(".note", { hasText: "say its name" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    run("golem", "run", "orla", "--ticks", "5", "--speed", "max", "--quiet");
    assert.equal((await ask(`/api/golems/${id("orla")}/status`)).standing, "alive");
    assert.equal(await funded(), before + 2_500_000);
    await page.getByRole("button", { name: "Kill" }).click();
    await page.locator("dialog").getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("button", { name: "Kill" }).click();
    await answers({ Why: evil, "Its name": "orla" }, "Kill");
    await page.locator(".note", { hasText: "does not run" }).waitFor();
    run("golem", "run", "orla", "--speed", "max", "--quiet");
    await page.getByRole("link", { name: "Its obituary" }).waitFor({ timeout: 20000 });
    // What went home is no loss: the chart, drawn while one looks on, ends where the list does.
    const left = JSON.parse(run("golem", "list", "--json")).find((golem) => golem.name === "orla").worth_micro_usdc;
    assert.ok(left > 1_000_000, "there was something to send home");
    await page.waitForTimeout(700);
    const drawn = await page.locator("figure.plot", { hasText: "Balance" }).locator("svg.chart").getAttribute("aria-label");
    assert.ok(drawn.includes(`worth ${(left / 1e6).toFixed(2)}`), `${left}: ${drawn}`);
    await page.getByRole("link", { name: "Its obituary" }).click();
    await page.locator(".cause", { hasText: "<b id=evil>" }).waitFor();
    for (const place of ["", "#Log"]) {
      if (place) await page.goto(`${new URL(page.url()).origin}/golem/${id("orla")}${place}`);
      await page.getByText("<b id=evil>here</b>").first().waitFor();
      assert.equal(await page.locator("#evil").count(), 0, "words stay words");
      const hidden = await page.evaluate(() => /[\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u.test(document.body.innerText));
      assert.equal(hidden, false, "nothing is shown the other way round, and nothing is there that nobody sees");
    }
    // What was refused is in the console as a line of the browser's own.
    assert.deepEqual(page.wrong.filter((text) => !text.includes("400")), []);
    await page.context().close();
  });

  test("a proposal is judged", async () => {
    const page = await open(`/golem/${id("ada")}`);
    await page.getByRole("tab", { name: "Dreams" }).click();
    const { staged } = await ask(`/api/golems/${id("ada")}/staging`);
    assert.ok(staged.length > 1, "it has something to try");
    for (const [n, [word, name]] of [["approve", "Approve"], ["reject", "Reject"]].entries()) {
      const row = page.getByRole("region", { name: "Staged proposals" }).locator("tbody tr").nth(n);
      await row.waitFor();
      assert.ok((await row.innerText()).includes(staged[n].text));
      const sent = page.waitForRequest((request) => request.url().endsWith("/orders"));
      await row.getByRole("button", { name }).click();
      assert.deepEqual((await sent).postDataJSON(), { order: word, proposal: staged[n].number });
      await page.locator(".note:not(:empty)").waitFor();
    }
    assert.deepEqual(page.wrong, []);
    await page.context().close();
  });
}
