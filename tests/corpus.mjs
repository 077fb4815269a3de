#!/usr/bin/env node
// Models that people deploy, from packages of PyPI and npm (tests/data/corpus.json): which load,
// run and agree with ONNX Runtime or LiteRT, what their arenas take, and why others are refused.
// Makes the table tests/data/corpus.md.
//
// Usage: node tests/corpus.mjs CORPUS [--only TEXT | --table]
//
// CORPUS is the program `corpus` of the package `tests`. Every model is run by itself, so that
// none takes others along; --only runs those with TEXT in their package or path again, and those
// that have no row yet; --table runs none and says how many have no row. Packages land in tests/.cache/corpus, each model checked against its hash.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

import { fetchFiles } from "./packages.mjs";
import { ALONE, PYTHON_MINOR, findPython, lastLine, pinnedPackages } from "./python.mjs";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const FOLDER = here(".cache/corpus");
/** What was found last, by package and path. */
const ROWS = join(FOLDER, "rows.json");
/** Largest difference in terms of the largest magnitude of the same output. */
const TOLERANCE = 1e-4;
/** The share of models that must run. */
const BAR = 0.85;
/** Milliseconds that one model may take. */
const PATIENCE = 300_000;
const [corpus, ...flags] = process.argv.slice(2);
const only = flags[0] === "--only" ? flags[1] : "";
const tableOnly = flags[0] === "--table";
const say = (text) => console.error(`corpus: ${text}`);

function main() {
  if (!corpus || !existsSync(corpus)) throw new Error("usage: node tests/corpus.mjs CORPUS [--only TEXT | --table]");
  mkdirSync(FOLDER, { recursive: true });
  const python = findPython(PYTHON_MINOR);
  if (!python) throw new Error(`neither python3 nor python is Python 3.${PYTHON_MINOR} with a working pip`);
  const { error, environment } = pinnedPackages(python, here(".cache"), say);
  if (error) throw new Error(error);
  const known = existsSync(ROWS) ? JSON.parse(readFileSync(ROWS, "utf8")) : {};
  const rows = {};
  let count = 0;
  for (const { package: from, models: listed } of JSON.parse(readFileSync(here("data/corpus.json"), "utf8"))) {
    const files = listed.map((model) => ({ ...model, file: join(FOLDER, `${model.sha256.slice(0, 8)}-${basename(model.path)}`) }));
    const error = tableOnly ? null : fetchFiles(python, from, files, say);
    if (error) throw new Error(error);
    for (const model of files) {
      const key = `${from} ${model.path}`;
      const again = !tableOnly && (key.includes(only) || !known[key]);
      count += 1;
      if (!again && !known[key]) continue;
      rows[key] = again ? { from, name: basename(model.path), ...tried(python, environment, model) } : known[key];
      if (!again) continue;
      console.log(line(rows[key]));
      // What is done need not be done again.
      writeFileSync(ROWS, JSON.stringify({ ...known, ...rows }, null, 1));
    }
  }
  writeFileSync(ROWS, JSON.stringify(rows, null, 1));
  const all = Object.values(rows);
  writeFileSync(here("data/corpus.md"), table(all, count - all.length));
  console.log(summary(all));
  if (all.filter((row) => row.run).length < BAR * all.length) process.exitCode = 1;
}

/** What a model came to. */
function tried(python, environment, { file, ...model }) {
  const bound = Object.entries(model.dimensions ?? {}).map(([name, size]) => `${name}=${size}`);
  const inputs = execute(corpus, ["inputs", file, ...bound], { environment });
  if (inputs.error) return { refused: inputs.error };
  const work = mkdtempSync(join(FOLDER, "case-"));
  try {
    const stem = join(work, "case");
    const asked = JSON.stringify({ inputs: inputs.said, fed: model.fed ?? {}, below: model.below ?? {} });
    const theirs = execute(python, [...ALONE, here("data/corpus.py"), file, stem], { environment, input: asked });
    if (theirs.error) return { refused: `there is nothing to compare with: ${theirs.error}` };
    const ours = execute(corpus, ["run", file, stem, ...bound], { environment });
    return ours.error ? { refused: ours.error } : { ...theirs.said, ...ours.said };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** What a program printed as JSON, or its last words. */
function execute(program, given, { environment, input }) {
  const run = spawnSync(program, given, { encoding: "utf8", env: environment, input, timeout: PATIENCE });
  if (run.status === 0) return { said: JSON.parse(lastLine(run.stdout)) };
  const said = lastLine(run.stderr);
  return { error: run.error?.code === "ETIMEDOUT" ? `not done after ${PATIENCE / 1000} s` : said || run.signal };
}

const grouped = (bytes) => (bytes === null || bytes === undefined ? "not known" : bytes.toLocaleString("en-US"));

/** Whether the outputs are the other engine's, or about as near as its own with other kernels. */
const agrees = ({ outputs, spread }) => outputs.largest <= Math.max(TOLERANCE, 2 * spread) && outputs.unlike === 0;

const short = (number) => (number === 0 ? "0" : number.toExponential(1));

function compared({ outputs, spread }) {
  const unlike = outputs.unlike > 0 ? `, ${outputs.unlike} bytes or infinities differ` : "";
  return `${short(outputs.largest)} (${short(spread)})${unlike}`;
}

/** A row of the table. */
function line(row) {
  const name = `${row.name} (${row.from.replace(/^\w+:/, "")})`;
  if (!row.run) return `| ${name} | refused: ${row.refused.replaceAll("|", "/")} | | | | | |`;
  const { promised, touched, verdict } = row.run;
  const arena = promised === touched ? grouped(promised) : `${grouped(promised)}, touched ${grouped(touched)}`;
  const theirs = row.litert ? `${grouped(row.litert[0])} / ${grouped(row.arena)}` : grouped(row.arena);
  const cells = [name, verdict.toLowerCase(), agrees(row) ? "agrees" : "differs", compared(row), grouped(row.naive)];
  return `| ${[...cells, arena, theirs].join(" | ")} |`;
}

function summary(rows) {
  const ran = rows.filter((row) => row.run);
  const share = ((100 * ran.length) / rows.length).toFixed(1);
  const confirmed = ran.filter(({ run }) => run.verdict === "Confirmed").length;
  const littered = ran.filter((row) => row.litert && row.arena !== null);
  // What is read off addresses ends with the last tensor, not with its padding to 64 bytes.
  const equal = littered.filter((row) => row.litert[0] - row.arena >= 0 && row.litert[0] - row.arena < 64);
  return (
    `${ran.length} of ${rows.length} models run (${share} %), ${confirmed} of them confirmed, ` +
    `${ran.filter(agrees).length} agree. LiteRT's planner: ${equal.length} of ${littered.length} arenas equal LiteRT's own.`
  );
}

function table(rows, left) {
  return `# Models that people deploy

Made by \`node tests/corpus.mjs\`. Each model runs as its best plan on a software GPU. *Differs by*
is the largest difference from what ONNX Runtime or LiteRT computes, over the largest magnitude
of the same output, and in brackets how far that engine's own optimisations move it; up to
${TOLERANCE}, or twice as far as that, agrees. Bytes of arenas: without reuse; promised (and touched, where
it is not the same); last, for a TFLite file, our simulation of LiteRT's planner, then LiteRT's own
arena as measured; for an ONNX file the block of ONNX Runtime's memory pattern as measured. What the
software GPU at hand binds at most bounds weights and arenas; rows say where that is too little.

${summary(rows)}${left > 0 ? ` ${left} further models of the list were not run.` : ""}

| model | run | outputs | differs by | without reuse | arena | deployed planner |
|---|---|---|---|---|---|---|
${rows.map(line).join("\n")}
`;
}

main();
