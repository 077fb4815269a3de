// What to change, and what it saves: every figure is a replay, and the page says the same as the
// command line, which the tests of the planner compare with the generator's own allocator.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { choose, document } from "./session";
import { showView } from "./tasks.mjs";

type Row = { change: string; what: string; taken: number; saved: number; needed: number };

let folder: string;
let snapshot: string;

test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "arenascope-advice-"));
  snapshot = join(folder, "snapshot.pickle");
  native("snapshots", ["2000", snapshot]);
});

test.afterAll(() => rmSync(folder, { recursive: true }));

const said = (args: string[]) => JSON.parse(native("arenascope", ["advise", ...args, "--format", "json"]));

const KINDS = ["settings", "empty_cache", "lasting_first", "not_held", "elsewhere"];

async function advised(page: Page) {
  await open(page);
  await choose(page, "snapshot.pickle", readFileSync(snapshot));
  await expect(document(page)).toHaveText("snapshot.pickle");
  await ready(page);
  await showView(page, "advice");
}

async function figures(page: Page, kind: string) {
  const rows = page.locator(`.advice tr[data-kind="${kind}"]`);
  return rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("data-saved")));
}

test("the page advises what the command line does", async ({ page }) => {
  const { proposals, taken, base } = said([snapshot]) as { proposals: Row[]; taken: number; base: Row };
  await advised(page);
  const head = page.locator(".advice header p[data-taken]");
  await expect(head).toHaveAttribute("data-taken", String(taken));
  await expect(head).toHaveAttribute("data-base", String(base.taken));
  for (const change of KINDS) {
    const saved = proposals.filter((row) => row.change === change).map((row) => String(row.saved));
    // What saves nothing is folded away after the others.
    expect((await figures(page, change)).sort(), change).toEqual(saved.sort());
  }
  const most = Math.max(...proposals.map((row) => row.saved));
  await expect(page.locator(".advice .sum")).toHaveAttribute("data-most", String(most));
});

test("the cache is emptied at the step that is looked at, on a device of a given size", async ({ page }) => {
  await advised(page);
  // The step that is looked at is offered, and can be typed over.
  const offered = page.getByLabel("empty_cache before step");
  await page.locator('.advice tr[data-kind="empty_cache"] button').first().click();
  await expect(offered).not.toHaveValue("");
  const step = "500";
  await offered.fill(step);
  await page.getByLabel("Device memory").fill("twenty");
  await page.getByLabel("Device memory").press("Tab");
  await expect(page.locator(".advice [role=alert]")).toContainText("24 GiB");
  await page.getByLabel("Device memory").fill("64 GiB");
  await page.getByLabel("Device memory").press("Tab");
  await expect(page.locator(".advice header")).toContainText("64.0 GiB");
  await offered.fill(step);
  await page.getByRole("button", { name: "Replay" }).click();
  await expect(page).toHaveURL(/replay=68719476736,500/);
  const { proposals } = said([snapshot, "--capacity", String(64 * 2 ** 30), "--empty", step]) as { proposals: Row[] };
  const saved = proposals.filter((row) => row.change === "empty_cache").map((row) => String(row.saved));
  await expect.poll(() => figures(page, "empty_cache")).toEqual(saved);
});

test("a group that need not be held leads to its rectangles", async ({ page }) => {
  await advised(page);
  const group = page.locator('.advice tr:is([data-kind="not_held"], [data-kind="elsewhere"]) button.link:visible').first();
  const blocks = /, ([\d,]+) block/.exec((await group.textContent()) ?? "")?.[1];
  await group.click();
  await expect(group).toHaveAttribute("aria-pressed", "true");
  await expect(page.locator(".search output")).toContainText(new RegExp(`^${blocks} of `));
});

test("a change that only moves the failure is folded away", async ({ page }) => {
  // Of `limited.py`: 8 GiB beside 2 GiB that a limit of the program's own refused. In pages of 20 MiB
  // the first request alone is more than 8 GiB: another one fails, and nothing is saved.
  await open(page);
  await choose(page, "limited.pickle", readFileSync(new URL("../data/plans/torch/limited.pickle", import.meta.url)));
  await ready(page);
  await showView(page, "advice");
  const header = page.locator(".advice header");
  await expect(header).toContainText("8.00 GiB, the lowest possible: the limit is less than 10.0 GiB");
  const pages = page.locator('.advice tr[data-kind="settings"]', { hasText: "expandable_segments" });
  await expect(pages).toHaveCount(1);
  await expect(pages).toBeHidden();
  // Nothing is saved as long as a request fails; without the 8 GiB it fits.
  await expect(page.locator(".advice .sum")).toHaveCount(0);
  await expect(header.locator(".fits")).toContainText("if this were not held: weights (train.py:4)");
});

test("each kind of change has one heading, also where some meet every request", async ({ page }) => {
  await open(page);
  await choose(page, "split.pickle", readFileSync(new URL("../data/plans/torch/split_segment.pickle", import.meta.url)));
  await ready(page);
  await showView(page, "advice");
  await expect(page.locator(".advice header .fits")).toBeVisible();
  const heads = await page.locator(".advice section h3").allTextContents();
  expect(heads).toEqual([...new Set(heads)]);
});

test("a plan that was made in advance: the better one, and what sets the peak", async ({ page }) => {
  const csv = "id,lower,upper,size,offset\na,0,3,100,0\nb,1,3,50,200\nc,2,5,60,300\nd,0,9,80,400\n";
  const file = join(folder, "shipped.csv");
  writeFileSync(file, csv);
  await open(page);
  await choose(page, "shipped.csv", Buffer.from(csv));
  await ready(page);
  await showView(page, "advice");
  // All four are live at step 2: 290 bytes, of 480. Without `d`, which is used elsewhere only, 210.
  await expect(page.locator('.advice tr[data-kind="plan"]')).toHaveAttribute("data-saved", "190");
  const row = page.locator('.advice tr[data-kind="elsewhere"]').filter({ hasText: /^d,/ });
  await expect(row).toHaveAttribute("data-saved", "80");
});

test("a model brings no plan to advise on", async ({ page }) => {
  await open(page);
  await ready(page);
  await showView(page, "advice");
  await expect(page.locator(".advice .empty")).toContainText("nothing to advise");
});
