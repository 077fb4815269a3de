// Looking around: select, search, zoom, go back, with the mouse and with the keyboard alone.

import { expect, open, ready, test } from "./page";
import { arena, bound, choose, fragment, pane } from "./session";
import { barriers } from "./sight";
import { showView, VIEWS } from "./tasks.mjs";

test("a click selects everywhere, and the link remembers it", async ({ page }) => {
  await open(page);
  const stage = pane(page, "best").locator(".stage");
  await stage.focus();
  await page.keyboard.press(".");
  const name = await page.locator(".inspector .name").innerText();
  expect(name.length).toBeGreaterThan(1);
  expect(fragment(page).get("select")).toBe(name);
  await page.reload();
  await ready(page);
  await expect(page.locator(".inspector .name")).toHaveText(name);
  // Zoomed to the selection, it fills the middle: a click there selects it again.
  await stage.focus();
  await page.keyboard.press("f");
  await page.keyboard.press("Escape");
  await expect(page.locator(".inspector .name")).toHaveCount(0);
  const box = await stage.boundingBox();
  if (!box) throw new Error("no picture");
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await expect(page.locator(".inspector .name")).toHaveText(name);
});

test("copying says what the browser let it do", async ({ page, context }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size");
  const copy = async () => {
    await pane(page, "offsets_by_size").locator("summary").click();
    await page.locator('.pane [data-export="copy"]').first().click();
  };
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await copy();
  await expect(page.locator(".notice")).toHaveText(/Copied/);
  // The sample's arena by size, from tests/data/sample_figures.json.
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("1835008 B");
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error("refused"));
  });
  await copy();
  await expect(page.locator(".notice")).toHaveText(/did not allow/);
});

test("a bound shows its witness", async ({ page }) => {
  await open(page);
  const stage = pane(page, "best").locator(".stage");
  const plain = await stage.screenshot();
  await page.locator('.bound[data-kind="live"]').click();
  await expect(page.locator('.bound[data-kind="live"]')).toHaveAttribute("aria-pressed", "true");
  // Three tensors of 448 KiB around the second block's addition make the bound.
  const witness = page.locator(".inspector .witness li");
  await expect(witness).toHaveText([/448 KiB/, /448 KiB/, /448 KiB/]);
  expect(await bound(page)).toBe(3 * 448 * 1024);
  await expect.poll(async () => (await stage.screenshot()).equals(plain), "lit").toBe(false);
  await page.keyboard.press("Escape");
  await expect(page.locator('.bound[data-kind="live"]')).toHaveAttribute("aria-pressed", "false");
  // Another witness: one tensor for each of the positional maxima.
  await page.locator('.bound[data-kind="maxima"]').click();
  expect(await witness.count()).toBeGreaterThan(2);
  // They are the largest, second largest, … of all steps: there is no step that has them.
  await expect(page.locator(".inspector h3").first()).toContainText("need not be live at the same step");
  await expect(page.locator(".inspector .witness")).not.toHaveAttribute("data-step");
});

test("pointing shows a card", async ({ page }) => {
  await open(page);
  const stage = pane(page, "best").locator(".stage");
  await stage.focus();
  await page.keyboard.press(".");
  await page.keyboard.press("f");
  const box = await stage.boundingBox();
  if (!box) throw new Error("no picture");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await expect(stage.locator(".card")).toBeVisible();
  await expect(stage.locator(".card")).toContainText("B");
});

test("the search finds, goes through and clears", async ({ page }) => {
  await open(page);
  await page.keyboard.press("/");
  await expect(page.locator("#search")).toBeFocused();
  await page.keyboard.type("relu");
  await expect(page.locator(".search output")).toContainText(/^[1-9]\d* of \d+, /);
  await page.keyboard.press("Enter");
  const first = await page.locator(".inspector .name").innerText();
  expect(first.toLowerCase()).toContain("relu");
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector .name")).not.toHaveText(first);
  await page.keyboard.press("Shift+Enter");
  await expect(page.locator(".inspector .name")).toHaveText(first);
});

test("the wheel zooms both axes, with Shift only time, with Control only memory", async ({ page }) => {
  await open(page);
  const box = await pane(page, "best").locator(".stage").boundingBox();
  if (!box) throw new Error("no picture");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const view = () => fragment(page).get("view")?.split(",").map(Number) ?? [];
  const size = ([x0, x1, y0, y1]: number[]) => [x1 - x0, y1 - y0];
  await page.mouse.wheel(0, -300);
  await expect.poll(() => view().length).toBe(4);
  const [width, height] = size(view());
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Shift");
  await expect.poll(() => size(view())[0]).toBeLessThan(width * 0.9);
  expect(size(view())[1] / height).toBeCloseTo(1, 2);
  const narrow = size(view())[0];
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await expect.poll(() => size(view())[1]).toBeLessThan(height * 0.9);
  expect(size(view())[0] / narrow).toBeCloseTo(1, 2);
  await page.keyboard.press("0");
  await expect.poll(() => fragment(page).get("view")).toBeNull();
});

test("back and forward undo and redo what changes the comparison", async ({ page }) => {
  await open(page);
  const plain = await arena(page, "naive");
  await page.locator("#io").selectOption("pinned");
  await expect.poll(() => arena(page, "naive")).toBeGreaterThan(plain);
  const pinned = await arena(page, "naive");
  await page.locator("#samples").selectOption("unet");
  await expect(page.locator(".document .file")).toHaveText("U-Net");
  await page.goBack();
  await expect(page.locator(".document .file")).toHaveText("BlazeFace detector");
  await expect.poll(() => arena(page, "naive")).toBe(pinned);
  await page.goBack();
  await expect.poll(() => arena(page, "naive")).toBe(plain);
  await page.goForward();
  await expect.poll(() => arena(page, "naive")).toBe(pinned);
});

test("back and forward find files of one's own again", async ({ page }) => {
  await open(page);
  const csv = (size: number) => Buffer.from(`id,lower,upper,size\na,0,2,${size}\nb,1,3,${size}\n`);
  await choose(page, "first.csv", csv(100));
  await expect.poll(() => arena(page, "naive")).toBe(200);
  await choose(page, "second.csv", csv(64));
  await expect.poll(() => arena(page, "naive")).toBe(128);
  // Another file of the same name is another one.
  await choose(page, "first.csv", csv(16));
  await expect.poll(() => arena(page, "naive")).toBe(32);
  const seen = [["second.csv", 128], ["first.csv", 200], ["BlazeFace detector", null]] as const;
  for (const [name, bytes] of seen) {
    await page.goBack();
    await expect(page.locator(".document .file")).toHaveText(name);
    if (bytes) await expect.poll(() => arena(page, "naive")).toBe(bytes);
    await expect(page.locator(".notice")).toHaveCount(0);
  }
  for (const [name, bytes] of [["first.csv", 200], ["second.csv", 128], ["first.csv", 32]] as const) {
    await page.goForward();
    await expect(page.locator(".document .file")).toHaveText(name);
    await expect.poll(() => arena(page, "naive")).toBe(bytes);
  }
  // A reload brings all of them back, each as it was read.
  await page.reload();
  await ready(page);
  await expect.poll(() => arena(page, "naive")).toBe(32);
  await page.goBack();
  await expect.poll(() => arena(page, "naive")).toBe(128);
  // Where the browser kept nothing, the page says what to do.
  await page.addInitScript(() => sessionStorage.clear());
  await page.reload();
  await expect(page.locator(".notice")).toContainText("Open it again");
});

test("the keyboard alone reaches everything", async ({ page }) => {
  await open(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(page.locator(".stage").first()).toBeFocused();
  await page.keyboard.press("+");
  await expect.poll(() => fragment(page).get("view")).not.toBeNull();
  const zoomed = fragment(page).get("view");
  await page.keyboard.press("ArrowRight");
  await expect.poll(() => fragment(page).get("view")).not.toBe(zoomed);
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  // Through the tasks with the arrows, then through the views of one.
  await page.getByRole("tab", { name: "Compare" }).focus();
  for (const task of ["Explain", "Change", "Train", "Run", "Data"]) {
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("tab", { name: task })).toBeFocused();
  }
  await page.keyboard.press("Tab");
  await expect(page.locator(".tab-row .fold")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("tab", { name: "Operators" })).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Tensors" })).toBeFocused();
  await expect(page.getByRole("tabpanel").getByRole("row")).not.toHaveCount(0);
});

for (const view of VIEWS.filter((view) => !["segments", "film"].includes(view))) {
  test(`the view ${view} is in order for assistive technology`, async ({ page }) => {
    await open(page);
    await showView(page, view);
    expect(await barriers(page)).toEqual([]);
  });
}

test("on a phone no figure of a plan is cut off", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await open(page, "/#sample=iree_chain");
  const badges = page.locator(".pane > header .badge");
  await expect(badges.filter({ hasText: "saves 28.1 %" })).toHaveCount(1);
  for (const badge of await badges.all()) {
    const box = await badge.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  }
});

test("at 200 % zoom and on a phone nothing runs out of the page", async ({ page }) => {
  for (const [width, height] of [[640, 360], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await open(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, `${width} pixels wide`).toBeLessThanOrEqual(width);
  }
});
