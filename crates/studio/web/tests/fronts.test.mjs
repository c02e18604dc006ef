// Fronts: a click on a point plays it, the dial changes what is simulated. The front is made up, the simulation is the server's own.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { frames, goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { FRONT, serveMadeUpFront } from "./helpers/made_up_front.mjs";
import { BINARY, servePage, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("a front", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, front, shown, browser, tab, page;

  before(async () => {
    studio = await startStudio();
    const made = await fetch(`${studio.api()}character`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rig: "human" }),
    });
    front = await serveMadeUpFront(new URL(studio.api()).port, (await made.json()).id);
    shown = studio.hasPage ? { url: `http://127.0.0.1:${front.port}/`, close() {} } : await servePage(() => front.port);
    browser = await openBrowser();
    tab = await openPage(browser, shown.url);
    page = tab.page;
  });
  after(async () => {
    await browser?.close();
    shown?.close();
    front?.close();
    await studio?.stop();
  });

  step("is drawn with all its points", async () => {
    await page.waitForSelector('[data-key="rig:human"]');
    await goTo(page, "fronts");
    await page.waitForSelector(".front-point");
    assert.equal(await page.locator(".front-point").count(), FRONT.points.length);
  });

  step("a click on a point plays it", async () => {
    await page.click('.front-point[data-point="6"]');
    await page.waitForFunction(() => window.studio.store.sessions.length === 1);
    await frames(page, 4);
    assert.ok(
      front.heard.some((h) => Math.abs((h.dial ?? h.start) - 0.5) < 1e-9),
      JSON.stringify(front.heard),
    );
    const now = () => page.evaluate(() => document.querySelector(".front-now").getAttribute("cx"));
    const before = await now();
    await page.click('.front-point[data-point="10"]');
    assert.notEqual(await now(), before);
  });

  step("the pointer over a point shows its numbers", async () => {
    await page.hover('.front-point[data-point="8"]');
    await page.waitForSelector('.fronts h2:text-is("Under the pointer")');
    assert.match(await page.textContent(".fronts .panel.right"), /highest natural jump/);
  });

  step("the dial is streamed as it is dragged", async () => {
    const box = await page.locator(".dial input").boundingBox();
    await page.mouse.move(box.x + 0.2 * box.width, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.85 * box.width, box.y + box.height / 2, { steps: 12 });
    await page.mouse.up();
    await page.waitForFunction(() => Number(document.querySelector(".dial input").value) > 0.75);
    const last = await page.evaluate(() => Number(document.querySelector(".dial input").value));
    for (let i = 0; i < 50 && front.heard.at(-1).dial !== last; i++) await page.waitForTimeout(100);
    assert.equal(front.heard.at(-1).dial, last);
    assert.ok(front.heard.length > 3, JSON.stringify(front.heard));
    await page.keyboard.press("Home");
    await page.waitForFunction(() => document.querySelector(".dial input").value === "0");
    await picture(page, "test-fronts");
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
