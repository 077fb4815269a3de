// Every lesson, in both languages, from its first scene to its last: what the file says is what is
// asked, every known mistake is met with what the file says to it, and what is right natively is
// right here. On the way nothing is cut off and nothing keeps anybody out.

import type { BrowserContext, Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { LESSONS, type Lesson, type Scene, Stage, type Tongue, linkOf, lowest, neighbours, truth } from "./scenes";
import { fragment } from "./session";
import { newcomer } from "./sight";

/** Each language has a window and colours of its own. */
const WINDOWS = [
  ["en", "en-US", [1280, 720], "light"],
  ["zh", "zh-CN", [1440, 900], "dark"],
] as const;

/** What is not seen while this is hidden. */
const HIDDEN: Record<string, string> = {
  arena: ".headline, .caption-line, .figures, .minimap, .hover, .spot, .why-larger, .violations",
  bound: ".headline, .why-larger, .bounds",
  profile: "",
  badge: ".headline, .figures .badge, .why-larger",
  table: ".sheet, .hover, .spot, .lanes",
  waste: ".sheet .waste, .why-larger",
  caption: ".pane .caption, .film .considered",
  findings: ".sheet .outcome, .findings, .violations, .outlook",
  picture: ".stage canvas",
};

/** What is hidden and seen all the same. */
function seen(page: Page, hidden: string[]): Promise<string[]> {
  const selectors = hidden.map((name) => HIDDEN[name] ?? "").filter(Boolean).join(", ");
  return page.evaluate((selectors) => {
    const all = selectors ? [...document.querySelectorAll(selectors)] : [];
    const seen = all.filter((it) => it.checkVisibility({ visibilityProperty: true }) && !it.closest("section.lesson"));
    return seen.map((it) => `${it.className}: ${it.textContent?.slice(0, 60)}`);
  }, selectors);
}

/** Arenas that are said anywhere beside the scene, to those who see and to those who listen. */
function saidArenas(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    for (const it of document.querySelectorAll("body *")) {
      if (it.closest("section.lesson, script, style") || !it.checkVisibility({ visibilityProperty: true })) continue;
      const own = [...it.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE).map((node) => node.textContent ?? "");
      own.push(it.getAttribute("aria-label") ?? "", it.getAttribute("title") ?? "");
      found.push(...own.filter((text) => /(?:arena|内存区)\D{0,4}\d/i.test(text)));
    }
    return found;
  });
}

/** What is hidden until the scene is answered, is. */
async function expectHidden(page: Page, scene: Scene, hidden = scene.hidden ?? []) {
  const html = page.locator("html");
  // In the order in which all of them are known.
  const named = Object.keys(HIDDEN).filter((name) => hidden.includes(name)).join(" ");
  if (named) await expect(html).toHaveAttribute("data-hidden", named);
  else await expect(html).not.toHaveAttribute("data-hidden");
  expect(await seen(page, hidden), `${scene.id}: hidden`).toEqual([]);
  if (hidden.includes("arena")) expect(await saidArenas(page), `${scene.id}: said`).toEqual([]);
}

/** A number that is neither right nor a known mistake. */
function other(right: number, traps: number[]): number {
  let other = Math.ceil(right) + 1001;
  while (traps.includes(other)) other += 1;
  return other;
}

/** Every wrong answer that there is, and what is said to it. */
async function mistaken(stage: Stage, lesson: Lesson, scene: Scene, tongue: Tongue) {
  const { right } = truth(lesson, scene);
  const { choose, number, point, place, list, operators, spoil, give_up } = scene.predict;
  const at = (what: string) => `${scene.id}: ${what}`;
  if (choose) {
    const rows = stage.ask.locator(".choice");
    await expect(rows.locator("span")).toHaveText(choose.map((choice) => choice.text[tongue]));
    for (const choice of choose.filter((choice) => !right.Choices?.includes(choice.id))) {
      await stage.ask.locator(`.choice[data-choice="${choice.id}"]`).click();
      await stage.isWrong(choice.feedback!, tongue, at(choice.id));
    }
  }
  if (number) {
    const [is, mistakes] = right.Number!;
    await expect(stage.ask.locator(".unit")).toHaveText(number.unit ?? "");
    for (const [index, mistake] of mistakes.entries()) {
      await stage.number(String(mistake));
      await stage.isWrong(number.traps![index]!.feedback, tongue, at(String(mistake)));
    }
    await stage.number(String(other(is, mistakes)));
    await stage.isWrong(number.otherwise, tongue, at("another number"));
    await stage.number("?");
    await expect(stage.said).toContainText(tongue === "en" ? "Write a number." : "请写一个数。");
  }
  if (point) {
    const chips = await stage.chips();
    expect(chips, at("chips")).toEqual(expect.arrayContaining([...right.Names!, ...Object.keys(point.wrong ?? {})]));
    for (const name of new Set(chips.filter((name) => !right.Names!.includes(name)))) {
      await stage.chip(name).first().click();
      await stage.isWrong(point.wrong?.[name] ?? point.otherwise, tongue, at(name));
      await expect(stage.chip(name).first()).toHaveAttribute("aria-pressed", "false");
    }
  }
  if (list) {
    const own = await stage.rows();
    const wanted = right.Names!.filter((name) => own.includes(name));
    await expect(stage.ask.locator(".item")).toHaveText(list.items.map((item) => item[1][tongue]));
    const first = (order: string[]) => order.find((name, index) => name !== wanted[index])!;
    const early = Object.keys(list.early ?? {}).filter((name) => wanted.indexOf(name) > 0);
    const orders = early.map((name) => {
      const order = wanted.filter((it) => it !== name);
      order.splice(wanted.indexOf(name) - 1, 0, name);
      return order;
    });
    for (const order of [own, ...orders]) {
      await stage.order(order);
      await stage.do("check").click();
      const name = first(order);
      await stage.isWrong(list.early?.[name] ?? list.otherwise, tongue, at(order.join()));
    }
  }
  if (place) {
    // Nothing was moved yet, and nothing is judged.
    await expect(stage.said).toHaveCount(0);
    const { goal, least } = right.Bytes!;
    if (place.may_be_impossible && goal >= least) {
      await stage.do("impossible").click();
      await stage.isWrong(place.impossible!, tongue, at("impossible"));
    }
  }
  if (give_up) {
    const { budget, names, sets, fewest } = right.Drops!;
    const fits = sets.filter((drop) => drop.peak <= budget);
    await stage.giveUp(names, 0);
    await stage.isWrong(give_up.above, tongue, at("nothing"));
    const more = fits.find((drop) => drop.again > fewest);
    if (more) {
      await stage.giveUp(names, more.set);
      await stage.isWrong(give_up.more, tongue, at(`more: ${more.set}`));
      await expect(stage.ask.locator(".now")).toContainText(String(more.peak));
    }
  }
  // What is said to plans that are spoiled otherwise is heard on the way to the right one.
  if (spoil) await expect(stage.said).toHaveCount(0);
  if (operators) {
    await expect(stage.said).toHaveCount(0);
    const lines = lesson.problems[scene.problem]?.graph ?? [];
    const asWritten = await stage.rows();
    const { early, above } = neighbours(lines);
    await stage.order(early);
    await stage.isWrong(operators.early, tongue, at(early.join()));
    await stage.order(asWritten);
    await stage.order(above);
    await stage.isWrong(operators.above, tongue, at(above.join()));
    expect(lowest(lines).peak, at("the lowest peak")).toBe(right.Bytes!.goal);
  }
}

/** The right answer is right, and everything is shown. */
async function answered(stage: Stage, lesson: Lesson, scene: Scene, tongue: Tongue) {
  await stage.solve(lesson, scene);
  await stage.isRight(scene, tongue);
  const { right } = truth(lesson, scene);
  if (right.Bytes?.stars.length || right.Drops) await expect(stage.said.locator(".stars")).toHaveText("★★★");
  if (scene.predict.operators) await expect(stage.ask.locator(".now")).toContainText(right.Bytes!.goal.toLocaleString("en-US"));
  const { spoil } = scene.predict;
  if (spoil) {
    const known = [scene.why[tongue], spoil.none.says[tongue], spoil.several.says[tongue]];
    expect([...stage.heard].filter((said) => !known.some((text) => said.includes(text)))).toEqual([]);
    expect(stage.heard.size).toBeGreaterThan(1);
  }
  await expectHidden(stage.page, scene, scene.keeps ?? []);
  await expect(stage.do("show")).toBeDisabled();
  const dot = stage.panel.locator(`.dot[aria-label="${scene.id}"]`);
  await expect(dot).toHaveClass(/answered/);
  await ready(stage.page);
}

/** Somebody who comes again is asked again, and is shown the answer. */
async function shown(stage: Stage, lesson: Lesson, scene: Scene, tongue: Tongue) {
  await stage.there(lesson, scene);
  await expectHidden(stage.page, scene);
  await stage.do("show").click();
  await expect(stage.said).toHaveClass("said shown");
  await expect(stage.said).toContainText(scene.why[tongue]);
  const { right } = truth(lesson, scene);
  const choice = scene.predict.choose?.find(({ id }) => right.Choices?.includes(id));
  // The right one is marked where it stands, and is not said again below.
  if (choice) {
    await expect(stage.ask.locator(".choice[data-right]")).toHaveCount(1);
    await expect(stage.ask.locator(`[data-choice="${choice.id}"]`)).toHaveAttribute("data-right", "true");
    // Said by the reason alone, as often as that says it.
    const times = (text: string) => text.split(choice.text[tongue]).length - 1;
    expect(times(await stage.said.innerText()), scene.id).toBe(times(scene.why[tongue]));
  }
  await expectHidden(stage.page, scene, scene.keeps ?? []);
  await expect(stage.panel).toHaveAttribute("data-done", "true");
  await ready(stage.page);
  await stage.looksAnswered(scene.id);
}

/** Reloaded, the same scene is asked again; back and on lead to the neighbours, and the link is theirs. */
async function walked(stage: Stage, lesson: Lesson, scene: Scene, tongue: Tongue) {
  await stage.page.reload();
  await shown(stage, lesson, scene, tongue);
  const before = lesson.scenes[lesson.scenes.indexOf(scene) - 1];
  if (!before) return;
  await stage.do("back").click();
  await stage.there(lesson, before);
  await stage.do("next").click();
  await stage.there(lesson, scene);
}

/** The address of a scene in the middle, opened elsewhere. */
async function linked(stage: Stage, lesson: Lesson, context: BrowserContext) {
  const middle = lesson.scenes[lesson.scenes.length >> 1]!;
  await stage.panel.locator(`.dot[aria-label="${middle.id}"]`).click();
  await stage.there(lesson, middle);
  const elsewhere = await context.newPage();
  await open(elsewhere, stage.page.url());
  const copy = new Stage(elsewhere);
  await copy.there(lesson, middle);
  await expect(copy.panel.locator(".question")).toHaveText(middle.ask.en);
  await expectHidden(elsewhere, middle);
  await elsewhere.close();
}

for (const lesson of LESSONS) {
  for (const [tongue, locale, size, colorScheme] of WINDOWS) {
    test.describe(() => {
      test.use({ locale, colorScheme });

      test(`${lesson.number} ${lesson.lesson}, ${locale}`, async ({ page, context }) => {
        // Every scene is opened up to four times; those of puzzles take a minute alone.
        test.setTimeout(240_000);
        const stage = new Stage(page);
        // Where one comes to does not hang on the language: once is enough.
        const walks = tongue === "en";
        const [first] = lesson.scenes;
        await newcomer(page, size);
        await stage.open(lesson, first!);
        await expect(page.locator("html")).toHaveAttribute("lang", tongue === "en" ? "en" : "zh-CN");
        await expect(page.locator("#lesson-title")).toHaveText(lesson.title[tongue]);
        await expect(stage.panel.locator(".dot")).toHaveCount(lesson.scenes.length);
        await expect(stage.do("back")).toBeDisabled();
        for (const [index, scene] of lesson.scenes.entries()) {
          await stage.there(lesson, scene);
          await expect(stage.panel.locator(".where")).toContainText(String(index + 1));
          await expect(stage.panel.locator(".seen")).toHaveText(scene.text[tongue]);
          await expect(stage.panel.locator(".question")).toHaveText(scene.ask[tongue]);
          expect(fragment(page).get("lesson")).toBe(linkOf(lesson, scene));
          await expectHidden(page, scene);
          await stage.looksAsked(scene.id);
          if (scene.hint) {
            await stage.do("hint").click();
            await expect(stage.panel.locator("p.hint[aria-live]:visible")).toHaveText(scene.hint[tongue]);
          }
          await mistaken(stage, lesson, scene, tongue);
          await answered(stage, lesson, scene, tongue);
          await stage.looksAnswered(scene.id);
          if (walks) await walked(stage, lesson, scene, tongue);
          if (lesson.scenes[index + 1]) await stage.do("next").click();
        }
        if (walks) await linked(stage, lesson, context);
        // After the last scene come all lessons.
        await stage.panel.locator(".dot").last().click();
        await ready(page);
        await stage.do("next").click();
        const list = page.locator("dialog.learn");
        // Of the puzzle of the day the list counts today's.
        const daily = Object.values(lesson.problems).some(({ random }) => random !== undefined);
        const counted = String(daily ? 0 : lesson.scenes.length);
        await expect(list.locator(`[data-lesson="${lesson.lesson}"] progress`)).toHaveAttribute("value", counted);
      });
    });
  }
}
