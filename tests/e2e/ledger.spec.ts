// The ledger, from which a run's *allocated* figure comes, against an observer outside the
// program: every buffer that the browser was asked for is counted where it is asked.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, open, test } from "./page";
import { LONG, runner } from "./session";
import { showView } from "./tasks.mjs";

const OBSERVER = readFileSync(new URL("gpu_buffers.mjs", import.meta.url), "utf8");
test.setTimeout(240_000);

type Line = { label: string; bytes: number };

declare const gpuBuffers: {
  created(): { label: string; size: number; storage: boolean }[];
  read(): { live: { total: number }; peak: { total: number } };
};

/** Puts the observer before the first line of the runner. */
async function observe(page: Page) {
  await page.route("**/runner_loader.js", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${OBSERVER}\n${await response.text()}` });
  });
}

/** What the observer in the runner saw. */
function seen(page: Page) {
  return runner(page).evaluate(() => {
    const created = gpuBuffers.created().map(({ label, size }) => ({ label, bytes: size }));
    return { created, ...gpuBuffers.read() };
  });
}

const total = (lines: Line[]) => lines.reduce((sum, { bytes }) => sum + bytes, 0);

test("runs make the buffers of the ledger and no others, and give them back", async ({ page }) => {
  await observe(page);
  await open(page);
  const model = readFileSync(new URL("../../public/samples/blazeface.onnx", import.meta.url));
  const ledger = await page.evaluate(async (base64) => {
    const model = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    type Outputs = { ledger: Line[] };
    const { arenascope_execute } = window as unknown as { arenascope_execute(asked: unknown): Promise<Outputs> };
    // Twice: a second run must not need another buffer.
    return (await arenascope_execute({ model, inputs: [null], machine: "gpu", runs: 2 })).ledger;
  }, model.toString("base64"));
  const { created, live, peak } = await seen(page);
  expect(created).toEqual(ledger);
  expect(ledger.map(({ label }) => label)).toContain("arena");
  expect(peak.total).toBe(total(ledger));
  expect(live.total).toBe(0);
});

test("the buffers under a verdict are those that the browser was asked for", async ({ page }) => {
  await observe(page);
  await open(page);
  await showView(page, "run");
  await page.locator("#run").click();
  await expect(page.locator("[data-verdict]")).toBeVisible(LONG);
  const shown = await page.locator(".ledger tbody tr").evaluateAll((rows) =>
    rows.map((row) => {
      const [label, , bytes] = [...row.children].map((cell) => cell.textContent ?? "");
      return { label, bytes: Number(bytes.replace(/\D/g, "")) };
    }),
  );
  const sum = shown.pop();
  expect(sum?.bytes).toBe(total(shown));
  const allocated = await page.locator('[data-figure="allocated"]').getAttribute("data-bytes");
  expect(shown.find(({ label }) => label === "arena")?.bytes).toBe(Number(allocated));
  const { created, live, peak } = await seen(page);
  // The run without reuse made its own before, the timed one after.
  const text = (lines: Line[]) => lines.map(({ label, bytes }) => `${label} ${bytes}`).join("; ");
  expect(`; ${text(created)};`).toContain(`; ${text(shown)};`);
  expect(peak.total).toBeGreaterThanOrEqual(total(shown));
  expect(live.total).toBe(0);
});
