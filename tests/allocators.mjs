#!/usr/bin/env node
// Holds the vectors of allocators against the programs that they come from: tinygrad's TLSF, which is
// fetched for it, and STAlloc's synthesizer, where STALLOC names its allocator.py (its Python, in
// PYTHON or python3, has numpy, scikit-learn and matplotlib).
//
// Usage: node tests/allocators.mjs
//
// Nothing is installed outside tests/.cache. What cannot be had is skipped, and said.

import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ALONE, PYTHON_MINOR, findPython, packages } from "./python.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = join(HERE, ".cache");
const LIBRARY = join(CACHE, "tinygrad");

function main() {
  mkdirSync(CACHE, { recursive: true });
  return [tlsf(), stalloc()].filter((error) => error !== null).join("; ");
}

function tlsf() {
  const python = findPython(PYTHON_MINOR);
  if (!python) return skip(`there is no Python 3.${PYTHON_MINOR} or later with pip for tinygrad's TLSF`);
  const error = packages(python, ["tinygrad==0.14.0"], LIBRARY, (text) => console.log(`allocators: ${text}`));
  if (error) return skip(error);
  return check(python, [...ALONE, join(HERE, "data/tlsf.py"), "--check"], { PYTHONPATH: LIBRARY });
}

function stalloc() {
  const synthesizer = process.env.STALLOC;
  if (!synthesizer) {
    console.log("allocators: STAlloc's synthesizer is not run: STALLOC names no allocator.py");
    return null;
  }
  const python = process.env.PYTHON ?? "python3";
  return check(python, [join(HERE, "data/stalloc.py"), synthesizer, "--check"], {});
}

function check(python, command, environment) {
  const run = spawnSync(python, command, {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 300_000,
  });
  if (run.status === 0) return null;
  return `${command.join(" ")} ended with ${run.status ?? run.signal ?? run.error}`;
}

/** Says that a check is skipped, to people and to tests/run. */
function skip(why) {
  console.log(`allocators: SKIPPED: ${why}`);
  if (process.env.ARENASCOPE_SKIPPED) appendFileSync(process.env.ARENASCOPE_SKIPPED, `allocators\t${why}\n`);
  return null;
}

const error = main();
if (error) {
  console.error(`allocators: ${error}`);
  process.exitCode = 1;
}
