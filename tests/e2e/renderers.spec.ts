// Two renderers, one picture. Runs only where there is WebGPU.

import type { Page } from "@playwright/test";
import { expect, open, test } from "./page";
import { pane } from "./session";

/** A pane's picture as this renderer draws it. */
async function picture(page: Page, renderer: "raster" | "wgpu", sample: string, strategy: string): Promise<Buffer> {
  // Another link in the same page would keep its renderer.
  await page.goto("about:blank");
  await open(page, `/?renderer=${renderer}#sample=${sample}&show=${strategy}`);
  const canvases = pane(page, strategy).locator("canvas.rectangles");
  await expect(canvases.nth(renderer === "wgpu" ? 1 : 0)).toBeVisible();
  await expect(canvases.nth(renderer === "wgpu" ? 0 : 1)).toBeHidden();
  return pane(page, strategy).locator(".stage").screenshot();
}

/** The share of pixels of which some channel differs by more than rounding makes it. */
async function differing(page: Page, pictures: Buffer[]): Promise<number> {
  // The page's own policy forbids what follows; an empty page has none.
  const empty = await page.context().newPage();
  const share = await empty.evaluate(async (pictures) => {
    const pixels = async (base64: string) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${base64}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      if (!context) throw new Error("no canvas");
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height).data;
    };
    const [one, other] = await Promise.all(pictures.map(pixels));
    // A plan that has more to say of it has less room.
    if (one.length !== other.length) return 1;
    let differ = 0;
    for (let at = 0; at < one.length; at += 4) {
      const far = [0, 1, 2].some((channel) => Math.abs(one[at + channel] - other[at + channel]) > 2);
      differ += Number(far);
    }
    return differ / (one.length / 4);
  }, pictures.map((picture) => picture.toString("base64")));
  await empty.close();
  return share;
}

for (const sample of ["blazeface", "densenet", "jigsaw"]) {
  test(`${sample}: raster and WebGPU draw the same picture`, async ({ page }) => {
    const raster = await picture(page, "raster", sample, "offsets_by_size");
    const wgpu = await picture(page, "wgpu", sample, "offsets_by_size");
    expect(await differing(page, [raster, wgpu])).toBeLessThan(0.01);
    // Proof that the comparison can fail: another plan is another picture.
    const other = await picture(page, "wgpu", sample, "naive");
    expect(await differing(page, [raster, other])).toBeGreaterThan(0.1);
  });
}
