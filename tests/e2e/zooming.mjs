// Zooming and panning: how long frames take, and what the page's thread works for each turn of the
// wheel, of the largest models that are here.

import { readFileSync } from "node:fs";
import { models } from "./models.mjs";
import { painted, worked } from "./thread_work.mjs";

const TURNS = 60;
const WANTED = [["gpt2", /^gpt2_128/], ["sd_unet", /^sd15_unet/]];

/** Milliseconds: frames while the wheel turns, and the thread's work for each turn. */
export const BARS = Object.fromEntries(
  ["raster", "wgpu"].flatMap((renderer) =>
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
    await page.addInitScript((name) => localStorage.setItem("arenascope.renderer", name), renderer);
    await page.goto(`${origin}${model.path ?? ""}`);
    await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 60_000 });
    if (model.file) {
      await page.locator("#file").setInputFiles({ name: model.file.name, mimeType: "application/octet-stream", buffer: readFileSync(model.file.path) });
      await page.waitForFunction((name) => document.querySelector(".document .file")?.title === name, model.file.name, { timeout: 60_000 });
      await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 240_000 });
    }
    const box = await page.locator(".pane .stage").last().boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.6);
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
    const frames = await turning(page);
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

/** Milliseconds between frames while the wheel turns in every one of them. */
function turning(page) {
  return page.evaluate(() => new Promise((done) => {
    const stages = document.querySelectorAll(".pane .stage");
    const stage = stages[stages.length - 1];
    const box = stage.getBoundingClientRect();
    const at = { clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.6 };
    const times = [];
    const frame = (time) => {
      times.push(time);
      if (times.length > 121) {
        done(times.slice(1).map((time, index) => time - times[index]));
        return;
      }
      const deltaY = times.length % 40 < 20 ? -60 : 60;
      stage.dispatchEvent(new WheelEvent("wheel", { ...at, deltaY, bubbles: true, cancelable: true }));
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }));
}
