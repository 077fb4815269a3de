// What torch.compile keeps and what is swapped: two curves over the memory budget, and lanes of the
// link, as the command line says.

import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";

const SAMPLE = "public/samples/unet.onnx";

type Partition = { budget: number; kept: number; peak: number };

async function trained(page: Page, train: string) {
  await open(page, `/#sample=unet&train=${train}&tab=training`);
  await expect(page.locator(".policies")).toBeVisible();
  await ready(page);
}

test("torch.compile's memory budget stands beside the peak, and a point is planned", async ({ page }) => {
  test.slow();
  await trained(page, "keep_all,1,,compile");
  const { partitions }: { partitions: Partition[] } = JSON.parse(
    native("arenascope", ["train", SAMPLE, "--rule", "compile", "--partitions", "--format", "json"]),
  );
  const points = page.locator(".partitions circle");
  await expect(points).toHaveCount(partitions.length);
  const rises = partitions
    .slice(1)
    .map((it, at) => ({ more: partitions[at].peak - it.peak, from: it.budget, to: partitions[at].budget }))
    .filter((it) => it.more > 0);
  expect(rises.length).toBeGreaterThan(1);
  const most = rises.reduce((one, other) => (other.more >= one.more ? other : one));
  await expect(page.locator(".partitions .hint")).toContainText(
    `${rises.length} times a smaller budget raises the peak, most from ${most.from.toFixed(2)} to ${most.to.toFixed(2)}`,
  );
  const half = page.locator('.partitions [data-partition="50"]');
  await half.focus();
  await page.keyboard.press("Enter");
  await ready(page);
  await expect(half).toHaveAttribute("aria-pressed", "true");
  await expect(page).toHaveURL(/train=min_cut@50,1/);
  await page.reload();
  await ready(page);
  await expect(page.locator('.partitions [data-partition="50"]')).toHaveAttribute("aria-pressed", "true");
});

test("what is written out counts in its parts, for eager and for compiled code", async ({ page }) => {
  await open(page, "/#sample=transformer&train=keep_all,1,,autograd&tab=training");
  await ready(page);
  const says = page.locator(".training .hint").nth(1);
  const whole = await says.textContent();
  await page.locator("[data-do=decomposed]").check();
  await ready(page);
  await expect(says).not.toHaveText(whole ?? "");
  await page.locator("[data-do=rule]").selectOption("compile");
  await ready(page);
  await expect(says).toContainText("torch.compile traces");
});

test("values are swapped over a device's link: lanes, FreeTime, iterations", async ({ page }) => {
  test.slow();
  const budget = 150_000_000;
  await trained(page, `capuchin,1,${budget},rates=11340000000000/15750000000`);
  const swaps = page.locator(".swaps");
  await expect(swaps.locator("rect.out").first()).toBeVisible();
  const [out, back] = [await swaps.locator("rect.out").count(), await swaps.locator("rect.back").count()];
  expect(out).toBeGreaterThan(0);
  expect(back).toBeLessThanOrEqual(out);
  await expect(swaps.locator(".candidates tbody tr").first()).toContainText("swapped");
  const slider = swaps.locator("[data-do=iteration]");
  await slider.focus();
  await page.keyboard.press("Home");
  await expect(swaps.locator("output")).toHaveText("measured");
  await expect(swaps.locator("rect.stall").first()).toBeAttached();
});

test("values are packed between the passes, and every policy knows it", async ({ page }) => {
  test.slow();
  await trained(page, "keep_all,1");
  const peak = (...more: string[]): number =>
    JSON.parse(native("arenascope", ["train", SAMPLE, "--policy", "keep_all", "--format", "json", ...more])).policies[0].peak;
  const cell = page.locator('.policies tr[data-row="keep_all"] td.number').first();
  const shown = async (bytes: number) =>
    await expect(cell).toHaveAttribute("title", `${bytes.toLocaleString("en-US")} B`);
  await shown(peak());
  await page.locator("[data-do=pack]").selectOption("8");
  await ready(page);
  await shown(peak("--gist", "signs+sparse+bits=8"));
  await page.locator("[data-do=zeros]").fill("90");
  await page.keyboard.press("Enter");
  await ready(page);
  await shown(peak("--gist", "signs+sparse+bits=8+zeros=900"));
});

test("zeros of ReLUs are measured by a run, and a number by hand comes back", async ({ page }) => {
  test.slow();
  await open(page, "/#sample=blazeface&train=keep_all,1,,sparse+zeros=600+zeros=measured&tab=training");
  await expect(page.locator(".policies")).toBeVisible();
  await ready(page);
  const says = page.locator(".training .zeros");
  await expect(says).toContainText("60.0 % is taken until a run has measured it");
  const by = page.locator("[data-do=measured-zeros]");
  await expect(by).toBeChecked();
  await page.locator("[data-do=measure-zeros]").click();
  await expect(says).toContainText("counted in a run on the CPU", { timeout: 120_000 });
  await ready(page);
  await expect(by).toBeChecked();
  await expect(page).toHaveURL(/zeros=600\+zeros=measured/);
  await by.uncheck();
  await ready(page);
  await expect(page).not.toHaveURL(/zeros=measured/);
  const { policies } = JSON.parse(
    native("arenascope", [
      "train", "public/samples/blazeface.onnx", "--policy", "keep_all", "--format", "json",
      "--gist", "sparse+zeros=600",
    ]),
  );
  await expect(page.locator('.policies tr[data-row="keep_all"] td.number').first()).toHaveAttribute(
    "title",
    `${policies[0].peak.toLocaleString("en-US")} B`,
  );
});

test("other allocators stand beside PyTorch's, as the command line has them", async ({ page }) => {
  test.slow();
  await open(page, "/#sample=torch_training&tab=advice");
  await ready(page);
  await page.locator("[data-do=allocators]").click();
  const rows = page.locator(".allocators tbody tr");
  await expect(rows.first()).toBeVisible();
  const { rows: told } = JSON.parse(
    native("arenascope", ["allocators", "public/samples/torch_training.pickle", "--format", "json"]),
  );
  await expect(rows).toHaveCount(told.length);
  for (const { allocator, reserved } of told) {
    const cell = page.locator(`[data-allocator="${allocator}"] td.number`).first();
    if (reserved) await expect(cell).toHaveAttribute("title", `${reserved.toLocaleString("en-US")} B`);
  }
});
