// The page in Firefox: it opens, draws, and confirms a plan on Firefox's WebGPU; and where
// Firefox has none, the page says so and confirms on the CPU.
//
// Firefox is driven through WebDriver BiDi. The server must be running; its address is the
// only argument. Usage: node tests/e2e/firefox.mjs http://127.0.0.1:4373/

import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { showView } from "./tasks.mjs";

const origin = process.argv[2] ?? "http://127.0.0.1:8080/";
const SAMPLE = "blazeface";
/** A run on a software GPU, and the shaders' compilation before it. */
const PATIENCE = 90_000;

/** The installed Firefox: `FIREFOX`, or the first one on `PATH`. */
function executable() {
  if (process.env.FIREFOX) return process.env.FIREFOX;
  for (const name of ["firefox-esr", "firefox"]) {
    for (const folder of (process.env.PATH ?? "").split(delimiter)) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // Not here: the next folder.
      }
    }
  }
  throw new Error("no Firefox: install it (apt-get install firefox-esr) or name it in FIREFOX");
}

let [passed, failed, skipped] = [0, 0, 0];

/** Thrown by a check of what this Firefox cannot do. */
class Missing extends Error {}

/** One check: `test` throws, or returns words about what it saw. Answers whether it could be made. */
async function check(name, test) {
  const start = Date.now();
  try {
    const seen = await test();
    passed += 1;
    console.log(`  ok      ${name}: ${seen} (${Date.now() - start} ms)`);
  } catch (error) {
    if (error instanceof Missing) {
      skipped += 1;
      console.log(`  skipped ${name}: ${error.message}`);
      return false;
    }
    failed += 1;
    const cause = error.cause ? ` (${error.cause.message ?? error.cause})` : "";
    console.log(`  FAILED  ${name}: ${error.message}${cause}`);
  }
  return true;
}

function demand(holds, words) {
  if (!holds) throw new Error(words);
}

/** Firefox with these preferences and the page in it; `use` gets the page. */
async function visit(preferences, use) {
  const browser = await puppeteer.launch({
    browser: "firefox",
    protocol: "webDriverBiDi",
    executablePath: executable(),
    headless: true,
    defaultViewport: { width: 1280, height: 720 },
    extraPrefsFirefox: { "intl.locale.requested": "en-US", ...preferences },
  });
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(PATIENCE);
    const trouble = [];
    page.on("pageerror", (error) => trouble.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") trouble.push(message.text());
    });
    await page.goto(`${origin}#sample=${SAMPLE}`);
    await page.waitForSelector('body[data-ready="true"]');
    await use(page, await browser.version());
    await check("nothing was thrown or logged as an error", () => {
      demand(trouble.length === 0, trouble.join("; "));
      return "nothing";
    });
  } finally {
    await browser.close();
  }
}

/** How many different colours the first pane's picture has: one means that nothing is drawn. */
async function colors(page) {
  const stage = await page.waitForSelector(".pane .stage");
  const picture = await stage.screenshot({ encoding: "base64" });
  // The page's own policy forbids what follows; an empty page has none.
  const empty = await page.browser().newPage();
  const count = await empty.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return new Set(new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)).size;
  }, picture);
  await empty.close();
  return count;
}

async function drawn(page) {
  const count = await colors(page);
  demand(count > 4, `the picture has ${count} colours`);
  return `${count} colours`;
}

/** Waits for the verdict of a run; demands that it is confirmed, by this machine. */
async function confirmed(page, machine) {
  const verdict = await page.waitForSelector("[data-verdict]");
  const name = await verdict.evaluate((element) => element.dataset.verdict);
  const words = await verdict.evaluate((element) => element.innerText.replaceAll("\n", " "));
  demand(name === "confirmed", `${name}: ${words}`);
  demand(words.includes(`· ${machine}`), `not by the ${machine}: ${words}`);
  return words;
}

async function withWebGpu(page, version) {
  await check("the page opens and draws", async () => `${version}, ${await drawn(page)}`);
  const has = await check("WebGPU gives an adapter", async () => {
    const asked = page.evaluate(async () => (await navigator.gpu?.requestAdapter())?.limits.maxBufferSize);
    const limit = await asked.catch((error) => {
      // Older builds for Linux leave WebGPU out, whatever the preferences say.
      if (error.message.includes("not yet available in Release")) throw new Missing(`${version} has no WebGPU here`);
      throw error;
    });
    demand(limit > 0, "no adapter");
    return `buffers of up to ${limit} bytes`;
  });
  if (!has) return;
  await check("a plan is confirmed on the GPU, by a device in a worker", async () => {
    await showView(page, "run");
    await page.click("#run");
    return confirmed(page, "GPU");
  });
}

async function without(page) {
  await check("the page draws without WebGPU", () => drawn(page));
  await check("it says that there is none, and confirms on the CPU", async () => {
    await showView(page, "run");
    await page.click("#run");
    await page.waitForSelector(".no-gpu");
    await page.click("#run-cpu");
    return confirmed(page, "CPU");
  });
}

/** A file of one's own comes back after a reload, from a service worker. */
async function reloaded(page) {
  await check("a reload brings a file of one's own back", async () => {
    const model = fileURLToPath(new URL("../../public/samples/mobilenet_v2.onnx", import.meta.url));
    const input = await page.$("#file");
    await input.uploadFile(model);
    // Not waitForFunction: older releases make a function of text, which the page's policy forbids.
    const open = async () => {
      const shown = () => page.evaluate(() => document.querySelector(".document .file")?.textContent);
      const end = Date.now() + PATIENCE;
      while ((await shown()) !== "mobilenet_v2.onnx") {
        demand(Date.now() < end, `the page shows ${await shown()}`);
        await setTimeout(100);
      }
    };
    await open();
    await page.reload();
    await page.waitForSelector('body[data-ready="true"]');
    await open();
    const notice = await page.$(".notice");
    demand(!notice, await notice?.evaluate((it) => it.textContent));
    return "mobilenet_v2.onnx";
  });
}

console.log("Firefox with WebGPU");
// Off by default in releases for Linux; drivers on a list of Firefox's own are refused.
await visit({ "dom.webgpu.enabled": true, "gfx.webgpu.ignore-blocklist": true }, withWebGpu);
console.log("Firefox without WebGPU");
await visit({ "dom.webgpu.enabled": false }, async (page) => {
  await without(page);
  await reloaded(page);
});

// In the form that tests/run adds up.
console.log(`  ${passed} passed`);
if (skipped > 0) console.log(`  ${skipped} skipped`);
if (failed > 0) console.log(`  ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
