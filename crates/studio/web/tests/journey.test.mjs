// From a file to a motion under physics, by hand, in a real browser against the real server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { validateBytes } from "gltf-validator";
import { dropFile, frames, goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { ASSETS, BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("from a file to a physical motion", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page;
  const json = async (path) => (await fetch(studio.api() + path)).json();
  const hero = () => json("character?id=characters%2Fhero.toml");

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

  step("the embedded characters are there at once", async () => {
    await page.waitForSelector('[data-key="rig:dinosaur"].selected');
    for (const name of ["human", "quadruped"]) assert.equal(await page.locator(`[data-key="rig:${name}"]`).count(), 1);
    await frames(page);
  });

  step("a GLB that is dropped in is shown with what the import did", async () => {
    await dropFile(page, "hero.glb", readFileSync(join(ASSETS, "human.glb")));
    await page.waitForSelector('[data-key="rig:rigs/hero.glb"].selected');
    await page.waitForSelector(".subject h1:text-is('hero')");
    assert.ok((await page.locator("#repairs li").count()) > 0);
    await frames(page);
  });

  step("a character is made of it and can be edited", async () => {
    await page.click('[data-key="make"]');
    await page.waitForSelector('[data-key="body:shin_l"]');
    await page.click('[data-key="body:shin_l"]');
    await page.click('.segments button:text-is("Joint")');
    await page.selectOption('[data-key="type"]', "hinge");
    await page.waitForSelector('[data-key="axis-x"]');
    await page.click('[data-key="axis-x"]');
    await page.waitForFunction(() => document.querySelector('[data-key="axis.0"]')?.value === "1");
    const joint = (await hero()).character.joint.find((j) => j.child === "shin_l");
    assert.equal(joint.type, "hinge");
    assert.deepEqual(joint.axis, [1, 0, 0]);
    await page.fill('[data-key="limit.1"]', "40").catch(() => {});
    assert.ok((await page.evaluate(() => document.querySelector(".status .message.error:not([hidden])"))) === null);
  });

  step("numbers are sent with Enter, on both sides", async () => {
    await page.keyboard.press("Escape");
    await page.click('[data-key="body:thigh_l"]');
    await page.click('.segments button:text-is("Body")');
    await page.fill('[data-key="mass"]', "9.5");
    await page.press('[data-key="mass"]', "Enter");
    await page.waitForSelector('[data-key="body:thigh_r"] .mass:text-is("9.5 kg")');
    const { body } = (await hero()).character;
    assert.deepEqual(
      ["thigh_l", "thigh_r"].map((n) => body.find((b) => b.name === n).mass),
      [9.5, 9.5],
    );
  });

  step("an emptied number is the guess again", async () => {
    const { made } = await hero();
    await page.fill('[data-key="mass"]', "");
    await page.press('[data-key="mass"]', "Enter");
    await page.waitForFunction(() => !["", "9.5"].includes(document.querySelector('[data-key="mass"]')?.value));
    const { body } = (await hero()).character;
    const mass = (list) => list.find((b) => b.name === "thigh_l").mass;
    assert.equal(mass(body), mass(made.body));
    await page.click('[data-key="undo"]');
    await page.waitForSelector('[data-key="body:thigh_r"] .mass:text-is("9.5 kg")');
  });

  step("merging takes a body away, undo brings it back bit by bit", async () => {
    const before = await hero();
    await page.click('[data-key="body:foot_l"]');
    await page.click('[data-key="merge"]');
    await page.waitForSelector('[data-key="body:foot_l"]', { state: "detached" });
    assert.equal((await hero()).character.body.length, before.character.body.length - 2);
    await page.click('[data-key="undo"]');
    await page.waitForSelector('[data-key="body:foot_l"]');
    assert.deepEqual((await hero()).character, before.character);
    await page.keyboard.press("Control+Shift+z");
    await page.waitForSelector('[data-key="body:foot_l"]', { state: "detached" });
    await page.keyboard.press("Control+z");
    await page.waitForSelector('[data-key="body:foot_l"]');
  });

  step("a body gets another kind of shape, more of them, and what fits its skin; how well it does is a colour", async () => {
    await page.click('[data-key="body:thigh_l"]');
    await page.click('.segments button:text-is("Body")');
    const shapes = async (body) => (await hero()).character.body.find((b) => b.name === body).shape;
    const before = await hero();
    const kinds = () => page.locator('[data-key^="shape."]').evaluateAll((list) => list.map((s) => s.value));
    const changes = async (act) => {
      const { revision } = await hero();
      await act();
      await page.waitForFunction((r) => window.studio.store.characters.find((c) => c.name === "hero").revision > r, revision);
    };
    await changes(() => page.selectOption('[data-key="shape.0"]', "box"));
    assert.equal((await shapes("thigh_r"))[0].type, "box", "on both sides");
    const count = (await shapes("thigh_l")).length;
    await changes(() => page.click('[data-key="shape-add"]'));
    await page.waitForFunction((n) => document.querySelectorAll('[data-key^="shape."]').length === n + 1, count);
    assert.equal((await kinds()).at(-1), "sphere");
    await page.waitForSelector('[data-key="shape-fit"]:not([disabled])');
    await changes(() => page.click('[data-key="shape-fit"]'));
    await page.waitForSelector('[data-key="cover"]');
    const color = () =>
      page.evaluate(() => {
        const colors = [];
        window.studio.viewport.world.traverse((o) => o.geometry?.attributes.color && colors.push(...o.geometry.attributes.color.array.slice(0, 600)));
        return colors.join();
      });
    await page.keyboard.press("Escape");
    const plain = await color();
    await page.click('[data-key="cover-colors"]');
    assert.notEqual(await color(), plain);
    await picture(page, "test-cover");
    await page.click('[data-key="cover-colors"]');
    assert.equal(await color(), plain);
    for (let i = 0; i < 3; i++) await changes(() => page.click('[data-key="undo"]'));
    assert.deepEqual((await hero()).character, before.character);
  });

  step("a handle that is dragged moves the body", async () => {
    await page.click('[data-key="body:spine2"]');
    await page.click('.segments button:text-is("Body")');
    const before = await hero();
    const at = await page.evaluate(() => {
      const { viewport } = window.studio;
      const helper = viewport.scene.children.find((c) => c.isTransformControlsRoot);
      const box = viewport.canvas.getBoundingClientRect();
      const place = viewport.camera.position.clone().set(0, 0, 0);
      helper.controls.object.getWorldPosition(place);
      place.project(viewport.camera);
      return { x: box.left + ((place.x + 1) / 2) * box.width, y: box.top + ((1 - place.y) / 2) * box.height };
    });
    await page.mouse.move(at.x, at.y);
    await page.mouse.move(at.x, at.y - 30, { steps: 4 });
    await page.mouse.down();
    await page.mouse.move(at.x, at.y - 60, { steps: 6 });
    await page.mouse.up();
    await page.waitForFunction((r) => window.studio.store.characters.find((c) => c.name === "hero").revision > r, before.revision);
    const change = (await hero()).edits.at(-1);
    assert.equal(change.edit, "move_body");
    assert.equal(change.body, "spine2");
    assert.ok(change.by[2] > 0.005, `it goes up: ${change.by}`);
    await page.keyboard.press("Control+z");
  });

  step("dropped, it is simulated at once", async () => {
    await page.keyboard.press("Escape");
    await page.click('[data-key="drop"]');
    await page.waitForFunction(() => /feet, [1-9]|stands|not stand/.test(document.querySelector(".tools output")?.textContent ?? ""));
    await frames(page);
    await page.keyboard.press("Escape");
    await page.waitForSelector('[data-key="drop"]');
  });

  step("a transfer shows its progress, its motion and its costs", async () => {
    await goTo(page, "transfer");
    await page.selectOption('.transfer [data-key="character"]', "characters/hero.toml");
    await page.selectOption('.transfer [data-key="clip"]', "walk");
    await page.selectOption('.transfer [data-key="preset"]', "quick");
    await page.click('[data-key="start"]');
    await page.waitForSelector(".job[data-status]");
    await page.waitForFunction(() => document.querySelectorAll(".chart .best-dot").length >= 1, undefined, { timeout: 120_000 });
    await page.waitForFunction(() => window.studio.store.jobs.some((j) => j.motion_revision > 0), undefined, { timeout: 120_000 });
    await page.waitForSelector(".with-check .row.selected", { timeout: 240_000 });
    await page.waitForSelector('[data-file="simulated.glb"]');
    await frames(page);
    await picture(page, "test-transfer");
  });

  step("its files can be taken away, and the GLB is valid", async () => {
    for (const name of ["simulated.glb", "simulated.bvh", "trajectory.npz"]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-file="${name}"]`)]);
      const bytes = readFileSync(await download.path());
      assert.ok(bytes.length > 1000, `${name} has ${bytes.length} bytes`);
      if (!name.endsWith(".glb")) continue;
      const report = await validateBytes(new Uint8Array(bytes));
      assert.equal(report.issues.numErrors, 0, JSON.stringify(report.issues.messages.slice(0, 3)));
      const text = bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString();
      assert.ok(JSON.parse(text).animations.some((a) => a.name === "walk simulated"));
    }
  });

  step("links of its report lead to its files", async () => {
    const [report] = await Promise.all([page.context().waitForEvent("page"), page.click('[data-file="report.html"]')]);
    await report.waitForSelector('a[href="./simulated.bvh"]');
    const [download] = await Promise.all([report.waitForEvent("download"), report.click('a[href="./simulated.bvh"]')]);
    assert.match(readFileSync(await download.path(), "utf8"), /^HIERARCHY/);
    await report.close();
  });

  step("a training may be told the period of the cycle", async () => {
    let asked = null;
    await page.route("**/api/job", (route) => {
      asked = route.request().postDataJSON();
      return route.fulfill({ status: 400, contentType: "application/json", body: '{"error": "not now"}' });
    });
    await page.fill('[data-key="period"]', "1.05");
    await page.press('[data-key="period"]', "Enter");
    await page.click('[data-key="train"]');
    await page.waitForSelector(".status .message.error");
    assert.deepEqual([asked.kind, asked.period_secs], ["feedback", 1.05]);
    await page.fill('[data-key="period"]', "");
    await page.press('[data-key="period"]', "Enter");
    await page.click('[data-key="train"]');
    await page.waitForFunction(() => !document.querySelector(".status").classList.contains("working"));
    assert.ok(!("period_secs" in asked), "an emptied field is the default");
    await page.unroute("**/api/job");
  });

  step("a clip is changed on the stage, and taken back", async () => {
    await goTo(page, "stage");
    await page.click('.stage-view [data-key="character:characters/hero.toml"]');
    await page.waitForSelector('[data-key="clip-trim"]');
    const clips = async () => (await json("rig?id=rigs%2Fhero.glb")).clips;
    const before = (await clips()).length;
    const clip = await page.inputValue('.stage-view [data-key="clip"]');
    await page.fill('[data-key="clip-to"]', "0.5");
    await page.press('[data-key="clip-to"]', "Enter");
    await page.click('[data-key="clip-trim"]');
    await page.waitForFunction((c) => document.querySelector('.stage-view [data-key="clip"]')?.value === `${c} edited`, clip);
    await page.waitForFunction(() => / 0\.5\d s/.test(document.querySelector(".stage-view .clock").textContent));
    await page.selectOption('[data-key="clip-joint"]', "head");
    await page.fill('[data-key="clip-turn.1"]', "30");
    await page.press('[data-key="clip-turn.1"]', "Enter");
    await page.click('[data-key="clip-turn-now"]');
    await page.waitForSelector('.changes li:has-text("head turned by 30°")');
    await picture(page, "test-clip");
    await page.click('[data-key="clip-undo"]');
    await page.waitForSelector('.changes li:has-text("head")', { state: "detached" });
    assert.equal((await clips()).length, before + 1);
    await page.click('[data-key="clip-remove"]');
    await page.waitForFunction((c) => document.querySelector('.stage-view [data-key="clip"]')?.value === c, clip);
    assert.equal((await clips()).length, before);
  });

  step("the stage shows it with every overlay, beside the key-framed motion", async () => {
    await goTo(page, "stage");
    await page.click('.stage-view [data-key^="result:"]');
    await page.waitForSelector('.stage-view [data-key^="result:"].selected');
    await frames(page);
    await page.click('.segments button:text-is("Side by side")');
    for (const overlay of ["bodies", "skeleton", "balance", "heat"]) await page.click(`.stage-view [data-overlay="${overlay}"]`);
    await frames(page);
    await page.keyboard.press(" ");
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    assert.match(await page.textContent(".stage-view .clock"), /^0\.02/);
    await picture(page, "test-stage");
    for (const overlay of ["bodies", "skeleton", "balance", "heat"]) await page.click(`.stage-view [data-overlay="${overlay}"]`);
  });

  step("in play it can be hit with balls, pushed, slowed and reset", async () => {
    await goTo(page, "play");
    await page.waitForSelector('[data-key="throw"]');
    await frames(page);
    await page.click('[data-key="throw"]');
    await page.waitForFunction(() => {
      // Balls that were not thrown lie far below the ground.
      const { viewport } = window.studio;
      let flies = false;
      viewport.world.traverse(
        (o) => (flies ||= o.type === "Bone" && o.scale.x === 1 && o.parent.children.length < 12 && o.position.z > -1),
      );
      return flies;
    });
    const box = await page.locator(".play canvas").boundingBox();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.click('[data-key="push"]');
    await page.click('[data-key="gravity:Moon"]');
    await page.waitForFunction(() => Math.abs(window.studio.store.sessions.at(-1).gravity[2] + 1.62) < 1e-6);
    await page.keyboard.press("v");
    await page.waitForFunction(() => window.studio.store.sessions.at(-1).time_scale < 1);
    await page.click('[data-key="reset"]');
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.studio.store.sessions.at(-1).paused);
    await picture(page, "test-play");
  });

  step("a server that comes back is found again", async () => {
    await goTo(page, "library");
    await studio.kill();
    await page.waitForSelector(".connection.away");
    await studio.start();
    await page.waitForSelector(".connection:not(.away)");
    await goTo(page, "modeler");
    await page.waitForSelector('[data-key="body:head"]');
    assert.equal((await hero()).character.body.find((b) => b.name === "thigh_l").mass, 9.5);
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
