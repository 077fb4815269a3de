// Every dump of tests/data/plans opens by its content, whatever it is called: as what it is,
// as large as its toolchain says, without a word on the console.

import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, open, ready, test } from "./page";
import { document, dropAll } from "./session";

const PLANS = fileURLToPath(new URL("../data/plans/", import.meta.url));

/** Files that belong together, what the page calls them, and the first arena in bytes. */
const DUMPS: [string[], string, number][] = [
];

/** What stands beside the dumps: what made them, models and licences. */
const BESIDE = /\.(py|mlir|md)$|LICENSE$|documented\.tflite$|memory-usage-report\.txt$|kinds\.json$/;

function committed(): string[] {
  const folders = readdirSync(PLANS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.flatMap(({ name }) => readdirSync(PLANS + name).map((file) => `${name}/${file}`));
  return files.filter((file) => !BESIDE.test(file)).sort();
}

test("every committed dump is in the table", () => {
  const listed = new Set(DUMPS.flatMap(([files]) => files));
  expect(committed().filter((file) => !listed.has(file))).toEqual([]);
});

test("every dump opens by its content", async ({ page }) => {
  test.setTimeout(240_000);
  await open(page);
  for (const [files, format, bytes] of DUMPS) {
    const name = (file: string) => `${file.replace(/\W+/g, "_")}.bin`;
    await dropAll(page, files.map((file) => [name(file), readFileSync(PLANS + file)]));
    await expect(document(page)).toHaveAttribute("title", files.map(name).sort().join(" + "));
    await ready(page);
    await expect(page.locator(".facts"), files[0]).toContainText(format);
    await expect(page.locator('.replan [data-figure="deployed"]'), files[0]).toHaveAttribute("data-value", String(bytes));
    await expect(page.locator(".notice.wrong"), files[0]).toHaveCount(0);
  }
});
