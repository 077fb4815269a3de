// A runner that dies, ends from outside, hangs or never begins: the page says so and starts another.

import type { Page } from "@playwright/test";
import { expect, test } from "./page";
import { LONG, openRun, runner, verdict } from "./session";

test.setTimeout(240_000);

/** Ends the page's first runner, as a browser short of memory would, after some messages. */
async function endFirstRunner(page: Page, after: number) {
  await page.addInitScript((after) => {
    let first = true;
    globalThis.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        if (!first || !String(url).includes("runner")) return;
        first = false;
        let heard = 0;
        this.addEventListener("message", () => {
          heard += 1;
          if (heard === after) this.terminate();
        });
      }
    };
  }, after);
}

/** Runs the sample on the CPU. */
async function run(page: Page) {
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
}

test("a runner that dies is replaced", async ({ page, trouble }) => {
  trouble.expect(/planted/);
  await openRun(page);
  await run(page);
  expect(await verdict(page)).toBe("confirmed");
  await page.locator("#run-plan").selectOption("naive");
  await runner(page).evaluate(() => {
    // Whether it is there is asked of it between runs, too.
    self.onmessage = ({ data }) => {
      if (data !== null) throw new Error("planted");
    };
  });
  await page.locator("#run").click();
  await expect(page.locator('[data-verdict="failed"]')).toContainText("stopped unexpectedly", LONG);
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
});

// One has just said that it hears, the other is in the middle of the run.
for (const after of [1, 3]) {
  test(`a runner that is ended from outside after ${after} messages is told and replaced`, async ({ page }) => {
    await endFirstRunner(page, after);
    await openRun(page);
    await run(page);
    const quiet = page.locator(".quiet-run");
    await expect(quiet.getByRole("alert")).toContainText("does not answer", LONG);
    await expect(quiet).toContainText(/no sign for \d+ s/);
    await expect(page.locator(".going"), "nothing is given up unasked").toBeVisible();
    await page.locator("#run-anew").click();
    await expect(quiet).toHaveCount(0);
    expect(await verdict(page)).toBe("confirmed");
    await expect(page.locator(".going")).toHaveCount(0);
  });
}

test("a runner that is busy for long is left alone", async ({ page }) => {
  await openRun(page);
  await run(page);
  expect(await verdict(page)).toBe("confirmed");
  await runner(page).evaluate(() => {
    const hear = self.onmessage;
    self.onmessage = (event) => {
      const end = performance.now() + (event.data === null ? 0 : 15_000);
      while (performance.now() < end);
      hear?.call(self, event);
    };
  });
  await page.locator("#run-plan").selectOption("naive");
  await page.locator("#run").click();
  const quiet = page.locator(".quiet-run");
  await expect(quiet).toContainText("does not answer", LONG);
  expect(await verdict(page)).toBe("confirmed");
  await expect(quiet).toHaveCount(0);
});

test("a run that hangs while its runner answers is told and replaced", async ({ page }) => {
  await openRun(page);
  await run(page);
  expect(await verdict(page)).toBe("confirmed");
  // Only that it is there is still told, never what becomes of the run.
  await runner(page).evaluate(() => {
    const scope = self as unknown as { postMessage(message: unknown, ...rest: unknown[]): void };
    const post = scope.postMessage.bind(self);
    scope.postMessage = (message, ...rest) => {
      if (message === null) post(message, ...rest);
    };
  });
  await page.locator("#run-plan").selectOption("naive");
  await page.locator("#run").click();
  const quiet = page.locator(".quiet-run");
  await expect(quiet.getByRole("alert")).toContainText("does not go on", LONG);
  await page.locator("#run-anew").click();
  expect(await verdict(page)).toBe("confirmed");
  await expect(quiet).toHaveCount(0);
});

for (const file of ["runner_loader.js", "runner_bg.wasm"]) {
  test(`a runner without its ${file} is told at once`, async ({ page, trouble }) => {
    trouble.expect(/runner/);
    await page.route(`**/${file}`, (route) => route.abort());
    await openRun(page);
    await run(page);
    await expect(page.locator('[data-verdict="failed"]')).toContainText("stopped unexpectedly");
    await page.unroute(`**/${file}`);
    await page.locator("#run").click();
    expect(await verdict(page)).toBe("confirmed");
  });
}
