// Cases side by side: two documents, one document in two ways, on linked axes and with one
// selection.

import { expect, open, ready, test } from "./page";
import { pane, row, sample } from "./session";

const PROBLEM = "id,lower,upper,size\na,0,2,100\nb,1,3,80\nc,2,4,60\n";

const csv = (name: string, text: string) => ({ name, mimeType: "text/csv", buffer: Buffer.from(text) });

/** What each pane says of its arena, in their order. */
const arenas = (page: import("@playwright/test").Page) => page.locator(".pane .figures");

test("two settings of one model stand side by side", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best");
  await page.locator(".cases summary").click();
  await page.locator('[data-do="duplicate"]').click();
  await expect(pane(page, "best")).toHaveCount(2);
  await ready(page);
  // The second one is looked at: what is chosen now is chosen for it.
  await page.locator("#parallel").selectOption("free");
  await ready(page);
  await expect(arenas(page).nth(0)).toContainText("1.31 MiB");
  await expect(arenas(page).nth(1)).toContainText("1.62 MiB");
  await expect(page.locator(".pane .case").nth(1)).toContainText("operators in any order");
  // A model has every figure of the table, at least as a bound; so it has after a reload.
  const figures = page.locator(".basis td");
  await expect(figures).toHaveText(Array.from({ length: 6 }, () => /^≥ [\d.]+ [KM]iB$/));
  // One selection: the same tensor in both.
  await page.locator('.cases [data-case] .link').first().click();
  await page.locator(".inspector").getByRole("button", { name: "block2.add" }).click();
  await expect(page.locator(".inspector .unseen").first()).toContainText("block2.add");
  await page.locator('.cases [data-case] .link').nth(1).click();
  await expect(page.locator(".inspector .unseen").first()).toContainText("block2.add");
  // Linked axes: what one pane zooms to, the other shows.
  const before = await page.screenshot();
  await pane(page, "best").first().locator(".stage").hover();
  await page.mouse.wheel(0, -400);
  await expect(page).toHaveURL(/view=.*&beside&.*view=/);
  expect(await page.screenshot()).not.toEqual(before);
  // The link brings both back.
  await page.reload();
  await ready(page);
  await expect(pane(page, "best")).toHaveCount(2);
  await expect(arenas(page).nth(1)).toContainText("1.62 MiB");
  await expect(figures).toHaveText(Array.from({ length: 6 }, () => /^≥ [\d.]+ [KM]iB$/));
});

test("two stages of one model stand side by side", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best&beside&sample=blazeface&show=best&passes=fusion");
  await expect(pane(page, "best")).toHaveCount(2);
  await expect(page.locator(".pane .case").nth(1)).toContainText("fusion");
  const stages = page.locator(".stage[role=img]");
  const count = async (index: number) =>
    Number(/(\d+) /.exec((await stages.nth(index).getAttribute("aria-label")) ?? "")?.[1]);
  expect(await count(1)).toBeLessThan(await count(0));
});

test("two documents stand side by side, and one can be closed", async ({ page }) => {
  await open(page);
  await page.locator(".cases summary").click();
  await page.locator("#file-beside").setInputFiles(csv("problem.csv", PROBLEM));
  await expect(page.locator(".document .file")).toHaveText("problem.csv");
  await ready(page);
  await expect(page.locator(".cases [data-case]")).toHaveCount(2);
  await expect(row(page, "best").locator("[data-bytes]")).toHaveAttribute("data-bytes", "180");
  await page.locator(".cases [data-case] .quiet").first().click();
  await expect(page.locator(".cases [data-case]")).toHaveCount(1);
  await expect(page.locator(".document .file")).toHaveText("problem.csv");
  await page.locator("#file").setInputFiles({ name: "net.onnx", mimeType: "", buffer: sample("blazeface.onnx") });
  await expect(page.locator(".document .file")).toHaveText("net.onnx");
});

test("the price of parallel safety can be shown side by side", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best");
  await expect(page.locator(".price")).toContainText("1.62 MiB");
  await page.locator('[data-do="reveal"]').click();
  await expect(pane(page, "best")).toHaveCount(2);
  await ready(page);
  await expect(arenas(page).nth(1)).toContainText("1.62 MiB");
});
