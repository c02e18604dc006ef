// What all tests in a browser share: a headless chromium, and a tab that remembers every complaint and every request.
//
// Needs the npm package playwright-core in the folder NODE_MODULES (or the working folder) and a chromium: Debian's,
// or the one named by CHROMIUM.
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const modules = resolve(process.env.NODE_MODULES ?? process.cwd());
const { chromium } = (() => {
  try {
    return createRequire(`${modules}/`)("playwright-core");
  } catch {
    console.error(
      `no playwright-core in ${modules}: run npm install --prefix ${modules} playwright-core, or set NODE_MODULES`,
    );
    process.exit(1);
  }
})();

const QUIET = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// A browser; close it at the end.
export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });

// Opens a file in a fresh context. `complaints` fills with errors of the page and with requests for anything else.
// `options` go to the context: `{ colorScheme: "dark", viewport: { width, height } }`.
export const openFile = async (browser, path, options = {}) => {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const address = pathToFileURL(resolve(path)).href;
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !url.startsWith("data:")) complaints.push(`request: ${url}`);
  });
  await page.goto(address, { waitUntil: "load" });
  return { page, complaints, close: () => context.close() };
};

// A number that changes when the pixels of a canvas do, and how many different colours there are in it.
export const pixelsOf = (page, selector) =>
  page.$eval(selector, (canvas) => {
    // Read from a copy: reading the canvas itself would slow down its drawing.
    const copy = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0);
    const { data } = context.getImageData(0, 0, copy.width, copy.height);
    let hash = 0;
    const colors = new Set();
    for (let i = 0; i < data.length; i += 4) {
      const color = data[i] | (data[i + 1] << 8) | (data[i + 2] << 16);
      hash = (Math.imul(hash, 31) + color) | 0;
      colors.add(color);
    }
    return { hash, colors: colors.size };
  });
