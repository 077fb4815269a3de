// A TFLite model takes its plan home: written for TFLite Micro, downloaded, opened again. What
// its interpreter makes of such files is checked by tests/tflm.py.

import { readFileSync } from "node:fs";
import { expect, open, ready, test } from "./page";
import { native } from "./native.mjs";
import { arena, choose, document, fragment, pane } from "./session";
import { showView } from "./tasks.mjs";

// TFLite Micro's own documented example, of 1,012 units of 16 bytes with its own plan.
const MODEL = readFileSync("../data/plans/offline/documented.tflite");

test.setTimeout(120_000);

test("the best plan goes into the model, and opens as its own plan", async ({ page }) => {
  await open(page);
  await choose(page, "documented.tflite", MODEL);
  await expect(document(page)).toHaveText("documented.tflite");
  await ready(page);
  const best = pane(page, "best");
  await best.locator("summary").click();
  await best.locator('[data-export="tflite"]').click();
  const notice = page.locator(".notice");
  await expect(notice).toContainText("cannot take this plan");
  await expect(notice).toContainText("plan inputs and outputs as TFLite Micro has them");
  await page.locator("#io").selectOption("tflm");
  await expect(page.locator("#alignment")).toHaveValue("16");
  // 400, 201, 202 and 12 units of 16 bytes are live together.
  await expect.poll(() => arena(page, "best")).toBe(815 * 16);
  await best.locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    best.locator('[data-export="tflite"]').click(),
  ]);
  expect(download.suggestedFilename()).toBe("documented.best.tflite");
  await expect(notice).toContainText("TFLite Micro adds what it keeps for good");
  const made = readFileSync(await download.path());
  expect(made.subarray(made.length - MODEL.length + 8).equals(MODEL.subarray(8))).toBe(true);
  await choose(page, "home.tflite", made);
  await expect(document(page)).toHaveText("home.tflite");
  await expect.poll(() => arena(page, "deployed")).toBe(815 * 16);
  await expect(page.locator("#io")).toHaveValue("tflm");
  expect(fragment(page).has("io")).toBe(false);
  // Beside the arena the plan has no meaning, and that is said.
  await page.locator("#io").selectOption("beside");
  await expect(pane(page, "deployed")).toContainText("as TFLite Micro has them");
  expect(fragment(page).get("io")).toBe("beside");
});

test("the arena to give TFLite Micro stands beside the split", async ({ page }) => {
  await open(page);
  await choose(page, "documented.tflite", MODEL);
  await expect(document(page)).toHaveText("documented.tflite");
  await ready(page);
  await showView(page, "waste");
  const beside = page.locator(".beside-plan");
  await expect(beside).toHaveCount(0);
  await page.locator("#io").selectOption("tflm");
  await expect(page.locator(".parts")).toHaveAttribute("data-arena", String(815 * 16));
  await expect(beside).toContainText("pointers of 8 bytes");
  // What is kept depends on no plan: the command says it of the best one.
  const file = "tests/data/plans/offline/documented.tflite";
  const said = native("arenascope", ["waste", file, "--io", "tflm", "--strategy", "best", "--format", "json"]);
  const head = Number(await beside.getAttribute("data-head"));
  const whole = head + JSON.parse(said).beside.tail;
  await expect(beside).toHaveAttribute("data-with-tail", String(whole));
  await expect(beside).toContainText(whole.toLocaleString("en"));
});
