// Makes whole models with seeded random weights and the outputs that ONNX Runtime and LiteRT
// compute for them, once, with pinned versions of both: tests/.cache/whole_models for the tests,
// whose form tests/data/whole_models.py describes, tests/.cache/quantised_models with quantised
// ones, and tests/.cache/bench_models with pictures of 224 for the benchmark against another
// engine; tests/.cache/quantised, recurrent and contrib with single operators, control with control
// flow, deployed_models with what LiteRT computes for files of packages. tests/fixtures.mjs calls it
// for the tests, after it has fetched the files that some of the architectures come from.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { ALONE, PYTHON_MINOR, findPython, lastLine, pinnedPackages } from "./python.mjs";

const DATA = fileURLToPath(new URL("data", import.meta.url));

/** Makes the tests' models unless they are there in `cache`; returns what went wrong, if anything. */
export const makeWholeModels = (cache, say) => make("whole_models", cache, say);

/** Makes cases of single operators on quantised tensors, with what LiteRT computes. */
export const makeQuantised = (cache, say) => make("quantised", cache, say);

/** Makes inputs and outputs of quantised models for microcontrollers. */
export const makeDeployedModels = (cache, say) => make("deployed_models", cache, say);

/** Makes recurrent layers, with what ONNX Runtime and LiteRT compute. */
export const makeRecurrent = (cache, say) => make("recurrent", cache, say);

/** Makes cases of single operators of transformers, with what ONNX Runtime computes. */
export const makeContrib = (cache, say) => make("contrib", cache, say);

/** Makes models with control flow, with what ONNX Runtime and LiteRT compute. */
export const makeControl = (cache, say) => make("control", cache, say);

/** Makes whole models that ONNX Runtime's tools have quantised, with what it computes. */
export const makeQuantisedModels = (cache, say) => make("quantised_models", cache, say);

/** The same for the benchmark's models. */
export const makeBenchModels = (cache, say) => make("bench_models", cache, say);

/** Makes the models whose folder and generator have this name. */
function make(name, cache, say) {
  const folder = join(cache, name);
  const generator = `${name}.py`;
  if (isWhole(folder, generator)) {
    say(`${name} is there already (${folder})`);
    return null;
  }
  const fixtures = join(cache, "fixtures");
  const needed = ["light_squeezenet.onnx", "face_detection_short_range.tflite"];
  const missing = needed.filter((name) => !existsSync(join(fixtures, name)));
  if (missing.length > 0) return `${name} is made from ${missing.join(" and ")}, which is not there`;
  const python = findPython(PYTHON_MINOR);
  if (!python) return `neither python3 nor python is Python 3.${PYTHON_MINOR} with a working pip`;
  const { error, environment } = pinnedPackages(python, cache, say);
  return error ?? fill(folder, { generator, python, environment, fixtures, say });
}

/** Makes the models beside `folder`, so that it appears in one step or not at all. */
function fill(folder, { generator, python, environment, fixtures, say }) {
  say(`making ${generator}'s files`);
  const work = mkdtempSync(`${folder}-`);
  try {
    const run = spawnSync(python, [...ALONE, join(DATA, generator), fixtures, work], {
      encoding: "utf8",
      stdio: ["ignore", "inherit", "pipe"],
      // The generator's assertions are its checks.
      env: { ...environment, PYTHONOPTIMIZE: "" },
    });
    if (run.status !== 0) return `${generator} failed: ${run.error?.message ?? lastLine(run.stderr)}`;
    const files = Object.fromEntries(readdirSync(work).map((name) => [name, statSync(join(work, name)).size]));
    writeFileSync(join(work, "made.json"), JSON.stringify({ recipe: recipe(generator), files }));
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    say(`${Object.keys(files).length} files are ready (${folder})`);
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** One hash of all that the models depend on. */
function recipe(generator) {
  const parts = readdirSync(join(DATA, "models")).filter((name) => name.endsWith(".py"));
  // The benchmark's generator builds on the tests'.
  const built = generator === "bench_models.py" ? ["whole_models.py", "quantised_models.py"] : ["whole_models.py"];
  const generators = new Set([...built, generator]);
  const sources = ["requirements.txt", ...generators, ...parts.sort().map((name) => join("models", name))];
  const hash = createHash("sha256");
  for (const source of sources) hash.update(`${source}\n`).update(readFileSync(join(DATA, source)));
  return hash.digest("hex");
}

/** Whether every file is there, as long as it was, and made by the sources as they are. */
function isWhole(folder, generator) {
  const mark = join(folder, "made.json");
  if (!existsSync(mark)) return false;
  const made = JSON.parse(readFileSync(mark, "utf8"));
  const there = ([name, size]) => existsSync(join(folder, name)) && statSync(join(folder, name)).size === size;
  return made.recipe === recipe(generator) && Object.entries(made.files).every(there);
}
