// Zooming and panning: how long frames take, and what the page's thread works for each turn of the
// wheel, of the largest models that are here.

import { readFileSync } from "node:fs";
import { models } from "./models.mjs";
import { painted, worked } from "./thread_work.mjs";

const TURNS = 60;
const WANTED = [["gpt2", /^gpt2_128/], ["sd_unet", /^sd15_unet/]];

/** Milliseconds: frames while the wheel turns, and the thread's work for each turn. */
export const BARS = Object.fromEntries(
  ["raster", "software", "wgpu"].flatMap((renderer) =>
    ["transformer", ...WANTED.map(([name]) => name)].flatMap((name) => [
      [`${renderer}_zoom_${name}_frame_ms`, 17],
      [`${renderer}_zoom_${name}_frame_p95_ms`, 34],
      [`${renderer}_zoom_${name}_work_ms`, 8],
    ]),
  ),
);

const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const quantile = (numbers, share) => sorted(numbers)[Math.floor((numbers.length - 1) * share)] ?? NaN;

export async function zooming(browser, renderer, origin, row) {
  console.log(`\nZooming and panning, ${renderer}: frames, and the thread's work for each turn of the wheel`);
  const files = models().filter(({ name }) => WANTED.some(([, pattern]) => pattern.test(name)));
  const all = [{ name: "transformer", path: "#sample=transformer" }];
  for (const [name, pattern] of WANTED) {
    const file = files.find((file) => pattern.test(file.name));
    if (file) all.push({ name, file });
    else console.log(`  SKIPPED: ${name}, which is not here`);
  }
  for (const model of all) await one(browser, renderer, origin, row, model);
}

async function one(browser, renderer, origin, row, model) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  try {
    const drawn = renderer === "software" ? "raster" : renderer;
    await page.addInitScript((name) => localStorage.setItem("arenascope.renderer", name), drawn);
    await page.goto(`${origin}${model.path ?? ""}`);
    await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 60_000 });
    if (model.file) {
      await page.locator("#file").setInputFiles({ name: model.file.name, mimeType: "application/octet-stream", buffer: readFileSync(model.file.path) });
      await page.waitForFunction((name) => document.querySelector(".document .file")?.title === name, model.file.name, { timeout: 60_000 });
      await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 240_000 });
    }
    const box = await page.locator(".pane .stage").last().boundingBox();
    const at = { x: box.x + box.width * 0.6, y: box.y + box.height * 0.6 };
    await page.mouse.move(at.x, at.y);
    await page.waitForTimeout(500);
    await browser.startTracing(page, { categories: ["toplevel", "blink.user_timing"] });
    await painted(page, "rest");
    for (let turn = 0; turn < TURNS; turn += 1) await painted(page, "rested");
    for (let turn = 0; turn < TURNS; turn += 1) {
      // In for a while, then out; panning by the wheel's other axis is the same way.
      await page.mouse.wheel(0, turn % 20 < 10 ? -120 : 120);
      await painted(page, "turned");
    }
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
    const work = worked(traceEvents, ["rest", "rested", "turned"]);
    const rest = quantile(work.rested, 0.5);
    const own = work.turned.map((ms) => ms - rest);
    const frames = await turning(page, at);
    const name = `${renderer}_zoom_${model.name}`;
    row(`${name}_work_ms`, quantile(own, 0.5), `95 of 100: ${quantile(own, 0.95).toFixed(1)}`);
    row(`${name}_frame_ms`, quantile(frames, 0.5));
    row(`${name}_frame_p95_ms`, quantile(frames, 0.95), `worst ${Math.max(...frames).toFixed(0)}`);
  } catch (error) {
    console.log(`  NOT MEASURED: ${model.name}: ${error.message}`);
    row(`${renderer}_zoom_${model.name}_work_ms`, NaN);
  } finally {
    await page.close();
  }
}

/** Milliseconds between frames while the wheel turns, as a mouse turns it, and while it drags. */
async function turning(page, { x, y }) {
  await page.evaluate(() => {
    window.frameTimes = [];
    const frame = (time) => {
      window.frameTimes.push(time);
      window.watched = requestAnimationFrame(frame);
    };
    window.watched = requestAnimationFrame(frame);
  });
  for (let turn = 0; turn < 2 * TURNS; turn += 1) await page.mouse.wheel(0, turn % 20 < 10 ? -120 : 120);
  await page.mouse.down();
  for (let move = 0; move < 2 * TURNS; move += 1) {
    const way = move % 40 < 20 ? move % 20 : 20 - (move % 20);
    await page.mouse.move(x + way * 6, y + way * 2);
  }
  await page.mouse.up();
  const times = await page.evaluate(() => {
    cancelAnimationFrame(window.watched);
    return window.frameTimes;
  });
  return times.slice(1).map((time, index) => time - times[index]);
}
