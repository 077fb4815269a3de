// What moving from one plan to another costs: the frames while 1,000 rectangles fall into each
// other's bytes, as somebody sees it who opens a file for the first time.

const BUFFERS = 1_000;
/** Under this the page remembers that somebody saw it. */
const SEEN = "arenascope.introduction.seen";

/** Milliseconds from frame to frame. */
export const BARS = Object.fromEntries(
  ["raster", "software", "wgpu"].flatMap((renderer) => [
    [`${renderer}_move_${BUFFERS}_p95_ms`, 20],
    [`${renderer}_move_${BUFFERS}_worst_ms`, 20],
  ]),
);

const quantile = (numbers, share) => [...numbers].sort((a, b) => a - b)[Math.floor((numbers.length - 1) * share)] ?? NaN;

/** A thousand buffers that overlap in time, as a file. */
export function thousand() {
  const rows = Array.from({ length: BUFFERS }, (_, row) => {
    const lower = (row * 7) % 400;
    return `b${row},${lower},${lower + 1 + ((row * 13) % 40)},${1024 + ((row * 7919) % 60_000)}`;
  });
  return Buffer.from(["id,lower,upper,size", ...rows].join("\n"));
}

/** Frames while the plan without reuse becomes the best. */
export async function moving(browser, renderer, origin, row) {
  console.log(`\nMoving ${BUFFERS} rectangles from plan to plan, ${renderer}`);
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  try {
    const drawn = renderer === "software" ? "raster" : renderer;
    await page.addInitScript((name) => localStorage.setItem("arenascope.renderer", name), drawn);
    await page.goto(origin);
    await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 60_000 });
    await page.evaluate((seen) => {
      // As at the first visit: what a file begins with is seen once.
      localStorage.removeItem(seen);
      performance.clearMarks();
      window.frames = [];
      const frame = (time) => {
        window.frames.push(time);
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
    }, SEEN);
    await page.locator("#file").setInputFiles({ name: "moved.csv", mimeType: "text/csv", buffer: thousand() });
    const marked = () => performance.getEntriesByName("arenascope:moved").length > 0;
    await page.waitForFunction(marked, null, { timeout: 120_000 });
    const frames = await page.evaluate(() => {
      const at = (name) => performance.getEntriesByName(`arenascope:${name}`)[0].startTime;
      // A mark is set within its frame.
      const times = window.frames.filter((time) => time >= at("moving") - 20 && time <= at("moved"));
      return times.slice(1).map((time, index) => time - times[index]);
    });
    row(`${renderer}_move_${BUFFERS}_p95_ms`, quantile(frames, 0.95), `${frames.length} frames`);
    row(`${renderer}_move_${BUFFERS}_worst_ms`, Math.max(...frames), `above 20 ms: ${frames.filter((ms) => ms > 20).length}`);
  } catch (error) {
    console.log(`  NOT MEASURED: ${error.message}`);
    row(`${renderer}_move_${BUFFERS}_p95_ms`, NaN);
  } finally {
    await page.close();
  }
}
