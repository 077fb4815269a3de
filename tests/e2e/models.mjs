// The files that tests and benchmarks open: the samples that come with the page, the fetched
// fixtures, and the shared models beside the checkout, which the project does not bring.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const shared = process.env.ARENASCOPE_SHARED ?? join(root, "../shared");

/** The files of a folder by name; none, and a word about it, where it is absent. */
function files(folder, remedy) {
  if (!existsSync(folder)) {
    console.log(`SKIPPED: ${folder} is not here${remedy}`);
    return [];
  }
  const names = readdirSync(folder).filter((name) => /\.(onnx|tflite|csv)$/.test(name)).sort();
  return names.map((name) => ({ name, path: join(folder, name) }));
}

/** The figures of a second implementation by file name, for files opened without bindings. */
function figures(...names) {
  const read = (name) => JSON.parse(readFileSync(join(root, "tests/data", name), "utf8")).models;
  const plain = names.flatMap(read).filter(({ bind }) => Object.keys(bind).length === 0);
  return Object.fromEntries(plain.map((model) => [model.file, model]));
}

export const samples = () => files(join(root, "public/samples"), "");
export const fixtures = () => files(join(root, "tests/.cache/fixtures"), ": run `node tests/fixtures.mjs`");
export const models = () => files(join(shared, "models"), "");

/** What is known of each file: `lb_offset`, `naive` and others in bytes. */
export function known() {
  const path = join(shared, "vectors/model_figures.json");
  const table = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).models : {};
  // Where that table could not size every tensor, ours has figures for the whole.
  const whole = Object.entries(table).filter(([, model]) => model.unknown_shape === 0);
  const ours = figures("sample_figures.json", "fixture_figures.json", "raw_export_figures.json");
  return { ...Object.fromEntries(whole), ...ours };
}
