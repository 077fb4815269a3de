#!/usr/bin/env node
// Compares two builds of the command line: `plan` with all offsets, `waste` and `bounds` must
// print the same bytes for every model, problem and dump below the given folders.
//
// Usage: node tests/same_bytes.mjs BEFORE AFTER [FOLDER…] [--nodes N] [--moves N]
//
// BEFORE and AFTER are two programs, such as target/release/arenascope of two commits. Without
// folders it reads tests/data, tests/.cache/fixtures and, where it is there, ../shared. The
// searches run with little effort unless --nodes and --moves say otherwise, so that a run takes
// minutes. Times are left out. Exit code 1 when anything differs.

import { execFile } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TESTS = dirname(fileURLToPath(import.meta.url));
const DEFAULT_FOLDERS = [join(TESTS, "data"), join(TESTS, ".cache/fixtures"), join(TESTS, "../../shared")];
const READABLE = /\.(onnx|tflite|csv|log|txt|json|pb|pickle|pte)$/;
/** What is given besides the file; models alone get all of it. */
const COMMON = [["plan", "--format", "json", "--offsets"], ["waste"], ["bounds", "--format", "json"]];
const OF_MODELS = [
  ["plan", "--format", "json", "--offsets", "--fuse", "--in-place"],
  ["plan", "--format", "json", "--offsets", "--io", "litert", "--in-place"],
  ["plan", "--format", "json", "--offsets", "--io", "tflm"],
  ["plan", "--format", "json", "--offsets", "--io", "tflm", "--in-place"],
  ["plan", "--format", "json", "--offsets", "--io", "whole-run", "--parallel", "free"],
];

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : READABLE.test(entry.name) ? [path] : [];
  });
}

function output(program, args) {
  return new Promise((resolve) => {
    execFile(program, args, { maxBuffer: 1 << 30 }, (error, stdout, stderr) => {
      const timeless = stdout.replace(/"ms":[0-9.e-]+/g, '"ms":0');
      resolve(JSON.stringify({ code: error?.code ?? 0, stdout: timeless, stderr: stderr.replaceAll(program, "") }));
    });
  });
}

const words = process.argv.slice(2);
const option = (name, otherwise) => {
  const at = words.indexOf(name);
  return at < 0 ? otherwise : words.splice(at, 2)[1];
};
const effort = ["--nodes", option("--nodes", "2000"), "--moves", option("--moves", "50")];
const [before, after, ...named] = words;
if (!after) {
  console.error("usage: node tests/same_bytes.mjs BEFORE AFTER [FOLDER…] [--nodes N] [--moves N]");
  process.exit(2);
}
const folders = named.length > 0 ? named : DEFAULT_FOLDERS.filter(existsSync);
const cases = folders.flatMap(files).flatMap((file) => {
  const model = /\.(onnx|tflite)$/.test(file);
  return [...COMMON, ...(model ? OF_MODELS : [])].map((args) => [file, args]);
});
let compared = 0;
let different = 0;
async function work() {
  for (let next = cases.shift(); next; next = cases.shift()) {
    const [file, args] = next;
    const all = [...args, ...(args[0] === "plan" ? effort : []), file];
    const [old, now] = [await output(before, all), await output(after, all)];
    compared += 1;
    if (old !== now) {
      different += 1;
      let at = 0;
      while (old[at] === now[at]) at += 1;
      console.log(`${args.join(" ")} ${file} (${statSync(file).size} B)`);
      console.log(`  before …${old.slice(Math.max(0, at - 60), at + 80)}\n  after  …${now.slice(Math.max(0, at - 60), at + 80)}`);
    }
  }
}
await Promise.all(Array.from({ length: availableParallelism() }, work));
console.log(`${compared} outputs of ${folders.join(", ")} compared, ${different} differ`);
process.exit(different > 0 || compared === 0 ? 1 : 0);
