// Readers of dumps are no part of the first load: a worker that has them is fetched with the
// first dump, and takes the place of the first one.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, open, ready, test } from "./page";
import { choose, document, pane, row } from "./session";

const dump = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../data/plans/${name}`, import.meta.url)));

test("the worker for dumps is fetched with the first dump, and then stays", async ({ page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  const fetched = () => asked.filter((path) => path.endsWith("/dumps_bg.wasm")).length;
  await open(page);
  await ready(page);
  expect(asked.some((path) => path.endsWith("/worker_bg.wasm"))).toBe(true);
  expect(fetched()).toBe(0);
  await choose(page, "chain.ir.txt", dump("iree/chain.ir.txt"));
  await expect(document(page)).toHaveText("chain.ir.txt");
  await ready(page);
  expect(fetched()).toBe(1);
  await choose(page, "model.log", dump("vela/small_net.HillClimb.log"));
  await expect(document(page)).toHaveText("model.log");
  await ready(page);
  expect(fetched()).toBe(1);
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

for (const file of ["dumps_loader.js", "dumps_bg.wasm"]) {
  test(`without ${file} a dump is not opened, and the page says so`, async ({ page, trouble }) => {
    trouble.expect(/dumps/);
    await page.route(`**/${file}`, (route) => route.abort());
    await open(page, "#sample=blazeface");
    await ready(page);
    const name = await document(page).textContent();
    await choose(page, "chain.ir.txt", dump("iree/chain.ir.txt"));
    await expect(page.locator(".notice")).toContainText("stopped unexpectedly");
    await expect(document(page)).toHaveText(name ?? "");
    await page.unroute(`**/${file}`);
    await choose(page, "chain.ir.txt", dump("iree/chain.ir.txt"));
    await expect(document(page)).toHaveText("chain.ir.txt");
  });
}
