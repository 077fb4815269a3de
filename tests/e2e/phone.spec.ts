// A phone: what fingers do, what comes as a sheet, and that everything has room.

import type { CDPSession, Locator, Page } from "@playwright/test";
import { expect, open, plot, ready, settled, test, words } from "./page";
import { lessonOf, Stage } from "./scenes";
import { pane } from "./session";
import { barriers, faults, newcomer } from "./sight";
import { showView } from "./tasks.mjs";

const PHONES = [[390, 844], [360, 740]] as const;

/** What a finger needs, in CSS pixels. */
const FINGER = 40;

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

type Point = { x: number; y: number };

/** Fingers on the screen. */
class Fingers {
  private constructor(private readonly session: CDPSession) {}

  static async of(page: Page): Promise<Fingers> {
    return new Fingers(await page.context().newCDPSession(page));
  }

  private touch(type: "touchStart" | "touchMove" | "touchEnd", touchPoints: Point[]) {
    return this.session.send("Input.dispatchTouchEvent", { type, touchPoints: touchPoints.map((at, id) => ({ ...at, id })) });
  }

  /** Puts fingers down, moves each to where it goes, and lifts them. */
  async move(...fingers: (readonly [Point, Point])[]) {
    const steps = 10;
    await this.touch("touchStart", fingers.map(([from]) => from));
    for (let step = 1; step <= steps; step++) {
      const part = (from: number, to: number) => from + ((to - from) * step) / steps;
      await this.touch("touchMove", fingers.map(([from, to]) => ({ x: part(from.x, to.x), y: part(from.y, to.y) })));
    }
    await this.touch("touchEnd", []);
  }

  async tap(at: Point) {
    await this.touch("touchStart", [at]);
    await this.touch("touchEnd", []);
  }
}

/** What is in view: steps and bytes from and to; `null` while it is everything. */
const view = (page: Page) => new URL(page.url()).hash.match(/view=([^&]*)/)?.[1]?.split(",").map(Number) ?? null;

const scrolled = (page: Page) => page.evaluate(() => scrollY);

/** The picture of the best plan, with nothing over it. */
async function picture(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const best = pane(page, "best");
  await best.locator(".stage").evaluate((stage) => stage.scrollIntoView({ block: "center" }));
  return plot(best);
}

/** What is said of a rectangle that was tapped. */
async function tapped(page: Page): Promise<Locator> {
  const at = await picture(page);
  const fingers = await Fingers.of(page);
  const sheet = page.locator(".inspector");
  // Where most is live, the best plan has no room to spare.
  await fingers.tap({ x: at.x + at.width * 0.08, y: at.y + at.height * 0.9 });
  await expect(sheet).toHaveAttribute("data-asked", "true");
  return sheet;
}

test("one finger on the picture scrolls the page, two move and zoom the picture", async ({ page }) => {
  await open(page);
  const fingers = await Fingers.of(page);
  let at = await picture(page);
  const middle = () => ({ x: at.x + at.width / 2, y: at.y + at.height / 2 });
  const before = await scrolled(page);
  await fingers.move([middle(), { x: middle().x, y: middle().y - 120 }]);
  await expect.poll(() => scrolled(page)).toBeGreaterThan(before + 60);
  await fingers.move([middle(), { x: middle().x - 100, y: middle().y }]);
  expect(view(page)).toBeNull();
  await expect(page.locator(".inspector")).toHaveAttribute("data-asked", "false");
  at = await picture(page);
  const still = await scrolled(page);
  const by = (x: number, y: number) => ({ x: middle().x + x, y: middle().y + y });
  await fingers.move([by(-30, -30), by(-90, -80)], [by(30, 30), by(90, 80)]);
  await expect.poll(() => view(page)).not.toBeNull();
  const [x0, x1, y0, y1] = view(page)!;
  expect(await scrolled(page)).toBe(still);
  // Where nothing is in view, that is said in the middle: the fingers keep below it.
  await fingers.move([by(-40, 90), by(-40, 30)], [by(40, 90), by(40, 30)]);
  await expect.poll(() => view(page)![2]).toBeLessThan(y0!);
  const [a0, a1, b0, b1] = view(page)!;
  expect(a1! - a0!).toBeCloseTo(x1! - x0!, 0);
  expect((b1! - b0!) / (y1! - y0!)).toBeCloseTo(1, 2);
  expect(await scrolled(page)).toBe(still);
});

test("both axes stop at 0", async ({ page }) => {
  await open(page);
  const fingers = await Fingers.of(page);
  const at = await picture(page);
  const by = (x: number, y: number) => ({ x: at.x + at.width / 2 + x, y: at.y + at.height / 2 + y });
  await fingers.move([by(-20, -20), by(-80, -80)], [by(20, 20), by(80, 80)]);
  await expect.poll(() => view(page)).not.toBeNull();
  // Far beyond the beginning of both.
  for (let time = 0; time < 4; time++) await fingers.move([by(-100, 90), by(60, -80)], [by(-60, 90), by(100, -80)]);
  await expect
    .poll(async () => {
      const stage = (await pane(page, "best").locator(".stage").boundingBox())!;
      const [x0, x1, y0, y1] = view(page)!;
      const zero = (from: number, to: number, share: number) => (from + (to - from) * share) / (to - from);
      const left = (at.x - stage.x) / stage.width;
      const below = (stage.y + stage.height - at.y - at.height) / stage.height;
      // Where the rulers meet, as a share of what is seen.
      return [zero(x0!, x1!, left), zero(y0!, y1!, below)].map((share) => Math.abs(share) < 0.01);
    })
    .toEqual([true, true]);
});

test("a tap opens what is known of a tensor as a sheet, which closes", async ({ page }) => {
  await newcomer(page, PHONES[0]);
  for (const close of ["button", "Escape"]) {
    await open(page);
    const sheet = await tapped(page);
    await expect(sheet.locator("h3 .name")).toBeInViewport();
    await expect(sheet.locator("dt")).toContainText(["Reserved", "Live", "Written by", "Read by"]);
    const box = (await page.locator(".at-right").boundingBox())!;
    const tasks = (await page.locator(".tasks").boundingBox())!;
    expect(box.height).toBeLessThanOrEqual(844 * 0.45 + 1);
    expect(box.y + box.height).toBeLessThanOrEqual(tasks.y + 1);
    // The picture is seen above it.
    const at = await plot(pane(page, "best"));
    expect(at.y + at.height).toBeLessThanOrEqual(box.y);
    const button = sheet.locator('[data-do="deselect"]');
    const size = (await button.boundingBox())!;
    expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(FINGER);
    expect(await barriers(page, ".inspector")).toEqual([]);
    // However far it is scrolled, it can be closed.
    await page.locator(".at-right").evaluate((it) => it.scrollTo(0, it.scrollHeight));
    await expect(button).toBeInViewport({ ratio: 1 });
    if (close === "button") await button.tap();
    else await page.keyboard.press("Escape");
    await expect(sheet).toHaveAttribute("data-asked", "false");
    await expect(sheet.locator("h3 .name")).toHaveCount(0);
  }
});

test("in a lesson the picture stays, and nothing covers the question", async ({ page }) => {
  const lesson = lessonOf("why-reuse");
  const stage = new Stage(page);
  await stage.open(lesson, lesson.scenes[0]!);
  const middle = page.locator(".middle");
  for (const what of [".question", ".ask button", ".terms", '[data-do="next"]', ".tools summary"]) {
    const it = stage.panel.locator(what).first();
    await it.evaluate((it) => it.scrollIntoView({ block: "nearest" }));
    await expect(page.locator(".stage").first(), what).toBeInViewport({ ratio: 0.95 });
    const [picture, box] = [(await middle.boundingBox())!, (await it.boundingBox())!];
    expect(box.y, what).toBeGreaterThanOrEqual(picture.y + picture.height - 1);
    const covers = await it.evaluate((it) => {
      const box = it.getBoundingClientRect();
      const over = document.elementFromPoint(box.x + Math.min(box.width / 2, 40), box.y + box.height / 2);
      return it.contains(over) ? null : `${over?.tagName}.${over?.className}`;
    });
    expect(covers, what).toBeNull();
  }
});

test("the header is one row, and nothing of it is lost", async ({ page }) => {
  const bar = page.locator(".bar");
  for (const size of PHONES) {
    await newcomer(page, size);
    await open(page);
    expect((await bar.boundingBox())!.height).toBeLessThanOrEqual(60);
  }
  await page.locator("#search").tap();
  await page.locator("#search").fill("conv");
  expect((await page.locator("#search").boundingBox())!.width).toBeGreaterThan(300);
  await expect(page.locator(".search output")).toContainText(/\d/);
  await page.locator("#search").fill("");
  await page.locator("#search").blur();
  expect((await bar.boundingBox())!.height).toBeLessThanOrEqual(60);
  for (const [word, title] of [["share", "Share"], ["help", "Help"]] as const) {
    await bar.locator(".menu summary").tap();
    await bar.locator(`[data-do="${word}"]`).tap();
    await expect(page.getByRole("dialog", { name: title })).toBeVisible();
    await page.keyboard.press("Escape");
  }
  await bar.locator(".menu summary").tap();
  await page.locator("#theme").selectOption("dark");
  await expect(page.locator(":root")).toHaveAttribute("data-theme", "dark");
});

/** What a finger can hardly hit, and what lies on something else, of the row of tools and the header. */
function small(page: Page, least: number): Promise<string[]> {
  return page.evaluate((least) => {
    const found: string[] = [];
    const seen = (it: Element) => it.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && it.getClientRects().length > 0;
    const name = (it: Element) => `${it.tagName.toLowerCase()}.${it.className} "${(it.getAttribute("aria-label") ?? it.textContent ?? "").trim().slice(0, 30)}"`;
    // Words of a sentence are as high as its lines; a small thing with a label is hit on that.
    const sentence = (it: Element) => it.matches("p .link, p .term, .headline *, .ratio, [data-define]:not(button), .flame *, .segment");
    for (const it of document.querySelectorAll("button, select, summary, [role=tab], .check, input:not([type=checkbox], [type=radio], [type=range], [hidden])")) {
      const menu = it.closest("details:not([open])");
      if (!seen(it) || it.matches(".skip") || sentence(it) || (menu && !it.matches("summary"))) continue;
      const box = it.getBoundingClientRect();
      if (Math.round(box.height) < least) found.push(`low: ${name(it)} ${box.height}`);
      if (it.matches("button") && Math.round(box.width) < least) found.push(`thin: ${name(it)} ${box.width}`);
    }
    for (const row of document.querySelectorAll(".bar, .under, .views, .lane-bar, .tasks, .pane > header")) {
      const all = [...row.children].filter((it) => seen(it) && getComputedStyle(it).position === "static");
      all.forEach((one, index) => {
        for (const other of all.slice(index + 1)) {
          const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
          const over = Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
          if (over) found.push(`${name(one)} lies on ${name(other)}`);
        }
        if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline" && !one.matches("select, input, h2")) found.push(`wider than its room: ${name(one)}`);
      });
    }
    return found;
  }, least);
}

for (const [width, height] of PHONES) {
  for (const locale of ["en-US", "zh-CN"] as const) {
    test.describe(`${width}×${height}, ${locale}`, () => {
      test.use({ locale, viewport: { width, height } });

      test("nothing is cut off, on something else or too small for a finger", words, async ({ page }) => {
        await newcomer(page, [width, height]);
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await open(page);
          await settled(page);
          expect(await faults(page), colorScheme).toEqual([]);
          expect(await small(page, FINGER), colorScheme).toEqual([]);
        }
        for (const task of ["waste", "stages", "run", "operators"]) {
          await showView(page, task);
          await ready(page);
          expect(await faults(page), task).toEqual([]);
          expect(await small(page, FINGER), task).toEqual([]);
        }
      });
    });
  }
}
