// Clips of another skeleton, dropped onto a rig of the list.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { dropFile, frames, openBrowser, openPage } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

// The human's walk, its joints called otherwise.
const NAMES = [
  ["hips", "Pelvis"],
  ["spine", "Back"],
  ["thigh_", "UpLeg_"],
  ["shin_", "LoLeg_"],
  ["foot_", "Ankle_"],
  ["toe_", "Ball_"],
  ["clavicle_", "Collar_"],
  ["upper_arm_", "Humerus_"],
  ["forearm_", "Radius_"],
  ["hand_", "Wrist_"],
];

describe("clips dropped onto a rig", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, page, walk;

  before(async () => {
    const file = join(mkdtempSync(join(tmpdir(), "sinew-")), "walk.bvh");
    execFileSync(BINARY, ["export", "human", "--clip", "walk", "-o", file]);
    walk = Buffer.from(NAMES.reduce((text, [ours, theirs]) => text.replaceAll(ours, theirs), readFileSync(file, "utf8")));
    studio = await startStudio();
    browser = await openBrowser();
    page = (await openPage(browser, studio.url)).page;
    await page.waitForSelector('[data-key="rig:dinosaur"].selected');
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  step("they move to it, and it is shown with them", async () => {
    await dropFile(page, "step.bvh", walk, '[data-key="rig:dinosaur"]');
    await page.waitForSelector('[data-key="rig:rigs/dinosaur-step.glb"].selected');
    await page.waitForSelector(".subject h1:text-is('dinosaur-step')");
    assert.ok((await page.locator('[data-key="clip"] option').allTextContents()).includes("step"));
    await page.selectOption('[data-key="clip"]', "step");
    await frames(page);
  });

  step("a body that is built otherwise refuses them in one sentence", async () => {
    await dropFile(page, "step.bvh", walk, '[data-key="rig:quadruped"]');
    await page.waitForSelector(".status .message.error:has-text('two legs')");
    assert.equal(await page.locator('[data-key="rig:rigs/quadruped-step.glb"]').count(), 0);
  });
});
