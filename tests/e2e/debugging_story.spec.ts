// The story of somebody who debugs a deployed plan, from the dump to the better plan.

import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { pane } from "./session";
import { showView } from "./tasks.mjs";

/** IREE's own output for a chain of four operators: 7,296 B laid out where 5,248 B suffice. */
const DUMP = new URL("../data/plans/iree/chain.ir.txt", import.meta.url);

/** Drops a text file on the page, as from a folder beside it. */
async function drop(page: Page, name: string, text: string) {
  const data = await page.evaluateHandle(
    ([name, text]) => {
      const data = new DataTransfer();
      data.items.add(new File([text], name, { type: "text/plain" }));
      return data;
    },
    [name, text] as const,
  );
  await page.dispatchEvent(".page", "drop", { dataTransfer: data });
}

/** What a menu item of a plan's pane saves. */
async function take(page: Page, strategy: string, kind: string) {
  await pane(page, strategy).locator("summary").first().click();
  const download = page.waitForEvent("download");
  await pane(page, strategy).locator(`[data-export="${kind}"]`).click();
  return readFile(await (await download).path(), "utf8");
}

test("from an IREE dump to the better plan and the report", async ({ page }) => {
  await open(page);
  await drop(page, "chain.ir.txt", await readFile(DUMP, "utf8"));
  await expect(page.locator(".document")).toContainText("chain.ir.txt");
  await expect(page.locator(".document")).toContainText("IREE");
  await ready(page);

  // Where do the bytes go? 7,296 = 5,200 needed, 48 of padding, for 4,000 and 1,200 B are
  // rounded up to 64 each, and 2,048 of fragmentation.
  await showView(page, "waste");
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", "7296");
  const part = (kind: string) => page.locator(`.parts tr[data-part="${kind}"]`);
  await expect(part("needed")).toHaveAttribute("data-bytes", "5200");
  await expect(part("padding")).toHaveAttribute("data-bytes", "48");
  await expect(part("fragmentation")).toHaveAttribute("data-bytes", "2048");

  // Which hole makes it, and what would fit there?
  await part("fragmentation").getByRole("button").click();
  await page.locator('.inspector [data-hole="0"]').click();
  const hole = page.locator(".inspector .spot");
  const [low, high] = [
    Number(await hole.getAttribute("data-low")),
    Number(await hole.getAttribute("data-high")),
  ];
  expect(high - low).toBeGreaterThanOrEqual(2048);

  // What would be better? The same lifetimes, planned anew and proved.
  await expect(page.locator(".replan")).toContainText("5,248 B");
  await expect(page.locator(".replan")).toContainText("2,048 B (28.1 %)");
  await showView(page, "differences");
  const verdict = page.locator(".differences .verdict").first();
  await expect(verdict).toHaveAttribute("data-saved", "2048");
  await expect(verdict).toContainText("proved");

  // Home with it: the offsets, which open again and are judged, and the report.
  const csv = await take(page, "best", "csv");
  const report = await take(page, "best", "html");
  for (const text of ["chain.ir.txt", "IREE", "5,248 B", "7,296 B"]) expect(report).toContain(text);
  await drop(page, "better.csv", csv);
  await expect(page.locator(".document")).toContainText("better.csv");
  await ready(page);
  await showView(page, "compare");
  const deployed = page.locator('tr[data-strategy="deployed"]');
  await expect(deployed.locator("[data-bytes]")).toHaveAttribute("data-bytes", "5248");
  await expect(deployed).toContainText("Optimal");
});
