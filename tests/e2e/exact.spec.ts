// What the page says of the exact search: what it has proved and cannot prove, whether it
// waits, works or has ended, and where it is better than the best plan.

import type { Page } from "@playwright/test";
import { expect, open, openAdvanced, ready, test } from "./page";
import { csv, cutRectangle, seeded } from "./cut_rectangle.mjs";
import { arena, choose, document, pane, row } from "./session";

const proved = (page: Page) => page.locator('.bound[data-kind="proved"]');

/** A full rectangle of 1 MiB × 300 steps cut into so many pieces. */
function cut(count: number): string {
  return csv(cutRectangle(seeded(7), count, 300, 1 << 20));
}

/**
 * Three buffers of 4 bytes in a ring of three steps, each there at two of them: at every step
 * 8 bytes are live, but every two meet, so that 12 are needed. Two more of 1 byte come behind.
 */
function ring(handovers: object[]): Buffer {
  const one = (name: string, size: number, lower: number, upper: number, offset: number, gaps: object[] = []) => ({
    name, size, lower, upper, offset, gaps,
  });
  const buffers = [
    one("a", 4, 0, 2, 0),
    one("b", 4, 1, 3, 4),
    one("c", 4, 0, 3, 8, [{ lower: 1, upper: 2 }]),
    one("d", 1, 4, 6, 0),
    one("e", 1, 5, 7, 1),
  ];
  return Buffer.from(JSON.stringify({ arenascope_plan: 1, alignment: 1, arena: 12, horizon: 7, buffers, handovers }));
}

test("a proved bound is listed only where it says more than the others", async ({ page }) => {
  await open(page);
  await ready(page);
  // The model's best plan meets the live bytes, so that a proof adds nothing.
  await expect(pane(page, "best")).toContainText("bound met");
  await expect(proved(page)).toHaveCount(0);
  await choose(page, "ring.json", ring([]));
  await expect(document(page)).toHaveText("ring.json");
  expect(await arena(page, "exact")).toBe(12);
  await expect(proved(page).locator("b")).toHaveText("12 B");
  await expect(row(page, "exact")).toContainText("Optimal (proved by search)");
});

test("where plans are left out of the search the page says so and offers no more of it", async ({ page }) => {
  await open(page);
  await choose(page, "handed.json", ring([{ before: 3, after: 4, shift: 0 }]));
  await expect(document(page)).toHaveText("handed.json");
  await row(page, "exact").getByRole("checkbox").check();
  expect(await arena(page, "exact")).toBe(12);
  for (const place of [row(page, "exact"), pane(page, "exact")]) {
    await expect(place).toContainText("Best known, only the bound is proved");
    await expect(place).not.toContainText("Best so far");
  }
  await expect(pane(page, "exact").getByTitle(/written over others/)).toBeVisible();
  await expect(pane(page, "exact").getByRole("button", { name: "Search longer" })).toHaveCount(0);
  await expect(proved(page)).toHaveCount(0);
});

test("a search that waits, works or has ended says which", async ({ page }) => {
  test.setTimeout(180_000);
  await open(page);
  await choose(page, "hard.csv", Buffer.from(cut(400)));
  await expect(document(page)).toHaveText("hard.csv");
  await openAdvanced(page);
  await page.locator("#effort").selectOption("thorough");
  const [best, exact] = [row(page, "best"), row(page, "exact")];
  await expect(best).toContainText("Searching", { timeout: 60_000 });
  // Not planned unasked for so many: the row says how to begin, best's row too.
  await expect(exact).toContainText("planned only when you ask");
  await best.getByRole("button", { name: "Ask exact" }).click();
  // Exact goes first now, and best waits with the plan that it had.
  await expect(exact).toContainText(/[\d,]+ of 50,000,000 nodes/, { timeout: 60_000 });
  await expect(best).toContainText("In the queue");
  await expect(best).not.toContainText("Searching");
  await expect(pane(page, "exact")).toContainText(/of 50,000,000 nodes/);
  await exact.getByRole("button", { name: /Stop/ }).click();
  await expect(exact).toContainText("Stopped");
  await expect(exact).not.toContainText("nodes");
  await expect(best).toContainText("Searching", { timeout: 60_000 });
  await expect(best).not.toContainText("In the queue");
  await best.getByRole("button", { name: /Stop/ }).click();
  await expect(best).toContainText("Stopped");
});

test("best's row says where exact has a smaller plan, and leads there", async ({ page }) => {
  // What the sample is there for: its figures are counted in tests/planner/samples.rs.
  await open(page, "/#sample=search_stops");
  const less = async () => (await arena(page, "best")) - (await arena(page, "exact"));
  await expect.poll(less).toBeGreaterThan(0);
  const lead = row(page, "best").getByRole("button", { name: /^exact has .* less$/ });
  await expect(lead).toBeVisible();
  await lead.click();
  await expect(pane(page, "exact")).toBeVisible();
  // What best has planned stays best's.
  expect(await less()).toBeGreaterThan(0);
});
