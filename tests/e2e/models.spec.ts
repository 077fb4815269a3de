// Every model at hand opens in the page: nothing is refused, what has a size in the file has one,
// and the figures are those of a second implementation.

import { fixtures, known, models, samples } from "./models.mjs";
import { expect, open, ready, test } from "./page";
import { arena, bound, document } from "./session";

const figures = known();
/**
 * A size that the file does not say is 1, and theirs must be larger. The second is there once the
 * benchmark beside another engine has fetched it.
 */
const UNSIZED = ["silero_vad.onnx", "ch_PP-OCRv4_rec_infer.onnx"];
/** An `If` with a branch that has no size while the length stands at 1. */
const BRANCHES = ["silero_vad.onnx", "silero_vad_op18_ifless.onnx"];
const groups = { samples: samples(), fixtures: fixtures(), "shared models": models() };

for (const [group, files] of Object.entries(groups)) {
  test(`${files.length} ${group} open`, async ({ page }) => {
    // Where there are none, `models.mjs` has said so.
    test.info().skip(files.length === 0, `there are no ${group} here`);
    test.setTimeout(30_000 + files.length * 15_000);
    await open(page);
    for (const { name, path } of files) {
      await test.step(name, async () => {
        await page.locator("#file").setInputFiles(path);
        await expect(document(page)).toHaveText(name);
        await ready(page);
        await expect(page.getByRole("alert")).toHaveCount(0);
        const warnings = page.locator(".roles .warning");
        const unsized = warnings.filter({ hasText: "unknown size" });
        const branches = warnings.filter({ hasText: "subgraphs" });
        await expect(unsized, "tensors without a size").toHaveCount(UNSIZED.includes(name) ? 1 : 0);
        await expect(branches, "branches not in the plan").toHaveCount(BRANCHES.includes(name) ? 1 : 0);
        // Of all tensors nothing is proved where some are in no plan.
        const aside = BRANCHES.includes(name) && !UNSIZED.includes(name);
        await expect(page.locator(".headline").getByText("subgraphs aside")).toHaveCount(aside ? 1 : 0);
        const expected = figures[name];
        if (!expected) return;
        expect(await bound(page), "bound").toBe(expected.lb_offset);
        expect(await arena(page, "naive"), "naive").toBe(expected.naive);
        expect(await arena(page, "offsets_by_size"), "offsets_by_size").toBe(expected.off_gbs);
      });
    }
  });
}
