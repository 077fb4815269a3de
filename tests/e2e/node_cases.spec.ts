// ONNX's node cases on WebGPU in the browser, through the page's own
// runner and without any CPU in between. A page of results is left in results/.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chosen } from "./chosen";
import { expect, open, test } from "./page";

type Tensor = { name: string; dtype: string; dims: number[]; range: [number, number] };
type Case = { name: string; op: string; model: [number, number]; inputs: Tensor[]; outputs: Tensor[]; rtol: number; atol: number };
type Output = { name: string; dtype: string; dims: number[]; bytes: Uint8Array };
type Execute = (asked: { model: Uint8Array; inputs: Uint8Array[]; machine: string }) => Promise<Output[]>;

const CASES = new URL("../.cache/node_cases/", import.meta.url);
/** Those that no run passes, with the reasons between them. */
const LIST = readFileSync(new URL("../data/node_cases_refused.txt", import.meta.url), "utf8");
const REFUSED = new Set(LIST.split("\n").filter((line) => line.startsWith("test_")));
const PAGE = new URL("results/node_cases.html", import.meta.url);

test.setTimeout(1_500_000);

test("node cases that are not listed as refused pass on WebGPU", async ({ page }) => {
  const absent = !existsSync(new URL("made", CASES));
  const remedy = "the node cases are not there: run `node tests/fixtures.mjs`";
  if (absent && process.env.CI) throw new Error(remedy);
  test.info().skip(absent, remedy);
  const all: Case[] = JSON.parse(readFileSync(new URL("cases.json", CASES), "utf8"));
  expect(all.length).toBe(1355);
  const cases = chosen(all, ({ op }) => op);
  const bin = readFileSync(new URL("cases.bin", CASES));
  const part = ([start, length]: [number, number]) => bin.subarray(start, start + length);
  await open(page);
  const failures = new Map<string, string>();
  for (const one of cases) {
    const asked = [part(one.model), ...one.inputs.map((input) => part(input.range))];
    const answer = await page.evaluate(async (parts) => {
      const bytes = (base64: string) => Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0));
      const execute = (window as unknown as { arenascope_execute: Execute }).arenascope_execute;
      const [model, ...inputs] = parts.map(bytes);
      try {
        const outputs = await execute({ model, inputs, machine: "gpu" });
        const text = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
        return { outputs: outputs.map(({ dims, bytes }) => ({ dims, base64: btoa(text(bytes)) })) };
      } catch (error) {
        return { why: String(error) };
      }
    }, asked.map((part) => part.toString("base64")));
    const why = answer.why ?? difference(one, answer.outputs ?? [], part);
    if (why !== undefined) failures.set(one.name, why);
  }
  writePage(cases, failures);
  console.log(`${cases.length - failures.size} of ${cases.length} node cases pass on WebGPU: ${fileURLToPath(PAGE)}`);
  const unlike = [...failures].filter(([name]) => !REFUSED.has(name));
  expect(unlike, "refused or wrong, and not listed").toEqual([]);
  const passing = cases.map(({ name }) => name).filter((name) => !failures.has(name));
  expect(passing.filter((name) => REFUSED.has(name)), "listed as refused, and passing").toEqual([]);
});

/** Floats of 16 bits as numbers: sign, exponent, digits. */
function half(bits: number) {
  const [sign, exponent, digits] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return digits === 0 ? sign * Infinity : NaN;
  return sign * (exponent === 0 ? digits : 1024 + digits) * 2 ** (Math.max(exponent, 1) - 25);
}

/** A bfloat16 is the upper half of a 32-bit float. */
function brain(bits: number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt16LE(bits, 2);
  return bytes.readFloatLE(0);
}

const FLOATS: Record<string, { bytes: number; read: (bytes: Buffer, at: number) => number }> = {
  f64: { bytes: 8, read: (bytes, at) => bytes.readDoubleLE(at) },
  f32: { bytes: 4, read: (bytes, at) => bytes.readFloatLE(at) },
  f16: { bytes: 2, read: (bytes, at) => half(bytes.readUInt16LE(at)) },
  bf16: { bytes: 2, read: (bytes, at) => brain(bytes.readUInt16LE(at)) },
};

/** What does not fit, if anything: the bound is that of ONNX's own runner. */
function difference(one: Case, found: { dims: number[]; base64: string }[], part: (range: [number, number]) => Buffer) {
  if (found.length !== one.outputs.length) return `${found.length} outputs, not ${one.outputs.length}`;
  for (const [index, expected] of one.outputs.entries()) {
    const { dims, base64 } = found[index]!;
    const bytes = Buffer.from(base64, "base64");
    const wanted = part(expected.range);
    if (JSON.stringify(dims) !== JSON.stringify(expected.dims)) return `${expected.name} is ${dims}, not ${expected.dims}`;
    if (bytes.length !== wanted.length) return `${expected.name} has ${bytes.length} B, not ${wanted.length} B`;
    const float = FLOATS[expected.dtype];
    if (float === undefined) {
      if (!bytes.equals(wanted)) return `${expected.name} differs`;
      continue;
    }
    for (let at = 0; at < bytes.length; at += float.bytes) {
      const [is, value] = [float.read(bytes, at), float.read(wanted, at)];
      const fits = Object.is(is, value) || Math.abs(is - value) <= one.atol + one.rtol * Math.abs(value);
      if (!fits) return `${expected.name} holds ${is} for ${value}`;
    }
  }
  return undefined;
}

function writePage(cases: Case[], failures: Map<string, string>) {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const rows = cases.map(({ name, op }) => {
    const why = failures.get(name);
    return `<tr><td>${op}<td>${name}<td>${why === undefined ? "passes" : `does not: ${escape(why)}`}`;
  });
  const title = `${cases.length - failures.size} of ${cases.length} ONNX node cases pass on WebGPU`;
  mkdirSync(new URL(".", PAGE), { recursive: true });
  writeFileSync(PAGE, `<!doctype html><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><table>${rows.join("\n")}</table>`);
}
