// Plans changed by hand: dragged and snapped, pinned, swapped, finished by a strategy, undone,
// shared by link. The problem is small enough to be followed by hand.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { arena, pane, row } from "./session";

test.setTimeout(120_000);

// low and high are always live; mid only in the middle; late after it. The bound is 100 + 50 + 20.
const CSV = `id,lower,upper,size
low,0,6,100
high,0,6,50
mid,1,3,20
late,3,5,10
`;

test.beforeEach(async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size");
  await page.locator("#file").setInputFiles({ name: "shelf.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
  await expect(page.locator('[data-strategy="offsets_by_size"] td[data-bytes="170"]')).toBeVisible();
  await ready(page);
});

async function select(page: Page, name: string) {
  const search = page.locator("#search");
  await search.fill(name);
  await search.press("Enter");
  await expect(page.locator(".inspector h3 .name")).toHaveText(name);
}

async function moveTo(page: Page, address: string) {
  await page.locator("#what-if-address").fill(address);
  await page.locator("#what-if-address").press("Enter");
}

async function show(page: Page, column: string) {
  const names = await page.locator(".pane").evaluateAll((panes) => panes.map((pane) => pane.getAttribute("data-strategy")));
  if (!names.includes(column)) await row(page, column).locator("input[type=checkbox]").check();
  for (const name of names) {
    if (name !== null && name !== column) await row(page, name).locator("input[type=checkbox]").uncheck();
  }
  await expect(page.locator(".pane")).toHaveCount(1);
  await ready(page);
}

test("an address is typed, judged, undone and done again", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  await expect(page.locator("#what-if-address")).toHaveValue("0x96");
  await moveTo(page, "0x100");
  expect(await arena(page, "offsets_by_size")).toBe(256 + 20);
  await moveTo(page, "90");
  await expect(pane(page, "offsets_by_size").locator(".faults")).toContainText("low");
  await page.locator("#undo").click();
  expect(await arena(page, "offsets_by_size")).toBe(276);
  await page.locator("#undo").click();
  expect(await arena(page, "offsets_by_size")).toBe(170);
  await page.locator(".stage").first().focus();
  await page.keyboard.press("Control+Shift+Z");
  expect(await arena(page, "offsets_by_size")).toBe(276);
  await page.keyboard.press("Control+z");
  expect(await arena(page, "offsets_by_size")).toBe(170);
  await moveTo(page, "somewhere");
  await expect(page.locator(".notice")).toContainText("no address");
});

test("a dragged rectangle snaps, and an illegal place names who is in the way", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  const stage = page.locator(".stage").first();
  const box = (await stage.boundingBox())!;
  // The picture shows 170 bytes and 6 steps; the hover card tells what is under the pointer.
  const at = await find(page, box, "mid");
  await page.mouse.move(at.x, at.y);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(at.x, at.y + 6, { steps: 2 });
  await page.mouse.move(at.x, at.y + box.height / 10, { steps: 6 });
  const outlook = page.locator(".outlook");
  await expect(outlook).toHaveClass(/busy/);
  await expect(outlook).toContainText("in the way: high");
  await page.mouse.move(at.x, at.y - 4, { steps: 4 });
  await expect(outlook).toContainText("free");
  // The nearest end of a free place: right behind high, where it was.
  await expect(outlook).toContainText("0x96");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  expect(await arena(page, "offsets_by_size")).toBe(170);
});

/** A point of the picture where the hover card names `buffer`. */
async function find(page: Page, box: { x: number; y: number; width: number; height: number }, buffer: string) {
  for (let down = 1; down < 30; down++) {
    const x = box.x + box.width * 0.4;
    const y = box.y + (box.height * down) / 30;
    await page.mouse.move(x, y);
    const card = page.locator(".stage .card").first();
    if ((await card.isVisible()) && (await card.textContent())?.includes(buffer)) return { x, y };
  }
  throw new Error(`${buffer} is nowhere`);
}

test("what is pinned stays while a strategy plans the rest", async ({ page }) => {
  await show(page, "naive");
  expect(await arena(page, "naive")).toBe(180);
  await select(page, "mid");
  await moveTo(page, "200");
  expect(await arena(page, "naive")).toBe(220);
  await page.locator("#what-if-pin").check();
  await expect(page.locator("#what-if-address")).toBeDisabled();
  await page.locator("#what-if-strategy").selectOption("offsets_by_size");
  await page.locator("#what-if-pins").click();
  // mid stays at 200 (0xc8), late goes right behind high; the arena cannot shrink.
  await expect(page.locator(".edited, .inspector .places")).toContainText("0xc8");
  await expect.poll(() => page.evaluate(() => location.hash)).toContain("late@150");
  expect(await arena(page, "naive")).toBe(220);
  await expect(page.locator("#what-if-address")).toHaveValue("0xc8");
  await page.locator("#what-if-pin").uncheck();
  await page.locator("#what-if-rest").click();
  await expect.poll(() => arena(page, "naive")).toBe(170);
});

test("two change places, and the edited plan is exported and shared", async ({ page }) => {
  await show(page, "naive");
  await select(page, "mid");
  await page.locator("#what-if-partner").click();
  await select(page, "late");
  await page.locator("#what-if-swap").click();
  // late (10 B) lies at 150 now, mid (20 B) at 170.
  await expect(page.locator("#what-if-address")).toHaveValue("0x96");
  expect(await arena(page, "naive")).toBe(190);
  await pane(page, "naive").locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, "naive").locator('[data-export="json"]').click(),
  ]);
  const json = JSON.parse(readFileSync(await download.path(), "utf8"));
  const offsets = Object.fromEntries(json.buffers.map((b: { name: string; offset: number }) => [b.name, b.offset]));
  expect(offsets).toEqual({ low: 0, high: 100, mid: 170, late: 150 });
  expect(json.arena).toBe(190);
});

test("a link carries what was changed by hand", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size");
  const before = await arena(page, "offsets_by_size");
  await page.locator(".stage").first().focus();
  await page.keyboard.press(".");
  const name = await page.locator(".inspector h3 .name").textContent();
  await moveTo(page, "0x10000000");
  await page.locator("#what-if-pin").check();
  const after = await arena(page, "offsets_by_size");
  expect(after).toBeGreaterThan(before);
  await expect.poll(() => page.evaluate(() => location.hash)).toContain("edit=offsets_by_size:");
  const link = await page.evaluate(() => location.hash);
  await page.goto("about:blank");
  await open(page, `/${link}`);
  await expect.poll(() => arena(page, "offsets_by_size")).toBe(after);
  await expect(page.locator(".inspector h3 .name")).toHaveText(name!);
  await expect(page.locator("#what-if-pin")).toBeChecked();
});
