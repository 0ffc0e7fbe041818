// A path file: the plane of costs, the three curves on the test rows, and the command that takes a
// model out of it.

import { Chart, share } from "./chart";
import { add, byId, clear, h, setText } from "./dom";
import type { Explorer } from "./explorer";
import { number, percent } from "./format";
import type { PathReport } from "./report";

interface Pick {
  cPlus: number;
  cMinus: number;
  fpr: number;
  tpr: number;
  command: string | null; // null: another choice is at least as good
  what: string;
}

// Everything that can be taken: the choices of the envelope, and points of the line of asymmetries.
function picksOf(path: PathReport): Pick[] {
  const choices = path.choices.map((c, i) => ({
    cPlus: c.c_plus, cMinus: c.c_minus, fpr: c.test_fpr, tpr: c.test_tpr, command: c.command,
    what: `choice ${i + 1} of ${path.choices.length} of the envelope` +
      (c.threshold === null ? "" : `, threshold ${number(c.threshold)}`),
  }));
  const a = path.asymmetry;
  const line = a.c_plus.map((p, i) => ({
    cPlus: p, cMinus: a.c_minus[i]!, fpr: a.fpr[i]!, tpr: a.tpr[i]!,
    command: `neyman pick ${path.file} --at ${p} ${a.c_minus[i]!} -o picked.model`,
    what: "a point of the line of asymmetries, with its own threshold",
  }));
  return [...choices, ...line];
}

// Ends of the axes: powers of ten around all costs that are not 0.
function logEnds(values: number[]): { low: number; high: number } {
  const positive = values.filter((v) => v > 0);
  if (positive.length === 0) return { low: 0.1, high: 1 };
  const most = Math.max(...positive), least = Math.max(Math.min(...positive), most * 1e-8);
  const low = 10 ** Math.floor(Math.log10(least)), high = 10 ** Math.ceil(Math.log10(most));
  return { low, high: high > low ? high : 10 * low };
}

// A straight line of the plane, as it runs between logarithmic axes.
function along(from: [number, number], to: [number, number]): { x: number[]; y: number[] } {
  const x: number[] = [], y: number[] = [];
  for (let i = 0; i <= 200; i++) {
    const t = i / 200, u = t * t * (3 - 2 * t); // dense at both ends
    x.push(from[0] + u * (to[0] - from[0]));
    y.push(from[1] + u * (to[1] - from[1]));
  }
  return { x, y };
}

function planeChart(path: PathReport, picks: Pick[], choose: (i: number) => void): { chart: Chart; show(p: Pick): void } {
  const ends = path.lines.flatMap((l) => [l.from, l.to]);
  const axis = (label: string, values: number[]) => ({ label, log: true, ...logEnds(values) });
  const chart = new Chart("The plane of costs", "Cost of positives against cost of negatives in training, with the lines that were followed",
    axis("C+, weight of a positive row", [...ends.map((e) => e[0]), ...picks.map((p) => p.cPlus)]),
    axis("C−, weight of a negative row", [...ends.map((e) => e[1]), ...picks.map((p) => p.cMinus)]));
  for (const line of path.lines) {
    const { x, y } = along(line.from, line.to);
    chart.line(x, y, "chance");
  }
  for (const c of path.choices) chart.dot(c.c_plus, c.c_minus, "choice");
  const mark = chart.marker("circle", "selected");
  chart.onDrag((at) => choose(nearest(picks, (p) => [chart.px(p.cPlus) - chart.px(at.x), chart.py(p.cMinus) - chart.py(at.y)])));
  chart.legend([["chance", "lines that were followed"], ["dot choice", "classifiers of the envelope"], ["marker selected", "selected"]]);
  return { chart, show: (p) => mark.move(p.cPlus, p.cMinus) };
}

function nearest(picks: Pick[], away: (p: Pick) => [number, number]): number {
  let best = 0, least = Infinity;
  picks.forEach((p, i) => {
    const [x, y] = away(p);
    const d = x * x + y * y;
    if (d < least) {
      least = d;
      best = i;
    }
  });
  return best;
}

function curvesChart(e: Explorer, path: PathReport, picks: Pick[], choose: (i: number) => void): { chart: Chart; show(p: Pick): void } {
  const chart = new Chart("Three curves on the test rows", "Detection rate against false-positive rate for one classifier and all thresholds, for all asymmetries, and for both",
    { label: "False-positive rate (FPR)", low: 0, high: 1, tickText: share },
    { label: "Detection rate (TPR)", low: 0, high: 1, tickText: share });
  const { tp, fp, nPos, nNeg } = e.engine;
  chart.line([0, 1], [0, 1], "chance");
  chart.line(Array.from(fp, (k) => k / nNeg), Array.from(tp, (k) => k / nPos), "curve");
  const a = path.asymmetry;
  const order = a.fpr.map((_, i) => i).sort((i, j) => a.fpr[i]! - a.fpr[j]! || a.tpr[i]! - a.tpr[j]!);
  if (order.length > 0) chart.line(order.map((i) => a.fpr[i]!), order.map((i) => a.tpr[i]!), "second");
  if (path.choices.length > 0) chart.line(path.choices.map((c) => c.test_fpr), path.choices.map((c) => c.test_tpr), "hull");
  const mark = chart.marker("circle", "selected");
  chart.onDrag((at) => choose(nearest(picks, (p) => [chart.px(p.fpr) - chart.px(at.x), chart.py(p.tpr) - chart.py(at.y)])));
  chart.legend([
    ["curve", "varying intercept: one classifier, every threshold"],
    ...(order.length > 0 ? [["second", "varying asymmetry: every share of C+, own threshold"] as [string, string]] : []),
    ...(path.choices.length > 0 ? [["hull", "varying both: the envelope of the validation rows, measured here"] as [string, string]] : []),
    ["marker selected", "selected"],
  ]);
  return { chart, show: (p) => mark.move(p.fpr, p.tpr) };
}

async function copy(text: string, node: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const range = document.createRange();
    range.selectNodeContents(node);
    getSelection()?.removeAllRanges();
    getSelection()?.addRange(range);
    return document.execCommand("copy");
  }
}

export function showPath(e: Explorer): void {
  const box = byId("path");
  clear(box);
  const path = e.report.path;
  const picks = path ? picksOf(path) : [];
  box.hidden = picks.length === 0;
  if (!path || picks.length === 0) return;
  const slider = h("input", { type: "range", min: 0, max: picks.length - 1, step: 1, id: "pick" });
  const about = h("p", { id: "pick-text", "aria-live": "polite" });
  const command = h("code", { id: "pick-command" });
  const button = h("button", { type: "button", id: "pick-copy" }, "Copy the command");
  const done = h("span", { role: "status", class: "sub" });
  let views: { show(p: Pick): void }[] = [];
  const choose = (i: number) => {
    const p = picks[i]!;
    slider.value = String(i);
    slider.setAttribute("aria-valuetext", `${p.what}, FPR ${percent(p.fpr)}, TPR ${percent(p.tpr)}`);
    setText(about, `C+ = ${number(p.cPlus)}, C− = ${number(p.cMinus)}: ${p.what}. On the test rows FPR ${percent(p.fpr)}, TPR ${percent(p.tpr)}.`);
    setText(command, p.command ?? "No command takes this classifier: another choice is at least as good for all costs and bounds.");
    button.disabled = p.command === null;
    setText(done, "");
    views.forEach((v) => v.show(p));
  };
  const plane = planeChart(path, picks, choose), curves = curvesChart(e, path, picks, choose);
  views = [plane, curves];
  slider.addEventListener("input", () => choose(Number(slider.value)));
  button.addEventListener("click", () => {
    void copy(command.textContent ?? "", command).then((good) => setText(done, good ? " Copied." : " Select the command and copy it."));
  });
  add(box, [
    h("h2", {}, "All costs and thresholds"),
    h("p", {}, "Every pair of costs gives a classifier, and every classifier every threshold. The envelope was chosen on validation rows; its rates here are those of the test rows, ",
      "which chose nothing. Click or drag in either chart, or use the slider, to pick a classifier."),
    h("div", { class: "columns" }, plane.chart.figure, curves.chart.figure),
    h("div", { class: "field" }, h("label", { for: "pick" }, "Classifier"), slider),
    about,
    h("p", {}, command, " ", button, done),
    h("p", { class: "note" }, "A classifier that is chosen by its rates on these test rows needs new rows before a rate is claimed for it. The sections below are about the cheapest classifier of the path."),
  ]);
  const c = path.chosen;
  choose(nearest(picks, (p) => [Math.log(p.cPlus / c[0]), Math.log(p.cMinus / c[1])]));
}
