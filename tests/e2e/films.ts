// Films, as a person opens them and goes through them.

import type { Locator, Page, TestInfo } from "@playwright/test";
import { expect, open, ready } from "./page";
import { choose, pane } from "./session";
import { showView } from "./tasks.mjs";

/** Size, first and last step of each buffer, b0 first. */
export type Records = [number, number, number][];

export function csv(records: Records): Buffer {
  const rows = records.map(([size, first, last], index) => `b${index},${first},${last},${size}`);
  return Buffer.from(["id,lower,end,size", ...rows, ""].join("\n"));
}

/** Opens a file with these strategies' films, drawn by the project's own renderer. */
export async function filmsOf(page: Page, info: TestInfo, name: string, bytes: Buffer, strategies: string[]) {
  await open(page, info.project.name === "webgpu" ? "/?renderer=wgpu" : "/?renderer=raster");
  await choose(page, name, bytes);
  await expect(page.locator(".document .file")).toHaveText(name);
  await showView(page, "film");
  for (const [place, strategy] of strategies.entries()) {
    await page.locator(`[data-film="${place}"]`).selectOption(strategy);
  }
  if (strategies.length < 2) await page.locator('[data-film="1"]').selectOption("");
  await ready(page);
  for (const strategy of strategies) await expect(caption(page, strategy)).toHaveAttribute("data-step", "0");
}

export function caption(page: Page, strategy: string): Locator {
  return pane(page, strategy).locator(".caption");
}

export function sentence(page: Page, strategy: string): Locator {
  return caption(page, strategy).locator("p");
}

/** Goes to a step of the only film, and returns what is said there. */
export async function said(page: Page, strategy: string, step: number): Promise<string> {
  await page.locator(".scrubber").fill(String(step));
  await expect(caption(page, strategy)).toHaveAttribute("data-step", String(step));
  return (await sentence(page, strategy).textContent()) ?? "";
}

/** Everything that the only film says, from its first step on. */
export async function story(page: Page, strategy: string): Promise<string[]> {
  const last = Number(await page.locator(".scrubber").getAttribute("max"));
  const all: string[] = [];
  for (let step = 1; step <= last; step += 1) all.push(await said(page, strategy, step));
  return all;
}
