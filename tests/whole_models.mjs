// Makes whole models with seeded random weights and the outputs that ONNX Runtime and LiteRT
// compute for them, once, with pinned versions of both: tests/.cache/whole_models, whose form
// tests/data/whole_models.py describes. tests/fixtures.mjs calls it, after it has fetched the
// files that some of the architectures come from.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { PYTHON_MINOR, findPython, lastLine, pinnedPackages } from "./python.mjs";

const DATA = fileURLToPath(new URL("data", import.meta.url));
const GENERATOR = "whole_models.py";

/** Makes the models unless they are there in `cache`; returns what went wrong, if anything. */
export function makeWholeModels(cache, say) {
  const folder = join(cache, "whole_models");
  if (isWhole(folder)) {
    say(`the whole models are there already (${folder})`);
    return null;
  }
  const fixtures = join(cache, "fixtures");
  const needed = ["light_squeezenet.onnx", "face_detection_short_range.tflite"];
  const missing = needed.filter((name) => !existsSync(join(fixtures, name)));
  if (missing.length > 0) return `the whole models are made from ${missing.join(" and ")}, which is not there`;
  const python = findPython(PYTHON_MINOR);
  if (!python) return `neither python3 nor python is Python 3.${PYTHON_MINOR} with a working pip`;
  const { error, environment } = pinnedPackages(python, cache, say);
  return error ?? fill(folder, { python, environment, fixtures, say });
}

/** Makes the models beside `folder`, so that it appears in one step or not at all. */
function fill(folder, { python, environment, fixtures, say }) {
  say("making the whole models");
  const work = mkdtempSync(`${folder}-`);
  try {
    const run = spawnSync(python, ["-B", join(DATA, GENERATOR), fixtures, work], {
      encoding: "utf8",
      stdio: ["ignore", "inherit", "pipe"],
      // The generator's assertions are its checks.
      env: { ...environment, PYTHONOPTIMIZE: "" },
    });
    if (run.status !== 0) return `the whole models cannot be made: ${run.error?.message ?? lastLine(run.stderr)}`;
    const files = Object.fromEntries(readdirSync(work).map((name) => [name, statSync(join(work, name)).size]));
    writeFileSync(join(work, "made.json"), JSON.stringify({ recipe: recipe(), files }));
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    say(`${Object.keys(files).length - 2} whole models are ready (${folder})`);
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One hash of all that the models depend on. */
function recipe() {
  const parts = readdirSync(join(DATA, "models")).filter((name) => name.endsWith(".py"));
  const sources = ["requirements.txt", GENERATOR, ...parts.sort().map((name) => join("models", name))];
  const hash = createHash("sha256");
  for (const source of sources) hash.update(`${source}\n`).update(readFileSync(join(DATA, source)));
  return hash.digest("hex");
}

/** Whether every file is there, as long as it was, and made by the sources as they are. */
function isWhole(folder) {
  const mark = join(folder, "made.json");
  if (!existsSync(mark)) return false;
  const made = JSON.parse(readFileSync(mark, "utf8"));
  const there = ([name, size]) => existsSync(join(folder, name)) && statSync(join(folder, name)).size === size;
  return made.recipe === recipe() && Object.entries(made.files).every(there);
}
