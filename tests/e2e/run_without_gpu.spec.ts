// No device at all. Runs only where there is no WebGPU.

import { expect, test } from "./page";
import { LONG, openRun, verdict } from "./session";

test.setTimeout(240_000);

test("without WebGPU the page explains, and the CPU confirms", async ({ page }) => {
  await openRun(page);
  await expect(page.locator(".no-gpu")).toContainText("There is no WebGPU here");
  await expect(page.locator(".no-gpu li")).not.toHaveCount(0);
  // Asked for all the same, a run says why there is none.
  await page.locator("#run-machine").selectOption("gpu");
  await page.locator("#run").click();
  await expect(page.locator('[data-verdict="failed"]')).toBeVisible(LONG);
  await page.locator("#run-cpu").click();
  expect(await verdict(page)).toBe("confirmed");
  await expect(page.locator(".verdict")).toContainText("CPU");
});
