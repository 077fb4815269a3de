// How lessons look and are reached: nothing is cut off, nothing keeps people out, and all of it goes
// with the keyboard alone.

import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { LESSONS, Stage, lessonOf, linkOf, truth } from "./scenes";
import { fragment } from "./session";
import { barriers, faultsWithin, newcomer } from "./sight";

/** Each window has a language and colours of its own. */
const WINDOWS = [
  [[1280, 720], "en", "en-US", "light"],
  [[1440, 900], "zh", "zh-CN", "dark"],
  [[390, 844], "en", "en-US", "light"],
] as const;

// In the other two windows lessons.spec.ts looks at them on its way.
test.describe("a phone", () => {
  test.use({ locale: "en-US", colorScheme: "light" });

  for (const lesson of LESSONS) {
    test(`no scene of ${lesson.number} ${lesson.lesson} is cut off or keeps anybody out`, async ({ page }) => {
      await newcomer(page, [390, 844]);
      const stage = new Stage(page);
      await stage.open(lesson, lesson.scenes[0]!);
      for (const scene of lesson.scenes) {
        await stage.there(lesson, scene);
        await stage.looksAsked(scene.id);
        if (scene.hint) await stage.do("hint").click();
        await stage.do("show").click();
        await expect(stage.said).toHaveClass("said shown");
        await ready(page);
        await stage.looksAnswered(scene.id);
        if (scene !== lesson.scenes.at(-1)) await stage.do("next").click();
      }
    });
  }
});

for (const [size, tongue, locale, colorScheme] of WINDOWS) {
  test.describe(`${size.join("×")}, ${locale}, ${colorScheme}`, () => {
    test.use({ locale, colorScheme });

    test("the list is whole and keeps nobody out", async ({ page }) => {
      await newcomer(page, size);
      await open(page);
      await page.locator('[data-do="learn"]').click();
      await expect(page.locator("dialog.learn li")).toHaveCount(LESSONS.length);
      expect(await faultsWithin(page, "dialog.learn")).toEqual([]);
      expect(await barriers(page, "dialog.learn")).toEqual([]);
      for (const lesson of LESSONS) {
        const row = page.locator(`dialog.learn [data-lesson="${lesson.lesson}"]`);
        await expect(row.locator(".title")).toContainText(lesson.title[tongue]);
        await expect(row.locator(".teaches")).toHaveText(lesson.teaches[tongue]);
      }
    });
  });
}

/** Presses Tab until what has the focus is this. */
async function tabTo(page: Page, selector: string) {
  for (let press = 0; press < 150; press += 1) {
    if (await page.evaluate((selector) => Boolean(document.activeElement?.matches(selector)), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${selector} is not reached`);
}

for (const reducedMotion of ["no-preference", "reduce"] as const) {
  test.describe(reducedMotion === "reduce" ? "with less motion" : "with the usual motion", () => {
    test("a lesson is found, begun and answered with the keyboard alone", async ({ page }) => {
      await page.emulateMedia({ reducedMotion });
      await newcomer(page, [1280, 720]);
      await open(page);
      const stage = new Stage(page);
      const key = async (name: string) => {
        // A field that was just disabled takes keys until the next frame.
        await page.evaluate(() => new Promise(requestAnimationFrame));
        await page.keyboard.press(name);
      };
      await tabTo(page, '[data-do="learn"]');
      await key("Enter");
      await expect(page.locator("dialog.learn")).toBeVisible();
      await tabTo(page, '[data-lesson="why-reuse"] button');
      await key("Enter");
      // A number is typed.
      const lesson = lessonOf("why-reuse");
      const [number, point, next] = lesson.scenes;
      await stage.there(lesson, number!);
      await tabTo(page, "form.number input");
      await page.keyboard.type(String(truth(lesson, number!).right.Number![0]));
      await key("Enter");
      await stage.isRight(number!, "en");
      // A clicker goes on; a chip has the focus.
      await key("PageDown");
      await stage.there(lesson, point!);
      await tabTo(page, `.chip[data-point="${truth(lesson, point!).right.Names![0]}"]`);
      await key("Enter");
      await stage.isRight(point!, "en");
      await key("PageDown");
      await stage.there(lesson, next!);
      await key("PageUp");
      await stage.there(lesson, point!);
      await key("PageDown");
      await stage.there(lesson, next!);
      // A hint, the other language and back, and the answer.
      await key("h");
      await expect(stage.panel.locator("p.hint[aria-live]:visible")).toHaveText(next!.hint!.en);
      await key("l");
      await expect(stage.panel.locator(".question")).toHaveText(next!.ask.zh);
      await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
      await key("l");
      await expect(stage.panel.locator(".question")).toHaveText(next!.ask.en);
      await key("r");
      await expect(stage.said).toHaveClass("said shown");
      await expect(stage.said).toContainText(next!.why.en);
      await ready(page);
    });

    test("a sentence is chosen by its number, a rectangle is moved by arrows", async ({ page }) => {
      await page.emulateMedia({ reducedMotion });
      await newcomer(page, [1280, 720]);
      const stage = new Stage(page);
      const objects = lessonOf("objects");
      const choice = objects.scenes.find((scene) => scene.predict.choose)!;
      await stage.open(objects, choice);
      const { choose } = choice.predict;
      const right = choose!.findIndex(({ id }) => truth(objects, choice).right.Choices![0] === id);
      const wrong = choose!.findIndex((_, index) => index !== right);
      await page.keyboard.press(String(wrong + 1));
      await stage.isWrong(choose![wrong]!.feedback!, "en", "wrong");
      await page.keyboard.press(String(right + 1));
      await stage.isRight(choice, "en");
      // Space goes on once it is answered.
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      await page.keyboard.press("Space");
      await expect(stage.panel).not.toHaveAttribute("data-scene", linkOf(objects, choice));
      const reuse = lessonOf("why-reuse");
      const place = reuse.scenes.find((scene) => scene.predict.place)!;
      await stage.open(reuse, place);
      const [name] = truth(reuse, place).solution.at(-1)!;
      await tabTo(page, `.chip[data-select="${name}"]`);
      await page.keyboard.press("Enter");
      // One after another, as far as it goes.
      for (let press = 0; press < 40; press += 1) await page.keyboard.press("Shift+ArrowDown");
      await expect.poll(() => stage.isDone()).toBe(true);
      await stage.isRight(place, "en");
    });

    test("films and plans of scenes come as they are", async ({ page }) => {
      await page.emulateMedia({ reducedMotion });
      const stage = new Stage(page);
      const lesson = lessonOf("order");
      const films = lesson.scenes.filter((scene) => scene.at.includes("film="));
      expect(films.length).toBeGreaterThan(1);
      for (const scene of films) {
        await stage.open(lesson, scene);
        const at = (text: string) => new URLSearchParams(text).get("film");
        await expect.poll(() => fragment(page).get("film")).toBe(at(scene.at));
        // Where a table is hidden, it says so.
        const hidden = page.locator("#sheet > .hidden-hint");
        await expect(hidden).toBeVisible({ visible: Boolean(scene.hidden?.includes("table")) });
        await stage.do("show").click();
        await expect(stage.said).toHaveClass("said shown");
        await ready(page);
        await expect.poll(() => fragment(page).get("film")).toBe(at(scene.then || scene.at));
        await expect(hidden).toBeHidden();
        await expect.poll(() => fragment(page).get("show")).toBe(new URLSearchParams(scene.then || scene.at).get("show"));
      }
    });
  });
}
