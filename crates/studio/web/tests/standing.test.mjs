// What is known of a body is said where it is needed: before a transfer, in a drop, in pushes; and trainings show how they go.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("what is said of a body", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page;
  const post = async (path, body) =>
    (await fetch(studio.api() + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })).json();
  const edit = (id, change) => post("character/edit", { id, change });

  before(async () => {
    studio = await startStudio();
    browser = await openBrowser();
    tab = await openPage(browser, studio.url);
    page = tab.page;
    await page.waitForSelector('[data-key="rig:dinosaur"].selected');
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  step("a transfer takes over the character just made", async () => {
    await post("character", { rig: "dinosaur" });
    await page.waitForSelector('[data-key="character:characters/dinosaur.toml"]');
    await goTo(page, "transfer");
    const chosen = (name) => page.waitForFunction((n) => document.querySelector('.transfer [data-key="character"]')?.value === `characters/${n}.toml`, name);
    await chosen("dinosaur");
    await goTo(page, "library");
    await page.click('[data-key="rig:quadruped"]');
    await page.waitForSelector('[data-key="rig:quadruped"].selected');
    await page.waitForSelector('.library .subject h1:text-is("quadruped")');
    await page.click('[data-key="make"]');
    await page.waitForSelector('.modeler [data-key="height"]');
    await goTo(page, "transfer");
    await chosen("quadruped");
    assert.equal(await page.locator('[data-key="trial"]').count(), 0);
    await page.selectOption('.transfer [data-key="character"]', "characters/dinosaur.toml");
    await goTo(page, "modeler");
    await page.selectOption('.modeler [data-key="character"]', "characters/dinosaur.toml");
    await page.waitForSelector('[data-key="body:tail4"]');
  });

  step("what stands falls in no drop, and what is soft in every one", async () => {
    await goTo(page, "modeler");
    await page.click('[data-key="drop"]');
    await page.waitForSelector('.tools output:has-text("It stands.")', { timeout: 60_000 });
    await page.keyboard.press("Escape");
    await edit("characters/dinosaur.toml", { edit: "scale_gains", factor: 0.2 });
    await page.waitForSelector('.problem:has-text("does not stand")', { timeout: 60_000 });
    await page.click('[data-key="drop"]');
    await page.waitForSelector('.tools output:has-text("does not stand")', { timeout: 60_000 });
    await page.keyboard.press("Escape");
  });

  step("before a transfer it is said, with the edit that mends it", async () => {
    await goTo(page, "transfer");
    await page.waitForSelector('[data-key="trial"] :text("does not stand")');
    await picture(page, "test-trial");
    await page.click('[data-key="trial-mend"]');
    await page.waitForSelector('[data-key="trial"] :text("does not stand")', { state: "detached" });
    const { edits } = await (await fetch(`${studio.api()}character?id=characters%2Fdinosaur.toml`)).json();
    assert.equal(edits.length, 2);
  });

  step("a push has newtons and a direction, to the scale of the figure", async () => {
    await goTo(page, "play");
    await page.click('.play [data-key="character:characters/dinosaur.toml"]');
    await page.waitForFunction(() => Number(document.querySelector('[data-key="push-force"] input')?.value) > 0);
    const usual = Number(await page.inputValue('[data-key="push-force"] input'));
    const { mass_kg } = await (await fetch(`${studio.api()}character?id=characters%2Fdinosaur.toml`)).json();
    assert.ok(usual > 3 * mass_kg && usual < 8 * mass_kg, `${usual} N for ${mass_kg} kg`);
    await page.evaluate(() => {
      window.asked = [];
      const act = window.studio.socket.act.bind(window.studio.socket);
      window.studio.socket.act = (session, action) => (window.asked.push(action), act(session, action));
    });
    await page.locator('[data-key="push-force"] input').fill(String(2 * usual));
    await page.locator('[data-key="push-direction"] input').fill("90");
    assert.match(await page.textContent('[data-key="push-direction"]'), /to the left/);
    await page.click('[data-key="push"]');
    const [x, y] = await page.evaluate(() => window.asked.find((a) => a.action === "push").force);
    assert.ok(Math.abs(x) < 1e-6 * usual && Math.abs(y / (2 * usual) - 1) < 0.02, `${x} ${y}`);
  });

  step("a training shows its curve and how long it takes", async () => {
    await goTo(page, "transfer");
    await page.evaluate(() => {
      const curve = Array.from({ length: 30 }, (_, i) => [i, 2 / (i + 1)]);
      window.studio.store.takeJob({
        id: 900,
        title: "hero, feedback",
        request: { kind: "feedback", result: "results/none", preset: "default" },
        status: "running",
        message: "Generation 30 of 100.",
        result: "results/none",
        progress: {
          doing: "generation 30 of 100",
          done: 30,
          total: 100,
          total_is_bound: true,
          best: { name: "mean cost", value: 0.07 },
          steps: 1e6,
          clock: { elapsed_secs: 30, left_secs: 70, steps_per_sec: 1e5 },
        },
        windows: [],
        curve,
        motion_revision: 0,
      });
    });
    await page.click('[data-key="job:900"]');
    await page.waitForSelector(".chart .curve");
    assert.match(await page.textContent(".chart-box .caption"), /Best mean cost/);
    assert.match(await page.textContent(".transfer .panel.right"), /at most 1 min 10 s left/);
    const last = await page.getAttribute(".chart .curve", "d");
    assert.ok(last.split("L").length === 30, last);
    await picture(page, "test-curve");
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
