// Python for the tests' set-up: which one this machine has, and packages from wherever its pip
// is set up to get them.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const ATTEMPTS = 3;
const REQUIREMENTS = fileURLToPath(new URL("data/requirements.txt", import.meta.url));

/** The oldest Python 3 that the pinned packages run on. */
export const PYTHON_MINOR = 11;

/**
 * What Python is started with to see `PYTHONPATH` alone: what is installed on this machine changes
 * no test data (onnx draws other numbers where it finds Pillow).
 */
export const ALONE = ["-S", "-B"];

/** The name of a Python with pip, of version 3.`minor` or later; undefined if there is none. */
export function findPython(minor = 0) {
  const recent = `import sys; sys.exit(sys.version_info < (3, ${minor}))`;
  const works = (name) =>
    spawnSync(name, ["-m", "pip", "--version"], { stdio: "ignore" }).status === 0 &&
    spawnSync(name, ["-c", recent], { stdio: "ignore" }).status === 0;
  return ["python3", "python"].find(works);
}

/** Runs a command of pip, again when it fails; returns what went wrong, if anything. */
export function pip(python, command, what, say) {
  const options = ["--only-binary=:all:", "--disable-pip-version-check", "--quiet"];
  let error = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    say(`fetching ${what}${attempt > 1 ? ` (attempt ${attempt} of ${ATTEMPTS})` : ""}`);
    const [name, ...rest] = command;
    const run = spawnSync(python, ["-m", "pip", name, ...options, ...rest], {
      encoding: "utf8",
      timeout: 300_000,
    });
    if (run.status === 0) return null;
    error = run.error ? run.error.message : lastLine(run.stderr);
    // Twice as long each time; the first wait is two seconds.
    if (attempt < ATTEMPTS) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000 * 2 ** attempt);
  }
  return `${what} cannot be had: ${error}`;
}

/**
 * Makes `folder` a set of packages, exactly these versions and no others; nothing is done where
 * they are there already. Returns what went wrong, if anything.
 */
export function packages(python, requirements, folder, say) {
  const mark = join(folder, ".requirements");
  const wanted = `${version(python)} ${requirements.join(" ")}`;
  if (existsSync(mark) && readFileSync(mark, "utf8") === wanted) return null;
  const fresh = mkdtempSync(join(dirname(folder), `${basename(folder)}-`));
  try {
    // A folder of its own needs neither a virtual environment nor leave of the system's Python.
    const names = requirements.map((requirement) => requirement.split("==")[0]).join(", ");
    const error = pip(python, ["install", "--no-deps", "--target", fresh, ...requirements], names, say);
    if (error) return error;
    writeFileSync(join(fresh, ".requirements"), wanted);
    rmSync(folder, { recursive: true, force: true });
    renameSync(fresh, folder);
    return null;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** The packages that make test data, with their versions: `name==version`. */
export function pinned() {
  const lines = readFileSync(REQUIREMENTS, "utf8").split("\n");
  return lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("#"));
}

/** TFLite Micro's interpreter and what it needs itself, for Linux on x86-64 and Python 3.10 to 3.13. */
export const tflmPackages = ["tflite_micro==0.dev20261023182759", "numpy==2.2.6", "flatbuffers==25.12.19", "PyYAML==6.0.3"];

/** Has the pinned packages ready in `cache`: the environment in which `ALONE` sees them, or an error. */
export function pinnedPackages(python, cache, say) {
  const library = join(cache, "python");
  const error = packages(python, pinned(), library, say);
  return { error, environment: { ...process.env, PYTHONPATH: library } };
}

/** Which Python the compiled parts of packages are for. */
function version(python) {
  const print = "import sys, platform; print(sys.version_info[:2], platform.machine())";
  return spawnSync(python, ["-c", print], { encoding: "utf8" }).stdout.trim();
}

export function lastLine(text) {
  return (text ?? "").trim().split("\n").at(-1);
}
