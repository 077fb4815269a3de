// Same input, same plan: what the page exports, planned by WebAssembly in a worker, is to the
// byte what the same code writes natively.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, open, test } from "./page";
import { pane } from "./session";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** The plan JSON of a sample by strategy, from the native code. */
function native(file: string, binds: string[]): Map<string, string> {
  const cargo = ["run", "--quiet", "--locked", "--package", "tests", "--bin", "plans", "--"];
  const args = [...cargo, `public/samples/${file}`, ...binds];
  const lines = execFileSync("cargo", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  return new Map(lines.trimEnd().split("\n").map((line) => line.split("\t") as [string, string]));
}

const samples = [
  { sample: "blazeface", file: "blazeface.onnx", binds: [] },
  { sample: "transformer", file: "transformer.onnx", binds: ["sequence_length=128"] },
  { sample: "jigsaw", file: "jigsaw.csv", binds: [] },
];

for (const { sample, file, binds } of samples) {
  test(`${sample}: every plan of the page is the native one`, async ({ page }) => {
    // The first test may have to compile the native program.
    test.setTimeout(300_000);
    const plans = native(file, binds);
    expect(plans.size).toBe(39);
    for (const [strategy, json] of plans) {
      await open(page, `/#sample=${sample}&show=${strategy}`);
      await pane(page, strategy).locator("summary").click();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        pane(page, strategy).locator('[data-export="json"]').click(),
      ]);
      const exported = readFileSync(await download.path(), "utf8");
      expect(JSON.parse(exported).buffers.length, strategy).toBeGreaterThan(8);
      expect(exported === json, `${strategy}: equal to the byte`).toBe(true);
    }
  });
}
