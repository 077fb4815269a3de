// What someone with fresh eyes once broke, so that it stays mended.

import { expect, open, ready, test } from "./page";
import { arena, bound, choose, document, fragment, pane, row } from "./session";

test("an invalid plan is marked and is never the smallest", async ({ page }) => {
  await open(page);
  const rows = "a,0,4,10,64,3\nb,2,6,5,3,10\n";
  await choose(page, "broken.csv", Buffer.from(`id,lower,upper,size,alignment,offset\n${rows}`));
  await expect(document(page)).toHaveText("broken.csv");
  await ready(page);
  await expect(row(page, "deployed")).toContainText("Invalid");
  await expect(row(page, "deployed")).not.toContainText("Smallest");
  await expect(row(page, "deployed")).not.toContainText("Optimal");
  await expect(pane(page, "deployed").getByRole("alert")).toContainText("a and b are live at the same step and share bytes.");
});

test("a plan that leaves tensors out is not called optimal", async ({ page }) => {
  await open(page, "/#sample=transformer&bind=batch:99999999999");
  await expect(page.locator(".badge.optimal")).toHaveCount(0);
  await expect(pane(page, "best")).toContainText("unsized left out");
});

test("back and forward survive a remembered selection", async ({ page }) => {
  await open(page, "/#sample=densenet");
  await pane(page, "best").locator(".stage").focus();
  await page.keyboard.press(".");
  await expect.poll(() => fragment(page).get("select")).not.toBeNull();
  await page.locator("#samples").selectOption("unet");
  await expect(document(page)).toHaveText("U-Net");
  await ready(page);
  await page.goBack();
  await expect(document(page)).toHaveText("DenseNet-40");
  await ready(page);
  await expect.poll(() => fragment(page).get("select")).not.toBeNull();
  await page.goForward();
  await expect(document(page)).toHaveText("U-Net");
});

test("a value that cannot be bound says so and changes nothing", async ({ page }) => {
  await open(page, "/#sample=transformer&bind=batch:4,sequence_length:16");
  const before = await bound(page);
  const field = page.locator('[data-symbol="batch"]');
  for (const wrong of ["0", "-3", "2.5", ""]) {
    await field.fill(wrong);
    await field.blur();
    await expect(field).toHaveValue("4");
    await expect(page.locator(".notice")).toContainText("whole number");
  }
  expect(await bound(page)).toBe(before);
  await field.fill("1e1");
  await field.blur();
  await expect.poll(() => fragment(page).get("bind")).toContain("batch:10");
});

test("a link to a file that is not here says so, and shows a sample", async ({ page }) => {
  for (const link of ["/#file=mine.onnx", "/#sample=nosuch"]) {
    await page.goto("about:blank");
    await open(page, link);
    await expect(page.locator(".notice")).toContainText(/mine.onnx|nosuch/);
    await expect(document(page)).toHaveText("BlazeFace detector");
  }
});

test("no pane at all is a state like any other", async ({ page }) => {
  await open(page, "/#sample=unet&show=none&align=0");
  await expect(page.locator(".pane")).toHaveCount(0);
  await expect(page.locator("#alignment")).toHaveValue("64");
  expect(await arena(page, "naive")).toBeGreaterThan(0);
  expect(fragment(page).get("show")).toBe("none");
});
