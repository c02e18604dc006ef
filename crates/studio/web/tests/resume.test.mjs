// Jobs outlive the page and the server: paused, resumed, killed in the middle, cancelled.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { goTo, openBrowser, openPage } from "./helpers/browser.mjs";
import { BINARY, startStudio } from "./helpers/server.mjs";
import { story } from "./helpers/steps.mjs";

describe("a long job", { skip: BINARY ? false : "set SINEW_BINARY to the sinew program" }, () => {
  const step = story();
  let studio, browser, tab, page;
  const job = async () => (await (await fetch(`${studio.api()}state`)).json()).jobs[0];
  const status = (...wanted) =>
    page.waitForFunction((w) => w.includes(document.querySelector(".job")?.dataset.status), wanted, { timeout: 60_000 });
  const windows = (n) => page.waitForFunction((m) => (window.studio.store.jobs[0]?.windows.length ?? 0) >= m, n, { timeout: 60_000 });

  before(async () => {
    studio = await startStudio();
    await fetch(`${studio.api()}character`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ rig: "dinosaur" }),
    });
    browser = await openBrowser();
    tab = await openPage(browser, studio.url);
    page = tab.page;
  });
  after(async () => {
    await browser?.close();
    await studio?.stop();
  });

  step("is started and shows its windows", async () => {
    await page.waitForSelector('[data-key="rig:dinosaur"]');
    await goTo(page, "transfer");
    await page.selectOption('.transfer [data-key="clip"]', "boxing");
    await page.selectOption('.transfer [data-key="preset"]', "default");
    await page.click('[data-key="start"]');
    await status("running");
    await windows(1);
  });

  step("is paused and goes on", async () => {
    await page.click('.job-buttons [title="Pause"]');
    await status("paused");
    const done = (await job()).windows.length;
    await page.click('.job-buttons [title="Go on"]');
    await status("running");
    assert.ok((await job()).windows.length >= done);
  });

  step("goes on from where it was after the server was killed", async () => {
    await windows(2);
    const done = (await job()).windows.length;
    await studio.kill();
    await page.waitForSelector(".connection.away");
    await studio.start();
    await page.waitForSelector(".connection:not(.away)");
    await status("running");
    await windows(done);
    assert.ok((await job()).windows.length >= done);
    await page.waitForFunction(() => document.querySelectorAll(".chart .best-dot").length >= 2);
  });

  step("is there in a tab that is opened later", async () => {
    const other = await openPage(browser, `${studio.url}#/transfer`);
    await other.page.waitForSelector('.job[data-status="running"]');
    await other.close();
  });

  step("is cancelled and taken off the list", async () => {
    await page.click('.job-buttons [title="Cancel"]');
    await status("cancelled");
    await page.click('.job-buttons [title="Take it off the list"]');
    await page.waitForSelector(".job", { state: "detached" });
  });

  step("nothing went wrong in the page meanwhile", () => assert.deepEqual(tab.problems, []));
});
