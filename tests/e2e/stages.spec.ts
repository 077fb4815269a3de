// The stages of a model: the page's table is the command line's, one of them is in view and
// moves to the next, and each rewrite leads to its tensors.

import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { choose, verdict } from "./session";
import { showView } from "./tasks.mjs";

const PASSES = "fusion,views,concat,in_place=aggressive,order";

type Row = Record<string, number> & { stage: string };

const told = (): Row[] => {
  const args = ["stages", "public/samples/densenet.onnx", "--passes", PASSES, "--strategy", "best", "--format", "json"];
  return JSON.parse(native("arenascope", args)).stages;
};

async function staged(page: Page, hash = `#sample=densenet&passes=${PASSES}&tab=stages`) {
  await open(page, `/${hash}`);
  await expect(page.locator(".stage-rows")).toBeVisible();
  await ready(page);
}

const row = (page: Page, stage: string) => page.locator(`.stage-rows tr[data-stage="${stage}"]`);
const best = (page: Page) => page.locator('.pane[data-strategy="best"] .figures b').first();

test("the table is the one of the command line", async ({ page }) => {
  await staged(page);
  for (const expected of told()) {
    const figures = row(page, expected.stage);
    await expect(figures).toHaveAttribute("data-arena", String(expected.arena));
    const titles = figures.locator("td.number[title]");
    const bytes = (await titles.evaluateAll((cells) => cells.map((cell) => cell.getAttribute("title") ?? "")))
      .map((text) => Number(text.replace(/\D/g, "")));
    expect(bytes, expected.stage).toEqual(["arena", "bound", "peak", "naive", "copied"].map((name) => expected[name]));
    const cells = await figures.locator("td.number").allTextContents();
    expect(Number(cells[5].replace(/\D/g, "")), expected.stage).toBe(expected.allocations);
  }
});

test("the slider turns to a stage, by keyboard, and Back turns back", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await staged(page);
  const slider = page.locator(".stages input[type=range]");
  const rows = told();
  await expect(best(page)).toHaveText("1.25 MiB");
  await slider.focus();
  await page.keyboard.press("Home");
  await ready(page);
  await expect(slider).toHaveAttribute("aria-valuetext", "Planned");
  await expect(row(page, "model")).toHaveAttribute("aria-current", "true");
  expect(rows[0].arena).toBeGreaterThan(rows[rows.length - 1].arena);
  const title = await page.locator('.pane[data-strategy="best"] .figures span').first().getAttribute("title");
  expect(Number(title?.replace(/\D/g, ""))).toBe(rows[0].arena);
  await page.keyboard.press("ArrowRight");
  await expect(slider).toHaveAttribute("aria-valuetext", "Fuse operators");
  await page.goBack();
  await expect(slider).toHaveAttribute("aria-valuetext", "Planned");
});

test("rectangles move from stage to stage, and not where less motion is wanted", async ({ page }) => {
  await staged(page);
  // One frame is as long as thirty, so that what is in between can be seen.
  await page.evaluate(() => {
    const request = window.requestAnimationFrame.bind(window);
    let first: number | undefined;
    window.requestAnimationFrame = (paint) => request((time) => paint((first ??= time) + (time - first) / 30));
  });
  const picture = page.locator('.pane[data-strategy="best"] canvas.rectangles').first();
  const before = await picture.screenshot();
  await row(page, "views").getByRole("button", { name: "Use views" }).click();
  await expect(best(page)).toHaveText("1.73 MiB");
  await expect(page.locator("body")).toHaveAttribute("data-ready", "false");
  const moving = await picture.screenshot();
  expect(moving.equals(before)).toBe(false);
  const later = await picture.screenshot();
  expect(later.equals(moving)).toBe(false);
});

test("a refusal leads to the tensor that it is about", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await staged(page);
  const list = page.locator('.findings details[data-pass="in_place"]');
  await list.locator("summary").click();
  await list.getByLabel("Refused only").check();
  const refused = list.locator("tbody tr").first();
  await expect(refused).toHaveClass("refused");
  const tensor = refused.getByRole("button").first();
  const name = (await tensor.textContent()) ?? "";
  await tensor.click();
  await ready(page);
  await expect(page.locator(".inspector")).toContainText(name);
});

test("a switch in the table is the one of the settings", async ({ page }) => {
  await staged(page, "#sample=densenet&tab=stages");
  await expect(page.locator(".stage-rows tr.off")).toHaveCount(8);
  await page.getByRole("button", { name: "Usual passes" }).click();
  await ready(page);
  await expect(row(page, "order")).toHaveAttribute("data-arena", /\d+/);
  await expect(page.locator("#stage-in_place-rule")).toHaveValue("aggressive");
  await row(page, "fusion").getByRole("checkbox").uncheck();
  await ready(page);
  await expect(page.locator("#fusion")).not.toBeChecked();
  await row(page, "views").getByRole("button", { name: "Beside" }).click();
  await expect(page.locator(".pane")).toHaveCount(3);
});

test("a run of the last stage gives the outputs of the first", async ({ page }) => {
  const text = `graph chain onnx 17
input x: f32[8, 16]
a = Exp(x)
b = Neg(a)
c, d = Split(b) axis=1 num_outputs=2
y = Add(c, d)
output y
`;
  await open(page, `/#sample=leading_gap`);
  await choose(page, "chain.graph", Buffer.from(text));
  await ready(page);
  await showView(page, "stages");
  await page.getByRole("button", { name: "Usual passes" }).click();
  await ready(page);
  await showView(page, "run");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  await expect(page.locator(".run")).toContainText("The same outputs to the bit");
});

test("what has no operators says so", async ({ page }) => {
  await open(page, "/#sample=leading_gap&tab=stages");
  await expect(page.locator(".stages .empty")).toContainText("no operators");
});

test("every column is in sight, beside both panels and on a phone", async ({ page }) => {
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await staged(page);
    const [needs, has] = await page.locator(".wide:has(> .stage-rows)").evaluate((it) => [it.scrollWidth, it.clientWidth]);
    expect(needs, `${width}`).toBeLessThanOrEqual(has);
  }
});
