// What the browser tests share: a browser that must not complain, the program, random numbers.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const require = createRequire(join(process.env.NEY_WEB_MODULES, "package.json"));
export const DATA = process.env.DATA;

export function neyman(...args) {
  return execFileSync("neyman", args, { encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "pipe"] });
}

// The JSON of a command, and its exit code.
export function run(...args) {
  const r = spawnSync("neyman", [...args, "--json"], { encoding: "utf8", maxBuffer: 1 << 30 });
  const text = r.stdout.trim() || r.stderr.trim();
  return { code: r.status, json: JSON.parse(text.slice(text.indexOf("{"))) };
}

// Numbers from 0 to 1, the same on every machine; NEY_TEST_SEED gives others.
export function random(seed) {
  let state = (Number(process.env.NEY_TEST_SEED ?? 1) * 7919 + seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

export function normal(unit) {
  return Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit());
}

export function near(a, b, what, tolerance = 1e-10) {
  const good = Object.is(a, b) || Math.abs(a - b) <= tolerance * Math.max(1, Math.abs(a), Math.abs(b));
  assert.ok(good, `${what}: ${a} on the page, ${b} of the program`);
}

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

// Run `body` with a browser; `open(file, options)` gives a page that is ready. Requests other than
// for the file itself, messages of errors and dialogs fail the test.
export async function withBrowser(body) {
  const { chromium } = require("playwright-core");
  const profile = mkdtempSync(join(tmpdir(), "neyman-web."));
  const browser = await chromium.launch({ executablePath: process.env.NEY_CHROMIUM, args: FLAGS,
    env: { ...process.env, HOME: profile } });
  const problems = [];
  const open = async (file, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const url = `file://${resolve(file)}`;
    page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && problems.push(m.text()));
    page.on("pageerror", (e) => problems.push(e.message));
    page.on("dialog", (d) => (problems.push(`dialog: ${d.message()}`), d.dismiss()));
    page.on("request", (r) => r.url() !== url && problems.push(`request: ${r.url().slice(0, 200)}`));
    await page.goto(url);
    await ready(page);
    return page;
  };
  try {
    await body({ open, browser });
  } finally {
    await browser.close();
    rmSync(profile, { recursive: true, force: true });
  }
  assert.deepEqual(problems, []);
}

export const ready = (page) => page.waitForSelector("body[data-ready=true]", { timeout: 60000 });

// The frame in which listeners have run.
export const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Wait until `test` holds in the page. (waitForFunction() may evaluate a text, which the page's
// content security policy forbids.)
export async function until(page, test, argument) {
  while (!(await page.evaluate(test, argument))) await settled(page);
}

export const text = (page, selector) => page.locator(selector).innerText();

export function writeScores(file, rows, header = true) {
  writeFileSync(file, (header ? "label\tscore\n" : "") + rows.map(([l, s]) => `${l}\t${s}`).join("\n") + "\n");
}

export { assert };

let axe;

// No violation that axe-core finds; nothing wider than the window, no cell of a table cut.
export async function accessible(page, what) {
  axe ??= readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(`${axe}; 0`);
  const found = await page.evaluate(async () => {
    const { violations, passes } = await window.axe.run(document);
    return { passes: passes.length, bad: violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`) };
  });
  assert.deepEqual(found.bad, [], what);
  assert.ok(found.passes >= 20, what);
  const size = await page.evaluate(() => ({ content: document.documentElement.scrollWidth, window: window.innerWidth }));
  assert.ok(size.content <= size.window, `${what}: ${size.content} px wide in a window of ${size.window}`);
  // Nothing is cut or runs into its neighbour: the cells of tables.
  const cut = await page.evaluate(() => [...document.querySelectorAll("main td, main th")].filter((c) => c.clientWidth > 0 && c.scrollWidth > c.clientWidth + 1).map((c) => c.textContent.slice(0, 60)));
  assert.deepEqual(cut, [], `${what}: cells that are cut`);
}
