// How the scores of either class are distributed, with the threshold and the rejection band.

import { Chart } from "./chart";
import { add, byId, clear, field, h, setText, shortName } from "./dom";
import { Explorer } from "./explorer";
import { exact, number, parse, percent, percentRange } from "./format";

const BINS = 60;

interface Histogram {
  low: number;
  high: number;
  pos: Float64Array;
  neg: Float64Array;
}

// Between the scores that leave out one row in a thousand at either end; the others are in the last
// bins.
function histogram(e: Explorer): Histogram {
  const { nPoints, threshold, tp, fp, n } = e.engine;
  const finite = (x: number) => Math.min(Math.max(x, -Number.MAX_VALUE), Number.MAX_VALUE);
  const above = (share: number) => {
    let low = 1, high = nPoints - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tp[middle]! + fp[middle]! >= share * n) high = middle;
      else low = middle + 1;
    }
    return finite(threshold[low]!);
  };
  let low = above(0.999), high = above(0.001);
  for (const t of e.own ? [e.report.threshold!.low, e.report.threshold!.high] : []) {
    if (Number.isFinite(t)) {
      low = Math.min(low, t);
      high = Math.max(high, t);
    }
  }
  if (!(high > low)) {
    const wide = Math.abs(low) > 0 ? Math.abs(low) : 1;
    low -= wide / 2;
    high += wide / 2;
  }
  const pos = new Float64Array(BINS), neg = new Float64Array(BINS);
  for (let k = 1; k < nPoints; k++) {
    const at = Math.floor(((threshold[k]! - low) / (high - low)) * BINS);
    const bin = Math.min(Math.max(Number.isNaN(at) ? 0 : at, 0), BINS - 1);
    pos[bin]! += tp[k]! - tp[k - 1]!;
    neg[bin]! += fp[k]! - fp[k - 1]!;
  }
  for (let b = 0; b < BINS; b++) {
    pos[b]! /= Math.max(e.engine.nPos, 1);
    neg[b]! /= Math.max(e.engine.nNeg, 1);
  }
  return { low, high, pos, neg };
}

export function showScores(e: Explorer): void {
  const box = byId("scores");
  clear(box);
  box.hidden = e.engine.n === 0;
  if (e.engine.n === 0) return;
  const hist = histogram(e);
  const most = Math.max(...hist.pos, ...hist.neg, 1e-9) * 1.08;
  const chart = new Chart("Scores of the two classes",
    "Histogram of the scores: positives upwards, negatives downwards, with the thresholds.",
    { label: "Score", low: hist.low, high: hist.high },
    { label: "Share of the class per bin", low: -most, high: most, tickText: (v) => `${number(100 * Math.abs(v), 2)} %` }, 360);
  const step = (hist.high - hist.low) / BINS;
  const band = chart.rect(hist.low, hist.low, -most, most, "reject-band");
  for (let b = 0; b < BINS; b++) {
    const x0 = hist.low + b * step, x1 = x0 + 0.92 * step;
    if (hist.pos[b]! > 0) chart.rect(x0, x1, 0, hist.pos[b]!, "bar positive");
    if (hist.neg[b]! > 0) chart.rect(x0, x1, -hist.neg[b]!, 0, "bar negative");
  }
  chart.text(hist.low, most, `↑ positive: ${shortName(e.positive, 30)}`, "start", 6, 14);
  chart.text(hist.high, -most, `↓ negative: ${shortName(e.negative, 30)}`, "end", -6, -6);
  const upper = chart.vertical("threshold high"), lower = chart.vertical("threshold low");

  const allow = h("input", { type: "checkbox", id: "allow-reject" });
  const lowInput = h("input", { type: "text", inputmode: "decimal", id: "reject-low", class: "wide" });
  const highInput = h("input", { type: "text", inputmode: "decimal", id: "reject-high", class: "wide" });
  const inputs = h("div", { class: "controls" },
    field("Negative below", lowInput), field("Positive from", highInput));
  const text = h("p", { id: "reject-text", "aria-live": "polite" });
  allow.addEventListener("change", () => {
    if (allow.checked) {
      // A tenth of the rows around the threshold, to begin with.
      const { tp, fp, n } = e.engine;
      const rank = tp[e.high]! + fp[e.high]!;
      const at = (want: number) => {
        let low = 0, high = e.engine.nPoints - 1;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (tp[middle]! + fp[middle]! >= want) high = middle;
          else low = middle + 1;
        }
        return low;
      };
      e.selectBand(at(rank - 0.05 * n), at(rank + 0.05 * n));
    } else {
      e.selectBand(e.high, e.high);
    }
  });
  const typed = (input: HTMLInputElement, use: (k: number) => void) =>
    input.addEventListener("change", () => {
      const x = parse(input.value);
      input.setAttribute("aria-invalid", String(Number.isNaN(x)));
      if (!Number.isNaN(x)) use(e.engine.find(x));
    });
  typed(lowInput, (k) => e.selectBand(Math.min(e.high, k), k));
  typed(highInput, (k) => e.selectBand(k, Math.max(e.low, k)));

  let dragged: "high" | "low" = "high";
  chart.onDrag((at, began) => {
    if (began) {
      const near = (x: number) => Math.abs(chart.px(x) - chart.px(at.x));
      dragged = e.rejects && near(e.thresholdLow()) < near(e.thresholdHigh()) ? "low" : "high";
    }
    const k = e.engine.find(at.x);
    if (!e.rejects && !allow.checked) e.select(k);
    else if (dragged === "high") e.selectBand(Math.min(k, e.low), e.low);
    else e.selectBand(e.high, Math.max(k, e.high));
  });

  add(box, [
    h("h2", {}, "Scores"),
    h("p", {}, "Cases with a score at or right of the line are called positive. Drag the line. " +
      "With a rejection band, cases between the two lines are left undecided, for a person or another test to look at."),
    h("div", { class: "columns" }, h("div", {}, chart.figure),
      h("div", {}, h("p", {}, allow, " ", h("label", { for: "allow-reject" }, "Leave cases between two thresholds undecided (rejection band)")),
        inputs, text)),
  ]);
  const update = () => {
    const clampX = (x: number) => Math.min(Math.max(x, hist.low), hist.high);
    allow.checked = e.rejects;
    inputs.hidden = !e.rejects;
    upper.move(clampX(e.thresholdHigh()));
    lower.move(clampX(e.thresholdLow()));
    lower.node.style.display = e.rejects ? "" : "none";
    chart.placeRect(band, clampX(e.thresholdLow()), clampX(e.thresholdHigh()), -most, most);
    if (document.activeElement !== lowInput) lowInput.value = exact(e.thresholdLow());
    if (document.activeElement !== highInput) highInput.value = exact(e.thresholdHigh());
    setText(text, sentence(e));
  };
  e.listen(update);
  update();
}

// Errors among all rows against rows that are left undecided.
function sentence(e: Explorer): string {
  const { tp, fp, nPos, n } = e.engine;
  const errors = fp[e.high]! + nPos - tp[e.low]!;
  const rejected = tp[e.low]! - tp[e.high]! + fp[e.low]! - fp[e.high]!;
  const decided = n - rejected;
  if (!e.rejects) return `${percent(errors / n)} of these rows are misclassified.`;
  const r = e.rates();
  const range = Number.isNaN(r.fpr.low) ? "" :
    ` With 95 % confidence, at all thresholds at once: ${percentRange(r.rejectPos)} of positives and ${percentRange(r.rejectNeg)} of negatives are left undecided.`;
  return `${percent(rejected / n)} of these rows are left undecided, ${percent(errors / n)} are misclassified` +
    (decided > 0 ? ` (${percent(errors / decided)} of those decided).` : ".") +
    (e.isAtOwn ? "" : range);
}

