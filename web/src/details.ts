// The model, groups, rows and provenance: what the program says about them.

import { add, byId, clear, h, named, setText, term } from "./dom";
import type { Explorer } from "./explorer";
import { exact, number, percent } from "./format";
import type { Feature, Report, RowNote } from "./report";

const NAMES: Record<string, string> = {
  goal: "Goal", method: "Method", family: "Family", kernel: "Kernel", gamma: "gamma", degree: "Degree", coef0: "coef0",
  cols: "Features", scaling: "Scaling", support_vectors: "Support vectors", intercept: "Intercept", n: "Training rows",
  n_pos: "Positive training rows", n_neg: "Negative training rows", c: "C", max_fpr: "Bound on the FPR", max_fnr: "Bound on the FNR",
  max_fdr: "Bound on the FDR", confidence: "Confidence", converged: "Converged", seed: "Seed", threshold: "Threshold",
  threshold_low: "Lower threshold", positive: "Positive class", negative: "Negative class", cost_fn: "Cost of a false negative", cost_fp: "Cost of a false positive",
};

const MEANINGS: Record<string, string> = {
  method: "The training algorithm", family: "The form of the score function", kernel: "How similar two cases are; the score is a weighted sum of similarities to the support vectors",
  gamma: "How quickly the similarity of two cases falls with their distance", degree: "Degree of the polynomial", coef0: "Constant term of the kernel",
  scaling: "What is done to each feature before it is used; standard: mean 0 and standard deviation 1 on the training rows",
  support_vectors: "Training rows that the score function is made of", intercept: "Constant term of the score", c: "Penalty on training errors: larger fits the training rows more closely",
  converged: "Whether training reached its tolerance", seed: "Where the random numbers of training begin", threshold: "A case whose score is at least this is called positive",
  max_fdr: "Largest share of false ones among the accepted",
};

const RATES: Record<string, string> = {
  fpr: "False-positive rate (FPR)", fnr: "Miss rate (FNR)", tpr: "Detection rate (TPR)", reject_rate: "Left undecided",
};

const GOALS: Record<string, string> = {
  np: "bounded error rate (Neyman-Pearson)", cost: "least cost", reject: "least cost with rejection", fdr: "bounded false-discovery rate",
  bounded: "both error rates bounded",
};

function text(key: string, value: unknown): string {
  if (key === "goal" && typeof value === "string") return GOALS[value] ?? value;
  if (typeof value === "number") return number(value, 6);
  return value === true ? "yes" : value === false ? "no" : value === null ? "–" : String(value);
}

function label(key: string): HTMLElement | string {
  const name = NAMES[key] ?? key.replaceAll("_", " ");
  return key in MEANINGS ? term(name, MEANINGS[key]!) : name;
}

function definitions(object: Record<string, unknown>): HTMLElement {
  const list = h("dl", { class: "facts" });
  for (const [key, value] of Object.entries(object)) {
    if (value !== null && typeof value === "object") continue;
    add(list, [h("dt", {}, label(key)), h("dd", {}, named(text(key, value), 80))]);
  }
  return list;
}

// Bars with numbers; the sign is written, not only drawn.
function features(f: NonNullable<Report["features"]>): HTMLElement {
  const value = (x: Feature) => (f.kind === "weight" ? x.weight ?? 0 : x.importance ?? 0);
  const most = Math.max(...f.list.map((x) => Math.abs(value(x))), 1e-300);
  const rows = f.list.map((x) => {
    const v = value(x), width = Math.round((100 * Math.abs(v)) / most);
    return h("tr", {}, h("th", { scope: "row" }, named(x.name, 40)),
      h("td", { class: "value" }, (v > 0 ? "+" : "") + number(v, 3) + (x.deviation !== undefined ? ` ± ${number(x.deviation, 2)}` : "")),
      h("td", { class: "bar-cell" }, h("span", { class: `weight ${v < 0 ? "minus" : "plus"}`, style: `width:${width}%` })));
  });
  return h("table", { class: "features" },
    h("caption", {}, f.kind === "weight" ? `The most important features: weights (${f.unit})` : `The most important features: permutation importance (${f.unit})`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Feature"), h("th", { scope: "col", class: "value" }, f.kind === "weight" ? "Weight" : "Importance"), h("th", { scope: "col" }, h("span", { class: "sr" }, "Size")))),
    h("tbody", {}, ...rows));
}

export function showModel(e: Explorer): void {
  const box = byId("model");
  clear(box);
  const { model, features: f, guarantee, group_rates: groups } = e.report;
  box.hidden = !model && !groups;
  if (model) {
    const summary = (model.summary ?? {}) as Record<string, unknown>;
    const certificate = model.certificate as Record<string, unknown> | undefined;
    add(box, [
      h("h2", {}, "The model"),
      guarantee ? h("p", { class: "guarantee" }, guarantee) : null,
      h("div", { class: "columns" },
        h("div", {}, definitions({ ...pick(summary, ["goal", "method", "max_fpr", "max_fnr", "max_fdr", "n", "n_pos", "n_neg", "c", "converged", "seed"]), ...flat(model) }),
          certificate ? h("details", {}, h("summary", {}, "Certificate"), definitions(certificate)) : null,
          h("details", {}, h("summary", {}, "All figures of training"), definitions(summary))),
        f && f.list.length > 0 ? features(f) : h("p", {}, "No importance of features was computed. Add --importance to the command for permutation importance.")),
    ]);
  }
  if (groups) {
    add(box, [h("h3", {}, "Rates over groups"),
      h("p", {}, "Rows of one group depend on each other. Each rate is the mean over groups of the rate within a group, at the fixed threshold, with a 95 % interval for independent groups."),
      h("table", { id: "groups" }, h("thead", {}, h("tr", {}, ...["Rate", "Mean over groups", "95 % interval"].map((t, i) => h("th", { scope: "col", class: i === 1 ? "value" : undefined }, t)))),
        h("tbody", {}, ...Object.entries(groups).map(([name, r]) => h("tr", {}, h("th", { scope: "row" }, RATES[name] ?? name.replaceAll("_", " ")),
          h("td", { class: "value" }, r.value === null ? "–" : percent(r.value)),
          h("td", { class: "range" }, r.low === null || r.high === null ? "–" : `${percent(r.low)} to ${percent(r.high)}`)))))]);
  }
}

function pick(object: Record<string, unknown>, keys: string[]): Record<string, unknown> {
  return Object.fromEntries(keys.filter((k) => k in object).map((k) => [k, object[k]]));
}

function flat(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, v]) => v === null || typeof v !== "object"));
}

function rowTable(caption: string, list: RowNote[]): HTMLElement {
  const hasIds = list.some((r) => r.id !== null);
  const columns = ["Row", ...(hasIds ? ["Id"] : []), "Label", "Decision", "Score"];
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption },
    h("table", {}, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...columns.map((t) => h("th", { scope: "col", class: t === "Score" ? "value" : undefined }, t)))),
      h("tbody", {}, ...list.map((r) => h("tr", {}, h("td", {}, r.row), hasIds ? h("td", {}, r.id === null ? "–" : named(r.id)) : null,
        h("td", {}, named(r.label)), h("td", {}, named(r.decision)), h("td", { class: "value", title: exact(r.score) }, number(r.score, 6)))))));
}

export function showRows(e: Explorer): void {
  const box = byId("rows");
  clear(box);
  const { near = [], worst = [] } = e.report;
  box.hidden = near.length + worst.length === 0;
  if (box.hidden) return;
  add(box, [
    h("h2", {}, "Rows to look at"),
    h("p", {}, "Rows nearest to the fixed threshold, and the errors farthest from it. The option ", h("code", {}, "--no-rows"), " leaves them out of a page that you pass on."),
    h("div", { class: "columns" },
      near.length > 0 ? rowTable("Nearest to the threshold", near) : null,
      worst.length > 0 ? rowTable("Largest errors", worst) : null),
  ]);
}

export function showProvenance(e: Explorer): void {
  const box = byId("provenance");
  clear(box);
  const list = e.report.provenance ?? [];
  box.hidden = list.length === 0;
  if (box.hidden) return;
  add(box, [h("h2", {}, "Where this comes from"),
    h("dl", { class: "facts" }, ...list.flatMap(({ name, value }) => [h("dt", {}, name), h("dd", {}, named(value, 100))]))]);
}

export function announce(message: string): void {
  setText(byId("status"), message);
}
