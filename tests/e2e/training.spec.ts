// A model as a training step: the table is the command's, a schedule is planned and drawn, and
// the budget is dragged.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { native } from "./native.mjs";
import { expect, open, ready, test } from "./page";
import { showView } from "./tasks.mjs";

const SAMPLE = "public/samples/unet.onnx";

type Row = { policy: string; feasible: boolean; peak: number; compute: number };

const told = (...more: string[]): { minimum: number; policies: Row[] } =>
  JSON.parse(native("arenascope", ["train", SAMPLE, "--format", "json", ...more]));

const row = (page: Page, policy: string) => page.locator(`.policies tr[data-row="${policy}"]`);
const best = (page: Page) => page.locator('.pane[data-strategy="best"] .figures b').first();

async function trained(page: Page, hash = "#sample=unet&tab=training") {
  await open(page, `/${hash}`);
  await expect(page.locator(".policies")).toBeVisible();
  await ready(page);
}

async function figures(page: Page, expected: Row[]) {
  for (const { policy, feasible, peak, compute } of expected) {
    const cells = row(page, policy).locator("td.number");
    await expect(cells, policy).toHaveCount(feasible ? 2 : 0);
    if (feasible) {
      await expect(cells.nth(0), policy).toHaveAttribute("title", new RegExp(`^${peak.toLocaleString("en-US")} B$`));
      await expect(cells.nth(1), policy).toHaveAttribute("title", `${compute.toLocaleString("en-US")} FLOP in all`);
    }
  }
}

test("the table is the one of the command line, with and without a budget", async ({ page }) => {
  // Every choice has a whole range of budgets searched.
  test.slow();
  await trained(page);
  const free = told();
  await figures(page, free.policies);
  await page.locator("[data-do=budget]").focus();
  await page.keyboard.press("Home");
  await ready(page);
  const least = told("--budget", String(free.minimum));
  await figures(page, least.policies);
  expect(least.policies.some((it) => !it.feasible)).toBe(true);
  await page.locator("[data-do=batch]").fill("32");
  await page.keyboard.press("Enter");
  await ready(page);
  await figures(page, told("--batch", "32").policies);
});

test("a schedule is planned, the budget dragged, and Back goes back", async ({ page }) => {
  await trained(page);
  const model = await best(page).textContent();
  await page.locator('[data-policy="keep_all"]').click();
  await ready(page);
  await expect(row(page, "keep_all")).toHaveAttribute("aria-current", "true");
  const all = await best(page).textContent();
  expect(all).not.toBe(model);
  await expect(page.locator(".staircase svg path.again")).toHaveAttribute("d", "");
  await page.locator('[data-policy="dtr_eq"]').click();
  await ready(page);
  const slider = page.locator("[data-do=budget]");
  await slider.focus();
  for (let press = 0; press < 3; press++) await page.keyboard.press("PageDown");
  await ready(page);
  await expect(page.locator(".staircase svg path.again")).not.toHaveAttribute("d", "");
  expect(page.url()).toMatch(/train=dtr_eq,1,\d+/);
  // Its address is all that somebody else needs.
  const link = page.url();
  const shown = await best(page).textContent();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.locator(".policies")).toBeVisible();
  await ready(page);
  await expect(best(page)).toHaveText(shown ?? "");
  await page.locator("[data-do=no-training]").click();
  await ready(page);
  await expect(best(page)).toHaveText(model ?? "");
  await expect(page.locator(".staircase")).toHaveCount(0);
  await page.goBack();
  await ready(page);
  await expect(best(page)).toHaveText(shown ?? "");
});

test("what a step is made of is chosen, as on the command line, and kept in the address", async ({ page }) => {
  // Every choice has a whole range of budgets searched.
  test.slow();
  await trained(page);
  await page.locator("[data-do=rule]").selectOption("autograd");
  await page.locator("[data-do=optimizer]").selectOption("adam");
  await page.locator("[data-do=precision]").selectOption("mixed");
  await page.locator("[data-do=frozen]").fill("3");
  await page.keyboard.press("Enter");
  await ready(page);
  const options = ["--rule", "autograd", "--optimizer", "adam", "--precision", "mixed", "--frozen", "3"];
  await figures(page, told(...options).policies);
  await page.locator('[data-policy="keep_all"]').click();
  await ready(page);
  expect(page.url()).toContain("train=keep_all,1,,autograd+adam+mixed+frozen=3");
  const link = page.url();
  const shown = await best(page).textContent();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(page.locator(".policies")).toBeVisible();
  await ready(page);
  await expect(page.locator("[data-do=rule]")).toHaveValue("autograd");
  await expect(page.locator("[data-do=frozen]")).toHaveValue("3");
  await expect(best(page)).toHaveText(shown ?? "");
});

test("a point of the chart opens its schedule", async ({ page }) => {
  await trained(page);
  await page.locator(".pareto circle.live").first().click({ force: true });
  await ready(page);
  await expect(page.locator(".pareto circle.chosen")).not.toHaveCount(0);
  expect(page.url()).toMatch(/train=[a-z_]+,1,\d+/);
});

test("what cannot be trained says so, and a budget that is too small says why", async ({ page }) => {
  await open(page, "/#sample=above_the_peak&tab=training");
  await expect(page.locator(".training .empty")).toContainText("nothing to train");
  await trained(page, "#sample=unet&train=keep_all,1,1000&tab=training");
  await expect(page.locator(".training .failed[role=status]")).toContainText("Nothing is drawn");
});

test("a choice that makes no step can be taken back", async ({ page }) => {
  await open(page);
  const layers = { layers: [["a", [-1], 8, 64, 4], ["b", [0], 8, 64, 4], ["c", [1], 8, 64, 4]] };
  const buffer = Buffer.from(JSON.stringify(layers));
  await page.locator("input[type=file]").first().setInputFiles({ name: "layers.json", mimeType: "application/json", buffer });
  await ready(page);
  await showView(page, "training");
  await ready(page);
  await page.locator("[data-do=rule]").selectOption("autograd");
  await expect(page.locator(".training .empty")).toContainText("do not say what autograd saves");
  await page.locator("[data-do=rule]").selectOption("checkmate");
  await ready(page);
  await expect(row(page, "keep_all").locator("td.number")).toHaveCount(2);
});

test("evictions are told one by one, as by the command line", async ({ page }) => {
  await trained(page);
  const free = told().policies.find((it) => it.policy === "keep_all")?.peak ?? 0;
  const budget = Math.ceil((told().minimum + free) / 2);
  await page.goto("about:blank");
  await trained(page, `#sample=unet&train=dtr,1,${budget}&tab=training`);
  await page.locator("[data-do=explain]").click();
  await ready(page);
  const { decisions: list } = JSON.parse(
    native("arenascope", ["train", SAMPLE, "--policy", "dtr", "--budget", String(budget), "--decisions", "-"]),
  );
  expect(list.length).toBeGreaterThan(1);
  const slider = page.locator("[data-do=eviction]");
  await expect(slider).toHaveAttribute("max", String(list.length - 1));
  await page.locator("[data-do=eviction-after]").click();
  const { pool, chosen } = list[1];
  const row = page.locator(".evictable tr[aria-current=true]");
  await expect(row.locator("th")).toHaveText(pool[chosen].name);
  await row.locator("button").click();
  await expect(page.locator(".inspector, #inspector").first()).toContainText(pool[chosen].name);
  await slider.focus();
  await page.keyboard.press("End");
  await expect(page.locator("[data-do=eviction-after]")).toBeDisabled();
});

test("a log and the layers of a training problem open, and a step is saved and opened again", async ({ page }) => {
  await open(page, "/");
  const log = [
    ["CONSTANT", "x", "8"],
    ["CALL", "f", ["x"], "a", "16", "5"],
    ["CALL", "g", ["a"], "b", "16", "7"],
    ["CALL", "g", ["b"], "c", "16", "7"],
    ["CALL", "h", ["a", "c"], "d", "4", "3"],
  ].flatMap(([kind, name, ...rest]) => {
    const memory = (of: unknown, bytes: unknown) => ({ INSTRUCTION: "MEMORY", NAME: of, MEMORY: bytes });
    if (kind === "CONSTANT") return [{ INSTRUCTION: kind, NAME: name }, memory(name, rest[0])];
    const [args, result, bytes, time] = rest;
    return [
      { INSTRUCTION: kind, NAME: name, ARGS: args, RESULT: [result], TIME: time },
      memory(result, bytes),
      { INSTRUCTION: "ALIAS", NAME: result, ALIAS: "-1" },
    ];
  });
  const text = (lines: object[]) => Buffer.from(lines.map((line) => JSON.stringify(line)).join("\n"));
  await page.locator("#file").setInputFiles({ name: "own.log", mimeType: "", buffer: text(log) });
  await ready(page);
  await showView(page, "training");
  await ready(page);
  await expect(page.locator(".training .hint").first()).toContainText("5 calls of a program");
  await expect(row(page, "dtr")).toBeVisible();
  await expect(row(page, "sqrt_n")).toHaveCount(0);
  const layers = { model: "own", layers: [["a", [-1], 8, 1024, 2], ["b", [0], 8, 1024, 2], ["c", [1], 8, 1024, 2]] };
  await page.locator("#file").setInputFiles({ name: "own.json", mimeType: "", buffer: text([layers]) });
  await ready(page);
  await page.locator('[data-policy="keep_all"]').click();
  await ready(page);
  const download = page.waitForEvent("download");
  const pane = page.locator('.pane[data-strategy="best"]');
  await pane.locator("summary").click();
  await pane.locator('[data-export="program.json"]').click();
  const buffer = readFileSync(await (await download).path());
  const arena = await best(page).textContent();
  await page.locator("#file").setInputFiles({ name: "again.json", mimeType: "", buffer });
  await ready(page);
  await expect(page.locator("main, body").first()).toContainText("Arenascope program");
  await expect(best(page)).toHaveText(arena ?? "");
});

test("a device sets the budget, says what fits and how long a step takes at least", async ({ page }) => {
  // Of this one a quick search finds what the command's long one does.
  const densenet = "public/samples/densenet.onnx";
  await trained(page, "#sample=densenet&tab=training");
  await page.locator("[data-do=device]").selectOption("RTX 3090");
  await ready(page);
  const said = JSON.parse(native("arenascope", ["train", densenet, "--device", "rtx3090", "--format", "json"]));
  const count = (value: number) => value.toLocaleString("en-US");
  const { keep_all: all, any } = said.largest_batch;
  await expect(page.locator("[data-device=follows]")).toContainText(
    `The largest batch is ${count(all)} with everything kept; none above ${count(any)} fits`,
  );
  await figures(page, said.policies);
  await expect(row(page, "keep_all")).toContainText("≥ ");
  // A figure that is changed is another device.
  await page.locator("[data-do=device-memory]").fill("0.02");
  await page.keyboard.press("Enter");
  await ready(page);
  await expect(page.locator("[data-do=device]")).toHaveValue("own");
  const bytes = String(Math.floor(0.02 * 2 ** 30));
  // Bytes alone have no link: what swaps in the page does not swap there.
  const swap = ["vdnn_all", "vdnn_conv", "capuchin", "megengine_swap", "poet", "exact", "lp_rounding", "local_search"];
  const { policies }: { policies: Row[] } = JSON.parse(
    native("arenascope", ["train", densenet, "--device", bytes, "--format", "json"]),
  );
  await figures(page, policies.filter((it) => !swap.includes(it.policy)));
  await page.locator("[data-do=device]").selectOption("");
  await ready(page);
  await expect(page.locator("[data-do=device-memory]")).toHaveCount(0);
});

test("PyTorch's advice has its bytes, and a switch is part of the step", async ({ page }) => {
  await trained(page);
  await page.locator("[data-do=switches]").click();
  const { switches } = JSON.parse(native("arenascope", ["train", SAMPLE, "--switches", "--format", "json"]));
  for (const { switch: name, without, with: used } of switches) {
    const cells = page.locator(`tr[data-switch="${name}"] td[title]`);
    await expect(cells.nth(0)).toHaveAttribute("title", `${without.toLocaleString("en-US")} B`);
    await expect(cells.nth(1)).toHaveAttribute("title", `${used.toLocaleString("en-US")} B`);
  }
  await page.locator('[data-policy="keep_all"]').click();
  await ready(page);
  const turn = page.locator("[role=switch][data-do=set_to_none]");
  await expect(turn).not.toBeChecked();
  await turn.click();
  await ready(page);
  await expect(page.locator("[role=switch][data-do=set_to_none]")).toBeChecked();
  expect(page.url()).toContain("train=keep_all,1,,autograd+set_to_none");
  await page.locator("[role=switch][data-do=checkpoints]").click();
  await ready(page);
  await expect(row(page, "torch_segments")).toHaveAttribute("aria-current", "true");
  await expect(page.locator("[role=switch][data-do=checkpoints]")).toBeChecked();
  await page.goBack();
  await ready(page);
  await expect(row(page, "torch_segments")).not.toHaveAttribute("aria-current", "true");
});

test("the film of evictions shows the run as far as each", async ({ page }) => {
  const { minimum, policies } = told();
  const budget = Math.ceil((minimum + (policies.find((it) => it.policy === "keep_all")?.peak ?? 0)) / 2);
  await trained(page, `#sample=unet&train=dtr,1,${budget}&tab=training`);
  await page.locator("[data-do=explain]").click();
  await ready(page);
  const pane = page.locator('.pane[data-strategy="best"] canvas.rectangles').first();
  const whole = await pane.screenshot();
  await page.locator("[data-do=eviction-film]").click();
  await expect(page.locator("[data-do=eviction]")).not.toHaveValue("0", { timeout: 10_000 });
  await page.locator("[data-do=eviction-film]").click();
  await page.locator("[data-do=whole-run]").scrollIntoViewIfNeeded();
  const part = await pane.screenshot();
  expect(part.equals(whole)).toBe(false);
  await expect(page.locator(".inspector").first()).toContainText(
    (await page.locator(".evictable tr[aria-current=true] th").textContent()) ?? "-",
  );
  await page.locator("[data-do=whole-run]").click();
  await expect(page.locator("[data-do=whole-run]")).toBeDisabled();
});
