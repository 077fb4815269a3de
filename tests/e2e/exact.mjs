// The exact search natively and in the page's worker, on the same problems with the same
// nodes: seconds of both side by side and their ratio, which may be 1.5 at most.
//
// node tests/e2e/exact.mjs ADDRESS ARENASCOPE [ROUNDS]: the address of a served page, and the command
// line tool built for release. A missed bar is printed; the exit code is 1 only when both do
// not end with the same plan, or something could not be measured. Each figure is the least of
// several rounds, taken in turns, so that whatever else the machine does hits both alike.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { args, executable } from "./chromium.mjs";
import { csv, cutRectangle, seeded } from "./cut_rectangle.mjs";

const [origin, tool, rounds] = process.argv.slice(2);
if (!tool) throw new Error("usage: node tests/e2e/exact.mjs ADDRESS ARENASCOPE [ROUNDS]");
const ROUNDS = Number(rounds ?? 5);
const NODES = 1_000_000;
const BAR = 1.5;

/** A full rectangle of 1 MiB in pieces, of which some are shaved: seeded, so always the same. */
function problem(seed, count, shaved) {
  const next = seeded(seed);
  const pieces = cutRectangle(next, count, 600, 1 << 20);
  const shave = (size) => (next(1000) < shaved ? size - (size >> 4) : size);
  return csv(pieces.map((piece) => ({ ...piece, size: shave(piece.size) })));
}

/** Generated problems, and published ones. */
function problems() {
  const generated = [150, 250, 400].flatMap((count) =>
    [0, 150].map((shaved) => ({ name: `cut ${count}/${shaved}`, text: problem(7, count, shaved) })),
  );
  const folder = fileURLToPath(new URL("../data/shared/data/minimalloc", import.meta.url));
  const names = readdirSync(folder).filter((name) => name.endsWith(".1048576.csv")).sort();
  const read = (name) => ({ name: `published ${name[0]}`, text: readFileSync(join(folder, name), "utf8") });
  return [...generated, ...names.map(read)];
}

function native(file) {
  const options = ["--strategy", "exact", "--nodes", String(NODES), "--format", "json"];
  const report = JSON.parse(execFileSync(tool, ["plan", file, ...options], { encoding: "utf8" }));
  const { ms, arena } = report.plans[0];
  return { ms, arena };
}

const exactRow = '.compare tr[data-strategy="exact"]';
const idle = (page) => page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 120_000 });

/** Plans the open file once more in the page; the time is what the worker measured. */
async function inPage(page, file) {
  await page.goto("about:blank");
  await page.goto(new URL(`#sample=blazeface&show=exact`, origin).href);
  await idle(page);
  await page.locator("#file").setInputFiles(file);
  await page.waitForFunction((name) => document.querySelector(".document .file")?.textContent === name, file.split("/").pop());
  await idle(page);
  // Another number of nodes starts both searches anew.
  for (const [name, value] of [["moves", "1"], ["nodes", String(NODES)]]) {
    await page.locator(`#effort-${name}`).fill(value);
    await page.locator(`#effort-${name}`).blur();
    await idle(page);
  }
  const box = page.locator(`${exactRow} input[type=checkbox]`);
  if (!(await box.isChecked())) await box.check();
  await idle(page);
  const arena = Number(await page.locator(`${exactRow} [data-bytes]`).getAttribute("data-bytes"));
  const ms = Number(await page.locator(`${exactRow} [data-ms]`).getAttribute("data-ms"));
  return { ms, arena };
}

const folder = mkdtempSync(join(tmpdir(), "exact-"));
const browser = await chromium.launch({ executablePath: executable(), args: args.raster });
let wrong = 0;
try {
  const page = await browser.newPage();
  const total = { native: 0, wasm: 0 };
  console.log(`${"problem".padEnd(14)} ${"native s".padStart(9)} ${"wasm s".padStart(9)} ${"ratio".padStart(6)}`);
  const line = (name, a, b) =>
    console.log(`${name.padEnd(14)} ${(a / 1e3).toFixed(3).padStart(9)} ${(b / 1e3).toFixed(3).padStart(9)} ${(b / a).toFixed(2).padStart(6)}`);
  for (const { name, text } of problems()) {
    const file = join(folder, `${name.replace(/\W/g, "_")}.csv`);
    writeFileSync(file, text);
    const least = { native: Infinity, wasm: Infinity };
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, other] = [native(file), await inPage(page, file)];
      if (one.arena !== other.arena || !(other.ms > 0)) {
        console.log(`${name}: natively ${one.arena} B, in the page ${other.arena} B in ${other.ms} ms`);
        wrong += 1;
      }
      least.native = Math.min(least.native, one.ms);
      least.wasm = Math.min(least.wasm, other.ms);
    }
    total.native += least.native;
    total.wasm += least.wasm;
    line(name, least.native, least.wasm);
  }
  line("all", total.native, total.wasm);
  console.log(total.wasm <= BAR * total.native ? `pass (bar ${BAR})` : `MISS (bar ${BAR})`);
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}
process.exit(wrong > 0 ? 1 : 0);
