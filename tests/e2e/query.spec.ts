// Looking for tensors by a query, with the keyboard, and colouring by what is known of them.

import { chooseLook, expect, open, ready, test } from "./page";
import { choose, document, fragment, pane, shades } from "./session";
import { barriers } from "./sight";
import { showView } from "./tasks.mjs";

/** The fill of Relu in the light theme. */
const RELU = 0xd18200;

// Six buffers of a network by hand; the peak is at step 1: 40 + 32 + 8 = 80 bytes.
const problem = Buffer.from(
  ["id,lower,upper,size", "input,0,2,40", "conv1,1,3,32", "conv2,2,4,16", "add,3,5,16", "side,1,5,8", "out,4,6,4"].join("\n"),
);

async function openProblem(page: import("@playwright/test").Page) {
  await open(page, "/#sample=blazeface");
  await choose(page, "net.csv", problem);
  await expect(page.locator(".document .file")).toHaveText("net.csv");
  await ready(page);
}

const output = ".search output span:first-child";

test("a query is typed with completion and the keyboard alone", async ({ page }) => {
  await openProblem(page);
  await page.keyboard.press("/");
  const field = page.getByRole("combobox", { name: /^Search/ });
  await expect(field).toBeFocused();
  await page.keyboard.type("si");
  const list = page.getByRole("listbox");
  await expect(list).toBeVisible();
  await expect(field).toHaveAttribute("aria-expanded", "true");
  await expect(list.getByRole("option").first()).toContainText("size");
  await page.keyboard.press("Tab");
  await expect(field).toHaveValue("size ");
  await expect(field).toBeFocused();
  // Down and up go through the comparisons; Enter takes the one that is chosen.
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  const chosen = await field.getAttribute("aria-activedescendant");
  await expect(page.locator(`#${chosen}`)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(list).toBeHidden();
  await page.keyboard.type(">= 16 and live at 2");
  // conv1 (32) and conv2 (16) are live at step 2, input no longer is; at the peak only conv1.
  await expect(page.locator(output)).toHaveText("2 of 6, 48 B");
  await expect(page.locator(".search .peak")).toHaveText("32 B at the peak");
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector .name")).toHaveText("conv1");
  await page.keyboard.press("Enter");
  await expect(page.locator(".inspector .name")).toHaveText("conv2");
  await page.keyboard.press("Shift+Enter");
  await expect(page.locator(".inspector .name")).toHaveText("conv1");
  await page.keyboard.press("Escape");
  await expect(field).toHaveValue("");
  await expect(page.locator(output)).toBeHidden();
});

test("what is wrong is marked at its column, and only once it is wrong", async ({ page }) => {
  await openProblem(page);
  const field = page.locator("#search");
  await field.fill("size >");
  const wrong = page.locator(".search .wrong");
  await expect(wrong).toHaveClass(/soft/);
  await expect(field).not.toHaveAttribute("aria-invalid", "true");
  await field.fill("conv and sise > 3");
  await expect(wrong).toHaveAttribute("data-column", "10");
  await expect(wrong.locator("mark")).toHaveText("sise");
  await expect(wrong).toContainText("perhaps size");
  await expect(field).toHaveAttribute("aria-invalid", "true");
  // While a query cannot be read nothing is counted, and Enter goes through nothing.
  await field.fill("conv");
  await expect(page.locator(output)).toHaveText("2 of 6, 48 B");
  await field.press("Enter");
  await expect(page.locator(".inspector .name")).toHaveText("conv1");
  await field.fill("conv and (");
  await expect(page.locator(output)).toBeHidden();
  // The list of continuations lies where the fault is said, and goes first.
  await field.press("Escape");
  await expect(wrong).toHaveAttribute("data-column", "11");
  await field.press("Enter");
  await expect(page.locator(".inspector .name")).toHaveText("conv1");
});

test("a step that is not there is said instead of nothing found", async ({ page }) => {
  await openProblem(page);
  const field = page.locator("#search");
  const wrong = page.locator(".search .wrong");
  await field.fill("live at zzz");
  await expect(wrong).toContainText("Column 9: no step has this name");
  await expect(page.locator(output)).toBeHidden();
  // "out" ends before step 6.
  await field.fill("live at 99999");
  await expect(wrong).toContainText("the last step is 5");
  await expect(page.locator(output)).toBeHidden();
  await field.fill("live at 5");
  await expect(page.locator(output)).toHaveText("1 of 6, 4 B");
});

test("the table and the picture show what is found, and the link keeps it", async ({ page }) => {
  await open(page, "/#sample=blazeface&show=best");
  expect(await shades(pane(page, "best"), RELU)).toBeGreaterThan(100);
  await showView(page, "tensors");
  const rows = page.locator(".sheet tbody tr");
  const all = await rows.count();
  await page.locator("#search").fill("size >= 256KiB and op ~ conv");
  await page.locator("#search").blur();
  await expect(page.locator(output)).toHaveText(/^\d+ of \d+, /);
  const found = Number((await page.locator(output).innerText()).split(" ")[0]);
  expect(found).toBeGreaterThan(0);
  expect(found).toBeLessThan(all);
  await expect(rows).toHaveCount(found);
  // What is no convolution is dimmed: the full orange of Relu is gone.
  expect(await shades(pane(page, "best"), RELU)).toBe(0);
  expect(fragment(page).get("q")).toBe("size >= 256KiB and op ~ conv");
  // Another plan in view is a step that Back undoes; the query stays in both.
  await showView(page, "compare");
  await page.locator('.compare tr[data-strategy="naive"] input').check();
  await ready(page);
  await page.goBack();
  await ready(page);
  await expect(page.locator("#search")).toHaveValue("size >= 256KiB and op ~ conv");
  await page.reload();
  await ready(page);
  await expect(page.locator("#search")).toHaveValue("size >= 256KiB and op ~ conv");
  await expect(page.locator(output)).toHaveText(new RegExp(`^${found} of `));
});

/**
 * By hand, of 256 B each: `a` is needed from step 0 to 4, `b`, `c` and `d` for two steps each, from
 * 1, 2 and 3 on. Three are needed at step 2, the first of two peaks.
 */
const GRAPH = "graph five onnx 17\ninput x: f32[64]\na = Relu(x)\nb = Relu(a)\nc = Sigmoid(b)\nd = Relu(c)\ne = Add(a, d)\noutput e\n";

test("every colouring has a legend that filters, and what is not known says so", async ({ page }) => {
  await open(page);
  await choose(page, "five.graph", Buffer.from(GRAPH));
  await expect(document(page)).toHaveText("five.graph");
  await ready(page);
  const choice = page.locator("#coloring");
  // All are intermediate and of one size; `b`, `c` and `d` are the shortest; `a`, `b` and `d` are
  // written by Relu.
  const first = { role: 4, size: 4, age: 3, waste: 3, operator: 3 };
  for (const [name, count] of Object.entries(first)) {
    await choice.selectOption(name);
    const line = page.locator(".legend button").first();
    await expect(line.locator(".figures")).toHaveText(count === 4 ? "4 · 1.00 KiB" : "3 · 768 B");
    expect(fragment(page).get("color") ?? "operator").toBe(name);
    await line.click();
    await expect(line).toHaveAttribute("aria-pressed", "true");
    await expect(page.locator(output)).toHaveText(new RegExp(`^${count} of 4, `));
    await line.click();
    await expect(page.locator("#search")).toHaveValue("");
  }
  await expect(choice.locator('option[value="caller"]')).toBeDisabled();
  await expect(choice.locator('option[value="caller"]')).toHaveText("Allocated in (not in this file)");
  await openProblem(page);
  await expect(choice.locator('option[value="operator"]')).toBeDisabled();
  await expect(choice).toHaveValue("size");
  // Sizes of 4 to 40 bytes: the classes are 4 to 8, 8 to 16, 16 to 32 and 32 to 64.
  await expect(page.locator(".legend button")).toHaveCount(4);
  await page.locator(".legend button").last().click();
  await expect(page.locator("#search")).toHaveValue("size >= 32 and size < 64");
  await expect(page.locator(output)).toHaveText("2 of 6, 72 B");
});

for (const [language, wrong] of [["en", "Column 1"], ["zh-CN", "第 1 列"]]) {
  test(`the search is in order for assistive technology (${language})`, async ({ page }) => {
    await open(page);
    await chooseLook(page, "language", language);
    await page.locator("#search").pressSequentially("o");
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("listbox")).toBeVisible();
    expect(await barriers(page)).toEqual([]);
    await page.locator("#search").fill("sise > 3");
    await expect(page.locator(".search .wrong")).toContainText(wrong);
    expect(await barriers(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator("#search").blur();
    await page.keyboard.press("?");
    await expect(page.locator("dialog[open]")).toContainText("live at peak");
    expect(await barriers(page)).toEqual([]);
  });
}
