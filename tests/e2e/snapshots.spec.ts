// A memory snapshot of PyTorch in the page: its devices as arenas, what its allocator held over
// time, who allocated a block. And a file of two that waits for its partner.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, plot, ready, test } from "./page";
import { choose, colors, document, drop, dropAll, pane, sample } from "./session";
import { showView } from "./tasks.mjs";


/** What the allocator that made the snapshot wrote down itself: see the program's own words. */
type Books = {
  blocks: number;
  step: number;
  lanes: Record<string, number>;
  kept: number;
  built: number;
  /** A share of the time in which another share of the steps has gone by, and the steps around it. */
  uneven: [share: number, first: number, last: number];
};

let snapshot: Buffer;
let books: Books[];
/** The step at which a request of each device failed, where one did. */
let failures: (number | undefined)[];

test.beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "arenascope-snapshot-"));
  const file = join(folder, "snapshot.pickle");
  const told = native("snapshots", ["10000", file, "2"]);
  snapshot = readFileSync(file);
  books = told.trimEnd().split("\n").map((line) => {
    const [blocks, step, Reserved, Allocated, Active, Requested, kept, built, share, first, last] = line
      .split(" ")
      .map(Number);
    const lanes = { Reserved, Allocated, Active, Requested };
    return { blocks, step, lanes, kept, built, uneven: [share / 1e6, first, last] };
  });
  failures = books.map((_, device) => {
    const args = ["waste", file, "--arena", String(device), "--format", "json"];
    return JSON.parse(native("arenascope", args)).failure?.step;
  });
  rmSync(folder, { recursive: true });
});

async function opened(page: Page) {
  await open(page);
  await choose(page, "snapshot.pickle", snapshot);
  await expect(document(page)).toHaveText("snapshot.pickle");
  await ready(page);
}

/** A number with thousands separated. */
const grouped = (number: number) => number.toLocaleString("en-US");

const arena = (page: Page, device: number) => page.locator(`.arenas [data-arena="${device}"]`);

async function show(page: Page, device: number) {
  await arena(page, device).getByRole("button").click();
  await expect(arena(page, device)).toHaveClass(/chosen/);
  await ready(page);
}

/** What is said to be so large, in bytes, and how far off a number may be that is written so. */
function size(text: string | null): [number, number] {
  const [, number, digits = "", unit] = /^([\d,]+(?:\.(\d+))?) (B|KiB|MiB|GiB)$/.exec(text ?? "") ?? [];
  const scale = 1024 ** ["B", "KiB", "MiB", "GiB"].indexOf(unit);
  return [Number(number?.replaceAll(",", "")) * scale, scale / 10 ** digits.length / 2];
}

async function lanesAreThoseOf(page: Page, device: number) {
  const { step, lanes } = books[device];
  const at = page.locator(".lane-bar .at");
  const failed = failures[device];
  if (failed !== undefined) {
    // Where a request failed is looked at before where most is reserved.
    await expect(at).toContainText(new RegExp(`${grouped(failed)}|${grouped(step)}`));
    if (!(await at.textContent())?.includes(grouped(step))) return;
  }
  await expect(at).toContainText(grouped(step));
  for (const [kind, bytes] of Object.entries(lanes)) {
    const [said, off] = size(await page.locator(`[data-lane="File(${kind})"] b`).textContent());
    expect(Math.abs(said - bytes), `${kind} of device ${device}`).toBeLessThanOrEqual(off);
  }
}

test("a snapshot of 20,000 events shows its devices as arenas, one at a time", async ({ page }) => {
  await opened(page);
  await expect(page.locator(".facts")).toContainText("PyTorch");
  for (const [device, { blocks }] of books.entries()) {
    const button = arena(page, device).getByRole("button");
    await expect(button).toHaveText(`device ${device}`);
    await expect(button).toHaveAttribute("title", `Show device ${device}: ${grouped(blocks)} tensors`);
  }
  // The first of the table is the one that is open: it has the most avoidable bytes.
  await expect(page.locator(".arenas [data-arena]")).toHaveCount(2);
  await expect(page.locator(".arenas [data-arena]").first()).toHaveClass(/chosen/);
  await show(page, 0);
  await expect(page.locator(".facts")).toContainText(`${grouped(books[0].blocks)} `);
  expect(await colors(pane(page, "deployed"))).toBeGreaterThan(5);
  // What takes long with so many buffers waits until it is asked for, and says so.
  await expect(page.locator('.compare tr[data-strategy="exact"]').getByRole("button")).not.toHaveCount(0);
});

test("another device is chosen, and Back returns to the first", async ({ page }) => {
  await opened(page);
  await page.locator(".lane-bar > button").click();
  const first = Number(await page.locator(".arenas .chosen").getAttribute("data-arena"));
  await lanesAreThoseOf(page, first);
  await show(page, 1 - first);
  await lanesAreThoseOf(page, 1 - first);
  await expect(page).toHaveURL(new RegExp(`arena=${1 - first}`));
  await page.goBack();
  await expect(arena(page, first)).toHaveClass(/chosen/);
  await ready(page);
  await lanesAreThoseOf(page, first);
});

test("a block names the stack that allocated it", async ({ page }) => {
  await opened(page);
  await page.locator("#search").fill("function = linear");
  await showView(page, "tensors");
  await page.locator("tbody tr[data-buffer] button").first().click();
  const stack = page.locator(".inspector .stack");
  // The line of the program; the operator is the one that Python called.
  await expect(stack.locator("summary").first()).toContainText("forward (model.py:41)");
  await expect(page.locator(".inspector dl").first()).toContainText("linear");
  await stack.locator("summary").first().click();
  // As the program that was traced called itself, with what runs below Python folded.
  await expect(stack.locator("li:not(.runtime li) > code:visible")).toHaveText([
    "linear",
    "_PyEval_EvalFrameDefault",
    "forward",
    "_call_impl",
    "_PyEval_EvalFrameDefault",
    "forward",
    "train",
    "<module>",
    "__libc_start_main",
  ]);
  const runtime = stack.locator("li.runtime");
  await expect(runtime).toHaveCount(1);
  await expect(runtime.locator("summary")).toHaveText("8 frames of the runtime");
  await runtime.locator("summary").click();
  await expect(runtime.locator("li").first()).toContainText("DeviceCachingAllocator::malloc");
  await expect(stack.locator("li.own").first()).toContainText("/home/k/model.py:41");
});

test("who holds what is never given back, by group and by stack", async ({ page }) => {
  await opened(page);
  await show(page, 0);
  const { kept, built } = books[0];
  await showView(page, "held");
  await page.locator("#held-when").selectOption("end");
  await expect(page.locator(".held .sum")).toHaveAttribute("data-bytes", String(kept));
  await expect(page.locator(".held .sum")).toContainText(/\d blocks that are never given back/);
  await page.locator("#held-by").selectOption("caller");
  const row = page.locator('.groups [data-group="build (model.py:12)"]');
  await expect(row).toHaveAttribute("data-bytes", String(built));
  // The parameters are built once: the frame is as wide as the group has bytes.
  const frame = page.locator('.flame [data-frame="build (model.py:12)"]');
  await expect(frame).toHaveAttribute("data-bytes", String(built));
  // Below Python nothing is shown, but for what has no Python at all.
  const malloc = page.locator('.flame [data-frame*="DeviceCachingAllocator"]');
  const python = await malloc.count();
  expect(python).toBeLessThanOrEqual(1);
  await page.getByLabel("Frames of the runtime").check();
  await expect.poll(() => malloc.count()).toBeGreaterThan(python);
  await page.getByLabel("Frames of the runtime").uncheck();
  await frame.click();
  await page.getByRole("button", { name: "Show in the picture" }).click();
  await expect(page.locator("#search")).toHaveValue("frame = model.py:12");
  // A group leads to its rectangles, and gives them back.
  await row.getByRole("button").click();
  await expect(page.locator("#search")).toHaveValue('caller = "build (model.py:12)"');
  await row.getByRole("button").click();
  await expect(page.locator("#search")).toHaveValue("");
});

/** The box of an element in the window. */
const box = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);

test("the bytes of groups over time: what is pointed at, looked at and shown", async ({ page }) => {
  await opened(page);
  await show(page, 0);
  await showView(page, "held");
  await page.locator("#held-by").selectOption("phase");
  const area = page.locator(".held .area");
  await expect(area).toHaveAttribute("role", "slider");
  await area.scrollIntoViewIfNeeded();
  // No pixel misses the peak: all groups together need what the books have.
  const { step, lanes } = books[0];
  const peak = await box(page, ".area .peak");
  const whole = await box(page, ".area");
  const name = "forward";
  const card = page.locator(".card");
  let y = whole.bottom - 25;
  for (let below = ""; below !== name && y > whole.top; y -= 4) {
    await page.mouse.move(peak.x, y);
    below = (await card.locator("b").textContent()) ?? "";
  }
  await expect(card.locator("b")).toHaveText(name);
  await expect(card.locator("dt")).toHaveText(["Bytes", "All groups", "Step"]);
  const [all, off] = size(await card.locator("dd").nth(1).textContent());
  expect(Math.abs(all - lanes.Active)).toBeLessThanOrEqual(off);
  await expect(card.locator("dd").nth(2)).toContainText(grouped(step));
  // A click shows the group at this step, in the table and in the picture.
  await page.mouse.click(peak.x, y + 4);
  await expect(page.locator("#held-when")).toHaveValue("step");
  await expect(page.locator(".held .sum")).toHaveAttribute("data-bytes", String(lanes.Active));
  await expect(page.locator("#search")).toHaveValue(`phase = ${name} and live at ${step}`);
  const row = page.locator(`.groups [data-group="${name}"]`);
  await expect(row.getByRole("button")).toHaveAttribute("aria-pressed", "true");
  // The table has the colours of the bands.
  const fill = (selector: string) => page.locator(selector).first().getAttribute("fill");
  expect(await fill(`.groups [data-group="${name}"] th rect`)).toBe(await fill(`.area [data-band="${name}"]`));
  // Coloured by the same, the picture has them, too.
  await page.locator("#coloring").selectOption("phase");
  const line = page.locator(".colors .legend li", { hasText: name });
  const band = page.locator(`.area [data-band="${name}"]`);
  await expect(band).toHaveAttribute("fill", (await line.locator("rect").getAttribute("fill")) ?? "");
});

test("the bytes of groups over time are reached by keys", async ({ page }) => {
  await opened(page);
  await show(page, 0);
  await showView(page, "held");
  await page.locator("#held-by").selectOption("phase");
  const area = page.locator(".held .area");
  await area.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowUp");
  await expect(area).toHaveAttribute("aria-valuetext", /^step [\d,]+: .+ needs .+ of .+$/);
  await page.keyboard.press("ArrowDown");
  await expect(area).toHaveAttribute("aria-valuetext", /^step [\d,]+: .+ in all$/);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await expect(page.locator("#held-when")).toHaveValue("step");
  const looked = Number(await area.getAttribute("aria-valuenow"));
  expect(looked).toBeGreaterThan(0.99 * Number(await area.getAttribute("aria-valuemax")));
  await expect(page.locator(".held .sum")).toContainText(`at step ${grouped(looked)}`);
  // A line of the legend shows its group at any time.
  await page.locator(".legend.bands button").first().click();
  await expect(page.locator("#search")).toHaveValue(/^phase = \S+$/);
});

test("with times across a step is as long as it took", async ({ page }) => {
  await opened(page);
  await show(page, 1);
  const [share, first, last] = books[1].uneven;
  const by = page.locator('[data-do="time"]');
  await page.locator(".lane-bar > button").click();
  const pointed = async () => {
    const { x, y, width, height } = await plot(pane(page, "deployed"));
    await page.mouse.move(x + share * width, y + height / 2);
    await expect(page.locator(".lane-bar .at")).toContainText("at step");
    const text = await page.locator(".lane-bar .at").textContent();
    return Number(/at step ([\d,]+)/.exec(text ?? "")?.[1].replaceAll(",", ""));
  };
  // Steps, one as long as the other.
  const step = await pointed();
  expect(step < first || last < step, `step ${step}`).toBe(true);
  await by.click();
  await expect(by).toHaveAttribute("aria-pressed", "true");
  await ready(page);
  const timed = await pointed();
  expect(timed).toBeGreaterThanOrEqual(first);
  expect(timed).toBeLessThanOrEqual(last);
  await expect(page).toHaveURL(/axis=time/);
  // The bands follow, and so does whoever opens the link.
  await showView(page, "held");
  await expect(page.locator(".area text", { hasText: /^time →$/ })).toBeVisible();
  await by.click();
  await expect(page).not.toHaveURL(/axis=time/);
  await expect(page.locator(".area text", { hasText: /^steps →$/ })).toBeVisible();
  // Of a model nobody knows how long its steps take.
  await open(page, "/#sample=unet");
  await expect(by).toBeHidden();
});

test("the inspector says when a block lived", async ({ page }) => {
  await opened(page);
  await showView(page, "tensors");
  await page.locator("tbody tr[data-buffer] button").first().click();
  await expect(page.locator(".inspector dl").first()).toContainText(/steps [\d,]+ to [\d,]+ \([\d,]+\), [\d.]+ (µs|ms|s) to [\d.]+ (µs|ms|s) \([\d.]+ (µs|ms|s)\)/);
});

test("a file that belongs to another waits for it", async ({ page }) => {
  const plans = new URL("../data/plans/xla/", import.meta.url);
  const half = (name: string) => readFileSync(fileURLToPath(new URL(name, plans)));
  const [assignment, ranges] = ["train-buffer-assignment.txt", "train-live-range.txt"];
  await open(page);
  const before = await document(page).textContent();
  await choose(page, ranges, half(ranges));
  const notice = page.locator(".notice");
  await expect(notice).toContainText(ranges);
  await expect(notice).toContainText("Another file belongs to it and is missing.");
  await expect(notice).toContainText("It waits for the missing file");
  await expect(document(page)).toHaveText(before ?? "");
  await choose(page, assignment, half(assignment));
  await expect(document(page)).toHaveText(`${assignment} + ${ranges}`);
  await ready(page);
  await expect(notice).toHaveCount(0);
  await expect(pane(page, "deployed")).toBeVisible();
  await expect(page.locator(".facts")).toContainText("XLA");
});

test("a file that waits is not forgotten over others, until it is dismissed", async ({ page }) => {
  const half = (name: string) => readFileSync(fileURLToPath(new URL(`../data/plans/xla/${name}`, import.meta.url)));
  const [assignment, ranges] = ["train-buffer-assignment.txt", "train-live-range.txt"];
  const other = "loop-buffer-assignment.txt";
  await open(page);
  await drop(page, ranges, half(ranges));
  const notice = page.locator(".notice");
  await expect(notice).toContainText("It waits for the missing file");
  // What is no plan, a plan of its own, and a half of another module.
  await drop(page, "holiday.txt", Buffer.from("no plan at all"));
  await expect(notice).toContainText("holiday.txt cannot be opened");
  await expect(notice).toContainText(`“${ranges}” still waits`);
  await drop(page, "packed.zst", Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0]));
  await expect(notice).toContainText("it is packed by zstd");
  await expect(notice).toContainText("Unpack it and open what is inside, with the other files of the same dump");
  await expect(notice).toContainText(`“${ranges}” still waits`);
  await drop(page, "gap.csv", sample("leading_gap.csv"));
  await expect(document(page)).toHaveText("gap.csv");
  await expect(notice).toContainText(`“${ranges}” still waits`);
  await drop(page, other, half(other));
  await expect(notice).toContainText(`${other} cannot be opened`);
  await expect(notice).toContainText(`“${ranges}” still waits`);
  // Given again with what it does not belong to, it still waits.
  await dropAll(page, [ranges, other, "loop-live-range.txt"].map((name) => [name, half(name)]));
  await expect(notice).toContainText("These files do not make one document.");
  await expect(notice).toContainText(`“${ranges}” still waits`);
  await drop(page, assignment, half(assignment));
  await expect(document(page)).toHaveText(`${assignment} + ${ranges}`);
  await expect(notice).toHaveText(/“loop-buffer-assignment\.txt” still waits/);
  await notice.getByRole("button").click();
  await drop(page, "loop-live-range.txt", half("loop-live-range.txt"));
  await expect(notice).toContainText("loop-live-range.txt cannot be opened");
});
