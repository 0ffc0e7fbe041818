// Pages of many rows: below 8 MB at 10^6 rows, and of more distinct scores at most 10^6 thresholds
// with exact counts, and every rate in between to within 1e-6.
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { assert, near, neyman, normal, random, run, settled, text, withBrowser } from "./support.mjs";

const unit = random(47);

// Rows as text in pieces: [n, share of positives]; returns the rows' scores and labels.
function write(file, n) {
  const to = openSync(file, "w");
  const score = new Float64Array(n), label = new Int8Array(n);
  writeSync(to, "label\tscore\n");
  for (let i = 0; i < n;) {
    const lines = [];
    for (let k = 0; k < 50000 && i < n; k++, i++) {
      label[i] = i % 4 === 0 ? 1 : 0;
      score[i] = normal(unit) + (label[i] ? 2 : 0);
      lines.push(`${label[i]}\t${score[i]}`);
    }
    writeSync(to, lines.join("\n") + "\n");
  }
  closeSync(to);
  return { score, label };
}

// An array of the engine as doubles, passed as one text: a list of a million numbers takes long to pass.
async function numbers(page, name) {
  const packed = await page.evaluate((key) => {
    const bytes = new Uint8Array(Float64Array.from(window.neyman.engine[key]).buffer), parts = [];
    for (let i = 0; i < bytes.length; i += 30000) parts.push(btoa(String.fromCharCode(...bytes.subarray(i, i + 30000))));
    return parts.join("");
  }, name);
  return new Float64Array(Uint8Array.from(Buffer.from(packed, "base64")).buffer);
}

await withBrowser(async ({ open }) => {
  const n = 1_150_000;
  const rows = write("many.tsv", n);
  const out = run("report", "--from-scores", "many.tsv", "--threshold", "1.2345", "-o", "many.html").json;
  assert.ok(out.thresholds <= 1_000_000 && out.thresholds > 400_000, String(out.thresholds));
  assert.ok(out.threshold_gap > 0 && out.threshold_gap <= 2e-6, String(out.threshold_gap));
  assert.ok(statSync("many.html").size < 8e6, String(statSync("many.html").size));
  const page = await open("many.html");
  assert.match(await text(page, ".thinned"), /1,149,\d{3}|1,150,000/);

  // Counts at kept thresholds are those of the rows; the fixed threshold is kept.
  const want = run("evaluate", "--from-scores", "many.tsv", "--threshold", "1.2345").json;
  const own = await page.evaluate(() => ({ fp: window.neyman.engine.fp[window.neyman.explorer.high], tp: window.neyman.engine.tp[window.neyman.explorer.high] }));
  assert.deepEqual(own, { fp: want.fp, tp: want.tp });
  const some = await page.evaluate(() => {
    const e = window.neyman.engine;
    return [1, 1000, 123456, 300000, e.nPoints - 5].map((k) => [e.threshold[k], e.tp[k], e.fp[k]]);
  });
  for (const [t, tp, fp] of some) {
    let pos = 0, neg = 0;
    for (let i = 0; i < n; i++) {
      if (rows.score[i] >= t) rows.label[i] ? pos++ : neg++;
    }
    assert.deepEqual([tp, fp], [pos, neg]);
  }
  // From a kept threshold to those left out below it no rate changes by more than the stated gap.
  const stated = { gap: await page.evaluate(() => window.neyman.engine.gap) };
  for (const name of ["threshold", "tp", "fp"]) stated[name] = await numbers(page, name);
  const order = Uint32Array.from(rows.score.keys()).sort((a, b) => rows.score[b] - rows.score[a]);
  const nPos = rows.label.reduce((a, b) => a + b, 0);
  let point = 0, tp = 0, fp = 0, most = 0;
  for (let k = 0; k < n; k++) {
    rows.label[order[k]] ? tp++ : fp++;
    if (k + 1 < n && rows.score[order[k + 1]] === rows.score[order[k]]) continue;
    if (rows.score[order[k]] === stated.threshold[point + 1]) point++;
    most = Math.max(most, (tp - stated.tp[point]) / nPos, (fp - stated.fp[point]) / (n - nPos));
  }
  assert.equal(point, out.thresholds);
  assert.equal(most, stated.gap);
  assert.match(await text(page, ".thinned"), /changed by at most/);

  // A certificate of a thinned curve is no looser than that of all rows.
  const cert = run("certify", "many.tsv", "--max-fpr", "0.01").json;
  const got = await page.evaluate(() => window.neyman.engine.certify(false, 0.01, 0.95));
  assert.ok(got.threshold >= cert.threshold && got.misclassified <= cert.misclassified && got.good);
  near(got.bound, cert.bound, "bound");

  // Dragging answers.
  await page.evaluate(() => window.neyman.explorer.select(5000));
  await settled(page);
  assert.match(await text(page, "#interval-kind"), /simultaneous/);
});
