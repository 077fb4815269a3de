// Readers of dumps are no part of the first load: the worker fetches them once the page shows
// what it is about, or with the first dump.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, open, ready, test } from "./page";
import { choose, document, pane, row } from "./session";

const dump = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../data/plans/${name}`, import.meta.url)));

test("readers of dumps are fetched once, after what the first picture needs", async ({ page }) => {
  const asked: string[] = [];
  page.context().on("request", (request) => asked.push(new URL(request.url()).pathname));
  const fetched = (name: string) => asked.filter((path) => path.endsWith(`/${name}`)).length;
  await open(page);
  await ready(page);
  await expect.poll(() => fetched("worker_split_dumps.wasm")).toBe(1);
  const order = ["worker_bg.wasm", "worker_split_usual.wasm", "worker_split_dumps.wasm"];
  const places = order.map((name) => asked.findIndex((path) => path.endsWith(`/${name}`)));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  await choose(page, "chain.ir.txt", dump("iree/chain.ir.txt"));
  await expect(document(page)).toHaveText("chain.ir.txt");
  await ready(page);
  await choose(page, "model.log", dump("vela/small_net.HillClimb.log"));
  await expect(document(page)).toHaveText("model.log");
  await ready(page);
  expect(fetched("worker_bg.wasm")).toBe(1);
  expect(fetched("worker_split_dumps.wasm")).toBe(1);
});

test("a broken dump leaves what is open, and it can still be planned", async ({ page }) => {
  await open(page, "#sample=blazeface");
  await ready(page);
  const name = await document(page).textContent();
  const whole = dump("torch/protocol4.pickle");
  await choose(page, "cut.pickle", whole.subarray(0, whole.length / 2));
  await expect(page.locator(".notice")).toContainText("cut.pickle");
  await expect(document(page)).toHaveText(name ?? "");
  await row(page, "usmp_hill_climb").getByRole("checkbox").check();
  await expect(pane(page, "usmp_hill_climb").locator(".badge").first()).toBeVisible();
  await ready(page);
});

test("without the readers a dump is not opened, and the page says so", async ({ page, trouble }) => {
  trouble.expect(/worker_split_dumps|Failed to fetch|could not be loaded/);
  await page.route("**/worker_split_dumps.wasm", (route) => route.abort());
  await open(page, "#sample=blazeface");
  await ready(page);
  const name = await document(page).textContent();
  await choose(page, "chain.ir.txt", dump("iree/chain.ir.txt"));
  await expect(page.locator(".notice")).toContainText("stopped unexpectedly");
  await expect(document(page)).toHaveText(name ?? "");
  await page.unroute("**/worker_split_dumps.wasm");
  await choose(page, "chain.ir.txt", dump("iree/chain.ir.txt"));
  await expect(document(page)).toHaveText("chain.ir.txt");
});
