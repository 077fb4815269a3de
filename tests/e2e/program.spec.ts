// A program JSON: a value that is evicted and recomputed, from the file to picture, SVG and run.

import { readFileSync } from "node:fs";
import { expect, open, ready, test } from "./page";
import { arena, bound, choose, colors, document, pane, verdict } from "./session";
import { showView } from "./tasks.mjs";

const PROGRAM = readFileSync(new URL("../data/recomputed.json", import.meta.url));

test.setTimeout(240_000);

test("a recomputed value has two rectangles, and half the memory is confirmed", async ({ page }) => {
  await open(page);
  await choose(page, "recomputed.json", PROGRAM);
  await expect(document(page)).toHaveText("recomputed.json");
  await ready(page);
  await expect(page.locator(".facts")).toContainText("Arenascope program");
  // Two tensors of 256 B at a time; a, b and c would be three if a were kept.
  expect(await bound(page)).toBe(512);
  expect(await arena(page, "best")).toBe(512);
  expect(await colors(pane(page, "best"))).toBeGreaterThan(2);
  await pane(page, "best").locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, "best").locator('[data-export="svg"]').click(),
  ]);
  const svg = readFileSync(await download.path(), "utf8");
  // Each stay in memory is a rectangle with a name of its own.
  for (const name of ["a", "a [2]", "b", "c", "d"]) expect(svg).toContain(`>${name}`);
  await showView(page, "run");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
});

test("what cannot change a program is not on offer", async ({ page }) => {
  await open(page);
  await showView(page, "stages");
  for (const id of ["#fusion", "#in-place", "#parallel"]) await expect(page.locator(id)).toBeVisible();
  await choose(page, "recomputed.json", PROGRAM);
  await expect(document(page)).toHaveText("recomputed.json");
  await ready(page);
  await expect(page.locator("#in-place")).toBeVisible();
  await expect(page.locator("#fusion")).toHaveCount(0);
  await expect(page.locator("#parallel")).toHaveCount(0);
  // Where b may be written over, a plan may still say so: c on b, and d on c.
  await page.locator("#in-place").check();
  await ready(page);
  await showView(page, "compare");
  expect(await bound(page)).toBe(512);
  expect(await arena(page, "best")).toBe(512);
});
