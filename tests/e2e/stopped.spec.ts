// What is stopped halfway: the page never shows figures of one thing under the name of another.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { expect, open, ready, test } from "./page";
import { choose, document, fragment, pane } from "./session";

/** Lets so many replies of workers through and keeps the others, until the page is told anew. */
async function replies(page: Page, most: number) {
  await page.evaluate((most) => Object.assign(globalThis, { most }), most);
}

/** From now on replies of workers can be kept from the page. */
async function hold(page: Page) {
  await page.addInitScript(() => {
    const state = globalThis as unknown as { most: number };
    state.most = Infinity;
    globalThis.Worker = class extends Worker {
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        Object.assign(state, { last: this });
      }
      set onmessage(hear: (event: MessageEvent) => void) {
        super.onmessage = (event) => {
          // That a worker is there is no reply.
          if (event.data === null || state.most-- > 0) hear.call(this, event);
        };
      }
    };
  });
}

// Two blocks of 33 bytes at the same time: 66 bytes; at multiples of 64 the second ends at 97.
const PAIR = Buffer.from("id,lower,upper,size,offset\na,0,2,33,0\nb,0,2,33,33\n");

test("a document whose lifetimes were not waited for shows nothing, and goes on when asked", async ({ page }) => {
  await hold(page);
  await open(page, "#sample=blazeface");
  await ready(page);
  // That it was opened arrives; its lifetimes do not.
  await replies(page, 1);
  await choose(page, "pair.csv", PAIR);
  const work = page.locator(".work");
  await expect(work).toContainText("Inferring");
  await work.getByRole("button").click();
  await expect(page.locator(".work.stopped")).toContainText("nothing to plan or to show yet");
  await expect(document(page)).toHaveText("pair.csv");
  await expect(page.locator(".stage").first()).toHaveClass(/blank/);
  await replies(page, Infinity);
  await page.locator(".work.stopped").getByRole("button").click();
  await ready(page);
  await expect(page.locator(".work.stopped")).toHaveCount(0);
  await expect(pane(page, "deployed")).toContainText("66 B");
  await expect(page.locator(".stage").first()).not.toHaveClass(/blank/);
});

test("a worker that dies over lifetimes leaves nothing of another document on show", async ({ page }) => {
  await hold(page);
  await open(page, "#sample=blazeface");
  await ready(page);
  await replies(page, 1);
  await choose(page, "pair.csv", PAIR);
  await expect(page.locator(".work")).toContainText("Inferring");
  await page.evaluate(() => {
    const { last } = globalThis as unknown as { last: Worker };
    last.dispatchEvent(new ErrorEvent("error", { message: "out of memory" }));
  });
  await expect(page.locator(".notice")).toContainText("out of memory");
  await expect(page.locator(".stage").first()).toHaveClass(/blank/);
  await replies(page, Infinity);
  await page.locator(".work.stopped").getByRole("button").click();
  await ready(page);
  await expect(pane(page, "deployed")).toContainText("66 B");
});

test("a setting whose lifetimes were not waited for goes back", async ({ page }) => {
  await hold(page);
  await open(page, "#sample=blazeface");
  await choose(page, "pair.csv", PAIR);
  await expect(document(page)).toHaveText("pair.csv");
  await ready(page);
  await replies(page, 0);
  await page.getByLabel("Alignment").selectOption("64");
  const work = page.locator(".work");
  await expect(work).toContainText("Inferring");
  await work.getByRole("button").click();
  await replies(page, Infinity);
  await expect(page.getByLabel("Alignment")).toHaveValue("1");
  await expect(page.locator(".work.stopped")).toHaveCount(0);
  expect(fragment(page).has("align")).toBe(false);
  // What is planned next is planned for that alignment, too.
  await page.getByLabel("Alignment").selectOption("64");
  await ready(page);
  await expect(pane(page, "best")).toContainText("97 B");
});

test("two halves of a dump given at once, before the first was answered, are joined", async ({ page }) => {
  await hold(page);
  await open(page, "#sample=blazeface");
  await ready(page);
  const half = (name: string) =>
    readFileSync(fileURLToPath(new URL(`../data/plans/xla/${name}`, import.meta.url)));
  const [ranges, assignment] = ["train-live-range.txt", "train-buffer-assignment.txt"];
  await replies(page, 0);
  await choose(page, ranges, half(ranges));
  await choose(page, assignment, half(assignment));
  await replies(page, Infinity);
  await expect(document(page)).toHaveText(`${assignment} + ${ranges}`);
  await ready(page);
});
