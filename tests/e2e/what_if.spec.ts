// Plans changed by hand: dragged and snapped, pinned, swapped, finished by a strategy, undone,
// shared by link. The problem is small enough to be followed by hand.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, open, openAdvanced, ready, test } from "./page";
import { arena, pane, row } from "./session";

test.setTimeout(120_000);

// low and high are always live; mid only in the middle; late after it. The bound is 100 + 50 + 20.
const CSV = `id,lower,upper,size
low,0,6,100
high,0,6,50
mid,1,3,20
late,3,5,10
`;

test.beforeEach(async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size");
  await page.locator("#file").setInputFiles({ name: "shelf.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
  await expect(page.locator(".document .file")).toHaveText("shelf.csv");
  await ready(page);
  // On a narrow screen groups of strategies are closed.
  const closed = page.locator('.compare .group button[aria-expanded="false"]');
  while (await closed.count()) await closed.first().click();
  await row(page, "offsets_by_size").getByRole("checkbox").check();
  await expect(pane(page, "offsets_by_size").locator(".figures b")).toHaveText("170 B");
  await row(page, "naive").getByRole("checkbox").uncheck();
});

async function select(page: Page, name: string) {
  const search = page.locator("#search");
  await search.fill(name);
  await search.press("Enter");
  await expect(page.locator(".inspector h3 .name")).toHaveText(name);
}

async function moveTo(page: Page, address: string) {
  await page.locator("#what-if-address").fill(address);
  await page.locator("#what-if-address").press("Enter");
}

async function show(page: Page, column: string) {
  const names = await page.locator(".pane").evaluateAll((panes) => panes.map((pane) => pane.getAttribute("data-strategy")));
  if (!names.includes(column)) await row(page, column).locator("input[type=checkbox]").check();
  for (const name of names) {
    if (name !== null && name !== column) await row(page, name).locator("input[type=checkbox]").uncheck();
  }
  await expect(page.locator(".pane")).toHaveCount(1);
  await ready(page);
}

test("an address is typed, judged, undone and done again", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  await expect(page.locator("#what-if-address")).toHaveValue("0x96");
  await moveTo(page, "0x100");
  expect(await arena(page, "offsets_by_size")).toBe(256 + 20);
  await moveTo(page, "90");
  // By name, not by number.
  const faults = pane(page, "offsets_by_size").locator(".violations");
  await expect(faults).toContainText("low and mid are live at the same step and share bytes");
  await expect(page.locator("#what-if-says")).toContainText("In the way: low");
  await page.locator("#undo").click();
  expect(await arena(page, "offsets_by_size")).toBe(276);
  await page.locator("#undo").click();
  expect(await arena(page, "offsets_by_size")).toBe(170);
  await page.locator(".stage").first().focus();
  await page.keyboard.press("Control+Shift+Z");
  expect(await arena(page, "offsets_by_size")).toBe(276);
  await page.keyboard.press("Control+z");
  expect(await arena(page, "offsets_by_size")).toBe(170);
});

test("what is no address is refused at the field, and what is one is read in every way", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  const field = page.locator("#what-if-address");
  const misfit = page.locator("#what-if-misfit");
  for (const wrong of ["somewhere", "0x", "0x+5", "4 parsecs", "-1", "1.5.5"]) {
    await moveTo(page, wrong);
    await expect(misfit).toContainText("no address");
    await expect(field).toHaveAttribute("aria-invalid", "true");
  }
  // It is gone as soon as an address is there.
  await field.fill("0x100");
  await expect(misfit).toBeEmpty();
  await expect(field).toHaveAttribute("aria-invalid", "false");
  // 2^62 with the sizes is beyond what can be planned, and 2^63 is beyond what can be added up.
  for (const high of ["0x4000000000000000", "9223372036854775808", "4294967296 GiB"]) {
    await moveTo(page, high);
    await expect(misfit).toContainText(high.endsWith("GiB") ? /Too high|no address/ : "Too high");
  }
  expect(await arena(page, "offsets_by_size")).toBe(170);
  for (const [text, at] of [["0x100", 256], ["0XC8", 200], ["1,000", 1000], ["4 KiB", 4096], ["1.5k", 1536], ["300 b", 300]] as const) {
    await moveTo(page, text);
    await expect(field).toHaveValue(`0x${at.toString(16)}`);
    expect(await arena(page, "offsets_by_size")).toBe(at + 20);
  }
  await expect(misfit).toBeEmpty();
});

test("a dragged rectangle snaps, and an illegal place names who is in the way", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  const stage = page.locator(".stage").first();
  const box = (await stage.boundingBox())!;
  // The picture shows 170 bytes and 6 steps; the hover card tells what is under the pointer.
  const at = await find(page, box, "mid");
  await page.mouse.move(at.x, at.y);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(at.x, at.y + 6, { steps: 2 });
  await page.mouse.move(at.x, at.y + box.height / 10, { steps: 6 });
  const outlook = page.locator(".pane .outlook");
  await expect(outlook).toHaveClass(/busy/);
  await expect(outlook).toContainText("In the way: high");
  // Nothing moves under the pointer.
  expect(await stage.boundingBox()).toEqual(box);
  await page.mouse.move(at.x, at.y - 4, { steps: 4 });
  await expect(outlook).toContainText("No conflict.");
  // The nearest end of a free place: right behind high, where it was.
  await expect(outlook).toContainText("0x96");
  await page.mouse.up();
  await page.keyboard.up("Shift");
  expect(await arena(page, "offsets_by_size")).toBe(170);
});

for (const [width, height] of [
  [1280, 720],
  [390, 844],
] as const) {
  test(`the picture does not jump when a plan becomes invalid, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await page.goto("/#sample=blazeface&show=best");
    await page.locator("#file").setInputFiles({ name: "shelf.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
    await expect(page.locator(".document .file")).toHaveText("shelf.csv");
    await ready(page);
    await select(page, "mid");
    const stage = page.locator('.pane[data-strategy="best"] .stage');
    // The first change says in the head of the pane that it is one; what follows must not move.
    await moveTo(page, "0x200");
    await expect(pane(page, "best").locator("h2")).toContainText("edited");
    const size = async () => {
      const { width, height } = (await stage.boundingBox())!;
      return { width, height };
    };
    const before = await size();
    await moveTo(page, "90");
    await expect(pane(page, "best").locator(".violations")).toBeVisible();
    expect(await size()).toEqual(before);
  });
}

test("only who can keep what is pinned is offered for the rest", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  const offered = await page.locator("#what-if-strategy option").evaluateAll((all) => all.map((one) => one.getAttribute("value")));
  expect(offered).toEqual(expect.arrayContaining(["best", "exact", "skyline", "xnnpack", "litert_arena", "strip_best_fit"]));
  // These replay an allocator, or place by rules that know no fixed address.
  for (const refuses of ["tensorflow_bfc", "pytorch_caching", "usmp_by_size", "xla_best", "megengine_best_fit", "naive"]) {
    expect(offered).not.toContain(refuses);
  }
});

/** Presses Tab until the element with this id has the focus. */
async function tabTo(page: Page, id: string) {
  for (let press = 0; press < 250; press++) {
    if ((await page.evaluate(() => document.activeElement?.id)) === id) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${id} is not reached`);
}

test("everything is done with the keyboard alone, and told", async ({ page }) => {
  await show(page, "naive");
  const says = page.locator("#what-if-says");
  await expect(says).toHaveCount(0);
  await page.locator(".stage").first().focus();
  const key = (name: string) => page.keyboard.press(name);
  // By first use: low, high, mid, late.
  for (let press = 0; press < 3; press++) await key(".");
  await expect(page.locator(".inspector h3 .name")).toHaveText("mid");
  await expect(says).toHaveAttribute("role", "status");
  await expect(says).toContainText("mid: 150 B (0x96). No conflict. Arena 180 B, 10 B above the bound.");
  await key("Shift+ArrowUp");
  await expect(says).toContainText("151 B");
  await key("Shift+ArrowDown");
  await key("Shift+ArrowDown");
  await expect(says).toContainText("149 B (0x95). In the way: high.");
  await key("Shift+PageUp");
  await expect(says).toContainText("150 B (0x96). No conflict.");
  await key("Shift+PageUp");
  await expect(page.locator(".notice")).toContainText("no free place above");
  await tabTo(page, "what-if-address");
  await key("Control+a");
  await page.keyboard.type("0x100");
  await key("Enter");
  await expect(says).toContainText("256 B (0x100). No conflict. Arena 276 B");
  // The focus stays, and undoes what nobody has typed over.
  expect(await page.evaluate(() => document.activeElement?.id)).toBe("what-if-address");
  await key("Control+z");
  await expect(says).toContainText("150 B");
  await key("Control+y");
  await expect(says).toContainText("256 B");
  await key("Control+z");
  await tabTo(page, "what-if-pin");
  await key("Space");
  await expect(says).toContainText("Pinned.");
  await key("Control+z");
  await expect(says).not.toContainText("Pinned.");
  await tabTo(page, "what-if-partner");
  await key("Enter");
  await key(".");
  await expect(page.locator(".inspector h3 .name")).toHaveText("late");
  await tabTo(page, "what-if-swap");
  await key("Enter");
  await expect(says).toContainText("late: 150 B (0x96). No conflict. Arena 190 B");
  await key(",");
  await expect(says).toContainText("mid: 170 B");
  await tabTo(page, "what-if-strategy");
  await page.keyboard.type("offsets_by_s");
  await tabTo(page, "what-if-rest");
  await key("Enter");
  await expect(says).toContainText("mid: 150 B (0x96). No conflict. Arena 170 B, 0 B above the bound.");
  await key("Control+z");
  await expect(says).toContainText("mid: 170 B");
  await tabTo(page, "redo");
  await key("Enter");
  await expect(says).toContainText("mid: 150 B");
});

test("every plan has a history of its own, and another file has none", async ({ page }) => {
  // Both are in view; naive is chosen in the pane of what-if.
  await row(page, "naive").locator("input[type=checkbox]").check();
  await ready(page);
  await select(page, "mid");
  await page.locator("#what-if-plan").selectOption("offsets_by_size");
  await moveTo(page, "300");
  await page.locator("#what-if-plan").selectOption("naive");
  await expect(page.locator("#undo")).toBeDisabled();
  await moveTo(page, "400");
  await page.locator("#undo").click();
  expect(await arena(page, "naive")).toBe(180);
  expect(await arena(page, "offsets_by_size")).toBe(320);
  await expect(page.locator("#undo")).toBeDisabled();
  await page.locator("#what-if-plan").selectOption("offsets_by_size");
  // Moving it to where it is is no change.
  await moveTo(page, "300");
  await page.locator("#undo").click();
  expect(await arena(page, "offsets_by_size")).toBe(170);
  await page.locator("#redo").click();
  await page.locator("#what-if-pin").check();
  await page.locator("#file").setInputFiles({ name: "other.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
  await expect(page.locator(".document .file")).toHaveText("other.csv");
  await ready(page);
  expect(await arena(page, "offsets_by_size")).toBe(170);
  expect(await page.evaluate(() => location.hash)).not.toContain("edit=");
  await row(page, "offsets_by_size").getByRole("checkbox").check();
  await select(page, "mid");
  await page.locator("#what-if-plan").selectOption("offsets_by_size");
  for (const id of ["#undo", "#redo"]) await expect(page.locator(id)).toBeDisabled();
  await expect(page.locator("#what-if-pin")).not.toBeChecked();
});

test("a search that ends later leaves what was changed by hand", async ({ page }) => {
  await row(page, "best").locator("input[type=checkbox]").check();
  await show(page, "best");
  await select(page, "late");
  await moveTo(page, "500");
  await openAdvanced(page);
  await page.locator("#effort").selectOption("quick");
  await ready(page);
  await expect(pane(page, "best").locator("h2")).toContainText("edited");
  expect(await arena(page, "best")).toBe(510);
  await page.locator("#undo").click();
  expect(await arena(page, "best")).toBe(170);
});

test("an edited plan comes back from its link under other settings, and with Back", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size&align=256");
  const before = await arena(page, "offsets_by_size");
  await page.locator(".stage").first().focus();
  await page.keyboard.press(".");
  await moveTo(page, "0x10000000");
  const after = await arena(page, "offsets_by_size");
  expect(after).toBeGreaterThan(before);
  await expect.poll(() => page.evaluate(() => location.hash)).toContain("edit=");
  await page.locator("#alignment").selectOption("64");
  await expect.poll(() => page.evaluate(() => location.hash)).not.toContain("edit=");
  await ready(page);
  await page.goBack();
  await expect.poll(() => arena(page, "offsets_by_size")).toBe(after);
  await page.reload();
  await expect.poll(() => arena(page, "offsets_by_size")).toBe(after);
});

test("with pools a buffer moves into another one, and the rest is planned into them", async ({ page }) => {
  await open(page, "/#file=pooled.csv&show=offsets_by_size&pools=SRAM:160,DRAM");
  await page.locator("#file").setInputFiles({ name: "pooled.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });
  await expect(page.locator(".document .file")).toHaveText("pooled.csv");
  await ready(page);
  // low and high fill 150 of the 160 bytes, late lies above them, mid goes to the DRAM.
  const figures = pane(page, "offsets_by_size").locator(".pool-used");
  await expect(figures).toHaveText(["SRAM 160 B / 160 B", "DRAM 20 B"]);
  await select(page, "late");
  await moveTo(page, "180");
  await expect(figures).toHaveText(["SRAM 150 B / 160 B", "DRAM 30 B"]);
  await expect(pane(page, "offsets_by_size").locator(".violations")).toHaveCount(0);
  await expect(page.locator("#what-if-says")).toContainText("No conflict.");
  await moveTo(page, "155");
  await expect(page.locator("#what-if-says")).toContainText("In none of its pools.");
  await page.locator("#what-if-strategy").selectOption("offsets_by_size");
  await page.locator("#what-if-rest").click();
  await expect(figures).toHaveText(["SRAM 160 B / 160 B", "DRAM 20 B"]);
  await expect(pane(page, "offsets_by_size").locator(".violations")).toHaveCount(0);
});

test("an edited plan that the judge rejects is exported and judged again", async ({ page }) => {
  await show(page, "offsets_by_size");
  await select(page, "mid");
  await moveTo(page, "90");
  await pane(page, "offsets_by_size").locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, "offsets_by_size").locator('[data-export="json"]').click(),
  ]);
  expect(download.suggestedFilename()).toBe("shelf.offsets_by_size.edited.json");
  await page.locator("#file").setInputFiles({ name: "again.json", mimeType: "application/json", buffer: readFileSync(await download.path()) });
  await expect(page.locator(".document .file")).toHaveText("again.json");
  await ready(page);
  await expect(pane(page, "deployed").locator(".violations")).toContainText("low and mid");
});

test.describe("with a finger on a narrow screen", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("a rectangle is chosen, dragged and put back", async ({ page }) => {
    await select(page, "low");
    await page.locator("#what-if-plan").selectOption("offsets_by_size");
    await page.locator("#what-if-drag").tap();
    const stage = page.locator('.pane[data-strategy="offsets_by_size"] .stage');
    await stage.scrollIntoViewIfNeeded();
    const box = (await stage.boundingBox())!;
    const cdp = await page.context().newCDPSession(page);
    const touch = (type: string, x: number, y: number) =>
      cdp.send("Input.dispatchTouchEvent", { type: type as "touchStart", touchPoints: type === "touchEnd" ? [] : [{ x, y }] });
    // high lies from 100 to 150 of 170 bytes: a fifth from the top of what is drawn.
    const [x, y] = [box.x + box.width * 0.9, box.y + 12 + (box.height - 48) * 0.25];
    await touch("touchStart", x, y);
    await touch("touchEnd", x, y);
    await expect(page.locator(".inspector h3 .name")).toHaveText("high");
    await touch("touchStart", x, y);
    for (let step = 1; step <= 6; step++) await touch("touchMove", x, y + (step * box.height) / 20);
    const outlook = pane(page, "offsets_by_size").locator(".outlook");
    await expect(outlook).toContainText("In the way: low");
    expect(await stage.boundingBox()).toEqual(box);
    await touch("touchEnd", x, y);
    await expect(pane(page, "offsets_by_size").locator(".violations")).toContainText("low and high");
    // Sooner it would be the second half of a double tap.
    await page.waitForTimeout(500);
    await page.locator("#what-if-above").tap();
    await expect(pane(page, "offsets_by_size").locator(".violations")).toHaveCount(0);
    await page.locator("#undo").tap();
    await expect(page.locator("#what-if-says")).toContainText("In the way: low");
    await page.waitForTimeout(500);
    await page.locator("#undo").tap();
    await expect(pane(page, "offsets_by_size").locator(".figures b")).toHaveText("170 B");
    await expect(page.locator("#undo")).toBeDisabled();
  });
});

/** A point of the picture where the hover card names `buffer`. */
async function find(page: Page, box: { x: number; y: number; width: number; height: number }, buffer: string) {
  for (let down = 1; down < 30; down++) {
    const x = box.x + box.width * 0.4;
    const y = box.y + (box.height * down) / 30;
    await page.mouse.move(x, y);
    const card = page.locator(".stage .card").first();
    if ((await card.isVisible()) && (await card.textContent())?.includes(buffer)) return { x, y };
  }
  throw new Error(`${buffer} is nowhere`);
}

test("what is pinned stays while a strategy plans the rest", async ({ page }) => {
  await show(page, "naive");
  expect(await arena(page, "naive")).toBe(180);
  await select(page, "mid");
  await moveTo(page, "200");
  expect(await arena(page, "naive")).toBe(220);
  await page.locator("#what-if-pin").check();
  await expect(page.locator("#what-if-address")).toBeDisabled();
  await page.locator("#what-if-strategy").selectOption("offsets_by_size");
  await page.locator("#what-if-pins").click();
  // mid stays at 200 (0xc8), late goes right behind high; the arena cannot shrink.
  await expect(page.locator(".edited, .inspector .places")).toContainText("0xc8");
  await expect.poll(() => page.evaluate(() => location.hash)).toContain("late@150");
  expect(await arena(page, "naive")).toBe(220);
  await expect(page.locator("#what-if-address")).toHaveValue("0xc8");
  await page.locator("#what-if-pin").uncheck();
  await page.locator("#what-if-rest").click();
  await expect.poll(() => arena(page, "naive")).toBe(170);
});

test("two change places, and the edited plan is exported and shared", async ({ page }) => {
  await show(page, "naive");
  await select(page, "mid");
  await page.locator("#what-if-partner").click();
  await select(page, "late");
  await page.locator("#what-if-swap").click();
  // late (10 B) lies at 150 now, mid (20 B) at 170.
  await expect(page.locator("#what-if-address")).toHaveValue("0x96");
  expect(await arena(page, "naive")).toBe(190);
  await pane(page, "naive").locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, "naive").locator('[data-export="json"]').click(),
  ]);
  const json = JSON.parse(readFileSync(await download.path(), "utf8"));
  const offsets = Object.fromEntries(json.buffers.map((b: { name: string; offset: number }) => [b.name, b.offset]));
  expect(offsets).toEqual({ low: 0, high: 100, mid: 170, late: 150 });
  expect(json.arena).toBe(190);
});

test("a link carries what was changed by hand", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=offsets_by_size");
  const before = await arena(page, "offsets_by_size");
  await page.locator(".stage").first().focus();
  await page.keyboard.press(".");
  const name = await page.locator(".inspector h3 .name").textContent();
  await moveTo(page, "0x10000000");
  await page.locator("#what-if-pin").check();
  const after = await arena(page, "offsets_by_size");
  expect(after).toBeGreaterThan(before);
  await expect.poll(() => page.evaluate(() => location.hash)).toContain("edit=offsets_by_size:");
  const link = await page.evaluate(() => location.hash);
  await page.goto("about:blank");
  await open(page, `/${link}`);
  await expect.poll(() => arena(page, "offsets_by_size")).toBe(after);
  await expect(page.locator(".inspector h3 .name")).toHaveText(name!);
  await expect(page.locator("#what-if-pin")).toBeChecked();
});
