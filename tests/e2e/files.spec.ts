// Files of one's own: opened, refused, bound, exported, read back.

import { readFileSync } from "node:fs";
import { expect, open, ready, test } from "./page";
import { arena, bound, choose, document, drop, fragment, pane, row, sample } from "./session";

test("a dropped model is planned, also without a network", async ({ page, context, trouble }) => {
  // The browser asks for the icon again whenever the address changes.
  trouble.expect(/(icon\.svg|console: Failed to load resource:) net::ERR_INTERNET_DISCONNECTED/);
  await open(page);
  await context.setOffline(true);
  await drop(page, "mine.onnx", sample("unet.onnx"));
  await expect(document(page)).toHaveText("mine.onnx");
  // Two full-resolution tensors of 64 channels around the last concatenation: 64 MiB.
  expect(await bound(page)).toBe(67_108_864);
  expect(await arena(page, "offsets_by_size")).toBe(67_108_864);
  expect(fragment(page).get("file")).toBe("mine.onnx");
});

test("a file's kind is told by its content, not by its name", async ({ page }) => {
  await open(page);
  await choose(page, "weights.png", sample("leading_gap.csv"));
  await expect(document(page)).toHaveText("weights.png");
  await expect(page.locator(".facts")).toContainText("Placement problem");
  // 100, 80 and 60 bytes; the first and the last never meet the middle one together.
  expect(await bound(page)).toBe(180);
  expect(await arena(page, "naive")).toBe(240);
});

test("a broken file is refused and what was open stays", async ({ page }) => {
  await open(page);
  const whole = sample("unet.onnx");
  await choose(page, "half.onnx", whole.subarray(0, whole.length >> 1));
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("half.onnx");
  await expect(alert).toContainText("What was open stays open");
  await expect(document(page)).toHaveText("BlazeFace detector");
  await choose(page, "empty.onnx", Buffer.alloc(0));
  await expect(alert).toContainText("empty");
  await choose(page, "photo.onnx", Buffer.from("\x89PNG\r\n\x1a\n not a model"));
  await expect(alert).toContainText("none of the formats");
  await page.keyboard.press("Escape");
  await expect(alert).toHaveCount(0);
});

test("a symbolic dimension is bound, replanned and remembered", async ({ page }) => {
  await open(page, "/#sample=transformer");
  const before = await arena(page, "naive");
  const field = page.locator('[data-symbol="sequence_length"]');
  await expect(field).toHaveValue("128");
  await field.fill("256");
  await field.blur();
  await expect.poll(() => arena(page, "naive")).toBeGreaterThan(before * 1.9);
  expect(fragment(page).get("bind")).toContain("sequence_length:256");
  const bound256 = await bound(page);
  // The whole state is in the link.
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await ready(page);
  await expect(field).toHaveValue("256");
  expect(await bound(page)).toBe(bound256);
});

test("an exported CSV and JSON read back to the same figures", async ({ page }) => {
  await open(page, "/#sample=blazeface");
  const figures = { arena: await arena(page, "greedy_in_order"), bound: await bound(page) };
  expect(figures.arena).toBeGreaterThan(figures.bound);
  for (const format of ["csv", "json"]) {
    await open(page, "/#sample=blazeface&show=greedy_in_order");
    const menu = pane(page, "greedy_in_order");
    await menu.locator("summary").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      menu.locator(`[data-export="${format}"]`).click(),
    ]);
    expect(download.suggestedFilename()).toContain("greedy_in_order");
    await choose(page, `again.${format}`, readFileSync(await download.path()));
    await expect(document(page)).toHaveText(`again.${format}`);
    expect(await arena(page, "deployed")).toBe(figures.arena);
    expect(await bound(page)).toBe(figures.bound);
  }
});

test("a picture is exported as SVG and as PNG", async ({ page }) => {
  await open(page);
  for (const [format, start] of [["svg", "<svg"], ["png", "\x89PNG"]] as const) {
    await pane(page, "best").locator("summary").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      pane(page, "best").locator(`[data-export="${format}"]`).click(),
    ]);
    const bytes = readFileSync(await download.path());
    expect(bytes.subarray(0, 200).toString("latin1")).toContain(start);
    expect(bytes.length).toBeGreaterThan(5_000);
    await page.keyboard.press("Escape");
  }
});

test("planning that takes long is cancelled", async ({ page }) => {
  test.setTimeout(150_000);
  await open(page);
  // The flow needs most of a minute for thousands of buffers of all sizes.
  let seed = 1;
  const next = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const rows = Array.from({ length: 4000 }, (_, id) => {
    const lower = next(4000);
    return `${id},${lower},${lower + 1 + next(60)},${64 * (1 + next(5000))}`;
  });
  await choose(page, "many.csv", Buffer.from(`id,lower,upper,size\n${rows.join("\n")}\n`));
  await expect(document(page)).toHaveText("many.csv");
  // What is asked for goes first, and cancelling ends everything that waits.
  const planned = row(page, "offsets_by_size").locator("[data-bytes]");
  await expect(planned).toHaveAttribute("data-bytes", /^[1-9]/, { timeout: 60_000 });
  // So many are given to the flow only on request.
  await row(page, "min_cost_flow").getByRole("button", { name: "Plan" }).click();
  await expect(row(page, "min_cost_flow")).toContainText("/", { timeout: 100_000 });
  await page.locator(".work").getByRole("button", { name: "Cancel" }).click();
  await ready(page);
  await expect(row(page, "min_cost_flow")).toContainText("Cancelled");
  // What was planned before stays, and the page goes on.
  expect(await arena(page, "offsets_by_size")).toBeGreaterThan(0);
  await page.locator("#samples").selectOption("leading_gap");
  expect(await arena(page, "naive")).toBe(240);
});
