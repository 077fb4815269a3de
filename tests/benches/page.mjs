// Two engines in the page: ONNX Runtime Web in a worker that is served beside the page's own
// files, and ours in the page's runner. Both workers begin with the same observer of WebGPU.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { args, chromium, executable } from "../e2e/chromium.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const OBSERVER = join(here, "../e2e/gpu_buffers.mjs");
const FILES = "peer-files";
/** Milliseconds after which a visit has hung: the longest takes two minutes on a busy machine. */
const PATIENCE = 360_000;

/** Which file answers for a path under /peers/. */
function file(path) {
  if (path === "gpu_buffers.mjs") return OBSERVER;
  const [folder, name] = path.split("/");
  return folder === "ort" ? join(here, "node_modules/onnxruntime-web/dist", name) : join(here, path);
}

/** The page in a browser of its own, so that nothing of another run is on the GPU. */
async function visit(origin, use) {
  const browser = await chromium.launch({ executablePath: executable(), args: args.webgpu });
  let late = false;
  const alarm = setTimeout(() => {
    late = true;
    void browser.close();
  }, PATIENCE);
  try {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(0);
    await page.route("**/peers/**", (route) => {
      const [, path] = new URL(route.request().url()).pathname.split("/peers/");
      return route.fulfill({ path: file(path) });
    });
    await page.route("**/runner_loader.js", async (route) => {
      const response = await route.fetch();
      const body = `${readFileSync(OBSERVER, "utf8")}\n${await response.text()}`;
      await route.fulfill({ response, body });
    });
    await page.goto(origin);
    await page.waitForSelector('body[data-ready="true"]', { state: "attached" });
    return await use(page);
  } catch (error) {
    throw late ? new Error(`nothing came back within ${PATIENCE / 1000} s`) : error;
  } finally {
    clearTimeout(alarm);
    await browser.close();
  }
}

/** Has a model and the file of its inputs at hand in the page, without a copy in this process. */
async function hand(page, paths) {
  await page.evaluate((id) => {
    const input = Object.assign(document.createElement("input"), { id, type: "file", multiple: true });
    document.body.append(input);
  }, FILES);
  await page.locator(`#${FILES}`).setInputFiles(paths);
}

/**
 * Runs a model in ONNX Runtime Web: milliseconds of each run, bytes of activations and the
 * elements of every output.
 */
export function theirs(origin, model, { optimisation, runs }) {
  return visit(origin, async (page) => {
    await hand(page, model.paths);
    return page.evaluate(
      ({ files, inputs, optimisation, runs }) =>
        new Promise((resolve, reject) => {
          const [model, elements] = document.getElementById(files).files;
          const feeds = inputs.map(({ name, dims, range: [start, bytes] }) => {
            return { name, dims, data: elements.slice(start, start + bytes) };
          });
          const worker = new Worker("/peers/peer_worker.mjs", { type: "module" });
          worker.onerror = ({ message }) => reject(new Error(message));
          worker.onmessage = ({ data }) => {
            if (data === "ready") worker.postMessage({ model, feeds, optimisation, runs });
            else if (data.error) reject(new Error(data.error));
            else resolve(data.done);
          };
        }),
      { files: FILES, inputs: model.inputs, optimisation, runs },
    );
  });
}

/** The same in our runner, planned by `strategy`; also the buffers of its ledger. */
export function ours(origin, model, { strategy, fuse, runs }) {
  return visit(origin, async (page) => {
    await hand(page, model.paths);
    const done = await page.evaluate(
      async ({ files, inputs, strategy, fuse, runs }) => {
        const [model, elements] = document.getElementById(files).files;
        const feeds = inputs.map(async ({ range: [start, bytes] }) => {
          return new Uint8Array(await elements.slice(start, start + bytes).arrayBuffer());
        });
        const outputs = await window.arenascope_execute({
          model: new Uint8Array(await model.arrayBuffer()),
          inputs: await Promise.all(feeds),
          machine: "gpu",
          strategy,
          fuse,
          runs,
        });
        const floats = ({ name, bytes }) => [name, [...new Float32Array(bytes.buffer)]];
        const { times, ledger } = outputs;
        return { times, ledger, outputs: Object.fromEntries(outputs.map(floats)) };
      },
      { files: FILES, inputs: model.inputs, strategy, fuse, runs },
    );
    const worker = page.workers().find((worker) => worker.url().endsWith("runner_loader.js"));
    const seen = await worker.evaluate(() => ({ ...gpuBuffers.read(), created: gpuBuffers.created() }));
    const sum = (wanted) => seen.created.filter(wanted).reduce((sum, { size }) => sum + size, 0);
    // Weights live as long as the device; whatever else is STORAGE is activations.
    const weights = sum(({ label }) => label === "weights");
    const arena = sum(({ label }) => label === "arena");
    return { ...done, peak: seen.peak.total, weights, arena, activations: seen.peak.storage - weights, created: seen.created };
  });
}
