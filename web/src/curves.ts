// The other curves: precision-recall, DET, cost, error-reject, q-values. Each is drawn when it is
// first looked at.

import { Chart, share } from "./chart";
import { add, byId, clear, h } from "./dom";
import { Explorer } from "./explorer";
import { count, number } from "./format";

const MOST_ROWS = 4_000_000; // of curves that need every row again

interface View {
  name: string;
  explain: string;
  chart: Chart;
  update(): void;
}

function precisionRecall(e: Explorer): View {
  const { tp, fp, nPos, nPoints } = e.engine;
  const recall = new Float64Array(nPoints), precision = new Float64Array(nPoints);
  for (let k = 0; k < nPoints; k++) {
    recall[k] = tp[k]! / nPos;
    precision[k] = k === 0 ? 1 : tp[k]! / (tp[k]! + fp[k]!);
  }
  const chart = new Chart("Precision and recall", "Precision against recall at every threshold",
    { label: "Recall (detection rate)", low: 0, high: 1, tickText: share },
    { label: "Precision on these rows", low: 0, high: 1, tickText: share });
  chart.line(recall, precision, "curve");
  const mark = chart.marker("circle", "selected");
  return {
    name: "Precision-recall", chart,
    explain: "Precision: of the rows flagged as positive, the share that is positive. It depends on the prevalence, here that of these rows.",
    update: () => mark.move(recall[e.high]!, precision[e.high]!),
  };
}

function det(e: Explorer): View {
  const { tp, fp, nPos, nNeg, nPoints } = e.engine;
  const rates = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999];
  const probit = (p: number) => e.engine.probit(p);
  const low = probit(0.0005), high = probit(0.9995);
  const text = (v: number) => share(rates.find((r) => Math.abs(probit(r) - v) < 1e-9) ?? NaN);
  const axis = (label: string) => ({ label, low, high, ticks: rates.map(probit), tickText: text });
  const chart = new Chart("Detection error trade-off (DET)", "Miss rate against false-positive rate on normal scales",
    axis("False-positive rate (FPR)"), axis("Miss rate (FNR)"));
  const xs: number[] = [], ys: number[] = [];
  let lastX = -1, lastY = -1;
  for (let k = 0; k < nPoints; k++) {
    const x = fp[k]! / nNeg, y = (nPos - tp[k]!) / nPos;
    if (k > 0 && k < nPoints - 1 && Math.abs(x - lastX) < 2e-5 && Math.abs(y - lastY) < 2e-5) continue;
    xs.push(probit(x));
    ys.push(probit(y));
    lastX = x;
    lastY = y;
  }
  const finite = (v: number) => Math.min(Math.max(v, low - 0.1), high + 0.1);
  chart.line(xs.map(finite), ys.map(finite), "curve");
  const mark = chart.marker("circle", "selected");
  return {
    name: "DET", chart,
    explain: "Both error rates on scales where normal scores give a straight line: low rates are as visible as high ones.",
    update: () => mark.move(finite(probit(fp[e.high]! / nNeg)), finite(probit((nPos - tp[e.high]!) / nPos))),
  };
}

function cost(e: Explorer): View {
  const { fp, tp, nPos, nNeg } = e.engine;
  const curve = e.engine.costCurve();
  const chart = new Chart("Cost curve", "Least normalised cost against the share of the positives in probability times cost",
    { label: "Share of positives in probability × cost", low: 0, high: 1, tickText: share },
    { label: "Normalised expected cost", low: 0, high: Math.max(0.05, ...curve.cost) * 1.1 });
  chart.line(curve.share, curve.cost, "curve");
  chart.line([0, 0.5, 1], [0, 0.5, 0], "chance");
  const own = chart.line([0, 1], [0, 0], "hull");
  const at = chart.vertical("threshold low");
  chart.legend([["curve", "best threshold for each share (chosen on these rows)"], ["hull", "selected threshold"], ["chance", "one answer for all"]]);
  return {
    name: "Cost", chart,
    explain: "For each mix of prevalence and costs, what the best threshold costs, and what the selected one does. The vertical line is the prevalence and costs entered above.",
    update: () => {
      own.setAttribute("d", chart.path([0, 1], [fp[e.high]! / nNeg, (nPos - tp[e.high]!) / nPos]));
      const pos = e.prevalence * e.costs.fn, neg = (1 - e.prevalence) * e.costs.fp;
      if (pos + neg > 0) at.move(pos / (pos + neg));
    },
  };
}

function errorReject(e: Explorer): View {
  const t = e.report.threshold;
  const band = t && t.low < t.high ? t
    : { low: e.engine.threshold[e.high]!, high: e.engine.threshold[e.high]!, center: e.engine.threshold[e.high]! };
  const finite = Number.isFinite(band.center) ? band : { low: 0, high: 0, center: 0 };
  const { covered, errors } = e.engine.errorReject(finite.low, finite.center, finite.high);
  const n = e.engine.n;
  const rejected = Array.from(covered, (c) => (n - c) / n).concat(1), wrong = Array.from(errors, (x) => x / n).concat(0);
  // From all rows to the farthest ones.
  const order = rejected.map((_, i) => i).sort((a, b) => rejected[a]! - rejected[b]!);
  const chart = new Chart("Errors against rejected rows", "Share of misclassified rows against share of rejected rows as the band grows",
    { label: "Rejected rows", low: 0, high: 1, tickText: share },
    { label: "Misclassified rows", low: 0, high: Math.max(0.01, ...wrong.slice(0, 1e5)) * 1.08, tickText: share });
  chart.line(order.map((i) => rejected[i]!), order.map((i) => wrong[i]!), "curve");
  const mark = chart.marker("circle", "selected");
  const { tp, fp, nPos } = e.engine;
  return {
    name: "Error-reject", chart,
    explain: "The rejection band grows around the threshold " +
      (t && t.low < t.high ? "in the proportions of the model's own band" : "to both sides alike") +
      `, from no rejected row to all. The circle is the point selected above. Centre: ${number(finite.center)}.`,
    update: () => mark.move(
      (tp[e.low]! - tp[e.high]! + fp[e.low]! - fp[e.high]!) / n, (fp[e.high]! + nPos - tp[e.low]!) / n),
  };
}

function qvalues(e: Explorer): View {
  const d = e.report.discoveries!;
  const chart = new Chart("Discoveries at each q-value", "Accepted targets against the q-value",
    { label: "q-value (estimated false-discovery rate)", low: 0, high: 0.1, tickText: share },
    { label: "Accepted targets", low: 0, high: Math.max(1, ...d.accepted) * 1.05 });
  const xs: number[] = [], ys: number[] = [];
  d.q.forEach((q, i) => {
    xs.push(q, q); // a step
    ys.push(i > 0 ? d.accepted[i - 1]! : 0, d.accepted[i]!);
  });
  chart.line(xs, ys, "curve");
  return {
    name: "q-values", chart,
    explain: `Negatives are decoys. The q-value is the smallest false-discovery rate at which a target is accepted, by ${d.fdr_estimate}. ` +
      `${d.fdr_control === "theorem" ? "Theorem" : "Estimate"}: ${d.fdr_reason}.`,
    update: () => undefined,
  };
}

export function showCurves(e: Explorer): void {
  const box = byId("curves");
  clear(box);
  box.hidden = !e.hasBothClasses;
  if (!e.hasBothClasses) return;
  const makers: [string, (e: Explorer) => View][] = [
    ["Precision-recall", precisionRecall], ["DET", det], ["Cost", cost],
    ...(e.engine.n <= MOST_ROWS ? [["Error-reject", errorReject] as [string, (e: Explorer) => View]] : []),
    ...(e.report.discoveries ? [["q-values", qvalues] as [string, (e: Explorer) => View]] : []),
  ];
  const views = new Map<string, View>();
  const panel = h("div", { class: "panel", id: "curve-panel", role: "tabpanel", tabindex: 0 });
  const tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Curves" });
  let current = "";
  const show = (name: string) => {
    current = name;
    let view = views.get(name);
    if (!view) {
      view = makers.find(([n]) => n === name)![1](e);
      views.set(name, view);
    }
    for (const tab of Array.from(tabs.children)) {
      const chosen = tab.textContent === name;
      tab.setAttribute("aria-selected", String(chosen));
      tab.setAttribute("tabindex", chosen ? "0" : "-1");
      if (chosen) panel.setAttribute("aria-labelledby", tab.id);
    }
    panel.replaceChildren(view.chart.figure, h("p", {}, view.explain));
    view.update();
  };
  makers.forEach(([name], i) => {
    const tab = h("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": "curve-panel" }, name);
    tab.addEventListener("click", () => show(name));
    tab.addEventListener("keydown", (event) => {
      const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
      if (move === 0) return;
      const next = (i + move + makers.length) % makers.length;
      show(makers[next]![0]);
      (tabs.children[next] as HTMLElement).focus();
    });
    tabs.append(tab);
  });
  add(box, [
    h("h2", {}, "Other curves"), tabs, panel,
    e.engine.n > MOST_ROWS ? h("p", { class: "note" }, `The error-reject curve needs every row and is drawn for at most ${count(MOST_ROWS)} rows.`) : null,
  ]);
  show(makers[0]![0]);
  e.listen(() => views.get(current)?.update());
}
