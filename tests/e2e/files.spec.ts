// Files of one's own: opened, refused, bound, exported, read back.

import { readFileSync } from "node:fs";
import { expect, open, ready, settled, test } from "./page";
import { arena, bound, choose, document, drop, fragment, pane, row, sample } from "./session";

test("a dropped model is planned, also without a network", async ({ page, context }) => {
  await open(page);
  await settled(page);
  // Nothing is asked for any longer, not even the icon when the address changes.
  const asked: string[] = [];
  context.on("request", (request) => asked.push(request.url()));
  await context.setOffline(true);
  await drop(page, "mine.onnx", sample("unet.onnx"));
  await expect(document(page)).toHaveText("mine.onnx");
  // Two full-resolution tensors of 64 channels around the last concatenation: 64 MiB.
  expect(await bound(page)).toBe(67_108_864);
  expect(await arena(page, "offsets_by_size")).toBe(67_108_864);
  expect(fragment(page).get("file")).toBe("mine.onnx");
  expect(asked.filter((url) => url.startsWith("http"))).toEqual([]);
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

test("dimensions that the file leaves open are said to be set to 1", async ({ page }) => {
  await open(page);
  await drop(page, "mine.onnx", sample("transformer.onnx"));
  await expect(document(page)).toHaveText("mine.onnx");
  const said = page.locator(".document .unbound");
  await expect(said).toContainText("The file leaves 2 dimensions open");
  await expect(said).toContainText("batch, sequence_length");
  await expect(said).toContainText("enter the real ones");
  for (const [symbol, value, left] of [["sequence_length", "128", 1], ["batch", "4", 0]] as const) {
    const field = page.locator(`[data-symbol="${symbol}"]`);
    await field.fill(value);
    await field.blur();
    await expect(said).toHaveCount(left);
    if (left) await expect(said).toContainText("The file leaves 1 dimension open, set to 1 here: batch.");
  }
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

/** Two fixed buffers that both need bytes 32 to 63 at steps 3 and 4. */
const COLLIDING = "id,lower,upper,size,fixed\nweights,0,9,64,0\nfree,0,2,8,\nstate,3,5,64,32\n";

test("fixed addresses that collide are said once for the document", async ({ page }) => {
  await open(page);
  await choose(page, "colliding.csv", Buffer.from(COLLIDING));
  await expect(document(page)).toHaveText("colliding.csv");
  const alert = page.locator(".notice.clash");
  await expect(alert).toHaveCount(1);
  for (const part of ["“weights” is fixed at 0 B", "“state” is fixed at 32 B", "steps 3 to 4", "at step 3"]) {
    await expect(alert).toContainText(part);
  }
  await ready(page);
  // Nobody plans, nobody is judged: no row has a figure, and all refer to the one sentence.
  await expect(page.locator(".compare [data-bytes]")).toHaveCount(0);
  await expect(page.locator(".violations")).toHaveCount(0);
  // Nor does a picture of what was open before stay behind.
  await expect(pane(page, "best").locator("canvas.rectangles").first()).toBeHidden();
  for (const name of ["best", "offsets_by_size", "naive"]) {
    await expect(row(page, name).locator(".why")).toHaveText(/fixed addresses collide/);
  }
  // A file that can be planned takes the sentence away.
  await choose(page, "apart.csv", Buffer.from(COLLIDING.replace("64,32", "64,64")));
  await expect(document(page)).toHaveText("apart.csv");
  await expect(alert).toHaveCount(0);
  expect(await arena(page, "best")).toBe(128);
});

test("a malformed cell names file, line and column and shows how it is written", async ({ page }) => {
  await open(page);
  const alert = page.getByRole("alert");
  for (const [column, cell, example] of [
    ["pools", "fast", '"1 0"'],
    ["gaps", "3..5", '"3-5 7-9@0:64"'],
    ["fixed", "4k", '"4096"'],
  ]) {
    const name = `${column}.csv`;
    await choose(page, name, Buffer.from(`id,lower,upper,size,${column}\na,0,9,64,\nb,0,9,64,${cell}\n`));
    for (const part of [name, "line 3", `column "${column}"`, `"${cell}"`, example]) {
      await expect(alert).toContainText(part);
    }
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  const help = page.getByRole("dialog");
  await expect(help).toContainText("Columns of a CSV");
  await expect(help.locator(".columns").first()).toContainText("The pools that it may live in");
});

test("faults call buffers by their names and count rightly", async ({ page }) => {
  await open(page);
  const rows = "id,lower,upper,size,name,offset\n7,0,3,4,conv,0\n9,2,9,8,relu,2\n";
  await choose(page, "broken.csv", Buffer.from(rows));
  const faults = pane(page, "deployed").locator(".violations");
  await expect(faults).toContainText("(1 fault):");
  await expect(faults.locator("li")).toHaveText("conv and relu are live at the same step and share bytes.");
  await choose(page, "one.csv", Buffer.from("id,lower,upper,size\na,0,1,4\n"));
  await expect(page.locator(".facts")).toContainText("1 tensor to place");
  await expect(page.locator(".facts")).toContainText("1 step");
  await expect(page.locator(".facts")).not.toContainText("1 steps");
});
