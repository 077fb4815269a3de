#!/usr/bin/env node
// Makes what tests compare computed results with: whole models with seeded random weights and
// the outputs of ONNX Runtime and LiteRT, in tests/.cache/whole_models.
//
// Usage: node tests/references.mjs
//
// Runs after tests/fixtures.mjs, which fetches some of the architectures. The engines are
// Python packages, pinned in tests/data/requirements.txt and installed into tests/.cache/venv.
// Once all is there and made by the sources as they are, nothing is fetched or computed again.
// Without Python or network it is skipped with a message, except under CI, where that is an
// error.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const TESTS = dirname(fileURLToPath(import.meta.url));
const CACHE = join(TESTS, ".cache");
const DATA = join(TESTS, "data");
const VENV = join(CACHE, "venv");
const REQUIREMENTS = join(DATA, "requirements.txt");
const ATTEMPTS = 3;

/** What is made: a folder of the cache, the script that fills it, the sources it depends on. */
const PRODUCTS = [
  {
    what: "whole models",
    folder: "whole_models",
    script: "whole_models.py",
    sources: ["requirements.txt", "whole_models.py", ...pythonIn("models")],
    arguments: [join(CACHE, "fixtures")],
    needs: [join(CACHE, "fixtures", "light_squeezenet.onnx"), join(CACHE, "fixtures", "face_detection_short_range.tflite")],
  },
];

function main() {
  const stale = PRODUCTS.filter((product) => !isFresh(product));
  for (const product of PRODUCTS.filter((one) => !stale.includes(one))) {
    say(`${product.what} are there already (${join(CACHE, product.folder)})`);
  }
  if (stale.length === 0) return;
  mkdirSync(CACHE, { recursive: true });
  const error = ensureVenv() ?? stale.map(make).find((one) => one !== null);
  if (error) giveUp(error);
}

/** The Python files of a folder beside this one's data, by path. */
function pythonIn(folder) {
  const names = readdirSync(join(DATA, folder)).filter((name) => name.endsWith(".py"));
  return names.sort().map((name) => join(folder, name));
}

/** One hash of all that a product is made from. */
function recipe({ sources }) {
  const hash = createHash("sha256");
  for (const source of sources) hash.update(`${source}\n`).update(readFileSync(join(DATA, source)));
  return hash.digest("hex");
}

/** Whether every file is there, as long as it was, and made by these sources. */
function isFresh(product) {
  const folder = join(CACHE, product.folder);
  const stamp = join(folder, "made_by.json");
  if (!existsSync(stamp)) return false;
  const made = JSON.parse(readFileSync(stamp, "utf8"));
  const whole = ([name, size]) => existsSync(join(folder, name)) && statSync(join(folder, name)).size === size;
  return made.recipe === recipe(product) && Object.entries(made.files).every(whole);
}

/** Fills a product's folder; returns what went wrong, if anything. */
function make(product) {
  const missing = product.needs.filter((file) => !existsSync(file));
  if (missing.length > 0) return `${missing.join(", ")} is not there: run \`node tests/fixtures.mjs\``;
  say(`making ${product.what}`);
  // Beside the folder, so that it appears in one step or not at all.
  const work = mkdtempSync(join(CACHE, "making-"));
  try {
    const script = join(DATA, product.script);
    const python = spawnSync(venvPython(), ["-B", script, ...product.arguments, work], {
      encoding: "utf8",
      stdio: ["ignore", "inherit", "pipe"],
      // The script's assertions are its checks.
      env: { ...process.env, PYTHONHASHSEED: "0", PYTHONOPTIMIZE: "" },
    });
    if (python.status !== 0) return `${product.script}: ${python.error?.message ?? lastLine(python.stderr)}`;
    const files = Object.fromEntries(readdirSync(work).map((name) => [name, statSync(join(work, name)).size]));
    writeFileSync(join(work, "made_by.json"), JSON.stringify({ recipe: recipe(product), files }));
    const folder = join(CACHE, product.folder);
    rmSync(folder, { recursive: true, force: true });
    renameSync(work, folder);
    say(`${product.what} are ready (${folder})`);
    return null;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** A virtual environment with exactly the pinned packages; returns what went wrong, if anything. */
function ensureVenv() {
  const stamp = join(VENV, ".requirements.txt");
  const pinned = readFileSync(REQUIREMENTS, "utf8");
  if (existsSync(stamp) && existsSync(venvPython()) && readFileSync(stamp, "utf8") === pinned) return null;
  const python = findPython();
  if (!python) return "there is no Python 3.11 or later with pip";
  rmSync(VENV, { recursive: true, force: true });
  // Debian's Python makes one without pip only, unless python3-venv is there.
  const ways = [["-m", "venv", VENV], ["-m", "venv", "--without-pip", VENV]];
  const way = ways.find((way) => spawnSync(python, way, { stdio: "ignore" }).status === 0);
  if (!way) return `${python} cannot make a virtual environment`;
  const error = install(way.includes("--without-pip") ? [python, "-m", "pip", "--python", venvPython()] : [venvPython(), "-m", "pip"]);
  if (error) return error;
  writeFileSync(stamp, pinned);
  return null;
}

function install([program, ...pip]) {
  const options = ["--only-binary=:all:", "--disable-pip-version-check", "--quiet"];
  let error = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    say(`installing the reference engines${attempt > 1 ? ` (attempt ${attempt} of ${ATTEMPTS})` : ""}`);
    const done = spawnSync(program, [...pip, "install", ...options, "--requirement", REQUIREMENTS], { encoding: "utf8", timeout: 600_000 });
    if (done.status === 0) return null;
    error = done.error ? done.error.message : lastLine(done.stderr);
    // Twice as long each time; the first wait is two seconds.
    if (attempt < ATTEMPTS) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000 * 2 ** attempt);
  }
  return `the reference engines cannot be installed: ${error}`;
}

function findPython() {
  const recent = "import sys, pip; sys.exit(sys.version_info < (3, 11))";
  const works = (name) => spawnSync(name, ["-c", recent], { stdio: "ignore" }).status === 0;
  return ["python3", "python", "python3.14", "python3.13", "python3.12", "python3.11"].find(works);
}

function venvPython() {
  return process.platform === "win32" ? join(VENV, "Scripts", "python.exe") : join(VENV, "bin", "python");
}

function lastLine(text) {
  return (text ?? "").trim().split("\n").at(-1);
}

function say(text) {
  console.log(`references: ${text}`);
}

/** Without network or Python the other tests still tell something; CI must not miss any. */
function giveUp(reason) {
  console.error(`references: SKIPPED: ${reason}`);
  console.error("references: the tests that compare with other engines will not run");
  if (process.env.CI) process.exitCode = 1;
}

main();
