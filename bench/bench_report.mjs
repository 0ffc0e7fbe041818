// node bench/bench_report.mjs PROGRAM [FOLDER]: size of the page of `neyman report`, time until it can be used and latency of
// a drag, for 10^3, 10^5 and 10^6 rows. Needs Chromium and `make web-modules`.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [, , program, modules = "build/web"] = process.argv;
const { chromium } = createRequire(join(resolve(modules), "package.json"))("playwright-core");
const folder = mkdtempSync(join(tmpdir(), "neyman-report."));
const median = (a) => [...a].sort((x, y) => x - y)[a.length >> 1];
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"] });
console.log("rows\tpage_bytes\twrite_s\tfirst_paint_ms\tready_ms\tdrag_ms\tdrag_worst_ms");
for (const n of [1e3, 1e5, 1e6]) {
  const rows = [];
  for (let i = 0; i < n; i++) rows.push(`${i % 4 ? 0 : 1}\t${normal() + (i % 4 ? 0 : 2)}`);
  writeFileSync(join(folder, "s.tsv"), `label\tscore\n${rows.join("\n")}\n`);
  const started = Date.now();
  execFileSync(program, ["report", "-q", "--from-scores", join(folder, "s.tsv"), "--threshold", "1.5", "-o", join(folder, "r.html")]);
  const wrote = (Date.now() - started) / 1000;
  const paint = [], ready = [], drags = [];
  for (let k = 0; k < 5; k++) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`file://${folder}/r.html`);
    await page.waitForSelector("body[data-ready=true]");
    const t = await page.evaluate(() => ({
      paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? NaN, ready: performance.getEntriesByName("neyman-ready")[0].startTime,
    }));
    paint.push(t.paint);
    ready.push(t.ready);
    // From a pointer event to numbers and charts that follow, without the wait for the next frame.
    drags.push(...await page.evaluate(() => {
      const chart = document.querySelector("#tradeoff svg[role=img]"), box = chart.getBoundingClientRect(), out = [];
      const send = (type, x, y) => chart.dispatchEvent(new PointerEvent(type, { pointerId: 1, clientX: x, clientY: y, bubbles: true }));
      chart.setPointerCapture = () => undefined;
      send("pointerdown", box.left + 0.3 * box.width, box.top + 0.3 * box.height);
      for (let i = 0; i < 30; i++) {
        const from = performance.now();
        send("pointermove", box.left + (0.2 + 0.02 * i) * box.width, box.top + 0.2 * box.height);
        window.neyman.explorer.notify();
        out.push(performance.now() - from);
      }
      send("pointerup", 0, 0);
      return out;
    }));
    await page.close();
  }
  console.log([n, statSync(join(folder, "r.html")).size, wrote.toFixed(2), median(paint).toFixed(0), median(ready).toFixed(0), median(drags).toFixed(1), Math.max(...drags).toFixed(1)].join("\t"));
}
await browser.close();
const page = readFileSync(new URL("../web/page.html", import.meta.url), "utf8");
console.log(`page without data ${page.length} bytes, WebAssembly ${Math.floor((/id="neyman-wasm">([^<]*)</.exec(page)[1].length * 3) / 4)} bytes`);
