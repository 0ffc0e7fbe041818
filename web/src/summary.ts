// What the model promises, and whether these rows agree: the first lines of the page.

import { add, byId, clear, h, named } from "./dom";
import type { Verdict } from "./engine";
import { CONFIDENCE, Explorer } from "./explorer";
import { baseName, count, number, percent, percentRange } from "./format";
import type { Claim } from "./report";

const MARK: Record<string, string> = { confirmed: "✓", open: "?", refuted: "✗", none: "i" };
const WORD: Record<string, string> = {
  confirmed: "Confirmed", open: "Undecided", refuted: "Refuted", none: "No verdict",
};

function errorsOf(e: Explorer, claim: Claim): { hits: number; n: number } {
  const at = e.own ?? { high: e.high, low: e.low };
  return claim.rate === "fpr"
    ? { hits: e.engine.fp[at.high]!, n: e.engine.nNeg }
    : { hits: e.engine.nPos - e.engine.tp[at.low]!, n: e.engine.nPos };
}

// The held-out groups that certify a bound; 0: rows do.
function groupsOf(e: Explorer, claim: Claim): number {
  const certificate = e.report.model?.certificate as Record<string, unknown> | undefined;
  return claim.confidence === null ? 0 : Number(certificate?.[`${claim.rate}_n_groups`] ?? 0);
}

function verdictOf(e: Explorer, claim: Claim): Verdict | "none" {
  if (!e.isNew || (groupsOf(e, claim) > 0 && !e.isGrouped)) return "none";
  if (e.isGrouped) {
    const r = e.report.group_rates?.[claim.rate];
    if (!r || r.low === null || r.high === null) return "none";
    return r.high <= claim.max_rate ? "confirmed" : r.low <= claim.max_rate ? "open" : "refuted";
  }
  const { hits, n } = errorsOf(e, claim);
  return e.engine.verdict(hits, n, claim.max_rate, CONFIDENCE);
}

function promise(e: Explorer, claim: Claim): Node[] {
  const of = claim.rate === "fpr" ? e.negative : e.positive;
  const groups = groupsOf(e, claim);
  const what = (groups > 0 ? "of a new group " : "") + (claim.rate === "fpr" ? "are flagged as " : "are missed: classified as ");
  const other = claim.rate === "fpr" ? e.positive : e.negative;
  const tail = claim.confidence === null
    ? ". This bound is not certified."
    : `${groups > 0 ? ", on average over groups" : ""}, with ${percent(claim.confidence)} confidence` +
      (claim.calibration_rows ? `, certified on ${count(claim.calibration_rows)} rows${groups > 0 ? ` of ${count(groups)} groups` : ""} that were held out of training.` : ".");
  return [
    document.createTextNode(`At most ${percent(claim.max_rate)} of “`), named(of),
    document.createTextNode(`” ${what}“`), named(other), document.createTextNode(`”${tail}`),
  ];
}

function evidence(e: Explorer, claim: Claim, verdict: Verdict | "none"): string {
  if (!e.isNew) {
    return `No verdict: the rows are ${e.report.rows?.rates_on}, so that their rates are optimistic.`;
  }
  if (groupsOf(e, claim) > 0 && !e.isGrouped) {
    return "No verdict: the bound is about groups, and these rows came without. Name their column with --group.";
  }
  if (e.isGrouped) {
    const r = e.report.group_rates?.[claim.rate];
    if (!r || r.value === null || r.low === null || r.high === null) return "No verdict: there is no rate to compare with.";
    return `On average over ${count(e.report.rows?.n_groups ?? 0)} groups the rate is ${percent(r.value)} ` +
      `(95 % interval ${percent(r.low)} to ${percent(r.high)}). ${explain(verdict)}`;
  }
  const { hits, n } = errorsOf(e, claim);
  const r = e.engine.interval(hits, n, CONFIDENCE);
  return `On the test rows: ${count(hits)} of ${count(n)}, ${percent(r.value)} (95 % interval ${percentRange(r)}). ${explain(verdict)}`;
}

function explain(verdict: Verdict | "none"): string {
  switch (verdict) {
    case "confirmed": return "The whole interval is within the bound.";
    case "refuted": return "The whole interval is beyond the bound: do not rely on it for data like these.";
    case "open": return "The bound lies inside the interval: these rows neither confirm nor refute it.";
    default: return "";
  }
}

// The box of a page without a bound on an error rate: nothing was stated, or a bound on the false-discovery rate.
function noClaim(e: Explorer): HTMLElement[] {
  const { discoveries: d, model } = e.report;
  const bound = Number((model?.summary as Record<string, unknown> | undefined)?.max_fdr ?? NaN);
  if (!d || Number.isNaN(bound)) {
    return [h("p", { class: "word" }, "No bound was stated"),
      h("p", { class: "evidence" }, "The page shows what these scores can do. Choose an operating point, or a bound to certify, below.")];
  }
  const proved = d.fdr_control === "theorem";
  return [h("p", { class: "word" }, `False-discovery rate: ${proved ? "controlled" : "estimated"}`),
    h("p", { class: "promise" }, "The goal: of the accepted “", named(e.positive), `”, at most ${percent(bound)} are false on average.`),
    h("p", { class: "evidence" }, `${proved ? "Theorem" : "An estimate, not a guarantee"}: ${d.fdr_reason}. ` +
      "The labels say target or decoy, not true or false: these rows neither confirm nor refute the goal. The q-values stand under “Other curves”.")];
}

// Targets and decoys that the fixed threshold accepts: a target that it leaves out may be a false one, no miss.
function accepted(e: Explorer): string {
  const { engine } = e, at = e.own!.high;
  return `${count(engine.tp[at]!)} of ${count(engine.nPos)} targets and ${count(engine.fp[at]!)} of ${count(engine.nNeg)} decoys ` +
    "score at or above the fixed threshold. This counts all rows, without competition.";
}

// What the fixed threshold costs: the rates that no bound speaks of.
function price(e: Explorer, claims: Claim[]): Node[] {
  const { engine } = e, at = e.own!;
  const part = (rate: "fpr" | "fnr"): Node[] => {
    const hits = rate === "fpr" ? engine.fp[at.high]! : engine.nPos - engine.tp[at.low]!;
    const r = engine.interval(hits, rate === "fpr" ? engine.nNeg : engine.nPos, CONFIDENCE);
    const range = e.isNew && !e.isGrouped ? ` (95 % interval ${percentRange(r)})` : "";
    return [
      document.createTextNode(`${percent(r.value)} of “`), named(rate === "fpr" ? e.negative : e.positive),
      document.createTextNode(`” ${rate === "fpr" ? "are flagged" : "are missed"}${range}. `),
    ];
  };
  const open = (["fnr", "fpr"] as const).filter((rate) => !claims.some((c) => c.rate === rate));
  const rejected = engine.tp[at.low]! - engine.tp[at.high]! + engine.fp[at.low]! - engine.fp[at.high]!;
  return [
    document.createTextNode(claims.length > 0 ? "The price on these rows: " : "At the fixed threshold: "),
    ...open.flatMap(part),
    ...(at.low > at.high ? [document.createTextNode(`${percent(rejected / engine.n)} of all rows are left undecided.`)] : []),
  ];
}

export function showSummary(e: Explorer): void {
  const box = byId("summary");
  clear(box);
  const { rows, claims = [], warnings = [] } = e.report;
  const verdicts = claims.map((c) => verdictOf(e, c));
  const worst = (["refuted", "none", "open", "confirmed"] as const).find((v) => verdicts.includes(v)) ?? "none";
  const list = claims.map((claim, i) => h("div", { class: "claim" },
    h("p", { class: "promise" }, ...promise(e, claim)),
    h("p", { class: "evidence" }, evidence(e, claim, verdicts[i]!))));
  if (claims.length > 0) {
    add(box, [h("div", { class: `verdict ${worst}`, id: "verdict", "data-verdict": worst },
      h("span", { class: "mark", "aria-hidden": "true" }, MARK[worst]),
      h("div", {}, h("p", { class: "word" }, WORD[worst]), ...list))]);
  } else if (e.engine.n > 0) {
    add(box, [h("div", { class: "verdict none", id: "verdict", "data-verdict": "none" },
      h("span", { class: "mark", "aria-hidden": "true" }, MARK.none),
      h("div", {}, ...noClaim(e)))]);
  }
  if (rows && e.hasBothClasses) {
    const auc = e.engine.auc(CONFIDENCE);
    const area = `Area under the ROC curve: ${number(auc.value)}` +
      (e.isNew && !e.isGrouped && !Number.isNaN(auc.error) ? ` (approximate 95 % interval ${number(auc.low)} to ${number(auc.high)})` : "") + ".";
    add(box, [
      e.own && (claims.length < 2 || e.own.low > e.own.high) ? h("p", { class: "price" }, ...(e.report.discoveries && claims.length === 0 ? [accepted(e)] : price(e, claims))) : null,
      h("p", { class: "based" }, `Based on ${count(rows.n)} rows of `, named(baseName(rows.file), 60), `: ${count(rows.n_pos)} “`,
        named(e.positive), `” (positive), ${count(rows.n_neg)} “`, named(e.negative), `” (negative). ${area}`),
    ]);
  }
  for (const warning of warnings) {
    add(box, [h("p", { class: "warning" }, h("strong", {}, "Warning: "), warning)]);
  }
}
