// Tables as people have them: the page asks what columns mean that do not say it themselves.

import type { Page } from "@playwright/test";
import { chooseLook, expect, open, ready, test } from "./page";
import { bound, choose, document } from "./session";

// `x` and `y` are live together at step 2 if the last use counts: 4096 + 16 bytes then, else 4096.
const FOREIGN = Buffer.from('tensor;first_use;last_use;weight\n"x;1";0;2;4 KiB\ny;2;3;0x10\n');

const select = (page: Page, meaning: string) => page.locator(`dialog.meanings [data-meaning="${meaning}"]`);

async function asked(page: Page) {
  await open(page);
  await choose(page, "foreign.csv", FOREIGN);
  await expect(page.locator("dialog.meanings")).toBeVisible();
}

test("a table with other names is asked for, and read as it is said", async ({ page }) => {
  await asked(page);
  const dialog = page.locator("dialog.meanings");
  await expect(dialog).toContainText("x;1");
  // What names suggest is chosen; nothing suggests the size.
  await expect(select(page, "lower")).toHaveValue("first_use");
  await expect(select(page, "upper")).toHaveValue("last_use");
  await expect(dialog.getByRole("radio", { name: /inclusive/ })).toBeChecked();
  await expect(select(page, "name")).toHaveValue("tensor");
  const go = dialog.getByRole("button", { name: "Open", exact: true });
  await expect(go).toBeDisabled();
  await select(page, "size").selectOption("last_use");
  await expect(dialog).toContainText("A column can have one meaning only.");
  await expect(go).toBeDisabled();
  await select(page, "size").selectOption("weight");
  await go.click();
  await expect(document(page)).toHaveText("foreign.csv");
  await ready(page);
  await expect(dialog).toBeHidden();
  await expect(page.locator(".notice")).toHaveCount(0);
  expect(await bound(page)).toBe(4096 + 16);
});

test("the end of a span is what the person says", async ({ page }) => {
  await asked(page);
  await select(page, "size").selectOption("weight");
  await page.getByRole("radio", { name: /exclusive/ }).check();
  await page.locator("dialog.meanings").getByRole("button", { name: "Open", exact: true }).click();
  await expect(document(page)).toHaveText("foreign.csv");
  await ready(page);
  expect(await bound(page)).toBe(4096);
});

test("an answer that does not fit names its line, and leads back to the question", async ({ page }) => {
  await asked(page);
  const dialog = page.locator("dialog.meanings");
  await select(page, "name").selectOption("");
  await select(page, "size").selectOption("tensor");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  const notice = page.locator(".notice");
  await expect(notice).toContainText('line 2, column "tensor"');
  await expect(dialog).toBeHidden();
  await notice.getByRole("button", { name: "Choose the columns…" }).click();
  await expect(select(page, "size")).toHaveValue("tensor");
  await select(page, "size").selectOption("weight");
  await dialog.getByRole("button", { name: "Open", exact: true }).click();
  await expect(document(page)).toHaveText("foreign.csv");
});

test("who closes the question keeps what was open, and is told what is missing, in Chinese too", async ({ page }) => {
  await open(page);
  const before = await document(page).textContent();
  await choose(page, "foreign.csv", FOREIGN);
  await expect(page.locator("dialog.meanings")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator("dialog.meanings")).toBeHidden();
  const notice = page.locator(".notice");
  await expect(notice).toContainText('there is no column "lower"');
  await expect(notice).toContainText("first_use");
  await expect(document(page)).toHaveText(before ?? "");
  await chooseLook(page, "language", "zh-CN");
  await expect(notice).toContainText("中没有列");
  await notice.getByRole("button", { name: "选择各列的含义…" }).click();
  await expect(page.locator("dialog.meanings")).toContainText("末端");
});
