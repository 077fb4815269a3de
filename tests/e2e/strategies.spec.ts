// Thirty-nine strategies, what they are planned for, and how long: the list, the bounds, the
// price of running in parallel, pools, effort, and the link that carries all of it.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { chooseLook, expect, open, openAdvanced, ready, test } from "./page";
import { csv, cutRectangle, seeded } from "./cut_rectangle.mjs";
import { arena, bound, choose, document, fragment, pane, row } from "./session";
import { showView } from "./tasks.mjs";

const { models } = JSON.parse(readFileSync(new URL("../data/sample_figures.json", import.meta.url), "utf8"));
const blazeface = models.find((model: { file: string }) => model.file === "blazeface.onnx");

const rows = (page: Page) => page.locator(".compare tr[data-strategy]");
const groups = (page: Page) => page.locator(".compare tr.group");

/** A full rectangle of `capacity` × `steps` cut into pieces: the bound is `capacity`, and reached. */
function cut(count: number, steps: number, capacity: number): string {
  return csv(cutRectangle(seeded(7), count, steps, capacity));
}

test("the best plan is what a document opens with", async ({ page }) => {
  await open(page);
  await expect(pane(page, "best")).toBeVisible();
  const best = await arena(page, "best");
  expect(best).toBeGreaterThanOrEqual(blazeface.lb_offset);
  // No plan that a strategy has made is smaller.
  for (const cell of await page.locator(".compare [data-bytes]").all()) {
    expect(Number(await cell.getAttribute("data-bytes"))).toBeGreaterThanOrEqual(best);
  }
});

test("the list is grouped, folded, filtered and sorted", async ({ page }) => {
  await open(page);
  await expect(rows(page)).toHaveCount(43);
  await expect(groups(page)).toHaveCount(7);
  const searches = groups(page).filter({ hasText: "Searches" }).getByRole("button");
  await searches.focus();
  await page.keyboard.press("Enter");
  await expect(searches).toHaveAttribute("aria-expanded", "false");
  await expect(row(page, "exact")).toHaveCount(0);
  await page.keyboard.press("Enter");
  await expect(row(page, "exact")).toHaveCount(1);
  await page.locator("#filter").fill("XLA");
  await expect(rows(page)).toHaveCount(3);
  await expect(groups(page)).toHaveCount(1);
  await expect(page.locator(".filter output")).toHaveText("3 of 43 strategies");
  await page.locator("#filter").fill("nothing is called so");
  await expect(rows(page)).toHaveCount(0);
  await expect(page.getByRole("tabpanel")).toContainText("No strategy has this in its name");
  await page.locator("#filter").fill("");
  await page.locator(".compare thead th", { hasText: "Arena" }).getByRole("button").click();
  await expect(groups(page)).toHaveCount(0);
  await expect(rows(page)).toHaveCount(43);
});

test("a row opens on source, model, cost and what is honoured, in both languages", async ({ page }) => {
  await open(page);
  await row(page, "coloring_dsatur").locator(".name").click();
  const facts = page.locator(".about-strategy");
  await expect(facts).toContainText("Brélaz 1979");
  await expect(facts).toContainText("shared objects");
  await expect(facts).toContainText("O((n + conflicts) log n)");
  await expect(facts).toContainText("Refuses");
  const english = new Set(await page.locator(".compare .about").allInnerTexts());
  expect(english.size, "a sentence of its own for each").toBe(43);
  await chooseLook(page, "language", "zh-CN");
  await expect(facts).toContainText("共享对象");
  const chinese = new Set(await page.locator(".compare .about").allInnerTexts());
  expect(chinese.size).toBe(43);
  for (const sentence of chinese) expect(sentence).toMatch(/[\u4e00-\u9fff]/);
});

test("on a phone the list is usable", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page);
  // A narrow screen opens one group; the others are a tap away.
  await expect(row(page, "best")).toBeVisible();
  await expect(row(page, "tflm_greedy")).toHaveCount(0);
  await groups(page).filter({ hasText: "deploy" }).getByRole("button").click();
  await expect(row(page, "tflm_greedy")).toBeVisible();
  // What the filter leaves is seen, open or not.
  await page.locator("#filter").fill("skyline");
  await row(page, "skyline").getByRole("checkbox").check();
  await expect(pane(page, "skyline")).toBeVisible();
  const box = await row(page, "skyline").boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
});

test("the price of running in parallel is measured, and is that of both plans", async ({ page }) => {
  await open(page);
  const price = page.locator(".price");
  await expect(price).toHaveAttribute("data-price", /^\d+,\d+$/, { timeout: 60_000 });
  const figures = (await price.getAttribute("data-price")) ?? "";
  const [safe, serial] = figures.split(",").map(Number);
  // Skip connections and the work beside them cannot share what they hold.
  expect(safe).toBeGreaterThan(serial);
  await expect(price).toContainText("more than serial");
  expect(await arena(page, "best")).toBe(serial);
  await page.locator("#parallel").selectOption("free");
  await expect.poll(() => arena(page, "best")).toBe(safe);
  expect(fragment(page).get("parallel")).toBe("free");
  await page.goBack();
  await expect.poll(() => arena(page, "best")).toBe(serial);
  await expect(page.locator("#parallel")).toHaveValue("serial");
});

test("what does not fit into the first pool goes to the next", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size");
  const single = await arena(page, "offsets_by_size");
  await openAdvanced(page);
  await page.locator("#add-pool").click();
  const shown = pane(page, "offsets_by_size");
  // 256 KiB of SRAM hold none of the three largest tensors of 448 KiB.
  await expect(shown.locator(".pool-used").first()).toContainText("/ 256 KiB");
  await expect(shown.locator(".pool-used")).toHaveCount(2);
  const spilled = async () => Number(await shown.locator(".spilled").getAttribute("data-spilled"));
  expect(await spilled()).toBeGreaterThanOrEqual(3 * 448 * 1024);
  await expect(shown).not.toContainText("Invalid");
  expect(fragment(page).get("pools")).toBe("SRAM:262144,DRAM");
  // Shared objects know no pools, and say so where their figures would be.
  await expect(row(page, "greedy_in_order").locator(".why")).toContainText("cannot plan");
  const capacity = page.locator(".pool-capacity").first();
  await capacity.fill("much");
  await capacity.blur();
  await expect(page.locator(".notice")).toContainText("number of bytes");
  await expect(capacity).toHaveValue("256 KiB");
  await capacity.fill("2 MiB");
  await capacity.blur();
  await expect(shown.locator(".spilled")).toHaveCount(0);
  await expect.poll(() => arena(page, "offsets_by_size")).toBe(single);
  await page.getByRole("button", { name: "Remove DRAM" }).click();
  await page.getByRole("button", { name: "Remove SRAM" }).click();
  await ready(page);
  await expect(shown.locator(".pool-used")).toHaveCount(0);
  expect(fragment(page).get("pools")).toBeNull();
});

test("a search that is stopped keeps its best plan and can go on", async ({ page }) => {
  test.setTimeout(180_000);
  await open(page);
  await choose(page, "hard.csv", Buffer.from(cut(400, 300, 1 << 20)));
  await expect(document(page)).toHaveText("hard.csv");
  expect(await bound(page)).toBe(1 << 20);
  await openAdvanced(page);
  await page.locator("#effort").selectOption("thorough");
  expect(fragment(page).get("effort")).toBe("50000000,500000");
  const best = row(page, "best");
  // Stopped before there is any plan, it would have nothing to keep.
  await expect(best).toContainText("Searching", { timeout: 60_000 });
  await best.getByRole("button", { name: /Stop/ }).click();
  await expect(best).toContainText("Stopped");
  await expect(pane(page, "best")).not.toContainText("Invalid");
  await row(page, "exact").getByRole("checkbox").check();
  const exact = row(page, "exact");
  await expect(exact).toContainText("Searching", { timeout: 60_000 });
  await exact.getByRole("button", { name: /Stop/ }).click();
  await expect(exact).toContainText("Stopped");
  await expect(pane(page, "exact")).toContainText("Stopped");
  await expect(pane(page, "exact")).not.toContainText("Invalid");
  const kept = Number(await exact.locator("[data-bytes]").getAttribute("data-bytes"));
  expect(kept).toBeGreaterThanOrEqual(1 << 20);
  await exact.getByRole("button", { name: /Search again/ }).click();
  await expect(exact).toContainText("Searching");
  // What was kept stays in view until something smaller is found.
  const now = Number(await exact.locator("[data-bytes]").getAttribute("data-bytes"));
  expect(now).toBeLessThanOrEqual(kept);
  await exact.getByRole("button", { name: /Stop/ }).click();
  await expect(exact).toContainText("Stopped");
});

test("what is large is planned on request", async ({ page }) => {
  await open(page);
  let seed = 3;
  const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const lines = Array.from({ length: 1500 }, (_, id) => `${id},${id},${id + 1 + next(9)},${64 * (1 + next(99))}`);
  await choose(page, "many.csv", Buffer.from(`id,lower,upper,size\n${lines.join("\n")}\n`));
  await expect(document(page)).toHaveText("many.csv");
  // The flow's time grows with the cube of the buffers, a search's with its effort.
  for (const name of ["min_cost_flow", "exact"]) {
    await expect(row(page, name).getByRole("button", { name: /^Plan/ })).toBeVisible();
  }
  await expect(row(page, "equality").locator("[data-bytes]")).toHaveAttribute("data-bytes", /^\d+$/);
});

test("a link carries every choice about planning", async ({ page }) => {
  const choices = {
    io: "litert",
    passes: "in_place",
    parallel: "streams",
    pools: "fast%20one:65536,DRAM",
    effort: "1000,50",
  };
  const link = Object.entries(choices).map(([key, value]) => `${key}=${value}`).join("&");
  await open(page, `/#sample=blazeface&show=offsets_by_size&${link}`);
  await expect(page.locator("#io")).toHaveValue("litert");
  await showView(page, "stages");
  await expect(page.locator("#in-place")).toBeChecked();
  await showView(page, "compare");
  await expect(page.locator("#parallel")).toHaveValue("streams");
  await expect(page.locator(".pool-name").first()).toHaveValue("fast one");
  await expect(page.locator(".pool-capacity").first()).toHaveValue("64 KiB");
  await expect(page.locator(".pool-capacity").nth(1)).toHaveValue("");
  await expect(page.locator("#effort-nodes")).toHaveValue("1000");
  await expect(page.locator("#effort-moves")).toHaveValue("50");
  await expect(page.locator("#effort")).toHaveValue("own");
  for (const [key, value] of Object.entries(choices)) {
    expect(fragment(page).get(key)).toBe(decodeURIComponent(value));
  }
  const figure = await arena(page, "offsets_by_size");
  await page.reload();
  await ready(page);
  expect(await arena(page, "offsets_by_size")).toBe(figure);
  await showView(page, "stages");
  await page.locator("#in-place").uncheck();
  await ready(page);
  expect(fragment(page).get("passes")).toBeNull();
  await page.goBack();
  await expect(page.locator("#in-place")).toBeChecked();
  await showView(page, "compare");
  await expect.poll(() => arena(page, "offsets_by_size")).toBe(figure);
});

test("links from before there was one key for all passes still open", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size&fuse=activations&in_place=yes");
  await showView(page, "stages");
  await expect(page.locator("#fusion")).toBeChecked();
  await expect(page.locator("#in-place")).toBeChecked();
  await page.locator("#fusion").uncheck();
  await ready(page);
  expect(fragment(page).get("passes")).toBe("in_place");
  expect(fragment(page).get("in_place")).toBeNull();
});

/** `b` fits into the gap of `a`; `c` has a fixed address that no alignment of 64 gives. */
const ASKING = "id,lower,upper,size,gaps,fixed,pools\na,0,4,64,1-3,,\nb,1,3,64,,,1 0\nc,5,6,64,,100,\n";

test("what a strategy leaves unused is said in its row, its pane and the inspector", async ({ page }) => {
  await open(page);
  await choose(page, "asking.csv", Buffer.from(ASKING));
  await expect(document(page)).toHaveText("asking.csv");
  await ready(page);
  await expect(row(page, "tflm_greedy").locator(".unused")).toHaveText("gaps unused");
  await expect(row(page, "best").locator(".unused")).toHaveCount(0);
  await row(page, "tflm_greedy").getByRole("checkbox").check();
  await expect(pane(page, "tflm_greedy").locator(".unused")).toHaveText("gaps unused");
  await page.locator("#search").fill("a");
  await page.keyboard.press("Enter");
  const inspector = page.locator(".inspector");
  await expect(inspector).toContainText("steps 1 to 2 (2): nothing needed");
  await expect(inspector.locator(".unused")).toHaveText("tflm_greedy: gaps unused");
  // The file names pools that nobody has chosen, and then too few of them.
  await expect(page.locator(".pools-wanted")).toContainText("Add pools");
  await openAdvanced(page);
  await page.locator("#add-pool").click();
  await expect(page.locator(".pools-wanted")).toHaveCount(0);
});

test("a fixed address off the alignment is kept, and said", async ({ page }) => {
  await open(page);
  await choose(page, "asking.csv", Buffer.from(ASKING));
  await expect(document(page)).toHaveText("asking.csv");
  await expect(page.locator(".unaligned")).toHaveCount(0);
  await page.locator("#alignment").selectOption("64");
  await expect(page.locator(".unaligned")).toHaveText(
    "1 fixed address is no multiple of the alignment and is kept all the same: “c” at 100 B (0x64).",
  );
  await ready(page);
  await expect(pane(page, "best")).not.toContainText("Invalid");
  await page.locator("#alignment").selectOption("1");
  await expect(page.locator(".unaligned")).toHaveCount(0);
});

test("with pools the page says what is proved", async ({ page }) => {
  await open(page);
  // 12 + 8 bytes at step 1 in a pool of 16: 4 are too many, and what leaves is whole.
  await choose(page, "pools.csv", Buffer.from("id,lower,upper,size\na,0,2,12\nb,1,3,8\nc,1,2,6\n"));
  await expect(document(page)).toHaveText("pools.csv");
  await openAdvanced(page);
  await page.locator("#add-pool").click();
  const capacity = page.locator(".pool-capacity").first();
  const figures = pane(page, "best").locator(".figures");
  // Everything fits: nothing moves, and the sum is the bound of 26.
  await capacity.fill("32");
  await capacity.blur();
  await expect(figures).toContainText("Optimal (bound met, fewest bytes moved)");
  // 26 - 16 = 10 are too many; 12 is the least that whole buffers add up to.
  await capacity.fill("16");
  await capacity.blur();
  await expect(figures).toContainText("At least 10 B must move");
  // 26 - 20 = 6 are too many, and c has just that.
  await capacity.fill("20");
  await capacity.blur();
  await expect(figures).toContainText("Optimal (bound met, fewest bytes moved)");
  await expect(figures.locator(".spilled")).toHaveText("6 B spilled");
});

test("a plan larger than no reuse says why it may be", async ({ page }) => {
  await open(page);
  await choose(page, "bytes.csv", Buffer.from("id,lower,upper,size\na,0,2,1\nb,0,2,1\n"));
  await expect(document(page)).toHaveText("bytes.csv");
  await ready(page);
  const mark = row(page, "tensorflow_bfc").locator(".above-naive");
  await expect(mark).toHaveText("Larger than naive");
  await expect(mark).toHaveAttribute("title", /whole blocks/);
  await expect(row(page, "offsets_by_size").locator(".above-naive")).toHaveCount(0);
  await row(page, "usmp_by_size").locator("button.name").click();
  await expect(page.locator(".about-strategy")).toContainText("padding");
});

test("what a link says wrongly is named, and the rest holds", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best,fastest&align=7&io=outside&effort=0,50&colour=red&view=1,2&pools=SRAM:65536,:7");
  const notice = page.locator(".notice");
  for (const part of [
    "“show=fastest”: known: the names in the table",
    "“align=7”: known: powers of two",
    "“io=outside”: known: beside, pinned, litert, tflm",
    "“effort=0,50”: known: two whole numbers",
    "“colour=red”: known: sample, file",
    "“view=1,2”: known: four numbers",
    "“pools=:7”: known: names",
  ]) {
    await expect(notice).toContainText(part);
  }
  await expect(page.locator("#alignment")).toHaveValue("64");
  await expect(pane(page, "best")).toHaveCount(1);
  await expect(page.locator(".pane")).toHaveCount(1);
  await expect(page.locator(".pool-capacity").first()).toHaveValue("64 KiB");
  expect(fragment(page).get("align")).toBeNull();
  // A link without faults says nothing, one that names no tensor of the file does.
  await page.goto("/#sample=blazeface&show=best&align=256");
  await expect(page.locator("#alignment")).toHaveValue("256");
  await expect(notice).toHaveCount(0);
  await page.goto("/#sample=leading_gap&show=best,deployed&select=nobody");
  await expect(notice).toContainText("“select=nobody”");
  await expect(notice).toContainText("“show=deployed”");
});

test("an effort out of range is refused with the range beside the field", async ({ page }) => {
  await open(page);
  await openAdvanced(page);
  const nodes = page.locator("#effort-nodes");
  const before = await nodes.inputValue();
  await expect(page.locator("#effort-nodes-range")).toHaveText("at least 1");
  await nodes.fill("0");
  await nodes.blur();
  await expect(page.locator(".notice")).toContainText("at least 1");
  await expect(nodes).toHaveValue(before);
});
