// What memory snapshots cost in the page: 20,000 and 1,000,000 events of a generated trace, and 300
// and 1,500 MB as PyTorch writes them. A key press in the search is timed until its frame is
// painted, so it takes a frame at least.
//
// Alone: node tests/e2e/snapshots.mjs http://127.0.0.1:8080/ [EVENTS… MB…], as in 20000 300MB

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from "node:fs";
import { platform, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { args, chromium, executable } from "./chromium.mjs";
import { native } from "./native.mjs";

const PATIENCE = 180_000;

/** Writes a snapshot of so many events and answers with its path. */
function generated(folder, events) {
  const path = join(folder, `snapshot-${events}.pickle`);
  native("snapshots", [String(events), path]);
  return path;
}

/** Writes one of so many MB, every event with a stack of its own, and answers with its path. */
function written(folder, megabytes) {
  const path = join(folder, `snapshot-${megabytes}MB.pickle`);
  const script = fileURLToPath(new URL("../large_snapshot.py", import.meta.url));
  const { status, stderr, error } = spawnSync("python3", [script, String(megabytes), path], { encoding: "utf8" });
  if (status !== 0) throw new Error(`large_snapshot.py: ${error ?? stderr}`);
  return path;
}

/** The most MiB of memory that any tab of a running browser has taken, as Linux says it. */
function tabPeak() {
  const peaks = [];
  for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--type=renderer")) continue;
      peaks.push(Number(/VmHWM:\s+([0-9]+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024);
    } catch {
      // It ended meanwhile.
    }
  }
  return Math.max(...peaks);
}

/** MiB of WebAssembly memory of the page and of the worker that plans. */
async function memory(page) {
  const bytes = async (script) => (await (await import(script)).default()).memory.buffer.byteLength;
  const worker = page.workers().find((worker) => worker.url().includes("worker_loader"));
  const here = await page.evaluate(bytes, new URL("app.js", worker.url()).href);
  const there = await worker.evaluate(bytes, new URL("worker.js", worker.url()).href);
  return [here, there].map((bytes) => bytes / (1 << 20));
}

/**
 * Opens a file in a page where the first sample is open. Answers with milliseconds from its
 * choice to its first picture and until nothing is at work, and with the longest task of the
 * page's thread meanwhile; the browser reports those above 50 ms.
 */
async function opened(page, path, name) {
  await page.evaluate((name) => {
    const picture = "arenascope:first-picture";
    const tasks = [];
    new PerformanceObserver((list) => {
      for (const task of list.getEntries()) tasks.push({ start: task.startTime, ms: task.duration });
    }).observe({ entryTypes: ["longtask"] });
    window.opening = new Promise((done) => {
      document.querySelector("#file").addEventListener("change", () => {
        const start = performance.now();
        const look = () => {
          const there = document.querySelector(".document .file")?.textContent === name;
          // One that asks for a range of events is answered.
          const notice = document.querySelector(".notice")?.textContent;
          const refused = notice?.includes("Choose the range") ? null : notice;
          if (!(there && document.body.dataset.ready === "true") && !refused) return;
          watch.disconnect();
          const end = performance.now();
          setTimeout(() => {
            const pictures = performance.getEntriesByName(picture).map((mark) => mark.startTime);
            const own = tasks.filter((task) => task.start >= start).map((task) => ({ ...task, start: task.start - start }));
            done({
              refused,
              picture: (pictures.find((mark) => mark > start) ?? NaN) - start,
              ready: end - start,
              tasks: own,
              longest: Math.max(0, ...own.map((task) => task.ms)),
            });
          }, 500);
        };
        const watch = new MutationObserver(look);
        watch.observe(document.body, { attributes: true, childList: true, characterData: true, subtree: true });
      }, { capture: true, once: true });
    });
  }, name);
  await page.locator("#file").setInputFiles(path);
  return await page.evaluate(() => window.opening);
}

/** Milliseconds from each key press of a query until what it finds is painted. */
async function typed(page, query) {
  const times = [];
  await page.locator("#search").focus();
  for (const key of query) {
    const ms = await page.evaluate((key) => {
      const input = document.querySelector("#search");
      const start = performance.now();
      input.value += key;
      input.dispatchEvent(new InputEvent("input", { bubbles: true, data: key }));
      return new Promise((done) => {
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
      });
    }, key);
    times.push(ms);
  }
  return times;
}

async function fresh(browser, origin) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  let died = "";
  page.on("crash", () => (died = "the tab died"));
  page.on("pageerror", (error) => (died ||= error.message));
  await page.goto(origin);
  await page.waitForSelector('body[data-ready="true"]', { state: "attached" });
  return { context, page, died: () => died };
}

/** Of more events than can be held, those that the page proposes are taken; whether it asked. */
async function taken(page) {
  const ask = page.locator("dialog.meanings").getByRole("button", { name: "Open", exact: true });
  const asked = ask.waitFor().then(() => true, () => false);
  const open = page.evaluate(() => window.opening).then(() => false, () => false);
  if (!(await Promise.race([asked, open]))) return false;
  await ask.click();
  return true;
}

/** Prints the table of large ones; in a browser of its own each, for the peak of the tab's memory. */
export async function largeSnapshots(launch, origin, row, sizes = [300, 1_500]) {
  console.log("\nLarge memory snapshots as PyTorch writes them");
  const folder = mkdtempSync(join(tmpdir(), "arenascope-snapshots-"));
  try {
    for (const size of sizes) {
      const path = written(folder, size);
      const browser = await launch();
      const { page, died } = await fresh(browser, origin);
      const [found, ranged] = await Promise.all([opened(page, path, `snapshot-${size}MB.pickle`), taken(page)]);
      const note = died() || found.refused || (ranged ? "of the range that the page proposes" : "whole");
      row(`snapshot_${size}MB_picture_ms`, found.picture, `${(statSync(path).size / 1e6).toFixed(1)} MB`);
      row(`snapshot_${size}MB_ready_ms`, found.ready, note);
      if (platform() === "linux") row(`snapshot_${size}MB_tab_peak_mib`, tabPeak());
      else console.log("  the tab's peak is not measured: Linux alone tells it");
      await browser.close();
      rmSync(path);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Prints the table; `row(name, number, note)` takes each figure. */
export async function snapshots(browser, origin, row, sizes = [20_000, 1_000_000]) {
  console.log("\nMemory snapshots of PyTorch, generated");
  const folder = mkdtempSync(join(tmpdir(), "arenascope-snapshots-"));
  try {
    for (const events of sizes) {
      const path = generated(folder, events);
      const name = `snapshot-${events}.pickle`;
      const { context, page, died } = await fresh(browser, origin);
      const found = await opened(page, path, name);
      const [here, there] = await memory(page);
      row(`snapshot_${events}_picture_ms`, found.picture, `${(readFileSync(path).length / 1e6).toFixed(1)} MB`);
      row(`snapshot_${events}_ready_ms`, found.ready, died() || found.refused || "");
      row(`snapshot_${events}_longest_task_ms`, found.longest, "0: none above 50");
      row(`snapshot_${events}_page_mib`, here);
      row(`snapshot_${events}_worker_mib`, there);
      const times = await typed(page, "size > 1MiB and frame ~ linear");
      row(`snapshot_${events}_key_ms`, times.sort((a, b) => a - b)[times.length >> 1], `worst ${Math.max(...times).toFixed(1)}`);
      await context.close();
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , origin, ...sizes] = process.argv;
  const launch = () => chromium.launch({ executablePath: executable(), args: args.raster });
  const row = (name, number, note = "") => console.log(`  ${name.padEnd(36)} ${number.toFixed(2).padStart(10)}  ${note}`);
  const [large, small] = [sizes.filter((size) => size.endsWith("MB")), sizes.filter((size) => !size.endsWith("MB"))];
  if (small.length > 0 || sizes.length === 0) {
    const browser = await launch();
    await snapshots(browser, origin, row, sizes.length > 0 ? small.map(Number) : undefined);
    await browser.close();
  }
  if (large.length > 0 || sizes.length === 0) {
    await largeSnapshots(launch, origin, row, sizes.length > 0 ? large.map((size) => parseInt(size)) : undefined);
  }
}
