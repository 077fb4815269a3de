// Plans from files, laid over the model that is open, and run as they are.

import { readFileSync } from "node:fs";
import { expect, open, test } from "./page";
import { arena, document, pane, verdict } from "./session";
import { showView } from "./tasks.mjs";

test.setTimeout(240_000);

test("a plan from a file runs on the model, and a file that is none is refused", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size,greedy_in_order");
  const figure = await arena(page, "greedy_in_order");
  await pane(page, "greedy_in_order").locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, "greedy_in_order").locator('[data-export="json"]').click(),
  ]);
  const plan = readFileSync(await download.path());
  const own = await arena(page, "offsets_by_size");
  expect(own).not.toBe(figure);
  await showView(page, "run");
  await page.locator("#run-plan").selectOption("offsets_by_size");
  const field = page.locator("#plan-file");
  await field.setInputFiles({ name: "other.json", mimeType: "application/json", buffer: Buffer.from('{"arenascope_plan":1}') });
  await expect(page.getByText("other.json does not fit")).toBeVisible();
  await field.setInputFiles({ name: "plan.json", mimeType: "application/json", buffer: plan });
  await expect(page.locator(".edited")).toContainText("moved");
  await expect(document(page)).toHaveText("BlazeFace detector");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  expect(Number(await page.locator('[data-figure="promised"]').getAttribute("data-bytes"))).toBe(figure);
  await page.locator("#restore").click();
  await showView(page, "compare");
  expect(await arena(page, "offsets_by_size")).toBe(own);
});
