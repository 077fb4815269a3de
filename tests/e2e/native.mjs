// The workspace's native programs, for tests and benchmarks of the page.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** One package alone would want fewer features of what all need, which would be built anew. */
const workspace = ["--locked", "--workspace", "--exclude", "app"];

/** Those that this process has seen built: asking cargo takes longer than most that they do. */
const built = new Set();

/** What the program `name` prints for some arguments; it is built before, where it is not. */
export function native(name, args) {
  const quiet = ["ignore", "pipe", "inherit"];
  if (!built.has(name)) {
    execFileSync("cargo", ["build", "--quiet", ...workspace, "--bin", name], { cwd: root, stdio: quiet });
    built.add(name);
  }
  const program = resolve(root, process.env.CARGO_TARGET_DIR ?? "target", "debug", name);
  return execFileSync(program, args, { cwd: root, encoding: "utf8", stdio: quiet, maxBuffer: 1 << 26 });
}
