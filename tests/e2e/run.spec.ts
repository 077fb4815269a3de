// Running a plan: confirmed on the GPU and on the CPU, spoiled, cancelled, compared, exported.

import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, open, ready, test, words } from "./page";
import { choose, document, LONG, openRun, pane, verdict } from "./session";
import { barriers } from "./sight";
import { showView } from "./tasks.mjs";

// What a second, independent implementation says of the sample.
const { models } = JSON.parse(readFileSync(new URL("../data/sample_figures.json", import.meta.url), "utf8"));
const expected = models.find((model: { file: string }) => model.file === "blazeface.onnx");

test.setTimeout(240_000);

/** A figure of the run that is shown, in bytes. */
async function figure(page: Page, name: string): Promise<number> {
  return Number(await page.locator(`[data-figure="${name}"]`).getAttribute("data-bytes"));
}

/** How many pixels of a pane's canvas of marks are drawn on. */
function marked(page: Page): Promise<number> {
  return page.locator(".pane:not(.aside) canvas.marks").nth(1).evaluate((canvas: HTMLCanvasElement) => {
    const context = canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((value, at) => at % 4 === 3 && value > 0).length;
  });
}

test("the plan is confirmed: promised = allocated = touched", async ({ page }, info) => {
  const gpu = info.project.name === "webgpu";
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await openRun(page);
  expect(asked.filter((path) => path.includes("runner")), "fetched before the first run").toEqual([]);
  await expect(page.locator("#run")).toHaveText(gpu ? "Run on GPU" : "Run on CPU");
  // The CPU reference is what runs without a GPU, so there is nothing to compare with.
  if (gpu) await page.locator("#run-reference").uncheck();
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  expect(asked.some((path) => path.endsWith("/runner_bg.wasm"))).toBe(true);
  await expect(page.locator(".verdict")).toContainText("promised = allocated = touched");
  await expect(page.locator(".verdict")).toContainText(gpu ? "GPU" : "CPU");
  // The best plan meets the bound.
  for (const name of ["promised", "allocated", "touched"]) {
    expect(await figure(page, name), name).toBe(expected.lb_offset);
  }
  expect(await figure(page, "naive")).toBe(expected.naive);
  // The sample is a network's shape without its weights.
  await expect(page.locator(".run-facts")).toContainText("seeded random ones");
  expect(await barriers(page)).toEqual([]);
});

test("a spoiled plan fails, and names victim and culprit", async ({ page }) => {
  await openRun(page);
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#spoil").click();
  expect(await verdict(page)).toBe("refuted");
  await expect(page.locator(".verdict .claim")).toHaveText(/^\S+ at step \d+ overwrote [\d,]+ B of \S+ at 0x[0-9a-f]+/);
  await expect(pane(page, "best")).toContainText("Invalid");
  await expect(page.locator(".edited")).toContainText("moved");
  await expect.poll(() => marked(page), "victim and culprit on the timeline").toBeGreaterThan(100);
  const first = await page.locator(".verdict .claim").innerText();
  await page.locator("#spoil").click();
  await expect.poll(async () => {
    await verdict(page);
    return page.locator(".verdict .claim").innerText();
  }, LONG).not.toBe(first);
  await page.keyboard.press("Escape");
  await expect(page.locator("#restore")).toHaveCount(0);
  await expect(pane(page, "best")).not.toContainText("Invalid");
  await expect.poll(() => marked(page)).toBe(0);
});

test("the tensor that is moved, and the one that it is moved onto, are chosen", async ({ page }) => {
  await openRun(page);
  await page.locator("#run-machine").selectOption("cpu");
  const [moved, onto] = [page.locator("#spoil-moved"), page.locator("#spoil-onto")];
  const texts = (select: typeof moved) => select.locator("option").allInnerTexts();
  expect(await texts(onto), "nothing is moved yet").toEqual(["automatic"]);
  await expect(moved).toHaveAccessibleName("Move");
  // By keyboard: the focus stays where it is while the choices change.
  await moved.focus();
  await page.keyboard.press("ArrowDown");
  await expect(moved).not.toHaveValue("");
  await expect(moved).toBeFocused();
  const name = await moved.locator("option:checked").innerText();
  await expect.poll(async () => (await texts(onto)).length).toBeGreaterThan(1);
  await onto.selectOption({ index: (await texts(onto)).length - 1 });
  const victim = (await onto.locator("option:checked").innerText()).split(", ")[0];
  await page.locator("#spoil").click();
  expect(await verdict(page)).toBe("refuted");
  // Of both, the one that is written later overwrites the other; there is no third.
  const said = await page.locator(".verdict .claim").innerText();
  const [, culprit, found] = /^(\S+) at step \d+ overwrote [\d,]+ B of (\S+) at/.exec(said) ?? [];
  expect([culprit, found].sort()).toEqual([name, victim].sort());
  await expect(page.locator(".edited")).toContainText(name);
  await page.keyboard.press("Control+z");
  await expect(page.locator(".edited")).toBeEmpty();
  // What is selected is moved unless another is chosen.
  await moved.selectOption("");
  const stage = pane(page, "best").locator(".stage");
  await stage.focus();
  await page.keyboard.press(".");
  const selected = await page.locator(".inspector h3 .name").innerText();
  await expect(moved.locator("option").first()).toHaveText(`selected: ${selected}`);
  await page.locator("#spoil").click();
  await expect(page.locator(".edited")).toContainText(selected);
});

test("a rectangle is dragged away, judged, and taken back", async ({ page }) => {
  await openRun(page);
  const stage = pane(page, "best").locator(".stage");
  await stage.focus();
  await page.keyboard.press(".");
  await page.keyboard.press("Shift+ArrowUp");
  await expect(page.locator(".edited")).toContainText("moved");
  // Back to where it was, the plan is the old one.
  await page.keyboard.press("Shift+ArrowDown");
  await expect(page.locator(".edited")).toBeEmpty();
  // With the mouse: the selected rectangle fills the middle of the picture.
  await stage.focus();
  await page.keyboard.press("f");
  const box = await stage.boundingBox();
  if (!box) throw new Error("no picture");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y - 20, { steps: 4 });
  await page.mouse.move(x, y - 40, { steps: 4 });
  await expect.poll(() => marked(page), "where it is held").toBeGreaterThan(20);
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await expect(page.locator(".edited")).toContainText("moved");
  await page.locator("#restore").click();
  await expect(page.locator(".edited")).toBeEmpty();
});

test("a run is cancelled, and another one starts", async ({ page }) => {
  await openRun(page, "/#sample=mobilenet_v2");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  await expect(page.locator("#run")).toHaveText("Cancel");
  await expect(page.locator(".going")).toBeVisible();
  await page.locator("#run").click();
  await expect(page.locator(".going")).toHaveCount(0);
  await expect(page.locator("#run")).toHaveText("Run on CPU");
  await expect(page.locator("[data-verdict]")).toHaveCount(0);
  // Another document ends what is going on.
  await page.locator("#run").click();
  await page.locator("#samples").selectOption("blazeface");
  await expect(document(page)).toHaveText("BlazeFace detector");
  await ready(page);
  await expect(page.locator(".going")).toHaveCount(0);
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
});

test("the browser asks before a run of one's own file is left", words, async ({ page }) => {
  const asked: string[] = [];
  let stays = true;
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void (stays ? dialog.dismiss() : dialog.accept());
  });
  await open(page);
  const model = readFileSync(new URL("../../public/samples/mobilenet_v2.onnx", import.meta.url));
  await choose(page, "own.onnx", model);
  await expect(document(page)).toHaveText("own.onnx");
  await ready(page);
  await showView(page, "run");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  await expect(page.locator(".going")).toBeVisible();
  // Whoever wants to stay has all of it still.
  await page.evaluate(() => location.reload());
  await expect.poll(() => asked).toEqual(["beforeunload"]);
  await expect(document(page)).toHaveText("own.onnx");
  await expect(page.locator(".going")).toBeVisible();
  // Whoever goes on loses the run, not the file; without a run nothing is asked.
  stays = false;
  await page.reload();
  for (const _ of ["from a run", "from none"]) {
    await expect(document(page)).toHaveText("own.onnx");
    await ready(page);
    await expect(page.locator(".notice")).toHaveCount(0);
    await page.reload();
  }
  expect(asked).toEqual(["beforeunload", "beforeunload"]);
});

test("every strategy is compared, copied and exported", async ({ page, context }) => {
  const ALL = { timeout: 300_000 };
  test.setTimeout(400_000);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openRun(page);
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run-all").click();
  const rows = page.locator(".results tbody tr");
  await expect(rows).toHaveCount(43, ALL);
  await expect(page.locator(".going")).toHaveCount(0, ALL);
  for (const row of await rows.all()) await expect(row).toContainText("Confirmed");
  await page.locator('[data-take="tsv"]').click();
  await expect(page.locator(".notice")).toHaveText(/Copied/);
  const lines = (await page.evaluate(() => navigator.clipboard.readText())).split("\n");
  expect(lines).toHaveLength(44);
  const cells = lines.map((line) => line.split("\t"));
  const promised = cells[0].indexOf("Promised");
  const sized = cells.find(([name]) => name === "offsets_by_size");
  expect(sized?.slice(promised, promised + 3)).toEqual(Array(3).fill(String(expected.off_gbs)));
  const download = page.waitForEvent("download");
  await page.locator('[data-take="json"]').click();
  const file = await (await download).path();
  const json = JSON.parse(readFileSync(file, "utf8"));
  expect(json.document).toBe("BlazeFace detector");
  expect(json.versions.browser).toContain("Chrome");
  expect(json.runs).toHaveLength(43);
  const run = json.runs.find((run: { plan: string }) => run.plan === "offsets_by_size");
  expect(run).toMatchObject({
    machine: "cpu",
    verdict: "confirmed",
    promised_bytes: expected.off_gbs,
    allocated_bytes: expected.off_gbs,
    touched_bytes: expected.off_gbs,
    findings: [],
  });
});

test("inputs are taken from files that fit", words, async ({ page }) => {
  await openRun(page);
  await page.locator(".inputs summary").click();
  const input = page.locator('[data-input="0"]');
  await expect(input).toContainText("Random from the seed");
  const field = input.locator('input[type="file"]');
  await field.setInputFiles({ name: "short.bin", mimeType: "", buffer: Buffer.alloc(12) });
  await expect(input).toContainText("short.bin does not fit");
  const png = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(7, 5);
    const context = canvas.getContext("2d");
    context?.fillRect(0, 0, 3, 3);
    const blob = await canvas.convertToBlob();
    return Array.from(new Uint8Array(await blob.arrayBuffer()));
  });
  await field.setInputFiles({ name: "face.png", mimeType: "image/png", buffer: Buffer.from(png) });
  await expect(input).toContainText("From face.png");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("confirmed");
  await input.getByRole("button", { name: "Use the seed" }).click();
  await expect(input).toContainText("Random from the seed");
});

test("a problem without operators cannot be run, and says so", words, async ({ page }) => {
  await openRun(page, "/#sample=jigsaw");
  await expect(page.locator("#sheet")).toContainText("no graph: there is nothing to run");
});

test("a model is executed through the hook", async ({ page }, info) => {
  await open(page);
  const model = readFileSync(new URL("../../public/samples/blazeface.onnx", import.meta.url));
  const machine = info.project.name === "webgpu" ? "gpu" : "cpu";
  const shapes = await page.evaluate(
    async ([base64, machine]) => {
      const model = Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
      const execute = (window as unknown as { arenascope_execute(asked: unknown): Promise<Output[]> }).arenascope_execute;
      type Output = { name: string; dims: number[]; dtype: string; bytes: Uint8Array };
      const outputs = await execute({ model, inputs: [null], machine });
      return outputs.map(({ dims, dtype, bytes }) => ({
        dtype,
        elements: dims.reduce((product, dim) => product * dim, 1),
        bytes: bytes.length,
        finite: new Float32Array(bytes.slice().buffer).every(Number.isFinite),
      }));
    },
    [model.toString("base64"), machine] as const,
  );
  expect(shapes.length).toBeGreaterThan(0);
  for (const { dtype, elements, bytes, finite } of shapes) {
    expect(dtype).toBe("f32");
    expect(bytes).toBe(4 * elements);
    expect(finite).toBe(true);
  }
  const refused = page.evaluate(() => {
    const execute = (window as unknown as { arenascope_execute(asked: unknown): Promise<unknown> }).arenascope_execute;
    return execute({ model: new Uint8Array([1, 2, 3]), inputs: [], machine: "cpu" });
  });
  await expect(refused).rejects.toThrow();
});

/** A field of a protobuf message: text, a number, or messages inside. */
function field(number: number, value: string | number | Buffer[]): Buffer {
  const varint = (value: number): number[] => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >> 7)]);
  if (typeof value === "number") return Buffer.from([...varint(number << 3), ...varint(value)]);
  const bytes = typeof value === "string" ? Buffer.from(value) : Buffer.concat(value);
  return Buffer.concat([Buffer.from([...varint((number << 3) | 2), ...varint(bytes.length)]), bytes]);
}

/** An ONNX model of a Relu and two operators that nobody has, with all its sizes. */
function strange(): Buffer {
  const value = (name: string) => [field(1, name), field(2, [field(1, [field(1, 1), field(2, [field(1, [field(1, 4)])])])])];
  const node = (from: string, to: string, kind = "NoSuchOperator") => field(1, [field(1, from), field(2, to), field(3, to), field(4, kind)]);
  const nodes = [node("x", "r", "Relu"), node("r", "a"), node("a", "y")];
  const between = [field(13, value("r")), field(13, value("a"))];
  const graph = [...nodes, field(2, "strange"), field(11, value("x")), field(12, value("y")), ...between];
  return Buffer.concat([field(1, 8), field(7, graph), field(8, [field(2, 17)])]);
}

test("every operator that cannot be run is listed", words, async ({ page }) => {
  await open(page);
  await choose(page, "strange.onnx", strange());
  await expect(document(page)).toHaveText("strange.onnx");
  await ready(page);
  await showView(page, "run");
  await page.locator("#run-machine").selectOption("cpu");
  await page.locator("#run").click();
  expect(await verdict(page)).toBe("failed");
  await expect(page.locator(".unsupported caption")).toHaveText("2 operators cannot be run");
  const rows = page.locator(".unsupported tbody tr");
  await expect(rows).toHaveCount(2);
  for (const row of await rows.all()) await expect(row).toContainText("NoSuchOperator");
  // What stands before them is run, and the page says how far.
  await page.locator("#run-until").click();
  await expect(page.locator("[data-verdict]")).toHaveAttribute("data-verdict", "confirmed");
  await expect(page.locator("[data-verdict]")).toContainText("Only the first 1 step ran");
});

for (const viewport of [
  { width: 390, height: 844 },
  { width: 720, height: 450 },
]) {
  test(`the tab fits ${viewport.width} × ${viewport.height}`, words, async ({ page }) => {
    await page.setViewportSize(viewport);
    await openRun(page);
    await page.locator("#run-machine").selectOption("cpu");
    await page.locator("#run").click();
    expect(await verdict(page)).toBe("confirmed");
    const overflow = await page.evaluate(() => {
      const root = window.document.documentElement;
      return root.scrollWidth - root.clientWidth;
    });
    expect(overflow, "nothing to scroll sideways").toBeLessThanOrEqual(0);
  });
}
