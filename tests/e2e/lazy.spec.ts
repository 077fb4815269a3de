// Parts of the page that the first picture does not need: they come after it, and are there
// before they are opened.

import type { Page } from "@playwright/test";
import { LAZY, MOST, brotli, fetched } from "./first_load.mjs";
import { expect, open, ready, test } from "./page";

/** A tab, and what is seen of it once it is there. */
const TABS = [
  ["waste", ".waste"],
  ["film", ".film"],
  ["differences", ".differences"],
  ["run", ".run"],
  ["operators", "table:not(.compare *, .compare)"],
  ["tensors", "table:not(.compare *, .compare)"],
] as const;

/** Waits until everything was fetched that comes by itself. */
async function settled(page: Page) {
  await ready(page);
  await expect(page.locator('body[data-parts="true"]')).toBeAttached();
}

test("little is fetched until the first picture, and no part that it does not need", async ({ page, baseURL }) => {
  const readers = page.context().waitForEvent("request", (request) => request.url().includes("worker_split_dumps"));
  const files = await fetched(page, `${baseURL}/`, async () => {
    await settled(page);
    await readers;
  });
  const early = files.filter((file) => file.early).map((file) => ({ ...file, bytes: brotli(file.body) }));
  const all = early.reduce((sum, file) => sum + file.bytes, 0);
  expect(early.map((file) => file.name)).toEqual(expect.arrayContaining(["app_bg.wasm", "worker_bg.wasm"]));
  expect(early.filter((file) => LAZY.test(file.pathname)).map((file) => file.name)).toEqual([]);
  expect(all, early.map(({ name, bytes }) => `${name} ${bytes}`).join(", ")).toBeLessThanOrEqual(MOST);
  // What comes afterwards is fetched without being asked for.
  const later = files.filter((file) => !file.early).map((file) => file.name);
  for (const part of ["app_split_hands", "app_split_panes", "app_split_run", "app_split_gpu", "worker_split_dumps"]) {
    expect(later).toContain(`${part}.wasm`);
  }
});

test("what was fetched ahead opens without a server", async ({ page, context }) => {
  await open(page);
  await settled(page);
  await context.setOffline(true);
  for (const [tab, seen] of TABS) {
    await page.locator(`#tab-${tab}`).click();
    await expect(page.locator(`.sheet ${seen}`).first()).toBeVisible();
  }
  await page.keyboard.press("?");
  await expect(page.locator("dialog[open] #help-title")).toBeVisible();
});

test("a part that cannot be fetched says so, and can be tried again", async ({ page, trouble }) => {
  trouble.expect(/app_split_panes|Failed to fetch|ERR_FAILED/);
  await page.route("**/app_split_panes.wasm", (route) => route.abort());
  await open(page);
  await settled(page);
  await page.locator("#tab-waste").click();
  const said = page.locator(".sheet .arriving[role=alert]");
  await expect(said).toContainText("could not be loaded");
  await page.unroute("**/app_split_panes.wasm");
  await said.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".sheet .waste")).toBeVisible();
  await ready(page);
});

test("a part that is on its way says so", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/app_split_run.wasm", async (route) => {
    await held;
    await route.continue();
  });
  await open(page);
  await page.locator("#tab-run").click();
  await expect(page.locator(".sheet .arriving[role=status]")).toHaveText("Loading…");
  await expect(page.locator('body[data-ready="false"]')).toBeAttached();
  release();
  await expect(page.locator(".sheet .run")).toBeVisible();
  await ready(page);
});
