// The first thing anyone sees: the page opens, keeps its promises and is quiet.

import { expect, open, test, words } from "./page";
import { barriers, pale } from "./sight";

test("the browser is the one that its project promises", async ({ page }, info) => {
  await open(page);
  const adapter = await page.evaluate(async () => {
    const gpu = (navigator as unknown as { gpu?: { requestAdapter(): Promise<unknown> } }).gpu;
    return Boolean(await gpu?.requestAdapter());
  });
  expect(adapter, "a WebGPU adapter").toBe(info.project.name === "webgpu");
});

test("the policy is strict, in the header and in the page", words, async ({ page }) => {
  const response = await open(page);
  const header = response?.headers()["content-security-policy"] ?? "";
  const meta = page.locator('meta[http-equiv="Content-Security-Policy"]');
  for (const policy of [header, (await meta.getAttribute("content")) ?? ""]) {
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'wasm-unsafe-eval'");
    expect(policy).not.toMatch(/unsafe-inline|'unsafe-eval'|\*|https?:/);
  }
  expect(header).toContain("frame-ancestors 'none'");
});

test("the policy is in force", words, async ({ page, trouble }) => {
  trouble.expect(/style-src|script-src|Content Security Policy/);
  await open(page);
  const ran = await page.evaluate(() => {
    const script = document.createElement("script");
    script.textContent = "window.planted = true";
    document.body.append(script);
    return "planted" in window;
  });
  expect(ran, "an inline script").toBe(false);
});

for (const colorScheme of ["dark", "light"] as const) {
  test.describe(`in ${colorScheme}`, () => {
    test.use({ colorScheme });

    test("the page opens with nothing that keeps people out", words, async ({ page }) => {
      await open(page);
      expect(await barriers(page)).toEqual([]);
    });
  });
}

test("what keeps people out is found", words, async ({ page }) => {
  await open(page);
  await page.evaluate(() => {
    const added = '<div class="added"><button></button><p>grey</p></div>';
    document.querySelector("main")!.insertAdjacentHTML("beforeend", added);
    Object.assign(document.querySelector<HTMLElement>(".added p")!.style, { color: "#999", background: "#fff" });
  });
  const found = await barriers(page, ".added");
  expect(found.map((line) => line.split(":")[0]).sort()).toEqual(["button-name", "color-contrast"]);
  expect((await pale(page)).filter((line) => line.includes("grey"))).toHaveLength(1);
});
