// The first thing anyone sees: the page opens, keeps its promises and is quiet.

import AxeBuilder from "@axe-core/playwright";
import { expect, open, test } from "./page";

test("the browser is the one that its project promises", async ({ page }, info) => {
  await open(page);
  const adapter = await page.evaluate(async () => {
    const gpu = (navigator as unknown as { gpu?: { requestAdapter(): Promise<unknown> } }).gpu;
    return Boolean(await gpu?.requestAdapter());
  });
  expect(adapter, "a WebGPU adapter").toBe(info.project.name === "webgpu");
});

test("the policy is strict, in the header and in the page", async ({ page }) => {
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

test("the policy is in force", async ({ page, trouble }) => {
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

    test("the page opens with nothing that keeps people out", async ({ page }) => {
      await open(page);
      const { violations } = await new AxeBuilder({ page }).analyze();
      const serious = violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" ")}`);
      expect(serious).toEqual([]);
    });
  });
}
