// The graph over each picture: what is pointed at in one is marked in the other.

import { readFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { expect, open, plot, ready, settled, test } from "./page";
import { choose, pane, sample } from "./session";

/** A diamond: `wide` is read two steps after it was written. */
const DIAMOND = `graph diamond onnx 17
input x: f32[64]
wide = Relu(x)
left = Sigmoid(wide)
right = Tanh(wide)
sum = Add(left, right)
last = Relu(sum)
output last
`;

const strip = (page: Page, of = "best") => pane(page, of).locator(".graph");
const said = (page: Page) => strip(page).getAttribute("aria-label");

/** Where the operator of a step stands in the window. */
async function operator(page: Page, step: number, steps: number) {
  const at = await plot(pane(page, "best"));
  const box = await strip(page).boundingBox();
  if (!box) throw new Error("no graph");
  return { x: at.x + ((step + 0.5) / steps) * at.width, y: box.y + box.height / 2 };
}

/** The card's row of this name. */
async function row(card: Locator, name: string) {
  return (await card.locator(`dt:text-is("${name}") + dd`).textContent())?.trim() ?? "";
}

async function diamond(page: Page) {
  await open(page);
  await choose(page, "diamond.graph", Buffer.from(DIAMOND));
  await settled(page);
  await expect(strip(page)).toBeVisible();
}

test("a tensor under the pointer marks who writes and reads it", async ({ page }) => {
  await diamond(page);
  expect(await said(page)).toContain("5 operators");
  const plain = await strip(page).screenshot();
  const stage = pane(page, "best").locator(".stage");
  await stage.focus();
  // Whatever is chosen by the keyboard is marked as what is under the pointer is.
  for (let press = 0; press < 2; press++) await page.keyboard.press(".");
  const name = await page.locator(".inspector .name").innerText();
  expect(await said(page)).toContain(`${name}: written by`);
  await page.keyboard.press("f");
  const box = await stage.boundingBox();
  if (!box) throw new Error("no picture");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  const card = stage.locator(".card");
  await expect(card).toBeVisible();
  const [writer, readers] = [await row(card, "Written by"), await row(card, "Read by")];
  expect(writer.length * readers.length).toBeGreaterThan(0);
  await expect(strip(page)).toHaveAttribute("aria-label", new RegExp(`written by ${writer}, read by ${readers}\\.$`));
  expect((await strip(page).screenshot()).equals(plain)).toBe(false);
});

test("an operator under the pointer marks what it reads, writes and what lives", async ({ page }) => {
  await diamond(page);
  const stage = pane(page, "best").locator(".stage");
  const plain = await stage.screenshot();
  const at = await operator(page, 3, 5);
  await page.mouse.move(at.x, at.y);
  await expect(strip(page)).toHaveAttribute("aria-label", /Step 3: \S+\. Read: left, right\. Written: sum\.$/);
  await expect.poll(async () => (await stage.screenshot()).equals(plain), "marked").toBe(false);
  // The keyboard's crosshair goes where the pointer went.
  await page.mouse.move(0, 0);
  await expect.poll(async () => (await stage.screenshot()).equals(plain), "as before").toBe(true);
  await stage.focus();
  await page.keyboard.press("x");
  const step = async () => Number((await said(page))?.match(/Step (\d+):/)?.[1]);
  const from = await step();
  await page.keyboard.press(from > 3 ? "ArrowLeft" : "ArrowRight");
  await expect.poll(step).toBe(from > 3 ? from - 1 : from + 1);
});

test("a graph of a lesson is drawn, and goes along with the axis", async ({ page }) => {
  await open(page, "/#lesson=liveness:2.1");
  await settled(page);
  const graph = page.locator(".pane .graph").first();
  await expect(graph).toBeVisible();
  await expect(graph).toHaveAttribute("aria-label", /Graph of \d+ operators/);
  const whole = await graph.screenshot();
  await page.locator(".pane .stage").first().focus();
  await page.keyboard.press("+");
  await expect.poll(async () => (await graph.screenshot()).equals(whole), "zoomed").toBe(false);
});

test("nothing is kept for a problem, and a button hides it", async ({ page }) => {
  await open(page);
  await settled(page);
  const button = page.locator('.lane-bar [data-do="graph"]');
  const over = pane(page, "best").locator(".picture > .over");
  await expect(button).toHaveAttribute("aria-pressed", "true");
  expect((await over.boundingBox())?.height).toBeGreaterThan(25);
  const before = await pane(page, "best").locator(".stage").boundingBox();
  await button.click();
  await expect(button).toHaveAttribute("aria-pressed", "false");
  await expect(over).toHaveCSS("height", "0px");
  const after = await pane(page, "best").locator(".stage").boundingBox();
  expect(after?.height ?? 0).toBeGreaterThan(before?.height ?? 0);
  await button.click();
  await choose(page, "jigsaw.csv", sample("jigsaw.csv"));
  await ready(page);
  await expect(button).toHaveCount(0);
  await expect(over).toHaveCSS("height", "0px");
});

test("pictures that are taken away have it as the page does", async ({ page }) => {
  await diamond(page);
  const svg = async () => {
    await page.locator(".views .menu summary").click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator('[data-slide="wide-svg"]').click(),
    ]);
    return readFileSync(await download.path()).toString();
  };
  const texts = (svg: string) => [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map((it) => it[1]);
  const shown = await svg();
  expect(texts(shown)).toContain("Graph");
  await page.locator('.lane-bar [data-do="graph"]').click();
  const hidden = await svg();
  expect(texts(hidden)).not.toContain("Graph");
  expect(shown.match(/<polyline/g)?.length).toBeGreaterThan(hidden.match(/<polyline/g)?.length ?? 0);
});

test.describe("in Chinese, on a phone", () => {
  test.use({ locale: "zh-CN", viewport: { width: 390, height: 844 } });

  test("the graph is low and speaks the language", async ({ page }) => {
    await open(page);
    await settled(page);
    const graph = page.locator(".pane:not(.silhouette) .graph").first();
    await expect(graph).toHaveAttribute("aria-label", /计算图，共 \d+ 个算子/);
    const height = (await graph.boundingBox())?.height ?? 0;
    expect(height).toBeGreaterThan(25);
    expect(height).toBeLessThan(48);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  });
});
