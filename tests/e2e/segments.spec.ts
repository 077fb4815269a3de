// What an allocator held, segment by segment, and the way from there into the picture.

import type { Locator, Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { fragment, pane } from "./session";

const snapshot = "/#sample=torch_training";
const table = (page: Page) => page.locator(".segments table");
const rows = (page: Page) => table(page).locator("tbody tr");
const number = async (of: Locator, name: string) => Number(await of.getAttribute(name));

async function segments(page: Page) {
  await open(page, snapshot);
  await page.getByRole("tab", { name: "Segments" }).click();
  await expect(rows(page)).not.toHaveCount(0);
}

test("the segments at the peak sum to the parts of what was reserved", async ({ page }) => {
  await segments(page);
  const sums = table(page).locator("tfoot tr");
  const names = ["data-bytes", "data-used", "data-unused", "data-inside"];
  const [bytes, used, unused, inside] = await Promise.all(names.map((name) => number(sums, name)));
  const each = await rows(page).evaluateAll((all) => all.map((it) => [Number(it.dataset.bytes), Number(it.dataset.free)]));
  const sum = (place: number) => each.reduce((all, it) => all + it[place], 0);
  expect([sum(0), sum(1)]).toEqual([bytes, unused + inside]);
  await page.getByRole("tab", { name: "Waste" }).click();
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", String(bytes));
  const part = async (name: string) => {
    const row = page.locator(`.parts tr[data-part="${name}"]`);
    return (await row.count()) > 0 ? number(row, "data-bytes") : 0;
  };
  expect(await part("needed") + await part("padding") + await part("pending")).toBe(used);
  expect([await part("free_segments"), await part("free_inside")]).toEqual([unused, inside]);
});

test("segments are sorted, shown in the picture, and their blocks chosen", async ({ page }) => {
  await segments(page);
  const sizes = () => rows(page).evaluateAll((all) => all.map((it) => Number(it.dataset.bytes)));
  const size = page.getByRole("button", { name: "Size", exact: true });
  await size.click();
  const rising = await sizes();
  expect(rising).toEqual([...rising].sort((a, b) => a - b));
  await size.click();
  expect(await sizes()).toEqual([...rising].sort((a, b) => b - a));
  // The keyboard goes from block to block of a segment.
  const first = rows(page).filter({ has: page.locator("svg path:not(.there)") }).first();
  const address = first.getByRole("button");
  await address.focus();
  await page.keyboard.press("ArrowRight");
  await expect(first).toHaveAttribute("aria-current", "true");
  const chosen = fragment(page).get("select");
  expect(chosen).not.toBeNull();
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => fragment(page).get("select")).not.toBe(chosen);
  // The pointer finds what lies under it, and a click chooses it.
  const bar = first.locator("svg");
  const box = (await bar.boundingBox())!;
  await page.mouse.move(box.x + 2, box.y + box.height / 2);
  await expect(page.locator(".segments .card")).toBeVisible();
  const name = await page.locator(".segments .card b").textContent();
  await page.mouse.click(box.x + 2, box.y + box.height / 2);
  if (await page.locator(".segments .card dl").count()) {
    await expect.poll(() => fragment(page).get("select")).toBe(name);
  }
  // A row leads into the picture: its bytes are in the middle of what is seen.
  await address.press("Enter");
  await expect.poll(() => fragment(page).get("view")).not.toBeNull();
  const [low, high] = /(0x[0-9a-f]+) to (0x[0-9a-f]+)/.exec((await address.getAttribute("title")) ?? "")!.slice(1).map(Number);
  const [, , from, to] = fragment(page).get("view")!.split(",").map(Number);
  expect(from).toBeLessThanOrEqual(low);
  expect(to).toBeGreaterThanOrEqual(high);
});

test("a segment above the highest block is seen, and its free bytes answer", async ({ page }) => {
  await segments(page);
  const free = table(page).locator("tbody tr.free");
  await expect(free.first()).toContainText("wholly free");
  await page.getByRole("tab", { name: "Waste" }).click();
  await page.locator('.parts tr[data-part="free_segments"] button').click();
  const hole = page.locator(".part-of [data-hole]").last();
  const low = await number(hole, "data-hole");
  await hole.click();
  await expect(page.locator(".spot")).toHaveAttribute("data-low", String(low));
});

test("a plan without segments says so", async ({ page }) => {
  await open(page, "/#sample=blazeface");
  await page.getByRole("tab", { name: "Segments" }).click();
  await expect(page.locator(".sheet .empty")).toContainText("one address space");
});

test("the picture is coloured by what is grouped, and a link keeps both", async ({ page }) => {
  await open(page, snapshot);
  await page.getByRole("tab", { name: "Held by" }).click();
  await page.locator("#held-by").selectOption("caller");
  await page.locator(".held .paint").click();
  await expect(page.locator("#coloring")).toHaveValue("caller");
  // Nothing colours by the innermost frame.
  await page.locator("#held-by").selectOption("frame");
  await expect(page.locator(".held .paint")).toHaveCount(0);
  await page.locator("#held-when").selectOption("end");
  await expect.poll(() => fragment(page).get("when")).toBe("end");
  await page.reload();
  await ready(page);
  await expect(page.locator("#held-when")).toHaveValue("end");
  await expect(page.locator("#held-by")).toHaveValue("frame");
  await expect(page.locator("#coloring")).toHaveValue("caller");
  await expect(pane(page, "deployed")).toBeVisible();
});
