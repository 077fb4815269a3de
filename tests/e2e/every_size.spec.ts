// Every task at the sizes at which people look at it, in both themes and languages: nothing is cut
// off, nothing beyond its room, and every task is in sight.

import type { Page } from "@playwright/test";
import { chooseLook, expect, open, ready, test } from "./page";
import { faults, faultsWithin, newcomer } from "./sight";

const SIZES = [[390, 844], [1024, 768], [1440, 900], [1920, 1080]] as const;
const TASKS = ["compare", "explain", "change", "train", "run", "data"];

/** What a finger hits, of all views of the task; words within a sentence are as high as its lines. */
async function small(page: Page): Promise<string[]> {
  const found: string[] = [];
  const views = page.locator('.task-views > [role="tab"]');
  for (let view = 0; view < Math.max(1, await views.count()); view++) {
    if (await views.count()) await views.nth(view).click();
    await ready(page);
    found.push(...await page.locator(".sheet, .tab-row").evaluateAll((roots) => {
      const hit = roots.flatMap((root) => [...root.querySelectorAll("button, select, summary, label:has(> input)")]);
      const seen = hit.filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest("p.answer, .hint, svg"));
      const low = seen.map((it) => ({ it, box: it.getBoundingClientRect() })).filter(({ box }) => Math.min(box.height, box.width) < 39.5);
      return low.map(({ it, box }) => `${it.tagName} ${it.className} "${it.textContent?.trim().slice(0, 30)}" ${box.width}×${box.height}`);
    }));
  }
  return found;
}

for (const size of SIZES) {
  test.describe(size.join("×"), () => {
    const phone = size[0] < 760;
    test.use({ hasTouch: phone, isMobile: phone });

    test("every task fits and is in sight", async ({ page }) => {
      await newcomer(page, size);
      await open(page);
      for (const language of ["en", "zh-CN"] as const) {
        await chooseLook(page, "language", language);
        for (const task of TASKS) {
          const sign = page.locator(`#task-${task}`);
          await sign.click();
          await ready(page);
          for (const theme of ["light", "dark"] as const) {
            await page.emulateMedia({ colorScheme: theme });
            const what = `${task}, ${language}, ${theme}`;
            const seen = (await faults(page)).filter((fault) => !/^panes scroll/.test(fault));
            expect(seen, what).toEqual([]);
            expect(await faultsWithin(page, ".tab-row"), what).toEqual([]);
          }
          for (const other of TASKS) await expect(page.locator(`#task-${other}`)).toBeInViewport({ ratio: 1 });
          if (phone) expect(await small(page), `${task}, ${language}`).toEqual([]);
        }
      }
    });
  });
}
