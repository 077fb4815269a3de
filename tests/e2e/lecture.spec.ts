// A class of five minutes before an audience: reuse, fragmentation, bound, exact, spoil. Each step
// is one key or one click, and what it teaches is on the screen.

import type { Page, TestInfo } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { pane } from "./session";
import { faults, newcomer, pale } from "./sight";
import { showView } from "./tasks.mjs";

/** What the audience sees is whole, large and kept as a picture. */
async function seen(page: Page, info: TestInfo, step: string) {
  await ready(page);
  expect(await faults(page), step).toEqual([]);
  const path = info.outputPath(`${step}.png`);
  await page.screenshot({ path });
  await info.attach(step, { path, contentType: "image/png" });
}

test("reuse, fragmentation, bound, exact and spoil, one key or click each", async ({ page }, info) => {
  await newcomer(page, [1280, 720]);
  await open(page, info.project.name === "webgpu" ? "/?renderer=wgpu" : "/?renderer=raster");
  await page.keyboard.press("Shift+P");
  await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
  const headline = page.locator(".headline");
  // Reuse: what the sum of all tensors shrinks to.
  await expect(headline).toContainText("10.2 MiB → 1.31 MiB, 7.8× less");
  await seen(page, info, "1 reuse");
  // The bound: the tensors that are live together at the peak.
  await headline.locator('[data-term="bound"]').click();
  await expect(headline.locator('[data-term="bound"]')).toHaveAttribute("aria-pressed", "true");
  await seen(page, info, "2 bound");
  // Fragmentation: 180 bytes would do, and 240 are taken; the hole is hatched and named.
  await page.locator("#samples").selectOption("leading_gap");
  await expect(pane(page, "xnnpack").locator(".why-larger")).toHaveAttribute("data-above", "60");
  await seen(page, info, "3 fragmentation");
  // Exact: the optimum lies above the peak of live bytes, and is proved.
  await page.locator("#samples").selectOption("above_the_peak");
  await expect(pane(page, "exact").locator(".badge.optimal")).toContainText("proved");
  await seen(page, info, "4 exact");
  // Spoil: a tensor is moved onto another that is needed, and the run names both.
  await page.locator("#samples").selectOption("blazeface");
  await ready(page);
  // Before an audience the tasks are behind a sign.
  await page.locator('.fold[data-panel="sheet"]').click();
  await showView(page, "run");
  await seen(page, info, "5 run");
  await page.getByRole("button", { name: "Spoil it" }).first().click();
  await expect(page.locator(".outcome")).toContainText("Failed", { timeout: 90_000 });
  await seen(page, info, "6 spoiled");
  expect(await pale(page)).toEqual([]);
});
