// Each task answers its question first, the plan in question has the room, and what is asked most
// takes no click or one.

import type { Locator, Page } from "@playwright/test";
import { expect, INTRODUCED, open, ready, test, words } from "./page";
import { pane, row } from "./session";
import { faults, newcomer } from "./sight";
import { showView } from "./tasks.mjs";

const answer = (page: Page) => page.locator(".sheet .answer").first();

test("the plan without reuse is narrow, and one click gives equal panes", async ({ page }) => {
  await open(page);
  const naive = pane(page, "naive");
  const best = pane(page, "best");
  const width = async (of: typeof naive) => (await of.boundingBox())!.width;
  await expect(naive).toHaveClass(/silhouette/);
  expect(await width(naive)).toBeLessThan(0.25 * (await width(best)));
  // 10.2 MiB over 1.31 MiB.
  await expect(naive.locator(".ratio")).toHaveText("scales differ 7.8×");
  // The part of the silhouette that the other pane shows in full.
  const [part, whole] = await Promise.all([naive.locator(".reach").boundingBox(), naive.locator(".stage").boundingBox()]);
  expect(whole!.height / part!.height).toBeCloseTo(7.8, 0);
  await naive.locator(".ratio").click();
  await expect(naive).not.toHaveClass(/silhouette/);
  expect(await width(naive)).toBeCloseTo(await width(best), -1);
  await expect(page).toHaveURL(/scale=same/);
  await page.locator('[data-do="even"]').click();
  await expect(naive).toHaveClass(/silhouette/);
});

test("what is run or filmed has the scale of its own plan", async ({ page }) => {
  await open(page);
  await showView(page, "run");
  await ready(page);
  // What makes room is not measured by: the highest label is of the plan's own 1.31 MiB.
  await expect(pane(page, "naive")).toBeHidden();
  const [stage, plot] = await pane(page, "best").locator(".stage").evaluate((it) => [it.getBoundingClientRect().height, it.getAttribute("data-plot")!]);
  expect(Number(plot.split(",")[3])).toBeGreaterThan(0.5 * stage);
});

test("why another strategy needs more is one click away", words, async ({ page }) => {
  await open(page);
  await showView(page, "compare");
  await expect(answer(page)).toContainText("best needs 1.31 MiB, and no plan needs less.");
  // Said unasked, too, of the strategy that most people know.
  await expect(answer(page)).toContainText("greedy_by_size needs 1.38 MiB");
  await row(page, "greedy_by_size").locator('[data-do="why"]').click();
  await expect(answer(page)).toHaveAttribute("data-about", "greedy_by_size");
  await expect(answer(page)).toContainText("it reuses whole blocks, and its 5 blocks cannot be smaller; best shares memory byte by byte.");
  await expect(pane(page, "greedy_by_size")).toBeVisible();
  await row(page, "naive").locator('[data-do="why"]').click();
  await expect(answer(page)).toContainText("it reuses nothing");
  await row(page, "offsets_by_size").locator('[data-do="film"]').click();
  await expect(page.locator(".film")).toBeVisible();
  await expect(pane(page, "offsets_by_size").locator(".caption")).toBeVisible();
});

test("which tensors make the peak is answered with links", words, async ({ page }) => {
  await open(page);
  await showView(page, "waste");
  await expect(answer(page)).toContainText("1.31 MiB because block2.pointwise, block2.channels and block2.add live at step 10.");
  await answer(page).getByRole("button", { name: "block2.channels" }).click();
  await expect(page).toHaveURL(/select=block2.channels/);
});

test("a model that fixes its batch is swept over it", words, async ({ page }) => {
  await open(page);
  await showView(page, "sweep");
  // All but constants grows with the number of images.
  await expect(answer(page)).toContainText("At batch 8, best needs 10.5 MiB: 8× the 1.31 MiB at 1.");
  await expect(page.locator("#sweep-over option")).toHaveText(["batch", "alignment"]);
});

test("what half of the memory costs is said", words, async ({ page }) => {
  await open(page);
  await showView(page, "training");
  await ready(page);
  await expect(answer(page)).toContainText(/^At half the memory, 5\.81 MiB: \d+\.\d % more work, by .+\.$/);
  const more = Number((await answer(page).innerText()).match(/(\d+\.\d) %/)?.[1]);
  // What a policy does under a budget that is a little smaller, it can do under half, too. Both
  // figures are rounded.
  const budget = page.locator('[data-do="budget"]');
  await budget.fill("370");
  await expect(budget).toHaveAttribute("aria-valuetext", /^5\.(79|80) MiB$/);
  await ready(page);
  const overhead = await page.locator('.policies td[data-label="Overhead"]').allInnerTexts();
  const least = Math.min(...overhead.map(parseFloat));
  expect(least).toBeGreaterThan(1);
  expect(more).toBeLessThanOrEqual((least - 1) * 100 + 0.101);
});

test("one value of a sweep has an answer, and what cannot be planned is not offered", words, async ({ page }) => {
  await open(page);
  await showView(page, "sweep");
  await expect(answer(page)).toContainText("At batch 8");
  await expect(page.locator("#sweep-keys")).toHaveText("Arrow keys move along the values");
  await page.locator("#sweep-values").fill("4");
  await page.locator("#sweep-start").click();
  // All but constants grows with the number of images: four times 1.31 MiB.
  await expect(answer(page)).toHaveText("At batch 4, best needs 5.25 MiB.");
});

test("what makes room leaves it to the plan in question", words, async ({ page }) => {
  await newcomer(page, [1280, 720]);
  await open(page, "/#sample=blazeface");
  const height = async () => (await pane(page, "best").locator(".stage").boundingBox())?.height ?? 0;
  const ratio = page.locator(".pane.silhouette .ratio");
  await expect(ratio).toHaveText("scales differ 7.8×");
  // A film keeps its scale, and so do the stages.
  await showView(page, "film");
  await ready(page);
  await expect(page.locator(".pane.silhouette .reach")).toHaveCSS("height", /./);
  const share = async (of: string) => (await page.locator(`.pane.silhouette ${of}`).boundingBox())?.height ?? 0;
  expect(await share(".reach")).toBeLessThan(0.2 * await share(".picture"));
  await showView(page, "stages");
  await ready(page);
  await expect(ratio).toHaveText("scales differ 7.8×");
  await showView(page, "run");
  await expect.poll(height).toBeGreaterThan(170);
  await page.locator(".tab-row .fold").click();
  await page.locator(".lane-bar button").first().click();
  await expect(pane(page, "best").locator(".lanes canvas")).toBeVisible();
  await expect.poll(height).toBeGreaterThan(170);
  const lanes = (await pane(page, "best").locator(".lanes").boundingBox())!;
  const panes = (await page.locator(".panes").boundingBox())!;
  expect(lanes.y + lanes.height).toBeLessThanOrEqual(panes.y + panes.height + 1);
});

test("a link leads to the first task, too", words, async ({ page }) => {
  await newcomer(page, [1440, 900]);
  await open(page);
  await expect(page.locator(".compare")).toBeHidden();
  await page.locator("#task-compare").click();
  await expect(page.locator(".compare")).toBeVisible();
  await expect(page).toHaveURL(/tab=compare/);
  await page.reload();
  await ready(page);
  await expect(page.locator(".compare")).toBeVisible();
  await page.goBack();
  await expect(page.locator(".compare")).toBeHidden();
});

test("a run is promised, and then told", words, async ({ page }) => {
  await open(page);
  await showView(page, "run");
  await expect(answer(page)).toHaveText("best promises 1.31 MiB; nothing has been run yet.");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  await expect(answer(page)).toHaveText("best · CPU: Confirmed, 1.31 MiB.", { timeout: 90_000 });
  // Of all that were run it is said, too.
  await page.getByRole("button", { name: "Run all strategies" }).click();
  const tally = async () => (await answer(page).innerText()).match(/(\d+) of 43 plans have run: (\d+) confirmed\./)?.slice(1).map(Number) ?? [];
  await expect.poll(async () => (await tally())[0] ?? 0, { timeout: 90_000 }).toBeGreaterThan(2);
  const [ran, confirmed] = await tally();
  expect(confirmed).toBe(ran);
});

// A desk, a projector, a projector that presents, a phone.
for (const [device, size] of [["desk", [1440, 900]], ["projector", [1280, 720]], ["audience", [1280, 720]], ["phone", [390, 844]]] as const) {
  const isPhone = device === "phone";
  test.describe(device, () => {
    test.use({ viewport: { width: size[0], height: size[1] }, hasTouch: isPhone, isMobile: isPhone });

    const begin = async (page: Page) => {
      await newcomer(page, size);
      await open(page);
      if (device !== "audience") return;
      await page.locator('.views [data-do="present"]').click();
      await ready(page);
    };
    const press = (of: Locator) => (isPhone ? of.tap() : of.click());

    test("what makes the peak is seen at once, and a run and a spoiled plan are one click each", async ({ page }) => {
      await begin(page);
      const peak = page.locator(".peak-line");
      await expect(peak).toHaveText("1.31 MiB because block2.pointwise, block2.channels and block2.add live at step 10.");
      await expect(peak).toBeInViewport({ ratio: 1 });
      await press(pane(page, "best").locator('[data-do="run-this"]'));
      await expect(answer(page)).toContainText("Confirmed, 1.31 MiB.", { timeout: 90_000 });
      await expect(answer(page)).toBeInViewport({ ratio: 1 });
      await press(page.locator("#spoil"));
      const victim = /Failed, 1\.31 MiB\. \S+ at step \d+ overwrote [\d,]+ B of \S+ at 0x[0-9a-f]+/;
      await expect(answer(page)).toHaveText(victim, { timeout: 90_000 });
      await expect(answer(page)).toBeInViewport({ ratio: 1 });
    });

    test("a task that is asked for the first time begins with its answer in sight", words, async ({ page }) => {
      for (const [task, says] of [["explain", "1.31 MiB because"], ["train", "At half the memory"]] as const) {
        await page.goto("about:blank");
        await begin(page);
        // Before an audience the tasks are unfolded first.
        if (device === "audience") await page.locator(".tab-row .fold").click();
        await press(page.locator(`#task-${task}`));
        await expect(answer(page)).toContainText(says);
        await expect(page.locator(".sheet .arriving")).toHaveCount(0);
        await expect(answer(page)).toBeInViewport({ ratio: 1 });
      }
    });
  });
}

test("a view of nothing says so and leads back", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best&view=70,90,1000000,1300000");
  const nothing = pane(page, "best").locator(".nothing-here");
  await expect(nothing).toContainText("Nothing here");
  await nothing.getByRole("button").click();
  await expect(nothing).toHaveCount(0);
});

for (const theme of ["light", "dark"] as const) {
  test(`before an audience the picture has the room, ${theme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: theme });
    await newcomer(page, [1280, 720]);
    await open(page);
    await pane(page, "best").locator(".stage").focus();
    await page.keyboard.press("Shift+P");
    await expect(page.locator("html")).toHaveAttribute("data-mode", "presenter");
    await ready(page);
    const stage = (await pane(page, "best").locator(".stage").boundingBox())!;
    expect(stage.height).toBeGreaterThanOrEqual(0.6 * 720);
    for (const absent of [".offer", ".tasks", ".pane .menu", ".minimap"]) await expect(page.locator(absent).first()).toBeHidden();
    await expect(page.locator(".legend.line li").first()).toBeVisible();
    expect(await faults(page)).toEqual([]);
    await page.locator(".leave").click();
    await expect(page.locator("html")).toHaveAttribute("data-mode", "work");
  });
}

test("whatever is presented has three fifths of the height", async ({ page }) => {
  await newcomer(page, [1280, 720]);
  // Two panes with sentences, many kinds of operators, a headline of two lines, long names.
  for (const name of ["leading_gap", "transformer", "iree_chain", "torch_training"]) {
    await page.goto("about:blank");
    await open(page, `/#sample=${name}`);
    await page.locator('.views [data-do="present"]').click();
    await ready(page);
    const stage = (await page.locator(".pane:not(.silhouette) .stage").first().boundingBox())!;
    expect(stage.height, name).toBeGreaterThanOrEqual(0.6 * 720);
    expect(await faults(page), name).toEqual([]);
  }
});

test("in a frame there is the plan in question and nothing else", async ({ page }) => {
  await page.setViewportSize({ width: 760, height: 480 });
  await open(page, "/?embed=1");
  await ready(page);
  await expect(pane(page, "best")).toBeVisible();
  for (const absent of [".pane.silhouette", ".views", ".bar", ".tabs", ".minimap"]) await expect(page.locator(absent)).toBeHidden();
  const stage = (await pane(page, "best").locator(".stage").boundingBox())!;
  expect(stage.width).toBeGreaterThan(700);
  expect(await faults(page)).toEqual([]);
});

test("in a frame two plans stand side by side", async ({ page }) => {
  await page.setViewportSize({ width: 760, height: 480 });
  await open(page, "/?embed=1#sample=blazeface&show=best,greedy_by_size");
  await ready(page);
  const boxes = [];
  for (const of of ["best", "greedy_by_size"]) boxes.push((await pane(page, of).locator(".stage").boundingBox())!);
  expect(boxes[0].y).toBe(boxes[1].y);
  for (const box of boxes) {
    expect(box.y + box.height).toBeLessThanOrEqual(480);
    expect(box.height).toBeGreaterThan(240);
  }
});

test("somebody new sees the plan fall together once, and may skip it", async ({ page }) => {
  await page.addInitScript((key) => localStorage.getItem(`${key}.asked`) ?? localStorage.removeItem(key), INTRODUCED);
  await page.goto("/#sample=blazeface");
  const drawn = () => pane(page, "best").locator("canvas.rectangles").first().evaluate((it: HTMLCanvasElement) => it.toDataURL());
  const seen = () => page.evaluate((key) => localStorage.getItem(key), INTRODUCED);
  await expect.poll(seen).toBe("true");
  const moving = await drawn();
  await page.keyboard.press("Escape");
  await ready(page);
  const settled = await drawn();
  expect(moving).not.toBe(settled);
  // Not a second time.
  await page.evaluate((key) => localStorage.setItem(`${key}.asked`, "true"), INTRODUCED);
  await page.reload();
  await ready(page);
  expect(await seen()).toBe("true");
});
