// Which browser the tests drive, and how it starts with WebGPU and without.
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

// For whoever is not beside the installed packages.
export { chromium } from "@playwright/test";

/** The installed Chromium: `CHROMIUM`, or the first one on `PATH`. Nothing is downloaded. */
export function executable() {
  if (process.env.CHROMIUM) return process.env.CHROMIUM;
  // The first is the headless shell: without a window of its own it takes half of the CPU.
  const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here: the next folder.
      }
    }
  }
  throw new Error("no Chromium: install it (apt-get install chromium-headless-shell) or name it in CHROMIUM");
}

// A container's root needs --no-sandbox; the rest keeps the browser from calling home.
const quiet = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-default-apps",
  "--disable-sync",
  "--no-first-run",
];

/** Start arguments by project. Only these show WebGPU's picture on a software GPU. */
export const args = {
  webgpu: [
    ...quiet,
    "--enable-unsafe-webgpu",
    "--enable-features=Vulkan",
    "--use-vulkan=swiftshader",
    "--use-angle=swiftshader",
  ],
  raster: [...quiet, "--disable-gpu", "--disable-features=WebGPUService"],
  // No WebGPU, and OpenGL by the CPU: what a browser has on a machine without a GPU.
  software: [
    ...quiet,
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
    "--disable-features=WebGPUService",
  ],
};
