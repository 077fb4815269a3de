#!/usr/bin/env node
// Builds the planner's package for Python as a wheel, gives it to a Python that sees nothing else,
// and holds what it plans against the command line (tests/wheel.py).
//
// Usage: node tests/wheel.mjs ARENASCOPE
//
// Nothing is installed outside tests/.cache.

import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { ALONE, findPython, packages } from "./python.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const CACHE = join(HERE, ".cache");
const TOOLS = join(CACHE, "maturin");
const WHEELS = join(CACHE, "wheel");

/** The oldest Python that the wheel is for. */
const PYTHON_MINOR = 9;

function main() {
  mkdirSync(CACHE, { recursive: true });
  const [program] = process.argv.slice(2);
  if (!program) return "say which arenascope to compare with";
  const python = findPython(PYTHON_MINOR);
  if (!python) return `there is no Python 3.${PYTHON_MINOR} or later with pip`;
  const error = packages(python, ["maturin==1.16.0"], TOOLS, (text) => console.log(`wheel: ${text}`));
  if (error) return error;
  rmSync(WHEELS, { recursive: true, force: true });
  const pip = (environment, ...command) => {
    const run = spawnSync(python, ["-m", "pip", ...command, "--disable-pip-version-check", "--quiet"], {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "inherit", "inherit"],
    });
    return run.status === 0 ? null : `pip ${command[0]} ended with ${run.status ?? run.signal ?? run.error}`;
  };
  const target = resolve(process.env.CARGO_TARGET_DIR ?? join(HERE, "../target"));
  const building = {
    PATH: [join(TOOLS, "bin"), process.env.PATH].join(delimiter),
    PYTHONPATH: TOOLS,
    CARGO_TARGET_DIR: join(target, "python"),
    // Quick to build rather than quick.
    MATURIN_PEP517_ARGS: "--profile dev --locked",
    CARGO_PROFILE_DEV_DEBUG: "0",
  };
  const alone = ["--no-deps", "--no-index"];
  const built = pip(building, "wheel", ...alone, "--no-build-isolation", "-w", WHEELS, join(HERE, "../planner/python"));
  if (built) return built;
  const wheel = readdirSync(WHEELS).find((name) => name.endsWith(".whl"));
  const fresh = join(WHEELS, "installed");
  const installed = pip({}, "install", ...alone, "--target", fresh, join(WHEELS, wheel));
  if (installed) return installed;
  const run = spawnSync(python, [...ALONE, join(HERE, "wheel.py"), program], {
    env: { ...process.env, PYTHONPATH: fresh },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return run.status === 0 ? null : `tests/wheel.py ended with ${run.status ?? run.signal ?? run.error}`;
}

const error = main();
if (error) {
  console.error(`wheel: ${error}`);
  process.exitCode = 1;
}
