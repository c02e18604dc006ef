// What the page costs: bytes, time to the first view, draw calls and scripting for each picture, latency of the stream idle and beside a
// transfer, and what 50 watchers cost a transfer. Prints a table.
//   SINEW_BINARY=../../../../target/release/sinew node measure.mjs       PAIRS=5 for more runs of the last one

import { dropFile, frames, openBrowser, openPage, picture } from "./helpers/browser.mjs";
import { fortyBodies } from "./helpers/forty_bodies.mjs";
import { startStudio } from "./helpers/server.mjs";
import { openWatchers } from "./helpers/watchers.mjs";

const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const sizes = async (url) => {
  const html = await (await fetch(url)).text();
  const names = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map((m) => m[1]);
  const files = await Promise.all(names.map(async (n) => [n, (await (await fetch(new URL(n, url))).arrayBuffer()).byteLength]));
  const largest = files.reduce((a, b) => (b[1] > a[1] ? b : a));
  return { all: html.length + files.reduce((sum, [, n]) => sum + n, 0), largest: `${largest[0]} ${(largest[1] / 1e3).toFixed(0)} kB` };
};
const show = (what, value) => console.log(what.padEnd(58), value);

const WATCHERS = 50;
const PAIRS = Number(process.env.PAIRS ?? 3);
const studio = await startStudio({ threads: 0 });
const post = async (path, body) => {
  const answer = await fetch(studio.api() + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error((await answer.json()).error);
  return answer.json();
};
const ended = async (id, has) => {
  for (;;) {
    const job = await (await fetch(`${studio.api()}job?id=${id}`)).json();
    if (has(job)) return job;
    await wait(100);
  }
};
const browser = await openBrowser();
try {
  const sent = await sizes(studio.url);
  show("page: what is loaded for the first view", `${(sent.all / 1e6).toFixed(2)} MB (the largest: ${sent.largest})`);
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
  await page.evaluate(() => (window.location.hash = "#/play"));
  await wait(500);
  // Without drawing, so that the software renderer of a test machine does not count as latency.
  const latency = () =>
    page.evaluate(async () => {
      const { socket, store, viewport } = window.studio;
      Object.defineProperty(viewport, "onTick", { get: () => null, set() {}, configurable: true });
      viewport.invalidate = () => {};
      const drawn = viewport.statistics.frames;
      for (let i = 0; i < 20; i++) await socket.ping();
      const session = await socket.start({ what: "drop", character: store.characters[0].id });
      await new Promise((r) => setTimeout(r, 500));
      const late = [];
      const stop = socket.listenFrames(session.id, (f) => late.push(performance.now() + socket.clockOffsetMs - f.clockMs));
      await new Promise((r) => setTimeout(r, 6000));
      stop();
      await socket.end(session.id);
      late.sort((p, q) => p - q);
      return { drawn: viewport.statistics.frames - drawn, frames: late.length / 6, median: late[late.length >> 1], p95: late[Math.floor(0.95 * late.length)], worst: late.at(-1), roundTrip: socket.roundTripMs };
    });
  const tell = (when, l) =>
    show(
      `stream, ${when}: latency, median / 95 of 100 / worst`,
      `${l.median.toFixed(1)} / ${l.p95.toFixed(1)} / ${l.worst.toFixed(1)} ms (${l.frames.toFixed(0)} frames a second, ${l.drawn} pictures drawn meanwhile, round trip ${l.roundTrip.toFixed(1)} ms)`,
    );
  tell("idle", await latency());
  const long = await post("job", { kind: "transfer", rig: "dinosaur", clip: "boxing", preset: "default" });
  await ended(long.id, (job) => job.windows.length > 0);
  tell("while a transfer runs", await latency());
  await post("job/cancel", { id: long.id });
  await ended(long.id, (job) => job.status === "cancelled");
  await page.close();

  // The same transfer alone and watched, in turns, so that a machine that slows down slows both.
  const times = { 0: [], [WATCHERS]: [] };
  let heard = null;
  for (let run = 0; run < 2 * PAIRS; run++) {
    const count = run % 2 === 0 ? 0 : WATCHERS;
    const watchers = count > 0 ? await openWatchers(Number(new URL(studio.api()).port), count) : null;
    const began = performance.now();
    const job = await post("job", { kind: "transfer", rig: "dinosaur", clip: "walk", cycles: 3, preset: "quick" });
    const { status, message } = await ended(job.id, (j) => ["done", "failed"].includes(j.status));
    if (status !== "done") throw new Error(message);
    times[count].push((performance.now() - began) / 1000);
    heard = watchers?.heard() ?? heard;
    watchers?.close();
  }
  const middle = (list) => [...list].sort((p, q) => p - q)[list.length >> 1];
  const list = (of) => of.map((t) => t.toFixed(2)).join(", ");
  show("a transfer that nobody watches", `${middle(times[0]).toFixed(2)} s (${list(times[0])})`);
  show(
    `the same with ${WATCHERS} watching`,
    `${middle(times[WATCHERS]).toFixed(2)} s (${list(times[WATCHERS])}), ${(100 * (middle(times[WATCHERS]) / middle(times[0]) - 1)).toFixed(1)} % more`,
  );
  show("  what the watchers of the last one got", `${heard.messages} messages, ${heard.motions} motions, ${(heard.bytes / 1e6).toFixed(0)} MB`);
} finally {
  await browser.close();
  await studio.stop();
}
