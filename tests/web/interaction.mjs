// A reader drags, types, drops a file, and sees the numbers of the program; nothing leaves the page.
import { writeFileSync } from "node:fs";
import { assert, DATA, neyman, run, settled, text, until, withBrowser, writeScores } from "./support.mjs";

neyman("train", "-q", "--max-fpr", "0.05", "--method", "convex", "--label", "type", "--positive", "spam", `${DATA}/spambase-train.csv.gz`, "-o", "m");
neyman("report", "-q", "m", `${DATA}/spambase-test.csv.gz`, "-o", "r.html");
const want = run("evaluate", "m", `${DATA}/spambase-test.csv.gz`).json;
const percent = (x) => `${Number((100 * x).toPrecision(3))} %`;

await withBrowser(async ({ open }) => {
  const page = await open("r.html");

  // At the model's own threshold: exact intervals, as 'evaluate' has them.
  assert.equal(await text(page, "#value-fpr"), percent(want.fpr));
  assert.equal(await text(page, "#range-fpr"), `${percent(want.fpr_interval[0])} to ${percent(want.fpr_interval[1])}`);
  assert.equal(await text(page, "#range-tpr"), `${percent(want.tpr_interval[0])} to ${percent(want.tpr_interval[1])}`);
  assert.match(await text(page, "#interval-kind"), /exact 95 % intervals/);
  assert.equal(await page.inputValue("#threshold"), String(want.threshold));
  const verdict = want.fpr_interval[1] <= 0.05 ? "confirmed" : want.fpr_interval[0] > 0.05 ? "refuted" : "open";
  assert.equal(await page.getAttribute("#verdict", "data-verdict"), verdict);
  assert.match(await text(page, "#summary"), /At most 5 % of “nonspam” are flagged as “spam”, with 95 % confidence, certified on \d+ rows/);

  // The band that is drawn holds the rectangle of every threshold, not only of those it is computed at.
  const outside = await page.evaluate(() => {
    const e = window.neyman.engine, band = document.querySelector("#tradeoff .band");
    const path = new Path2D(band.getAttribute("d")), canvas = document.createElement("canvas").getContext("2d");
    const ticks = [...document.querySelectorAll("#tradeoff .axes .grid")];
    const xs = ticks.filter((t) => t.getAttribute("x1") === t.getAttribute("x2")).map((t) => Number(t.getAttribute("x1")));
    const ys = ticks.filter((t) => t.getAttribute("y1") === t.getAttribute("y2")).map((t) => Number(t.getAttribute("y1")));
    const zoom = document.querySelector("#tradeoff select").value === "0 to 10 %" ? 0.1 : 1;
    const x = (v) => xs[0] + ((xs[xs.length - 1] - xs[0]) * v) / zoom, y = (v) => ys[0] + (ys[ys.length - 1] - ys[0]) * v;
    canvas.lineWidth = 2.5; // half pixels are rounded
    let out = 0;
    for (let k = 0; k < e.nPoints; k++) {
      const r = e.rates(k, k, 2, 0.95);
      for (const [u, v] of [[r.fpr.low, 1 - r.fnr.low], [r.fpr.high, 1 - r.fnr.high]]) {
        out += canvas.isPointInPath(path, x(u), y(v)) || canvas.isPointInStroke(path, x(u), y(v)) ? 0 : 1;
      }
    }
    return out;
  });
  assert.equal(outside, 0);

  // Dragging along the curve moves the point, and the intervals become those of the band.
  const box = await page.locator("#tradeoff svg[role=img]").boundingBox();
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 0.3 * box.height);
  await page.mouse.down();
  for (let i = 0; i <= 10; i++) await page.mouse.move(box.x + (0.3 + 0.03 * i) * box.width, box.y + (0.3 - 0.02 * i) * box.height);
  await page.mouse.up();
  await settled(page);
  assert.match(await text(page, "#interval-kind"), /simultaneous 95 % band.*needs new rows/s);
  const at = await page.evaluate(() => {
    const { explorer: x, engine: e } = window.neyman;
    return { t: x.thresholdHigh(), high: x.high, own: x.own.high, exact: e.rates(x.high, x.low, 0, 0.95), band: e.rates(x.high, x.low, 2, 0.95) };
  });
  assert.notEqual(at.high, at.own);
  assert.ok(at.band.fpr.low < at.exact.fpr.low && at.band.fpr.high > at.exact.fpr.high);
  const there = run("evaluate", "m", `${DATA}/spambase-test.csv.gz`, "--threshold", String(at.t)).json;
  assert.equal(await text(page, "#value-fpr"), percent(there.fpr));
  assert.equal(await text(page, "#value-fnr"), percent(there.fnr));
  assert.equal(await text(page, "#range-fpr"), `${percent(at.band.fpr.low)} to ${percent(at.band.fpr.high)}`);

  // Keys on the slider; a typed threshold; the wanted FPR; back.
  await page.focus("#slider");
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.equal(await page.evaluate(() => window.neyman.explorer.high), at.high + 1);
  assert.match(await page.getAttribute("#slider", "aria-valuetext"), /^threshold .*FPR .*TPR/);
  await page.fill("#threshold", "2.5");
  await page.press("#threshold", "Enter");
  await settled(page);
  const typed = run("evaluate", "m", `${DATA}/spambase-test.csv.gz`, "--threshold", "2.5").json;
  assert.equal(await text(page, "#value-fpr"), percent(typed.fpr));
  await page.fill("#wanted-fpr", "1");
  await page.press("#wanted-fpr", "Enter");
  await settled(page);
  const chosen = await page.evaluate(() => window.neyman.engine.fp[window.neyman.explorer.high]);
  assert.ok(chosen <= 0.01 * want.n_neg && chosen > 0.01 * want.n_neg - 2);
  await page.fill("#threshold", "not a number");
  await page.press("#threshold", "Enter");
  assert.equal(await page.getAttribute("#threshold", "aria-invalid"), "true");
  await page.click("#back");
  await settled(page);
  assert.equal(await text(page, "#value-fpr"), percent(want.fpr));

  // Prevalence and costs: precision and cost are what arithmetic gives.
  for (const [id, value] of [["#prevalence", "10"], ["#cost-fn", "20"], ["#cost-fp", "2"]]) {
    await page.fill(id, value);
    await page.press(id, "Enter");
  }
  await settled(page);
  const ppv = (0.1 * want.tpr) / (0.1 * want.tpr + 0.9 * want.fpr);
  assert.equal(await text(page, "#value-precision"), percent(ppv));
  assert.equal(await text(page, "#value-cost"), String(Number((0.1 * want.fnr * 20 + 0.9 * want.fpr * 2).toPrecision(4))));
  assert.equal(await text(page, "#value-missed"), String(Math.round(1000 * want.fnr)));
  await page.click("#cheapest");
  await settled(page);
  const cheaper = await page.evaluate(() => window.neyman.explorer.atPrevalence().cost.value);
  assert.ok(cheaper <= 0.1 * want.fnr * 20 + 0.9 * want.fpr * 2);

  // The rejection band: the counts of --thresholds.
  await page.click("#back");
  await page.check("#allow-reject");
  await page.fill("#reject-low", "-1");
  await page.press("#reject-low", "Enter");
  await page.fill("#reject-high", "1.5");
  await page.press("#reject-high", "Enter");
  await settled(page);
  const three = run("evaluate", "m", `${DATA}/spambase-test.csv.gz`, "--thresholds", "-1,1.5").json;
  assert.match(await text(page, "#reject-text"), new RegExp(`^${percent(three.reject_rate).replace(".", "\\.")} of these rows are left undecided, ${percent(three.error_rate).replace(".", "\\.")} are misclassified`));
  assert.equal(await text(page, "#value-reject"), percent(three.reject_rate_pos));
  const hist = await page.locator("#scores svg[role=img]").boundingBox();
  await page.mouse.move(hist.x + 0.9 * hist.width, hist.y + 0.5 * hist.height);
  await page.mouse.down();
  await page.mouse.move(hist.x + 0.8 * hist.width, hist.y + 0.5 * hist.height);
  await page.mouse.up();
  await settled(page);
  assert.notEqual(await text(page, "#value-reject"), percent(three.reject_rate_pos));

  // What would it take: as 'certify' on the same scores.
  neyman("predict", "-q", "m", `${DATA}/spambase-test.csv.gz`, "--scores", "-o", "s.tsv");
  await page.fill("#certify-bound", "3");
  const cert = run("certify", "s.tsv", "--positive", "spam", "--max-fpr", "0.03").json;
  assert.equal(await text(page, "#certify-threshold"), String(cert.threshold));
  await page.fill("#certify-bound", "0.1");
  assert.match(await text(page, "#certify-answer"), /Not certifiable.*2,995 negative rows are needed; there are 697/s);
  await page.fill("#certify-bound", "200");
  assert.match(await text(page, "#certify-result"), /must be above 0 % and below 100 %/);

  // Curves, one after the other.
  for (const name of ["DET", "Cost", "Error-reject", "Precision-recall"]) {
    await page.getByRole("tab", { name, exact: true }).click();
    assert.equal(await page.locator("#curve-panel svg[role=img]").count(), 1);
  }
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.getAttribute("#tab-1", "aria-selected"), "true");

  // A file that is dropped, one that is wrong.
  writeScores("two.csv", [[0, 1], [1, 2], [2, 3]]);
  await page.locator("#file").setInputFiles("two.csv");
  await until(page, () => document.getElementById("drop-problem").textContent !== "");
  assert.match(await text(page, "#drop-problem"), /two\.csv: line 4: found the label “2”/);
  writeFileSync("drop.csv", "score,id,label\n0.25,a,no\n0.75,\"b,c\",yes\n0.5,d,no\n0.5,e,yes\n");
  await page.evaluate(async () => {
    const data = new DataTransfer();
    data.items.add(new File(["score,id,label\n0.25,a,no\n0.75,\"b,c\",yes\n0.5,d,no\n0.5,e,yes\n"], "drop.csv"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await until(page, () => document.title.includes("drop.csv") && document.body.dataset.ready === "true");
  const dropped = run("evaluate", "--from-scores", "drop.csv").json;
  const seen = await page.evaluate(() => ({ auc: window.neyman.engine.auc(0.95).value, n: window.neyman.engine.n, positive: window.neyman.explorer.positive }));
  assert.deepEqual(seen, { auc: dropped.auc, n: 4, positive: "yes" });
  assert.match(await text(page, "#summary"), /No bound was stated/);
});

// Without data: a tool that takes a file.
neyman("report", "-q", "--empty", "-o", "e.html");
await withBrowser(async ({ open }) => {
  const page = await open("e.html");
  assert.equal(await page.locator("#tradeoff").isVisible(), false);
  await page.locator("#file").setInputFiles("drop.csv");
  await until(page, () => document.title.includes("drop.csv"));
  assert.equal(await page.locator("#tradeoff").isVisible(), true);
});
