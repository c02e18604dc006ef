// Headless Chromium with WebGL in software, and words for what a person does on the page.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { WEB } from "./server.mjs";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--use-gl=angle",
  "--use-angle=swiftshader",
  "--enable-unsafe-swiftshader",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const PICTURES = process.env.STUDIO_PICTURES ?? join(WEB, "../../../target/studio-pictures");

export async function openBrowser(flags = []) {
  return chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
}

/** A page of the studio; `problems` collects what went wrong in it. */
export async function openPage(browser, url, options = {}) {
  const context = await browser.newContext({
    viewport: options.size ?? { width: 960, height: 600 },
    colorScheme: options.dark ? "dark" : "light",
    acceptDownloads: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(options.timeout ?? 20_000);
  const problems = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on(
    "console",
    (message) =>
      message.type() === "error" &&
      !/WebSocket|ERR_CONNECTION|Failed to load resource|net::/.test(message.text()) &&
      problems.push(message.text()),
  );
  await page.goto(url);
  return { page, problems, close: () => context.close() };
}

export async function goTo(page, view) {
  await page.click(`nav [data-view="${view}"]`);
  await page.waitForSelector(`nav [data-view="${view}"][aria-current="page"]`);
}

/** Drops a file on the page as a file manager does. */
export async function dropFile(page, name, bytes, onto) {
  if (onto !== undefined) await page.locator(onto).waitFor();
  // In one piece: between measuring a row and letting go over it, the list must not move.
  await page.evaluate(
    ([name, text, onto]) => {
      const transfer = new DataTransfer();
      const raw = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      transfer.items.add(new File([raw], name));
      const box = onto === null ? new DOMRect() : document.querySelector(onto).getBoundingClientRect();
      const at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
      for (const type of ["dragenter", "dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer, ...at }));
    },
    [name, bytes.toString("base64"), onto ?? null],
  );
}

/** Waits until the picture was drawn some more times. */
export async function frames(page, more = 3) {
  const before = await page.evaluate(() => window.studio.viewport.statistics.frames);
  await page.waitForFunction(([b, m]) => window.studio.viewport.statistics.frames >= b + m, [before, more]);
}

export async function picture(page, name) {
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${name}.png`) });
}
