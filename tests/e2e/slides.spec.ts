// What is seen, taken away for lectures: slides as PNG and SVG, on paper, in another page's frame.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { chooseLook, expect, open, ready, test } from "./page";
import { choose, pane } from "./session";
import { showView } from "./tasks.mjs";

async function slide(page: Page, kind: string): Promise<Buffer> {
  await page.locator(".views .menu summary").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.locator(`[data-slide="${kind}"]`).click(),
  ]);
  const [shape, encoding] = kind.split("-");
  expect(download.suggestedFilename()).toContain(`${shape === "wide" ? ".slide" : ".seen"}.${encoding}`);
  return readFileSync(await download.path());
}

/** Width and height of a PNG: the first two numbers of its first chunk. */
const png = (bytes: Buffer) => {
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
};

/** What an SVG says and shows, read by the browser. */
function svg(page: Page, bytes: Buffer) {
  return page.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, "image/svg+xml");
    const root = document.documentElement;
    const all = (query: string) => [...document.querySelectorAll(query)];
    return {
      broken: document.querySelector("parsererror")?.textContent ?? "",
      size: [root.getAttribute("width"), root.getAttribute("height")].map(Number),
      texts: all("text").map((text) => text.textContent ?? ""),
      pictures: all("svg > svg").map((it) => ["width", "height"].map((name) => Number(it.getAttribute(name)))),
      rectangles: all("svg > svg").map((it) => it.querySelectorAll("[data-buffer]").length),
    };
  }, bytes.toString());
}

test("a slide has title, figures, axes and legend, as large as asked for", async ({ page }) => {
  // Room for pictures with titles at their axes.
  await page.setViewportSize({ width: 1440, height: 1000 });
  await open(page);
  const headline = (await page.locator(".headline").textContent())?.trim() ?? "";
  expect(headline).toContain("no plan needs less");
  const kinds = await page.locator(".legend .kind").allTextContents();
  expect(kinds.length).toBeGreaterThan(3);
  const box = await pane(page, "best").locator(".stage").boundingBox();
  const wide = await svg(page, await slide(page, "wide-svg"));
  const seen = await svg(page, await slide(page, "seen-svg"));
  expect(wide.size).toEqual([1280, 720]);
  for (const it of [wide, seen]) {
    expect(it.broken).toBe("");
    const said = it.texts.join(" ");
    for (const part of [headline, "naive", "best", "Each rectangle is a tensor", "address", "operators", ...kinds]) {
      expect(said).toContain(part);
    }
    // Naive and best have the same tensors.
    expect(it.rectangles.length).toBe(2);
    expect(it.rectangles[0]).toBeGreaterThan(90);
  }
  for (const [width, height] of seen.pictures) {
    expect(Math.abs(width - (box?.width ?? 0))).toBeLessThanOrEqual(1);
    expect(Math.abs(height - (box?.height ?? 0))).toBeLessThanOrEqual(1);
  }
  // Two pixels for each of the SVG's, so that it stays sharp.
  expect(png(await slide(page, "wide-png"))).toEqual([2560, 1440]);
  const [width, height] = png(await slide(page, "seen-png"));
  expect(Math.abs(width - 2 * seen.size[0])).toBeLessThanOrEqual(2);
  expect(Math.abs(height - 2 * seen.size[1])).toBeLessThanOrEqual(2);
});

test("a slide has the panes that are seen, and no other", async ({ page }) => {
  await open(page, "/?renderer=raster#sample=blazeface&show=naive,best");
  await showView(page, "run");
  await expect(page.locator(".pane:visible")).toHaveCount(1);
  await expect(pane(page, "best")).toBeVisible();
  const { texts, pictures } = await svg(page, await slide(page, "wide-svg"));
  expect(pictures).toHaveLength(1);
  expect(texts).not.toContain("naive");
});

test("a slide of a film shows what the film has shown", async ({ page }) => {
  await open(page);
  const whole = await svg(page, await slide(page, "wide-svg"));
  await showView(page, "film");
  await page.locator(".film select").first().selectOption("best");
  await expect(pane(page, "best").locator(".so-far")).toBeVisible();
  await ready(page);
  const film = await svg(page, await slide(page, "wide-svg"));
  const at = whole.rectangles.length - 1;
  expect(film.rectangles[at]).toBeLessThan(whole.rectangles[at]);
  expect(film.texts.join(" ")).not.toContain("Optimal");
});

test("a slide of a plan that breaks rules says what is wrong", async ({ page }) => {
  await open(page);
  await choose(page, "overlap.csv", Buffer.from("id,lower,upper,size,offset\na,0,3,100,0\nb,1,4,100,50\n"));
  await expect(page.locator(".document .file")).toHaveText("overlap.csv");
  await ready(page);
  const headline = page.locator(".headline");
  // 150 bytes are no figure of a plan; 200 are needed at step 1.
  await expect(headline).toContainText("overlap.csv: the plan in the file breaks rules → 200 B; no plan needs less");
  const { texts } = await svg(page, await slide(page, "wide-svg"));
  const said = texts.join(" ");
  expect(said).toContain("the plan in the file breaks rules");
  expect(said).toMatch(/a and b are live at the same step/);
});

test("on paper there are the pictures, and not the page", async ({ page }) => {
  await open(page);
  await expect(page.locator('body[data-parts="true"]')).toBeAttached();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  const paper = page.locator("#paper > svg");
  await expect(paper).toBeVisible();
  await expect(page.locator(".page")).toBeHidden();
  // White, whatever the page looks like.
  await expect(paper.locator("> path").first()).toHaveAttribute("fill", "#ffffff");
  const box = await paper.boundingBox();
  const width = await page.evaluate(() => window.innerWidth);
  expect((box?.x ?? 0) + (box?.width ?? 9999)).toBeLessThanOrEqual(width);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(paper).toHaveCount(0);
  await expect(page.locator(".page")).toBeVisible();
});

test("another page frames what is embedded, and its Back stays its own", async ({ page, trouble }) => {
  await page.route("**/notes.html*", (route) => {
    const query = new URL(route.request().url()).search;
    const body = `<!doctype html><title>Notes</title><iframe src="/${query}#sample=jigsaw" width="900" height="520"></iframe>`;
    return route.fulfill({ contentType: "text/html", body });
  });
  await page.goto("/notes.html?embed=1");
  const frame = page.frameLocator("iframe");
  await expect(frame.locator('body[data-ready="true"]')).toBeAttached();
  await expect(frame.locator(".headline")).toContainText("Jigsaw");
  const stage = frame.locator(".pane:not(.silhouette) .stage").first();
  await expect(stage).toBeVisible();
  for (const hidden of [".bar", ".side", ".tabs"]) {
    for (const it of await frame.locator(hidden).all()) await expect(it).toBeHidden();
  }
  await expect(frame.locator(".whole")).toHaveText("Open in Arenascope");
  // Something that has an entry of its own on the page has none here.
  const before = await page.evaluate(() => history.length);
  await stage.click();
  await frame.locator('.headline [data-term="bound"]').click();
  await expect(frame.locator('.headline [data-term="bound"]')).toHaveAttribute("aria-pressed", "true");
  expect(await page.evaluate(() => history.length)).toBe(before);
  const [whole] = await Promise.all([page.waitForEvent("popup"), frame.locator(".whole").click()]);
  await whole.waitForSelector('body[data-ready="true"]', { state: "attached" });
  expect(new URL(whole.url()).search).toBe("");
  expect(new URL(whole.url()).hash).toContain("sample=jigsaw");
  await expect(whole.locator(".bar")).toBeVisible();
  await whole.close();
  // The page as a whole may not be framed.
  trouble.expect(/frame-ancestors|ERR_BLOCKED_BY_RESPONSE|Refused to (frame|display)/);
  const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
  await page.goto("/notes.html?plain=1");
  await refused;
  await expect(page.frameLocator("iframe").locator(".headline")).toHaveCount(0);
});

test("the page works where it may remember nothing", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "localStorage", {
      get() {
        throw new DOMException("refused", "SecurityError");
      },
    });
  });
  await open(page);
  await expect(page.locator(".headline")).toContainText("no plan needs less");
  // What would be remembered is done all the same.
  await chooseLook(page, "language", "zh-CN");
  await expect(page.locator(".headline")).toContainText("没有更小的计划");
});
