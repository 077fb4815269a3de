// The sample that is there at once: planned, compared, drawn.

import { readFileSync } from "node:fs";
import { chooseLook, expect, open, test } from "./page";
import { arena, bound, colors, document, fragment, pane, row } from "./session";

// What a second, independent implementation says of the sample.
const { models } = JSON.parse(readFileSync(new URL("../data/sample_figures.json", import.meta.url), "utf8"));
const expected = models.find((model: { file: string }) => model.file === "blazeface.onnx");

test("the first open shows a sample, planned and compared", async ({ page }) => {
  await open(page);
  await expect(document(page)).toHaveText("BlazeFace detector");
  expect(await bound(page)).toBe(expected.lb_offset);
  await expect(page.locator(".pane")).toHaveCount(2);
  expect(await arena(page, "offsets_by_size")).toBe(expected.off_gbs);
  expect(await arena(page, "offsets_in_order")).toBe(expected.off_inorder);
  expect(await arena(page, "naive")).toBe(expected.naive);
  await expect(row(page, "offsets_by_size")).not.toContainText("Optimal");
  await open(page, "/#sample=mobilenet_v2");
  await expect(row(page, "offsets_by_size")).toContainText("Optimal");
  expect(await page.locator(".compare tr[data-strategy]").count()).toBeGreaterThanOrEqual(43);
  expect(await colors(pane(page, "best"))).toBeGreaterThan(8);
});

test("strategies are shown and hidden side by side", async ({ page }) => {
  await open(page);
  // Without reuse beside the best plan, which meets the bound here.
  await expect(page.locator(".pane")).toHaveCount(2);
  expect(fragment(page).get("show")).toBe("naive,best");
  await row(page, "offsets_by_size").getByRole("checkbox").check();
  await expect(page.locator(".pane")).toHaveCount(3);
  expect(await colors(pane(page, "offsets_by_size"))).toBeGreaterThan(8);
  expect(fragment(page).get("show")).toContain("offsets_by_size");
  await pane(page, "offsets_by_size").getByRole("button", { name: /Hide/ }).click();
  await expect(page.locator(".pane")).toHaveCount(2);
});

test("the comparison sorts by any figure", async ({ page }) => {
  await open(page);
  const arenas = async () => {
    const cells = await page.locator(".compare [data-bytes]").all();
    return Promise.all(cells.map(async (cell) => Number(await cell.getAttribute("data-bytes"))));
  };
  const head = page.locator(".compare thead th", { hasText: "Arena" });
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "ascending");
  const up = await arenas();
  expect(up).toEqual(up.toSorted((a, b) => a - b));
  await head.getByRole("button").click();
  await expect(head).toHaveAttribute("aria-sort", "descending");
  const down = await arenas();
  expect(down).toEqual(down.toSorted((a, b) => b - a));
  expect(new Set(up).size, "figures that differ").toBeGreaterThan(3);
});

test("a chosen renderer draws, or says that it cannot", async ({ page }, info) => {
  await open(page, "/?renderer=wgpu");
  const gpu = info.project.name === "webgpu";
  await expect(page.locator("#renderer")).toHaveAttribute("data-webgpu", String(gpu));
  await expect(page.locator(".notice")).toHaveCount(gpu ? 0 : 1);
  const canvases = pane(page, "best").locator("canvas.rectangles");
  await expect(canvases.nth(1)).toBeVisible({ visible: gpu });
  await expect(canvases.nth(0)).toBeVisible({ visible: !gpu });
  expect(await colors(pane(page, "best"))).toBeGreaterThan(8);
});

test("the page speaks the browser's language, and another on request", async ({ page }) => {
  await open(page);
  await expect(page.getByRole("tab", { name: "Compare" })).toBeVisible();
  await chooseLook(page, "language", "zh-CN");
  await expect(page.getByRole("tab", { name: "比较" })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await page.reload();
  await expect(page.getByRole("tab", { name: "比较" })).toBeVisible();
});

test.describe("in a Chinese browser", () => {
  test.use({ locale: "zh-CN" });
  test("the page opens in Chinese", async ({ page }) => {
    await open(page);
    await expect(page.getByRole("tab", { name: "比较" })).toBeVisible();
  });
});
