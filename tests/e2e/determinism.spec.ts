// Same input, same plan: what the page exports, planned by WebAssembly in a worker, is to the
// byte what the same code writes natively.

import { readFileSync, writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { choose, document, pane, row } from "./session";

/** The plan JSON of a file by strategy, from the native code; empty where one refuses the file. */
function planned(args: string[]): Map<string, string> {
  const lines = native("plans", args).trimEnd().split("\n");
  return new Map(lines.map((line) => line.split("\t") as [string, string]));
}

/** Asks for a plan where there is none yet, and has the page export it. */
async function exported(page: Page, strategy: string): Promise<string> {
  const shown = row(page, strategy).getByRole("checkbox");
  await shown.check();
  await ready(page);
  await pane(page, strategy).locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, strategy).locator('[data-export="json"]').click(),
  ]);
  await shown.uncheck();
  return readFileSync(await download.path(), "utf8");
}

/** Every plan of the page is the native one, and who refuses the one refuses the other. */
async function compare(page: Page, plans: Map<string, string>, refused: number) {
  expect(plans.size).toBeGreaterThanOrEqual(43);
  expect([...plans.values()].filter((json) => json === "").length, "refused").toBe(refused);
  for (const [strategy, json] of plans) {
    if (json === "") {
      const cell = row(page, strategy).locator("td.number").first();
      await expect(cell, `${strategy} refuses`).not.toHaveAttribute("data-bytes");
      continue;
    }
    const own = await exported(page, strategy);
    expect(JSON.parse(own).buffers.length, strategy).toBeGreaterThan(8);
    expect(own === json, `${strategy}: equal to the byte`).toBe(true);
  }
}

const samples = [
  { sample: "blazeface", file: "blazeface.onnx", binds: [] },
  { sample: "transformer", file: "transformer.onnx", binds: ["sequence_length=128"] },
  { sample: "jigsaw", file: "jigsaw.csv", binds: [] },
];

// The first test may have to compile the native program.
test.setTimeout(300_000);

for (const { sample, file, binds } of samples) {
  test(`${sample}: every plan of the page is the native one`, async ({ page }) => {
    await open(page, `/#sample=${sample}`);
    await compare(page, planned([`public/samples/${file}`, ...binds]), 0);
  });
}

// Thirteen strategies keep fixed addresses.
for (const [constraint, refused] of [["gaps", 0], ["handovers", 0], ["fixed", 30]] as const) {
  test(`${constraint} and alignments: every plan of the page is the native one`, async ({ page }, info) => {
    const made = native("plans", ["make", constraint]);
    expect(made).toContain(`"${constraint}"`);
    const path = info.outputPath(`${constraint}.json`);
    writeFileSync(path, made);
    await open(page);
    await choose(page, `${constraint}.json`, Buffer.from(made));
    await expect(document(page)).toHaveText(`${constraint}.json`);
    await ready(page);
    await compare(page, planned([path]), refused);
  });
}

// The fifteen of shared objects know no pools.
test("pools: every plan of the page is the native one", async ({ page }) => {
  const pools = "pools=SRAM:262144,DRAM";
  await open(page, `/#sample=blazeface&${pools}`);
  await compare(page, planned(["public/samples/blazeface.onnx", pools]), 15);
});
