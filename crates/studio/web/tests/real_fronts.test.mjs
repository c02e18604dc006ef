// Fronts that were really found: the embedded jumps, and a transfer with help from outside that is made here. All of it simulated by the server.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { dropFile, goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("real fronts", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page;
  /** Frames of the simulation that runs, as they come in. */
  const watch = (secs) =>
    page.evaluate(async (secs) => {
      const { store, socket } = window.studio;
      const seen = [];
      const stop = socket.listenFrames(store.sessions[0].id, (f) =>
        seen.push({ sequence: f.sequence, secs: f.timeSecs, height: f.centerOfMass[2], x: f.poses[0], help: f.help === null ? 0 : Math.hypot(...f.help.slice(0, 3)) }),
      );
      await new Promise((r) => setTimeout(r, 1000 * secs));
      stop();
      return seen;
    }, secs);
  const spread = (list) => Math.max(...list) - Math.min(...list);
  const dragDial = async (from, to) => {
    const box = await page.locator(".dial input").boundingBox();
    const x = (share) => box.x + 8 + share * (box.width - 16);
    await page.mouse.move(x(from), box.y + box.height / 2);
    await page.mouse.down();
    for (let i = 1; i <= 10; i++) await page.mouse.move(x(from + ((to - from) * i) / 10), box.y + box.height / 2);
    await page.mouse.up();
  };
  const points = () => page.locator(".front-point").count();
  const isShown = (name) =>
    page.evaluate((name) => {
      const found = window.studio.viewport.world.getObjectByName(name);
      return found !== undefined && found.visible;
    }, name);

  before(async () => {
    studio = await startStudio();
    browser = await openBrowser();
    tab = await openPage(browser, studio.url);
    page = tab.page;
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  step("the embedded jumps are there", async () => {
    await page.waitForSelector('[data-key="rig:human"]');
    await goTo(page, "fronts");
    await page.waitForSelector(".front-point");
    assert.ok((await points()) > 4);
  });

  step("a click on the highest jump plays it", async () => {
    await page.waitForFunction(() => window.studio.store.sessions.length === 1);
    await page.locator(".front-point").last().click();
    const highest = spread((await watch(4)).map((f) => f.height));
    assert.ok(highest > 0.4, `the centre of mass rises by ${highest} m`);
  });

  step("the dial is dragged and the figure keeps moving", async () => {
    const [seen] = await Promise.all([watch(5), dragDial(1, 0.05)]);
    assert.ok(seen.length > 60, `${seen.length} frames in 5 s`);
    assert.ok(seen.every((f, i) => i === 0 || f.sequence > seen[i - 1].sequence));
    const late = seen.slice(-40).map((f) => f.height);
    assert.ok(spread(late) > 1e-4, "it has not frozen");
    assert.ok(Number(await page.inputValue(".dial input")) < 0.1);
    await picture(page, "test-fronts-jumps");
  });

  step("a transfer with help from outside is asked for with a tick", async () => {
    const short = join(studio.project, ".short.bvh");
    const made = spawnSync(BINARY, ["export", "human", "--clip", "walk", "--from", "0.2", "--to", "0.6", "-o", short]);
    assert.equal(made.status, 0, String(made.stderr));
    await goTo(page, "library");
    await dropFile(page, "short.bvh", readFileSync(short));
    await page.waitForSelector('[data-key="rig:rigs/short.bvh"].selected');
    await page.click('[data-key="make"]');
    await page.waitForSelector('[data-key="body:shin_l"]');
    await goTo(page, "transfer");
    await page.selectOption('.transfer [data-key="character"]', "characters/short.toml");
    await page.check('.transfer [data-key="assist"]');
    await page.click('[data-key="start"]');
    await page.waitForFunction(() => /Help: /.test(document.querySelector("#job-message")?.textContent ?? ""), undefined, { timeout: 60_000 });
    await page.waitForSelector('[data-key="front"]', { timeout: 90_000 });
  });

  step("its front is drawn, and the point as drawn plays with an arrow of help", async () => {
    await page.click('[data-key="front"]');
    await page.waitForFunction(() => document.querySelector(".fronts h1")?.textContent.endsWith("helped"));
    await page.waitForFunction(() => window.studio.store.sessions.some((s) => s.start.front?.startsWith("results/")));
    await page.waitForFunction(() => window.studio.store.sessions.length === 1);
    const count = await points();
    assert.ok(count >= 2, `${count} points: physics alone, as drawn, and what is worth choosing between them`);
    await page.locator(".front-point").last().hover();
    assert.match(await page.textContent(".fronts .panel.right"), /as drawn/);
    await page.locator(".front-point").last().click();
    await page.waitForFunction(() => window.studio.viewport.world.getObjectByName("help")?.visible === true);
    assert.ok(await isShown("skin"), "the figure wears its skin");
    const seen = await watch(1.5);
    assert.ok(Math.max(...seen.map((f) => f.help)) > 1, "newtons of help");
    assert.ok(spread(seen.map((f) => f.x)) > 0.05, "it walks");
    await picture(page, "test-fronts-help");
  });

  step("its colour follows the theme", async () => {
    const color = () =>
      page.evaluate(() => {
        let found = null;
        window.studio.viewport.world.getObjectByName("help").traverse((o) => (found = o.material?.color.getHex() ?? found));
        return found;
      });
    const light = await color();
    await page.emulateMedia({ colorScheme: "dark" });
    await page.waitForFunction((before) => {
      let now = before;
      window.studio.viewport.world.getObjectByName("help").traverse((o) => (now = o.material?.color.getHex() ?? now));
      return now !== before;
    }, light);
    await page.emulateMedia({ colorScheme: "light" });
  });

  step("the dial back to physics alone takes the help away at once, in the middle of the motion", async () => {
    const [seen] = await Promise.all([watch(3), dragDial(1, 0)]);
    // A drag may take longer than the first watch on a busy machine.
    const last = await watch(1);
    assert.ok(last.length > 5 && last.every((f) => f.help === 0), "no help any more");
    assert.ok(spread(last.map((f) => f.x)) > 0.01, "the figure keeps moving");
    assert.ok(seen.every((f, i) => i === 0 || f.sequence > seen[i - 1].sequence));
  });

  step("a job shows the figure of a rig that has no character", async () => {
    const job = { kind: "transfer", rig: "quadruped", clip: "walk", preset: "default", cycles: 4 };
    await fetch(`${studio.api()}job`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(job) });
    await goTo(page, "transfer");
    await page.click('.job [data-key^="job:"]');
    await page.waitForFunction(() => window.studio.viewport.world.getObjectByName("skin")?.visible === true, undefined, { timeout: 60_000 });
    await page.click('.job-buttons [title="Cancel"]');
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
