// A lecture of 45 minutes with lessons: the lecturer's window beside that of the class, the pen, a
// link for the class, a hand-out, a frame for lecture notes; and three lessons in a row.

import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { type Scene, Stage, lessonOf, linkOf, truth } from "./scenes";
import { faultsWithin, newcomer } from "./sight";

const lesson = lessonOf("order");

/** The lecturer's window. */
class Desk {
  constructor(readonly page: Page) {}

  do(name: string) {
    return this.page.locator(`.notes [data-do="${name}"]`);
  }

  section(name: string) {
    return this.page.locator(`.notes [data-notes="${name}"]`);
  }

  /** It says what the class sees, what is right and what comes next. */
  async shows(scene: Scene, index: number) {
    const notes = this.page.locator("main.notes");
    await expect(notes.locator("h2")).toContainText(lesson.title.en);
    await expect(notes.locator("h2")).toContainText(`Scene ${index + 1} of ${lesson.scenes.length}`);
    await expect(notes.locator(".question")).toHaveText(scene.ask.en);
    await expect(this.section("answer")).toContainText(scene.why.en);
    const { right } = truth(lesson, scene);
    if (right.Number) await expect(this.section("answer")).toContainText(`${right.Number[0]} ${scene.predict.number!.unit}`);
    if (right.Names) await expect(this.section("answer")).toContainText(right.Names.join(", "));
    if (scene.notes) await expect(this.section("notes").locator("p")).toHaveText(scene.notes.en);
    else await expect(this.section("notes")).toBeHidden();
    if (scene.hint) await expect(this.section("hint").locator("p")).toHaveText(scene.hint.en);
    const next = lesson.scenes[index + 1];
    if (next) await expect(this.section("next").locator("p")).toHaveText(next.ask.en);
    else await expect(this.section("next")).toBeHidden();
  }
}

/** Opens the lecturer's tools. */
async function tools(stage: Stage) {
  const details = stage.panel.locator("details.tools");
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
}

for (const by of ["the button", "the key"] as const) {
  test(`the lecturer's window leads the class through a lesson, opened by ${by}`, async ({ page }) => {
    const stage = new Stage(page);
    await stage.open(lesson, lesson.scenes[0]!);
    const popup = page.waitForEvent("popup");
    if (by === "the key") await page.keyboard.press("n");
    else {
      await tools(stage);
      await stage.do("notes").click();
    }
    const desk = new Desk(await popup);
    await expect(desk.page).toHaveURL(/\?notes=1&of=\d+$/);
    await desk.shows(lesson.scenes[0]!, 0);
    const clock = desk.page.locator('[role="timer"]');
    await expect(clock).toHaveText(/^\d:\d\d$/);
    const html = page.locator("html");
    for (const [index, scene] of lesson.scenes.entries()) {
      await stage.there(lesson, scene);
      await desk.shows(scene, index);
      // The class does not see what the lecturer reads.
      await expect(stage.panel).not.toContainText(scene.why.en);
      if (scene.notes) await expect(page.locator("body")).not.toContainText(scene.notes.en);
      if (scene.hidden?.length) await expect(html).toHaveAttribute("data-hidden");
      await expect(stage.panel.locator("p.hint[aria-live]:visible")).toHaveCount(0);
      await desk.do("hint").click();
      await expect(stage.panel.locator("p.hint[aria-live]:visible")).toHaveText(scene.hint!.en);
      await desk.do("blank").click();
      await expect(page.locator("body")).toHaveAttribute("data-blank", "true");
      await desk.do("blank").click();
      await expect(page.locator("body")).toHaveAttribute("data-blank", "false");
      await desk.do("show").click();
      await expect(stage.said).toHaveClass("said shown");
      await expect(html).not.toHaveAttribute("data-hidden");
      await ready(page);
      await desk.do("next").click();
    }
    // After the last there is no next; back leads back.
    const last = lesson.scenes.length - 1;
    await expect(stage.panel).toHaveAttribute("data-scene", linkOf(lesson, lesson.scenes[last]!));
    await desk.do("back").click();
    await stage.there(lesson, lesson.scenes[last - 1]!);
    await desk.shows(lesson.scenes[last - 1]!, last - 1);
    // What the class's window does itself is seen at the desk too.
    await page.keyboard.press("PageUp");
    await desk.shows(lesson.scenes[last - 2]!, last - 2);
    // Asked for again, it is the same window, as it was.
    await desk.page.evaluate(() => document.body.setAttribute("data-mark", "kept"));
    await page.keyboard.press("n");
    await desk.shows(lesson.scenes[last - 2]!, last - 2);
    await page.keyboard.press("PageUp");
    await desk.shows(lesson.scenes[last - 3]!, last - 3);
    expect(page.context().pages()).toHaveLength(2);
    await expect(desk.page.locator("body"), "its clock goes on").toHaveAttribute("data-mark", "kept");
    await page.goto("about:blank");
    await expect(desk.page.locator('[role="status"]')).toBeVisible();
    await expect(desk.do("next")).toBeDisabled();
    await desk.page.close();
  });
}

test("the lecturer's clock tells 45 minutes, though a covered window is not woken every second", async ({ page }) => {
  await page.clock.install();
  await page.goto("/?notes=1");
  const clock = page.locator('[role="timer"]');
  await expect(clock).toHaveText(/^0:0\d$/);
  await page.clock.runFor("05:00");
  await expect(clock).toHaveText(/^5:\d\d$/);
  // Every timer is called once at most.
  await page.clock.fastForward("40:00");
  await page.clock.runFor(2000);
  await expect(clock).toHaveText(/^45:\d\d$/);
});

test("blank covers the picture and nothing else", async ({ page }) => {
  const stage = new Stage(page);
  await stage.open(lesson, lesson.scenes[0]!);
  const middle = page.locator(".middle");
  const before = await middle.screenshot();
  await page.keyboard.press("b");
  await expect(page.locator("body")).toHaveAttribute("data-blank", "true");
  const cover = await middle.evaluate((it) => {
    const { backgroundColor, position, content } = getComputedStyle(it, "::after");
    return { backgroundColor, position, content };
  });
  expect(cover).toEqual({ backgroundColor: "rgb(0, 0, 0)", position: "absolute", content: '""' });
  expect((await middle.screenshot()).equals(before)).toBe(false);
  await expect(stage.panel.locator(".question")).toBeVisible();
  await page.keyboard.press("b");
  await expect(page.locator("body")).toHaveAttribute("data-blank", "false");
  // Who leaves the lesson sees the picture.
  await page.keyboard.press("b");
  await stage.do("leave").click();
  await expect(page.locator("body")).toHaveAttribute("data-blank", "false");
});

test("the pen draws on the picture and is wiped away", async ({ page }) => {
  const stage = new Stage(page);
  await stage.open(lesson, lesson.scenes[0]!);
  await tools(stage);
  const pen = page.locator("canvas#pen");
  const inked = () =>
    pen.evaluate((canvas: HTMLCanvasElement) => {
      const data = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data;
      let inked = 0;
      for (let at = 3; at < data.length; at += 4) if (data[at] !== 0) inked += 1;
      return inked;
    });
  await expect(pen).toHaveCount(0);
  await expect(stage.do("wipe")).toBeHidden();
  await stage.do("pen").click();
  await expect(stage.do("pen")).toHaveAttribute("aria-pressed", "true");
  expect(await inked()).toBe(0);
  const box = (await pen.boundingBox())!;
  const line = async (from: number, to: number) => {
    await page.mouse.move(box.x + box.width * from, box.y + box.height * from);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to, box.y + box.height * to, { steps: 8 });
    await page.mouse.up();
    await page.mouse.move(box.x + box.width * from, box.y + box.height * to);
  };
  await line(0.2, 0.5);
  const one = await inked();
  expect(one).toBeGreaterThan(200);
  await line(0.6, 0.8);
  expect(await inked()).toBeGreaterThan(one);
  // Nothing was moved or answered by that.
  await expect(stage.said).toHaveCount(0);
  await expect(stage.panel).toHaveAttribute("data-done", "false");
  await stage.do("wipe").click();
  expect(await inked()).toBe(0);
  // Lines are about one scene.
  await line(0.2, 0.5);
  await stage.do("next").click();
  await stage.there(lesson, lesson.scenes[1]!);
  expect(await inked()).toBe(0);
  await stage.do("pen").click();
  await expect(pen).toHaveCount(0);
});

test("the link for the class opens the scene as it begins, without the answer", async ({ page, context, baseURL }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const stage = new Stage(page);
  const scene = lesson.scenes[2]!;
  await stage.open(lesson, scene);
  await stage.solve(lesson, scene);
  await stage.isRight(scene, "en");
  await tools(stage);
  await stage.do("class").click();
  const link = `${baseURL}/#lesson=${linkOf(lesson, scene)}`;
  const box = stage.panel.locator(".class-link");
  await expect(box.locator("code")).toHaveText(link);
  await expect(box).toContainText("this machine only");
  const code = box.locator(".qr svg");
  await expect(code).toBeVisible();
  // A module for each bit: more than a third of the square, less than two thirds.
  const dark = await code.evaluate((svg: SVGSVGElement) => {
    const side = svg.viewBox.baseVal.width - 8;
    const modules = (svg.querySelector("path")?.getAttribute("d") ?? "").split("M").length - 1;
    return modules / (side * side);
  });
  expect(dark).toBeGreaterThan(0.33);
  expect(dark).toBeLessThan(0.67);
  await stage.do("copy-link").click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  const student = await context.newPage();
  await open(student, link);
  const other = new Stage(student);
  await other.there(lesson, scene);
  await expect(other.said).toHaveCount(0);
  await expect(student.locator("html")).toHaveAttribute("data-hidden", scene.hidden!.join(" "));
  await other.solve(lesson, scene);
  await other.isRight(scene, "en");
  await student.close();
  // The same for lecture notes, in a frame.
  await stage.do("copy-embed").click();
  const frame = `<iframe src="${baseURL}/?embed=1#lesson=${linkOf(lesson, scene)}"`;
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(frame);
  // It is that of the scene that is shown.
  await stage.do("next").click();
  await expect(box.locator("code")).toHaveText(`${baseURL}/#lesson=${linkOf(lesson, lesson.scenes[3]!)}`);
});

test("embedded, a scene stands without the page around it", async ({ page }) => {
  await page.setViewportSize({ width: 960, height: 640 });
  const scene = lesson.scenes[1]!;
  await open(page, `/?embed=1#lesson=${linkOf(lesson, scene)}`);
  const stage = new Stage(page);
  await stage.there(lesson, scene);
  await expect(page.locator("html")).toHaveAttribute("data-mode", "embedded");
  await expect(page.locator(".bar")).toBeHidden();
  await expect(stage.panel.locator("details.tools")).toBeHidden();
  await expect(page.locator(".stage").first()).toBeVisible();
  await expect(stage.panel.locator(".question")).toHaveText(scene.ask.en);
  expect(await faultsWithin(page, "section.lesson")).toEqual([]);
  await stage.solve(lesson, scene);
  await stage.isRight(scene, "en");
  await stage.do("next").click();
  await stage.there(lesson, lesson.scenes[2]!);
});

test("the hand-out has every scene with its picture, and the answers apart", async ({ page }) => {
  await page.addInitScript(() => {
    const kept = window as unknown as { printed?: string };
    window.print = () => {
      kept.printed = document.querySelector("#hand-out")?.outerHTML ?? "nothing";
    };
  });
  const stage = new Stage(page);
  await stage.open(lesson, lesson.scenes[1]!);
  await tools(stage);
  await stage.do("hand-out").click();
  const printed = () => page.evaluate(() => (window as unknown as { printed?: string }).printed);
  await expect.poll(printed, { timeout: 90_000 }).toBeTruthy();
  const parts = await page.evaluate((html) => {
    const sheets = new DOMParser().parseFromString(html, "text/html");
    const text = (it: Element | null | undefined) => (it?.textContent ?? "").trim();
    const scenes = [...sheets.querySelectorAll("#hand-out > section:not(.answers)")].map((section) => ({
      head: text(section.querySelector("h2")),
      text: text(section.querySelector("p")),
      ask: text(section.querySelector("b")),
      pictures: section.querySelectorAll(".picture > svg").length,
      drawn: section.querySelectorAll(".picture svg *").length,
      words: [...section.querySelectorAll(".picture svg text")].map((it) => text(it)).join(" | "),
      choices: section.querySelectorAll("ol > li").length,
    }));
    return { title: text(sheets.querySelector("#hand-out > h1")), scenes, answers: [...sheets.querySelectorAll(".answers > p")].map(text) };
  }, (await printed())!);
  expect(parts.title).toBe(lesson.title.en);
  expect(parts.scenes).toHaveLength(lesson.scenes.length);
  for (const [index, scene] of lesson.scenes.entries()) {
    const part = parts.scenes[index]!;
    expect(part).toMatchObject({ head: scene.id, text: scene.text.en, ask: scene.ask.en, pictures: 1, choices: scene.predict.choose?.length ?? 0 });
    expect(part.drawn).toBeGreaterThan(10);
    expect(parts.answers[index]).toContain(scene.why.en);
    // What is hidden on the screen is not printed either.
    if (scene.hidden?.includes("arena")) expect(part.words, scene.id).not.toMatch(/Arena:? \d/);
    if (scene.hidden?.includes("badge")) expect(part.words, scene.id).not.toMatch(/Optimal|over the bound/);
  }
  expect(parts.answers).toHaveLength(lesson.scenes.length);
  // Where the class was, it is again.
  await stage.there(lesson, lesson.scenes[1]!);
  await expect(page.locator("#hand-out")).toHaveCount(0);
  await expect(stage.panel.locator(".dot.answered")).toHaveCount(0);
});

test("three lessons in a row before an audience, to the end", async ({ page }) => {
  await newcomer(page, [1280, 720]);
  const stage = new Stage(page);
  const row = ["why-reuse", "liveness", "objects"].map(lessonOf);
  await stage.open(row[0]!, row[0]!.scenes[0]!);
  await page.keyboard.press("Shift+P");
  await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
  for (const [index, lesson] of row.entries()) {
    for (const scene of lesson.scenes) {
      await stage.there(lesson, scene);
      expect(await faultsWithin(page, "section.lesson"), scene.id).toEqual([]);
      const small = await stage.panel.evaluate((panel) => {
        const seen = [...panel.querySelectorAll(".body *")].filter((it) => it.checkVisibility() && it.textContent?.trim());
        return seen.filter((it) => Number.parseFloat(getComputedStyle(it).fontSize) < 20).map((it) => it.className);
      });
      expect(small, `${scene.id}: smaller than 20 pixels`).toEqual([]);
      // Every third is given up.
      if (scene.id.endsWith("3")) await stage.do("show").click();
      else await stage.solve(lesson, scene);
      await expect(stage.panel).toHaveAttribute("data-done", "true");
      await ready(page);
      expect(await faultsWithin(page, "section.lesson"), `${scene.id}, answered`).toEqual([]);
      await stage.do("next").click();
    }
    const list = page.locator("dialog.learn");
    await expect(list).toBeVisible();
    const next = row[index + 1];
    if (next) await list.locator(`[data-lesson="${next.lesson}"] button`).click();
    else await page.keyboard.press("Escape");
    await expect(list).toBeHidden();
    await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
  }
  await stage.do("leave").click();
  await expect(stage.panel).toHaveCount(0);
});
