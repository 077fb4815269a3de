// The page at first sight, measured: what it says, how much room the pictures have, and that
// nothing is cut off, at every width, in both themes and languages.

import type { Page } from "@playwright/test";
import { chooseLook, expect, LAYOUT, open, plot, ready, test } from "./page";
import { pane, sample } from "./session";
import { faults, newcomer, resized, SIZES } from "./sight";
import { showView } from "./tasks.mjs";

/** The share of the window's height that plots have, rulers and all: of each column the sum. */
async function share(page: Page): Promise<number> {
  const pictures = await page.locator(".pane:visible .picture").evaluateAll((all) =>
    all.map((picture) => picture.getBoundingClientRect()).map(({ left, height }) => ({ left, height })),
  );
  const columns = new Map<number, number>();
  for (const { left, height } of pictures) columns.set(Math.round(left), (columns.get(Math.round(left)) ?? 0) + height);
  return Math.min(...columns.values()) / (page.viewportSize()?.height ?? 1);
}

for (const [name, size] of Object.entries(SIZES)) {
  test(`at ${name} the first open fits the window`, async ({ page }) => {
    await newcomer(page, size);
    for (const scheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await open(page);
      expect(await faults(page), scheme).toEqual([]);
    }
    await expect(page.locator(".headline")).toContainText("10.2 MiB → 1.31 MiB, 7.8× less; no plan needs less");
    await expect(page.locator(".caption-line")).toContainText("Each rectangle is a tensor");
    await chooseLook(page, "language", "zh-CN");
    await expect(page.locator(".headline")).toContainText("没有更小的计划");
    await ready(page);
    expect(await faults(page), "Chinese").toEqual([]);
  });
}

// Opened once for a phone and once for the desk; the other windows of the desk are made of it.
for (const [first, others] of [["phone", []], ["wide", ["small", "laptop", "desktop"]]] as const) {
  /** What is seen fits the window, and the windows that it is made into. */
  const fits = async (page: Page, what: string) => {
    expect(await faults(page), what).toEqual([]);
    for (const size of others) {
      await resized(page, SIZES[size]);
      expect(await faults(page), `${what} at ${size}`).toEqual([]);
    }
    await resized(page, SIZES[first]);
  };

  test(`from ${first} on one to eight panes tile`, async ({ page }) => {
    await newcomer(page, SIZES[first]);
    const all = ["best", "naive", "exact", "greedy_in_order", "greedy_by_size", "offsets_by_size", "xnnpack", "litert_arena"];
    for (const count of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await page.goto("about:blank");
      await open(page, `/#sample=blazeface&show=${all.slice(0, count).join(",")}`);
      await expect(page.locator(".pane:visible")).toHaveCount(count);
      await fits(page, `${count} panes`);
    }
  });

  test(`from ${first} on every sample fits`, async ({ page }) => {
    await newcomer(page, SIZES[first]);
    const samples = JSON.parse(sample("index.json").toString()) as { id: string }[];
    expect(samples.length).toBeGreaterThan(15);
    for (const { id } of samples) {
      await page.goto("about:blank");
      await open(page, `/#sample=${id}`);
      await expect(page.locator(".headline")).not.toBeEmpty();
      await fits(page, id);
    }
  });
}

test("pictures have three fifths of the height", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  for (const path of ["/", "/#sample=blazeface&show=greedy_in_order,best", "/#sample=transformer", "/#sample=iree_chain", "/#sample=jigsaw"]) {
    await page.goto("about:blank");
    await open(page, path);
    expect(await share(page), path).toBeGreaterThanOrEqual(0.6);
  }
});

// 10,743,552 B are the sum of all sizes and 1,376,256 B the peak of live bytes: see ledger.spec.ts.
test("the headline leads to each of its terms", async ({ page }) => {
  await open(page);
  const headline = page.locator(".headline");
  await expect(headline).toHaveAttribute("data-naive", "10743552");
  await expect(headline).toHaveAttribute("data-best", "1376256");
  await pane(page, "naive").getByRole("button", { name: /Hide/ }).click();
  await headline.locator('[data-term="naive"]').click();
  await expect(pane(page, "naive")).toBeVisible();
  await headline.locator('[data-term="bound"]').click();
  await expect(page.locator('.bound[data-kind="live"]')).toHaveAttribute("aria-pressed", "true");
});

test("a deployed plan says what it wastes", async ({ page }) => {
  await open(page, "/#sample=iree_chain");
  const headline = page.locator(".headline");
  await expect(headline).toContainText("deployed");
  await headline.locator('[data-term="wasted"]').click();
  await expect(page.getByRole("tab", { name: "Waste" })).toHaveAttribute("aria-selected", "true");
  await expect(page.locator(".waste")).toBeVisible();
});

// The arena above the bound, as the sentence has it: empty = above the bound + not needed there.
test("a plan above the bound says what is empty", async ({ page }) => {
  await open(page, "/#sample=jigsaw&show=offsets_by_size");
  const why = pane(page, "offsets_by_size").locator(".why-larger");
  // A full rectangle of 65,536 B cut into pieces; the plan's arena is in the table.
  const arena = Number(await page.locator('.compare tr[data-strategy="offsets_by_size"] [data-bytes]').getAttribute("data-bytes"));
  await expect(why).toHaveAttribute("data-above", String(arena - 65536));
  const tensor = why.getByRole("button").first();
  const name = await tensor.innerText();
  await tensor.click();
  await expect(page.locator(".inspector h3 .name")).toHaveText(name);
});

test("panels close, resize and come back as they were", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await page.addInitScript((key) => {
    // What is remembered is remembered from here on.
    const before = sessionStorage.getItem(key);
    if (before !== null) localStorage.setItem(key, before);
    addEventListener("pagehide", () => sessionStorage.setItem(key, localStorage.getItem(key) ?? "{}"));
  }, LAYOUT);
  await open(page);
  const document = page.locator(".document");
  await page.locator('.fold[data-panel="document"]').click();
  await expect(document).toBeHidden();
  const sheet = page.locator(".sheet");
  await expect(sheet).toBeHidden();
  await showView(page, "waste");
  await expect(sheet).toBeVisible();
  // By keyboard.
  const grip = page.getByRole("separator", { name: /tables/ });
  const before = (await sheet.boundingBox())?.height ?? 0;
  await grip.focus();
  await page.keyboard.press("ArrowUp");
  await expect.poll(async () => (await sheet.boundingBox())?.height ?? 0).toBeCloseTo(before + 24, 0);
  // By pointer.
  const side = page.getByRole("separator", { name: /Inspector/ });
  const box = (await side.boundingBox())!;
  await page.mouse.move(box.x + 4, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x - 76, box.y + 200, { steps: 3 });
  await page.mouse.up();
  const wide = (await page.locator(".inspector").boundingBox())?.width ?? 0;
  expect(wide).toBeGreaterThan(380);
  await page.reload();
  await ready(page);
  await expect(document).toBeHidden();
  expect((await page.locator(".inspector").boundingBox())?.width).toBeCloseTo(wide, 0);
  await page.locator('.fold[data-panel="document"]').press("Enter");
  await expect(document).toBeVisible();
});

for (const size of [[1280, 720], [1024, 768]] as const) {
  test(`before an audience at ${size.join("×")} nothing is small`, async ({ page }) => {
    await newcomer(page, size);
    await open(page, "/#sample=blazeface&show=greedy_in_order,best");
    await pane(page, "best").locator(".stage").focus();
    await page.keyboard.press("Shift+P");
    await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
    const small = await page.evaluate(() => {
      const texts: string[] = [];
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const element = node.parentElement;
        const text = (node.textContent ?? "").trim();
        if (!element || !text || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
        if (!element.checkVisibility({ visibilityProperty: true }) || element.closest(".unseen, .skip, option")) continue;
        const size = parseFloat(getComputedStyle(element).fontSize);
        if (size < 20) texts.push(`${size} px: ${text.slice(0, 30)}`);
      }
      return texts;
    });
    expect(small).toEqual([]);
    expect(await faults(page)).toEqual([]);
    // Rulers of letters of 16 px take more room than of 11.
    const { x } = await plot(pane(page, "best"));
    const stage = (await pane(page, "best").locator(".stage").boundingBox())!;
    expect(x - stage.x).toBeCloseTo(7 * 16, 0);
    await page.keyboard.press("Shift+P");
    await expect(page.locator("html")).toHaveAttribute("data-mode", "work");
  });
}

test("the focus leaves the pictures alone", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await open(page);
  const before = await share(page);
  const focus = page.getByRole("button", { name: "Focus" });
  await expect(focus).toHaveCount(0);
  await page.getByRole("button", { name: "Present" }).click();
  await focus.click();
  await expect(page.locator(".bar")).toBeHidden();
  await expect(page.locator(".tabs")).toBeHidden();
  // In large letters: the heads of panes take more than at work.
  expect(await share(page)).toBeGreaterThan(Math.max(before, 0.75));
  await page.keyboard.press("Escape");
  await expect(page.locator(".bar")).toBeVisible();
  // It is part of what an audience sees.
  await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
  await page.keyboard.press("z");
  await expect(page.locator(".bar")).toBeHidden();
  await expect(page.locator(".pane .menu:visible, .views .menu:visible")).toHaveCount(0);
  await page.locator(".leave").click();
  await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
});

test("what is in view comes back", async ({ page }) => {
  await open(page);
  const stage = pane(page, "best").locator(".stage");
  const view = () => new URL(page.url()).hash.match(/view=([^&]*)/)?.[1] ?? null;
  await stage.hover();
  await page.mouse.wheel(0, -400);
  await expect.poll(view).not.toBeNull();
  await page.getByRole("button", { name: /Previous view/ }).click();
  await expect.poll(view).toBeNull();
  await page.getByRole("button", { name: /Next view/ }).click();
  await expect.poll(view).not.toBeNull();
});

test("a term explains itself, in both languages", async ({ page }) => {
  await open(page);
  const card = page.locator("[data-term-shown]");
  await page.locator('.headline [data-define="bound"]').hover();
  await expect(card).toContainText("no plan can be smaller");
  await chooseLook(page, "language", "zh-CN");
  // By keyboard alone: a head of the table.
  await page.locator('.compare [data-define="reuse"]').focus();
  await expect(card).toContainText("复用倍数");
  const named = await page.locator("[data-define]").evaluateAll((all) => all.map((it) => it.getAttribute("data-define") ?? ""));
  await page.keyboard.press("?");
  const defined = page.locator("dialog [data-defined]");
  await expect(defined.first()).toBeVisible();
  const known = await defined.evaluateAll((all) => all.map((it) => it.getAttribute("data-defined") ?? ""));
  // Whatever the page says it can explain, it can.
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
  // "pass" is the word of Chinese texts about compilers, too.
  for (const text of await page.locator("dialog .glossary dd").allInnerTexts()) expect(text.replaceAll("pass", "")).not.toMatch(/[A-Za-z]{4}/);
});

test("a message covers no picture and moves none", async ({ page }) => {
  await newcomer(page, SIZES.wide);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await open(page);
  const stage = pane(page, "best").locator(".stage");
  await stage.focus();
  await page.keyboard.press(".");
  const before = await stage.boundingBox();
  await page.getByRole("button", { name: "Copy name" }).click();
  const message = page.locator(".notice");
  await expect(message).toContainText("Copied");
  expect(await stage.boundingBox()).toEqual(before);
  const box = (await message.boundingBox())!;
  const panes = (await page.locator(".panes").boundingBox())!;
  expect(box.y + box.height).toBeLessThanOrEqual(panes.y + 1);
  // It only confirms, and goes by itself.
  await expect(message).toHaveCount(0, { timeout: 15_000 });
});
