// What films say: each sentence holds the numbers of its decision. All are worked out by hand.

import { chooseLook, expect, openAdvanced, ready, test } from "./page";
import { csv, filmsOf, type Records, said, sentence, story } from "./films";

/** A plan JSON of buffers `size, lower, upper`, of which each of `pairs` may be handed over. */
function json(records: Records, pairs: [number, number][]): Buffer {
  const buffers = records.map(([size, lower, upper], index) => {
    return { name: `b${index}`, size, lower, upper, offset: 0 };
  });
  const handovers = pairs.map(([before, after]) => ({ before, after }));
  const arena = Math.max(...records.map(([size]) => size));
  return Buffer.from(JSON.stringify({ arenascope_plan: 1, alignment: 1, arena, buffers, handovers }));
}

test("a buffer that takes over another's bytes says whose", async ({ page }, info) => {
  // b0 is read last in step 2, where b1 begins, and b1 in step 4, where b2 begins, which lives
  // until step 5: one place for all three. b3 goes on top.
  const chain = json(
    [
      [100, 0, 3],
      [100, 2, 5],
      [100, 4, 6],
      [60, 1, 5],
    ],
    [
      [0, 1],
      [1, 2],
    ],
  );
  await filmsOf(page, info, "chain.json", chain, ["litert_arena"]);
  expect((await story(page, "litert_arena")).slice(0, 4)).toEqual([
    "b0, 100 B: placed at 0 B; its bytes are handed on in place, in the end to b2, so room is sought up to step 5; nothing placed so far is live at the same time.",
    "b1, 100 B: placed at 0 B; it takes over the bytes of b0, which is read for the last time in step 2.",
    "b2, 100 B: placed at 0 B; it takes over the bytes of b1, which is read for the last time in step 4.",
    "b3, 60 B: placed on top, at 100 B; there is no gap between what is live at the same time.",
  ]);
  await chooseLook(page, "language", "zh-CN");
  await said(page, "litert_arena", 2);
  // The Chinese words arrive after the choice.
  await expect(sentence(page, "litert_arena")).toHaveText(
    "b1，100 B：放在 0 B；它接管 b0 的字节（后者在第 2 步最后一次被读取）。",
  );
});

test("a buffer inside another's gap says when the other does without", async ({ page }, info) => {
  const rows = ["id,lower,upper,size,gaps", "b0,0,8,100,2-5", "b1,2,5,60,", ""];
  await filmsOf(page, info, "gap.csv", Buffer.from(rows.join("\n")), ["offsets_by_size"]);
  expect(await said(page, "offsets_by_size", 2)).toBe(
    "b1, 60 B: placed at 0 B; it shares bytes with b0, which does not need them in steps 2 to 4.",
  );
});

test("pools are named, with what is left in them and where things lie", async ({ page }, info) => {
  const records: Records = [
    [60, 0, 2],
    [50, 1, 3],
    [120, 0, 5],
  ];
  await filmsOf(page, info, "pools.csv", csv(records), ["offsets_by_size"]);
  await openAdvanced(page);
  await page.locator("#add-pool").click();
  await page.locator(".pool-capacity").first().fill("100");
  await page.locator(".pool-capacity").first().blur();
  await ready(page);
  // SRAM has 100 bytes: b0 takes 60 of them, b1 would need 50 of the 40 that are left.
  await expect(sentence(page, "offsets_by_size")).toContainText("Nothing is placed yet");
  await expect(page.locator(".scrubber")).toHaveAttribute("max", "12");
  expect(await story(page, "offsets_by_size")).toEqual([
    "b2, 120 B: goes to DRAM, because it is larger than SRAM, which has 100 B.",
    "SRAM, 100 B, from 0 B of the arena on, is planned; tensors that are to go into it: 2. What would end above its capacity goes elsewhere.",
    "b0, 60 B: placed at 0 B of SRAM; nothing placed so far is live at the same time.",
    "b1, 50 B: placed on top, at 60 B of SRAM; there is no gap between what is live at the same time.",
    "b1, 50 B: goes to DRAM, because it would start at 60 B of SRAM, where 40 B are left below the capacity of 100 B.",
    "SRAM is planned again; tensors that are taken up: 1; tensors that are to go into it: 1.",
    "b0, 60 B: placed at 0 B of SRAM; nothing placed so far is live at the same time.",
    "The plan that SRAM had is kept, without what has left: it needs 60 B, the new one 60 B.",
    "DRAM, from 60 B of the arena on, is planned; tensors that are to go into it: 2.",
    "b2, 120 B: placed at 0 B of DRAM (60 B in the arena); nothing placed so far is live at the same time.",
    "b1, 50 B: placed on top, at 120 B of DRAM (180 B in the arena); there is no gap between what is live at the same time.",
    "Arena 230 B, equal to the bound: no plan can be smaller. SRAM holds 60 B of 100 B, DRAM holds 170 B.",
  ]);
});

test("shared objects of fixed size are told with their sizes", async ({ page }, info) => {
  // 100 opens object 1, 90 meets it; 80 meets 100 but not 90; 60 meets both, and finds 10 bytes
  // above the 80.
  const records: Records = [
    [100, 0, 2],
    [90, 2, 2],
    [80, 0, 0],
    [60, 0, 1],
  ];
  await filmsOf(page, info, "objects.csv", csv(records), ["executorch_greedy"]);
  expect((await story(page, "executorch_greedy")).slice(0, 3)).toEqual([
    "b0, 100 B: placed at 0 B; it starts object 1 (100 B).",
    "b1, 90 B: placed at 100 B; it starts object 2 (90 B); object 1 (100 B) is full.",
    "b2, 80 B: placed at 100 B; it goes into object 2 (90 B), in which nothing is live at the same time; object 1 (100 B) is in use by b0.",
  ]);
  expect(await said(page, "executorch_greedy", 4)).toMatch(
    /^b3, 60 B: placed at 190 B; it starts object 3 \(60 B\); object 1 \(100 B\) is full; object 2 \(90 B\) has only 10 B left above what is live\./,
  );
});

test("blocks that grow, and segments that are reserved, are told with their sizes", async ({ page }, info) => {
  const growing: Records = [
    [10, 0, 0],
    [20, 0, 2],
    [15, 1, 2],
  ];
  await filmsOf(page, info, "growing.csv", csv(growing), ["megengine_pushdown"]);
  const pushed = await story(page, "megengine_pushdown");
  expect(pushed[2]).toBe("b2, 15 B: placed at 0 B; no free block is large enough, so the largest, of 10 B, grows to 15 B.");
  expect(pushed[3]).toMatch(/^b1, 20 B: moved up to 15 B, from 10 B; it comes to rest on b[02]\./);
  await filmsOf(page, info, "small.csv", csv([[300, 0, 0]]), ["pytorch_caching"]);
  expect(await story(page, "pytorch_caching")).toEqual([
    "b0, 300 B: placed at 0 B; it is counted as 512 B, not as 300 B; no free block holds it, so segment 1 (2.00 MiB) is reserved at 0 B.",
    "Arena 300 B, equal to the bound: no plan can be smaller. 2.00 MiB are reserved in one segment.",
  ]);
});

test("the chosen gap is named first, the others by what became of them", async ({ page }, info) => {
  // Nine buffers of 10 bytes are fixed: below and between them are 5, 4, 19, 13, 7, 22, 16, 10
  // and 4 bytes. The 12 go into the closest fit, the 13 bytes from 58 on.
  const fixed = [5, 19, 48, 71, 88, 120, 146, 166, 180];
  const rows = fixed.map((at, index) => `b${index},0,9,10,${at}`);
  const bytes = Buffer.from(["id,lower,end,size,fixed", ...rows, "b9,1,2,12,-1", ""].join("\n"));
  await filmsOf(page, info, "listed.csv", bytes, ["litert_arena"]);
  expect(await said(page, "litert_arena", 10)).toBe(
    "b9, 12 B: placed at 58 B, in the gap of 13 B; the gaps of 19 B, 22 B and 16 B fit less closely; the gaps of 5 B, 7 B, 10 B and 2 more are too small.",
  );
});

test("a search says what it tries, shows what it found, and names what it gives up", async ({ page }, info) => {
  // b0 is fixed from 10 to 20, so that b1 beside it ends at 35 at least: 34 are not enough.
  const rows = ["b0,0,3,10,10", "b1,0,1,15,-1", "b2,2,3,12,-1", "b3,1,2,6,-1"];
  const bytes = Buffer.from(["id,lower,end,size,fixed", ...rows, ""].join("\n"));
  await filmsOf(page, info, "fixed.csv", bytes, ["exact"]);
  const told = await story(page, "exact");
  expect(told[0]).toMatch(/^The search begins with the best plan of the skyline and the one-pass strategies: it is in the picture\. Arena 35 B/);
  expect(told.some((line) => line.startsWith("Attempt 1: 4 tensors within 34 B (they need 31 B at least)"))).toBe(true);
  expect(told).toContain("With 0 placed, b1, 15 B, at 0 B is given up: b0 could not have its fixed address 10 B.");
  // On b3 it is in the way of b0 again, and b0 is all that could still lift it: 20 + 15 B.
  expect(told).toContain("With 1 placed, b1, 15 B, was tried at 6 B in vain, and nothing else need be tried in its stead: lifted by another, it or what is left with it would end at 35 B or higher, above the capacity of 34 B (postponed floor).");
  expect(told).toContain("With 0 placed, b0, 10 B, at 10 B is left out: b3 fits wholly below it and ends at 6 B (dominance).");
  expect(told).toContain("No plan of these tensors stays within 34 B: none is smaller than 35 B.");
});

test("the best strategy names each attempt, and the one whose plan it shows", async ({ page }, info) => {
  // 100 and 80 meet, then 80 and 60: 180 bytes, which any order of the skyline reaches.
  const records: Records = [
    [100, 0, 1],
    [80, 1, 2],
    [60, 2, 3],
  ];
  await filmsOf(page, info, "first.csv", csv(records), ["best"]);
  const told = await story(page, "best");
  const tried = /^Attempt 1: (skyline, ties broken by .+)\. Its decisions are not shown, only what comes of it\.$/.exec(told[0] ?? "")?.[1];
  expect(tried).toBeTruthy();
  expect(told[1]).toBe("A whole plan, found by attempt 1: it is the smallest so far, and is in the picture. Arena 180 B, equal to the bound: no plan can be smaller.");
  expect(told[2]).toBe(`The best plan, of attempt 1 (${tried}), is shown tensor by tensor, from nothing placed.`);
});

test("sizes are in the axis' unit, and to the byte where they would look alike", async ({ page }, info) => {
  // 300 KiB at the bottom and 64 KiB less one byte above it; once the 300 KiB are gone, 300 KiB
  // and 512 bytes do not fit below the 64 KiB, though both read 300 KiB. The gap starts at 0.
  const kib = 1024;
  const rows = [`b0,2,3,${64 * kib - 1},${300 * kib}`, `b1,2,3,${300 * kib + 512},-1`];
  const bytes = Buffer.from(["id,lower,end,size,fixed", ...rows, ""].join("\n"));
  await filmsOf(page, info, "units.csv", bytes, ["offsets_by_size"]);
  const told = await story(page, "offsets_by_size");
  const of = (name: string) => told.find((line) => line.startsWith(name)) ?? "";
  expect(of("b0")).toMatch(/^b0, 64\.0 KiB: placed at 300 KiB;/);
  expect(of("b1")).toMatch(/^b1, 300 KiB: placed on top, at 364 KiB; the gap of 300 KiB \(512 B short\) is too small\./);
  await expect(sentence(page, "offsets_by_size")).not.toContainText("0x");
});
