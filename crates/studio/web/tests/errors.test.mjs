// What goes wrong is said in one sentence, and the page goes on.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { dropFile, goTo, openBrowser, openPage } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("errors and the keyboard", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, page, tab;
  const message = async () => {
    await page.waitForSelector(".status .message.error:not([hidden])");
    const text = await page.textContent(".status .message.error span");
    await page.click(".status .message button");
    return text;
  };

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

  step("a broken file gets one sentence that names it", async () => {
    await dropFile(page, "broken.glb", Buffer.from("this is no glTF at all"));
    const text = await message();
    assert.match(text, /broken/);
    assert.match(text, /^broken\.glb: .*\.$/);
    assert.equal(await page.locator('[data-key="rig:rigs/broken.glb"]').count(), 0);
  });

  step("a file of another kind is refused before it is sent", async () => {
    await dropFile(page, "notes.docx", Buffer.from("hello"));
    assert.match(await message(), /notes\.docx .* GLB/);
  });

  step("an edit that makes no sense is refused and leaves the character as it was", async () => {
    await page.click('[data-key="make"]');
    await page.waitForSelector('[data-key="body:tail4"]');
    await page.click('[data-key="body:tail4"]');
    await page.fill('[data-key="mass"]', "0");
    await page.press('[data-key="mass"]', "Enter");
    assert.match(await message(), /mass/);
    await page.waitForFunction(() => document.querySelector('[data-key="mass"]')?.value !== "0");
  });

  step("a problem of the pre-flight selects its culprit", async () => {
    await page.click('[data-key="body:foot_l"]');
    await page.click('.segments button:text-is("Joint")');
    await page.fill('[data-key="torque"]', "1");
    await page.press('[data-key="torque"]', "Enter");
    await page.waitForSelector(".problem");
    await page.click('[data-key="body:tail4"]');
    const problem = page.locator(".problem", { hasText: /foot_[lr]/ }).first();
    await problem.click();
    await page.waitForSelector('.subject h1:text-matches("^foot_[lr]$")');
    assert.equal(await page.getAttribute('.segments button:text-is("Joint")', "aria-checked"), "true");
    await page.keyboard.press("Control+z");
    await page.waitForSelector(".problem", { state: "detached" });
    await page.click('.segments button:text-is("Body")');
  });

  step("two tabs see the same character", async () => {
    const other = await openPage(browser, `${studio.url}#/modeler`);
    await other.page.waitForSelector('[data-key="body:tail4"]');
    await page.click('[data-key="body:tail4"]');
    await page.fill('[data-key="mass"]', "0.7");
    await page.press('[data-key="mass"]', "Enter");
    await other.page.waitForSelector('[data-key="body:tail4"] .mass:text-is("0.7 kg")');
    await other.close();
  });

  step("an address of a view shows what it names, also in a fresh tab", async () => {
    for (const rig of ["human", "quadruped"]) {
      await fetch(`${studio.api()}character`, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ rig }) });
    }
    const other = await openPage(browser, `${studio.url}#/modeler?character=characters%2Fquadruped.toml`);
    await other.page.waitForSelector('[data-key="body:paw_l"], [data-key="body:hand_l"]');
    assert.equal(await other.page.inputValue('.modeler [data-key="character"]'), "characters/quadruped.toml");
    await other.close();
    const third = await openPage(browser, `${studio.url}#/stage?character=characters%2Fhuman.toml&clip=jump`);
    await third.page.waitForSelector('.stage-view [data-key="clip"]');
    assert.equal(await third.page.inputValue('.stage-view [data-key="clip"]'), "jump");
    await third.close();
  });

  step("every view opens by its number, and ? lists the keys", async () => {
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.activeElement.blur());
    for (const [key, view] of [
      ["1", "library"],
      ["2", "stage"],
      ["4", "transfer"],
      ["5", "fronts"],
      ["6", "play"],
      ["3", "modeler"],
    ]) {
      await page.keyboard.press(key);
      await page.waitForSelector(`nav [data-view="${view}"][aria-current="page"]`);
    }
    await page.keyboard.press("?");
    await page.waitForSelector("dialog.help[open]");
    assert.match(await page.textContent("dialog.help"), /Drop it/);
    await page.keyboard.press("Escape");
    await goTo(page, "library");
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
