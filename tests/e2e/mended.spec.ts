// What someone with fresh eyes once broke, so that it stays mended.

import { readFileSync } from "node:fs";
import { expect, open, ready, test } from "./page";
import { faults, newcomer, SIZES } from "./sight";
import { arena, bound, choose, document, fragment, pane, row } from "./session";
import { showView } from "./tasks.mjs";

test("an invalid plan is marked and is never the smallest", async ({ page }) => {
  await open(page);
  const rows = "a,0,4,10,64,3\nb,2,6,5,3,10\n";
  await choose(page, "broken.csv", Buffer.from(`id,lower,upper,size,alignment,offset\n${rows}`));
  await expect(document(page)).toHaveText("broken.csv");
  await ready(page);
  await expect(row(page, "deployed")).toContainText("Invalid");
  await expect(row(page, "deployed")).not.toContainText("Smallest");
  await expect(row(page, "deployed")).not.toContainText("Optimal");
  await expect(pane(page, "deployed").getByRole("alert")).toContainText("a and b are live at the same step and share bytes.");
});

test("a plan that leaves tensors out is not called optimal", async ({ page }) => {
  await open(page, "/#sample=transformer&bind=batch:99999999999");
  await expect(page.locator(".badge.optimal")).toHaveCount(0);
  await expect(pane(page, "best")).toContainText("unsized left out");
});

test("back and forward survive a remembered selection", async ({ page }) => {
  await open(page, "/#sample=densenet");
  await pane(page, "best").locator(".stage").focus();
  await page.keyboard.press(".");
  await expect.poll(() => fragment(page).get("select")).not.toBeNull();
  await page.locator("#samples").selectOption("unet");
  await expect(document(page)).toHaveText("U-Net");
  await ready(page);
  await page.goBack();
  await expect(document(page)).toHaveText("DenseNet-40");
  await ready(page);
  await expect.poll(() => fragment(page).get("select")).not.toBeNull();
  await page.goForward();
  await expect(document(page)).toHaveText("U-Net");
});

test("a value that cannot be bound says so and changes nothing", async ({ page }) => {
  await open(page, "/#sample=transformer&bind=batch:4,sequence_length:16");
  const before = await bound(page);
  const field = page.locator('[data-symbol="batch"]');
  for (const wrong of ["0", "-3", "2.5", ""]) {
    await field.fill(wrong);
    await field.blur();
    await expect(field).toHaveValue("4");
    await expect(page.locator(".notice")).toContainText("whole number");
  }
  expect(await bound(page)).toBe(before);
  await field.fill("1e1");
  await field.blur();
  await expect.poll(() => fragment(page).get("bind")).toContain("batch:10");
});

test("a link to a file that is not here says so, and shows a sample", async ({ page }) => {
  for (const link of ["/#file=mine.onnx", "/#sample=nosuch"]) {
    await page.goto("about:blank");
    await open(page, link);
    await expect(page.locator(".notice")).toContainText(/mine.onnx|nosuch/);
    await expect(document(page)).toHaveText("BlazeFace detector");
  }
});

test("no pane at all is a state like any other", async ({ page }) => {
  await open(page, "/#sample=unet&show=none&align=0");
  await expect(page.locator(".pane")).toHaveCount(0);
  await expect(page.locator("#alignment")).toHaveValue("64");
  expect(await arena(page, "naive")).toBeGreaterThan(0);
  expect(fragment(page).get("show")).toBe("none");
});

// `a` and `b` lie on the same four bytes: four in all, where eight are needed.
const BROKEN = Buffer.from("id,lower,upper,size,offset\na,0,2,4,0\nb,0,2,4,0\n");

test("the waste of a plan that breaks rules is not split", async ({ page }) => {
  await open(page);
  await choose(page, "broken.csv", BROKEN);
  await expect(document(page)).toHaveText("broken.csv");
  await ready(page);
  const waste = page.locator(".waste");
  await showView(page, "waste");
  await expect(waste).toContainText("This plan breaks 1 rule");
  await expect(waste.locator(".parts")).toHaveCount(0);
  await expect(waste).not.toContainText("−");
});

test("every way out of every pane can be reached", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await open(page, "/#file=documented.tflite&io=tflm&show=best,naive,exact,xnnpack");
  await choose(page, "documented.tflite", readFileSync("../data/plans/offline/documented.tflite"));
  await expect(document(page)).toHaveText("documented.tflite");
  await ready(page);
  const panes = page.locator(".pane");
  await expect(panes).toHaveCount(4);
  for (const pane of await panes.all()) {
    await pane.locator("summary").click();
    for (const kind of ["png", "html", "copy", "tflite"]) {
      // What is covered or clipped is not hit by a click.
      await pane.locator(`[data-export="${kind}"]`).click({ trial: true });
    }
    await page.keyboard.press("Escape");
  }
});

test("with lanes open both plans stay whole", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await open(page, "/#sample=torch_training");
  await page.getByRole("button", { name: "Free space over time" }).click();
  await expect(page.locator(".lane-bar .check")).not.toHaveCount(0);
  await ready(page);
  expect(await faults(page)).toEqual([]);
});

test("what is around a tensor is said before what could be changed of it", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await open(page, "/#sample=torch_training");
  await pane(page, "deployed").locator(".stage").focus();
  await page.keyboard.press(".");
  const heads = page.locator(".inspector h3");
  await expect(heads.filter({ hasText: "What if" })).toBeVisible();
  const texts = await heads.allTextContents();
  const at = (text: string) => texts.findIndex((it) => it.includes(text));
  expect(at("Neighbours")).toBeGreaterThan(0);
  expect(at("Neighbours")).toBeLessThan(at("What if"));
  // No head of the table is broken within a word, whatever is beside it; nor does the page scroll.
  for (const head of await page.locator(".places th[scope=col]").all()) {
    const words = (await head.textContent())?.trim().split(/\s+/).length ?? 1;
    const lines = await head.evaluate((it) => {
      const range = window.document.createRange();
      range.selectNodeContents(it);
      return new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size;
    });
    expect(lines).toBeLessThanOrEqual(words);
  }
  await page.locator(".inspector .stack summary").first().click();
  expect(await page.evaluate(() => window.document.documentElement.scrollHeight - innerHeight)).toBe(0);
});

test("another dump can be chosen without scrolling past all that moved", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await open(page, "/#sample=torch_training");
  await showView(page, "differences");
  await expect(page.locator('[data-do="other-dump"]')).toBeInViewport();
  await expect(page.locator(".differences .verdict")).toBeInViewport();
  await page.locator("#all-moved").check();
  await expect(page.locator(".differences tbody tr")).toHaveCount(107);
});

test("what no part of the peak needs can be asked for by its colour", async ({ page }) => {
  await open(page, "/#sample=torch_training");
  await page.locator("#coloring").selectOption("waste");
  const none = page.locator(".legend button", { hasText: "Not at the peak" });
  const count = Number((await none.locator(".figures").textContent())?.split(" ")[0]);
  expect(count).toBeGreaterThan(0);
  await none.click();
  await expect(page.locator(".search output")).toContainText(`${count} of 108`);
});

// Three buffers of 4, 4 and 8 bytes: `c` lies above a gap of 4.
const WASTEFUL = Buffer.from("id,lower,upper,size,offset\na,0,2,4,0\nb,0,1,4,4\nc,1,2,8,8\n");

test("the report of a better plan says what the shipped one wastes, and what moves", async ({ page }) => {
  await open(page);
  await choose(page, "deployed.csv", WASTEFUL);
  await expect(document(page)).toHaveText("deployed.csv");
  await ready(page);
  await showView(page, "waste");
  const named = await page.locator(".parts tbody th, .parts [data-nothing]").allTextContents();
  await pane(page, "best").locator("summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    pane(page, "best").locator('[data-export="html"]').click(),
  ]);
  const report = readFileSync(await download.path(), "utf8");
  expect(report).toContain("Where the bytes of “best” go");
  const shipped = report.slice(report.indexOf("Where the bytes of “Plan in the file” go"));
  expect(shipped).toMatch(/Fragmentation<\/td>\s*<td[^>]*>4 B<\/td>\s*<td[^>]*>25.0 %/);
  expect(shipped).toContain("What moves");
  // `c` takes 8 bytes, of which at most 12 are needed at once: it lies below 16 now.
  expect(shipped.slice(shipped.indexOf("What moves"))).toMatch(/<td[^>]*>c<\/td>/);
  // Parts are called as the tab has them.
  for (const name of named.map((it) => it.trim()).filter((it) => it !== "Other parts")) expect(shipped).toContain(name);
});

// At 64 without reuse; "a" may go up and down.
const SMALL = Buffer.from("id,lower,upper,size\na,0,2,100\nb,1,3,80\nc,2,4,60\n");

test("keys move the rectangle of the picture that has the focus", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=naive,best");
  await pane(page, "naive").locator(".stage").focus();
  await page.keyboard.press(".");
  await page.keyboard.press("Shift+ArrowUp");
  await ready(page);
  await expect.poll(() => fragment(page).get("edit")).toMatch(/^naive:/);
  await page.keyboard.press("Control+z");
  await ready(page);
  await pane(page, "best").locator(".stage").focus();
  await page.keyboard.press("Shift+ArrowUp");
  await ready(page);
  await expect.poll(() => fragment(page).get("edit")).toMatch(/^best:/);
});

test("the headline does not praise what is not in view", async ({ page }) => {
  await open(page);
  await choose(page, "small.csv", SMALL);
  await expect(document(page)).toHaveText("small.csv");
  await ready(page);
  const headline = page.locator(".headline");
  await expect(headline).toContainText("no plan needs less");
  await page.goto(`${new URL(page.url()).origin}/#file=small.csv&align=1&show=best&edit=best:b@0`);
  await ready(page);
  await expect(pane(page, "best").getByRole("alert")).toContainText("share bytes");
  await expect(headline).toContainText("the plan in view breaks rules");
  await expect(headline).not.toContainText("no plan needs less");
});

test("a link that names the films opens them at their beginning", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best&tab=film");
  await expect(page.locator("#tab-film")).toHaveAttribute("aria-selected", "true");
  await expect(pane(page, "best").locator(".caption")).toHaveAttribute("data-step", "0");
  expect(fragment(page).get("film")).toBe("0");
});

test("another sample is not opened as a film", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best&film=3");
  await expect(pane(page, "best").locator(".caption")).toHaveAttribute("data-step", "3");
  await page.locator("#samples").selectOption("unet");
  await expect(document(page)).toHaveText("U-Net");
  await ready(page);
  await expect(page.locator("#tab-compare")).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".pane .caption")).toHaveCount(0);
});

test("the link is shown in the dialog, and there it is said that it was copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page, "/#sample=unet&show=best");
  await page.locator('[data-do="share"]').click();
  const link = page.locator('[data-share="address"]');
  await expect(link).toHaveAttribute("readonly");
  await page.locator('[data-share="link"]').click();
  await expect(page.locator('[data-share="copied"]')).toHaveText("Copied.");
  await expect(page.locator(".notice")).toBeHidden();
  await expect(link).toHaveValue(await page.evaluate(() => navigator.clipboard.readText()));
});

test("fewer steps than operators are explained", async ({ page }) => {
  await open(page, "/#sample=transformer");
  const facts = await page.locator(".document .facts li").allTextContents();
  const count = (what: RegExp) => Number(facts.map((fact) => what.exec(fact)?.[1]).find(Boolean)?.replace(/,/g, ""));
  const before = count(/^([\d,]+) of them computed before the run/);
  expect(before).toBeGreaterThan(0);
  expect(count(/^([\d,]+) operators/) - before).toBe(count(/^([\d,]+) steps/));
});
