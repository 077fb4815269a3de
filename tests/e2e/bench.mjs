// What the page costs in a browser: bytes of the first visit, time to the first picture, time
// to open and plan each model, frames, hovers, and how long the page was ever blocked. Prints
// tables with the bar of each figure and, last, one JSON line.
//
// The server must be running; its address is the only argument. A missed bar is printed; the
// exit code is 1 only when something could not be measured.

import { basename } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { chromium } from "@playwright/test";
import { args, executable } from "./chromium.mjs";
import { fixtures, models, samples } from "./models.mjs";

const origin = process.argv[2] ?? "http://127.0.0.1:8080/";
const VISITS = 7;
const SIZES = [10_000, 100_000, 1_000_000];
const STRATEGIES = 11;
/** The model with the most tensors: while it is planned, the page must stay alive. */
const LARGEST = /^sd15_unet/;

// What is allowed: bytes, and milliseconds at 1280×720.
const BARS = {
  first_load_bytes: 1_200_000,
  first_picture_ms: 1_500,
  longest_task_ms: 50,
  raster_frame_100000_ms: 15,
  raster_frame_1000000_ms: 150,
  raster_hover_1000000_ms: 4,
  raster_scattered_hover_1000000_ms: 4,
};

const report = {};
const missing = [];

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const quantile = (numbers, share) => sorted(numbers)[Math.floor((numbers.length - 1) * share)] ?? NaN;
const median = (numbers) => quantile(numbers, 0.5);
const figure = (number) => (Number.isInteger(number) ? String(number) : number.toFixed(2));

function row(name, number, note = "") {
  report[name] = number;
  if (!Number.isFinite(number)) missing.push(name);
  const bar = BARS[name];
  const verdict = bar === undefined ? "" : `${number <= bar ? "pass" : "MISS"} (bar ${bar})`;
  console.log(`  ${name.padEnd(36)} ${figure(number).padStart(10)}  ${verdict} ${note}`.trimEnd());
}

/** One visit with an empty cache; `before` sees the page before it loads. */
async function visit(browser, before, after) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  try {
    await before?.(page);
    await page.goto(origin);
    await page.waitForSelector('body[data-ready="true"]', { state: "attached" });
    await page.waitForLoadState("networkidle");
    return await after(page);
  } finally {
    await context.close();
  }
}

/** Every file of the first load, as a server with brotli would send it. */
async function transferred(browser) {
  const urls = new Set();
  const heard = (page) => page.context().on("response", (response) => urls.add(response.url()));
  await visit(browser, heard, () => undefined);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const files = [];
  for (const url of [...urls].filter((url) => url.startsWith(origin))) {
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    const bytes = brotliCompressSync(body, quality).length;
    files.push({ name: basename(new URL(url).pathname) || "index.html", raw: body.length, bytes });
  }
  for (const { name, raw, bytes } of files.sort((a, b) => b.bytes - a.bytes)) {
    console.log(`  ${name.padEnd(36)} ${String(bytes).padStart(10)}  of ${raw}`);
  }
  row("first_load_bytes", files.reduce((sum, file) => sum + file.bytes, 0), "brotli, in all");
}

/** Milliseconds from navigation to the page's mark of its first picture. */
async function firstPicture(browser, name) {
  const mark = () => performance.getEntriesByName("arenascope:first-picture")[0]?.startTime ?? NaN;
  const times = [];
  for (let number = 0; number < VISITS; number += 1) {
    times.push(await visit(browser, null, (page) => page.evaluate(mark)));
  }
  row(name, median(times), `median of ${VISITS} visits, worst ${figure(Math.max(...times))}`);
}

/**
 * Opens a file through the file button. Answers with milliseconds from choosing it to its
 * name, its first plan and its last, what each strategy took by the page's own clock, and the
 * longest tasks of the page's thread meanwhile (the browser reports those above 50 ms).
 */
async function opened(page, { name, bytes }) {
  await page.evaluate((strategies) => {
    const times = { tasks: [] };
    const input = document.querySelector("#file");
    const tasks = new PerformanceObserver((list) => {
      for (const task of list.getEntries()) times.tasks.push({ start: task.startTime, ms: task.duration });
    });
    tasks.observe({ entryTypes: ["longtask"] });
    window.opening = new Promise((done) => {
      input.addEventListener("change", () => {
        times.start = performance.now();
        let busy = false;
        const look = () => {
          const ready = document.body.dataset.ready === "true";
          busy ||= !ready;
          if (!busy) return;
          const planned = document.querySelectorAll(".compare tbody [data-bytes]").length;
          if (planned > 0 && planned < strategies) times.first ??= performance.now();
          if (!ready) return;
          watch.disconnect();
          times.end = performance.now();
          // The last paint, and the observer's last word.
          setTimeout(() => {
            tasks.disconnect();
            done(times);
          }, 300);
        };
        const watch = new MutationObserver(look);
        watch.observe(document.body, { attributes: true, childList: true, subtree: true });
      }, { capture: true, once: true });
    });
  }, STRATEGIES);
  await page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer: bytes });
  const times = await page.evaluate(() => window.opening);
  const shown = await page.locator(".document .file").textContent();
  if (shown !== name) throw new Error(`the page shows ${shown}`);
  const planning = await page.locator(".compare tbody tr").evaluateAll((rows) =>
    Object.fromEntries(rows.map((row) => [row.dataset.strategy, row.lastElementChild.textContent])),
  );
  return {
    first: times.first - times.start,
    all: times.end - times.start,
    tasks: times.tasks.map(({ start, ms }) => ({ start: start - times.start, ms })),
    planning,
  };
}

async function everyModel(browser) {
  console.log("\nOpening and planning in the page: milliseconds to the first plan, to all plans, each strategy");
  const files = [...samples(), ...fixtures(), ...models()];
  await visit(browser, null, async (page) => {
    for (const file of files) {
      try {
        const { first, all, tasks, planning } = await opened(page, file);
        report[file.name] = { first, all, planning };
        const slow = Object.entries(planning).map(([strategy, text]) => `${strategy} ${text}`).join(", ");
        const blocked = tasks.length > 0 ? ` · longest task ${Math.max(...tasks.map(({ ms }) => ms))}` : "";
        console.log(`  ${file.name.padEnd(56)} ${first.toFixed(0).padStart(6)} ${all.toFixed(0).padStart(6)}  ${slow}${blocked}`);
      } catch (error) {
        missing.push(file.name);
        console.log(`  ${file.name.padEnd(56)} NOT MEASURED: ${error.message}`);
      }
    }
  });
  const largest = files.find(({ name }) => LARGEST.test(name));
  if (largest) await blocked(browser, largest);
}

/** The longest task of the page's thread while a fresh page opens and plans `file`. */
async function blocked(browser, file) {
  console.log(`\nThe page's thread while ${file.name} opens and is planned`);
  const worst = [];
  for (let number = 0; number < 3; number += 1) {
    const { tasks } = await visit(browser, null, (page) => opened(page, file));
    for (const { start, ms } of tasks) console.log(`  a task of ${ms} ms, ${start.toFixed(0)} ms after the file was chosen`);
    worst.push(Math.max(0, ...tasks.map(({ ms }) => ms)));
  }
  row("longest_task_ms", median(worst), worst.every((ms) => ms === 0) ? "none above 50 ms" : "median of 3");
}

/** Frames and hovers by number of rectangles. */
async function frames(browser, renderer) {
  console.log(`\nFrames at 1280×720, ${renderer}: median, and the worst of 11; hovers: 95 of 100 answers, and the worst`);
  await visit(browser, null, async (page) => {
    for (const rectangles of SIZES) {
      const run = (asked) => window.arenascope_bench(asked);
      const drawn = await page.evaluate(run, { rectangles, renderer }).catch((error) => {
        console.log(`  NOT MEASURED: ${error.message}`);
        return { frame_ms: [], hover_ms: [], scattered_hover_ms: [] };
      });
      const worst = (numbers) => `worst ${figure(Math.max(...numbers))}`;
      row(`${renderer}_frame_${rectangles}_ms`, median(drawn.frame_ms), worst(drawn.frame_ms));
      if (renderer !== "raster") continue;
      const { hover_ms: hovers, scattered_hover_ms: scattered } = drawn;
      row(`raster_hover_${rectangles}_ms`, quantile(hovers, 0.95), worst(hovers));
      row(`raster_scattered_hover_${rectangles}_ms`, quantile(scattered, 0.95), worst(scattered));
    }
  });
}

const launch = (name) => chromium.launch({ executablePath: executable(), args: args[name] });

const raster = await launch("raster");
console.log("First visit");
await transferred(raster);
await firstPicture(raster, "first_picture_ms");
await everyModel(raster);
await frames(raster, "raster");
await raster.close();

// WebGPU here is a software GPU unless the machine lends the browser a real one.
const webgpu = await launch("webgpu");
console.log("\nFirst visit, with WebGPU");
await firstPicture(webgpu, "first_picture_webgpu_ms");
await frames(webgpu, "wgpu");
await webgpu.close();

const missed = Object.keys(BARS).filter((name) => report[name] > BARS[name]);
console.log(`\n${missed.length === 0 ? "Every bar is met" : `Missed: ${missed.join(", ")}`}`);
if (missing.length > 0) console.log(`Not measured: ${missing.join(", ")}`);
console.log(JSON.stringify(report));
process.exitCode = missing.length > 0 ? 1 : 0;
