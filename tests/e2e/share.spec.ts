// A plan with its view, handed on in a link or in a file.

import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { BrowserContext, Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { showView } from "./tasks.mjs";

const DEPLOYED = `id,lower,upper,size,offset
a,0,2,60,0
b,1,3,60,60
c,2,5,120,120
d,3,6,60,0
`;

async function openPlan(page: Page, rows = DEPLOYED) {
  await open(page);
  const file = { name: "net.csv", mimeType: "text/csv", buffer: Buffer.from(rows) };
  await page.locator("#file").setInputFiles(file);
  await expect(page.locator(".document")).toContainText("net.csv");
  await ready(page);
}

/** The link of what is open, opened by somebody who has nothing of it. */
async function elsewhere(page: Page, context: BrowserContext): Promise<Page> {
  await page.locator('[data-do="share"]').click();
  await page.locator('[data-share="link"]').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await context.newPage();
  await other.goto(link);
  await ready(other);
  return other;
}

test("a link holds the plan and the view", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPlan(page);
  await showView(page, "tensors");
  await page.locator('.sheet button:text-is("c")').first().click();
  await page.locator('[data-do="share"]').click();
  const letters = page.locator("[data-letters]");
  const count = Number(await letters.getAttribute("data-letters"));
  await page.locator('[data-share="link"]').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link.split("#")[1]).toHaveLength(count);
  expect(link).toContain("select=c");
  expect(link).toContain("tab=tensors");
  // Somebody else, who has nothing of it.
  const other = await context.newPage();
  await other.goto(link);
  await ready(other);
  await expect(other.locator(".document")).toContainText("net.csv");
  await expect(other.getByRole("tab", { name: "Tensors" })).toHaveAttribute("aria-selected", "true");
  await showView(other, "compare");
  await expect(other.locator('tr[data-strategy="deployed"] [data-bytes]')).toHaveAttribute("data-bytes", "240");
  await expect(other.locator(".inspector")).toContainText("120 B");
  // It is still there after a reload.
  await other.reload();
  await ready(other);
  await expect(other.locator('tr[data-strategy="deployed"] [data-bytes]')).toHaveAttribute("data-bytes", "240");
  await other.close();
});

// 100 B until step 2, 80 from 1 to 3 and 60 from 2: 240 without reuse, 180 at most at once.
test("whoever opens a link of a plan that was made here reads the same headline", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPlan(page, "id,lower,upper,size\na,0,2,100\nb,1,3,80\nc,2,4,60\n");
  const headline = page.locator(".headline");
  await expect(headline).toContainText("net.csv: 240 B → 180 B, 1.33× less; no plan needs less");
  const other = await elsewhere(page, context);
  await expect(other.locator(".headline")).toHaveText((await headline.textContent()) ?? "");
  await other.close();
});

test("a link holds every case that stands side by side", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPlan(page);
  await page.locator(".cases summary").click();
  await page.locator("#sample-beside").selectOption("unet");
  await expect(page.locator(".cases [data-case]")).toHaveCount(2);
  await ready(page);
  await page.locator(".cases [data-case] .link").first().click();
  await page.locator('[data-do="share"]').click();
  await expect(page.locator("dialog.share")).toContainText("all 2 cases");
  await page.locator('[data-share="link"]').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await context.newPage();
  await other.goto(link);
  await ready(other);
  await other.locator(".cases summary").click();
  const cases = other.locator(".cases [data-case] .link");
  await expect(cases).toHaveText([/net\.csv/, /U-Net/]);
  // The one that was active is.
  await expect(other.locator(".document .file")).toHaveText("net.csv");
  await expect(other.locator('tr[data-strategy="deployed"] [data-bytes]')).toHaveAttribute("data-bytes", "240");
  await other.close();
});

test("a plan that was made here does not arrive as a deployed one", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const problem = DEPLOYED.split("\n").map((row) => row.replace(/,[^,]*$/, "")).join("\n");
  await openPlan(page, problem);
  await expect(page.locator(".replan")).toHaveCount(0);
  const other = await elsewhere(page, context);
  const shared = other.locator('.pane[data-strategy="deployed"]');
  await expect(shared.locator("h2")).toHaveText("Plan from a link (best)");
  // c and b are live at step 2: 180 B, and the plan has no more.
  await expect(shared.locator("header")).toContainText("Optimal (bound met)");
  await expect(other.locator(".replan dt").first()).toHaveText("From the link");
  await expect(other.locator(".facts")).toContainText("Planned by best");
  await expect(other.locator(".compare .group", { hasText: "From the link" })).toHaveCount(1);
  expect(await other.locator("body").innerText()).not.toContain("Deployed\n");
  await other.close();
});

// The committed snapshot takes 22 MiB from the device, of which blocks reach 5.
test("a snapshot goes along with what was reserved, and what does not go along is said", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const snapshot = new URL("../data/plans/torch/protocol4.pickle", import.meta.url);
  await page.locator("#file").setInputFiles(fileURLToPath(snapshot));
  await expect(page.locator(".document")).toContainText("protocol4.pickle");
  await ready(page);
  const deployed = '.replan [data-figure="deployed"]';
  await expect(page.locator(deployed)).toHaveAttribute("data-value", "23068672");
  await page.locator('[data-do="share"]').click();
  await expect(page.locator("dialog.share")).toContainText("does not go along");
  await page.locator('[data-share="link"]').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await page.goto("about:blank");
  await page.goto(link);
  await ready(page);
  await expect(page.locator(deployed)).toHaveAttribute("data-value", "23068672");
});

test("a file holds them, too", async ({ page }) => {
  await openPlan(page);
  await showView(page, "tensors");
  await page.locator('.sheet button:text-is("b")').first().click();
  await page.locator('[data-do="share"]').click();
  const download = page.waitForEvent("download");
  await page.locator('[data-share="file"]').click();
  const path = await (await download).path();
  const text = await readFile(path, "utf8");
  expect(JSON.parse(text).view).toContain("select=b");
  await page.keyboard.press("Escape");
  await page.locator("#file").setInputFiles({
    name: "handed on.json",
    mimeType: "application/json",
    buffer: Buffer.from(text),
  });
  await expect(page.locator(".document")).toContainText("handed on.json");
  await ready(page);
  await showView(page, "compare");
  await expect(page.locator('tr[data-strategy="deployed"] [data-bytes]')).toHaveAttribute("data-bytes", "240");
  await expect(page).toHaveURL(/select=b/);
});

test("a link that was cut off says so, and the page still opens", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openPlan(page);
  await page.locator('[data-do="share"]').click();
  await page.locator('[data-share="link"]').click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const letters = /plan=([^&]*)/.exec(link)?.[1] ?? "";
  expect(letters.length).toBeGreaterThan(50);
  const cut = link.replace(letters, letters.slice(0, letters.length / 2));
  await page.goto("about:blank");
  await page.goto(cut);
  await ready(page);
  await expect(page.locator(".notice")).toContainText("net.csv");
  await expect(page.locator(".notice")).toContainText("At link: the end of its plan is missing");
});

test("what is too large for a link is handed on as a file", async ({ page }) => {
  const sizes = Array.from({ length: 9000 }, (_, row) => (row * 7919 * 7919) % 999983);
  const rows = sizes.map((size, row) => `tensor_${size}_${row},${row},${row + 3},${size},${row * 1000000}`);
  await openPlan(page, `id,lower,upper,size,offset\n${rows.join("\n")}\n`);
  await page.locator('[data-do="share"]').click();
  await expect(page.locator('[data-share="file"]')).toBeVisible();
  await expect(page.locator('[data-share="link"]')).toHaveCount(0);
  const letters = Number(await page.locator("[data-letters]").getAttribute("data-letters"));
  expect(letters).toBeGreaterThan(32_000);
});
