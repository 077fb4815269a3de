// Any open graph is a text: an edit is planned as it is typed, and what is wrong is said with its
// place while the picture stays.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { arena, bound, choose, document, fragment, pane } from "./session";
import { showView } from "./tasks.mjs";

const ARTICLE = readFileSync(new URL("../data/article.graph", import.meta.url));
const TEXT = ARTICLE.toString();

/** One row of the window more: 10 × 18 elements of 4 bytes, rounded up to 64. */
const EDITED = TEXT.replace("[10, 20]", "[11, 20]");
const [WAS, NOW] = [4096 + 704, 4096 + 768];

const editor = (page: Page) => page.locator(".graph-text textarea");

async function at(page: Page) {
  await open(page);
  await choose(page, "article.graph", ARTICLE);
  await expect(document(page)).toHaveText("article.graph");
  await ready(page);
  await showView(page, "graph");
  await expect(editor(page)).toHaveValue(TEXT);
}

/** A figure of what is planned. */
const figure = (page: Page, name: string) => page.locator(`.graph-text [data-figure="${name}"]`);
const planned = (page: Page) => figure(page, "arena");
const lowest = async (page: Page) => Number(await figure(page, "bound").getAttribute("data-bytes"));

test("an edit is planned, and compared with the graph as it was opened", async ({ page }) => {
  await at(page);
  await expect(page.locator(".graph-text .figures")).toContainText("as it was opened");
  await editor(page).fill(EDITED);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  await expect(figure(page, "bound")).toHaveAttribute("data-bytes", String(NOW));
  await expect(page.locator(".graph-text .figures")).toContainText("4.69 KiB → 4.75 KiB");
  // Everything else follows, too.
  await showView(page, "compare");
  expect(await bound(page)).toBe(NOW);
  expect(await arena(page, "best")).toBe(NOW);
  expect(await arena(page, "naive")).toBe(4096 + 3 * 768);
});

test("what is wrong has line and column, and the picture stays", async ({ page }) => {
  await at(page);
  await editor(page).fill(EDITED);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  await editor(page).fill(EDITED.replace("Transpose(x3)", "Transpose(x9)"));
  const fault = page.locator("#graph-fault");
  await expect(fault).toContainText('Line 7, column 16: nothing defines "x9"');
  await expect(editor(page)).toHaveAttribute("aria-invalid", "true");
  // The fault stands below the text, and both are in sight.
  const end = (of: typeof fault) => of.evaluate((it) => it.getBoundingClientRect().bottom);
  const top = await fault.evaluate((it) => it.getBoundingClientRect().top);
  expect(top).toBeGreaterThanOrEqual(await end(page.locator(".graph-text .lines")));
  expect(await end(fault)).toBeLessThanOrEqual(await end(page.locator(".sheet")));
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  await expect(pane(page, "best")).toBeVisible();
  // Its number is marked, and the message leads to the word.
  await expect(page.locator(".graph-text .mark")).toBeVisible();
  await fault.getByRole("button").click();
  await expect(editor(page)).toBeFocused();
  const chosen = await editor(page).evaluate((area: HTMLTextAreaElement) =>
    area.value.slice(area.selectionStart, area.selectionEnd),
  );
  expect(chosen).toBe("x9");
  await editor(page).press("ControlOrMeta+a");
  await editor(page).fill(TEXT);
  await expect(fault).toBeEmpty();
});

test("edits are taken back, done again, and dropped", async ({ page }) => {
  await at(page);
  await editor(page).fill(EDITED);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  await page.locator('[data-text="undo"]').click();
  await expect(editor(page)).toHaveValue(TEXT);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(WAS));
  await page.locator('[data-text="redo"]').click();
  await expect(editor(page)).toHaveValue(EDITED);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  // The keys of Undo are its own outside of the text, where no plan was changed by hand.
  await pane(page, "best").locator(".stage").focus();
  await page.keyboard.press("Control+z");
  await expect(editor(page)).toHaveValue(TEXT);
  await page.keyboard.press("Control+y");
  await expect(editor(page)).toHaveValue(EDITED);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  await page.locator('[data-text="opened"]').click();
  await expect(editor(page)).toHaveValue(TEXT);
  await expect(page.locator('[data-text="opened"]')).toBeDisabled();
});

test("keys belong to the text while one types, and Tab leaves it", async ({ page }) => {
  await at(page);
  await editor(page).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("# z?.w");
  await expect(editor(page)).toHaveValue(`${TEXT}# z?.w`);
  await expect(page.locator("dialog[open]")).toHaveCount(0);
  await expect(page.locator(".bar")).toBeVisible();
  await page.keyboard.press("Tab");
  await expect(editor(page)).not.toBeFocused();
});

test("the selected tensor is found in the text, and the line in the picture", async ({ page }) => {
  await at(page);
  await pane(page, "best").locator(".stage").focus();
  await page.keyboard.press(".");
  const name = await page.locator(".inspector .name").innerText();
  const line = () =>
    editor(page).evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd));
  await expect.poll(line).toContain(`${name} = `);
  await editor(page).focus();
  await page.keyboard.press("Control+Home");
  for (let down = 0; down < 4; down++) await page.keyboard.press("ArrowDown");
  await expect(page.locator(".inspector .name")).toHaveText("x2");
  await page.keyboard.press("ArrowDown");
  await expect(page.locator(".inspector .name")).toHaveText("x3");
});

test("the address has the text, and what is shared says what it lacks", async ({ page }) => {
  await at(page);
  expect(fragment(page).get("graph")).toBeNull();
  await editor(page).fill(EDITED);
  await expect(planned(page)).toHaveAttribute("data-bytes", String(NOW));
  await expect.poll(() => fragment(page).get("graph")).toMatch(/^1\./);
  await page.getByRole("button", { name: "Share…" }).click();
  await expect(page.locator('[data-share="edited"]')).toContainText("not the edited graph");
});

test("the text goes home as a file", async ({ page }) => {
  await at(page);
  await editor(page).fill(EDITED);
  const taken = page.waitForEvent("download");
  await page.locator('[data-text="download"]').click();
  const file = await taken;
  expect(file.suggestedFilename()).toBe("article.graph");
  expect(readFileSync(await file.path(), "utf8")).toBe(EDITED);
});

test("where there is no graph, one begins with an example", async ({ page }) => {
  await open(page, "/#sample=leading_gap");
  await showView(page, "graph");
  await page.locator('[data-text="begin"]').click();
  await expect(editor(page)).toHaveValue(/^# A small network/);
  await expect(document(page)).toHaveText("example.graph");
  await expect(page.locator(".notice")).toHaveCount(0);
  await expect.poll(() => lowest(page)).toBeGreaterThan(0);
});

test("a model is written, edited, and keeps its name", async ({ page }) => {
  await open(page, "/#sample=blazeface&tab=graph");
  await expect(editor(page)).toHaveValue(/^graph /);
  const text = await editor(page).inputValue();
  await ready(page);
  const before = await lowest(page);
  // The batch is another: everything is twice as large.
  const edited = text.replace(/^(input .*\[)1,/m, "$12,");
  expect(edited).not.toBe(text);
  await editor(page).fill(edited);
  await expect.poll(() => lowest(page)).toBe(2 * before);
});
