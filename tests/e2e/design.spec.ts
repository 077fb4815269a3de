// The design page: every component in its states, light in English and dark in Chinese, as it is
// to look. `design/index.html` shows the pictures side by side. After a change of the look:
// `npx playwright test --project=raster design.spec.ts --update-snapshots`, and look at them.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator, Page } from "@playwright/test";
import { args, executable } from "./chromium.mjs";
import { expect, open, ready, test } from "./page";
import { LESSONS, linkOf } from "./scenes";
import { drop, pane } from "./session";
import { showView } from "./tasks.mjs";

const STILL = fileURLToPath(new URL("design/still.css", import.meta.url));
const FONTS = fileURLToPath(new URL("design/fonts.conf", import.meta.url));

// Text is as wide everywhere.
test.use({
  launchOptions: { executablePath: executable(), args: args.raster, env: { ...process.env, FONTCONFIG_FILE: FONTS } as Record<string, string> },
  bypassCSP: true,
});

/** What is seen of the page: its name, how one comes to it, and the element. */
type Component = [name: string, prepare: (page: Page) => Promise<void>, of: string | ((page: Page) => Locator)];

const at = (path: string) => (page: Page) => goes(page, path);
const view = (name: string) => (page: Page) => showView(page, name);
const nothing = async () => {};

async function goes(page: Page, path: string) {
  await page.goto("about:blank");
  await open(page, `/?renderer=raster#${path}`);
}

/** The graph of each lesson that has one, as it stands over its first picture. */
const GRAPHS: Component[] = LESSONS.flatMap((lesson): Component[] => {
  const scene = lesson.scenes.find(({ problem }) => lesson.problems[problem]?.graph);
  return scene ? [[`graph-of-${lesson.lesson}`, (page) => goes(page, `lesson=${linkOf(lesson, scene)}`), ".pane .graph"]] : [];
});

/** In the order in which one comes to them; each goes on from the one before. */
const COMPONENTS: Component[] = [
  ["bar", at("sample=blazeface"), ".bar"],
  ["bar-look", (page) => page.locator(".bar .menu > summary").first().click(), ".bar .menu[open] .items"],
  ["button-pointed", async (page) => {
    await page.keyboard.press("Escape");
    await page.locator(".bar button").first().hover();
  }, (page) => page.locator(".bar button").first()],
  ["button-focused", (page) => page.locator(".bar button").first().focus(), (page) => page.locator(".bar button").first()],
  ["headline", async (page) => page.mouse.move(0, 0), ".above"],
  ["document", nothing, ".at-left"],
  ["document-advanced", (page) => page.locator(".advanced").evaluate((it: HTMLDetailsElement) => (it.open = true)), ".advanced"],
  ["inspector", nothing, ".at-right"],
  ["panes-silhouette", nothing, ".panes"],
  ["pane-pointed", async (page) => {
    const box = (await pane(page, "best").locator(".stage").boundingBox())!;
    await page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.75);
    await expect(pane(page, "best").locator(".card").first()).toBeVisible();
  }, (page) => pane(page, "best")],
  ["inspector-tensor", async (page) => {
    await page.mouse.down();
    await page.mouse.up();
    await page.mouse.move(0, 0);
  }, ".at-right"],
  ["pane-selected", nothing, (page) => pane(page, "best")],
  ["tabs", nothing, ".tab-row"],
  ["task-views", view("tensors"), ".task-views"],
  ["task-compare", view("compare"), ".sheet"],
  ["task-run", view("run"), ".sheet"],
  ["task-operators", view("operators"), ".sheet"],
  ["task-tensors", view("tensors"), ".sheet"],
  ["task-notes", view("notes"), ".sheet"],
  ["task-graph", view("graph"), ".sheet"],
  ["task-training", at("sample=blazeface&train=dtr_eq,4&tab=training"), "main"],
  ["task-stages", at("sample=blazeface&passes=fusion,in_place&tab=stages"), ".sheet"],
  ["panes-four", at("sample=blazeface&show=naive,greedy_by_size,greedy_in_order,best"), ".panes"],
  ["panes-equal", (page) => page.locator('[data-do="even"]').click(), ".panes"],
  ["task-differences", view("differences"), ".sheet"],
  ["task-film", async (page) => {
    await goes(page, "sample=leading_gap");
    await showView(page, "film");
    await page.locator('[data-film="0"]').selectOption("best");
    await ready(page);
    await page.locator(".scrubber").fill("2");
    await expect(pane(page, "best").locator(".caption")).toHaveAttribute("data-step", "2");
  }, ".sheet"],
  ["pane-film", nothing, (page) => pane(page, "best")],
  ["pane-what-if", async (page) => {
    await goes(page, "sample=leading_gap&show=best");
    await pane(page, "best").locator(".stage").focus();
    for (let press = 0; press < 3; press++) await page.keyboard.press(".");
    await page.keyboard.press("Shift+ArrowDown");
    await ready(page);
  }, (page) => pane(page, "best")],
  ["task-waste", async (page) => {
    await goes(page, "sample=iree_chain");
    await showView(page, "waste");
  }, ".sheet"],
  ["task-owners", async (page) => {
    await goes(page, "sample=torch_training");
    await showView(page, "held");
  }, ".sheet"],
  ["task-segments", view("segments"), ".sheet"],
  ["task-advice", view("advice"), ".sheet"],
  ["lanes", nothing, ".under"],
  ["task-sweep", async (page) => {
    await goes(page, "sample=transformer");
    await showView(page, "sweep");
    await page.locator("#sweep-values").fill("16..256:48");
    await page.locator("#sweep-start").click();
    await ready(page);
  }, ".sheet"],
  ["search", async (page) => {
    await page.locator(".search input").fill("softmax");
    await ready(page);
  }, ".bar"],
  ["search-found", nothing, '.search [role="listbox"]'],
  ["notice", async (page) => {
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await drop(page, "broken.onnx", Buffer.from("nothing of the kind"));
  }, ".notices"],
  ["empty", async (page) => {
    await goes(page, "sample=blazeface&show=best");
    await pane(page, "best").locator("header .quiet").last().click();
  }, ".panes"],
  ["dialog-help", async (page) => page.keyboard.press("?"), "dialog[open]"],
  ["lesson", async (page) => {
    await page.keyboard.press("Escape");
    await goes(page, `lesson=${linkOf(LESSONS[0], LESSONS[0].scenes[0])}`);
  }, "section.lesson"],
  ["presenter", async (page) => {
    await goes(page, "sample=blazeface");
    await pane(page, "best").locator(".stage").focus();
    await page.keyboard.press("Shift+P");
    await ready(page);
  }, "body"],
  ...GRAPHS,
];

for (const [locale, colorScheme] of [["en-US", "light"], ["zh-CN", "dark"]] as const) {
  test.describe(`${colorScheme}, ${locale}`, () => {
    test.use({ locale, colorScheme, viewport: { width: 1440, height: 1100 }, contextOptions: { reducedMotion: "reduce" } });

    test("every component looks as it is to look", async ({ page }, info) => {
      test.setTimeout(400_000);
      for (const [name, prepare, of] of COMPONENTS) {
        await test.step(name, async () => {
          await prepare(page);
          const it = typeof of === "string" ? page.locator(of).first() : of(page);
          await expect.soft(it).toHaveScreenshot([colorScheme, `${name}.png`], { maxDiffPixelRatio: 0.01, stylePath: STILL });
        });
      }
      if (["all", "changed"].includes(info.config.updateSnapshots)) writeFileSync(new URL("design/index.html", import.meta.url), index());
    });
  });
}

/** The page that shows all of them. */
function index(): string {
  const row = ([name]: Component) => `<h2>${name}</h2><p><img src="light/${name}.png" alt="light, English"> <img src="dark/${name}.png" alt="dark, Chinese"></p>`;
  const style = "body{font:16px system-ui;margin:24px;background:#888}img{max-width:49%;vertical-align:top}";
  return `<!doctype html><meta charset="utf-8"><title>Components</title><style>${style}</style>\n${COMPONENTS.map(row).join("\n")}\n`;
}
