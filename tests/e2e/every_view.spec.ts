// Every view of the page at every width: nothing cut off, nothing beyond its room, nothing pale.

import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { pane } from "./session";
import { showView } from "./tasks.mjs";
import { faults, newcomer, pale, resized, SIZES } from "./sight";

/** The views, and how a person comes to each. */
const VIEWS: [string, (page: Page) => Promise<void>][] = [
  ["waste", async (page) => {
    await open(page, "/?renderer=raster#sample=iree_chain");
    await showView(page, "waste");
    await expect(page.locator(".parts")).toBeVisible();
  }],
  ["segments", async (page) => {
    await open(page, "/?renderer=raster#sample=torch_training");
    await showView(page, "segments");
    await expect(page.locator(".segments tbody tr")).not.toHaveCount(0);
  }],
  ["advice", async (page) => {
    await open(page, "/?renderer=raster#sample=torch_training");
    await showView(page, "advice");
    await expect(page.locator(".advice .proposals").first()).toBeVisible();
  }],
  ["stages", async (page) => {
    await open(page, "/?renderer=raster#sample=blazeface&passes=fusion,in_place&tab=stages");
    await expect(page.locator(".stage-rows")).toBeVisible();
    await page.locator(".findings summary").first().click();
  }],
  ["training", async (page) => {
    await open(page, "/?renderer=raster#sample=blazeface&train=dtr_eq,4&tab=training");
    await expect(page.locator(".policies")).toBeVisible();
    await expect(page.locator(".staircase")).toBeVisible();
  }],
  ["graph", async (page) => {
    await open(page, "/?renderer=raster#sample=blazeface");
    await showView(page, "graph");
    await expect(page.locator(".graph-text textarea")).toBeVisible();
  }],
  ["sweep", async (page) => {
    await open(page, "/?renderer=raster#sample=transformer");
    await showView(page, "sweep");
    await page.locator("#sweep-values").fill("16..256:48");
    await page.locator("#sweep-start").click();
    await ready(page);
    await expect(page.locator(".sweep-picture svg")).toBeVisible();
    await expect(page.locator(".sweep tbody tr")).toHaveCount(6);
  }],
  ["differences", async (page) => {
    await open(page, "/?renderer=raster#sample=iree_chain");
    await showView(page, "differences");
    await expect(page.locator(".differences")).toBeVisible();
  }],
  ["film", async (page) => {
    await open(page, "/?renderer=raster#sample=leading_gap");
    await showView(page, "film");
    await page.locator('[data-film="0"]').selectOption("best");
    await ready(page);
    await page.locator(".scrubber").fill("2");
    await expect(pane(page, "best").locator(".caption")).toHaveAttribute("data-step", "2");
  }],
  ["run", async (page) => {
    await open(page, "/?renderer=raster#sample=blazeface");
    await showView(page, "run");
    await expect(page.locator(".run")).toBeVisible();
  }],
  ["what-if", async (page) => {
    await open(page, "/?renderer=raster#sample=leading_gap&show=best");
    await pane(page, "best").locator(".stage").focus();
    for (let press = 0; press < 3; press++) await page.keyboard.press(".");
    // One byte up or down: whether it is in the way of another is told.
    await page.keyboard.press("Shift+ArrowDown");
    await expect(page.locator("#what-if-says")).toBeAttached();
    await ready(page);
  }],
];

// Opened once for a phone and once for the desk; the other windows of the desk are made of it.
for (const [first, others] of [["phone", []], ["wide", ["small", "laptop", "desktop"]]] as const) {
  test(`from ${first} on every view is whole, and nothing is pale`, async ({ page }) => {
    test.setTimeout(240_000);
    await newcomer(page, SIZES[first]);
    await page.emulateMedia({ reducedMotion: "reduce" });
    await open(page);
    await legible(page, "first open");
    for (const [name, show] of VIEWS) {
      await page.goto("about:blank");
      await show(page);
      expect(await faults(page), name).toEqual([]);
      await legible(page, name);
      for (const size of others) {
        await resized(page, SIZES[size]);
        expect(await faults(page), `${name} at ${size}`).toEqual([]);
      }
      await resized(page, SIZES[first]);
    }
  });
}

/** Nothing is pale in light colours, nor in dark ones. */
async function legible(page: Page, view: string) {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await pale(page), `${view} in ${colorScheme} colours`).toEqual([]);
  }
}
