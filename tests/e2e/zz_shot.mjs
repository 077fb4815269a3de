import { chromium } from "@playwright/test";
import { args, executable } from "./chromium.mjs";
const [,, url, out, width="1440", height="900", scheme="light", mode="raster", script=""] = process.argv;
const browser = await chromium.launch({ executablePath: executable(), args: args[mode] });
const page = await browser.newPage({ viewport: { width: +width, height: +height }, colorScheme: scheme, locale: process.env.LOC ?? "en-US" });
page.on("console", m => console.log("console", m.type(), m.text().slice(0, 600)));
page.on("pageerror", e => console.log("pageerror", e.message));
await page.goto(url);
try { await page.waitForSelector('body[data-ready="true"]', { state: "attached", timeout: 20000 }); } catch (e) { console.log("not ready"); }
if (script) { await (new Function("page", `return (async () => { ${script} })()`))(page); }
await page.waitForTimeout(500);
await page.screenshot({ path: out, fullPage: width < 800 });
await browser.close();
