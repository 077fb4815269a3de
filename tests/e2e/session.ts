// What a person does on the page, in their words.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page, Worker } from "@playwright/test";
import { expect, open, ready } from "./page";
import { showView } from "./tasks.mjs";

/** A file of the samples that come with the page. */
export function sample(name: string): Buffer {
  return readFileSync(fileURLToPath(new URL(`../../public/samples/${name}`, import.meta.url)));
}

/** Opens a file through the file button. */
export async function choose(page: Page, name: string, bytes: Buffer) {
  await page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer: bytes });
}

/** Drops a file on the page, or on a part of it. */
export async function drop(page: Page, name: string, bytes: Buffer, on?: string) {
  await dropAll(page, [[name, bytes]], on);
}

/** Drops several files at once. */
export async function dropAll(page: Page, files: [string, Buffer][], on = ".page") {
  const data = await page.evaluateHandle(
    (files) => {
      const data = new DataTransfer();
      for (const [name, base64] of files) {
        const bytes = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
        data.items.add(new File([bytes], name));
      }
      return data;
    },
    files.map(([name, bytes]) => [name, bytes.toString("base64")] as const),
  );
  await page.dispatchEvent(on, "dragover", { dataTransfer: data });
  await page.dispatchEvent(on, "drop", { dataTransfer: data });
}

/** The name of the open document. */
export function document(page: Page): Locator {
  return page.locator(".document .file");
}

/** The row of a strategy in the comparison. */
export function row(page: Page, strategy: string): Locator {
  return page.locator(`.compare tr[data-strategy="${strategy}"]`);
}

/** The pane of a strategy. */
export function pane(page: Page, strategy: string): Locator {
  return page.locator(`.pane[data-strategy="${strategy}"]`);
}

/** A strategy's arena in bytes, as the comparison shows it. */
export async function arena(page: Page, strategy: string): Promise<number> {
  await ready(page);
  const cell = row(page, strategy).locator("[data-bytes]");
  return Number(await cell.getAttribute("data-bytes"));
}

/** The lower bound in bytes. */
export async function bound(page: Page): Promise<number> {
  return Number(await page.locator("[data-bound]").getAttribute("data-bound"));
}

/** A software GPU takes seconds for what a real one does at once. */
export const LONG = { timeout: 120_000 };

/** Opens the page on the Run tab. */
export async function openRun(page: Page, path = "/") {
  await open(page, path);
  await showView(page, "run");
}

/** The worker that runs plans; there is one once there was a run. */
export function runner(page: Page): Worker {
  const found = page.workers().find((worker) => worker.url().includes("runner"));
  if (!found) throw new Error("no runner");
  return found;
}

/** Waits for the verdict of a run and returns it. */
export async function verdict(page: Page): Promise<string> {
  const told = page.locator("[data-verdict]");
  await expect(told).toBeVisible(LONG);
  return (await told.getAttribute("data-verdict")) ?? "";
}

/** The pixels of a pane's picture, each as red, green, blue and alpha. */
async function pixels<T>(target: Locator, read: (pixels: number[]) => T): Promise<T> {
  const picture = await target.locator(".stage").screenshot();
  // The page's own policy forbids what follows; an empty page has none.
  const empty = await target.page().context().newPage();
  const all = await empty.evaluate(async (base64) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    context.drawImage(image, 0, 0);
    return [...new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer)];
  }, picture.toString("base64"));
  await empty.close();
  return read(all);
}

/** How many colours a pane's picture has. */
export const colors = (target: Locator) => pixels(target, (all) => new Set(all).size);

/** How many pixels of a pane's picture have this colour, as 0xrrggbb. */
export const shades = (target: Locator, rgb: number) =>
  pixels(target, (all) => {
    const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 255, rgb & 255];
    const wanted = ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
    return all.filter((pixel) => pixel === wanted).length;
  });

/** The address bar's fragment. */
export function fragment(page: Page): URLSearchParams {
  return new URLSearchParams(new URL(page.url()).hash.slice(1));
}

export { expect };
