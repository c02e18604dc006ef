// The page of a front in a real browser: node --test scripts/browser/front.test.mjs
//
// FRONT_PAGES is a folder with front.html, help.html and objectives.html, as the example `front` of crates/report
// writes them; FRONT_PAGE instead names one page of a front, such as one written by `sinew`.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { statSync } from "node:fs";
import { launch, openFile, pixelsOf } from "./launch.mjs";

const folder = process.env.FRONT_PAGES ?? ".";
const main = process.env.FRONT_PAGE ?? join(folder, "front.html");
const STAGE = ".panel > canvas";
const MOST_BYTES = 2_000_000;

let browser;
before(async () => (browser = await launch()));
after(() => browser.close());

const heading = (page) => page.textContent(".heading h2");
const isPlaying = async (page) => (await page.getAttribute("#play", "aria-label")) === "Pause";
const selectedRow = (page) =>
  page.$$eval("tr[aria-selected=true]", (rows) => rows.map((row) => row.cells[0].textContent).join());
const time = (page) => page.$eval("#scrub", (scrub) => Number(scrub.value));

// Goes to a share of the whole time, which pauses.
const scrubTo = (page, share) =>
  page.$eval(
    "#scrub",
    (scrub, share) => {
      scrub.value = String(Number(scrub.max) * share);
      scrub.dispatchEvent(new Event("input"));
    },
    share,
  );

// The page shows a point everywhere: heading, row, dial.
const showsRow = async (page, label) => {
  assert.equal(await selectedRow(page), label);
  assert.ok((await heading(page)).endsWith(label), await heading(page));
  assert.ok((await page.getAttribute("#dial", "aria-valuetext")).startsWith(`${label}:`));
};

// The stage changes while it plays and rests while it does not.
const plays = async (page) => {
  if (!(await isPlaying(page))) await page.click("#play");
  await page.waitForFunction((start) => Number(document.querySelector("#scrub").value) !== start, await time(page));
  await scrubTo(page, 0);
  const first = await pixelsOf(page, STAGE);
  await scrubTo(page, 0.5);
  assert.equal(await isPlaying(page), false);
  const second = await pixelsOf(page, STAGE);
  assert.notEqual(first.hash, second.hash);
  assert.ok(second.colors > 50, "a shaded figure has many colours");
  await page.waitForTimeout(120);
  assert.equal((await pixelsOf(page, STAGE)).hash, second.hash, "a pause is still");
};

for (const colorScheme of ["light", "dark"]) {
  test(`points are picked by click, row, dial and keys, ${colorScheme}`, async () => {
    const { page, complaints, close } = await openFile(browser, main, { colorScheme });
    const labels = await page.$$eval("tr[data-front='0']", (rows) => rows.map((row) => row.cells[0].textContent));
    assert.ok(labels.length > 2, "the first front has points");
    const last = labels.length - 1;
    assert.equal(await isPlaying(page), true, "the page opens playing");

    await page.click("tr[data-front='0'][data-point='0']");
    await showsRow(page, labels[0]);
    await plays(page);

    await page.keyboard.press("ArrowRight");
    await showsRow(page, labels[1]);
    assert.equal(await isPlaying(page), true, "a picked motion plays");
    await page.focus(".plot-area");
    await page.keyboard.press("End");
    await showsRow(page, labels[last]);
    await page.keyboard.press("ArrowLeft");
    await showsRow(page, labels[last - 1]);
    await page.keyboard.press("Home");
    await showsRow(page, labels[0]);

    // A click on the last point of the plot, after its numbers have shown.
    const spot = await page.$$eval(
      ".plot-area .point",
      (points, last) => {
        const box = points[last].getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
      },
      last,
    );
    await page.mouse.move(...spot);
    assert.ok((await page.textContent(".tip")).includes(labels[last]));
    await page.mouse.click(...spot);
    await showsRow(page, labels[last]);

    // The dial snaps to the nearest point; its keys go point by point.
    await page.$eval("#dial", (dial) => {
      dial.value = "0";
      dial.dispatchEvent(new Event("input"));
      dial.dispatchEvent(new Event("change"));
    });
    await showsRow(page, labels[0]);
    await page.focus("#dial");
    await page.keyboard.press("ArrowRight");
    await showsRow(page, labels[1]);

    // A click among all motions picks the one in its column.
    const box = await page.locator(".parade canvas").boundingBox();
    await page
      .locator(".parade canvas")
      .click({ position: { x: box.width * (1.5 / labels.length), y: 0.5 * box.height } });
    await showsRow(page, labels[1]);
    const moments = [];
    for (const share of [0, 0.5]) {
      await scrubTo(page, share);
      moments.push((await pixelsOf(page, ".parade canvas")).hash);
    }
    assert.notEqual(...moments, "all motions move");

    // Rows answer the keyboard.
    await page.focus("tr[aria-selected=true]");
    await page.keyboard.press("ArrowDown");
    await showsRow(page, labels[2]);
    assert.equal(await page.evaluate(() => document.activeElement.cells[0].textContent), labels[2]);

    await page.focus(".plot-area");
    const was = await isPlaying(page);
    await page.keyboard.press(" ");
    assert.equal(await isPlaying(page), !was, "space plays and pauses");
    assert.deepEqual(complaints, []);
    await close();
  });
}

test("two motions are compared as ghost and side by side", async () => {
  const { page, complaints, close } = await openFile(browser, main, { reducedMotion: "reduce" });
  assert.equal(await isPlaying(page), false, "nothing moves unasked where that is not wished");
  await page.click("tr[data-front='0'][data-point='0']");
  await page.keyboard.press("c");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await scrubTo(page, 0.45);
  const hashes = [(await pixelsOf(page, STAGE)).hash];
  for (const button of ["button[value=beside]", "button[value=turned]"]) {
    await page.click(button);
    hashes.push((await pixelsOf(page, STAGE)).hash);
  }
  await page.selectOption("#compare", "");
  assert.equal(await page.isDisabled("button[value=beside]"), true);
  await scrubTo(page, 0.45);
  hashes.push((await pixelsOf(page, STAGE)).hash);
  assert.equal(new Set(hashes).size, hashes.length, "every way of showing differs");
  assert.deepEqual(complaints, []);
  await close();
});

test("a change between light and dark redraws", async () => {
  const { page, complaints, close } = await openFile(browser, main, { colorScheme: "light", reducedMotion: "reduce" });
  const light = await pixelsOf(page, STAGE);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForTimeout(100);
  assert.notEqual((await pixelsOf(page, STAGE)).hash, light.hash);
  assert.deepEqual(complaints, []);
  await close();
});

test("a page is small and fits a narrow window", async () => {
  assert.ok(statSync(main).size < MOST_BYTES, `${statSync(main).size} bytes`);
  const { page, close } = await openFile(browser, main, { viewport: { width: 390, height: 800 } });
  assert.ok(
    await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    "nothing hangs over the side",
  );
  await close();
});

test(
  "other axes, a third objective as colour, points without a motion",
  { skip: Boolean(process.env.FRONT_PAGE) },
  async () => {
    const help = await openFile(browser, join(folder, "help.html"));
    assert.ok((await help.page.textContent(".plot-area svg")).includes("distance from the drawing, cm"));
    await plays(help.page);
    assert.deepEqual(help.complaints, []);
    await help.close();

    const { page, complaints, close } = await openFile(browser, join(folder, "objectives.html"));
    const colors = await page.$$eval(
      ".plot-area .point",
      (points) => new Set(points.map((point) => point.style.fill)).size,
    );
    assert.ok(colors > 10, `${colors} colours`);
    assert.equal(await page.$(".plot-area .joint"), null);
    await page.evaluate(() =>
      [...document.querySelectorAll("tr")].find((row) => row.cells[0].textContent === "sample 7").click(),
    );
    assert.equal(await page.isDisabled("#play"), true);
    await page.keyboard.press(" ");
    assert.deepEqual(complaints, []);
    await close();
  },
);
