// A device that goes away. Runs only where there is WebGPU.

import { expect, test } from "./page";
import { LONG, openRun, runner, verdict } from "./session";

test.setTimeout(240_000);

test("a lost device ends its run, and the next one gets another", async ({ page }) => {
  await openRun(page);
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  // The first device is destroyed as soon as it has something to do.
  await runner(page).evaluate(() => {
    const prototype = (self as unknown as { GPUAdapter: { prototype: Record<string, unknown> } }).GPUAdapter.prototype;
    const request = prototype.requestDevice as (...args: unknown[]) => Promise<{ destroy(): void }>;
    prototype.requestDevice = async function (this: unknown, ...args: unknown[]) {
      const device = await request.apply(this, args);
      prototype.requestDevice = request;
      setTimeout(() => device.destroy(), 100);
      return device;
    };
  });
  await page.locator("#run-machine").selectOption("gpu");
  await page.locator("#run").click();
  // By name, as far as it tells one.
  await expect(page.locator('[data-verdict="failed"]')).toContainText(/The GPU \(.+\) was lost during the run/, LONG);
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
});
