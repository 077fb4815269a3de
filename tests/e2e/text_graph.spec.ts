// A text graph is opened like any model, and what is wrong with one is said with its place.

import { readFileSync } from "node:fs";
import { expect, open, ready, test } from "./page";
import { arena, bound, choose, document, drop } from "./session";

const ARTICLE = readFileSync(new URL("../data/article.graph", import.meta.url));
const BROKEN = Buffer.from("graph broken\ninput x: f32[8]\ny = Relu(z)\noutput y\n");

test("a text graph is planned like any model", async ({ page }) => {
  await open(page);
  await choose(page, "article.graph", ARTICLE);
  await expect(document(page)).toHaveText("article.graph");
  await ready(page);
  await expect(page.locator(".facts")).toContainText("Arenascope graph");
  // 4096 bytes and 648 of them, rounded up to 64.
  expect(await bound(page)).toBe(4096 + 704);
  expect(await arena(page, "best")).toBe(4800);
  expect(await arena(page, "naive")).toBe(4096 + 3 * 704);
});

test("what is wrong with a text graph is said with line and column", async ({ page }) => {
  await open(page);
  await drop(page, "broken.graph", BROKEN);
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("The text cannot be read as a graph.");
  await expect(alert).toContainText("line 3, column 10");
  await expect(alert).toContainText('nothing defines "z"');
});

test.describe("in Chinese", () => {
  test.use({ locale: "zh-CN" });

  test("the same is said", async ({ page }) => {
    await open(page);
    await drop(page, "broken.graph", BROKEN);
    const alert = page.getByRole("alert");
    await expect(alert).toContainText("第 3 行，第 10 列");
    await expect(alert).toContainText('没有任何一行定义 "z"');
  });
});
