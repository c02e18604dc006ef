// What the page costs: bytes, time to the first view, draw calls and scripting for each picture, latency of the stream. Prints a table.
//   SINEW_BINARY=../../../../target/release/sinew node measure.mjs

import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { dropFile, frames, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { fortyBodies } from "./helpers/forty_bodies.mjs";
import { startStudio, WEB } from "./helpers/server.mjs";

const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const bytes = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((f) => join(folder, f))
    .filter((f) => statSync(f).isFile())
    .reduce((n, f) => n + statSync(f).size, 0);
const show = (what, value) => console.log(what.padEnd(58), value);

const studio = await startStudio();
const browser = await openBrowser();
try {
  if (existsSync(join(WEB, "dist"))) show("page, all files", `${(bytes(join(WEB, "dist")) / 1e6).toFixed(2)} MB`);
  for (const run of ["cold", "warm"]) {
    const began = performance.now();
    const first = await openPage(browser, studio.url, { size: { width: 700, height: 420 } });
    await first.page.waitForSelector('[data-key="rig:dinosaur"]');
    await first.page.waitForFunction(() => window.studio.viewport.statistics.triangles > 5000);
    show(`first view: list and character drawn (${run})`, `${Math.round(performance.now() - began)} ms`);
    await first.close();
  }
  const { page } = await openPage(browser, studio.url, { size: { width: 820, height: 420 } });
  await page.waitForSelector('[data-key="rig:dinosaur"]');
  await dropFile(page, "forty.bvh", Buffer.from(fortyBodies()));
  await page.waitForSelector('[data-key="rig:rigs/forty.bvh"].selected');
  await page.click('[data-key="make"]');
  await page.waitForSelector('[data-key="body:leg_12_2"]');
  await page.click('[data-key="drop"]');
  await page.waitForFunction(() => /stands|fallen/.test(document.querySelector(".tools output")?.textContent ?? ""));
  for (const [name, wanted] of [
    ["bodies and contacts", ["bodies", "contacts"]],
    ["bodies, skeleton, contacts, balance, heat", ["bodies", "skeleton", "contacts", "balance", "heat"]],
  ]) {
    for (const button of await page.locator(".overlay-bar:not([hidden]) [data-overlay]").all()) {
      const on = (await button.getAttribute("aria-pressed")) === "true";
      if (on !== wanted.includes(await button.getAttribute("data-overlay"))) await button.dispatchEvent("click");
    }
    await frames(page, 20);
    const client = await page.context().newCDPSession(page);
    await client.send("Performance.enable");
    const metrics = async () => Object.fromEntries((await client.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value]));
    const drawn = () => page.evaluate(() => window.studio.viewport.statistics.frames);
    const [a, na] = [await metrics(), await drawn()];
    await wait(4000);
    const [b, nb] = [await metrics(), await drawn()];
    const s = await page.evaluate(() => window.studio.viewport.statistics);
    show(`40 bodies, ${name}: draw calls`, `${s.drawCalls} with shadows (${s.triangles} triangles)`);
    show("  scripting for each picture, update and draw", `${s.scriptMs.toFixed(2)} ms`);
    show(
      "  all scripting of the page over pictures drawn",
      `${((1000 * (b.ScriptDuration - a.ScriptDuration)) / (nb - na)).toFixed(2)} ms (${nb - na} pictures in 4 s)`,
    );
  }
  await picture(page, "measure");
  await page.keyboard.press("Escape");
  await page.evaluate(() => (window.location.hash = "#/library"));
  await wait(500);
  const latency = await page.evaluate(async () => {
    // Without drawing, so that the software renderer of a test machine does not count as latency.
    const { socket, store } = window.studio;
    for (let i = 0; i < 20; i++) await socket.ping();
    const session = await socket.start({ what: "drop", character: store.characters[0].id });
    const late = [];
    const stop = socket.listenFrames(session.id, (f) => late.push(performance.now() + socket.clockOffsetMs - f.clockMs));
    await new Promise((r) => setTimeout(r, 4000));
    stop();
    await socket.end(session.id);
    late.sort((p, q) => p - q);
    return {
      frames: late.length,
      median: late[late.length >> 1],
      p95: late[Math.floor(0.95 * late.length)],
      roundTrip: socket.roundTripMs,
    };
  });
  show(
    "stream: latency, median and 95 of 100",
    `${latency.median.toFixed(1)} ms, ${latency.p95.toFixed(1)} ms (${(latency.frames / 4).toFixed(0)} frames a second, round trip ${latency.roundTrip.toFixed(1)} ms)`,
  );
} finally {
  await browser.close();
  await studio.stop();
}
