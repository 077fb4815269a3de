// Operators on quantised tensors on WebGPU in the browser, through the page's own runner: bit for
// bit what LiteRT's reference kernels and ONNX's reference evaluator have computed
// (tests/data/quantised.py).

import { existsSync, readFileSync } from "node:fs";
import { chosen } from "./chosen";
import { expect, open, test } from "./page";

type Case = { name: string; model: string; inputs: string[]; outputs: string[] };
type Execute = (asked: { model: Uint8Array; inputs: Uint8Array[]; machine: string }) => Promise<{ bytes: Uint8Array }[]>;

const CASES = new URL("../.cache/quantised/quantised.json", import.meta.url);

test.setTimeout(600_000);

test("operators on quantised tensors are bit-exact on WebGPU", async ({ page }) => {
  const absent = !existsSync(CASES);
  const remedy = "the quantised cases are not there: run `node tests/fixtures.mjs`";
  if (absent && process.env.CI) throw new Error(remedy);
  test.info().skip(absent, remedy);
  const all: Case[] = JSON.parse(readFileSync(CASES, "utf8"));
  const cases = chosen(all, ({ name }) => name);
  await open(page);
  const failures: string[] = [];
  for (const { name, model, inputs, outputs } of cases) {
    const found = await page.evaluate(
      async ([model, ...inputs]) => {
        const bytes = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
        const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
        const execute = (window as unknown as { arenascope_execute: Execute }).arenascope_execute;
        try {
          const given = { model: bytes(model!), inputs: inputs.map(bytes), machine: "gpu" };
          return (await execute(given)).map(({ bytes }) => hex(bytes));
        } catch (error) {
          return [String(error)];
        }
      },
      [model, ...inputs],
    );
    if (found.join() !== outputs.join()) failures.push(`${name}: ${found.join().slice(0, 200)}`);
  }
  expect(cases.length).toBeGreaterThan(300);
  expect(failures).toEqual([]);
});
