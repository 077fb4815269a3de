#!/usr/bin/env node
// Has JAX, ONNX Runtime, PyTorch and TFLite Micro write what people open (tests/producers.py), and
// gets them: 120 MB for JAX, 3 GB for PyTorch, which does not start without CUDA's libraries.
//
// Usage: node tests/producers.mjs ARENASCOPE [PRODUCER…]
//
// `exports` runs models, with the program `corpus` of the package `tests`: it lies beside ARENASCOPE.
// Nothing is installed outside tests/.cache; what is there is not fetched again.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { ALONE, PYTHON_MINOR, findPython, packages, pinned, tflmPackages } from "./python.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = join(HERE, ".cache");

const TORCH = [
  ...["torch==2.15.0", "filelock==4.3.1", "fsspec==2026.9.0", "Jinja2==3.1.6", "MarkupSafe==3.0.4", "mpmath==1.3.0"],
  ...["networkx==3.6.1", "numpy==2.4.6", "sympy==1.14.0", "typing_extensions==4.16.0", "nvidia-cublas==13.4.1.3"],
  ...["nvidia-cuda-cupti==13.2.86", "nvidia-cuda-nvrtc==13.2.86", "nvidia-cuda-runtime==13.2.86"],
  ...["nvidia-cudnn-cu13==9.26.0.51", "nvidia-cufft==12.2.0.57", "nvidia-cufile==1.17.1.22"],
  ...["nvidia-cusolver==12.2.0.11", "nvidia-cusparse==12.7.10.12", "nvidia-cusparselt-cu13==0.8.1"],
  ...["nvidia-nccl-cu13==2.30.7", "nvidia-nvjitlink==13.5.37", "nvidia-nvshmem-cu13==3.7.2", "nvidia-nvtx==13.2.86"],
];

/** The packages of each by their folder, with all that they need to start, for Linux on x86-64. */
const PRODUCERS = {
  onnxruntime: { python: pinned() },
  tflm: { tflm: tflmPackages },
  jax: { jax: ["jax==0.10.2", "jaxlib==0.10.2", "ml_dtypes==0.6.0", "numpy==2.4.6", "opt_einsum==3.4.0", "scipy==1.17.1"] },
  torch: { torch: TORCH },
  compiled: { torch: TORCH },
  exports: { torch: TORCH, python: pinned(), exporter: ["onnxscript==0.7.2", "onnx_ir==1.1.0"] },
};

function compare(program, python, name) {
  const libraries = Object.entries(PRODUCERS[name]).map(([folder, requirements]) => {
    const library = join(CACHE, folder);
    return { library, error: packages(python, requirements, library, (text) => console.log(`${name}: ${text}`)) };
  });
  const failed = libraries.find(({ error }) => error);
  if (failed) return failed.error;
  const run = spawnSync(python, [...ALONE, join(HERE, "producers.py"), program, name, join(CACHE, "fixtures")], {
    env: { ...process.env, PYTHONPATH: libraries.map(({ library }) => library).join(delimiter) },
    stdio: ["ignore", "inherit", "pipe"],
    encoding: "utf8",
    timeout: 900_000,
  });
  // They say much on standard error that is no fault.
  if (run.status !== 0) console.error(run.stderr);
  return run.status === 0 ? null : `tests/producers.py ended with ${run.status ?? run.signal ?? run.error}`;
}

function main() {
  mkdirSync(CACHE, { recursive: true });
  const [program, ...asked] = process.argv.slice(2);
  if (!program) return ["say which arenascope to check"];
  const unknown = asked.filter((name) => !(name in PRODUCERS));
  if (unknown.length > 0) return [`there is no ${unknown.join(", ")}, only ${Object.keys(PRODUCERS).join(", ")}`];
  const python = findPython(PYTHON_MINOR);
  if (!python) return [`there is no Python 3.${PYTHON_MINOR} or later with pip`];
  const names = asked.length > 0 ? asked : Object.keys(PRODUCERS);
  const errors = names.map((name) => [name, compare(program, python, name)]);
  return errors.filter(([, error]) => error).map(([name, error]) => `${name}: ${error}`);
}

for (const error of main()) {
  console.error(error);
  process.exitCode = 1;
}
