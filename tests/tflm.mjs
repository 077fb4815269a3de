#!/usr/bin/env node
// Has TFLite Micro's own interpreter run what `arenascope plan --save-tflite` writes
// (tests/tflm.py), and gets the interpreter for it.
//
// Usage: node tests/tflm.mjs ARENASCOPE
//
// Nothing is installed outside tests/.cache/tflm; once the interpreter is there, nothing is
// fetched again. Without it the check fails: it is there to be made.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ALONE, findPython, packages, tflmPackages } from "./python.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = join(HERE, ".cache");
const LIBRARY = join(CACHE, "tflm");

/** The oldest Python that its interpreter runs on. */
const PYTHON_MINOR = 10;

function main() {
  mkdirSync(CACHE, { recursive: true });
  const [program] = process.argv.slice(2);
  if (!program) return "say which arenascope to check";
  const python = findPython(PYTHON_MINOR);
  if (!python) return `there is no Python 3.${PYTHON_MINOR} or later with pip`;
  const error = packages(python, tflmPackages, LIBRARY, (text) => console.log(`tflm: ${text}`));
  if (error) return error;
  const environment = { ...process.env, PYTHONPATH: LIBRARY };
  const run = spawnSync(python, [...ALONE, join(HERE, "tflm.py"), program, join(CACHE, "fixtures")], {
    env: environment,
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 300_000,
  });
  if (run.status !== 0) return `tests/tflm.py ended with ${run.status ?? run.signal ?? run.error}`;
  return null;
}

const error = main();
if (error) {
  console.error(`tflm: ${error}`);
  process.exitCode = 1;
}
