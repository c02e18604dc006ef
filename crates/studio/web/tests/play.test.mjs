// A character of a package, driven by hand: keys, mouse, gamepad, touch; and a take that plays again to the same hash.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { goTo, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";
import { writePackage, writeShown } from "./helpers/package.mjs";

describe("a package is played by hand", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page, folder;

  before(async () => {
    studio = await startStudio();
    folder = join(studio.project, "packages/hero");
    writePackage(folder);
    writeShown(folder, join(studio.project, "packages/shown"));
    browser = await openBrowser();
    tab = await openPage(browser, studio.url);
    page = tab.page;
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  /** Where the character is, and what was asked of the server, from now on. */
  const listen = () =>
    page.evaluate(() => {
      const { socket, store } = window.studio;
      window.asked = [];
      const act = socket.act.bind(socket);
      socket.act = (session, action) => {
        window.asked.push(action);
        return act(session, action);
      };
      socket.listenFrames(store.sessions.at(-1).id, (frame) => (window.frame = { ...frame, poses: [...frame.poses] }));
      socket.listen((message) => message.type === "played" && (window.played = message.played));
    });
  /** Away from the camera along the ground. */
  const away = () =>
    page.evaluate(() => {
      const { camera, controls, world } = window.studio.viewport;
      const look = world.worldToLocal(controls.target.clone()).sub(world.worldToLocal(camera.position.clone()));
      const length = Math.hypot(look.x, look.y);
      return [look.x / length, look.y / length];
    });
  const time = (scale) =>
    page.evaluate((s) => window.studio.socket.act(window.studio.store.sessions.at(-1).id, { action: "time_scale", time_scale: s }), scale);
  const place = () => page.evaluate(() => window.frame.centerOfMass.slice(0, 2));
  /**
   * Begins anew while a key is held, so that it is steered from the first frame on, and waits until it has gone so far in the direction that the key asks
   * for: within 20 s of its own clock, however slow the machine is. Who has stood for long may take longer to set out.
   */
  const comes = async ([x, y], metres) => {
    // Slowly, so that the key is there from the start on a machine that is busy, too.
    await time(0.1);
    await page.evaluate(() => {
      window.frame = undefined;
      window.asked = [];
    });
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.frame?.timeSecs < 1 && window.asked.at(-1)?.action === "steer");
    const from = await place();
    await time(4);
    const found = await page.waitForFunction(
      ([from, x, y, metres]) => {
        const [vx, vy] = window.asked.findLast((a) => a.action === "steer")?.steer?.velocity ?? [0, 0];
        const [a, b] = window.frame.centerOfMass;
        const along = (a - from[0]) * x + (b - from[1]) * y;
        const isAsked = vx * x + vy * y > 0.95 * Math.hypot(vx, vy) && Math.hypot(vx, vy) > 0;
        return isAsked && along > metres ? "came" : window.frame.timeSecs > 20 ? `only ${along} m after 20 s` : false;
      },
      [from, x, y, metres],
      { timeout: 120_000 },
    );
    assert.equal(await found.jsonValue(), "came");
  };

  step("it is on the list and starts with its skin", async () => {
    await goTo(page, "play");
    await page.waitForSelector('[data-key="package:packages/hero/package.toml"].selected');
    await page.waitForSelector('[data-key="perform:Jump"]');
    await listen();
    await page.waitForFunction(() => window.frame !== undefined && window.played !== undefined);
    const skins = await page.evaluate(() => {
      let count = 0;
      window.studio.viewport.world.traverse((o) => (count += o.name === "skin" && o.visible ? 1 : 0));
      return count;
    });
    assert.equal(skins, 1);
  });

  step("S leads to the camera, and the arrow up away from it", async () => {
    // Nobody has time to watch it fall.
    await time(4);
    const [x, y] = await away();
    await page.keyboard.down("s");
    await comes([-x, -y], 0.4);
    const [vx, vy] = (await page.evaluate(() => window.asked.findLast((a) => a.action === "steer"))).steer.velocity;
    assert.ok(Math.abs(Math.hypot(vx, vy) - 1.2) < 0.05, `it walks with ${vx} ${vy}`);
    const speed = () => Math.hypot(...(window.asked.findLast((a) => a.action === "steer")?.steer.velocity ?? [NaN]));
    await page.keyboard.down("Shift");
    await page.waitForFunction(`(${speed})() > 2.5`);
    await page.keyboard.up("Shift");
    await page.keyboard.up("s");
    await page.waitForFunction(`(${speed})() === 0`);
    await page.keyboard.down("ArrowUp");
    await comes([x, y], 0.4);
    await page.keyboard.up("ArrowUp");
  });

  step("from the start again, its action is a key and a button", async () => {
    // Who lies limp does not hear it.
    const begins = async (begin) => {
      const acts = () => document.querySelector('.doing[data-doing="acting"]')?.textContent === "Jump";
      for (let tries = 0; tries < 30; tries++) {
        await begin();
        const saw = await page.waitForFunction(acts, undefined, { timeout: 500 }).catch(() => null);
        if (saw !== null) return;
      }
      assert.fail("it never jumped");
    };
    await page.waitForSelector('.doing[data-doing="moving"]');
    await begins(() => page.keyboard.press("1"));
    assert.equal(await page.locator('nav [data-view="play"][aria-current="page"]').count(), 1, "1 does not leave the view");
    await page.keyboard.press("r");
    await page.waitForFunction(() => window.played.time_secs < 1);
    // What is short is soon written.
    await time(0.25);
    await begins(() => page.click('[data-key="perform:Jump"]'));
  });

  step("it is hit by a ball and pushed", async () => {
    const flying = () => page.evaluate(() => [...Array(6)].filter((_, i) => window.frame.poses.at(-7 * (i + 1) + 2) > -900).length);
    assert.equal(await flying(), 0);
    await page.selectOption('[data-key="mass"]', "10");
    await page.click('[data-key="throw"]');
    await page.waitForFunction(() => window.asked.some((a) => a.action === "throw" && a.mass_kg === 10));
    await page.waitForFunction(() => [...Array(6)].some((_, i) => window.frame.poses.at(-7 * (i + 1) + 2) > -900));
    await page.click('[data-key="push"]');
    await page.waitForFunction(() => window.asked.some((a) => a.action === "push"));
  });

  step("a click on the ground is where it goes", async () => {
    const box = await page.locator(".play canvas").boundingBox();
    await page.mouse.click(box.x + 0.2 * box.width, box.y + 0.8 * box.height);
    await page.waitForFunction(() => window.played.characters[0].target != null);
    const marks = await page.evaluate(() => {
      let place = null;
      window.studio.viewport.world.traverse((o) => (place = o.name === "target" && o.visible ? o.position.toArray() : place));
      return { place, asked: window.played.characters[0].target };
    });
    assert.deepEqual(marks.place.slice(0, 2), marks.asked);
    await picture(page, "test-play-package");
  });

  step("a gamepad and a touch steer it as well", async () => {
    const [x, y] = await away();
    const steered = (speed) =>
      page.waitForFunction(
        ([x, y, speed]) => {
          const velocity = window.asked.at(-1).steer?.velocity;
          return velocity !== undefined && Math.abs(velocity[0] * x + velocity[1] * y - speed) < 0.05;
        },
        [x, y, speed],
      );
    await page.evaluate(() => {
      window.pad = { connected: true, axes: [0, -0.5], buttons: [{ pressed: false }] };
      navigator.getGamepads = () => [null, window.pad];
    });
    // Half of the way is half of running, at the size of this character.
    await page.waitForFunction(() => Math.hypot(...(window.asked.at(-1).steer?.velocity ?? [0, 0])) > 1.3);
    await page.evaluate(() => {
      window.asked.push({ action: "none" });
      window.pad.buttons[0].pressed = true;
    });
    await page.waitForFunction(() => window.asked.some((a, i) => a.action === "perform" && i > window.asked.findIndex((b) => b.action === "none")));
    await page.evaluate(() => (navigator.getGamepads = () => []));
    await steered(0);
    await page.evaluate(() => {
      const stick = document.querySelector(".touch-stick");
      stick.setPointerCapture = () => {};
      const touch = (type, dy) => {
        const box = stick.getBoundingClientRect();
        const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 + dy };
        stick.dispatchEvent(new PointerEvent(type, { pointerType: "touch", pointerId: 5, bubbles: true, ...at }));
      };
      touch("pointerdown", 0);
      touch("pointermove", 300);
      window.letGo = () => touch("pointerup", 300);
    });
    await page.waitForFunction(([x, y]) => {
      const velocity = window.asked.at(-1).steer?.velocity;
      return velocity !== undefined && velocity[0] * x + velocity[1] * y < -2.5;
    }, [x, y]);
    await page.evaluate(() => window.letGo());
    await steered(0);
  });

  step("a take is saved, and plays again to the hash that it shows", async () => {
    await page.click('[data-key="save-take"]');
    await page.waitForSelector('[data-file="take.toml"]');
    const [download] = await Promise.all([page.waitForEvent("download"), page.click('[data-file="take.toml"]')]);
    const script = await download.path();
    const names = await page.locator(".take [data-file]").evaluateAll((links) => links.map((a) => a.dataset.file));
    assert.deepEqual(names, ["take.glb", "take.bvh", "take.npz", "take.gif", "take.toml"]);
    for (const word of ["stick", "action", "ball", "push", "target"]) assert.match(readFileSync(script, "utf8"), new RegExp(`^(${word} =|\\[input.${word}\\])`, "m"));
    const again = JSON.parse(execFileSync(BINARY, ["play", folder, "--script", script, "--json"], { encoding: "utf8" }));
    assert.equal(await page.textContent('[data-figure="take"]'), again.hash);
  });

  step("two of it share a world, and either is steered", async () => {
    await page.selectOption('[data-key="characters"]', "2");
    await page.waitForSelector('[data-key="steered"]');
    // The two are more than two metres apart, and the camera follows who is steered.
    const target = () => page.evaluate(() => window.studio.viewport.controls.target.toArray());
    const before = await target();
    await page.selectOption('[data-key="steered"]', "2");
    await page.waitForFunction((b) => Math.hypot(...window.studio.viewport.controls.target.toArray().map((x, i) => x - b[i])) > 1.5, before);
    await page.keyboard.down("w");
    await page.waitForFunction(() => window.asked.at(-1).character === 1 && window.asked.at(-1).action === "steer");
    await page.keyboard.up("w");
    await page.evaluate(() => (window.asked = []));
    await page.click('[data-key="game"]');
    const chasing = () => window.asked.filter((a) => a.action === "steer" && a.steer.chase === 2).map((a) => a.character);
    await page.waitForFunction(`(${chasing})().length === 2`);
    assert.deepEqual(await page.evaluate(`(${chasing})()`), [0, 1]);
    // Each stands in a ring of its team's colour, and the score is there.
    await page.waitForSelector('[data-figure="Falls of team 2"]');
    const rings = await page.evaluate(() => {
      const found = [];
      window.studio.viewport.world.traverse((o) => o.name === "team" && o.visible && found.push([o.material.color.getHex(), ...o.position.toArray()]));
      return found;
    });
    assert.equal(new Set(rings.map(([colour]) => colour)).size, 2);
    assert.ok(Math.hypot(rings[0][1] - rings[1][1], rings[0][2] - rings[1][2]) > 0.1, JSON.stringify(rings));
    await picture(page, "test-play-teams");
  });

  step("a generator alone is shown and driven, and cannot fall", async () => {
    await page.waitForSelector('[data-key="package:packages/shown/package.toml"] :text("motion alone")');
    await page.click('[data-key="package:packages/shown/package.toml"]');
    await page.waitForSelector('[data-key="motion-alone"]');
    assert.equal(await page.locator('[data-figure="Falls"]').count(), 0);
    await page.evaluate(() => (window.frame = undefined));
    await listen();
    await page.waitForFunction(() => window.frame !== undefined);
    await time(4);
    const [x, y] = await away();
    await page.keyboard.down("w");
    await comes([x, y], 0.4);
    await page.keyboard.up("w");
    await picture(page, "test-play-motion-alone");
  });

  step("a file that has changed is one sentence", async () => {
    writeFileSync(join(folder, "policy.safetensors"), "other");
    await page.click('[data-key="package:packages/hero/package.toml"]');
    await page.waitForSelector('.status .message.error:has-text("policy.safetensors: the file has changed")');
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
