// The operating point that the reader looks at, and who wants to know when it moves.

import { Costs, Engine, EXACT_EACH, EXACT_JOINT, Range, Rates, SIMULTANEOUS } from "./engine";
import type { Report } from "./report";

export const CONFIDENCE = 0.95;

export class Explorer {
  high = 0; // point of the threshold for "positive"
  low = 0; // point of the threshold for "negative"; the same: no row is rejected
  prevalence = 0.5;
  costs: Costs = { fn: 1, fp: 1, rejectFn: 0.1, rejectFp: 0.1 };
  own: { high: number; low: number } | null = null; // points of the thresholds fixed before
  readonly positive: string;
  readonly negative: string;
  private readonly listeners: (() => void)[] = [];
  private waiting = false;

  constructor(readonly engine: Engine, readonly report: Report) {
    const rows = report.rows;
    this.positive = rows?.positive || "positive";
    this.negative = rows?.negative || "negative";
    this.prevalence = report.prevalence ?? (engine.n > 0 ? engine.nPos / engine.n : 0.5);
    if (report.costs) {
      const c = report.costs;
      this.costs = { fn: c.fn, fp: c.fp, rejectFn: c.reject_fn, rejectFp: c.reject_fp };
    }
    if (report.threshold) {
      this.own = { high: engine.find(report.threshold.high), low: engine.find(report.threshold.low) };
      this.high = this.own.high;
      this.low = this.own.low;
    } else {
      this.high = this.low = this.balanced();
    }
  }

  get hasBothClasses(): boolean {
    return this.engine.nPos > 0 && this.engine.nNeg > 0;
  }

  get rejects(): boolean {
    return this.low > this.high;
  }

  // Whether the rows are independent, so that intervals and bands hold.
  get isGrouped(): boolean {
    return this.report.rows?.unit === "group";
  }

  // Whether the rows are new to the model: else rates are optimistic and have no intervals.
  get isNew(): boolean {
    return !this.report.rows?.rates_on;
  }

  get isAtOwn(): boolean {
    return this.own !== null && this.own.high === this.high && this.own.low === this.low;
  }

  // How the intervals of the point that is looked at are made; null: there are none.
  get intervalKind(): number | null {
    if (!this.isNew || this.isGrouped) return null;
    return this.isAtOwn ? EXACT_EACH : SIMULTANEOUS;
  }

  private balanced(): number {
    let best = 0, most = -Infinity;
    const { nPoints, nPos, nNeg, tp, fp } = this.engine;
    for (let k = 0; k < nPoints; k++) {
      const gain = tp[k]! / nPos - fp[k]! / nNeg;
      if (gain > most) {
        most = gain;
        best = k;
      }
    }
    return best;
  }

  listen(listener: () => void): void {
    this.listeners.push(listener);
  }

  // Listeners run once per frame, however fast the pointer moves.
  changed(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.notify();
    });
  }

  notify(): void {
    this.listeners.forEach((listener) => listener());
  }

  private clamp(k: number): number {
    return Math.min(Math.max(Math.round(k), 0), this.engine.nPoints - 1);
  }

  // Move to a point; a rejection band keeps its lower threshold where that is possible.
  select(k: number): void {
    const wide = this.rejects;
    this.high = this.clamp(k);
    this.low = wide ? Math.max(this.low, this.high) : this.high;
    this.changed();
  }

  selectBand(high: number, low: number): void {
    this.high = this.clamp(Math.min(high, low));
    this.low = this.clamp(Math.max(high, low));
    this.changed();
  }

  backToOwn(): void {
    if (this.own) this.selectBand(this.own.high, this.own.low);
  }

  // The threshold of a point, as it is shown: the model's own where the point is the model's.
  thresholdHigh(): number {
    return this.own && this.high === this.own.high && this.report.threshold
      ? this.report.threshold.high : this.engine.threshold[this.high]!;
  }

  thresholdLow(): number {
    return this.own && this.low === this.own.low && this.report.threshold
      ? this.report.threshold.low : this.engine.threshold[this.low]!;
  }

  // Rates of the point; without an interval low and high are NaN.
  rates(): Rates {
    const kind = this.intervalKind;
    const r = this.engine.rates(this.high, this.low, kind ?? EXACT_EACH, CONFIDENCE);
    if (kind === null) {
      for (const range of Object.values(r) as Range[]) range.low = range.high = NaN;
    }
    return r;
  }

  atPrevalence(): { precision: Range; cost: Range } {
    const kind = this.intervalKind;
    const r = this.engine.atPrevalence(
      this.high, this.low, kind === SIMULTANEOUS ? SIMULTANEOUS : EXACT_JOINT, CONFIDENCE,
      this.prevalence, this.costs,
    );
    if (kind === null) r.precision.low = r.precision.high = r.cost.low = r.cost.high = NaN;
    return r;
  }
}
