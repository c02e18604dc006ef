// What the studio must bear from browsers: crowds, files that are too large, garbage, other sites.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, truncateSync, unlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { openBrowser, openPage } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

const TABS = 50;
const GIGABYTE = 2 ** 30;

describe("what a studio must bear", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page, address;
  const post = (path, body) =>
    fetch(studio.api() + path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const state = async () => (await fetch(`${studio.api()}state`)).json();
  /** Largest memory that the server ever had, MB; only where the system tells. */
  const memoryMb = () => {
    const status = `/proc/${studio.pid()}/status`;
    return existsSync(status) ? Number(readFileSync(status, "utf8").match(/VmHWM:\s+(\d+)/)[1]) / 1024 : 0;
  };

  before(async () => {
    studio = await startStudio();
    address = new URL(studio.api());
    browser = await openBrowser(["--host-resolver-rules=MAP evil.test 127.0.0.1", "--renderer-process-limit=2"]);
    tab = await openPage(browser, studio.url, { timeout: 60_000 });
    page = tab.page;
    await page.waitForSelector('[data-key="rig:dinosaur"]');
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  step(`${TABS} tabs look at one running transfer and agree`, async () => {
    await post("job", { kind: "transfer", rig: "dinosaur", clip: "boxing", preset: "default" });
    const context = await browser.newContext({ viewport: { width: 320, height: 200 } });
    // Tabs in the background draw nothing: a browser gives them no pictures to draw.
    await context.addInitScript(() => (window.requestAnimationFrame = () => 0));
    const pages = [];
    while (pages.length < TABS) {
      const some = Array.from({ length: Math.min(5, TABS - pages.length) }, async () => {
        const other = await context.newPage();
        other.setDefaultTimeout(60_000);
        await other.goto(`${studio.url}#/transfer`, { waitUntil: "commit" });
        return other;
      });
      pages.push(...(await Promise.all(some)));
    }
    const all = (status) =>
      Promise.all(
        pages.map((p) => p.waitForFunction((status) => window.studio?.store.jobs[0]?.status === status, status, { polling: 250 })),
      );
    await all("running");
    assert.equal((await state()).jobs[0].status, "running", "the server is alive, and its job goes on");
    await post("job/cancel", { id: 1 });
    await all("cancelled");
    const said = (await state()).jobs[0];
    const seen = await Promise.all(pages.map((p) => p.evaluate(() => window.studio.store.jobs[0])));
    for (const job of seen) assert.deepEqual(job, said);
    await context.close();
  });

  step("a file of a gigabyte is refused by the page before it is read", async () => {
    const path = join(tmpdir(), `huge-${process.pid}.glb`);
    writeFileSync(path, "");
    truncateSync(path, GIGABYTE);
    try {
      const requests = [];
      page.on("request", (r) => r.url().includes("/upload") && requests.push(r.url()));
      await page.setInputFiles('input[type="file"]', path);
      await page.waitForSelector(".status .message.error:not([hidden])");
      assert.match(await page.textContent(".status .message.error span"), /huge.*larger than 512 MB/);
      await page.click(".status .message button");
      assert.deepEqual(requests, []);
    } finally {
      unlinkSync(path);
    }
  });

  step("and by the server itself, without memory or disk, where a page sends it all the same", async () => {
    const before = memoryMb();
    const answer = await page.evaluate(async (size) => {
      // One piece many times over: the browser does not hold a gigabyte either.
      const piece = new Blob([new Uint8Array(2 ** 24)]);
      const body = new Blob(Array(size / 2 ** 24).fill(piece));
      const answer = await fetch("/api/upload?name=huge.glb", { method: "POST", body });
      return { status: answer.status, said: (await answer.json()).error };
    }, GIGABYTE);
    assert.equal(answer.status, 413);
    assert.match(answer.said, /larger than 512 MB/);
    assert.ok(memoryMb() < before + 64, `memory went from ${before} to ${memoryMb()} MB`);
    const uploads = join(studio.project, ".studio/uploads");
    assert.deepEqual(existsSync(uploads) ? readdirSync(uploads) : [], []);
    assert.equal((await state()).rigs.some((r) => /huge/.test(r.id)), false);
  });

  step("garbage on a socket gets a sentence; too much of it closes that socket alone", async () => {
    const heard = await page.evaluate(async () => {
      const open = () =>
        new Promise((resolve) => {
          const socket = new WebSocket(`ws://${location.host}/api/socket`);
          socket.binaryType = "arraybuffer";
          socket.onopen = () => resolve(socket);
        });
      const socket = await open();
      const errors = [];
      socket.onmessage = (m) => typeof m.data === "string" && JSON.parse(m.data).type === "error" && errors.push(JSON.parse(m.data).error);
      const texts = ["", "{", "null", "[[[[", '{"type":"act"}', '{"type":"start","request":1,"session":{"what":"front","front":"../..","dial":0}}', "\u0000".repeat(999)];
      for (const text of texts) socket.send(text);
      socket.send(crypto.getRandomValues(new Uint8Array(4096)));
      for (let i = 0; i < 100 && errors.length < texts.length + 1; i++) await new Promise((r) => setTimeout(r, 50));
      const isOpen = socket.readyState === WebSocket.OPEN;
      const flooded = await open();
      const closed = new Promise((r) => (flooded.onclose = r));
      flooded.send("x".repeat(1 << 22));
      await Promise.race([closed, new Promise((r) => setTimeout(r, 5000))]);
      return { errors, isOpen, isFloodedOpen: flooded.readyState === WebSocket.OPEN };
    });
    assert.ok(heard.errors.length >= 8, JSON.stringify(heard.errors));
    assert.ok(heard.errors.every((e) => e.length > 10 && !e.includes("\n")), JSON.stringify(heard.errors));
    assert.ok(heard.isOpen && !heard.isFloodedOpen);
    assert.equal((await state()).sessions.length, 0);
  });

  step("a page of another site can neither read nor do anything", async () => {
    const other = createServer((_, answer) => answer.writeHead(200, { "content-type": "text/html" }).end("<h1>elsewhere</h1>"));
    await new Promise((r) => other.listen(0, "127.0.0.1", r));
    other.unref();
    const foreign = await openPage(browser, `http://127.0.0.1:${other.address().port}/`);
    const tried = await foreign.page.evaluate(async (host) => {
      const json = (type) => ({ method: "POST", headers: { "content-type": type }, body: JSON.stringify({ rig: "human" }), mode: type === "text/plain" ? "no-cors" : "cors" });
      const name = (p) => p.then((r) => r.type).catch(() => "refused");
      const socket = await new Promise((r) => {
        const s = new WebSocket(`ws://${host}/api/socket`);
        s.onopen = () => r("open");
        s.onerror = () => r("refused");
      });
      return {
        socket,
        read: await name(fetch(`http://${host}/api/state`)),
        asked: await name(fetch(`http://${host}/api/character`, json("application/json"))),
        blind: await name(fetch(`http://${host}/api/character`, json("text/plain"))),
      };
    }, address.host);
    assert.deepEqual(tried, { socket: "refused", read: "refused", asked: "refused", blind: "refused" });
    assert.deepEqual((await state()).characters, [], "nothing was made blindly");
    // A name of its own that leads to this machine.
    const rebound = await foreign.page.goto(`http://evil.test:${address.port}/api/state`);
    assert.equal(rebound.status(), 403);
    await foreign.close();
    other.close();
    other.closeAllConnections();
  });

  step("no name leads out of the folder", async () => {
    const answers = await page.evaluate(async () => {
      const names = ["../../etc/passwd", "/etc/passwd", "results/../../x", "..\\..\\x", ".studio/jobs.json", "rigs/%2e%2e/x", "a\u0000b"];
      const routes = ["rig?id=", "rig/stage.glb?id=", "character?id=", "character/file?id=", "result?id=", "result/motion?id=", "front?id=", "result/file?name=report.html&id="];
      const ask = async (route, name) => {
        const answer = await fetch(`/api/${route}${encodeURIComponent(name)}`);
        return { asked: route + name, status: answer.status, said: (await answer.json()).error ?? "" };
      };
      const list = await Promise.all(routes.flatMap((route) => names.map((name) => ask(route, name))));
      const up = await fetch(`/api/upload?name=${encodeURIComponent("../../x.glb")}`, { method: "POST", body: "x" });
      return [...list, { asked: "upload", status: up.status, said: (await up.json()).error ?? "" }];
    });
    for (const { asked, status, said } of answers) assert.ok(status >= 400 && status < 500 && said.length > 10, `${asked}: ${status} ${said}`);
    const raw = await fetch(`http://${address.host}/..%2f..%2fetc/passwd`);
    assert.ok(raw.status >= 400);
  });

  step("the page still works, and nothing went wrong in it", async () => {
    await page.click('[data-key="rig:human"]');
    await page.waitForSelector(".subject h1:text-is('human')");
    assert.deepEqual(tab.problems, []);
  });
});
