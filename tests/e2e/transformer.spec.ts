// A transformer without a file: the form's figures, what it opens, and requests to its cache.

import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { document } from "./session";
import { barriers } from "./sight";
import { showView } from "./tasks.mjs";

const form = (page: Page) => page.locator("dialog.generate");

async function opened(page: Page) {
  await open(page);
  await page.locator("[data-do=transformer]").click();
  await expect(form(page)).toBeVisible();
}

/** The figure under a label. */
const figure = (page: Page, label: string | RegExp) => form(page).locator("dt", { hasText: label }).locator("xpath=following-sibling::dd[1]");

test("figures follow what is typed, and equal what is published", async ({ page }) => {
  await opened(page);
  await form(page).locator("#preset").selectOption("llama-2-7b");
  // Meta's own count; a token keeps 2 · 32 layers · 4096 numbers of 2 bytes.
  await expect(figure(page, "Parameters")).toHaveText("6,738,415,616");
  await expect(figure(page, "Keys and values of a token")).toHaveText(/^512 KiB/);
  await form(page).locator("#generate-tokens").fill("4096");
  await expect(figure(page, /of 1 × 4,096 tokens/)).toHaveText(/^2\.00 GiB/);
  await form(page).locator("#generate-batch-size").fill("4");
  await expect(figure(page, /of 4 × 4,096 tokens/)).toHaveText(/^8\.00 GiB/);
  await form(page).locator("#generate-weight-type").selectOption("i8");
  await expect(figure(page, "Weights")).toHaveText(/^6\.28 GiB/);
  // 32 heads of 128 do not go with 5 of keys.
  await form(page).locator("#generate-key-value-heads").fill("5");
  await expect(form(page).locator("[role=alert]").first()).toBeVisible();
  await expect(form(page).locator("[data-do=generate]")).toBeDisabled();
  await form(page).locator("#generate-key-value-heads").fill("8");
  await expect(form(page).locator("[data-do=generate]")).toBeEnabled();
  expect(await barriers(page, "dialog.generate")).toEqual([]);
});

test("what is described is planned, and all of its memory is a bar for each context", async ({ page }) => {
  await opened(page);
  await form(page).locator("#preset").selectOption("llama-3-8b");
  await form(page).locator("[data-do=generate]").click();
  await ready(page);
  await expect(document(page)).toHaveText(/\.json$/);
  await showView(page, "sweep");
  await ready(page);
  await page.locator("#sweep-over").selectOption({ label: "context" });
  await page.locator("#sweep-values").fill("1024,8192");
  await page.locator("#sweep-values").press("Enter");
  await ready(page);
  const bars = page.locator(".totals-bars .total");
  await expect(bars).toHaveCount(2);
  // 131,072 bytes of keys and values a token: 128 MiB and 1 GiB beside 15 GiB of weights.
  await expect(bars.first()).toHaveAttribute("aria-label", /weights: 15\.0 GiB.*keys and values, other state: 128(\.0)? MiB/);
  await expect(bars.last()).toHaveAttribute("aria-label", /keys and values, other state: 1\.00 GiB/);
  await bars.first().click();
  await ready(page);
  await expect(page.locator(".sweep tr[data-value='1024']")).toHaveAttribute("aria-current", "true");
});

test("requests are played under every placement", async ({ page }) => {
  await opened(page);
  await form(page).locator(".requests summary").click();
  await form(page).locator("#requests-count").fill("40");
  await form(page).locator("#requests-prompt").fill("wrong");
  await expect(form(page).locator("[data-do=play-requests]")).toBeDisabled();
  await form(page).locator("#requests-prompt").fill("16..256");
  await form(page).locator("[data-do=play-requests]").click();
  await ready(page);
  await expect(document(page)).toHaveText("requests.csv");
  const arenas = page.locator(".arenas tbody:not(.sum) tr");
  await expect(arenas).not.toHaveCount(0);
  const names = (await arenas.allInnerTexts()).join(" ");
  for (const name of ["one block of", "buddy blocks", "pages of 16 tokens", "swapped out"]) expect(names).toContain(name);
});

test("what is no number is marked and opens nothing, and an encoder reads sequences", async ({ page }) => {
  await opened(page);
  const layers = form(page).locator("#generate-layers");
  const button = form(page).locator("[data-do=generate]");
  for (const wrong of ["", "0", "1.5"]) {
    await layers.fill(wrong);
    await expect(layers).toHaveAttribute("aria-invalid", "true");
    await expect(button).toBeDisabled();
  }
  await layers.fill("2");
  await expect(button).toBeEnabled();
  await form(page).locator("#preset").selectOption("bert-base");
  await expect(button).toBeEnabled();
  await expect(form(page).locator("#generate-mode")).toHaveValue("forward");
  // It has learned 512 places.
  await expect(form(page).locator("#generate-tokens")).toHaveValue("512");
  await form(page).locator("#generate-tokens").fill("513");
  await expect(form(page).locator("[role=alert]").first()).toBeVisible();
});

test("a second transformer has sliders of its own", async ({ page }) => {
  for (const [tokens, batch] of [["4096", "2"], ["1024", "8"]] as const) {
    if (tokens === "4096") await opened(page);
    else await page.locator("[data-do=transformer]").click();
    await form(page).locator("#generate-tokens").fill(tokens);
    await form(page).locator("#generate-batch-size").fill(batch);
    await form(page).locator("[data-do=generate]").click();
    await ready(page);
    await expect(page.locator("input[data-symbol=context]")).toHaveValue(tokens);
    await expect(page.locator("input[data-symbol=batch]")).toHaveValue(batch);
  }
});

test("images, experts and latent keys have fields of their own", async ({ page }) => {
  await opened(page);
  const field = (id: string) => form(page).locator(`#generate-${id}`);
  await form(page).locator("#preset").selectOption("vit-base");
  // As torchvision counts ViT-B/16.
  await expect(figure(page, "Parameters")).toHaveText("86,567,656");
  await expect(field("vocabulary")).toBeHidden();
  await field("patch").fill("32");
  await expect(figure(page, "Parameters")).toHaveText("88,224,232");
  await form(page).locator("[data-do=generate]").click();
  await ready(page);
  // The number of tokens follows from the image: only the batch is open.
  await expect(page.locator("input[data-symbol]")).toHaveCount(1);
  await page.locator("[data-do=transformer]").click();
  await form(page).locator("#preset").selectOption("mistral-7b");
  await field("experts").fill("8");
  // With 8 experts of its own feed-forward part it is Mixtral, but for the window.
  await expect(figure(page, "Parameters")).toHaveText("46,702,792,704");
  await field("experts").fill("0");
  await expect(figure(page, "Parameters")).toHaveText("7,241,732,096");
  // 512 + 64 numbers of a token in each of 32 layers, 2 bytes each.
  await field("latent").fill("512");
  await field("rotary").fill("64");
  await expect(figure(page, "Keys and values of a token")).toHaveText(/^36\.0 KiB/);
  await expect(field("key-value-heads")).toBeHidden();
});

test("how many requests run at once is a curve, and a size is taken from it", async ({ page }) => {
  await opened(page);
  await form(page).locator(".requests summary").first().click();
  await form(page).locator("#requests-every").fill("1");
  await form(page).locator("[data-do=how-many]").click();
  await expect(form(page).locator("figure.fit [role=status]")).toHaveText("16 of 16 sizes tried");
  await form(page).locator(".fit-table summary").click();
  const rows = form(page).locator(".fit-table tbody tr");
  await expect(rows).toHaveCount(16);
  // With room for one block each all run at once, however they are placed.
  const last = (await rows.last().locator("td").allInnerTexts()).map(Number);
  expect(last.length).toBeGreaterThan(2);
  expect(new Set(last).size).toBe(1);
  // Pages hold what is there, blocks what may come.
  const first = (await rows.nth(3).locator("td").allInnerTexts()).map(Number);
  expect(first[2]).toBeGreaterThan(first[0]!);
  const before = await form(page).locator("#requests-capacity").inputValue();
  await rows.nth(7).locator("button").click();
  expect(await form(page).locator("#requests-capacity").inputValue()).not.toBe(before);
  expect(await barriers(page, "dialog.generate")).toEqual([]);
  // What is typed ends it: the curve is no longer that of what stands there.
  await form(page).locator("#requests-count").fill("50");
  await expect(form(page).locator("figure.fit")).toHaveCount(0);
});

test("a preset puts right what was typed, and leaves how it is to run", async ({ page }) => {
  await opened(page);
  const field = (id: string) => form(page).locator(`#generate-${id}`);
  const preset = form(page).locator("#preset");
  const button = form(page).locator("[data-do=generate]");
  await field("layers").fill("0");
  await expect(button).toBeDisabled();
  await preset.selectOption("gpt2");
  await expect(field("layers")).toHaveValue("12");
  await expect(field("layers")).not.toHaveAttribute("aria-invalid", "true");
  await expect(button).toBeEnabled();
  // Selects show what is described, whatever was chosen by hand before.
  await preset.selectOption("llama-3-8b");
  await field("positions").selectOption("learned");
  await preset.selectOption("gpt2");
  await preset.selectOption("llama-3-8b");
  await expect(field("positions")).toHaveValue("rotary");
  await preset.selectOption("gpt2");
  await expect(field("positions")).toHaveValue("learned");
  await field("mode").selectOption("decode");
  await preset.selectOption("bert-base");
  await expect(field("mode")).toHaveValue("forward");
  // 8,192 tokens were asked for at first: GPT-2 has 1,024 places, an image 197 tokens.
  await preset.selectOption("vit-base");
  await preset.selectOption("llama-3-8b");
  await expect(field("mode")).toHaveValue("decode");
  await expect(field("tokens")).toHaveValue("8192");
  // Heads of latent keys need no heads of their own.
  await preset.selectOption("deepseek-v2-lite");
  await field("heads").fill("4");
  await expect(button).toBeEnabled();
  // Who keeps nothing has no requests.
  await preset.selectOption("bert-base");
  await form(page).locator(".requests summary").first().click();
  await expect(form(page).locator(".requests [role=alert]")).toContainText("an encoder keeps no keys and values");
  await expect(form(page).locator("[data-do=play-requests]")).toBeDisabled();
});
