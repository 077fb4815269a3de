// A deployed plan on the page: what it wastes, a better plan in one click, files that belong
// together or do not, and links that say too much.

import type { Page } from "@playwright/test";
import { chooseLook, expect, open, plot, ready, test, words } from "./page";
import { choose, document, dropAll, pane, row } from "./session";

// Three buffers of 4, 4 and 8 bytes. `b` is left between two gaps: 16 bytes are deployed, and
// no more than 12 are live at once, at step 1 (a and c, 4 and 8).
const WASTEFUL = Buffer.from(
  "id,lower,upper,size,offset\na,0,2,4,0\nb,0,1,4,4\nc,1,2,8,8\n",
);
const PROBLEM = Buffer.from("id,lower,upper,size\nx,0,2,4\ny,1,3,4\n");

async function opened(page: Page, name = "deployed.csv", bytes = WASTEFUL) {
  await open(page);
  await choose(page, name, bytes);
  await expect(document(page)).toHaveText(name);
  await ready(page);
}

test("a deployed plan is shown against its bound, and replanned", async ({ page }) => {
  await opened(page);
  const replan = page.locator(".replan");
  await expect(replan.locator('[data-figure="deployed"]')).toHaveAttribute("data-value", "16");
  await expect(replan.locator('[data-figure="bound"]')).toHaveAttribute("data-value", "12");
  await expect(replan).toContainText("+33.3 % over the bound");
  await expect(replan.locator('[data-figure="best"]')).toHaveAttribute("data-value", "12");
  await expect(replan.locator('[data-figure="best"]')).toContainText("Optimal");
  await expect(replan.locator(".saved")).toHaveText("4 B (25.0 %)");
  // Both are shown from the start; the plan in the file is the first row.
  await expect(pane(page, "deployed")).toBeVisible();
  await expect(pane(page, "best")).toContainText("saves 25.0 %");
  await expect(row(page, "best")).toContainText("saves 25.0 %");
  await expect(page.locator(".compare tr[data-strategy]").first()).toHaveAttribute("data-strategy", "deployed");
});

test("one click brings both plans side by side", async ({ page }) => {
  await opened(page);
  const replan = page.locator(".replan");
  await expect(replan.getByRole("button")).toHaveCount(0);
  await row(page, "naive").getByRole("checkbox").check();
  await row(page, "best").getByRole("checkbox").uncheck();
  await replan.getByRole("button", { name: "Show side by side" }).click();
  await expect(page.locator(".pane")).toHaveCount(2);
  await expect(pane(page, "deployed")).toBeVisible();
  await expect(pane(page, "best")).toBeVisible();
  await expect(replan.getByRole("button")).toHaveCount(0);
  await page.goBack();
  await expect(pane(page, "naive")).toBeVisible();
});

test("what the judge finds in a deployed plan is said", async ({ page }) => {
  await opened(page, "broken.csv", Buffer.from("id,lower,upper,size,offset\na,0,2,4,0\nb,0,2,4,2\n"));
  await expect(pane(page, "deployed").locator(".violations")).toContainText("a and b are live at the same step");
  await expect(page.locator(".replan")).toContainText("The judge rejects the deployed plan");
  await expect(page.locator(".replan .saved")).toHaveCount(0);
});

test("files that do not belong together are refused by name, and what was open stays", async ({ page }) => {
  await opened(page);
  await dropAll(page, [["one.csv", PROBLEM], ["two.csv", PROBLEM]]);
  const notice = page.locator(".notice");
  await expect(notice).toContainText("one.csv");
  await expect(notice).toContainText("two.csv");
  await expect(notice).toContainText("These files do not make one document.");
  await expect(notice).toContainText("Open any other file alone.");
  await expect(notice).toContainText("…buffer-assignment.txt and …live-range.txt");
  await expect(document(page)).toHaveText("deployed.csv");
  await chooseLook(page, "language", "zh-CN");
  await expect(notice).toContainText("其他文件请单独打开。");
});

test("an unknown file is told what can be read, in Chinese, too", async ({ page }) => {
  await opened(page);
  await choose(page, "holiday.txt", Buffer.from("no plan at all"));
  const notice = page.locator(".notice");
  for (const known of ["holiday.txt", "PyTorch", "XLA", "ExecuTorch", "Vela", "IREE", "LiteRT", "MegEngine", "Chrome"]) {
    await expect(notice).toContainText(known);
  }
  await chooseLook(page, "language", "zh-CN");
  await expect(notice).toContainText("请打开：");
});

const paste = (page: Page, text: string) =>
  page.evaluate((text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    const event = new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true });
    window.document.querySelector(".page")?.dispatchEvent(event);
  }, text);

test("a pasted text is a file", async ({ page }) => {
  await opened(page);
  await paste(page, PROBLEM.toString());
  await expect(document(page)).toHaveText("pasted.txt");
});

test("what a pasted message says of memory is a table", words, async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await opened(page);
  const name = await document(page).textContent();
  await paste(
    page,
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.22 GiB (GPU 0; 23.65 GiB total capacity; " +
      "11.16 GiB already allocated; 1.91 GiB free; 20.50 GiB reserved in total by PyTorch) If reserved memory is >> " +
      "allocated memory try setting max_split_size_mb to avoid fragmentation.",
  );
  const dialog = page.locator("dialog.meanings");
  await expect(dialog).toContainText("PyTorch's message that a device is out of memory");
  const row = (head: string) => dialog.locator("tr", { hasText: head }).locator("td.number");
  await expect(row("asked for")).toHaveText("3.22 GiB");
  // 20.50 - 11.16, and 23.65 - 20.50 - 1.91: what the message leaves to be computed.
  await expect(row("reserved by PyTorch but not allocated")).toHaveText("9.34 GiB");
  await expect(row("everything else")).toHaveText("1.24 GiB");
  await dialog.getByRole("button", { name: "Copy" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied.split("\n")[0]).toBe("torch.cuda.memory._record_memory_history(max_entries=100000)");
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  // What was open stays, and the figures are one click away.
  await expect(document(page)).toHaveText(name ?? "");
  await page.getByRole("button", { name: "Show what it says" }).click();
  await expect(row("asked for")).toBeVisible();
  await page.keyboard.press("Escape");
  await page.locator(".notice").getByRole("button", { name: "Dismiss" }).click();
  await expect(page.getByRole("button", { name: "Show what it says" })).toHaveCount(0);
});

test("a link tells what it names in vain", async ({ page }) => {
  await open(page, "/#file=deployed.csv&show=deployed,best&arena=3&edit=best:a@32,nobody@0");
  await choose(page, "deployed.csv", WASTEFUL);
  await ready(page);
  const notice = page.locator(".notice");
  await expect(notice).toContainText("“arena=3”");
  await expect(notice).toContainText("“edit=best:nobody@0”");
  await expect(notice).not.toContainText("best:a@32");
});

test("a link may name each pool only once", async ({ page }) => {
  await open(page, "/#sample=blazeface&pools=A:1048576,A:2097152");
  await expect(page.locator(".notice")).toContainText("“pools=A:2097152”");
  await expect(page.locator(".pool-name")).toHaveCount(1);
});

// `outer` needs nothing at steps 4 and 5, and `inner` lies there, on its lower half.
const GAPS = Buffer.from("id,lower,upper,size,offset,gaps\nouter,0,10,8,0,4-6\ninner,4,6,4,0,\n");

test("a buffer is found in its gap, and another that lies there", async ({ page }) => {
  await opened(page, "gaps.csv", GAPS);
  const stage = pane(page, "deployed").locator(".stage");
  const box = await stage.boundingBox();
  if (!box) throw new Error("no picture");
  // Ten steps and eight bytes.
  const inner = await plot(pane(page, "deployed"));
  const at = (step: number, byte: number) => ({
    x: inner.x - box.x + (inner.width * step) / 10,
    y: inner.y - box.y + inner.height * (1 - byte / 8),
  });
  const name = page.locator(".inspector h3 .name");
  await stage.click({ position: at(5, 2) });
  await expect(name).toHaveText("inner");
  await stage.click({ position: at(5, 6) });
  await expect(name).toHaveText("outer");
  await stage.hover({ position: at(5.5, 6.5) });
  await expect(page.locator(".card .pause")).toContainText("a gap of steps 4 to 5");
  await stage.hover({ position: at(2, 6) });
  await expect(page.locator(".card")).toContainText("outer");
  await expect(page.locator(".card .pause")).toHaveCount(0);
});
