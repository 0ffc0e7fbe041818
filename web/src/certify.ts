// What would it take: a bound and a confidence; whether these rows certify it, and how many would.

import { add, byId, clear, field, h, named } from "./dom";
import { SIMULTANEOUS } from "./engine";
import { CONFIDENCE, Explorer } from "./explorer";
import { count, exact, number, parse, percent, percentRange } from "./format";

const GROWTH = [1, 2, 5, 10, 100];

export function showCertify(e: Explorer): void {
  const box = byId("certify");
  clear(box);
  box.hidden = e.engine.n === 0;
  if (e.engine.n === 0) return;
  const claim = e.report.claims?.[0];
  const rate = h("select", { id: "certify-rate" },
    h("option", { value: "fpr" }, "false-positive rate (FPR)"), h("option", { value: "fnr" }, "miss rate (FNR)"));
  rate.value = claim?.rate ?? "fpr";
  const bound = h("input", { type: "text", inputmode: "decimal", id: "certify-bound" });
  const confidence = h("input", { type: "text", inputmode: "decimal", id: "certify-confidence" });
  bound.value = String(claim ? Number((100 * claim.max_rate).toPrecision(12)) : 5);
  confidence.value = "95";
  const result = h("div", { id: "certify-result", "aria-live": "polite" });
  const show = () => {
    const a = parse(bound.value) / 100, p = parse(confidence.value) / 100;
    const goodA = a > 0 && a < 1, goodP = p >= 0.5 && p < 1;
    bound.setAttribute("aria-invalid", String(!goodA));
    confidence.setAttribute("aria-invalid", String(!goodP));
    clear(result);
    if (!goodA || !goodP) {
      add(result, [h("p", { class: "problem" }, !goodA
        ? "The bound must be above 0 % and below 100 %."
        : "The confidence must be at least 50 % and below 100 %.")]);
      return;
    }
    answer(e, result, rate.value === "fnr", a, Number(p.toPrecision(12)));
  };
  for (const input of [rate, bound, confidence]) input.addEventListener("input", show);
  add(box, [
    h("h2", {}, "What would it take?"),
    h("p", {}, "Choose a bound and a confidence. The page computes the threshold that these rows certify, if they do, and how many rows it takes."),
    h("div", { class: "controls" }, field("Bound the", rate), field("to at most", bound, "%"), field("with confidence", confidence, "%")),
    result,
    h("p", { class: "note" }, "A certificate holds for a bound, a confidence and a score function that were fixed before these rows were seen, and for ",
      "one certificate. A bound that is chosen after looking at this page needs new rows."),
  ]);
  show();
}

function answer(e: Explorer, result: HTMLElement, positives: boolean, maxRate: number, confidence: number): void {
  const c = e.engine.certify(positives, maxRate, confidence);
  const of = positives ? "positive" : "negative";
  if (e.isGrouped) {
    add(result, [h("p", { class: "answer no" }, "Rows come in groups. Use ",
      h("code", {}, `neyman certify SCORES --max-${positives ? "fnr" : "fpr"} ${maxRate} --confidence ${confidence} --group COLUMN`),
      ", which counts groups.")]);
    return;
  }
  const unusable = e.isNew ? null
    : `These rows are ${e.report.rows?.rates_on}: nothing can be certified from them. With as many new rows:`;
  if (!c.good) {
    add(result, [
      h("p", { class: "answer no", id: "certify-answer", "data-good": "false" },
        h("strong", {}, "Not certifiable. "),
        c.allowed < 0
          ? `At least ${count(c.needed)} ${of} rows are needed; there are ${count(c.n)}. The tightest bound that ${count(c.n)} rows can certify is ${percent(c.tightest)}.`
          : c.message),
    ]);
    return;
  }
  const point = e.engine.find(c.threshold);
  const rates = e.engine.rates(point, point, SIMULTANEOUS, CONFIDENCE);
  const other = positives ? rates.fpr : rates.fnr;
  const jump = h("button", { type: "button", id: "certify-show" }, "Show this point above");
  jump.addEventListener("click", () => e.selectBand(point, point));
  add(result, [
    unusable ? h("p", { class: "problem" }, unusable) : null,
    h("p", { class: `answer ${unusable ? "no" : "yes"}`, id: "certify-answer", "data-good": unusable ? "false" : "true" },
      h("strong", {}, unusable ? "For example. " : "Certifiable. "),
      "Call a case “", named(e.positive), "” from the score ", h("code", { id: "certify-threshold" }, exact(c.threshold)),
      ` on: ${count(c.misclassified)} of ${count(c.n)} ${of} rows are on the wrong side, ${count(c.allowed)} are allowed. ` +
      `With as many on the wrong side, ${unusable ? "new rows would" : "these rows"} certify a bound of ${percent(c.bound, 4)}. The price: ${percent(other.value)} of ` +
      (positives ? "negatives are flagged" : "positives are missed") + (unusable ? " (optimistic)." : ` (simultaneous 95 % band: ${percentRange(other)}).`)),
    h("p", {}, `At least ${count(c.needed)} ${of} rows are needed for this bound; the tightest bound that ${count(c.n)} rows can certify is ${percent(c.tightest)}. `, jump),
    planTable(e, positives, maxRate, confidence),
  ]);
}

// What more rows would buy: the certified threshold comes closer to the bound.
function planTable(e: Explorer, positives: boolean, maxRate: number, confidence: number): HTMLElement {
  const { nPos, nNeg, tp, fp } = e.engine;
  const n = positives ? nPos : nNeg;
  const k = e.engine.findErrors(positives, maxRate * n + 1e-9);
  const power = positives ? (nNeg - fp[k]!) / nNeg : tp[k]! / nPos;
  const usable = power > maxRate && power < 1;
  const rows = GROWTH.map((times) => {
    const p = e.engine.plan(times * n, maxRate, confidence, usable ? power : 0.5 + maxRate / 2);
    return h("tr", {}, h("td", {}, count(times * n)), h("td", {}, p.rank > 0 ? percent(p.rate) : "too few"),
      h("td", {}, p.rank > 0 && usable ? percent(p.power) : "–"));
  });
  return h("details", {}, h("summary", {}, "What more rows would buy"),
    h("table", { class: "plan" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${positives ? "Positive" : "Negative"} rows`),
        h("th", { scope: "col" }, "Expected rate at the certified threshold"),
        h("th", { scope: "col" }, positives ? "Expected share of negatives kept (estimate)" : "Expected detection (estimate)"))),
      h("tbody", {}, ...rows)),
    h("p", { class: "note" }, "The rate is exact for scores without ties. Detection assumes normal scores of equal variance and a detection of ",
      usable ? percent(power) : "–", ` at a rate of exactly ${number(100 * maxRate, 4)} %, as on these rows.`));
}
