// What a training step takes on a device before it runs: the picture's figures are those of the
// command line, devices have their verdicts, and an open snapshot stands beside it.

import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { choose, verdict } from "./session";
import { showView } from "./tasks.mjs";

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
  const snapshot = "public/samples/torch_training.pickle";
  await expect(page.locator(".estimate")).toContainText("Open a memory snapshot");
  await page.locator(".cases summary").click();
  await page.locator("#file-beside").setInputFiles(fileURLToPath(new URL(`../../${snapshot}`, import.meta.url)));
  await expect(page.locator(".cases [data-case]")).toHaveCount(2);
  await page.locator(".cases [data-case] .link").first().click();
  await ready(page);
  await page.locator("[data-do=estimate-beside]").selectOption({ label: "torch_training.pickle" });
  await ready(page);
  const { errors } = JSON.parse(
    native("arenascope", ["train", SAMPLE, "--estimate", "--format", "json", "--measured", snapshot]),
  );
  const rows = page.locator(".errors tbody tr");
  await expect(rows).toHaveCount(errors.length);
  for (const it of errors.filter((row: { measured: number | null }) => row.measured !== null)) {
    const cell = page.locator(`.errors tr[data-part="${it.part}"] td`).nth(1);
    await expect(cell).toHaveAttribute("title", `${it.measured.toLocaleString("en-US")} B`);
  }
});

test("a run's buffers stand beside what the plan says of them", async ({ page }) => {
  await open(page, "/#sample=leading_gap");
  const text = "graph chain onnx 17\ninput x: f32[8, 16]\na = Exp(x)\nb = Neg(a)\ny = Relu(b)\noutput y\n";
  await choose(page, "chain.graph", Buffer.from(text));
  await ready(page);
  await showView(page, "run");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  // Two values of 512 bytes lie in the arena; what is given and taken lies beside it, 512 bytes each.
  const values = page.locator('.errors tr[data-part="values"] td');
  await expect(values.first()).toHaveAttribute("title", "1,024 B");
  await expect(values.last()).toHaveText("0 B");
  const inputs = page.locator('.errors tr[data-part="inputs"] td');
  await expect(inputs.first()).toHaveAttribute("title", "1,024 B");
  await expect(inputs.last()).toHaveText("0 B");
});

test("an iteration is planned as it repeats, beside the trace", async ({ page }) => {
  const trace = "public/samples/torch_training.pickle";
  await open(page, "/#sample=torch_training&tab=advice");
  const turn = async (first: number, end: number) => {
    await page.locator("[data-do=repeats-first]").fill(String(first));
    await page.locator("[data-do=repeats-end]").fill(String(end));
    await page.locator("[data-do=repeats]").click();
  };
  await turn(0, 150);
  await expect(page.locator(".others [role=alert]")).toContainText("longer than the 150 of a turn");
  await expect(page.locator(".cases [data-case]")).toHaveCount(1);
  await turn(40, 150);
  await expect(page.locator(".cases [data-case]")).toHaveCount(2);
  await ready(page);
  await expect(page.locator(".pane .case").last()).toContainText("40..150");
  const told = JSON.parse(native("arenascope", ["bounds", trace, "--turn", "40..150", "--format", "json"]));
  // Every pane's picture says how many tensors it has.
  const pictures = page.locator(".stage[role=img]");
  await expect(pictures.last()).toHaveAttribute("aria-label", new RegExp(`\\b${told.intermediates} `));
});

test("other allocators are asked for the same step", async ({ page }) => {
  await estimated(page);
  await page.locator("[data-do=step-allocators]").click();
  const rows = page.locator(".others [data-allocator]");
  await expect(rows.first()).toBeVisible();
  const names = await rows.evaluateAll((all) => all.map((it) => it.getAttribute("data-allocator")));
  expect(names).toEqual(["caching", "expandable", "gmlake", "tlsf", "stalloc", "best", "bound"]);
});
