// Pictures of every view, light and dark, into target/studio-pictures: STUDIO_URL=... node tests/screenshots.mjs [light|dark] [view ...]

import { openBrowser, openPage, picture } from "./helpers/browser.mjs";

const url = process.env.STUDIO_URL;
const tones = process.argv[2] ? [process.argv[2]] : ["light", "dark"];
const wanted = process.argv.slice(3);
const wait = (ms) => new Promise((r) => setTimeout(r, ms));
const only = (name) => wanted.length === 0 || wanted.includes(name);
const browser = await openBrowser();
const hashes = JSON.parse(process.env.STUDIO_VIEWS ?? "{}");
for (const tone of tones) {
  const { page, problems } = await openPage(browser, url, { dark: tone === "dark", size: { width: 1440, height: 860 }, timeout: 60_000 });
  for (const view of ["library", "stage", "modeler", "transfer", "fronts", "play"]) {
    if (!only(view)) continue;
    await page.goto(`${url}#/${view}${hashes[view] ?? ""}`);
    await wait(Number(process.env.WAIT_MS ?? 5000));
    if (view === "modeler") {
      const row = page.locator('[data-key="body:shin_l"]');
      if (await row.count()) {
        await row.click();
        await page.keyboard.press("a");
        await wait(1500);
      }
    }
    await picture(page, `${view}-${tone}`);
  }
  console.log(tone, problems);
}
await browser.close();
