// Windows of three sizes: whatever can be clicked is in sight or can be scrolled there, and nothing lies over it; light and dark; keys after sliders.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { dropFile, goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

const SIZES = { desk: [1280, 720], small: [800, 600], phone: [390, 844] };
const VIEWS = ["library", "stage", "modeler", "transfer", "fronts", "play"];

describe("every view at three sizes", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page;

  /** Controls that something else lies over, or that stick out of the window to the side. */
  const covered = (what) =>
    what.evaluate(() => {
      const wrong = [];
      for (const element of document.querySelectorAll("#app button, #app select, #app a[href], #app input")) {
        if (element.closest("details:not([open])") !== null || element.offsetParent === null || element.disabled || element.type === "file") continue;
        element.scrollIntoView({ block: "center", inline: "nearest" });
        const box = element.getBoundingClientRect();
        const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        const name = element.dataset.key ?? element.dataset.view ?? element.dataset.overlay ?? element.title ?? element.outerHTML;
        if (box.width < 8 || box.height < 8) wrong.push(`${name} is ${box.width} by ${box.height}`);
        else if (box.left < -1 || box.right > window.innerWidth + 1) wrong.push(`${name} sticks out: ${box.left} to ${box.right}`);
        else if (at === null || !(element.contains(at) || at.contains(element) || at.closest("label")?.contains(element)))
          wrong.push(`${name} lies under ${at?.outerHTML.slice(0, 80)}`);
      }
      document.querySelector(".view").scrollTop = 0;
      if (document.documentElement.scrollWidth > window.innerWidth) wrong.push("the page is wider than its window");
      return wrong;
    });

  before(async () => {
    studio = await startStudio();
    await fetch(`${studio.api()}character`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rig: "dinosaur" }),
    });
    browser = await openBrowser();
    tab = await openPage(browser, studio.url);
    page = tab.page;
    await page.waitForSelector('[data-key="rig:dinosaur"].selected');
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  for (const [name, [width, height]] of Object.entries(SIZES))
    step(`nothing lies over anything at ${width}×${height}`, async () => {
      await page.setViewportSize({ width, height });
      for (const view of VIEWS) {
        await goTo(page, view);
        if (view === "modeler") await page.waitForSelector('[data-key="total-mass"]');
        if (view === "fronts") await page.waitForSelector(".front-point");
        const stage = await page.locator(`.place .stage`).boundingBox();
        assert.ok(stage.width >= 300 && stage.height >= 220, `${view}: a picture of ${stage.width} by ${stage.height}`);
        assert.deepEqual(await covered(page), [], `${view} at ${name}`);
        await picture(page, `test-${view}-${name}`);
      }
    });

  step("news stand beside the controls, not over them", async () => {
    await goTo(page, "transfer");
    await dropFile(page, "notes.docx", Buffer.from("hello"));
    await page.waitForSelector(".status .message.error");
    assert.deepEqual(await covered(page), [], "on the phone");
    await page.click(".status .message button");
    await page.setViewportSize({ width: 800, height: 600 });
    await dropFile(page, "notes.docx", Buffer.from("hello"));
    await page.waitForSelector(".status .message.error");
    assert.deepEqual(await covered(page), []);
    await page.click(".status .message button");
  });

  step("light and dark have a switch, which is remembered", async () => {
    const colors = () =>
      page.evaluate(() => [getComputedStyle(document.body).backgroundColor, window.studio.viewport.renderer.getClearColor({ copy: (c) => c }).getHex()]);
    const light = await colors();
    await page.click('[data-key="theme"]');
    await page.click('[data-key="theme"]');
    const dark = await colors();
    assert.notEqual(dark[0], light[0]);
    assert.notEqual(dark[1], light[1]);
    await page.reload();
    await page.waitForSelector('[data-key="theme"] :text("Dark")');
    assert.deepEqual(await colors(), dark);
    await picture(page, "test-dark");
    await page.click('[data-key="theme"]');
    assert.deepEqual(await colors(), light);
  });

  step("keys work after a slider was used, with the mouse and without", async () => {
    await goTo(page, "library");
    const scrub = page.locator(".library .scrub");
    const isPlaying = () => page.evaluate(() => document.querySelector(".library .timeline button").title.startsWith("Pause"));
    const box = await scrub.boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    assert.equal(await isPlaying(), false);
    await page.keyboard.press(" ");
    assert.equal(await isPlaying(), true);
    await scrub.focus();
    await page.keyboard.press(" ");
    assert.equal(await isPlaying(), false);
    await page.keyboard.press("3");
    await page.waitForSelector('nav [data-view="modeler"][aria-current="page"]');
  });

  step("? tells what the colours of arrows mean", async () => {
    await page.keyboard.press("?");
    await page.waitForSelector('dialog.help [data-legend="help"]');
    const swatch = await page.evaluate(() => getComputedStyle(document.querySelector('[data-legend="help"] .swatch')).backgroundColor);
    assert.match(swatch, /^rgb\(/);
    await page.keyboard.press("Escape");
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
