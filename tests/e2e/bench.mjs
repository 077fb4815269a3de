// What the page costs in a browser: bytes until the first picture, time to it, time to open each
// part of the page, time to open and plan each model, time to the verdict on the best plan, frames,
// hovers, plans that move, zooming and panning, how long the page was ever blocked, and what runs on
// the GPU cost.
// Prints tables with the bar of each figure, and leaves all figures in tests/.cache/bench.json.
//
// The server must be running; its address is the only argument. A missed bar is printed; the
// exit code is 1 only when something could not be measured.

import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { args, executable } from "./chromium.mjs";
import { BARS as COMING_BARS, coming } from "./coming.mjs";
import { MOST, brotli, fetched } from "./first_load.mjs";
import { fixtures, models, samples } from "./models.mjs";
import { BARS as MOVING_BARS, moving, thousand } from "./moving.mjs";
import { largeSnapshots, snapshots } from "./snapshots.mjs";
import { painted, worked } from "./thread_work.mjs";
import { BARS as RUN_BARS, running } from "./running.mjs";
import { BARS as ZOOM_BARS, zooming } from "./zooming.mjs";
import { showView, steps } from "./tasks.mjs";

const origin = process.argv[2] ?? "http://127.0.0.1:8080/";
const VISITS = 7;
const SIZES = [10_000, 100_000, 1_000_000];
/** The model with the most tensors: while it is planned, the page must stay alive. */
const LARGEST = /^sd15_unet/;

// What is allowed: bytes, and milliseconds at 1280×720.
const BARS = {
  first_load_bytes: MOST,
  open_waste_ahead_ms: 150,
  open_film_ahead_ms: 150,
  open_differences_ahead_ms: 150,
  open_run_ahead_ms: 150,
  open_operators_ahead_ms: 150,
  open_tensors_ahead_ms: 150,
  open_waste_asked_ms: 150,
  open_film_asked_ms: 150,
  open_differences_asked_ms: 150,
  open_run_asked_ms: 150,
  open_operators_asked_ms: 150,
  open_tensors_asked_ms: 150,
  first_picture_ms: 400,
  longest_task_ms: 50,
  longest_task_work_ms: 50,
  raster_frame_100000_ms: 15,
  raster_frame_1000000_ms: 150,
  raster_hover_1000000_ms: 4,
  raster_scattered_hover_1000000_ms: 4,
  drag_1000_ms: 16,
  drag_1000_p95_ms: 16,
  drop_1000_ms: 16,
  wgpu_drag_1000_ms: 16,
  wgpu_drag_1000_p95_ms: 16,
  wgpu_drop_1000_ms: 16,
  ...COMING_BARS,
  ...MOVING_BARS,
  ...ZOOM_BARS,
  ...RUN_BARS,
  best_verdict_ms: 1_000,
  snapshot_20000_picture_ms: 1_000,
  snapshot_300MB_ready_ms: 15_000,
  snapshot_1500MB_tab_peak_mib: 1_907,
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
async function visit(browser, before, after, path = "") {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  try {
    await before?.(page);
    await page.goto(new URL(path, origin).href);
    await page.waitForSelector('body[data-ready="true"]', { state: "attached" });
    await page.waitForLoadState("networkidle");
    return await after(page);
  } finally {
    await context.close();
  }
}

/** Every file that is fetched, as a server with brotli would send it; what is fetched only after
 * the first picture is not counted. */
async function transferred(browser) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const all = await fetched(await context.newPage(), origin, async (page) => {
    await page.waitForSelector('body[data-parts="true"]', { state: "attached" });
    await page.waitForLoadState("networkidle");
  });
  await context.close();
  const files = all.map((file) => ({ ...file, bytes: brotli(file.body) }));
  for (const { name, early, body, bytes } of files.sort((a, b) => b.bytes - a.bytes)) {
    const when = early ? "" : "  after the first picture";
    console.log(`  ${name.padEnd(36)} ${String(bytes).padStart(10)}  of ${body.length}${when}`);
  }
  const sum = (files) => files.reduce((sum, file) => sum + file.bytes, 0);
  row("first_load_bytes", sum(files.filter(({ early }) => early)), "brotli, until the first picture");
  row("later_load_bytes", sum(files.filter(({ early }) => !early)), "brotli, fetched ahead afterwards");
}

/** What is opened, and what is seen of it then. */
const OPENED = [
  ["waste", ".sheet .waste"],
  ["film", ".sheet .film"],
  ["differences", ".sheet .differences"],
  ["run", ".sheet .run"],
  ["operators", ".sheet table:not(.compare *, .compare)"],
  ["tensors", ".sheet table:not(.compare *, .compare)"],
];

/** Milliseconds from the choice of a tab until it is shown: fetched ahead, and not. */
async function parts(browser) {
  console.log("\nOpening a part: milliseconds from the click until it is shown, median of 3 visits");
  const open = ([clicks, seen]) =>
    new Promise((done) => {
      let start;
      const look = () => {
        // A view's own tab is there once its task is shown; from the last click on it counts.
        const next = document.querySelector(clicks[0]);
        if (next) {
          clicks.shift();
          start = performance.now();
          next.click();
        }
        if (clicks.length) return;
        if (!document.querySelector(seen) || document.querySelector(".sheet .arriving")) return;
        watch.disconnect();
        done(performance.now() - start);
      };
      const watch = new MutationObserver(look);
      watch.observe(document.body, { childList: true, subtree: true });
      look();
    });
  for (const [kind, ahead] of [["ahead", true], ["asked", false]]) {
    for (const what of OPENED) {
      const times = [];
      for (let number = 0; number < 3; number += 1) {
        const before = async (page) => ahead || page.route(/app_split_(?!controls)/, (route) => route.abort());
        times.push(await visit(browser, before, async (page) => {
          await page.unrouteAll();
          return page.evaluate(open, [steps(what[0]), what[1]]);
        }));
      }
      row(`open_${what[0]}_${kind}_ms`, median(times));
    }
  }
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
 * Opens a file through the file button. Answers with milliseconds from choosing it to its first
 * plan, to the verdict on the best plan (the page says that nothing can be smaller, because the
 * bound is met or the exact search has proved it; NaN if it never does) and to its last plan; what
 * each strategy took by the page's own clock; and the longest tasks of the page's thread meanwhile
 * (the browser reports those above 50 ms).
 */
async function opened(page, { name, path }) {
  // The table of plans, which low windows leave closed.
  const table = page.locator(".compare");
  if (!(await table.isVisible())) await showView(page, "compare");
  await table.waitFor();
  await page.evaluate((name) => {
    const times = { tasks: [] };
    const input = document.querySelector("#file");
    const tasks = new PerformanceObserver((list) => {
      for (const task of list.getEntries()) times.tasks.push({ start: task.startTime, ms: task.duration });
    });
    tasks.observe({ entryTypes: ["longtask"] });
    window.opening = new Promise((done) => {
      input.addEventListener("change", () => {
        times.start = performance.mark("chosen").startTime;
        let busy = false;
        const look = () => {
          const ready = document.body.dataset.ready === "true";
          busy ||= !ready;
          if (!busy) return;
          // While the file is read, the rows are those of the file before.
          if (document.querySelector(".document .file")?.textContent === name) {
            if (document.querySelector(".compare tbody [data-bytes]")) times.first ??= performance.now();
            const badges = [...document.querySelectorAll('.compare tr[data-strategy="best"] .badge')];
            const settled = badges.some((badge) => badge.matches(".optimal") || /^Bound met/.test(badge.textContent));
            if (settled) times.verdict ??= performance.now();
          }
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
  }, name);
  await page.locator("#file").setInputFiles(path);
  const times = await page.evaluate(() => window.opening);
  const shown = await page.locator(".document .file").textContent();
  if (shown !== name) throw new Error(`the page shows ${shown}`);
  const planning = await page.locator(".compare tbody tr[data-strategy]").evaluateAll((rows) =>
    Object.fromEntries(rows.map((row) => [row.dataset.strategy, row.lastElementChild.textContent])),
  );
  for (const [strategy, text] of Object.entries(planning)) {
    // Above some number of buffers the slow ones wait until they are asked for.
    if (text.trim() === "") delete planning[strategy];
    else planning[strategy] = milliseconds(text);
  }
  return {
    first: times.first - times.start,
    verdict: (times.verdict ?? NaN) - times.start,
    all: times.end - times.start,
    // What the page did before is not about this file.
    tasks: times.tasks.filter(({ start }) => start >= times.start).map(({ start, ms }) => ({ start: start - times.start, ms })),
    planning,
  };
}

/** What the page shows as "1.2 ms", "< 0.1 ms" or "1.05 s"; NaN for anything else. */
function milliseconds(text) {
  const [, number, unit] = /^(?:[<≤] ?)?([\d.]+) (ms|s)$/.exec(text) ?? [];
  return Number(number) * (unit === "s" ? 1000 : 1);
}

const cells = (texts) => texts.map((text) => String(text).padStart(8)).join("");

/** The slowest of some strategies, in words. */
function slowest(planning) {
  const [strategy, ms] = Object.entries(planning).reduce((known, next) => (next[1] > known[1] ? next : known));
  return `${strategy} ${figure(ms)}`;
}

async function everyModel(browser) {
  const bar = BARS.best_verdict_ms;
  console.log("\nOpening and planning in the page: milliseconds from the choice of the file to the first plan, to the");
  console.log(`verdict on the best plan (bar ${bar}), to all plans; the strategies planned unasked, and the slowest of them`);
  console.log(`  ${"file".padEnd(62)}${cells(["first", "best", "all", "plans"])}`);
  const files = [...samples(), ...fixtures(), ...models()];
  const alone = {};
  const verdicts = [];
  // The pane of the best plan is in view, so that it is planned whatever the number of buffers.
  await visit(browser, null, async (page) => {
    for (const file of files) {
      try {
        const { first, verdict, all, tasks, planning } = await opened(page, file);
        report[file.name] = { first, verdict, all, planning };
        const times = Object.values(planning);
        if (!(planning.best >= 0) || times.includes(NaN)) throw new Error(`times are ${JSON.stringify(planning)}`);
        for (const [strategy, ms] of Object.entries(planning)) (alone[strategy] ??= []).push(ms);
        // A problem that is no model may stay open.
        const model = !file.name.endsWith(".csv");
        if (model) verdicts.push(verdict);
        const judged = verdict <= bar ? "pass" : model ? "MISS" : "open";
        const long = tasks.length > 0 ? `  a task of ${Math.max(...tasks.map(({ ms }) => ms))} ms` : "";
        const texts = [first, verdict, all].map((ms) => (Number.isNaN(ms) ? "-" : ms.toFixed(0)));
        console.log(`  ${file.name.padEnd(62)}${cells([...texts, times.length])}  ${judged}  ${slowest(planning)}${long}`);
      } catch (error) {
        missing.push(file.name);
        console.log(`  ${file.name.padEnd(56)} NOT MEASURED: ${error.message}`);
      }
    }
  });
  // One model without a verdict misses the bar.
  const worst = verdicts.includes(NaN) ? Infinity : Math.max(...verdicts);
  const met = verdicts.filter((ms) => ms <= bar).length;
  row("best_verdict_ms", worst === Infinity ? Number.MAX_SAFE_INTEGER : worst, `the slowest; ${met} of ${verdicts.length} models meet it`);
  console.log("\nEach strategy over these files, by the page's own clock: milliseconds, median and worst");
  for (const [strategy, times] of Object.entries(alone)) {
    console.log(`  ${strategy.padEnd(36)}${cells([median(times).toFixed(1), Math.max(...times).toFixed(1), `${times.length} files`])}`);
  }
  const largest = files.find(({ name }) => LARGEST.test(name));
  if (largest) await blocked(browser, largest);
  else console.log("\nSKIPPED: how long the page's thread is blocked, because the shared SD-UNet is not here");
}

/**
 * The longest task of the page's thread while a fresh page opens and plans `file`: by the
 * clock, and what of it the thread worked, which other programs on the machine do not change.
 */
async function blocked(browser, file) {
  console.log(`\nThe page's thread while ${file.name} opens and is planned: longest task`);
  const [clock, work] = [[], []];
  for (let number = 0; number < VISITS; number += 1) {
    const tasks = await visit(browser, null, async (page) => {
      await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
      await opened(page, file);
      return pageTasks(JSON.parse((await browser.stopTracing()).toString()).traceEvents);
    });
    clock.push(Math.max(...tasks.map(({ dur }) => dur / 1000)));
    work.push(Math.max(...tasks.map(({ tdur }) => tdur / 1000)));
  }
  row("longest_task_ms", median(clock), `median of ${VISITS} visits, worst ${figure(Math.max(...clock))}`);
  row("longest_task_work_ms", median(work), `of the thread, worst ${figure(Math.max(...work))}`);
}

/** The tasks, in microseconds, of the thread that marked the choice of the file, after that. */
function pageTasks(events) {
  const chosen = events.find(({ name }) => name === "chosen");
  if (!chosen) throw new Error("the trace does not show when the file was chosen");
  const here = ({ pid, tid, ts, dur = 0 }) => pid === chosen.pid && tid === chosen.tid && ts + dur > chosen.ts;
  return events.filter((event) => /RunTask$/.test(event.name) && event.tdur !== undefined && here(event));
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

/** A point of the first picture with a rectangle under it. */
async function rectangle(page) {
  const box = await page.locator(".stage").first().boundingBox();
  for (let tried = 0; tried < 60; tried += 1) {
    const x = box.x + box.width * (0.3 + 0.4 * ((tried * 0.618) % 1));
    const y = box.y + box.height * (0.35 + 0.01 * tried);
    await page.mouse.move(x, y);
    await painted(page, "pointed");
    // A hole has a card, too.
    const card = page.locator(".stage .card").first();
    if ((await card.isVisible()) && !(await card.textContent()).startsWith("Free")) return [x, y];
  }
  throw new Error("no rectangle is found");
}

/**
 * What the page's thread works from a move of a held rectangle among 1,000 until it is painted:
 * snapping, who is in the way, arena and gap, and the picture. The same for letting it go: the
 * judge, the new picture, the tables. What the thread works for two frames without a move is
 * taken off; other programs on the machine do not change either.
 */
async function dragging(browser, renderer) {
  console.log(`\nA rectangle is dragged among 1,000 buffers, ${renderer}: the thread's work, median and 95 of 100`);
  const MOVES = 100;
  const DROPS = 11;
  await visit(browser, (page) => page.addInitScript((name) => localStorage.setItem("arenascope.renderer", name), renderer), async (page) => {
    await page.locator("#file").setInputFiles({ name: "dragged.csv", mimeType: "text/csv", buffer: thousand() });
    await page.waitForFunction(() => document.querySelector(".document .file")?.textContent === "dragged.csv");
    await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 240_000 });
    const [x, y] = await rectangle(page);
    const take = async (name) => {
      await page.mouse.move(x, y);
      await page.keyboard.down("Shift");
      await page.mouse.down();
      await page.mouse.move(x, y - 10, { steps: 3 });
      await painted(page, name);
      if (!(await page.locator(".pane .outlook").first().isVisible())) throw new Error("no rectangle is held");
    };
    await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
    await painted(page, "rest");
    for (let move = 0; move < MOVES; move += 1) await painted(page, "rested");
    await take("held");
    for (let move = 1; move <= MOVES; move += 1) {
      await page.mouse.move(x, y - 10 - (move % 50));
      await painted(page, "dragged");
    }
    for (let drop = 0; drop < DROPS; drop += 1) {
      await page.mouse.up();
      await painted(page, "dropped");
      await page.keyboard.up("Shift");
      await page.keyboard.press("Control+z");
      await take("held");
    }
    await page.mouse.up();
    await page.keyboard.up("Shift");
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const work = worked(traceEvents, ["rest", "rested", "held", "dragged", "dropped"]);
    const rest = median(work.rested);
    for (const [name, key] of [["drag", "dragged"], ["drop", "dropped"]]) {
      const own = work[key].map((ms) => ms - rest);
      const prefix = renderer === "raster" ? name : `${renderer}_${name}`;
      row(`${prefix}_1000_ms`, median(own), `${own.length} times, worst ${figure(Math.max(...own))}`);
      row(`${prefix}_1000_p95_ms`, quantile(own, 0.95));
    }
  }).catch((error) => {
    console.log(`  NOT MEASURED: ${error.message}`);
    row(`${renderer}_drag_1000_ms`, NaN);
  });
}

const launch = (name) => chromium.launch({ executablePath: executable(), args: args[name] });

console.log(`${availableParallelism()} cores, ${loadavg()[0].toFixed(1)} programs running: above the cores, times are too long`);
const raster = await launch("raster");
console.log("\nFirst visit");
await transferred(raster);
await firstPicture(raster, "first_picture_ms");
await coming(raster, origin, row);
await parts(raster);
await everyModel(raster);
await snapshots(raster, origin, row);
await largeSnapshots(() => launch("raster"), origin, row);
await frames(raster, "raster");
await dragging(raster, "raster");
await moving(raster, "raster", origin, row);
await zooming(raster, "raster", origin, row);
await raster.close();

// A GPU that is a program composes what the raster renderer draws.
const software = await launch("software");
await moving(software, "software", origin, row);
await zooming(software, "software", origin, row);
await software.close();

// WebGPU here is a software GPU unless the machine lends the browser a real one.
const webgpu = await launch("webgpu");
console.log("\nFirst visit, with WebGPU");
await firstPicture(webgpu, "first_picture_webgpu_ms");
await frames(webgpu, "wgpu");
await dragging(webgpu, "wgpu");
await moving(webgpu, "wgpu", origin, row);
await zooming(webgpu, "wgpu", origin, row);
await running(webgpu, origin, row);
await webgpu.close();

const missed = Object.keys(BARS).filter((name) => report[name] > BARS[name]);
console.log(`\n${missed.length === 0 ? "Every bar is met" : `Missed: ${missed.join(", ")}`}`);
if (missing.length > 0) console.log(`Not measured: ${missing.join(", ")}`);
const cache = fileURLToPath(new URL("../.cache/", import.meta.url));
mkdirSync(cache, { recursive: true });
writeFileSync(`${cache}bench.json`, JSON.stringify(report, null, 1));
process.exitCode = missing.length > 0 ? 1 : 0;
