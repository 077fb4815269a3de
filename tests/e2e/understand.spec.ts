// Why a deployed plan is as large as it is: its bytes by reason, what lies at any place, what
// holds a tensor up, free bytes over time.

import { readFileSync } from "node:fs";
import { chooseLook, expect, open, plot, ready, test, words } from "./page";
import { choose, pane } from "./session";
import { barriers } from "./sight";
import type { Page } from "@playwright/test";
import { showView } from "./tasks.mjs";

// `a` and `b` meet at step 1: 180 bytes, and nobody needs more at once, so that is the bound.
// `e` ends at 240, so 60 bytes of the arena are fragmentation. It lies on `c`, which lies on
// `b`, which lies on `a`. At step 2 `a` is gone and `d` not there: addresses 0 to 100 are a
// hole below `b`, for that step only, and of all tensors only `e` lives no longer than it.
const PLAN = [
  "id,lower,upper,size,offset",
  "a,0,2,100,0",
  "b,1,3,80,100",
  "c,2,4,50,180",
  "d,3,5,90,0",
  "e,2,3,10,230",
  "",
].join("\n");

async function openPlan(page: Page) {
  await open(page);
  await choose(page, "shipped.csv", Buffer.from(PLAN));
  await expect(page.locator(".document .file")).toHaveText("shipped.csv");
  await ready(page);
}

/** Where the middle of a step at an address is in the deployed plan's fitted picture. */
async function spot(page: Page, step: number, address: number): Promise<[number, number]> {
  // Five steps, 240 bytes.
  const box = await plot(pane(page, "deployed"));
  const x = ((step + 0.5) / 5) * box.width;
  const y = (1 - address / 240) * box.height;
  return [box.x + x, box.y + y];
}

const part = (page: Page, kind: string) => page.locator(`.parts tr[data-part="${kind}"]`);

// Chunk 1 is written over the byte of chunk 0 that it reads: three bytes are needed, not four.
test("what is written in place counts once, and the bar is the arena", words, async ({ page }) => {
  await open(page);
  await choose(page, "StaticMemoryInfo.json", readFileSync(new URL("../data/plans/megengine/StaticMemoryInfo.json", import.meta.url)));
  await ready(page);
  await showView(page, "waste");
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", "3");
  await expect(part(page, "needed")).toHaveAttribute("data-bytes", "3");
  await expect(page.locator(".parts-bar .segment")).toHaveCount(1);
});

test("on a narrow page what is lit comes into view", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPlan(page);
  await showView(page, "waste");
  const picture = page.locator(".pane").first();
  const shows = [part(page, "fragmentation").getByRole("button"), page.locator("[data-peak] button")];
  for (const show of shows) {
    await show.scrollIntoViewIfNeeded();
    await expect(picture).not.toBeInViewport();
    await show.click();
    await expect(picture).toBeInViewport({ ratio: 0.5 });
  }
});

test("the arena is split to the byte, and each part lights up what makes it", words, async ({ page }) => {
  await openPlan(page);
  await showView(page, "waste");
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", "240");
  const rows = page.locator(".parts tbody tr[data-part]");
  const bytes = await rows.evaluateAll((rows) => rows.map((row) => Number(row.getAttribute("data-bytes"))));
  expect(bytes).toEqual([180, 60]);
  await expect(part(page, "needed")).toContainText("75.0 %");
  await expect(part(page, "fragmentation")).toContainText("60 B");
  await expect(part(page, "fragmentation")).toContainText("1 hole lies below");
  // What takes nothing shares a line, and cannot be chosen.
  const nothing = page.locator(".parts tr", { has: page.locator("[data-nothing]") });
  await expect(nothing).toContainText("0 B");
  await expect(nothing.locator("[data-nothing]")).toHaveText(["Padding", "Pinned", "Whole life", "Alignment"]);
  await expect(nothing.getByRole("button")).toHaveCount(0);
  await expect(page.locator(".parts tfoot")).toContainText("240 B");
  const fragmentation = part(page, "fragmentation").getByRole("button");
  await fragmentation.click();
  await expect(fragmentation).toHaveAttribute("aria-pressed", "true");
  // Its hole is named, and can be asked about.
  await page.locator('.inspector [data-hole="0"]').click();
  await expect(page.locator(".inspector .spot")).toHaveAttribute("data-high", "100");
  const needed = part(page, "needed").getByRole("button");
  await needed.click();
  const made = page.locator(".inspector .part-of li");
  await expect(made).toHaveText([/^a 100 B$/, /^b 80 B$/]);
  await expect(fragmentation).toHaveAttribute("aria-pressed", "false");
  await page.keyboard.press("Escape");
  await expect(needed).toHaveAttribute("aria-pressed", "false");
});

/** The colour of the deployed plan's picture at a place in the window. */
async function pixel(page: Page, x: number, y: number): Promise<number[]> {
  const canvas = pane(page, "deployed").locator("canvas.rectangles:visible");
  return canvas.evaluate(
    (canvas, [x, y]) => {
      const box = canvas.getBoundingClientRect();
      const { width, height } = canvas as HTMLCanvasElement;
      const at = [((x - box.x) * width) / box.width, ((y - box.y) * height) / box.height].map(Math.round);
      const data = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(at[0], at[1], 1, 1).data;
      return [...(data ?? [])].slice(0, 3);
    },
    [x, y],
  );
}

/** The colour of a line of the legend. */
async function legend(page: Page, kind: string): Promise<number[] | undefined> {
  const swatch = page.locator(".legend li", { hasText: kind }).locator("svg rect");
  return swatch.evaluate((rect) => getComputedStyle(rect).fill.match(/\d+/g)?.map(Number));
}

test("a part has one colour in its bar, in the legend and in the picture", async ({ page }) => {
  await openPlan(page);
  await showView(page, "waste");
  await page.locator("#coloring").selectOption("waste");
  for (const theme of ["light", "dark"]) {
    await chooseLook(page, "theme", theme);
    const fill = await legend(page, "Needed");
    const back = (selector: string) =>
      page.locator(selector).evaluate((it) => getComputedStyle(it).backgroundColor.match(/\d+/g)?.map(Number));
    expect(await back('.parts-bar .segment[data-part="needed"]')).toEqual(fill);
    expect(await back('.parts .swatch[data-part="needed"]')).toEqual(fill);
    // `a`, which is needed at the peak, where nothing is written.
    const [x, y] = await spot(page, 0, 40);
    await expect.poll(() => pixel(page, x, y)).toEqual(fill);
  }
  // A few bytes of padding do not colour what is needed: the first of six layers has 4,032 B.
  await open(page, "/#sample=iree_chain&show=deployed&color=waste");
  const box = await pane(page, "deployed").locator(".stage").boundingBox();
  if (!box) throw new Error("no picture");
  const y = box.y + box.height - 36 - (box.height - 48) / 7;
  await expect.poll(() => pixel(page, box.x + 100, y)).toEqual(await legend(page, "Needed"));
});

test("a plan that meets the bound says that nothing is wasted", words, async ({ page }) => {
  await openPlan(page);
  await showView(page, "waste");
  await pane(page, "deployed").getByRole("button", { name: /Hide/ }).click();
  // The best plan alone is shown: 180 bytes.
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", "180");
  await expect(part(page, "fragmentation")).toHaveAttribute("data-bytes", "0");
  await expect(part(page, "fragmentation")).toContainText("True fragmentation is 0");
});

test("the peak names its tensors and who would lower it most", words, async ({ page }) => {
  await openPlan(page);
  await showView(page, "waste");
  await expect(page.locator("[data-peak]")).toHaveText(/step 1, 180 B are needed by 2 tensors/);
  // Without `a`, or without `b`, step 2 needs most: 80 + 50 + 10, or step 3: 50 + 90.
  const reliefs = page.locator(".reliefs tbody tr");
  await expect(reliefs).toHaveCount(2);
  await expect(reliefs.nth(0)).toHaveAttribute("data-saved", "40");
  await expect(reliefs.nth(0)).toContainText("140 B");
  await reliefs.nth(1).getByRole("button", { name: "b", exact: true }).click();
  await expect(page.locator(".inspector .name")).toHaveText("b");
});

test("empty space says whose hole it is and what would fit", async ({ page }) => {
  await openPlan(page);
  const [x, y] = await spot(page, 2, 50);
  await page.mouse.move(x, y);
  const card = pane(page, "deployed").locator(".card");
  await expect(card).toContainText("Free: 100 B");
  await page.mouse.click(x, y);
  const hole = page.locator(".inspector .spot");
  await expect(hole).toHaveAttribute("data-low", "0");
  await expect(hole).toHaveAttribute("data-high", "100");
  const side = (name: string) => hole.locator(`[data-side="${name}"]`);
  await expect(side("AboveIt")).toContainText("b");
  await expect(side("BelowIt")).toContainText("first byte");
  await expect(side("BeforeIt")).toContainText("a");
  await expect(side("AfterIt")).toContainText("d");
  await expect(hole).toContainText("1 tensor would fit here");
  await expect(hole.locator('[data-buffer="4"]').first()).toHaveText("e");
  // A neighbour can be looked at while the hole stays.
  await side("AboveIt").getByRole("button").click();
  await expect(page.locator(".inspector .name")).toHaveText("b");
  await expect(hole).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(hole).toHaveCount(0);
});

test("a tensor's chain goes down to address 0", words, async ({ page }) => {
  await openPlan(page);
  const [x, y] = await spot(page, 2, 235);
  await page.mouse.click(x, y);
  await expect(page.locator(".inspector .name")).toHaveText("e");
  const links = page.locator(".inspector .chain li");
  expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute("data-link")))).toEqual(["e", "c", "b", "a"]);
  const show = page.getByRole("button", { name: "Show the chain" });
  await show.click();
  await expect(show).toHaveAttribute("aria-pressed", "true");
  await links.nth(2).getByRole("button").click();
  await expect(page.locator(".inspector .name")).toHaveText("b");
  await expect(links).toHaveCount(2);
});

test("the keyboard alone asks what lies where", words, async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 990 });
  await openPlan(page);
  await pane(page, "deployed").locator(".stage").focus();
  await page.keyboard.press("x");
  // From the middle down: through `b` into the hole below it.
  const hole = page.locator(".inspector .spot");
  for (let press = 0; press < 60 && !(await hole.isVisible()); press++) {
    await page.keyboard.press("ArrowDown");
  }
  await expect(hole).toHaveAttribute("data-high", "100");
  await expect(page.locator('.inspector [role="status"]').nth(1)).toContainText(/Step 2, address .*Free: 100 B/);
  await page.keyboard.press("ArrowLeft");
  await expect(page.locator(".inspector .name")).toHaveText("a");
  await page.keyboard.press("x");
  await expect(hole).toHaveCount(0);
});

test("lanes tell the free bytes of the step under the pointer", async ({ page }) => {
  // Table, lanes and picture, all open, need their room.
  await page.setViewportSize({ width: 1280, height: 990 });
  await openPlan(page);
  const bar = page.locator(".lane-bar");
  await expect(page.locator(".lanes").first()).toHaveCSS("height", "0px");
  await bar.getByRole("button").click();
  await bar.getByRole("checkbox", { name: /Holes/ }).check();
  await bar.getByRole("checkbox", { name: /Largest hole/ }).check();
  const [x, y] = await spot(page, 3, 120);
  await page.mouse.move(x, y);
  // `d` ends at 90 and `c` lies from 180 to 230: holes of 90 and 10 bytes.
  const lane = (name: string) => bar.locator(`[data-lane="${name}"] b`);
  await expect(lane("Free")).toHaveText("100 B");
  await expect(lane("Largest")).toHaveText("90 B");
  await expect(lane("FreeRanges")).toHaveText("2");
  await expect(lane("Fragmentation")).toHaveText("10.0 %");
  await expect(bar).toContainText("step 3");
});

test("a large plan is explained by the worker", words, async ({ page }) => {
  await open(page);
  // 6,000 steps; each tensor lives for two of them beside the next: 200 bytes are needed at
  // once. One tensor lies at 1,000.
  const rows = Array.from({ length: 6_000 }, (_, step) =>
    [`t${step}`, step, step + 2, 100, step === 3_000 ? 900 : (step % 2) * 100].join(","),
  );
  await choose(page, "large.csv", Buffer.from(["id,lower,upper,size,offset", ...rows, ""].join("\n")));
  await expect(page.locator(".document .file")).toHaveText("large.csv");
  await ready(page);
  await showView(page, "waste");
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", "1000");
  const bytes = await page.locator(".parts tbody tr[data-part]").evaluateAll((all) => all.map((row) => Number(row.getAttribute("data-bytes"))));
  expect(bytes).toEqual([200, 800]);
});

test("waste, card and lanes are in order for assistive technology", words, async ({ page }) => {
  // Table, lanes and picture, all open, need their room.
  await page.setViewportSize({ width: 1280, height: 990 });
  await openPlan(page);
  await showView(page, "waste");
  await page.locator(".lane-bar").getByRole("button").click();
  const [x, y] = await spot(page, 2, 50);
  await page.mouse.click(x, y);
  await expect(page.locator(".inspector .spot")).toBeVisible();
  expect(await barriers(page)).toEqual([]);
});

test("on a phone no column of what would lower the peak lies beyond the edge", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "/#sample=unet&tab=waste");
  const table = page.locator(".reliefs");
  await expect(table).toBeAttached();
  const [end, edge] = await table.evaluate((it) => [it.getBoundingClientRect().right, innerWidth]);
  expect(end).toBeLessThanOrEqual(edge);
});
