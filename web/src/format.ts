// Numbers for people. Digits that the interval does not support are not shown.

import type { Range } from "./engine";

export function number(x: number, digits = 4): string {
  if (Number.isNaN(x)) return "–";
  if (x === Infinity) return "∞";
  if (x === -Infinity) return "−∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  const text = size >= 1e6 || size < 1e-4 ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−").replace(/e([+−]?)(\d+)/, (_, s: string, d: string) => `e${s === "+" ? "" : s}${d}`);
}

// All digits: what a program would read back.
export function exact(x: number): string {
  return x === Infinity ? "inf" : x === -Infinity ? "-inf" : String(x);
}

export function count(x: number): string {
  return Number.isFinite(x) ? Math.round(x).toLocaleString("en-US") : "–";
}

export function percent(x: number, digits = 3): string {
  return Number.isNaN(x) ? "–" : `${number(100 * x, digits)} %`;
}

export function percentRange(r: Range): string {
  return `${percent(r.low)} to ${percent(r.high)}`;
}

// A number that somebody typed, with a comma or a point; NaN where it is none.
export function parse(text: string): number {
  const trimmed = text.trim().replace(",", ".").replace("−", "-");
  return trimmed === "" ? NaN : Number(trimmed);
}

// A file without its folders.
export function baseName(path: string): string {
  return path.slice(path.replace(/\/+$/, "").lastIndexOf("/") + 1);
}
