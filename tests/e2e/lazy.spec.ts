// Parts of the page that the first picture does not need: they come after it, and are there
// before they are opened.

import { LAZY, MOST, brotli, fetched } from "./first_load.mjs";
import { chooseLook, expect, open, ready, settled, test } from "./page";
import { choose, document } from "./session";
import { showView } from "./tasks.mjs";

/** A tab, and what is seen of it once it is there. */
const TABS = [
  ["waste", ".waste"],
  ["held", ".held"],
  ["segments", ".empty"],
  ["advice", ".empty"],
  ["stages", ".stage-rows"],
  ["training", ".policies"],
  ["sweep", ".sweep"],
  ["film", ".film"],
  ["graph", ".graph-text"],
  ["differences", ".differences"],
  ["run", ".run"],
  ["operators", "table:not(.compare *, .compare)"],
  ["tensors", "table:not(.compare *, .compare)"],
] as const;

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
  const parts = ["controls", "film", "differences", "export", "help", "run", "gpu"].map((part) => `app_split_${part}.wasm`);
  const tabs = ["waste", "operators", "tensors", "notes"].map((part) => `app_split_${part}.wasm`);
  expect(later).toEqual(expect.arrayContaining([...parts, ...tabs, "app_chunks.bin", "worker_split_dumps.wasm"]));
  // Nobody reads Chinese here.
  expect(files.map((file) => file.name)).not.toContain("app_split_chinese.wasm");
});

test("a run fetches the kernels that its graph needs alone", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(...(/runner_split_\w+/.exec(request.url()) ?? [])));
  const run = async (name: string, op: string) => {
    const text = `graph ${name} onnx 21\ninput a: f32[64]\ninput b: f32[64]\nx = ${op}(a, b)\ny = Relu(x)\noutput y\n`;
    await choose(page, `${name}.graph`, Buffer.from(text));
    await expect(document(page)).toHaveText(`${name}.graph`);
    await ready(page);
    await showView(page, "run");
    await page.locator("#run").click();
    await expect(page.locator("[data-verdict]").first()).toHaveAttribute("data-verdict", "confirmed");
  };
  await open(page);
  await settled(page);
  await run("sum", "Add");
  expect(asked).toEqual([]);
  await run("gates", "SwiGLU");
  expect(asked).toEqual(["runner_split_recurrent"]);
});

test("what was fetched ahead opens without a server", async ({ page, context }) => {
  await open(page);
  await settled(page);
  await context.setOffline(true);
  // A model has no segments.
  for (const [tab, seen] of TABS.filter(([tab]) => tab !== "segments")) {
    await showView(page, tab);
    await expect(page.locator(`.sheet ${seen}`).first()).toBeVisible();
  }
  await page.keyboard.press("?");
  await expect(page.locator("dialog[open] #help-title")).toBeVisible();
});

test("a part that cannot be fetched says so, and can be tried again", async ({ page, trouble }) => {
  trouble.expect(/app_split_waste|Failed to fetch|ERR_FAILED/);
  await page.route("**/app_split_waste.wasm", (route) => route.abort());
  await open(page);
  await settled(page);
  await showView(page, "waste");
  const said = page.locator(".sheet .arriving[role=alert]");
  await expect(said).toContainText("could not be loaded");
  await page.unroute("**/app_split_waste.wasm");
  await said.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator(".sheet .waste")).toBeVisible();
  await ready(page);
});

test("the page works once what stands around the picture can be fetched", async ({ page, trouble }) => {
  trouble.expect(/app_split_controls|app_chunks|Failed to fetch|ERR_FAILED/);
  for (const file of ["**/app_split_controls.wasm", "**/app_chunks.bin"]) {
    await page.route(file, (route) => route.abort());
    await page.goto("/");
    const said = page.locator(".arriving[role=alert]");
    await expect(said).toContainText("could not be loaded");
    await page.unroute(file);
    // The page tries again by itself, too: once when it is loaded, and once when it has planned.
    await expect(async () => {
      if ((await said.count()) > 0) await said.getByRole("button", { name: "Try again" }).click({ timeout: 1000 });
      await expect(said).toHaveCount(0, { timeout: 1000 });
    }).toPass();
    await settled(page);
    await expect(said).toHaveCount(0);
    await showView(page, "waste");
    await expect(page.locator(".sheet .waste")).toBeVisible();
    await page.locator("#samples").selectOption("leading_gap");
    await expect(page.locator(".document .file")).toHaveText("The gap at the bottom");
    await ready(page);
    expect(new URL(page.url()).hash).toContain("sample=leading_gap");
  }
});

test("an export whose part cannot be fetched says so, and is made when it can", async ({ page, trouble }) => {
  trouble.expect(/app_split_export|Failed to fetch|ERR_FAILED/);
  await page.route("**/app_split_export.wasm", (route) => route.abort());
  await open(page);
  await settled(page);
  const choose = async () => {
    await page.locator(".pane summary", { hasText: "Export" }).first().click();
    await page.locator('[data-export="csv"]').first().click();
  };
  const said = page.locator(".arriving[role=alert]");
  await choose();
  await expect(said).toContainText("could not be loaded");
  await said.getByRole("button", { name: "Dismiss" }).click();
  await expect(said).toHaveCount(0);
  await choose();
  // The request must have failed before the next one is let through.
  await expect(said).toContainText("could not be loaded");
  await page.unroute("**/app_split_export.wasm");
  const download = page.waitForEvent("download");
  await said.getByRole("button", { name: "Try again" }).click();
  expect((await download).suggestedFilename()).toContain(".csv");
  await expect(said).toHaveCount(0);
});

test("a part that is on its way says so", async ({ page }) => {
  let release = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route("**/app_split_run.wasm", async (route) => {
    await held;
    await route.continue();
  });
  await open(page);
  await showView(page, "run");
  await expect(page.locator(".sheet .arriving[role=status]")).toHaveText("Loading…");
  await expect(page.locator('body[data-ready="false"]')).toBeAttached();
  release();
  await expect(page.locator(".sheet .run")).toBeVisible();
  await ready(page);
});

test("who reads Chinese fetches its words before the page begins; nobody else does", async ({ browser, baseURL }) => {
  const context = await browser.newContext({ locale: "zh-CN", baseURL });
  const page = await context.newPage();
  const seen = new Set<string>();
  await page.exposeFunction("saw", (text: string) => seen.add(text));
  await page.addInitScript(() => {
    new MutationObserver(() => {
      const heading = document.querySelector("#task-explain")?.textContent;
      if (heading) (window as unknown as { saw(text: string): void }).saw(heading);
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
  await open(page);
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(page.locator("#task-explain")).toHaveText("解释");
  expect([...seen]).toEqual(["解释"]);
  await context.close();
});

test("a language that cannot be fetched says so, and the page stays in English", async ({ page, trouble }) => {
  trouble.expect(/app_split_chinese|Failed to fetch|ERR_FAILED/);
  await page.route("**/app_split_chinese.wasm", (route) => route.abort());
  await open(page);
  await chooseLook(page, "language", "zh-CN");
  const said = page.locator(".arriving[role=alert]");
  await expect(said).toContainText("could not be loaded");
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  await page.unroute("**/app_split_chinese.wasm");
  await said.getByRole("button", { name: "Try again" }).click();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await expect(page.locator("#task-explain")).toHaveText("解释");
  await expect(said).toHaveCount(0);
});
