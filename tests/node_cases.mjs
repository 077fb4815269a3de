// Makes the node test cases of ONNX that tests/data/node_cases.txt lists, once, with pinned
// versions of the Python packages that generate them: tests/.cache/node_cases/cases.json and
// cases.bin, whose form tests/data/node_cases.py describes. tests/fixtures.mjs calls it.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ALONE, PYTHON_MINOR, findPython, lastLine, pinned, pinnedPackages } from "./python.mjs";

const data = (name) => fileURLToPath(new URL(`data/${name}`, import.meta.url));
const GENERATOR = data("node_cases.py");

/** Makes the cases unless they are there in `cache`; returns what went wrong, if anything. */
export function makeNodeCases(cache, say) {
  const folder = join(cache, "node_cases");
  const mark = join(folder, "made");
  if (existsSync(mark) && readFileSync(mark, "utf8") === state(folder)) {
    say(`the node cases are there already (${folder})`);
    return null;
  }
  const python = findPython(PYTHON_MINOR);
  if (!python) return `neither python3 nor python is Python 3.${PYTHON_MINOR} with a working pip`;
  mkdirSync(folder, { recursive: true });
  const { error, environment } = pinnedPackages(python, cache, say);
  if (error) return error;
  rmSync(mark, { force: true });
  const run = spawnSync(python, [...ALONE, GENERATOR, "write", folder], { encoding: "utf8", env: environment });
  if (run.status !== 0) return `the node cases cannot be made: ${run.error?.message ?? lastLine(run.stderr)}`;
  writeFileSync(mark, state(folder));
  say(`${run.stdout.trim()} (${folder})`);
  return null;
}

/** Hashes of everything that the cases depend on and of the cases. */
function state(folder) {
  const files = [GENERATOR, data("node_cases.txt"), ...["cases.json", "cases.bin"].map((name) => join(folder, name))];
  const hash = (file) => (existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "none");
  return [...pinned(), ...files.map(hash)].join("\n");
}
