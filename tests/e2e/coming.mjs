// How a page comes: what moves while it does, and how long the first visit of each task takes.

import { painted } from "./thread_work.mjs";

const SIZES = [[1440, 900], [390, 844]];
const TASKS = ["compare", "explain", "change", "train", "run", "data"];
const SAMPLES = ["blazeface", "transformer"];
const VISITS = 5;

/** A share of the window times a share of its height; milliseconds from the click until it is painted. */
export const BARS = {
  ...Object.fromEntries(SIZES.map(([width, height]) => [`shift_${width}x${height}`, 0.02])),
  ...Object.fromEntries(SAMPLES.flatMap((sample) => TASKS.map((task) => [`visit_${sample}_${task}_ms`, 100]))),
};

const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

async function visited(browser, size, path, work) {
  const context = await browser.newContext({ viewport: { width: size[0], height: size[1] } });
  const page = await context.newPage();
  try {
    return await work(page, async () => {
      await page.goto(path);
      await page.waitForSelector('body[data-parts="true"]', { state: "attached" });
      await page.waitForSelector('body[data-ready="true"]', { state: "attached" });
    });
  } finally {
    await context.close();
  }
}

/** What moves while the first sample is opened, and which task takes how long. */
export async function coming(browser, origin, row) {
  console.log("\nLayout shifts that nobody caused, and the first visit of each task, fetched ahead");
  for (const size of SIZES) {
    const sum = await visited(browser, size, origin, async (page, open) => {
      await page.addInitScript(() => {
        window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
        }).observe({ type: "layout-shift", buffered: true });
      });
      await open();
      return page.evaluate(() => window.shifted);
    });
    row(`shift_${size.join("x")}`, sum);
  }
  for (const sample of SAMPLES) {
    for (const task of TASKS) {
      const times = [];
      for (let visit = 0; visit < VISITS; visit += 1) {
        times.push(await visited(browser, SIZES[0], `${origin}#sample=${sample}`, async (page, open) => {
          // Closed: the task is made when it is asked for.
          await page.addInitScript(() => {
            const layout = { document: { open: true }, inspector: { open: true }, sheet: { open: false } };
            localStorage.setItem("arenascope.layout", JSON.stringify(layout));
          });
          await open();
          await painted(page, "still");
          return page.evaluate(shown, `#task-${task}`);
        }));
      }
      row(`visit_${sample}_${task}_ms`, median(times), `worst of ${VISITS} ${Math.max(...times).toFixed(0)}`);
    }
  }
}

/** Runs in the page: milliseconds from the click on a tab until what it shows is painted. */
function shown(tab) {
  return new Promise((done) => {
    const start = performance.now();
    document.querySelector(tab).click();
    const look = () => requestAnimationFrame(() => {
      const sheet = document.querySelector(".sheet");
      const there = sheet?.childElementCount > 0 && !sheet.querySelector(".arriving");
      // What comes after a frame's own work was painted.
      const channel = new MessageChannel();
      channel.port1.onmessage = () => (there ? done(performance.now() - start) : look());
      channel.port2.postMessage(0);
    });
    look();
  });
}
