// One value after another: the page plans what the command does, shows it as curves that keys can
// read, and makes a value of them the one that is planned.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { arena, choose, document, pane } from "./session";
import { showView } from "./tasks.mjs";

/** Each tensor has 64 × N bytes; x and d lie beside the arena, two of a, b and c meet. */
const CHAIN = "let N = 1\ninput x: f32[N, 16]\na = Relu(x)\nb = Exp(a)\nc = Relu(b)\nd = Exp(c)\noutput d\n";

/** What the command prints, in the order of the list of strategies. */
let said: string;

test.beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "arenascope-sweep-"));
  const file = join(folder, "chain.graph");
  writeFileSync(file, CHAIN);
  const strategies = ["--strategy", "greedy_by_size", "--strategy", "best"];
  said = native("arenascope", ["sweep", file, "--over", "N=1..9:4,100", ...strategies, "--format", "csv"]);
  rmSync(folder, { recursive: true });
});

/** The best plan's arena, as its pane says it. */
const compared = (page: Page) => pane(page, "best").locator("header .figures b").first();

async function swept(page: Page, name = "chain.graph", text = CHAIN) {
  await open(page);
  await choose(page, name, Buffer.from(text));
  await expect(document(page)).toHaveText(name);
  await ready(page);
  await showView(page, "sweep");
  await ready(page);
}

/** The rows of the table: their cells as texts. */
const rows = (page: Page) =>
  page.locator(".sweep tbody tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));

const bytes = (...all: number[]) => all.map((it) => `${it.toLocaleString("en")} B`);

async function sweepOver(page: Page, values: string) {
  await page.locator("#sweep-values").fill(values);
  await page.locator("#sweep-values").press("Enter");
  await ready(page);
}

test("what takes a moment is swept at once, and keys read the curves and plan there", async ({ page }) => {
  await swept(page);
  const expected = Array.from({ length: 16 }, (_, at) => at + 1);
  expect(await rows(page)).toEqual(expected.map((n) => [String(n), ...bytes(128 * n, 192 * n, 128 * n), ""]));
  // Every tensor is N × 64 bytes, so that all curves are lines.
  const slopes = page.locator(".sweep .growth li");
  expect(await slopes.evaluateAll((all) => all.map((it) => it.getAttribute("data-slope")))).toEqual(["192", "128", "128"]);
  await expect(slopes.first()).toHaveText("without reuse: +192 B per N");
  const slider = page.getByRole("slider", { name: "Bytes by N" });
  await expect(slider).toHaveAttribute("aria-valuenow", "1");
  await slider.focus();
  for (const [key, value] of [["ArrowRight", 2], ["End", 16], ["ArrowRight", 16], ["PageDown", 6], ["Home", 1], ["PageUp", 11], ["ArrowLeft", 10]] as const) {
    await slider.press(key);
    await expect(slider).toHaveAttribute("aria-valuenow", String(value));
  }
  const says = "N = 10: without reuse 1.88 KiB, best 1.25 KiB, Lower bound 1.25 KiB";
  await expect(slider).toHaveAttribute("aria-valuetext", says);
  await expect(page.locator(".card b")).toHaveText("N = 10");
  await expect(page.locator(".card dd")).toHaveText(["1.88 KiB", "1.25 KiB", "1.25 KiB"]);
  await slider.press("Enter");
  await ready(page);
  await expect(compared(page)).toHaveText("1.25 KiB");
  await expect(page.locator('[data-symbol="N"]').first()).toHaveValue("10");
  await expect(page.locator('.sweep tr[aria-current="true"]')).toHaveAttribute("data-value", "10");
  await expect(page.locator(".sweep tbody tr")).toHaveCount(16);
  await page.locator('.sweep tr[data-value="3"] button').click();
  await ready(page);
  await expect(compared(page)).toHaveText("384 B");
  // The pointer reads the nearest value, and a click plans there.
  const box = (await slider.boundingBox())!;
  const position = { x: box.width - 30, y: 150 };
  await slider.hover({ position });
  await expect(slider).toHaveAttribute("aria-valuenow", "16");
  await slider.click({ position });
  await ready(page);
  await showView(page, "compare");
  expect(await arena(page, "best")).toBe(2048);
});

test("files hold what the command prints", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await swept(page);
  await page.locator(".sweep summary").click();
  await page.locator('.sweep [data-strategy="greedy_by_size"]').check();
  await sweepOver(page, "1..9:4,100");
  const save = async (kind: string) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(`.sweep [data-export="${kind}"]`).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`chain.sweep.${kind}`);
    return readFileSync(await download.path());
  };
  const csv = (await save("csv")).toString();
  expect(csv).toBe(said);
  expect(csv.split("\n")[1]).toBe("1,192,128,0,128,128,");
  await page.locator('.sweep [data-export="copy"]').click();
  await expect(page.getByRole("status").filter({ hasText: "Copied" })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(csv);
  expect((await save("svg")).toString()).toContain("<title>Bytes by N</title>");
  const png = await save("png");
  expect(png.subarray(1, 4).toString()).toBe("PNG");
  const width = Math.round(parseFloat((await page.locator(".sweep-picture svg").first().getAttribute("width"))!));
  expect(png.readUInt32BE(16)).toBe(2 * width);
});

test("what is no list of values is said, and a document without dimensions is swept over its alignment", async ({ page }) => {
  await swept(page);
  for (const [text, says] of [["1..", "as in 1..32"], ["3..2", "at most the last"], ["1..5000", "1,024"]]) {
    await page.locator("#sweep-values").fill(text);
    await page.locator("#sweep-start").click();
    await expect(page.locator(".sweep [role=alert]")).toContainText(says);
  }
  await sweepOver(page, "2,5");
  await expect(page.locator(".sweep [role=alert]")).toHaveCount(0);
  expect((await rows(page)).map((row) => row[0])).toEqual(["2", "5"]);
  // 80 bytes lie from the next multiple above 100 on.
  await choose(page, "table.csv", Buffer.from("id,lower,upper,size\na,0,2,100\nb,1,3,80\nc,2,4,60\n"));
  await expect(document(page)).toHaveText("table.csv");
  await ready(page);
  await expect(page.locator("#sweep-over option")).toHaveText(["alignment"]);
  const found = new Map((await rows(page)).map((row) => [row[0], row[1]]));
  expect([found.get("1"), found.get("64"), found.get("4,096")]).toEqual(bytes(180, 208, 4176));
  // A value that is planned is a choice like any other: Back takes it back.
  await page.locator('.sweep tr[data-value="64"] button').click();
  await ready(page);
  await expect(page.locator("#alignment")).toHaveValue("64");
  await page.goBack();
  await ready(page);
  await expect(page.locator("#alignment")).toHaveValue("1");
});
