// Operators of which only a run finds how much they give: planned for the most, run with what
// they give.

import { expect, open, ready, test } from "./page";
import { choose, document, verdict } from "./session";
import { showView } from "./tasks.mjs";

const COUNTED = Buffer.from(`graph counted
input x: f32[3,4]
kept = Relu(x)
places = NonZero(kept)
moved = Identity(places)
output moved
`);

test("what is counted is planned for the most and run with the count", async ({ page }) => {
  await open(page);
  await choose(page, "counted.graph", COUNTED);
  await expect(document(page)).toHaveText("counted.graph");
  await ready(page);
  // Twelve elements are at most twelve that are not zero.
  const most = page.locator('input[data-symbol="places"]');
  // There are no others that a field could be for.
  await expect(page.locator('input[data-symbol="at_most"]')).toHaveCount(0);
  await expect(most).toHaveValue("12");
  await showView(page, "run");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  await expect(page.locator(".verdict")).toContainText(/NonZero gave \d+ in places, planned for at most 12/);
  // Random numbers about 0: more than one of twelve is positive.
  await most.fill("1");
  await most.press("Enter");
  await expect(page).toHaveURL(/bind=places:1/);
  await ready(page);
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("failed");
  await expect(page.locator(".verdict")).toContainText(/NonZero gave \d+ in "places", and at most 1 was set/);
  await most.fill("");
  await most.press("Enter");
  await expect(most).toHaveValue("12");
});
