// Every dump of tests/data/plans opens by its content, whatever it is called: as what it is,
// as large as its toolchain says, without a word on the console.

import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { document, dropAll, pane, row } from "./session";
import { barriers } from "./sight";
import { showView } from "./tasks.mjs";

const PLANS = fileURLToPath(new URL("../data/plans/", import.meta.url));

/** Files that belong together, what the page calls them, and the bytes of the first arena, if they
 *  say where anything lies. */
const DUMPS: [string[], string, number | undefined][] = [
  // Three buffers of a bug report: 240 bytes where 180 are enough.
  [["chrome_trace/leading_gap.executorch.json"], "Chrome trace", 240],
  [["chrome_trace/leading_gap.onnxruntime.json"], "Chrome trace", 240],
  // Two tensors of four floats; 16,000 is the program's own size of memory 1; kinds.json says 32.
  [["executorch/add_model.pte"], "ExecuTorch program", 32],
  [["executorch/keyword_spotting.pte"], "ExecuTorch program", 16_000],
  [["executorch/kinds.pte"], "ExecuTorch program", 32],
  // The constants that the pass leaves as totals; of `dynamic` the end of what has a constant size.
  [["iree/chain.ir.txt"], "IREE stream IR", 7_296],
  // Of three packs none wastes anything: the largest one is open.
  [["iree/loop.ir.txt"], "IREE stream IR", 7_296],
  [["iree/dynamic.ir.txt"], "IREE stream IR", 5_440],
  // The largest sum of offset and size in each table, variables apart.
  [["litert/memory_net.csv"], "LiteRT addresses (CSV)", 704],
  [["litert/mobilenet_v1.csv"], "LiteRT addresses (CSV)", 442_368],
  [["litert/small_net.csv"], "LiteRT addresses (CSV)", 52_992],
  // MegEngine's own test: tot_alloc=3.
  [["megengine/StaticMemoryInfo.json"], "MegEngine static memory", 3],
  [["megengine/result.txt"], "MegEngine static memory", 3],
  // Intervals alone are a problem: nothing says where they lie.
  [["megengine/mgb-interval-0.txt"], "MegEngine static memory", undefined],
  // What Vela gives its operators at address 0; and 400 + 202 + 201 + 12 units of 16 bytes, which
  // the documented example needs at step 4.
  [["offline/conv.vela.tflite"], "TFLite model", 16_384],
  [["offline/documented.planned.tflite"], "TFLite model", 815 * 16],
  // 36,864 + 18,432 + 9,216 at step 2 of the log.
  [["tflm/person_detect.log"], "TFLite Micro plan log", 64_512],
  // What was taken from the device: segments of 2 and of 20 MiB, as snapshot.py has them.
  [["torch/protocol2.pickle"], "PyTorch memory snapshot", 22 << 20],
  [["torch/protocol3.pickle"], "PyTorch memory snapshot", 22 << 20],
  [["torch/protocol4.pickle"], "PyTorch memory snapshot", 22 << 20],
  [["torch/protocol5.pickle"], "PyTorch memory snapshot", 22 << 20],
  // 11 GiB were taken from the device, and the same again were refused.
  [["torch/split_segment.pickle"], "PyTorch memory snapshot", 11 * 1024 ** 3],
  // What was held when a limit of the program's own refused more.
  [["torch/limited.pickle"], "PyTorch memory snapshot", 8 * 1024 ** 3],
  // Its one segment, in which two live blocks overlap.
  [["torch/overlap.pickle"], "PyTorch memory snapshot", 20 << 20],
  // The CPU's allocator reserves nothing: the system's addresses are no plan.
  [["torch/profiler_trace.json"], "Chrome trace", undefined],
  [["torch/memory_timeline.raw.json"], "PyTorch memory timeline", undefined],
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
  [
    ["-buffer-assignment.txt", "-buffer-assignment-values.txt", "-live-range.txt", ".txt"].map((it) => `xla/scanned${it}`),
    "XLA buffer assignment",
    180_420,
  ],
  [["xla/scanned.hlo.pb"], "XLA buffer assignment", 180_420],
];

/** What stands beside the dumps: what made them, models and licences. */
const BESIDE = /\.(py|mlir|md)$|LICENSE$|documented\.tflite$|kinds\.json$|memory-analysis\.json$|memory_timeline\.json$/;

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
    const deployed = page.locator('.replan [data-figure="deployed"]');
    if (bytes === undefined) await expect(deployed, files[0]).toHaveCount(0);
    else await expect(deployed, files[0]).toHaveAttribute("data-value", String(bytes));
    await expect(page.locator(".notice.wrong"), files[0]).toHaveCount(0);
  }
});

test("the menu has deployed plans", async ({ page }) => {
  await open(page);
  const group = page.locator('#samples optgroup[label="Deployed plans"] option');
  await expect(group).toHaveCount(9);
  // IREE's total, and Vela's peak; a plan of PyTorch's lifetimes is smaller than what was taken.
  for (const [sample, format, bytes] of [
    ["iree_chain", "IREE stream IR", /^7296$/],
    ["vela_linear", "Vela allocation log", /^138384$/],
    ["torch_training", "PyTorch memory snapshot", /^\d+$/],
  ] as const) {
    await page.locator("#samples").selectOption(sample);
    await expect(page.locator(".facts")).toContainText(format);
    await ready(page);
    await expect(page.locator('.replan [data-figure="deployed"]')).toHaveAttribute("data-value", bytes);
    await expect(page.locator(".replan .saved")).toHaveAttribute("data-value", /^[1-9]/);
    // No single colour: what would tell nothing is not coloured by.
    expect(await page.locator(".legend li").count()).toBeGreaterThan(1);
    await showView(page, "waste");
    expect(await barriers(page), sample).toEqual([]);
  }
});

test("each toolchain has a sample whose plan could be smaller", async ({ page }) => {
  await open(page);
  for (const [sample, format, bytes] of [
    ["onnxruntime_block", "Chrome trace", /^33792$/],
    ["executorch_block", "ExecuTorch", /^29696$/],
    ["megengine_block", "MegEngine", /^29696$/],
    ["litert_net", "LiteRT", /^52992$/],
  ] as const) {
    await page.locator("#samples").selectOption(sample);
    await expect(page.locator(".facts")).toContainText(format);
    await ready(page);
    await expect(page.locator('.replan [data-figure="deployed"]')).toHaveAttribute("data-value", bytes);
    await expect(page.locator(".replan .saved")).toHaveAttribute("data-value", /^[1-9]/);
  }
});

test("the help says what to run for a dump, and brings the exporter", async ({ page }) => {
  await open(page);
  await page.getByRole("button", { name: "Help" }).click();
  const help = page.getByRole("dialog", { name: "Help" });
  for (const flag of ["--xla_dump_hlo_as_text", "iree-stream-layout-slices", "--verbose-allocation", "_dump_snapshot"]) {
    await expect(help).toContainText(flag);
  }
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    help.getByRole("link", { name: "litert_addresses.py" }).click(),
  ]);
  const script = fileURLToPath(new URL("../../public/litert_addresses.py", import.meta.url));
  expect(readFileSync(await download.path())).toEqual(readFileSync(script));
  expect(await barriers(page)).toEqual([]);
});

test("long names of joined files are short, and whole in the title", async ({ page }) => {
  await open(page);
  const long = "module_0018.jit_step_of_training.cpu_after_optimizations";
  const parts = ["buffer-assignment", "live-range"];
  await dropAll(page, parts.map((part) => [`${long}-${part}.txt`, readFileSync(`${PLANS}xla/train-${part}.txt`)]));
  await expect(document(page)).toHaveAttribute("title", parts.map((part) => `${long}-${part}.txt`).join(" + "));
  await expect(document(page)).toHaveText(/^module_.*….*assignment\.txt \+ ….*range\.txt$/);
});

/** A committed dump. */
const dump = (path: string) => readFileSync(new URL(`../data/plans/${path}`, import.meta.url));

// `snapshot.py` works the figures out: 22 MiB were reserved, blocks reach 5 MiB, and 3 MiB and
// 1,536 bytes are live at once.
test("of a trace counts what was reserved, wherever it is compared", async ({ page }) => {
  const reserved = String(22 * 1024 * 1024);
  await open(page);
  const snapshot = { name: "snapshot.pickle", mimeType: "application/octet-stream", buffer: dump("torch/protocol4.pickle") };
  await page.locator("#file").setInputFiles(snapshot);
  await expect(document(page)).toHaveText("snapshot.pickle");
  await ready(page);
  const cell = row(page, "deployed").locator("[data-bytes]");
  await expect(cell).toHaveAttribute("data-bytes", reserved);
  await expect(row(page, "deployed")).toContainText("reserved at its peak; blocks reach 5.00 MiB");
  await expect(row(page, "best").locator("[data-bytes]")).toHaveAttribute("data-bytes", "3147264");
  await expect(pane(page, "deployed").locator(".figures")).toContainText("Reserved at its peak 22.0 MiB");
  await showView(page, "differences");
  const saved = String(22 * 1024 * 1024 - 3_147_264);
  await expect(page.locator(".verdict").first()).toHaveAttribute("data-saved", saved);
  await expect(page.locator('[data-reserved="deployed"]')).toContainText("23,068,672 B; in the picture its blocks reach 5,242,880 B");
  await page.locator("#other-dump").setInputFiles(snapshot);
  // 3 MiB, and 400 and 700 bytes as they were asked for.
  const same = "As much is needed at the peak as before: 3,146,828 B. As much was reserved at its peak as before: 23,068,672 B.";
  await expect(page.locator(".dumps .verdict")).toHaveText(same);
  await expect(page.locator(".dumps .growth tbody")).toContainText("Reserved at its peak");
  await showView(page, "waste");
  await expect(page.locator(".waste .parts")).toHaveAttribute("data-arena", reserved);
  await expect(page.locator(".waste tfoot")).toContainText("Reserved at its peak");
});

/** Takes something out of the menu of the deployed plan's pane; its text. */
async function take(page: Page, kind: string): Promise<string> {
  await pane(page, "deployed").locator("summary").first().click();
  const download = page.waitForEvent("download");
  await pane(page, "deployed").locator(`[data-export="${kind}"]`).click();
  return readFileSync(await (await download).path(), "utf8");
}

// Chunk 0 has bytes 0 to 2, and chunk 1 is written over the middle one of them: what is left of
// chunk 0 lies on both sides, and no one window says so.
test("what CSV cannot say is said beside it", async ({ page }) => {
  await open(page);
  await dropAll(page, [["StaticMemoryInfo.json", dump("megengine/StaticMemoryInfo.json")]]);
  await ready(page);
  await take(page, "csv");
  const untold = "1 pair of tensors shares bytes in a way that CSV cannot say";
  await expect(page.locator(".notice")).toContainText(untold);
  expect(await take(page, "html")).toContain(untold);
});

test("a report says what rounding adds to the sizes it lists", async ({ page }) => {
  await open(page);
  // 5 and 6 bytes at multiples of 4: the 6 lies lower and takes 8, so 13; 2 are rounding.
  const rows = "id,lower,upper,size,alignment,offset\na,0,2,5,4,8\nb,1,2,6,4,0\n";
  await dropAll(page, [["rounded.csv", Buffer.from(rows)]]);
  await ready(page);
  const report = await take(page, "html");
  expect(report).toContain("At step 1, 2 tensors are needed at the same time; together they take 13 B.");
  expect(report).toContain("sums to 11 B. Every start is a multiple of 4 B");
  expect(report).toContain("that adds 2 B, which is included");
  await dropAll(page, [["one.csv", Buffer.from("id,lower,upper,size,offset\na,0,2,5,0\n")]]);
  await expect(document(page)).toHaveText("one.csv");
  await ready(page);
  expect(await take(page, "html")).toContain("At step 0, 1 tensor is needed; it takes 5 B.");
});

// 18 allocations: one for temporaries, six that are written over, 11 that hold one thing each.
test("separate allocations are not called an arena, nor optimal", async ({ page }) => {
  await open(page);
  const pair = ["train-buffer-assignment.txt", "train-live-range.txt"];
  await page.locator("#file").setInputFiles(
    pair.map((name) => ({ name, mimeType: "text/plain", buffer: dump(`xla/${name}`) })),
  );
  await ready(page);
  // The dump's own total: "Total bytes used: 371800 (363.1KiB)".
  await expect(page.locator(".arenas [data-arena]")).toHaveCount(8);
  await expect(page.locator(".arenas .sum td").first()).toHaveAttribute("title", "371,800 B");
  await expect(page.locator(".arenas tbody.chosen")).toContainText("preallocated-temp");
  await expect(page.locator(".headline .name")).toContainText("allocation 17, preallocated-temp");
  await expect(pane(page, "deployed").locator(".badge.optimal")).toHaveCount(1);
  await page.locator('.arenas [data-arena="7"]').getByRole("button").click();
  await ready(page);
  await expect(page.locator(".replan[data-separate]")).toContainText("not an arena that could be planned");
  await expect(pane(page, "deployed")).toContainText("Separate allocations");
  await expect(page.locator(".badge.optimal")).toHaveCount(0);
  await expect(page.locator(".replan .saved")).toHaveCount(0);
});

// Memory 1 is as small as can be; memory 2 has 32 B for a tensor of 16 B.
test("the arena that wastes most is open, and the sum is over all of them", async ({ page }) => {
  await open(page);
  const name = "kinds.pte";
  await page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer: dump(`executorch/${name}`) });
  await ready(page);
  const chosen = page.locator(".arenas tbody.chosen");
  await expect(chosen).toHaveAttribute("data-arena", "1");
  await expect(chosen.locator("td")).toHaveText(["32 B", "16 B", "16 B"]);
  await expect(page.locator(".arenas .sum td")).toHaveText(["64 B", "", "16 B"]);
  // What a link does not say is what the page begins with; the other arena is said.
  await expect(page).not.toHaveURL(/arena=/);
  await page.locator('.arenas [data-arena="0"]').getByRole("button").click();
  await expect(page).toHaveURL(/arena=0/);
});
