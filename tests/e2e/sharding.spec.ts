// A training step on many devices: what a rank holds is what the command line says, stages stand
// beside each other, bars and the advisor's way are taken by a click.

import { writeFileSync } from "node:fs";
import type { Page, TestInfo } from "@playwright/test";
import { barriers } from "./sight";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { choose } from "./session";

const RECIPE = "autograd+adam+mixed";

/** GPT-2's description, which the command line and the page open. */
function description(info: TestInfo) {
  const file = info.outputPath("gpt2.json");
  const text = native("arenascope", [
    ..."transformer --preset gpt2 --mode forward --context 128 --attention fused --format description".split(" "),
  ]);
  writeFileSync(file, text);
  return { file, text };
}

type Told = { total: number; peak: Record<string, number> };

const told = (file: string, sharding: string): Told =>
  JSON.parse(
    native("arenascope", [
      ...["train", file, "--estimate", "--format", "json", "--rule", "autograd"],
      ...["--optimizer", "adam", "--precision", "mixed", "--sharding", sharding],
    ]),
  );

async function training(page: Page, text: string) {
  await open(page, "/#sample=leading_gap");
  await choose(page, "gpt2.json", Buffer.from(text));
  await ready(page);
  await page.keyboard.press("Escape");
  await page.evaluate(() => { location.hash = location.hash.replace(/&tab=[^&]*/, "") + "&tab=training"; });
  await ready(page);
  await expect(page.locator(".policies")).toBeVisible();
}

const field = (page: Page, name: string) => page.locator(`.sharding [data-do=${name}]`);

async function fill(page: Page, name: string, value: string) {
  await field(page, name).fill(value);
  await field(page, name).press("Enter");
  await ready(page);
}

test("a rank holds what the command line says, and its stages stand beside each other", async ({ page }, info) => {
  const { file, text } = description(info);
  await training(page, text);
  await page.locator("[data-do=optimizer]").selectOption("adam");
  await page.locator("[data-do=precision]").selectOption("mixed");
  await page.locator("[data-do=sharding]").click();
  await fill(page, "data", "2");
  await fill(page, "pipeline", "4");
  await fill(page, "micro", "8");
  await field(page, "zero").selectOption("1");
  await ready(page);
  await expect(page.locator(".sharding .says").first()).toContainText("8 devices");
  await expect(page.locator(".sharding .says").first()).toContainText("16 samples");
  // Its choices are in the address once a schedule is planned.
  await page.locator("[data-policy=keep_all]").click();
  await ready(page);
  expect(decodeURIComponent(page.url())).toContain(`keep_all,1,,${RECIPE}+dp=2+pp=4+micro=8+zero=1`);
  await page.locator("[data-do=bars]").click();
  await ready(page);
  const rows = page.locator(".bars tbody tr");
  await expect(rows).toHaveCount(4);
  for (const stage of [0, 1, 2, 3]) {
    const own = told(file, `dp=2+pp=4+micro=8+zero=1+stage=${stage}`);
    await expect(rows.nth(stage).locator("td").last()).toHaveAttribute(
      "title",
      `${own.total.toLocaleString("en-US")} B`,
    );
  }
  await page.locator("[data-do=bars-over]").selectOption("zero");
  await ready(page);
  await expect(rows).toHaveCount(4);
  for (const zero of [0, 1, 2, 3]) {
    const own = told(file, `dp=2+pp=4+micro=8+zero=${zero}`);
    await expect(rows.nth(zero).locator("td").last()).toHaveAttribute(
      "title",
      `${own.total.toLocaleString("en-US")} B`,
    );
  }
  expect(await barriers(page, ".sharding")).toEqual([]);
  await rows.nth(3).locator("button").click();
  await ready(page);
  await expect(field(page, "zero")).toHaveValue("3");
  await page.locator("[data-do=ranks]").click();
  await expect(page.locator(".cases [data-case]")).toHaveCount(3);
  await ready(page);
  for (const stage of ["stage=1", "stage=3"]) expect(page.url()).toContain(stage);
});

test("what cannot be divided says so, and can be chosen otherwise", async ({ page }, info) => {
  const { text } = description(info);
  await training(page, text);
  await page.locator("[data-do=sharding]").click();
  await fill(page, "pipeline", "13");
  await expect(page.locator(".training .empty")).toContainText("12 layers cannot be divided into 13 stages");
  await fill(page, "pipeline", "12");
  await expect(page.locator(".policies")).toBeVisible();
  // Closed, it is one device again.
  await page.locator("[data-do=sharding]").click();
  await ready(page);
  await expect(page.locator(".sharding .says")).toHaveCount(0);
});

test("all that a step asks for opens as rectangles", async ({ page }) => {
  await open(page, "/#sample=unet&train=keep_all,1&tab=training");
  await ready(page);
  await page.locator("[data-do=estimate]").click();
  await ready(page);
  await page.locator("[data-do=rectangles]").click();
  await expect(page.locator(".cases [data-case]")).toHaveCount(2);
  await ready(page);
  await expect(page.locator(".cases")).toContainText("U-Net step.csv");
});

test("the cheapest way to make it fit is that of the command line, and is planned by a click", async ({ page }, info) => {
  const { file, text } = description(info);
  const asked = ["fits", file, "--device", "RTX 2080 Ti", "--devices", "2", "--batch", "64", "--format", "json"];
  const own = JSON.parse(native("arenascope", asked));
  expect(own.fits).toBe(true);
  await training(page, text);
  await page.locator("[data-do=rule]").selectOption("autograd");
  await page.locator("[data-do=optimizer]").selectOption("adam");
  await page.locator("[data-do=precision]").selectOption("mixed");
  await page.locator("[data-do=advisor]").click();
  await expect(page.locator("[data-do=find-fit]")).toBeDisabled();
  await page.locator("[data-do=device]").selectOption("RTX 2080 Ti");
  await ready(page);
  for (const [name, value] of [["devices", "2"], ["batch", "64"]] as const) {
    await page.locator(`[data-do=advisor-${name}]`).fill(value);
    await page.locator(`[data-do=advisor-${name}]`).press("Enter");
  }
  await page.locator("[data-do=find-fit]").click();
  await expect(page.locator(".advisor .says")).toContainText("It fits");
  const row = page.locator(".advisor tr[aria-current=true]");
  await expect(row.locator("td").nth(1)).toHaveAttribute("title", `${own.answer.reserved.toLocaleString("en-US")} B`);
  await expect(row.locator("code")).toHaveText(own.answer.training);
  expect(await barriers(page, ".advisor")).toEqual([]);
  await row.locator("[data-do=take-case]").click();
  await ready(page);
  expect(decodeURIComponent(page.url())).toContain(`train=${own.answer.training}`);
});
