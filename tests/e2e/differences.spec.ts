// What two plans of a file, or two dumps of one program, do not have in common.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { document, drop, dropAll, sample } from "./session";
import { showView } from "./tasks.mjs";

/** By hand: c, 120 B, lies on b, so the arena is 240 B; 180 B, b and c at step 2, suffice. */
const DEPLOYED = `id,lower,upper,size,offset
a,0,2,60,0
b,1,3,60,60
c,2,5,120,120
d,3,6,60,0
e,5,8,100,60
f,6,9,40,0
`;

/** The same before an upgrade: c had 100 B, g is gone since, e was called e_7. */
const EARLIER = `id,lower,upper,size,offset
a,0,2,60,0
b,1,3,60,60
c,2,5,100,120
d,3,6,60,0
e_7,5,8,100,60
f,6,9,40,0
g,8,9,10,60
`;

const csv = (name: string, text: string) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(text),
});

async function openPlan(page: Page) {
  await open(page);
  await page.locator("#file").setInputFiles(csv("deployed.csv", DEPLOYED));
  await expect(page.locator(".document")).toContainText("deployed.csv");
  await ready(page);
  await showView(page, "differences");
}

test("a better plan is told from the deployed one", async ({ page }) => {
  await openPlan(page);
  const tab = page.locator(".differences");
  await expect(tab.locator('[data-choice="from"]')).toHaveValue("deployed");
  await expect(tab.locator('[data-choice="to"]')).toHaveValue("best");
  await expect(tab.locator("[data-saved]")).toHaveAttribute("data-saved", "60");
  await expect(tab.locator("[data-saved]")).toContainText("60 B (25.0 %)");
  await expect(tab.locator("[data-saved]")).toContainText("proved");
  const moved = Number(await tab.locator("[data-moved]").getAttribute("data-moved"));
  const same = Number(await tab.locator("[data-same]").getAttribute("data-same"));
  expect(moved + same).toBe(6);
  await page.locator("#all-moved").check();
  await expect(tab.locator("tbody tr")).toHaveCount(moved);
  // A row leads to the rectangle.
  await tab.locator("tbody tr button", { hasText: /^c$/ }).click();
  await expect(page.locator(".inspector")).toContainText("120 B");
  // The other way round it costs as much.
  await tab.locator(".pair button").first().click();
  await expect(tab.locator("[data-saved]")).toHaveAttribute("data-saved", "-60");
});

test("another dump of the program says what grew", async ({ page }) => {
  await openPlan(page);
  const dumps = page.locator(".dumps");
  await dumps.locator("#other-dump").setInputFiles(csv("earlier.csv", EARLIER));
  // 220 B before: c ended at 220; the arena grew by the 20 B that c did.
  await expect(dumps.locator(".verdict")).toContainText("grew by 20 B (9.1 %): from 220 B to 240 B");
  await expect(dumps.locator('[data-change="changed"]')).toHaveCount(1);
  await expect(dumps.locator('[data-change="changed"]')).toContainText("+20 B");
  // "e_7" has a number and "e" has none, so nobody takes one for the other.
  await expect(dumps.locator('[data-change="removed"]')).toHaveCount(2);
  await expect(dumps.locator('[data-change="added"]')).toHaveCount(1);
  // Both stand side by side, each with its name.
  await expect(page.locator('.pane[data-strategy="deployed"]')).toHaveCount(2);
  await expect(page.locator(".pane .case")).toContainText(["deployed.csv", "deployed.csv", "earlier.csv"]);
  // 160 B at step 2 before, 180 B after: all of it is needed, none of it fragmentation.
  await expect(dumps.locator(".growth tr", { hasText: "Needed" })).toContainText("+20 B");
  await dumps.locator(".pair button").first().click();
  await expect(dumps.locator(".verdict")).toContainText("shrank by 20 B");
  await dumps.locator(".pair button").last().click();
  await expect(dumps.locator(".verdict")).toHaveCount(0);
  await expect(page.locator('.pane[data-strategy="deployed"]')).toHaveCount(1);
});

test("two dumps fit a narrow page, names and figures and what they are", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openPlan(page);
  const dumps = page.locator(".dumps");
  const name = `${"a_long_name_without_a_space_".repeat(3)}.csv`;
  await dumps.locator("#other-dump").setInputFiles(csv(name, EARLIER.replace(/^e_7,/m, `${"over_there_".repeat(9)},`)));
  await expect(dumps.locator(".verdict")).toContainText("grew by 20 B");
  const sheet = page.locator('.sheet:has(.dumps)');
  expect(await sheet.evaluate((it) => it.scrollWidth - it.clientWidth)).toBe(0);
  for (const cell of await dumps.locator("td[data-label], th[scope=row], .pair > *").all()) {
    const box = await cell.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  }
  // 180 B are needed at once now, 160 B were before.
  const needed = dumps.locator(".growth tr", { hasText: "Needed" }).locator("[data-label]");
  await expect(needed).toHaveText(["160 B", "180 B", "+20 B"]);
  const head = (it: Element) => getComputedStyle(it, "::before").content;
  expect(await needed.nth(1).evaluate(head)).toContain("After");
});

test("a dump beside itself has no table, one of another program a remark", async ({ page }) => {
  await openPlan(page);
  const dumps = page.locator(".dumps");
  await dumps.locator("#other-dump").setInputFiles(csv("again.csv", DEPLOYED));
  await expect(dumps.locator(".counts")).toContainText("6 tensors unchanged in size and life");
  await expect(dumps.locator("table.buffers")).toHaveCount(0);
  await expect(dumps.locator(".few")).toHaveCount(0);
  const stranger = DEPLOYED.replace(/^([a-f]),/gm, "other-$1,");
  await dumps.locator("#other-dump").setInputFiles(csv("stranger.csv", stranger));
  await expect(dumps.locator(".few")).toContainText("are these dumps of the same program?");
  await expect(dumps.locator("table.buffers tbody tr")).toHaveCount(12);
});

test("a dump that cannot be read is refused by name", async ({ page }) => {
  await openPlan(page);
  const dumps = page.locator(".dumps");
  await dumps.locator("#other-dump").setInputFiles(csv("broken.csv", "id,lower,upper,size\na,0,x,1\n"));
  await expect(page.locator(".notice")).toContainText("broken.csv");
  await expect(page.locator(".notice")).toContainText("line 2");
  await expect(page.locator(".document")).toContainText("deployed.csv");
});

test("a half of another dump waits for its partner, chosen or dropped", async ({ page }) => {
  const half = (name: string) => readFileSync(new URL(`../data/plans/xla/train-${name}.txt`, import.meta.url));
  await open(page);
  const both = ["buffer-assignment", "live-range"].map((name): [string, Buffer] => [`${name}.txt`, half(name)]);
  await dropAll(page, both);
  await expect(document(page)).toHaveText("buffer-assignment.txt + live-range.txt");
  await ready(page);
  await showView(page, "differences");
  const dumps = page.locator(".dumps");
  const give = (name: string, buffer: Buffer) =>
    dumps.locator("#other-dump").setInputFiles({ name, mimeType: "text/plain", buffer });
  await give("old-assignment.txt", half("buffer-assignment"));
  await expect(page.locator(".notice")).toContainText("old-assignment.txt");
  // What does not belong to it is refused, and the half still waits.
  await give("photo.txt", Buffer.from("no plan at all"));
  await expect(page.locator(".notice")).toContainText("photo.txt cannot be opened");
  await expect(page.locator(".notice")).toContainText("“old-assignment.txt” still waits");
  await drop(page, "old-range.txt", half("live-range"));
  await expect(dumps.locator(".verdict")).toContainText("as large as before: 119,808 B");
  await expect(dumps.locator(".pair b")).toHaveText("old-assignment.txt + old-range.txt");
  await expect(document(page)).toHaveText("buffer-assignment.txt + live-range.txt");
  // Another arena of what is open is compared with that one of the other dump.
  await page.locator('.arenas [data-arena="1"]').getByRole("button").click();
  await expect(dumps.locator(".verdict")).not.toContainText("119,808");
  await expect(dumps.locator(".verdict")).toContainText("as large as before");
  // From now on a drop opens again.
  await drop(page, "plan.csv", Buffer.from(DEPLOYED));
  await expect(document(page)).toHaveText("plan.csv");
});

test("a model is no dump to compare with, and the page says what is", async ({ page }) => {
  await openPlan(page);
  const dumps = page.locator(".dumps");
  const model = { name: "net.onnx", mimeType: "application/octet-stream", buffer: sample("blazeface.onnx") };
  await dumps.locator("#other-dump").setInputFiles(model);
  const alert = dumps.locator('[role="alert"]');
  await expect(alert).toContainText("net.onnx");
  await expect(alert).toContainText("It brings no plan of its own.");
  await expect(alert).toContainText("What is wanted here is the dump of a deployed plan");
  await expect(alert).not.toContainText("Convert");
});

test("what is lit and what differs are outlined one at a time", async ({ page }) => {
  await openPlan(page);
  // Nothing selected, so that outlines of two kinds could only be these.
  const marks = () =>
    page.locator('.pane[data-strategy="deployed"] canvas.marks').evaluateAll((all) =>
      all.map((canvas) => {
        const { width, height } = canvas as HTMLCanvasElement;
        const pixels = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
        return pixels.some((value, index) => index % 4 === 3 && value > 0);
      }),
    );
  const [LIT, DIFFERENCES] = [0, 3];
  await expect.poll(async () => (await marks())[DIFFERENCES]).toBe(true);
  await showView(page, "waste");
  const needed = page.locator(".waste button.part", { hasText: "Needed" });
  await needed.click();
  await expect.poll(marks).toEqual([true, false, false, false]);
  // The later wins, and the earlier is off, not only hidden.
  await showView(page, "differences");
  await expect.poll(marks).toEqual([false, false, false, true]);
  await showView(page, "waste");
  await expect(needed).toHaveAttribute("aria-pressed", "false");
  await showView(page, "differences");
  await page.locator(".differences tbody tr button", { hasText: /^c$/ }).click();
  await page.locator(".inspector").getByRole("button", { name: "Show the chain" }).click();
  await expect.poll(async () => (await marks())[LIT]).toBe(true);
  expect((await marks())[DIFFERENCES]).toBe(false);
  await page.locator(".outlines-off button").click();
  await expect.poll(async () => (await marks())[DIFFERENCES]).toBe(true);
  expect((await marks())[LIT]).toBe(false);
});

test("the plan is taken home", async ({ page }) => {
  await openPlan(page);
  const take = async (kind: string) => {
    const pane = page.locator('.pane[data-strategy="best"]');
    await pane.locator("summary").first().click();
    const download = page.waitForEvent("download");
    await pane.locator(`[data-export="${kind}"]`).click();
    const file = await download;
    const path = await file.path();
    return { name: file.suggestedFilename(), text: await readFile(path, "utf8") };
  };
  const header = await take("h");
  expect(header.name).toBe("deployed.best.h");
  expect(header.text).toContain("#define DEPLOYED_ARENA_SIZE 180ULL");
  const schedule = JSON.parse((await take("schedule.json")).text);
  expect(schedule.steps[2]).toMatchObject({ step: 2, begins: ["c"], ends: ["b"], live: 180 });
  const report = await take("html");
  expect(report.text).toContain("<!doctype html>");
  // Both plans that are shown, in pictures; and the witness of the bound.
  expect(report.text.match(/<svg xmlns=/g)).toHaveLength(2);
  expect(report.text).toContain("At step 2, 2 tensors are needed at the same time; together they take 180 B.");
  const context = page.context();
  const reader = await context.newPage();
  await reader.setContent(report.text);
  await expect(reader.locator("figure svg").first()).toBeVisible();
  await expect(reader.locator("h1")).toContainText("deployed.csv");
  await reader.close();
});

test("what decides is outlined, and all that moved when that is asked for", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=greedy_in_order,best");
  await showView(page, "differences");
  const tab = page.locator(".differences");
  const moved = Number(await tab.locator("[data-moved]").getAttribute("data-moved"));
  const rows = tab.locator("tbody tr");
  const few = await rows.count();
  expect(few, "of many a few decide").toBeGreaterThan(0);
  expect(few).toBeLessThanOrEqual(8);
  expect(moved).toBeGreaterThan(8);
  await expect(tab.locator(".soft").first()).toContainText(`outlines mark what decides, ${few} of ${moved} moved tensors`);
  const outlined = () =>
    page.locator('.pane[data-strategy="best"] canvas.marks').nth(3).evaluate((canvas: HTMLCanvasElement) => {
      const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
      return Array.from(data).filter((value, at) => at % 4 === 3 && value > 0).length;
    });
  await expect.poll(outlined).toBeGreaterThan(0);
  const before = await outlined();
  await page.getByLabel(`all ${moved} that moved`).check();
  await expect(rows).toHaveCount(moved);
  await expect(tab.locator(".soft").first()).toContainText("outlines mark what moved");
  await expect.poll(outlined).toBeGreaterThan(before);
  await page.locator("#all-moved").uncheck();
  await expect(rows).toHaveCount(few);
  await expect.poll(outlined).toBe(before);
});
