// What is fetched until the first picture is seen, and what each file of it weighs as a server
// with brotli would send it.

import { basename } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

/** Bytes that may be fetched until then. */
export const MOST = 634_000;

/** Files of parts that are fetched later. */
export const LAZY = /\/(?:app|worker)_(?:split_\w+\.wasm|chunks\.bin|chunk_\w+\.wasm)$/;

/** When a thread asked for what, on the clock of the machine. */
const asked = () =>
  performance.getEntriesByType("resource").map(({ name, startTime }) => [name, performance.timeOrigin + startTime]);

/** The page's mark of its first picture, on the same clock. */
const marked = () => {
  const [mark] = performance.getEntriesByName("arenascope:first-picture");
  return mark === undefined ? NaN : performance.timeOrigin + mark.startTime;
};

/**
 * Opens `url` on a page that has fetched nothing, waits until `done`, and answers with every file
 * that was fetched: its name, its bytes, and whether it was asked for before the first picture was
 * there. What no thread tells of was.
 */
export async function fetched(page, url, done) {
  const requests = [];
  page.context().on("request", (request) => requests.push(request));
  await page.goto(url);
  await done(page);
  // A thread tells of a file once it has it.
  await Promise.all(requests.map(async (request) => (await request.response())?.finished()));
  const mark = await page.evaluate(marked);
  if (!(mark > 0)) throw new Error("no picture was seen");
  const told = await Promise.all([page, ...page.workers()].map((thread) => thread.evaluate(asked)));
  const times = new Map(told.flat());
  const { origin } = new URL(page.url());
  const files = [];
  for (const url of new Set(requests.map((request) => request.url()))) {
    if (!url.startsWith(origin)) continue;
    const early = (times.get(url) ?? 0) < mark;
    const body = Buffer.from(await (await fetch(url)).arrayBuffer());
    const { pathname } = new URL(url);
    const name = basename(pathname) || "index.html";
    files.push({ name, pathname, early, body });
  }
  return files;
}

/** How many bytes a server with brotli would send. */
export function brotli(body) {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  return brotliCompressSync(body, quality).length;
}
