// What every spec builds on: a page that is watched while the test runs.
//
// Whatever the page says on the console as an error, throws, asks of another origin or
// does against its policy fails the test at the end, unless the test expected it.

import { test as base, expect, type Locator, type Page } from "@playwright/test";

/** What went wrong in the page during one test. */
export class Trouble {
  private readonly found: string[] = [];
  private readonly expected: RegExp[] = [];

  report(line: string) {
    this.found.push(line);
  }

  /** Says that lines like this are what the test is about. */
  expect(pattern: RegExp) {
    this.expected.push(pattern);
  }

  unexpected(): string[] {
    return this.found.filter((line) => !this.expected.some((pattern) => pattern.test(line)));
  }
}

export const test = base.extend<{ trouble: Trouble }>({
  trouble: [
    async ({ page, baseURL }, use) => {
      const trouble = new Trouble();
      await watch(page, new URL(baseURL ?? "").origin, trouble);
      await use(trouble);
      expect(trouble.unexpected(), "what the page did wrong").toEqual([]);
    },
    { auto: true },
  ],
});

/** Of a test whose answer is in words and figures: it is asked of one renderer alone. */
export const words = { tag: "@words" };

/** Under this the page remembers its panels. */
export const LAYOUT = "arenascope.layout";

/** Under this, that the picture has once come out of the plan without reuse. */
export const INTRODUCED = "arenascope.introduction.seen";

/** Chooses language, theme or renderer, which stand behind one sign. */
export async function chooseLook(page: Page, id: "language" | "theme" | "renderer", value: string) {
  // By keyboard: what has the focus afterwards shows it.
  const sign = page.locator(".bar .menu > summary");
  await sign.press("Enter");
  await page.locator(`#${id}`).selectOption(value);
  await sign.press("Enter");
}

/** Opens effort and pools, which few people choose. */
export async function openAdvanced(page: Page) {
  await page.locator(".advanced").evaluate((it: HTMLDetailsElement) => (it.open = true));
}

/** Under this, that the first lesson was offered and not wanted. */
export const OFFERED = "arenascope.lessons.offered";

async function watch(page: Page, origin: string, trouble: Trouble) {
  // Whoever tests tables and settings has them open, whatever the window would leave closed.
  // And nobody is new here: a line that offers a lesson would move all pictures.
  await page.addInitScript(([layout, offered, introduced]) => {
    const open = { open: true };
    const all = JSON.stringify({ document: open, inspector: open, sheet: open });
    // Blank pages have none.
    if (!location.protocol.startsWith("http")) return;
    if (localStorage.getItem(layout) === null) localStorage.setItem(layout, all);
    if (localStorage.getItem(offered) === null) localStorage.setItem(offered, "true");
    // Three seconds of motion before every test.
    if (localStorage.getItem(introduced) === null) localStorage.setItem(introduced, "true");
  }, [LAYOUT, OFFERED, INTRODUCED] as const);
  // Violations in workers reach the console too, but only as text; these name the rule.
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI}`);
    });
  });
  page.on("console", (message) => {
    if (message.type() === "error") trouble.report(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => trouble.report(`thrown: ${error.message}`));
  page.on("crash", () => trouble.report("the page crashed"));
  page.context().on("request", (request) => {
    const url = new URL(request.url());
    // Blobs and data URLs are made in the page and go nowhere.
    if (url.protocol === "blob:" || url.protocol === "data:") return;
    if (url.origin !== origin) trouble.report(`foreign request: ${request.url()}`);
  });
  page.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? "";
    // A page that is left gives up what it was loading.
    if (reason !== "net::ERR_ABORTED") trouble.report(`failed: ${request.url()} ${reason}`);
  });
}

/**
 * The part of a pane's picture beside the rulers, in the window. A panel or lane that was just
 * opened moves the picture in a later frame: it counts where it has been for some frames.
 */
export function plot(pane: Locator) {
  return pane.locator(".stage").evaluate(async (stage) => {
    const place = () => {
      const box = stage.getBoundingClientRect();
      const [left, top, width, height] = (stage.getAttribute("data-plot") ?? "").split(",").map(Number);
      return { x: box.x + left, y: box.y + top, width, height };
    };
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const key = (at: object) => Object.values(at).join();
    let now = place();
    for (let still = 0; still < 5; ) {
      await frame();
      const next = place();
      still = key(next) === key(now) && Number.isFinite(next.height) ? still + 1 : 0;
      now = next;
    }
    return now;
  });
}

/** Opens the page and waits until it says that it is idle. */
export async function open(page: Page, path = "/") {
  const response = await page.goto(path);
  await ready(page);
  return response;
}

/** Waits until the page has shown what it was last asked for. */
export async function ready(page: Page) {
  for (;;) {
    try {
      return await page.evaluate(idle);
    } catch (error) {
      // Another visit began meanwhile.
      if (!/context was destroyed/.test(String(error))) throw error;
    }
  }
}

/** The same, and until everything was fetched that comes by itself. */
export async function settled(page: Page) {
  await ready(page);
  await expect(page.locator('body[data-parts="true"]')).toBeAttached();
}

/**
 * Runs in the page. It is idle once every plan is made that is made unasked, searches among them,
 * and nothing has followed from what was shown then for two frames. An assertion would look again
 * after up to a second, and that is most of what a visit takes.
 */
function idle() {
  return new Promise<void>((resolve, reject) => {
    const limit = setTimeout(() => reject(new Error("the page was not idle within two minutes")), 120_000);
    const isIdle = () => document.body?.dataset.ready === "true";
    const settle = () => {
      if (!isIdle()) return;
      watch.disconnect();
      clearTimeout(limit);
      resolve();
    };
    const look = () => {
      if (isIdle()) requestAnimationFrame(() => requestAnimationFrame(settle));
    };
    const watch = new MutationObserver(look);
    watch.observe(document, { subtree: true, childList: true, attributeFilter: ["data-ready"] });
    look();
  });
}

export { expect };
