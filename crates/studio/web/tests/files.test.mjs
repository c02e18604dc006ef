// Files that come in, again and together: what is changed keeps its characters with their edits; how large these are can be said.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { dropFile, goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { changedGlb } from "./helpers/glb.mjs";
import { ASSETS, BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("files and their characters", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page;
  const human = readFileSync(join(ASSETS, "human.glb"));
  const hero = async () => (await fetch(`${studio.api()}character?id=characters%2Fhero.toml`)).json();
  const news = (words) => page.waitForSelector(`.status .message:has-text("${words}")`);
  const enter = async (key, text) => {
    await page.fill(`[data-key="${key}"]`, text);
    await page.press(`[data-key="${key}"]`, "Enter");
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

  step("of an exporter's long names, lists show what differs, and first who stands or walks", async () => {
    const file = changedGlb(human, (json) => json.animations.forEach((a) => (a.name = `HumanArmature|${a.name}`)));
    await dropFile(page, "hero.glb", file);
    await page.waitForSelector('[data-key="rig:rigs/hero.glb"].selected');
    await page.waitForSelector('.library [data-key="clip"] option[title="HumanArmature|walk"]', { state: "attached" });
    const labels = await page.locator('.library [data-key="clip"] option').allTextContents();
    assert.ok(labels.includes("walk") && labels.every((l) => !l.includes("|")), labels.join());
    assert.match(await page.inputValue('.library [data-key="clip"]'), /idle|walk/);
    assert.match(await page.getAttribute('.library [data-key="clip"]', "title"), /^HumanArmature\|/);
  });

  step("a character gets a height and a mass, each with its reason, and both can be undone", async () => {
    await page.click('[data-key="make"]');
    await page.waitForSelector('[data-key="height"]');
    const first = await hero();
    assert.equal(Number(await page.inputValue('[data-key="height"]')).toFixed(2), first.size.height_m.toFixed(2));
    assert.ok((await page.textContent('[data-key="height-reason"]')).length > 10);
    assert.match(await page.textContent('[data-key="up-reason"]'), /up/);
    await enter("height", "2.2");
    await page.waitForFunction(() => document.querySelector('[data-key="height-reason"]')?.textContent.startsWith("As given"));
    assert.ok(Math.abs((await hero()).size.height_m - 2.2) < 1e-6);
    await enter("total-mass", "120");
    await page.waitForSelector('[data-key="mass-reason"]:has-text("as it was edited")');
    assert.ok(Math.abs((await hero()).mass_kg - 120) < 1e-6);
    assert.match(await page.textContent(".modeler .panel.right"), /It weighs 120.0 kg/);
    await picture(page, "test-size");
    await page.click('[data-key="undo"]');
    await page.waitForFunction(() => document.querySelector('[data-key="total-mass"]')?.value !== "120");
    // An emptied field is the guess again.
    await enter("height", "");
    await page.waitForFunction((h) => Math.abs(Number(document.querySelector('[data-key="height"]')?.value) - h) < 0.002, first.size.height_m);
    for (let i = 0; i < 2; i++) {
      await page.waitForSelector('[data-key="undo"]:not([disabled])');
      const { revision } = await hero();
      await page.click('[data-key="undo"]');
      await page.waitForFunction((r) => window.studio.store.characters.find((c) => c.name === "hero").revision > r, revision);
    }
    assert.deepEqual((await hero()).character, first.character);
  });

  step("the file that the artist has changed takes its place, and the character keeps its edits", async () => {
    await page.click('[data-key="body:head"]');
    await enter("mass", "4.5");
    await page.waitForSelector('[data-key="body:head"] .mass:text-is("4.5 kg")');
    await goTo(page, "library");
    // Under its file, the list has its characters.
    await page.waitForSelector('[data-key="rig:rigs/hero.glb"] + [data-key="character:characters/hero.toml"]');
    const changed = changedGlb(human, (json) => json.animations.splice(0, json.animations.length - 2));
    await dropFile(page, "hero.glb", changed);
    await news("hero was read again; hero keeps its edits");
    assert.equal(await page.locator('[data-key="rig:rigs/hero-2.glb"]').count(), 0);
    assert.ok(readFileSync(join(studio.project, "rigs/hero.glb")).equals(changed));
    await page.waitForFunction(() => document.querySelectorAll('.library [data-key="clip"] option').length === 2);
    assert.equal((await hero()).character.body.find((b) => b.name === "head").mass, 4.5);
    await dropFile(page, "hero.glb", changed);
    await news("the file has not changed");
  });

  step("of two files, what is selected is what the news names", async () => {
    await page.setInputFiles('[data-key="files"]', [
      { name: "one.glb", mimeType: "model/gltf-binary", buffer: human },
      { name: "two.glb", mimeType: "model/gltf-binary", buffer: readFileSync(join(ASSETS, "dinosaur.glb")) },
    ]);
    await page.waitForSelector('[data-key="rig:rigs/two.glb"].selected');
    await news("two is in the project");
    assert.ok(existsSync(join(studio.project, "rigs/one.glb")));
  });

  step("a motion of DeepMimic is a file like others", async () => {
    const frame = [0.033, 0, 0.85, 0, 1, 0, 0, 0, ...Array.from({ length: 36 }, () => 0)];
    for (const at of [8, 12, 16, 21, 25, 30, 35, 39]) frame[at] = 1;
    const text = JSON.stringify({ Loop: "wrap", Frames: [frame, frame, frame] });
    await dropFile(page, "stand.txt", Buffer.from(text));
    await page.waitForSelector('[data-key="rig:rigs/stand.txt"].selected');
    await page.waitForSelector('.library .subject h1:text-is("stand")');
    await dropFile(page, "notes.txt", Buffer.from("nothing to be seen here"));
    await page.waitForSelector(".status .message.error");
    assert.equal(await page.locator('[data-key="rig:rigs/notes.txt"]').count(), 0);
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
