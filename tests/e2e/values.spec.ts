// Elements of outputs and of any tensor, and where the time of a run goes.

import { readFileSync } from "node:fs";
import { expect, test, words } from "./page";
import { LONG, document, drop, openRun, verdict } from "./session";
import { barriers } from "./sight";

test.setTimeout(240_000);

test("outputs are seen, saved and compared with what was saved", words, async ({ page }) => {
  await openRun(page);
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#values-outputs").click();
  const tensors = page.locator(".value");
  await expect(tensors.first()).toBeVisible(LONG);
  expect(await tensors.count()).toBeGreaterThan(1);
  const first = tensors.first();
  await expect(first.locator(".numbers td.number").first()).not.toBeEmpty();
  await first.locator('[data-look="histogram"]').click();
  await expect(first.locator(".histogram rect")).toHaveCount(40);
  const saving = page.waitForEvent("download");
  await first.locator('[data-values="save"]').click();
  const saved = await (await saving).path();
  const bytes = readFileSync(saved);
  expect(bytes.subarray(1, 6).toString()).toBe("NUMPY");
  await first.locator('[data-values="expected"]').setInputFiles({ name: "own.npy", mimeType: "", buffer: bytes });
  await expect(first.locator('[role="status"]')).toHaveText("own.npy: equal bit for bit");
  // Another last element: the largest difference and its place are said.
  bytes.writeFloatLE(1e6, bytes.length - 4);
  await first.locator('[data-values="expected"]').setInputFiles({ name: "other.npy", mimeType: "", buffer: bytes });
  await expect(first.locator('[role="status"]').last()).toContainText("1 element differs");
  const labels = Buffer.from("zero\none\ntwo\n");
  await page.locator('[data-values="labels"]').setInputFiles({ name: "labels.txt", mimeType: "text/plain", buffer: labels });
  await expect(first.locator(".top li")).toHaveCount(5);
  // What is dropped on an output is about it.
  await drop(page, "dropped.npy", bytes, ".value");
  await expect(first.locator('[role="status"]').last()).toContainText("dropped.npy: largest difference");
  await drop(page, "noise.txt", Buffer.from([0, 255, 0]), ".value");
  await expect(page.locator(".values > .misfit")).toHaveText("noise.txt does not fit: it is not a text file");
  await expect(document(page)).toHaveText("BlazeFace detector");
  expect(await barriers(page, ".values")).toEqual([]);
});

test("a run goes as far as a tensor, which is seen as a map", async ({ page }, info) => {
  await openRun(page);
  if (info.project.name !== "webgpu") await page.locator("#run-machine").selectOption("cpu");
  const name = await page.locator("#values-names option").nth(3).getAttribute("value");
  await page.locator("#values-tensor").fill(name ?? "");
  await page.locator("#values-show").click();
  const tensor = page.locator(".value");
  await expect(tensor).toHaveCount(1, LONG);
  await expect(tensor).toHaveAttribute("data-tensor", name ?? "");
  await tensor.locator('[data-look="map"]').click();
  await expect(tensor.locator("canvas.map")).toBeVisible();
  await page.locator("#values-tensor").fill("no such tensor");
  await page.locator("#values-show").click();
  await expect(page.locator(".values .misfit").first()).toContainText("no such tensor");
});

test("the profile sums the adapter's times", async ({ page }, info) => {
  await openRun(page);
  if (info.project.name === "webgpu") await page.locator("#run-reference").uncheck();
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  const profile = page.locator(".profile");
  if (info.project.name !== "webgpu") {
    await expect(profile).toContainText("Not measured");
    return;
  }
  await expect(profile.locator("tbody th").filter({ hasText: /^Conv$/ })).toBeVisible();
  await expect(profile.locator(".profile-bars rect").first()).toBeAttached();
  const rows = await profile.locator("tbody tr").count();
  await profile.getByRole("button", { name: "By step" }).click();
  expect(await profile.locator("tbody tr").count()).toBeGreaterThan(rows);
});
