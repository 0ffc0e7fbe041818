// The numbers of the page are those of the program: counts and thresholds bit for bit, intervals to
// ten digits, on random, tied and extreme scores.
import { assert, near, neyman, normal, random, run, until, withBrowser, writeScores } from "./support.mjs";

const unit = random(11);
const SETS = {
  normal: Array.from({ length: 700 }, (_, i) => [i % 3 ? 0 : 1, normal(unit) + (i % 3 ? 0 : 1.4)]),
  tied: Array.from({ length: 400 }, (_, i) => [i % 2 ? "bad" : "good", Math.floor(5 * unit()) + (i % 2 ? 0 : 1)]),
  probabilities: Array.from({ length: 300 }, (_, i) => [i % 5 ? -1 : 1, Math.round(100 * (i % 5 ? unit() ** 2 : Math.sqrt(unit()))) / 100]),
  extreme: [[1, 1e300], [0, -1e300], [1, 5e-324], [0, -5e-324], [1, 0], [0, "-0"], [1, 1e-300], [0, 3], [1, 3], [0, 1e300],
    ...Array.from({ length: 60 }, (_, i) => [i % 2, (unit() - 0.5) * 10 ** Math.floor(600 * unit() - 300)])],
  few: [[0, 1], [1, 2]],
};

const columns = (tsv) => {
  const [head, ...lines] = tsv.trim().split("\n").map((l) => l.split("\t"));
  return Object.fromEntries(head.map((name, c) => [name, lines.map((l) => (l[c] === "inf" ? Infinity : Number(l[c])))]));
};

async function compareCurves(page, file) {
  const roc = columns(neyman("evaluate", "--from-scores", file, "--curve", "roc"));
  const hull = columns(neyman("evaluate", "--from-scores", file, "--curve", "hull"));
  const cost = columns(neyman("evaluate", "--from-scores", file, "--curve", "cost"));
  const det = columns(neyman("evaluate", "--from-scores", file, "--curve", "det"));
  const reject = columns(neyman("evaluate", "--from-scores", file, "--curve", "error-reject", "--threshold", "0.5"));
  const got = await page.evaluate(() => {
    const e = window.neyman.engine, list = (a) => Array.from(a);
    const c = e.costCurve(), r = e.errorReject(0.5, 0.5, 0.5);
    return {
      threshold: list(e.threshold).map(String), tp: list(e.tp), fp: list(e.fp), hull: list(e.hull()),
      share: list(c.share), cost: list(c.cost), distance: list(r.distance), covered: list(r.covered), errors: list(r.errors),
      probit: list(e.fp).map((k) => e.probit(k / e.nNeg)), n: e.n,
    };
  });
  assert.deepEqual(got.threshold.map(Number), roc.threshold);
  assert.deepEqual(got.tp, roc.tp);
  assert.deepEqual(got.fp, roc.fp);
  assert.deepEqual(got.hull.map((k) => roc.threshold[k]), hull.threshold);
  got.share.forEach((s, i) => near(s, cost.share[i], "share of the cost curve"));
  got.cost.forEach((s, i) => near(s, cost.cost[i], "cost of the cost curve"));
  got.probit.forEach((p, i) => Number.isFinite(p) && near(p, det.probit_fpr[i], "DET"));
  const reversed = (a) => [...a].reverse();
  assert.deepEqual(reversed(got.distance), reject.distance);
  reversed(got.covered).forEach((c, i) => assert.equal(got.n - c, reject.rejected[i]));
  reversed(got.errors).forEach((x, i) => near(x / got.n, reject.error_rate[i], "error rate with rejection"));
}

async function compareRates(page, file, rows) {
  for (let i = 0; i < 6; i++) {
    const t = i === 0 ? 0.5 : Number(rows[Math.floor(unit() * rows.length)][1]);
    const u = Number(rows[Math.floor(unit() * rows.length)][1]);
    const args = i < 4 ? ["--threshold", String(t)] : ["--thresholds", `${Math.min(t, u)},${Math.max(t, u)}`];
    const want = run("evaluate", "--from-scores", file, ...args).json;
    const band = i < 4 ? [t, t] : [Math.min(t, u), Math.max(t, u)];
    const got = await page.evaluate(([low, high]) => {
      const e = window.neyman.engine, k = e.find(high), l = e.find(low);
      return { fp: e.fp[k], tp: e.tp[k], fn: e.nPos - e.tp[l], ...e.rates(k, l, 0, 0.95), auc: e.auc(0.95) };
    }, band);
    assert.equal(got.fp, want.fp);
    assert.equal(got.tp, want.tp);
    assert.equal(got.fn, want.fn);
    for (const rate of ["fpr", "fnr", "tpr"]) {
      near(got[rate].value, want[rate], rate);
      near(got[rate].low, want[`${rate}_interval`][0], `${rate} low`);
      near(got[rate].high, want[`${rate}_interval`][1], `${rate} high`);
    }
    near(got.auc.value, want.auc, "auc");
    if (want.auc_interval) near(got.auc.low, want.auc_interval[0], "auc low");
  }
}

async function compareCertificates(page, file) {
  let good = 0;
  for (const [rate, bound, confidence] of [["fpr", 0.05, 0.95], ["fpr", 0.013, 0.9], ["fnr", 0.1, 0.95], ["fnr", 0.2, 0.99], ["fpr", 0.5, 0.5], ["fpr", 0.001, 0.999]]) {
    const want = run("certify", file, `--max-${rate}`, String(bound), "--confidence", String(confidence));
    const got = await page.evaluate(([r, b, c]) => window.neyman.engine.certify(r === "fnr", b, c), [rate, bound, confidence]);
    assert.equal(got.good, want.code === 0, `${file} ${rate} ${bound}: ${JSON.stringify(want.json)}`);
    if (got.good) {
      good++;
      assert.equal(got.threshold, want.json.threshold);
      assert.equal(got.rank, want.json.rank);
      assert.equal(got.misclassified, want.json.misclassified);
      near(got.bound, want.json.bound, "bound");
      near(rate === "fpr" ? got.tp / (got.tp + (1 - want.json.tpr) * want.json.n_pos) : 1 - got.fp / want.json.n_neg,
        rate === "fpr" ? want.json.tpr : 1 - want.json.fpr, "price");
    } else if (want.json.error?.needed ?? want.json.needed) {
      assert.equal(got.needed, want.json.error?.needed ?? want.json.needed);
    }
  }
  return good;
}

// The simultaneous band where it has a closed form: no false positive among 100 negatives. Both classes
// hold at once, half of what may be missed goes to ten order statistics at either end, two limits each.
async function compareBand(open) {
  writeScores("hundred.tsv", Array.from({ length: 200 }, (_, i) => [i % 2, i]));
  neyman("report", "-q", "--from-scores", "hundred.tsv", "-o", "hundred.html");
  const page = await open("hundred.html");
  const got = await page.evaluate(() => window.neyman.engine.rates(0, 0, 2, 0.95));
  const each = 1 - Math.sqrt(0.95);
  const exact = 1 - (each / 2 / 40) ** (1 / 100), dkw = Math.sqrt(Math.log(4 / each) / 200);
  near(got.fpr.high, Math.min(exact, dkw), "band without a false positive");
  near(got.tpr.high, Math.min(exact, dkw), "band without a true positive");
  assert.equal(got.fpr.low, 0);
  const joint = await page.evaluate(() => window.neyman.engine.rates(0, 0, 1, 0.95));
  near(joint.fpr.high, 1 - (each / 2) ** (1 / 100), "joint interval");
}

await withBrowser(async ({ open }) => {
  await compareBand(open);
  let certified = 0;
  for (const [name, rows] of Object.entries(SETS)) {
    const file = `${name}.tsv`;
    writeScores(file, rows);
    neyman("report", "-q", "--from-scores", file, "-o", `${name}.html`);
    const page = await open(`${name}.html`);
    await compareCurves(page, file);
    await compareRates(page, file, rows);
    certified += await compareCertificates(page, file);
    // The same file, read by the page itself.
    const before = await page.evaluate(() => ({ t: Array.from(window.neyman.engine.threshold), tp: Array.from(window.neyman.engine.tp) }));
    await page.locator("#file").setInputFiles(file);
    await until(page, (f) => document.title.includes(f) && document.body.dataset.ready === "true", file);
    const after = await page.evaluate(() => ({ t: Array.from(window.neyman.engine.threshold), tp: Array.from(window.neyman.engine.tp) }));
    assert.deepEqual(after, before);
    await page.context().close();
  }
  assert.ok(certified >= 8, `only ${certified} certificates were compared`);
});
