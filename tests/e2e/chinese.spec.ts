// The page in Chinese: everything is opened, and nothing that is read, heard or pointed at is an
// English sentence.

import type { Page } from "@playwright/test";
import { expect, open, ready, settled, test } from "./page";
import { LONG, choose, sample } from "./session";
import { showView, VIEWS } from "./tasks.mjs";

test.setTimeout(240_000);
test.use({ locale: "zh-CN" });

/**
 * What stays as it is: what searches are written in, names of formats and tools, a command, a
 * device.
 */
const KEPT = [
  /size >=? \S+(?: and (?:op|size) (?:=|<) \S+)?/,
  /live at (?:peak|\d+)/,
  /at offset/,
  /(?:[a-z-]+, )+in-place/,
  /pip install [\w-]+/,
  /google swiftshader/,
  /IREE stream IR/,
  /C header/,
  /MiniMalloc CSV/,
  /gzip, zip, tar/,
  /optimizer state/,
  /TFLite Micro/,
  /ONNX Runtime(?: Web)?/,
  /Chrome trace/,
];

/** Every text that is seen, and what is said of what is seen, one by one. */
function texts(): string[] {
  const found: string[] = [];
  const seen = (element: Element) => element.checkVisibility({ visibilityProperty: true });
  for (const element of document.querySelectorAll("body, body *")) {
    // Code, keys and names are not words.
    if (element.closest("script, style, code, kbd, pre, svg, [lang=en]") || !seen(element)) continue;
    for (const name of ["aria-label", "title", "placeholder", "alt"]) {
      const text = element.getAttribute(name);
      if (text) found.push(text);
    }
    for (const node of element.childNodes) {
      const text = node.nodeType === Node.TEXT_NODE ? (node.textContent ?? "").trim() : "";
      if (text) found.push(text);
    }
  }
  return found;
}

/** What was met so far. */
class Walk {
  readonly met = new Set<string>();
  readonly english = new Set<string>();

  constructor(readonly page: Page) {}

  /** Reads everything that is seen now. */
  async read(where: string) {
    await ready(this.page);
    const found = await this.page.evaluate(texts);
    expect(found.length, where).toBeGreaterThan(20);
    for (const text of found) {
      this.met.add(text);
      if (isEnglish(text)) this.english.add(`${where}: ${text}`);
    }
  }

  /** The texts that have Chinese in them. */
  chinese(): number {
    return [...this.met].filter((text) => /\p{Script=Han}/u.test(text)).length;
  }
}

/** Two English words in a row, the second in small letters, are a sentence. */
function isEnglish(text: string): boolean {
  const rest = KEPT.reduce((rest, kept) => rest.replaceAll(new RegExp(kept, "g"), " "), text);
  // Names in quotation marks are whose they are.
  const unquoted = rest.replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`/g, " ");
  return /(?<![\w./-])[A-Za-z][a-z]+[,;:]? [a-z]{2,}(?![\w./-])/.test(unquoted);
}

const csv = (text: string) => Buffer.from(text);

/** Three tensors, of which the last lies where another is needed. */
const DEPLOYED = "id,lower,upper,size,offset\nlow,0,4,64,0\nmid,1,5,32,32\nlate,4,6,16,64\n";

/** Two addresses that cannot both be kept. */
const CLASHING = "id,lower,upper,size,fixed\nlow,0,4,64,0\nhigh,2,6,64,32\n";

test("English sentences are told from names", () => {
  for (const text of ["Nothing is placed yet", "the file ends too early", "第 3 步: no tensor is called x"]) {
    expect(isEnglish(text), text).toBe(true);
  }
  for (const text of ["greedy_by_size", "第 3 步", "size > 1MiB and op = Conv", "TFLite Micro 与 ONNX Runtime", "model/conv2d", '算子 "the Neg"']) {
    expect(isEnglish(text), text).toBe(false);
  }
});

test("nothing on the page is left in English", async ({ page, browserName }) => {
  expect(browserName).toBe("chromium");
  await open(page);
  await settled(page);
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  const walk = new Walk(page);
  await walk.read("page");
  const terms = page.locator("[data-define]:visible");
  expect(await terms.count()).toBeGreaterThan(3);
  for (const term of [0, 1, 2]) {
    await terms.nth(term).hover();
    await walk.read(`term ${term}`);
  }
  // A model has no segments.
  for (const view of VIEWS.filter((view) => view !== "segments")) {
    await showView(page, view);
    await walk.read(view);
  }
  await showView(page, "compare");
  const more = page.locator(".compare tbody tr[data-strategy] button[aria-expanded=false]");
  for (let opened = 0; opened < 12; opened += 1) await more.nth(opened).click();
  await walk.read("strategies");
  // A tensor, and what can be done with it.
  await page.locator("#search").fill("conv");
  await walk.read("search");
  await page.locator("#search").press("Enter");
  await walk.read("inspector");
  await page.locator("#search").fill("size >");
  await walk.read("broken search");
  await page.locator("#search").fill("");
  for (const details of await page.locator("details:not([open]) > summary").all()) {
    if (await details.isVisible()) await details.click();
  }
  await walk.read("details");
  await page.keyboard.press("Escape");
  await page.locator(".stage").first().focus();
  await page.keyboard.press("?");
  await walk.read("help");
  for (const details of await page.locator("dialog details:not([open]) > summary").all()) await details.click();
  await walk.read("all of the help");
  await page.keyboard.press("Escape");
  expect([...walk.english]).toEqual([]);
  expect(walk.chinese()).toBeGreaterThan(400);
});

test("films, changes by hand, waste and runs are in Chinese", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=greedy_by_size,exact");
  await settled(page);
  const walk = new Walk(page);
  await showView(page, "film");
  await ready(page);
  for (const step of [0, 1, 5, 20]) {
    await page.locator(".scrubber").fill(String(step));
    await walk.read(`film ${step}`);
  }
  await showView(page, "run");
  await page.locator("#run-cpu, #run").last().click();
  await expect(page.locator("[data-verdict]").first()).toBeVisible(LONG);
  await walk.read("run");
  await page.locator(".stage").first().focus();
  await page.locator('[data-do="share"]').click();
  await expect(page.locator("dialog[open]")).toBeVisible();
  await walk.read("share");
  await page.keyboard.press("Escape");
  await choose(page, "shelf.csv", csv(DEPLOYED));
  await expect(page.locator(".document .file")).toHaveText("shelf.csv");
  await walk.read("deployed");
  for (const tab of ["waste", "differences"]) {
    await showView(page, tab);
    await walk.read(`deployed ${tab}`);
  }
  await page.locator("#search").fill("low");
  await page.locator("#search").press("Enter");
  await walk.read("by hand");
  await page.locator("#what-if-address").fill("40");
  await page.locator("#what-if-address").press("Enter");
  await walk.read("moved by hand");
  expect([...walk.english]).toEqual([]);
  expect(walk.chinese()).toBeGreaterThan(250);
});

test("broken files and a plan that is refused say so in Chinese", async ({ page }) => {
  await open(page);
  await settled(page);
  const walk = new Walk(page);
  const alert = page.getByRole("alert");
  const whole = sample("unet.onnx");
  const broken: [string, Buffer, string][] = [
    ["half.onnx", whole.subarray(0, whole.length >> 1), "字节"],
    ["rows.csv", csv("id,lower,upper,size\na,0,3,64\nb,1,x,64\n"), "第 3 行，列 \"upper\"：\"x\" 不是非负整数"],
    ["plan.json", csv('{"arenascope_plan":1,"arena":8,"buffers":[{"name":"a","size":8,"lower":2,"upper":2,"offset":0}]}'), "从 2 到 2 的生命周期为空"],
  ];
  for (const [name, bytes, said] of broken) {
    await choose(page, name, bytes);
    await expect(alert).toContainText(name);
    await expect(alert).toContainText(said);
    await walk.read(name);
  }
  await choose(page, "clash.csv", csv(CLASHING));
  await expect(page.locator(".document .file")).toHaveText("clash.csv");
  await expect(page.locator(".notices")).toContainText("两者在第 2 步需要相同的字节");
  await walk.read("clash");
  expect([...walk.english]).toEqual([]);
  expect(walk.chinese()).toBeGreaterThan(150);
});

test("who reads English fetches nothing of this, who reads Chinese has it", async ({ browser, baseURL }) => {
  for (const [locale, fetched] of [["en-US", false], ["zh-CN", true]] as const) {
    const context = await browser.newContext({ locale, baseURL });
    const page = await context.newPage();
    const asked: string[] = [];
    context.on("request", (request) => asked.push(request.url()));
    await open(page);
    await settled(page);
    await choose(page, "rows.csv", csv("id,lower\n"));
    await expect(page.getByRole("alert")).toBeVisible();
    expect(asked.some((url) => url.includes("app_split_error_texts")), locale).toBe(fetched);
    await context.close();
  }
});
