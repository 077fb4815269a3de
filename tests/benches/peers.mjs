// Ours beside ONNX Runtime Web: bytes that a model's activations take on the GPU, and time.
// Same page, same Chromium, same machine, one run. Bytes are counted outside both engines, by
// tests/e2e/gpu_buffers.mjs. Prints tables with the bar of each figure and leaves all figures in
// tests/.cache/peers.json; a missed bar is exit code 1.
//
// Usage: node tests/benches/peers.mjs ADDRESS [--thorough] [--only MODEL[,MODEL…]]
// The server must be running. --thorough also runs each model as its file has it, with nothing
// fused, on both engines: half as long again. One run of the largest takes a minute here.

import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchCorpus } from "../packages.mjs";
import { makeBenchModels } from "../whole_models.mjs";
import { ours, theirs } from "./page.mjs";

const [origin = "http://127.0.0.1:8080/", ...flags] = process.argv.slice(2);
const thorough = flags.includes("--thorough");
const only = flags.includes("--only") ? flags[flags.indexOf("--only") + 1].split(",") : null;
const cache = fileURLToPath(new URL("../.cache", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

/** Part of the models' names of the package that has them. */
const OCR = "rapidocr_onnxruntime/models/ch_PP-OCRv4";
const MEMORY = ["squeezenet", "shufflenet", "inception_v1", "densenet121", "resnet50"];
const LATENCY = ["squeezenet", "mobilenet_v2", "mobilenet_v2_f16", "mobilenet_v2_int8", "encoder12", "lstm", "gru", "ocr_det", "ocr_rec"];
/** Whose plan is run: this one reaches the bound on all of them. */
const STRATEGY = "strip_best_fit";
/**
 * The most bytes that are live at once in the graph that ONNX Runtime has left after it took
 * BatchNormalization and Relu into the Conv before them. Measured once on its own optimised
 * files; without these fusions the bound is our planner's.
 */
const THEIR_BOUND = {
  squeezenet: 3_928_576,
  shufflenet: 2_885_120,
  inception_v1: 4_646_400,
  densenet121: 8_429_568,
  resnet50: 9_633_792,
};
/** Ours may take this many times the bound, and be this far from ONNX Runtime on the CPU. */
const MOST = 1.02;
const DEVIATION = 1e-4;
/** Visits of each engine in turn, and runs in each; the first prepares pipelines. */
const [ROUNDS, RUNS] = [2, 5];

const report = {};
const missed = [];

function judge(name, holds, words) {
  if (!holds) missed.push(`${name}: ${words}`);
  return holds ? "pass" : "MISS";
}

const grouped = (number) => number.toLocaleString("en-US");
const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
};

/** The models with the paths of their files, and what each output must be. */
function models() {
  const say = (line) => console.log(line);
  const error = fetchCorpus(join(cache, "fixtures"), OCR, say) ?? makeBenchModels(cache, say);
  if (error) throw new Error(error);
  const folder = join(cache, "bench_models");
  const elements = readFileSync(join(folder, "index.bin"));
  const floats = ([start, bytes]) => {
    const { buffer, byteOffset } = elements;
    return new Float32Array(buffer.slice(byteOffset + start, byteOffset + start + bytes));
  };
  const index = JSON.parse(readFileSync(join(folder, "index.json"), "utf8"));
  const model = (row) => ({
    ...row,
    paths: [join(folder, row.file), join(folder, "index.bin")],
    /** Bytes of the caller's inputs and outputs. */
    io: [...row.inputs, ...row.outputs].reduce((sum, { range: [, bytes] }) => sum + bytes, 0),
    expected: Object.fromEntries(row.outputs.map(({ name, range }) => [name, floats(range)])),
  });
  return Object.fromEntries(index.map((row) => [row.name, model(row)]));
}

/** The largest deviation of an output, relative to the largest element that it must have. */
function deviation({ expected }, outputs) {
  const each = Object.entries(expected).map(([name, wanted]) => {
    const far = wanted.map((value, at) => Math.abs(value - (outputs[name]?.[at] ?? NaN)));
    // NaN is further away than anything.
    return far.some(Number.isNaN) ? Infinity : Math.max(...far) / Math.max(...wanted.map(Math.abs));
  });
  return Math.max(...each);
}

/** The lower bound of our planner for a model's intermediate tensors. */
function bound({ paths: [file] }, fuse) {
  const asked = ["run", "--quiet", "--locked", "--package", "planner", "--", "bounds", "--format", "json"];
  const run = spawnSync("cargo", [...asked, ...(fuse ? ["--fuse"] : []), file], { cwd: root, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`no bound: ${run.stderr}`);
  return JSON.parse(run.stdout).bounds.offsets;
}

/** Says what could not be measured, which is a missed bar, and goes on. */
async function attempt(name, what) {
  try {
    return await what();
  } catch (error) {
    missed.push(`${name}: not measured`);
    console.log(`  ${name.padEnd(22)} NOT MEASURED: ${error.message.split("\n")[0]}`);
    return null;
  }
}

function line(name, engine, run, bound, words) {
  const ratio = (run.activations / bound).toFixed(2);
  const cells = [run.peak, run.activations, bound].map((bytes) => grouped(bytes).padStart(13));
  const error = run.deviation.toExponential(1).padStart(9);
  console.log(`  ${name.padEnd(22)}${engine.padEnd(7)}${cells.join("")}${ratio.padStart(7)}${error}  ${words}`.trimEnd());
}

async function theirMemory(model, fuse, name) {
  const run = await theirs(origin, model, { optimisation: fuse ? "all" : "disabled", runs: 1 });
  run.deviation = deviation(model, run.outputs);
  const least = fuse ? THEIR_BOUND[model.name] : bound(model, false);
  line(name, "theirs", run, least, run.deviation > DEVIATION ? "their result is wrong" : "");
  return { ...run, least };
}

async function ourMemory(model, fuse, name) {
  const run = await ours(origin, model, { strategy: STRATEGY, fuse, runs: 1 });
  run.deviation = deviation(model, run.outputs);
  // Beside the arena we keep the caller's inputs and outputs; nothing can be less than both.
  const planned = bound(model, fuse);
  const least = planned + model.io;
  const verdicts = [
    judge(name, run.activations <= MOST * least, `${run.activations} bytes of activations, ${least} are enough`),
    judge(name, run.arena <= MOST * planned, `an arena of ${run.arena} bytes, ${planned} are enough`),
    judge(name, run.deviation <= DEVIATION, `deviates by ${run.deviation}`),
    judge(name, sameBuffers(run), "the ledger is not what the browser was asked for"),
  ];
  const verdict = verdicts.includes("MISS") ? "MISS" : "pass";
  line(name, "ours", run, least, `${verdict}; arena ${grouped(run.arena)}, bound ${grouped(planned)}`);
  return { ...run, least };
}

/** Whether our ledger lists what the browser was asked for: nothing more, nothing less. */
function sameBuffers({ ledger, created }) {
  const seen = created.map(({ label, size }) => `${label} ${size}`);
  const booked = ledger.map(({ label, bytes }) => `${label} ${bytes}`);
  return JSON.stringify(seen) === JSON.stringify(booked);
}

async function memory(all) {
  console.log("\nActivations on the GPU: bytes at the peak beside the weights, and the bound of the graph that ran");
  console.log(`  ${"".padEnd(29)}${["all buffers", "activations", "bound"].map((head) => head.padStart(13)).join("")}  ratio    error`);
  const names = MEMORY.filter((name) => only?.includes(name) ?? true);
  for (const name of names) {
    for (const fuse of thorough ? [true, false] : [true]) {
      const label = `${name} ${fuse ? "fused" : "as it is"}`;
      const their = await attempt(`${label} (theirs)`, () => theirMemory(all[name], fuse, label));
      const our = await attempt(`${label} (ours)`, () => ourMemory(all[name], fuse, label));
      if (their && our) console.log(`  ${"".padEnd(22)}theirs takes ${(their.activations / our.activations).toFixed(2)} times as much`);
      report[label] = { theirs: kept(their), ours: kept(our) };
    }
  }
}

const kept = (run) => {
  if (!run) return null;
  const { times, peak, weights, activations, arena, least, deviation } = run;
  return { times, peak, weights, activations, arena, least, deviation };
};

async function latency(all) {
  console.log(`\nMilliseconds of one run, inputs up and outputs down: median of ${ROUNDS * (RUNS - 1)} after a warm-up`);
  for (const name of LATENCY.filter((name) => only?.includes(name) ?? true)) {
    const times = { theirs: [], ours: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      // In turn, so that a busy minute of the machine meets both.
      const their = await attempt(name, () => theirs(origin, all[name], { optimisation: "all", runs: RUNS }));
      const our = await attempt(name, () => ours(origin, all[name], { strategy: STRATEGY, fuse: true, runs: RUNS }));
      times.theirs.push(...(their?.times.slice(1) ?? []));
      times.ours.push(...(our?.times.slice(1) ?? []));
    }
    const [their, our] = [median(times.theirs), median(times.ours)];
    const verdict = judge(`${name} latency`, our <= their, `${our} ms, theirs ${their} ms`);
    console.log(`  ${name.padEnd(22)}ours ${our.toFixed(0).padStart(7)}  theirs ${their.toFixed(0).padStart(7)}  ${verdict} (bar: no worse)`);
    report[`${name} latency`] = times;
  }
}

console.log(`${availableParallelism()} cores, ${loadavg()[0].toFixed(1)} programs running: above the cores, times are too long`);
const begun = Date.now();
const all = models();
await latency(all);
await memory(all);
console.log(`\n${missed.length === 0 ? "Every bar is met" : `Missed:\n  ${missed.join("\n  ")}`}`);
console.log(`${((Date.now() - begun) / 1000).toFixed(0)} s`);
mkdirSync(cache, { recursive: true });
writeFileSync(join(cache, "peers.json"), JSON.stringify(report, null, 1));
process.exitCode = missed.length > 0 ? 1 : 0;
