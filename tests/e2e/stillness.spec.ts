// Nothing that is seen moves while the page comes: the sum of what the browser counts as layout
// shifts that nobody caused.

import { expect, type Browser } from "@playwright/test";
import { OFFERED, ready, test } from "./page";

const MOST = 0.02;

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
];

type Shift = { value: number; sources: string[] };

/** What moves of a page from its first byte until it is still, and what is open in it. */
async function shifts(browser: Browser, baseURL: string, size: { width: number; height: number }, locale: string, known: boolean) {
  const context = await browser.newContext({ baseURL, viewport: size, locale });
  const page = await context.newPage();
  if (known) await page.addInitScript((key) => localStorage.setItem(key, "true"), OFFERED);
  await page.addInitScript(() => {
    const found: Shift[] = [];
    Object.assign(window, { found });
    const named = (node: Node | null) => {
      const element = node instanceof Element ? node : node?.parentElement;
      return element ? `${element.tagName}.${element.className}` : "gone";
    };
    const place = ({ x, y, width, height }: DOMRectReadOnly) => [x, y, width, height].map(Math.round).join(",");
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput, sources } = entry as unknown as {
          value: number;
          hadRecentInput: boolean;
          sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
        };
        if (hadRecentInput) continue;
        found.push({
          value,
          sources: sources.map((it) => `${named(it.node)} ${place(it.previousRect)} → ${place(it.currentRect)}`),
        });
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto("/");
  await ready(page);
  await page.locator('body[data-parts="true"]').waitFor({ state: "attached" });
  const found = await page.evaluate(() => (window as unknown as { found: Shift[] }).found);
  await context.close();
  return found;
}

for (const size of SIZES) {
  for (const [locale, known] of [["en-US", false], ["en-US", true], ["zh-CN", false]] as const) {
    const who = `${locale === "zh-CN" ? "Chinese" : "English"}, ${known ? "known" : "new"}`;
    test(`nothing moves while the page comes, ${size.width}×${size.height}, ${who}`, async ({ browser, baseURL }) => {
      const found = await shifts(browser, baseURL ?? "", size, locale, known);
      const sum = found.reduce((sum, { value }) => sum + value, 0);
      expect(sum, JSON.stringify(found, null, 1)).toBeLessThanOrEqual(MOST);
    });
  }
}

test("what moves is found", async ({ page }) => {
  await page.addInitScript(() => {
    Object.assign(window, { sum: 0 });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) (window as unknown as { sum: number }).sum += (entry as unknown as { value: number }).value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.goto("/");
  await ready(page);
  const sum = () => page.evaluate(() => (window as unknown as { sum: number }).sum);
  const before = await sum();
  await page.evaluate(() => document.querySelector<HTMLElement>("main")?.style.setProperty("margin-top", "200px"));
  await expect.poll(sum).toBeGreaterThan(before + MOST);
});
