// What a training step takes on a device before it runs: the picture's figures are those of the
// command line, devices have their verdicts, and an open snapshot stands beside it.

import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { choose } from "./session";

const SAMPLE = "public/samples/unet.onnx";

type Row = { device: string; verdict: string; missing: number | null };
type Told = { total: number; reserved: number; segments: number; devices: Row[]; peak: Record<string, number> };

const told = (more: string[] = []): Told =>
  JSON.parse(native("arenascope", ["train", SAMPLE, "--estimate", "--format", "json", ...more]));

async function estimated(page: Page, train = "keep_all,1") {
  await open(page, `/#sample=unet&train=${train}&tab=training`);
  await expect(page.locator(".policies")).toBeVisible();
  await ready(page);
  await page.locator("[data-do=estimate]").click();
  await expect(page.locator(".estimate .purposes")).toBeVisible();
  await ready(page);
}

const total = (page: Page) => page.locator(".estimate .sums tr").last().locator("td").first();

test("the estimate is the one of the command line", async ({ page }) => {
  await estimated(page);
  const own = told();
  await expect(total(page)).toHaveAttribute("title", new RegExp(own.total.toLocaleString("en-US")));
  const rows = page.locator(".fits tbody tr");
  await expect(rows).toHaveCount(own.devices.length);
  for (const it of own.devices) {
    const row = page.locator(`.fits tr[data-device="${it.device}"]`);
    await expect(row).toHaveClass({ fits: "fits", fits_with: "fits-with", too_small: "too-small" }[it.verdict] ?? "");
  }
  // What no model knows is said, and counts once it is typed.
  await expect(page.locator(".estimate .says")).toContainText("Not known and not counted");
  await page.locator("[data-do=estimate-context]").fill("400");
  await page.locator("[data-do=estimate-context]").press("Enter");
  await ready(page);
  const more = told(["--context", "400MiB"]);
  await expect(total(page)).toHaveAttribute("title", new RegExp(more.total.toLocaleString("en-US")));
  await page.locator("[data-do=estimate-by]").selectOption("planned");
  await ready(page);
  await expect(page.locator(".estimate .says")).toContainText("planned in advance");
});

test("another policy is another estimate, and it closes", async ({ page }) => {
  await estimated(page, "sqrt_n,4");
  const own = told(["--policy", "sqrt_n", "--batch", "4"]);
  await expect(total(page)).toHaveAttribute("title", new RegExp(own.total.toLocaleString("en-US")));
  await page.locator("[data-do=estimate]").click();
  await expect(page.locator(".estimate .purposes")).toHaveCount(0);
});

test("an open snapshot stands beside it, with an error for each part", async ({ page }) => {
  await estimated(page);
  await expect(page.locator(".estimate")).toContainText("Open a memory snapshot");
  await expect(page.locator("[data-do=estimate-beside]")).toHaveCount(0);
  await page.goto("/#sample=unet&train=keep_all,1&tab=training&case=sample=torch_training");
  await ready(page);
});

test("other allocators are asked for the same step", async ({ page }) => {
  await estimated(page);
  await page.locator("[data-do=step-allocators]").click();
  const rows = page.locator(".others [data-allocator]");
  await expect(rows.first()).toBeVisible();
  const names = await rows.evaluateAll((all) => all.map((it) => it.getAttribute("data-allocator")));
  expect(names).toEqual(["caching", "expandable", "gmlake", "tlsf", "stalloc", "best", "bound"]);
});
