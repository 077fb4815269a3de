// What is seen of the page, measured: nothing is cut off, nothing beyond its room, nothing pale.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { Result, RunOptions } from "axe-core";
import { LAYOUT } from "./page";

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** Sizes of windows: a phone, a small screen, two laptops, a desktop. */
export const SIZES = { phone: [390, 844], small: [1024, 768], laptop: [1366, 768], wide: [1440, 900], desktop: [1920, 1080] } as const;

/** Nothing was chosen of the panels: the window decides. */
export async function newcomer(page: Page, [width, height]: readonly [number, number]) {
  await page.setViewportSize({ width, height });
  await page.addInitScript((key) => {
    if (location.protocol.startsWith("http")) localStorage.setItem(key, "{}");
  }, LAYOUT);
}

/** The window has another size, and what is seen has been laid out anew. */
export async function resized(page: Page, [width, height]: readonly [number, number]) {
  await page.setViewportSize({ width, height });
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** What is wrong with what is seen: text that is cut off, panes beyond their room, a window that scrolls sideways. */
export function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const name = (it: Element) => `${it.tagName.toLowerCase()}.${it.className} "${(it.textContent ?? "").trim().slice(0, 40)}"`;
    if (document.documentElement.scrollWidth > innerWidth) found.push(`scrolls sideways: ${document.documentElement.scrollWidth}`);
    const seen = (it: Element) => it.checkVisibility({ visibilityProperty: true });
    // Text in one line, cut without a sign; a box that may be scrolled is not cut.
    for (const it of document.querySelectorAll(".headline, .caption-line, .why-larger, .pane h2, .figures, .term, .badge, [role=tab], .fold, .views button, .legend .kind, .bar button")) {
      if (!seen(it)) continue;
      const style = getComputedStyle(it);
      const hides = ["hidden", "clip"].includes(style.overflowX) || ["hidden", "clip"].includes(style.overflowY);
      if (hides && style.textOverflow !== "ellipsis" && (it.scrollWidth > it.clientWidth + 1 || it.scrollHeight > it.clientHeight + 1)) found.push(`cut off: ${name(it)}`);
    }
    const panes = document.querySelector(".panes");
    const room = panes?.getBoundingClientRect();
    const all = [...document.querySelectorAll(".pane")].filter(seen);
    for (const pane of all) {
      const box = pane.getBoundingClientRect();
      if (room && (box.bottom > room.bottom + 1 || box.right > room.right + 1)) found.push(`beyond its room: ${name(pane)}`);
    }
    if (panes && panes.scrollHeight > panes.clientHeight + 1 && getComputedStyle(panes).overflowY !== "visible") found.push("panes scroll");
    // Panes fill their room: no empty column, no empty row.
    if (room && all.length) {
      const area = all.map((pane) => pane.getBoundingClientRect()).reduce((sum, box) => sum + box.width * box.height, 0);
      if (area < room.width * room.height * 0.97) found.push(`an empty place: ${(area / (room.width * room.height)).toFixed(2)}`);
    }
    return found;
  });
}

/** Texts of less contrast than 4.5 (3 for large ones), and controls of less than 3, as axe finds them. */
export async function pale(page: Page): Promise<string[]> {
  const found = await violations(page, { rules: ["color-contrast"] });
  return found.flatMap(({ nodes }) => nodes.map((node) => `${node.html} ${node.any.map((it) => it.message).join()}`));
}

/** What is wrong with what is seen of `within`: text that is cut off or beyond it, a window that scrolls sideways. */
export function faultsWithin(page: Page, within: string): Promise<string[]> {
  return page.evaluate((within) => {
    const found: string[] = [];
    const root = document.querySelector(within);
    if (!root) return ["it is not there"];
    const name = (it: Element) => `${it.tagName.toLowerCase()}.${it.className} "${(it.textContent ?? "").trim().slice(0, 40)}"`;
    const wide = document.documentElement.scrollWidth;
    if (wide > innerWidth) found.push(`scrolls sideways: ${wide}`);
    const edge = root.getBoundingClientRect();
    if (edge.right > innerWidth + 1 || edge.left < -1) found.push("beyond the window");
    for (const it of root.querySelectorAll("*")) {
      if (it.closest("svg, select, .unseen") || !it.checkVisibility({ visibilityProperty: true })) continue;
      const texts = [...it.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
      const style = getComputedStyle(it);
      const box = it.getBoundingClientRect();
      if (texts && (box.right > edge.right + 1 || box.left < edge.left - 1)) found.push(`beyond its panel: ${name(it)}`);
      if (style.display === "inline") continue;
      // What is typed may be longer than its field.
      const typed = it instanceof HTMLInputElement && it.value !== "";
      if ((texts || it.matches("button, input")) && !typed && it.scrollWidth > it.clientWidth) found.push(`wider than its room: ${name(it)} ${it.scrollWidth} > ${it.clientWidth}`);
      const cut = style.overflowY === "hidden" || style.overflowY === "clip";
      if (texts && cut && it.scrollHeight > it.clientHeight + 1) found.push(`cut off: ${name(it)}`);
    }
    return found;
  }, within);
}

/** What keeps people out of the page, or of what is `within`: serious and critical findings of axe. */
export async function barriers(page: Page, within?: string): Promise<string[]> {
  const serious = (await violations(page, { within })).filter(({ impact }) => impact === "serious" || impact === "critical");
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
}

/** What axe finds. It is put into a document once: its own driver does so for each question, and opens a page more. */
async function violations(page: Page, { within, rules }: { within?: string; rules?: string[] }): Promise<Result[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  return page.evaluate(async ([within, rules]) => {
    const only: RunOptions = rules ? { runOnly: rules } : {};
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const found = await axe.run(within ?? document, { ...only, resultTypes: ["violations"] });
    return found.violations;
  }, [within, rules] as const);
}
