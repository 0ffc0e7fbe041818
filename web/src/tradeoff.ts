// The ROC curve: drag along it, and see every rate, count and cost of the point.

import { Chart, share } from "./chart";
import { add, byId, clear, field, h, setText, term } from "./dom";
import { EXACT_JOINT, Range, SIMULTANEOUS } from "./engine";
import { CONFIDENCE, Explorer } from "./explorer";
import { count, exact, number, parse, percent, percentRange } from "./format";

const BAND_POINTS = 400;

interface Curve {
  fpr: Float64Array;
  tpr: Float64Array;
}

function curveOf(e: Explorer): Curve {
  const { nPoints, tp, fp, nPos, nNeg } = e.engine;
  const fpr = new Float64Array(nPoints), tpr = new Float64Array(nPoints);
  for (let k = 0; k < nPoints; k++) {
    fpr[k] = fp[k]! / nNeg;
    tpr[k] = tp[k]! / nPos;
  }
  return { fpr, tpr };
}

// Points at which the band is computed: evenly along the curve, dense where the FPR is small.
function bandPoints(c: Curve): number[] {
  const points = [0];
  let last = -Infinity;
  for (let k = 0; k < c.fpr.length; k++) {
    const along = Math.sqrt(c.fpr[k]!) + c.tpr[k]! - Math.sqrt(1 - c.tpr[k]!);
    if (along - last >= 3 / BAND_POINTS) {
      points.push(k);
      last = along;
    }
  }
  points.push(c.fpr.length - 1);
  return points;
}

// The region that holds the whole true curve: the rectangles of all thresholds. Between two thresholds
// at which it is computed it goes out to the farther corner, so that it holds those between them too.
function bandOf(e: Explorer, c: Curve): { x: number[]; y: number[] } {
  const upper: [number, number][] = [[0, 0]], lower: [number, number][] = [[0, 0]];
  for (const k of bandPoints(c)) {
    const r = e.engine.rates(k, k, SIMULTANEOUS, CONFIDENCE);
    const above = 1 - r.fnr.low, below = 1 - r.fnr.high;
    upper.push([upper[upper.length - 1]![0], above], [r.fpr.low, above]);
    lower.push([r.fpr.high, lower[lower.length - 1]![1]], [r.fpr.high, below]);
  }
  const all = [...upper, [1, 1] as [number, number], ...lower.reverse()];
  return { x: all.map((p) => p[0]), y: all.map((p) => p[1]) };
}

// Where the points of the curve are drawn: looked up while the pointer moves.
function drawnAt(chart: Chart, c: Curve): { x: Float32Array; y: Float32Array } {
  return { x: Float32Array.from(c.fpr, (v) => chart.px(v)), y: Float32Array.from(c.tpr, (v) => chart.py(v)) };
}

// The point of the curve that is drawn nearest to the pointer.
function nearest(chart: Chart, drawn: { x: Float32Array; y: Float32Array }, at: { x: number; y: number }): number {
  const px = chart.px(at.x), py = chart.py(at.y);
  let best = 0, least = Infinity;
  for (let k = 0; k < drawn.x.length; k++) {
    const dx = drawn.x[k]! - px, dy = drawn.y[k]! - py;
    const d = dx * dx + dy * dy;
    if (d < least) {
      least = d;
      best = k;
    }
  }
  return best;
}

interface Line {
  id: string;
  name: string;
  definition: string;
  value(): string;
  range(): string;
}

function figures(e: Explorer): { lines: Line[]; refresh(): void } {
  let rates = e.rates(), at = e.atPrevalence();
  const known = (r: Range) => !Number.isNaN(r.low);
  const rate = (id: string, name: string, definition: string, get: () => Range): Line => ({
    id, name, definition, value: () => percent(get().value), range: () => (known(get()) ? percentRange(get()) : ""),
  });
  const expected = (id: string, name: string, definition: string, get: () => Range): Line => ({
    id, name, definition,
    value: () => count(10000 * get().value),
    range: () => (known(get()) ? `${count(Math.floor(10000 * get().low))} to ${count(Math.ceil(10000 * get().high))}` : ""),
  });
  const scaled = (r: Range, by: number): Range => ({ value: by * r.value, low: by * r.low, high: by * r.high });
  const lines: Line[] = [
    rate("fpr", "False-positive rate (FPR)", "Share of the negatives that are flagged as positive", () => rates.fpr),
    rate("fnr", "Miss rate (FNR)", "Share of the positives that are classified as negative", () => rates.fnr),
    rate("tpr", "Detection rate (TPR)", "Share of the positives that are found", () => rates.tpr),
    rate("reject", "Rejected positives", "Share of the positives that are left undecided", () => rates.rejectPos),
    rate("reject_neg", "Rejected negatives", "Share of the negatives that are left undecided", () => rates.rejectNeg),
    rate("precision", "Precision at the prevalence", "Of the cases flagged as positive, the share that is positive, if positives are as frequent as stated", () => at.precision),
    expected("found", "Found, per 10,000 cases", "Positives that are flagged, among 10,000 cases at the stated prevalence", () => scaled(rates.tpr, e.prevalence)),
    expected("missed", "Missed, per 10,000 cases", "Positives classified as negative, among 10,000 cases", () => scaled(rates.fnr, e.prevalence)),
    expected("false_alarms", "False alarms, per 10,000 cases", "Negatives that are flagged, among 10,000 cases", () => scaled(rates.fpr, 1 - e.prevalence)),
    {
      id: "cost", name: "Cost per case", definition: "Mean cost of a case at the stated costs and prevalence",
      value: () => number(at.cost.value), range: () => (known(at.cost) ? `${number(at.cost.low)} to ${number(at.cost.high)}` : ""),
    },
  ];
  return {
    lines,
    refresh: () => {
      rates = e.rates();
      at = e.atPrevalence();
    },
  };
}

function table(e: Explorer): { node: HTMLElement; update(): void } {
  const { lines, refresh } = figures(e);
  const rows = lines.map((line) => {
    const value = h("td", { class: "value", id: `value-${line.id}` }), range = h("td", { class: "range", id: `range-${line.id}` });
    return { line, value, range, node: h("tr", {}, h("th", { scope: "row" }, term(line.name, line.definition)), value, range) };
  });
  const kind = h("p", { class: "kind", id: "interval-kind", "aria-live": "polite" });
  const heading = h("th", { scope: "col" }, "95 % range");
  const node = h("div", { class: "figures" },
    h("table", {}, h("caption", {}, "At the selected threshold"),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Figure"), h("th", { scope: "col", class: "value" }, "On these rows"), heading)),
      h("tbody", {}, ...rows.map((r) => r.node))),
    kind);
  return {
    node,
    update: () => {
      refresh();
      for (const r of rows) {
        setText(r.value, r.line.value());
        setText(r.range, r.line.range());
        r.node.hidden = r.line.id.startsWith("reject") && !e.rejects;
      }
      setText(kind, kindText(e));
    },
  };
}

function kindText(e: Explorer): string {
  if (!e.isNew) return `There are no ranges: the rows are ${e.report.rows?.rates_on}, so that the rates are optimistic.`;
  if (e.isGrouped) {
    return "There are no ranges here: rows of one group depend on each other, and no band for groups is known to this page. " +
      "The rates count rows. The rates over groups at the fixed threshold stand in the table of groups below.";
  }
  return e.isAtOwn
    ? "Ranges of rates and counts: exact 95 % intervals (Clopper-Pearson), each for itself, because this threshold was fixed before the rows were seen. " +
      "Precision and cost: over the rectangle in which both rates lie at once with 95 % confidence."
    : "Ranges: from the simultaneous 95 % band, which holds at all thresholds at once, because a point that is chosen by looking is a selection. " +
      "A bound or threshold that is chosen after looking at these rows needs new rows before it is certified.";
}

const ZOOMS: Record<string, { low: number; high: number; log?: boolean }> = {
  "0 to 100 %": { low: 0, high: 1 },
  "0 to 10 %": { low: 0, high: 0.1 },
  "0 to 1 %": { low: 0, high: 0.01 },
  logarithmic: { low: 1e-4, high: 1, log: true },
};

function rocChart(e: Explorer): { chart: Chart; zoom: HTMLSelectElement; update(): void } {
  const curve = curveOf(e);
  const y = { label: "Detection rate (TPR)", low: 0, high: 1, tickText: share };
  const x = (name: string) => ({ label: "False-positive rate (FPR)", ...ZOOMS[name]!, tickText: share });
  const chart = new Chart("ROC curve",
    "Detection rate against false-positive rate at every threshold. The slider below moves the selected point.",
    x("0 to 100 %"), y, 430);
  const start = e.own && curve.fpr[e.own.high]! <= 0.02 ? "0 to 10 %" : "0 to 100 %";
  const hull = e.engine.hull();
  const band = e.isNew && !e.isGrouped ? bandOf(e, curve) : null;
  const selected = chart.marker("circle", "selected"), own = e.own ? chart.marker("diamond", "own") : null;
  let drawn = drawnAt(chart, curve);
  const draw = () => {
    chart.clear();
    drawn = drawnAt(chart, curve);
    if (band) chart.area(band.x, band.y, "band");
    chart.line([0, 1], [0, 1], "chance");
    chart.line(Array.from(hull, (k) => curve.fpr[k]!), Array.from(hull, (k) => curve.tpr[k]!), "hull");
    chart.line(curve.fpr, curve.tpr, "curve");
    if (own) own.move(curve.fpr[e.own!.high]!, curve.tpr[e.own!.high]!);
  };
  const zoom = h("select", {}, ...Object.keys(ZOOMS).map((name) => h("option", { value: name }, name)));
  zoom.value = start;
  chart.setAxes(x(start), y);
  zoom.addEventListener("change", () => {
    chart.setAxes(x(zoom.value), y);
    draw();
    update();
  });
  const update = () => selected.move(curve.fpr[e.high]!, curve.tpr[e.high]!);
  draw();
  chart.legend([
    ["curve", "these rows"], ["hull", "convex hull: the best for some cost"],
    ...(band ? [["area band", "simultaneous 95 % band"] as [string, string]] : []),
    ["chance", "chance"], ["marker selected", "selected"],
    ...(own ? [["marker own", e.report.threshold?.origin === "model" ? "fixed before: the model's" : "fixed before"] as [string, string]] : []),
  ]);
  chart.onDrag((at) => e.select(nearest(chart, drawn, at)));
  return { chart, zoom, update };
}

function controls(e: Explorer): { node: HTMLElement; update(): void } {
  const last = e.engine.nPoints - 1;
  const slider = h("input", { type: "range", min: 0, max: last, step: 1, id: "slider" });
  const typed = h("input", { type: "text", inputmode: "decimal", id: "threshold", class: "wide" });
  const wanted = h("input", { type: "text", inputmode: "decimal", id: "wanted-fpr", placeholder: "such as 1" });
  const prevalence = h("input", { type: "text", inputmode: "decimal", id: "prevalence" });
  const costFn = h("input", { type: "text", inputmode: "decimal", id: "cost-fn" });
  const costFp = h("input", { type: "text", inputmode: "decimal", id: "cost-fp" });
  const rejectCost = h("input", { type: "text", inputmode: "decimal", id: "cost-reject" });
  const back = h("button", { type: "button", id: "back" }, "Back to the fixed threshold");
  const cheapest = h("button", { type: "button", id: "cheapest" }, "Cheapest on these rows");
  const rejectField = field("Cost of a rejected case", rejectCost);

  slider.addEventListener("input", () => e.select(Number(slider.value)));
  const check = (input: HTMLInputElement, good: (x: number) => boolean, use: (x: number) => void) =>
    input.addEventListener("change", () => {
      const x = parse(input.value), fits = good(x);
      input.setAttribute("aria-invalid", String(!fits));
      if (fits) {
        use(x);
        e.changed();
      }
    });
  check(typed, (x) => !Number.isNaN(x), (x) => e.select(e.engine.find(x)));
  check(wanted, (x) => x >= 0 && x <= 100, (x) => e.select(e.engine.findErrors(false, (x / 100) * e.engine.nNeg + 1e-9)));
  check(prevalence, (x) => x >= 0 && x <= 100, (x) => (e.prevalence = x / 100));
  check(costFn, (x) => x >= 0, (x) => (e.costs.fn = x));
  check(costFp, (x) => x >= 0, (x) => (e.costs.fp = x));
  check(rejectCost, (x) => x >= 0, (x) => (e.costs.rejectFn = e.costs.rejectFp = x));
  back.addEventListener("click", () => e.backToOwn());
  cheapest.addEventListener("click", () => {
    const hull = e.engine.hull();
    let best = 0, least = Infinity;
    for (const k of hull) {
      const cost = e.engine.atPrevalence(k, k, EXACT_JOINT, CONFIDENCE, e.prevalence, e.costs).cost.value;
      if (cost < least) {
        least = cost;
        best = k;
      }
    }
    e.selectBand(best, best);
  });

  return {
    node: h("div", { class: "controls" },
      h("div", { class: "field slider" }, h("label", { for: "slider" }, "Threshold, from strict (left) to lenient"), slider),
      field("Threshold", typed, "", "A case whose score is at least this is called positive"),
      field("Largest FPR wanted", wanted, "%", "Move to the lowest threshold whose FPR on these rows is at most this"),
      field("Prevalence", prevalence, "%", "Share of positives among the cases to come. The rows may have another one."),
      field("Cost of a miss", costFn, "", "Cost of a positive that is classified as negative, in any unit"),
      field("Cost of a false alarm", costFp, "", "Cost of a negative that is flagged, in the same unit"),
      rejectField,
      h("div", { class: "buttons" }, cheapest, e.own ? back : null)),
    update: () => {
      const set = (input: HTMLInputElement, text: string) => {
        if (document.activeElement !== input) input.value = text;
      };
      slider.value = String(e.high);
      const r = e.engine;
      slider.setAttribute("aria-valuetext",
        `threshold ${number(e.thresholdHigh())}, FPR ${percent(r.fp[e.high]! / r.nNeg)}, TPR ${percent(r.tp[e.high]! / r.nPos)}`);
      set(typed, exact(e.thresholdHigh()));
      set(prevalence, number(100 * e.prevalence, 6));
      set(costFn, number(e.costs.fn, 6));
      set(costFp, number(e.costs.fp, 6));
      set(rejectCost, number(e.costs.rejectFn, 6));
      rejectField.hidden = !e.rejects;
      back.disabled = e.isAtOwn;
    },
  };
}

export function showTradeoff(e: Explorer): void {
  const box = byId("tradeoff");
  clear(box);
  box.hidden = !e.hasBothClasses;
  if (!e.hasBothClasses) return;
  const roc = rocChart(e), figure = table(e), control = controls(e);
  const { nDistinct, nPoints, gap } = e.engine;
  add(box, [
    h("h2", {}, "The trade-off"),
    h("p", {}, "Every threshold gives a point of the curve: a stricter one flags fewer negatives and misses more positives. " +
      "Drag along the curve, use the slider, or type a threshold."),
    h("div", { class: "columns" },
      h("div", {}, roc.chart.figure, field("FPR axis", roc.zoom)),
      h("div", {}, control.node, figure.node)),
    gap > 0 ? h("p", { class: "thinned" }, `The rows have ${count(nDistinct)} distinct scores. The page keeps ${count(nPoints - 1)} thresholds, ` +
      `with exact counts at each, the model's own among them. A threshold that is left out has the rates of the kept one above it, changed by at most ${number(gap, 2)}: ` +
      `every rate is known to within ${number(gap / 2, 2)}.`) : null,
  ]);
  const update = () => {
    roc.update();
    figure.update();
    control.update();
  };
  e.listen(update);
  update();
}
