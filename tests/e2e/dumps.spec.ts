// Every dump of tests/data/plans opens by its content, whatever it is called: as what it is,
// as large as its toolchain says, without a word on the console.

import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, open, ready, test } from "./page";
import { document, dropAll } from "./session";

const PLANS = fileURLToPath(new URL("../data/plans/", import.meta.url));

/** Files that belong together, what the page calls them, and the first arena in bytes. */
const DUMPS: [string[], string, number][] = [
  // Three buffers of a bug report: 240 bytes where 180 are enough.
  [["chrome_trace/leading_gap.executorch.json"], "Chrome trace", 240],
  [["chrome_trace/leading_gap.onnxruntime.json"], "Chrome trace", 240],
  // Two tensors of four floats; 16,000 is the program's own size of memory 1; kinds.json says 32.
  [["executorch/add_model.pte"], "ExecuTorch program", 32],
  [["executorch/keyword_spotting.pte"], "ExecuTorch program", 16_000],
  [["executorch/kinds.pte"], "ExecuTorch program", 32],
  // The constants that the pass leaves as totals; of `dynamic` the end of what has a constant size.
  [["iree/chain.ir.txt"], "IREE stream IR", 7_296],
  [["iree/loop.ir.txt"], "IREE stream IR", 64],
  [["iree/dynamic.ir.txt"], "IREE stream IR", 5_440],
  // The largest sum of offset and size in each table, variables apart.
  [["litert/memory_net.csv"], "LiteRT addresses (CSV)", 704],
  [["litert/mobilenet_v1.csv"], "LiteRT addresses (CSV)", 442_368],
  [["litert/small_net.csv"], "LiteRT addresses (CSV)", 52_992],
  // MegEngine's own test: tot_alloc=3.
  [["megengine/StaticMemoryInfo.json"], "MegEngine static memory", 3],
  [["megengine/result.txt", "megengine/mgb-interval-0.txt"], "MegEngine static memory", 3],
  // What Vela gives its operators at address 0; and 400 + 202 + 201 + 12 units of 16 bytes, which
  // the documented example needs at step 4.
  [["offline/conv.vela.tflite"], "TFLite model", 16_384],
  [["offline/documented.planned.tflite"], "TFLite model", 815 * 16],
  // 36,864 + 18,432 + 9,216 at step 2 of the log.
  [["tflm/person_detect.log"], "TFLite Micro plan log", 64_512],
  // 2 MiB for small blocks, and 3 MiB of the segment behind them, as snapshot.py has it.
  [["torch/protocol2.pickle"], "PyTorch memory snapshot", 5 << 20],
  [["torch/protocol3.pickle"], "PyTorch memory snapshot", 5 << 20],
  [["torch/protocol4.pickle"], "PyTorch memory snapshot", 5 << 20],
  [["torch/protocol5.pickle"], "PyTorch memory snapshot", 5 << 20],
  // What each log calls its peak.
  [["vela/small_net.HillClimb.log"], "Vela allocation log", 46_624],
  [["vela/small_net.LinearAlloc.log"], "Vela allocation log", 138_384],
  [["vela/small_net.python.LinearAlloc.log"], "Vela allocation log", 139_760],
  // The size of the allocation called preallocated-temp.
  [["xla/loop-buffer-assignment.txt", "xla/loop-live-range.txt"], "XLA buffer assignment", 496],
  [["xla/loop.hlo.pb"], "XLA buffer assignment", 496],
  [["xla/train-buffer-assignment.txt", "xla/train-live-range.txt"], "XLA buffer assignment", 119_808],
  [
    ["buffer-assignment", "buffer-assignment-values", "live-range", "memory-usage-report"].map((it) => `xla/train-${it}.txt`),
    "XLA buffer assignment",
    119_808,
  ],
  [["xla/train-old.txt"], "XLA buffer assignment", 150_528],
];

/** What stands beside the dumps: what made them, models and licences. */
const BESIDE = /\.(py|mlir|md)$|LICENSE$|documented\.tflite$|kinds\.json$/;

function committed(): string[] {
  const folders = readdirSync(PLANS, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = folders.flatMap(({ name }) => readdirSync(PLANS + name).map((file) => `${name}/${file}`));
  return files.filter((file) => !BESIDE.test(file)).sort();
}

test("every committed dump is in the table", () => {
  const listed = new Set(DUMPS.flatMap(([files]) => files));
  expect(committed().filter((file) => !listed.has(file))).toEqual([]);
});

test("every dump opens by its content", async ({ page }) => {
  test.setTimeout(240_000);
  await open(page);
  for (const [files, format, bytes] of DUMPS) {
    const name = (file: string) => `${file.replace(/\W+/g, "_")}.bin`;
    await dropAll(page, files.map((file) => [name(file), readFileSync(PLANS + file)]));
    await expect(document(page)).toHaveAttribute("title", files.map(name).sort().join(" + "));
    await ready(page);
    await expect(page.locator(".facts"), files[0]).toContainText(format);
    await expect(page.locator('.replan [data-figure="deployed"]'), files[0]).toHaveAttribute("data-value", String(bytes));
    await expect(page.locator(".notice.wrong"), files[0]).toHaveCount(0);
  }
});
