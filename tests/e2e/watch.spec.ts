// Proof that the watcher of `page.ts` can fail: each of these tests is expected to.

import { open, test } from "./page";

test.describe("a test fails when the page", () => {
  test.beforeEach(async ({ page }) => {
    test.fail();
    await open(page);
  });

  test("logs an error", async ({ page }) => {
    await page.evaluate(() => console.error("planted"));
  });

  test("throws where nobody catches", async ({ page }) => {
    await page.evaluate(async () => {
      setTimeout(() => {
        throw new Error("planted");
      });
      await new Promise((done) => setTimeout(done, 50));
    });
  });

  test("asks of another origin", async ({ page }) => {
    await page.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => undefined));
  });

  test("starts a worker from a blob", async ({ page }) => {
    await page.evaluate(async () => {
      // The policy refuses a worker from a blob; the refusal is what must be heard.
      const source = URL.createObjectURL(new Blob(["console.error('planted')"]));
      try {
        new Worker(source);
      } catch {
        // Chromium reports it as a violation instead.
      }
      await new Promise((done) => setTimeout(done, 100));
    });
  });
});
