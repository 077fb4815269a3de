// How people come to lessons: a line for who is new, the list, a file of their own.

import type { Page } from "@playwright/test";
import { OFFERED, expect, open, ready, settled, test } from "./page";
import { LESSONS, Stage, type Tongue, lessonFile, lessonOf } from "./scenes";
import { document, drop, fragment } from "./session";
import { barriers } from "./sight";
import { showView } from "./tasks.mjs";

/** Nothing was offered to this visitor yet; what the page keeps itself stays. */
async function isNew(page: Page) {
  await page.addInitScript((key) => {
    if (!location.protocol.startsWith("http") || sessionStorage.getItem("new")) return;
    sessionStorage.setItem("new", "true");
    localStorage.setItem(key, "false");
  }, OFFERED);
}

/** The page takes this for now. */
async function isDay(page: Page, day: string) {
  await page.addInitScript((day) => {
    const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given: unknown[]) {
        super(...((given.length ? given : [`${day}T12:00:00Z`]) as [number]));
      }
    } as DateConstructor;
  }, day);
}

const TEXTS: Record<Tongue, { offer: string; no: string }> = {
  en: { offer: "New here?", no: "Not now" },
  zh: { offer: "第一次来？", no: "以后再说" },
};

for (const [tongue, locale] of [["en", "en-US"], ["zh", "zh-CN"]] as const) {
  test.describe(() => {
    test.use({ locale });

    test(`who is new is offered a lesson once, ${locale}`, async ({ page }) => {
      await isNew(page);
      await open(page);
      const offer = page.locator(".offer");
      await expect(offer).toBeVisible();
      await expect(offer).toContainText(TEXTS[tongue].offer);
      await expect(offer.locator('[data-do="no-lesson"]')).toHaveAttribute("aria-label", TEXTS[tongue].no);
      expect(await barriers(page, ".offer")).toEqual([]);
      // It does not stay for good by itself: only what is said counts.
      await page.reload();
      await ready(page);
      await expect(offer).toBeVisible();
      await offer.locator('[data-do="no-lesson"]').click();
      await expect(offer).toBeHidden();
      await page.reload();
      await ready(page);
      await expect(page.locator('[data-do="learn"]')).toBeVisible();
      await expect(offer).toBeHidden();
    });
  });
}

test("who takes the offer is in the first lesson, and is not asked again", async ({ page }) => {
  await isNew(page);
  await open(page);
  await page.locator('[data-do="first-lesson"]').click();
  const stage = new Stage(page);
  const first = lessonOf("why-reuse");
  await stage.there(first, first.scenes[0]!);
  await expect(page.locator(".offer")).toBeHidden();
  await stage.do("leave").click();
  await expect(stage.panel).toHaveCount(0);
  await expect(page.locator("html")).not.toHaveAttribute("data-hidden");
  await expect(page.locator(".offer")).toBeHidden();
  await expect.poll(() => fragment(page).has("lesson")).toBe(false);
  await page.reload();
  await ready(page);
  await expect(page.locator(".offer")).toBeHidden();
});

test("the list fetches what it lists and no lesson, a lesson fetches itself alone", async ({ page }) => {
  await open(page);
  await settled(page);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname.split("/").pop() ?? ""));
  const json = () => asked.filter((name) => name.endsWith(".json"));
  await page.locator('[data-do="learn"]').click();
  const list = page.locator("dialog.learn");
  await expect(list.locator("li")).toHaveCount(LESSONS.length);
  await settled(page);
  expect(json()).toEqual(["index.json"]);
  expect(asked.filter((name) => !/^index\.json$|learn|app_chunks/.test(name))).toEqual([]);
  const order = lessonOf("order");
  await list.locator('[data-lesson="order"] button').click();
  await new Stage(page).there(order, order.scenes[0]!);
  expect(json()).toEqual(["index.json", "04_order.json"]);
  // What was fetched is there.
  await page.locator('[data-do="learn"]').click();
  await expect(list.locator("li")).toHaveCount(LESSONS.length);
  expect(json()).toEqual(["index.json", "04_order.json"]);
});

test("the list says how far somebody is, goes on there, and forgets", async ({ page }) => {
  const lesson = lessonOf("objects");
  const stage = new Stage(page);
  await stage.open(lesson, lesson.scenes[0]!);
  await stage.solve(lesson, lesson.scenes[0]!);
  await stage.isRight(lesson.scenes[0]!, "en");
  await page.locator('[data-do="learn"]').click();
  const row = page.locator('dialog.learn [data-lesson="objects"]');
  await expect(row.locator(".figures")).toContainText(`1 of ${lesson.scenes.length} answered`);
  await row.locator("button").click();
  await stage.there(lesson, lesson.scenes[1]!);
  // What was shown was not answered.
  await stage.do("show").click();
  await expect(stage.said).toHaveClass("said shown");
  await page.reload();
  await ready(page);
  await page.locator('[data-do="learn"]').click();
  await expect(row.locator("progress")).toHaveAttribute("value", "1");
  await page.locator('[data-do="forget"]').click();
  await expect(row.locator("progress")).toHaveAttribute("value", "0");
});

test("the puzzle of the day is another one tomorrow, and the same for everybody", async ({ context }) => {
  /** Where the rectangles of a day's puzzle lie, and what is said of them. */
  const puzzle = async (day: string) => {
    const page = await context.newPage();
    await isDay(page, day);
    await open(page);
    await page.locator('[data-do="learn"]').click();
    await page.locator('dialog.learn [data-lesson="daily"] button').click();
    const stage = new Stage(page);
    await expect(stage.panel).toHaveAttribute("data-scene", `daily:${day}`);
    await expect(stage.ask).toHaveAttribute("data-measured", "true");
    await expect(stage.ask.locator(".now")).toHaveText(/^Arena [\d,]+ B \(proved least: [\d,]+ B\)$/);
    await ready(page);
    expect(fragment(page).get("lesson")).toBe(`daily:${day}`);
    await showView(page, "tensors");
    await ready(page);
    const rows = await page.locator(".sheet tbody").first().innerText();
    await page.close();
    return rows;
  };
  const first = await puzzle("2026-03-01");
  expect(await puzzle("2026-03-01")).toBe(first);
  expect(await puzzle("2026-03-02")).not.toBe(first);
});

/** The first lesson under another name; some of it is changed. */
function own(change: (text: string) => string = (text) => text): Buffer {
  const text = lessonFile("01_why-reuse.json").replace('"why-reuse"', '"of-mine"');
  return Buffer.from(change(text));
}

test("a lesson that is dropped as a file is played, and its author is told what is doubtful", async ({ page }) => {
  await open(page);
  await settled(page);
  await drop(page, "mine.json", own());
  const lesson = { ...lessonOf("why-reuse"), lesson: "of-mine" };
  const known = lessonOf("why-reuse");
  const stage = new Stage(page);
  await stage.there(lesson, lesson.scenes[0]!);
  await expect(page.locator("#lesson-title")).toHaveText(lesson.title.en);
  await expect(stage.panel.locator(".doubts")).toHaveCount(0);
  await stage.solve(known, lesson.scenes[0]!);
  await stage.isRight(lesson.scenes[0]!, "en");
  // It has no link: it is on no server.
  await stage.panel.locator(".tools summary").click();
  await stage.do("class").click();
  await expect(stage.panel.locator(".class-link")).toHaveCount(0);
  await expect(stage.panel.locator(".tools")).toContainText("hand on its file");
  // A figure that is not what is measured.
  await drop(page, "mine.json", own((text) => text.replaceAll("128", "129")));
  await expect(stage.panel.locator(".doubts")).toContainText("it says 129, and 128 is measured");
});

test("a file that has the name of a lesson in the list leaves what was answered of that one", async ({ page }) => {
  await open(page);
  await settled(page);
  const lesson = lessonOf("why-reuse");
  const [first] = lesson.scenes;
  const stage = new Stage(page);
  await drop(page, "mine.json", Buffer.from(lessonFile("01_why-reuse.json")));
  await stage.there(lesson, first!);
  await stage.solve(lesson, first!);
  await stage.isRight(first!, "en");
  const dot = stage.panel.locator(`.dot[aria-label="${first!.id}"]`);
  await expect(dot).toHaveClass(/answered/);
  await page.locator('[data-do="learn"]').click();
  const row = page.locator('dialog.learn [data-lesson="why-reuse"]');
  await expect(row.locator("progress")).toHaveAttribute("value", "0");
  await row.locator("button").click();
  await stage.there(lesson, first!);
  await expect(dot).not.toHaveClass(/answered/);
});

test("a lesson file that is too large says so", async ({ page }) => {
  await open(page);
  await settled(page);
  // As large as may be, and a byte more.
  const size = 1 << 20;
  const fitting = own((text) => text.trimEnd() + " ".repeat(size - Buffer.byteLength(own().toString().trimEnd())));
  expect(fitting.length).toBe(size);
  await drop(page, "large.json", Buffer.concat([fitting, Buffer.from(" ")]));
  await expect(page.locator(".notices")).toContainText("large.json");
  await expect(page.locator(".notices")).toContainText("it is larger than 1 MiB");
  await expect(page.locator("section.lesson")).toHaveCount(0);
  await drop(page, "fitting.json", fitting);
  const lesson = { ...lessonOf("why-reuse"), lesson: "of-mine" };
  await new Stage(page).there(lesson, lesson.scenes[0]!);
});

const BROKEN: [string, Buffer, RegExp][] = [
  // The comma after the number is missing.
  ["comma.json", Buffer.from('{\n  "lesson": "broken",\n  "number": 3\n  "title": 4\n}'), /4.*3/],
  ["field.json", Buffer.from('{\n  "lesson": "broken",\n  "numbre": 3\n}'), /3.*10/],
  ["end.json", own((text) => text.slice(0, 2000)), /\d+.*\d+/],
];

for (const [tongue, locale] of [["en", "en-US"], ["zh", "zh-CN"]] as const) {
  test.describe(() => {
    test.use({ locale });

    test(`a broken lesson says where it is broken, and what was open stays, ${locale}`, async ({ page }) => {
      await open(page, "/#sample=blazeface&show=best");
      await settled(page);
      const before = (await document(page).textContent()) ?? "";
      const notice = page.locator(".notice");
      for (const [name, bytes, place] of BROKEN) {
        await drop(page, name, bytes);
        await expect(notice).toContainText(name);
        await expect(notice).toHaveAttribute("role", "alert");
        await expect(notice).toContainText(tongue === "en" ? /line \d+, column \d+/ : /第 \d+ 行.*\d+/);
        await expect(notice).toContainText(place);
        await ready(page);
        await expect(document(page)).toHaveText(before);
        await expect(page.locator("section.lesson")).toHaveCount(0);
      }
    });

    test(`a broken lesson leaves the scene that is played, ${locale}`, async ({ page }) => {
      const lesson = lessonOf("order");
      const stage = new Stage(page);
      await stage.open(lesson, lesson.scenes[1]!);
      await settled(page);
      const [name, bytes] = BROKEN[0]!;
      await drop(page, name, bytes);
      await expect(page.locator(".notices")).toContainText(name);
      await stage.there(lesson, lesson.scenes[1]!);
      await expect(stage.panel.locator(".question")).toHaveText(lesson.scenes[1]!.ask[tongue]);
      await stage.solve(lesson, lesson.scenes[1]!);
      await stage.isRight(lesson.scenes[1]!, tongue);
    });
  });
}

test("a link to a lesson or a scene that is not there says so, and the page opens", async ({ page }) => {
  for (const link of ["no-such:1.1", "order:9.9"]) {
    await page.goto("about:blank");
    await open(page, `/#lesson=${link}`);
    await expect(page.locator(".notices")).toContainText(link.startsWith("no") ? "no-such" : link);
    await expect(page.locator(".notices")).toContainText("there is no such lesson or scene here");
    await expect(page.locator("section.lesson")).toHaveCount(0);
    await expect(page.locator(".stage").first()).toBeVisible();
  }
});

test("Back and Forward lead from scene to scene, and through what was open between", async ({ page }) => {
  const lesson = lessonOf("why-reuse");
  const stage = new Stage(page);
  const [first, second, third] = lesson.scenes;
  await stage.open(lesson, first!);
  for (const scene of [second, third]) {
    await stage.do("next").click();
    await stage.there(lesson, scene!);
  }
  const entries = () => page.evaluate(() => history.length);
  const before = await entries();
  for (const scene of [second, first]) {
    await page.goBack();
    await stage.there(lesson, scene!);
  }
  for (const scene of [second, third]) {
    await page.goForward();
    await stage.there(lesson, scene!);
  }
  expect(await entries()).toBe(before);
  // Another document, and a lesson behind it.
  await page.evaluate(() => (location.hash = "#sample=unet"));
  await expect(stage.panel).toHaveCount(0);
  await ready(page);
  const order = lessonOf("order");
  await page.evaluate(() => (location.hash = "#lesson=order:4.1"));
  await stage.there(order, order.scenes[0]!);
  await page.goBack();
  await expect(stage.panel).toHaveCount(0);
  await expect.poll(() => fragment(page).get("sample")).toBe("unet");
  await ready(page);
  await page.goBack();
  await stage.there(lesson, third!);
  await page.goForward();
  await expect(stage.panel).toHaveCount(0);
  await ready(page);
  await page.goForward();
  await stage.there(order, order.scenes[0]!);
});

test("what a scene hides is told by no search, picture or file either", async ({ page }) => {
  const lesson = lessonOf("why-reuse");
  const asked = lesson.scenes.find((scene) => scene.hidden?.includes("bound") && scene.keeps === undefined)!;
  const stage = new Stage(page);
  await stage.open(lesson, asked);
  const found = page.locator("output[for=search]");
  const menus = page.locator(":is(.pane, .views) details.menu");
  await page.locator("#search").fill("size > 0");
  await ready(page);
  await expect(found).toBeHidden();
  await expect(menus.filter({ visible: true })).toHaveCount(0);
  await stage.solve(lesson, asked);
  await stage.isRight(asked, "en");
  await page.locator("#search").fill("size > 0");
  await expect(found).toBeVisible();
  await expect(found).toContainText("5 of 5");
  await expect(menus.filter({ visible: true })).not.toHaveCount(0);
});
