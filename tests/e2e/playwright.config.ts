import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import { args, executable } from "./chromium.mjs";

// Another port, when something else of ours runs beside this.
const port = Number(process.env.ARENASCOPE_PORT ?? 4173);
const origin = `http://127.0.0.1:${port}`;

const needsGpu = [
  "renderers.spec.ts",
  "run_device.spec.ts",
  "ledger.spec.ts",
  "node_cases.spec.ts",
  "quantised.spec.ts",
];

// What these ask is answered in words, figures and files, which are the same whoever draws:
// once is enough, without the software GPU, which costs a third of a test's time. Whatever
// asks for a picture, a place in it or a run on the GPU is asked of both. In the other files the
// tests of this kind are tagged with `words`.
const wordsOnly = [
  "advice.spec.ts",
  "cases.spec.ts",
  "chinese.spec.ts",
  "counted.spec.ts",
  "debugging_story.spec.ts",
  "deployed.spec.ts",
  "design.spec.ts",
  "determinism.spec.ts",
  "differences.spec.ts",
  "dump_worker.spec.ts",
  "dumps.spec.ts",
  "every_view.spec.ts",
  "exact.spec.ts",
  "files.spec.ts",
  "film_words.spec.ts",
  "first_lesson.spec.ts",
  "first_sight.spec.ts",
  "graph_text.spec.ts",
  "lazy.spec.ts",
  "lecture_lesson.spec.ts",
  "lesson_looks.spec.ts",
  "lessons.spec.ts",
  "looking.spec.ts",
  "mended.spec.ts",
  "models.spec.ts",
  "program.spec.ts",
  "query.spec.ts",
  "ranges.spec.ts",
  "run_plans.spec.ts",
  "runner.spec.ts",
  "segments.spec.ts",
  "share.spec.ts",
  "slides.spec.ts",
  "snapshots.spec.ts",
  "stages.spec.ts",
  "stillness.spec.ts",
  "stopped.spec.ts",
  "strategies.spec.ts",
  "sweep.spec.ts",
  "tables.spec.ts",
  "export.spec.ts",
  "text_graph.spec.ts",
  "training.spec.ts",
  "watch.spec.ts",
];

// The design page is drawn with these, which Debian packages bring.
const fonts = ["dejavu/DejaVuSans.ttf", "dejavu/DejaVuSansMono.ttf", "wqy/wqy-zenhei.ttc"];
const noFonts = fonts.some((font) => !existsSync(`/usr/share/fonts/truetype/${font}`));
const undrawn = noFonts ? ["design.spec.ts"] : [];

// Code is optimized once it has run for longer: most of what a test runs, it runs for moments, and
// a quarter of its CPU was spent on optimizing that.
const tiering = "--js-flags=--wasm-tiering-budget=60000000";

const project = (name: "webgpu" | "raster") => ({
  name,
  // Two renderers can only be compared where there are two, a device only be lost and buffers
  // only be counted where there is a GPU.
  grepInvert: name === "webgpu" ? /@words/ : undefined,
  testIgnore: name === "raster" ? [...needsGpu, ...undrawn] : [...wordsOnly, "run_without_gpu.spec.ts"],
  use: { launchOptions: { executablePath: executable(), args: [...args[name], tiering] } },
});

export default defineConfig({
  testDir: ".",
  outputDir: "results",
  // A test that passes the second time has failed.
  retries: 0,
  // Half of a run's time is waiting: for workers that are made to hang, and for the second core.
  workers: 2,
  fullyParallel: true,
  forbidOnly: Boolean(process.env.CI),
  // Machines are shared: what takes a second alone can take ten.
  timeout: 120_000,
  expect: { timeout: 30_000, toHaveScreenshot: { pathTemplate: "{testDir}/design/{arg}{ext}" } },
  reporter: [["list"]],
  use: {
    baseURL: origin,
    viewport: { width: 1280, height: 720 },
    locale: "en-US",
    // A trace costs an eighth of a run's CPU: whoever looks for a fault runs the test again.
    trace: process.env.CI ? "off" : "retain-on-failure",
    screenshot: "only-on-failure",
  },
  projects: [project("webgpu"), project("raster")],
  webServer: {
    // `app/serve` has built it together with the page.
    command: `"\${CARGO_TARGET_DIR:-target}/debug/site" serve --port ${port} --dir dist`,
    cwd: "../..",
    url: `${origin}/`,
    reuseExistingServer: false,
    timeout: 120_000,
  },
});
