// Lessons as they are written, what is right in them natively, and what somebody does in a scene.

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready } from "./page";
import { barriers, faultsWithin } from "./sight";

export type Text = { en: string; zh: string };
type Feedback = { says: Text };
type Problem = { csv?: string[]; graph?: string[]; sample?: string; random?: object };
type Choice = { id: string; text: Text; feedback?: Feedback };
type NumberAsked = { unit?: string; tolerance?: number; traps?: { feedback: Feedback }[]; otherwise: Feedback };
type PointAsked = { at: "rectangle" | "step" | "operator"; need?: "all" | "any"; wrong?: Record<string, Feedback>; otherwise: Feedback };
type PlaceAsked = { plan: string; may_be_impossible?: boolean; overlap: Feedback; above: Feedback; impossible?: Feedback };
type ListAsked = { items: [string, Text][]; early?: Record<string, Feedback>; otherwise: Feedback };
type OperatorsAsked = { early: Feedback; above: Feedback };
type SpoilAsked = { plan: string; none: Feedback; several: Feedback };
type GiveUpAsked = { above: Feedback; more: Feedback };

export type Predict = {
  choose?: Choice[];
  number?: NumberAsked;
  point?: PointAsked;
  place?: PlaceAsked;
  list?: ListAsked;
  operators?: OperatorsAsked;
  spoil?: SpoilAsked;
  give_up?: GiveUpAsked;
};

export type Scene = {
  id: string;
  problem: string;
  at: string;
  then?: string;
  hidden?: string[];
  keeps?: string[];
  text: Text;
  ask: Text;
  predict: Predict;
  why: Text;
  hint?: Text;
  notes?: Text;
};

export type Lesson = {
  lesson: string;
  number: number;
  title: Text;
  teaches: Text;
  puzzles?: boolean;
  problems: Record<string, Problem>;
  scenes: Scene[];
};

/** A set of activations that is given up, one bit for each, and what the step comes to. */
export type Drop = { set: number; peak: number; again: number };

/** What is right in a scene: one of these, or nothing of them where it is `"OneOutput"`. */
export type Right = {
  Choices?: string[];
  Number?: [number, number[]];
  Names?: string[];
  Bytes?: { goal: number; least: number; stars: number[] };
  Drops?: { budget: number; fewest: number; star: number; names: string[]; sets: Drop[] };
};
export type Measured = { right: Right; solution: [string, number][] };

const FOLDER = fileURLToPath(new URL("../../public/lessons/", import.meta.url));

/** The text of a lesson's file. */
export const lessonFile = (name: string): string => readFileSync(`${FOLDER}${name}`, "utf8");

/** Every lesson, in the order of the list. */
export const LESSONS: Lesson[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => JSON.parse(lessonFile(name)) as Lesson)
  .sort((one, other) => one.number - other.number);

/** The lesson of this name. */
export function lessonOf(name: string): Lesson {
  const found = LESSONS.find((it) => it.lesson === name);
  if (!found) throw new Error(`no lesson ${name}`);
  return found;
}

let known: Record<string, Record<string, Measured>> | undefined;

/** What planner, judge and search say natively of a scene. */
export function truth(lesson: Lesson, scene: Scene): Measured {
  known ??= JSON.parse(native("lessons", [])) as Record<string, Record<string, Measured>>;
  const found = known[lesson.lesson]?.[scene.id];
  if (!found) throw new Error(`nothing is said of ${lesson.lesson}:${scene.id}`);
  return found;
}

export type Tongue = "en" | "zh";

/** What a link calls a scene. */
export const linkOf = (lesson: Lesson, scene: Scene) => `${lesson.lesson}:${scene.id}`;

/** Under these the page keeps what was answered, and that the first lesson is not to be offered. */
export const ANSWERED = "arenascope.lessons";
export { OFFERED } from "./page";

/** A scene on the page. */
export class Stage {
  readonly panel: Locator;
  readonly said: Locator;
  readonly ask: Locator;

  constructor(readonly page: Page) {
    this.panel = page.locator("section.lesson");
    this.said = this.panel.locator(".outcome .said");
    this.ask = this.panel.locator(".ask");
  }

  do(name: string): Locator {
    return this.panel.locator(`[data-do="${name}"]`);
  }

  /** Opens the page at a scene. */
  async open(lesson: Lesson, scene: Scene) {
    await open(this.page, `/#lesson=${linkOf(lesson, scene)}`);
    await this.there(lesson, scene);
  }

  /** Waits until the scene is there, unanswered, and its answer is known. */
  async there(lesson: Lesson, scene: Scene) {
    await expect(this.panel).toHaveAttribute("data-scene", linkOf(lesson, scene));
    await expect(this.panel).toHaveAttribute("data-done", "false");
    await expect(this.ask).toHaveAttribute("data-measured", "true");
    await ready(this.page);
  }

  /** Nothing of the panel is cut off, what is pressed is in reach. */
  async looksAsked(what: string) {
    expect(await faultsWithin(this.page, "section.lesson"), `${what}: asked`).toEqual([]);
    for (const name of ["back", "show", "next"]) {
      // In a narrow window it is scrolled to.
      await this.do(name).scrollIntoViewIfNeeded();
      await expect(this.do(name), `${what}: ${name}`).toBeInViewport({ ratio: 0.95 });
    }
  }

  /** Nothing of the panel is cut off once it is answered, and nothing keeps anybody out. */
  async looksAnswered(what: string) {
    expect(await faultsWithin(this.page, "section.lesson"), `${what}: answered`).toEqual([]);
    const wide = await this.said.evaluate((said) => said.getBoundingClientRect().width / (said.closest(".body")?.clientWidth ?? 1));
    expect(wide, `${what}: share of the panel that the answer has`).toBeGreaterThan(0.85);
    expect(await barriers(this.page, "section.lesson"), `${what}: barriers`).toEqual([]);
  }

  async isRight(scene: Scene, tongue: Tongue) {
    await expect(this.said).toHaveClass("said right");
    await expect(this.said).toContainText(scene.why[tongue]);
    await expect(this.panel).toHaveAttribute("data-done", "true");
  }

  async isWrong(feedback: Feedback, tongue: Tongue, what: string) {
    await expect(this.said, what).toHaveClass("said wrong");
    await expect(this.said, what).toContainText(feedback.says[tongue]);
    await expect(this.panel, what).toHaveAttribute("data-done", "false");
  }

  async number(text: string) {
    await this.ask.locator("input").fill(text);
    await this.ask.locator("input").press("Enter");
  }

  chip(name: string): Locator {
    return this.ask.locator(`.chip[data-point=${JSON.stringify(name)}]`);
  }

  chips(): Promise<string[]> {
    return this.ask.locator(".chip").evaluateAll((all) => all.map((it) => it.getAttribute("data-point") ?? ""));
  }

  /** The names of rows in their order. */
  rows(): Promise<string[]> {
    return this.ask.locator(".ordered li").evaluateAll((all) => all.map((it) => it.getAttribute("data-item") ?? ""));
  }

  /** Moves rows, each earlier, until they are in this order. */
  async order(wanted: string[]) {
    for (const [index, name] of wanted.entries()) {
      for (;;) {
        const at = (await this.rows()).indexOf(name);
        if (at <= index) break;
        await this.ask.locator(`li[data-item="${name}"] [data-do="earlier"]`).click();
        await expect(this.ask.locator("li").nth(at - 1)).toHaveAttribute("data-item", name);
        await ready(this.page);
      }
    }
    expect(await this.rows()).toEqual(wanted);
  }

  /** Where a rectangle lies that was moved by hand, as the address bar says it. */
  private moved(name: string): number | undefined {
    const edit = new URLSearchParams(new URL(this.page.url()).hash.slice(1)).get("edit") ?? "";
    const places = edit.slice(edit.indexOf(":") + 1).split(",");
    const own = places.find((place) => place.startsWith(`${name}@`));
    return own === undefined ? undefined : Number(own.slice(name.length + 1));
  }

  /** Chooses a rectangle by its chip: what arrows move from now on. */
  async take(name: string) {
    await this.ask.locator(`.chip[data-select="${name}"]`).click();
    await expect(this.page).toHaveURL(new RegExp(`select=${name}(&|$)`));
  }

  /** Presses a key so often, each time once the page is still. */
  async press(key: string, times = 1) {
    for (let press = 0; press < times; press += 1) {
      await this.page.keyboard.press(key);
      await ready(this.page);
    }
  }

  /**
   * Moves a rectangle with the keyboard: chosen once, then from one free place to the next while
   * that comes nearer, and the rest byte by byte.
   */
  async move(name: string, to: number, step: number) {
    await this.take(name);
    await this.press("Shift+ArrowUp");
    await expect.poll(() => this.moved(name), `${name} was moved`).toBeDefined();
    let at = this.moved(name)!;
    // Where it was it is not said to be moved.
    const start = at - step;
    while (at !== to && !(await this.isDone())) {
      const before = at;
      await this.press(to > at ? "Shift+PageUp" : "Shift+PageDown");
      at = this.moved(name) ?? start;
      if (at === before || to > before !== to > at) break;
    }
    const rest = (to - at) / step;
    if (rest === 0 || (await this.isDone())) return;
    await this.press(rest > 0 ? "Shift+ArrowUp" : "Shift+ArrowDown", Math.abs(rest));
    if (!(await this.isDone())) await expect.poll(() => this.moved(name) ?? start, `where ${name} lies`).toBe(to);
  }

  /** Gives these activations up, and no other, and has that checked. */
  async giveUp(names: string[], set: number) {
    for (const [index, name] of names.entries()) {
      const chip = this.ask.locator(`.chip[data-drop="${name}"]`);
      const wanted = String(Boolean((set >> index) & 1));
      if ((await chip.getAttribute("aria-pressed")) !== wanted) await chip.click();
      await expect(chip).toHaveAttribute("aria-pressed", wanted);
    }
    await this.do("check").click();
  }

  /** Whether the answer is there. */
  async isDone(): Promise<boolean> {
    return (await this.panel.getAttribute("data-done")) === "true";
  }

  /** Whatever was said while a plan was spoiled. */
  readonly heard = new Set<string>();

  /** Moves one rectangle after another down to the floor and up again until one output changes. */
  async spoil() {
    const chips = this.ask.locator(".chip");
    for (const name of await chips.evaluateAll((all) => all.map((it) => it.getAttribute("data-select") ?? ""))) {
      await this.take(name);
      for (const key of ["Shift+ArrowDown", "Shift+ArrowUp"]) {
        for (let press = 0; press < 6 && !(await this.isDone()); press += 1) {
          const before = this.moved(name);
          await this.press(key);
          for (const said of await this.said.allTextContents()) this.heard.add(said);
          if (this.moved(name) === before) break;
        }
      }
      if (await this.isDone()) return;
      // As it was, for the next.
      await this.page.keyboard.press("Escape");
      await ready(this.page);
    }
  }

  /** Gives the right answer. */
  async solve(lesson: Lesson, scene: Scene) {
    const { right, solution } = truth(lesson, scene);
    const { place, operators } = scene.predict;
    if (right.Choices) await this.ask.locator(`.choice[data-choice="${right.Choices[0]}"]`).click();
    else if (right.Number) await this.number(String(right.Number[0]));
    else if (right.Names && scene.predict.point) {
      const names = scene.predict.point.need === "any" ? right.Names.slice(0, 1) : right.Names;
      for (const name of names) await this.chip(name).click();
    } else if (right.Names) {
      const own = await this.rows();
      await this.order(right.Names.filter((name) => own.includes(name)));
      await this.do("check").click();
    } else if (right.Bytes && place && right.Bytes.goal < right.Bytes.least) await this.do("impossible").click();
    else if (place) {
      // From below: what carries another is there before it.
      for (const [name, to] of solution.toSorted((one, other) => one[1] - other[1])) {
        if (await this.isDone()) break;
        await this.move(name, to, step(lesson, scene));
      }
    } else if (right.Drops) {
      const { budget, names, sets } = right.Drops;
      const fitting = sets.filter((drop) => drop.peak <= budget).sort((one, other) => one.again - other.again);
      await this.giveUp(names, fitting[0]!.set);
    } else if (scene.predict.spoil) await this.spoil();
    else if (operators) await this.order(lowest(lesson.problems[scene.problem]?.graph ?? []).order);
  }
}

/** Bytes by which arrows move: the alignment of the plan. */
function step(lesson: Lesson, scene: Scene): number {
  const at = new URLSearchParams(scene.at).get("align");
  return at ? Number(at) : lesson.problems[scene.problem]?.sample ? 64 : 1;
}

/** An operator of a graph as text: what it writes and reads, and how many bytes it writes. */
export type Operator = { name: string; reads: string[]; bytes: number };

/** The operators of a graph whose results have one row of `f32`. */
function operators(lines: string[]): Operator[] {
  const columns = new Map<string, number>();
  const found: Operator[] = [];
  for (const line of lines) {
    const held = /^(?:input|const) (\w+): f32\[\d+, (\d+)\]/.exec(line);
    if (held) columns.set(held[1]!, Number(held[2]));
    const call = /^(\w+) = (\w+)\(([^)]*)\)/.exec(line);
    if (!call) continue;
    const reads = call[3]!.split(", ");
    const widths = reads.map((name) => columns.get(name) ?? Number.NaN);
    const width = call[2] === "MatMul" ? widths[1]! : widths.reduce((sum, it) => sum + it, 0);
    columns.set(call[1]!, width);
    // Outputs lie beside the arena.
    const bytes = lines.includes(`output ${call[1]}`) ? 0 : width * 4;
    found.push({ name: call[1]!, reads, bytes });
  }
  const made = new Set(found.map((it) => it.name));
  return found.map((it) => ({ ...it, reads: it.reads.filter((name) => made.has(name)) }));
}

/** The bytes that are live at most while operators run in this order. */
function peak(order: Operator[]): number {
  const last = (name: string) => order.findLastIndex((it) => it.reads.includes(name));
  const live = (now: number) => {
    const kept = order.filter((it, made) => made <= now && Math.max(last(it.name), made) >= now);
    return kept.reduce((sum, it) => sum + it.bytes, 0);
  };
  return Math.max(...order.map((_, now) => live(now)));
}

/** Of all orders that can run, one with the lowest peak. */
export function lowest(lines: string[]): { order: string[]; peak: number } {
  const all = operators(lines);
  let best: { order: Operator[]; peak: number } = { order: all, peak: Infinity };
  const extend = (order: Operator[]) => {
    if (order.length === all.length) {
      const now = peak(order);
      if (now < best.peak) best = { order, peak: now };
      return;
    }
    for (const next of all) {
      const runs = next.reads.every((name) => order.some((it) => it.name === name));
      if (runs && !order.includes(next)) extend([...order, next]);
    }
  };
  extend([]);
  return { order: best.order.map((it) => it.name), peak: best.peak };
}

/** Orders that are one step from that of the file: one that cannot run, and one that can. */
export function neighbours(lines: string[]): { early: string[]; above: string[] } {
  const all = operators(lines);
  const swapped = (index: number) => all.map((it, at) => all[at === index ? index + 1 : at === index + 1 ? index : at] ?? it);
  const reads = (index: number) => Boolean(all[index + 1]?.reads.includes(all[index]?.name ?? ""));
  const places = all.slice(0, -1).map((_, index) => index);
  const names = (index: number | undefined) => swapped(index ?? 0).map((it) => it.name);
  return { early: names(places.find(reads)), above: names(places.find((index) => !reads(index))) };
}
