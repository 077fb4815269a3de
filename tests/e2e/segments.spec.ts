// What an allocator held, segment by segment, and the way from there into the picture.

import type { Locator, Page } from "@playwright/test";
import { expect, open, plot, ready, test } from "./page";
import { choose, fragment, pane } from "./session";
import { barriers } from "./sight";
import { showView } from "./tasks.mjs";

const snapshot = "/#sample=torch_training";
const table = (page: Page) => page.locator(".segments table");
const rows = (page: Page) => table(page).locator("tbody tr");
const number = async (of: Locator, name: string) => Number(await of.getAttribute(name));

async function segments(page: Page) {
  await open(page, snapshot);
  await showView(page, "segments");
  await expect(rows(page)).not.toHaveCount(0);
}

test("the segments at the peak sum to the parts of what was reserved", async ({ page }) => {
  await segments(page);
  // The sample opens where a request failed.
  await page.locator(".segments").getByRole("button", { name: "Where most is reserved" }).click();
  const sums = table(page).locator("tfoot tr");
  const names = ["data-bytes", "data-used", "data-unused", "data-inside"];
  const [bytes, used, unused, inside] = await Promise.all(names.map((name) => number(sums, name)));
  const each = await rows(page).evaluateAll((all) => all.map((it) => [Number(it.dataset.bytes), Number(it.dataset.free)]));
  const sum = (place: number) => each.reduce((all, it) => all + it[place], 0);
  expect([sum(0), sum(1)]).toEqual([bytes, unused + inside]);
  expect(await barriers(page, ".segments")).toEqual([]);
  await showView(page, "waste");
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", String(bytes));
  const part = async (name: string) => {
    const row = page.locator(`.parts tr[data-part="${name}"]`);
    if ((await row.count()) === 0) return 0;
    // Where most was needed and most was reserved at two steps, the second column is of the latter.
    const reserved = row.locator("[data-fullest]");
    return (await reserved.count()) > 0 ? number(reserved, "data-fullest") : number(row, "data-bytes");
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
  await page.getByRole("button", { name: "Device address" }).click();
  // The keyboard goes from block to block of a segment.
  const first = rows(page).first();
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
  await expect.poll(() => fragment(page).get("select")).toBe(name);
  // A row leads into the picture: its bytes are in the middle of what is seen.
  await address.press("Enter");
  await expect.poll(() => fragment(page).get("view")).not.toBeNull();
  const [low, high] = /(0x[0-9a-f]+) to (0x[0-9a-f]+)/.exec((await address.getAttribute("title")) ?? "")!.slice(1).map(Number);
  const [, , from, to] = fragment(page).get("view")!.split(",").map(Number);
  expect(from).toBeLessThanOrEqual(low);
  expect(to).toBeGreaterThanOrEqual(high);
});

/** A pickle of protocol 2 of lists, dicts, texts and whole numbers. */
function pickled(value: unknown): number[] {
  if (typeof value === "string") return [0x58, ...bytes(4, value.length), ...Buffer.from(value)];
  if (typeof value === "number") return [0x8a, 8, ...bytes(8, value)];
  if (Array.isArray(value)) return [0x5d, 0x28, ...value.flatMap(pickled), 0x65];
  return [0x7d, 0x28, ...Object.entries(value as object).flat().flatMap(pickled), 0x75];
}

const bytes = (count: number, value: number) =>
  Array.from({ length: count }, (_, place) => Math.floor(value / 256 ** place) % 256);

test("a free segment above the highest block is seen, and answers", async ({ page }) => {
  // Of a segment of 20 MiB the first 3 are in use; of the next, nothing is.
  const [mib, address] = [2 ** 20, 0x7f00_0000_0000];
  const segment = (at: number, blocks: [number, string][]) => ({
    device: 0, address: address + at, total_size: 20 * mib, stream: 0, segment_type: "large",
    blocks: blocks.map(([size, state]) => ({ size: size * mib, requested_size: size * mib, state })),
  });
  const segments = [
    segment(0, [[3, "active_allocated"], [17, "inactive"]]),
    segment(64 * mib, [[20, "inactive"]]),
  ];
  const file = Buffer.from([0x80, 2, ...pickled({ segments, device_traces: [[]] }), 0x2e]);
  await open(page);
  await choose(page, "above.pickle", file);
  await ready(page);
  await showView(page, "segments");
  await expect(rows(page)).toHaveCount(2);
  const free = table(page).locator("tbody tr.free");
  await expect(free).toHaveCount(1);
  await expect(free).toContainText("0x7f0004000000");
  await expect(free).toContainText("wholly free");
  await showView(page, "waste");
  await page.locator('.parts tr[data-part="free_segments"] button').click();
  await page.locator(`.part-of [data-hole="${20 * mib}"]`).click();
  const spot = page.locator(".spot");
  await expect(spot).toHaveAttribute("data-high", String(40 * mib));
  await page.keyboard.press("Escape");
  await expect(spot).toHaveCount(0);
  // The upper half of the picture is that segment.
  const { x, y, width, height } = await plot(pane(page, "deployed"));
  await page.mouse.click(x + width / 2, y + height / 4);
  await expect(spot).toHaveAttribute("data-low", String(20 * mib));
});

test("the headline begins where most is needed, not where most is reserved", async ({ page }) => {
  // 100 MiB are taken for 10, and given back; then 60 for as many.
  const [mib, address] = [2 ** 20, 0x7f00_0000_0000];
  const event = (action: string, at: number, size: number) => ({ action, addr: address + at, size: size * mib, stream: 0 });
  const trace = [
    event("segment_alloc", 0, 100), event("alloc", 0, 10), event("free_requested", 0, 10), event("free_completed", 0, 10),
    event("segment_free", 0, 100), event("segment_alloc", 200 * mib, 60), event("alloc", 200 * mib, 60),
  ];
  const block = { size: 60 * mib, requested_size: 60 * mib, state: "active_allocated" };
  const segment = { device: 0, address: address + 200 * mib, total_size: 60 * mib, stream: 0, segment_type: "large", blocks: [block] };
  const file = Buffer.from([0x80, 2, ...pickled({ segments: [segment], device_traces: [trace] }), 0x2e]);
  await open(page);
  await choose(page, "apart.pickle", file);
  await ready(page);
  const says = "60.0 MiB deployed where most is needed, 100 MiB at most; no plan needs less";
  await expect(page.locator(".headline")).toContainText(says);
});

test("a plan without segments is not offered them, and a link to them says so", async ({ page }) => {
  await open(page, "/#sample=blazeface&tab=segments");
  await expect(page.locator(".sheet .empty")).toContainText("one address space");
  await showView(page, "waste");
  await expect(page.locator("#tab-held")).toBeVisible();
  await expect(page.locator("#tab-segments")).toHaveCount(0);
});

test("the picture is coloured by what is grouped, and a link keeps both", async ({ page }) => {
  await open(page, snapshot);
  await showView(page, "held");
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
