// What a run costs in the page: the audited run over a plain one, and the longest time between two
// frames of the page while the GPU is at work.

import { readFileSync } from "node:fs";

/** Samples that run, by their names in links. */
const SAMPLES = ["blazeface", "mobilenet_v2", "densenet"];
/** Confirmations of each; the first one compiles. */
const CONFIRMATIONS = 4;

export const BARS = Object.fromEntries(
  SAMPLES.flatMap((name) => [
    [`audit_over_${name}_percent`, 60],
    [`run_frame_${name}_ms`, 100],
  ]),
);

/** Starts to note the times between frames; the answer stops it and tells the longest. */
function watched() {
  let [last, longest, on] = [performance.now(), 0, true];
  const frame = (now) => {
    longest = Math.max(longest, now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  window.frames_of_run = () => ((on = false), longest);
}

async function confirmed(page) {
  await page.evaluate(watched);
  await page.locator("#run").click();
  await page.locator(".going").waitFor();
  await page.locator(".going").waitFor({ state: "detached", timeout: 300_000 });
  const longest = await page.evaluate(() => window.frames_of_run());
  const download = page.waitForEvent("download");
  await page.locator('[data-take="json"]').click();
  const { runs } = JSON.parse(readFileSync(await (await download).path(), "utf8"));
  const [run] = runs;
  if (run.verdict !== "confirmed") throw new Error(`${run.plan}: ${run.verdict}`);
  return { longest, plain: Math.min(...run.runs.map(({ ms }) => ms)), audit: run.audit_ms };
}

/** Measures each sample in a fresh page of `browser`. */
export async function running(browser, origin, row) {
  console.log(`\nRuns on the GPU: the audited run over a plain one, fastest of ${CONFIRMATIONS}; the longest time between two frames`);
  for (const name of SAMPLES) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    try {
      await page.goto(new URL(`/#sample=${name}&tab=run`, origin).href);
      await page.waitForSelector('body[data-ready="true"]', { state: "attached" });
      await page.locator("#run-reference").uncheck();
      const all = [];
      for (let number = 0; number < CONFIRMATIONS; number += 1) all.push(await confirmed(page));
      const least = (key) => Math.min(...all.map((run) => run[key]));
      const [plain, audit] = [least("plain"), least("audit")];
      row(`audit_over_${name}_percent`, (audit / plain - 1) * 100, `${audit.toFixed(1)} ms over ${plain.toFixed(1)} ms`);
      const longest = all.slice(1).map((run) => run.longest);
      row(`run_frame_${name}_ms`, Math.max(...longest), `first run, with compiling: ${all[0].longest.toFixed(0)} ms`);
    } catch (error) {
      console.log(`  ${name} NOT MEASURED: ${error.message.split("\n")[0]}`);
      row(`audit_over_${name}_percent`, NaN);
      row(`run_frame_${name}_ms`, NaN);
    } finally {
      await context.close();
    }
  }
}
