// The library's C code, compiled to WebAssembly: every count, interval, curve and certificate of the
// page is computed by it (web/wasm/page.c).

type Pointer = number;

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  page_out(): Pointer;
  page_error(): Pointer;
  page_alloc(bytes: number): Pointer;
  page_free(block: Pointer): void;
  page_load_packed(bytes: Pointer, length: number): number;
  page_load_rows(score: Pointer, label: Pointer, n: number): number;
  page_sizes(): void;
  page_thresholds(): Pointer;
  page_counts(tp: Pointer, fp: Pointer): void;
  page_find(threshold: number): number;
  page_find_errors(positives: number, errors: number): number;
  page_rates(high: number, low: number, kind: number, confidence: number): void;
  page_at_prevalence(
    high: number, low: number, kind: number, confidence: number, prevalence: number,
    costFn: number, costFp: number, rejectFn: number, rejectFp: number,
  ): void;
  page_interval(hits: number, n: number, confidence: number): void;
  page_verdict(hits: number, n: number, maxRate: number, confidence: number): number;
  page_auc(confidence: number): void;
  page_probit(p: number): number;
  page_hull(point: Pointer): number;
  page_cost_curve(share: Pointer, cost: Pointer, point: Pointer): number;
  page_error_reject(
    low: number, center: number, high: number, distance: Pointer, covered: Pointer, errors: Pointer,
  ): number;
  page_certify(positives: number, maxRate: number, delta: number): number;
  page_delta(confidence: number): number;
  page_plan(n: number, maxRate: number, delta: number, power: number): void;
}

export interface Range {
  value: number;
  low: number;
  high: number;
}

export interface Rates {
  fpr: Range;
  fnr: Range;
  rejectNeg: Range;
  rejectPos: Range;
  tpr: Range;
}

export interface Costs {
  fn: number;
  fp: number;
  rejectFn: number;
  rejectFp: number;
}

export interface Certificate {
  good: boolean;
  message: string;
  threshold: number;
  rank: number;
  n: number;
  misclassified: number;
  bound: number;
  needed: number;
  tightest: number;
  allowed: number;
  tp: number;
  fp: number;
}

// How intervals are made; the numbers are those of page.c.
export const EXACT_EACH = 0; // for a threshold fixed before, each rate by itself
export const EXACT_JOINT = 1; // the same, all rates at once
export const SIMULTANEOUS = 2; // all thresholds and all rates at once

export type Verdict = "confirmed" | "open" | "refuted";
const VERDICTS: Verdict[] = ["confirmed", "open", "refuted"];

// What the C library's start-up code may call; none of it does anything here.
const NOTHING = { wasi_snapshot_preview1: new Proxy({}, { get: () => () => 0 }) };

export class Engine {
  n = 0;
  nPos = 0;
  nNeg = 0;
  nPoints = 0;
  nDistinct = 0;
  gap = 0; // largest change of a rate from a kept threshold to one left out; 0: all are kept
  threshold: Float64Array = new Float64Array(0);
  tp: Float64Array = new Float64Array(0);
  fp: Float64Array = new Float64Array(0);

  private constructor(private readonly c: Exports) {}

  static async start(wasm: Uint8Array): Promise<Engine> {
    const { instance } = await WebAssembly.instantiate(wasm as BufferSource, NOTHING as WebAssembly.Imports);
    const c = instance.exports as unknown as Exports;
    c._initialize();
    return new Engine(c);
  }

  private out(i: number): number {
    return new Float64Array(this.c.memory.buffer, this.c.page_out(), 64)[i] as number;
  }

  private range(at: number): Range {
    return { value: this.out(at), low: this.out(at + 1), high: this.out(at + 2) };
  }

  private error(): string {
    const bytes = new Uint8Array(this.c.memory.buffer, this.c.page_error());
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  // Room in the module's memory for the time of a call.
  private withRoom<T>(sizes: number[], use: (at: Pointer[]) => T): T {
    const at = sizes.map((bytes) => this.c.page_alloc(Math.max(bytes, 8)));
    try {
      if (at.some((p) => p === 0)) throw new Error("no memory for so many rows");
      return use(at);
    } finally {
      at.forEach((p) => this.c.page_free(p));
    }
  }

  private copy(at: Pointer, n: number): Float64Array {
    return new Float64Array(this.c.memory.buffer, at, n).slice();
  }

  private took(good: number): void {
    if (!good) throw new Error(this.error());
    this.c.page_sizes();
    this.nPoints = this.out(0);
    this.nPos = this.out(1);
    this.nNeg = this.out(2);
    this.nDistinct = this.out(3);
    this.gap = this.out(4);
    this.n = this.nPos + this.nNeg;
    this.withRoom([8 * this.nPoints, 8 * this.nPoints], ([tp, fp]) => {
      this.c.page_counts(tp!, fp!);
      this.tp = this.copy(tp!, this.nPoints);
      this.fp = this.copy(fp!, this.nPoints);
    });
    this.threshold = this.copy(this.c.page_thresholds(), this.nPoints);
  }

  loadPacked(bytes: Uint8Array): void {
    this.withRoom([bytes.length], ([at]) => {
      new Uint8Array(this.c.memory.buffer, at!, bytes.length).set(bytes);
      this.took(this.c.page_load_packed(at!, bytes.length));
    });
  }

  loadRows(score: Float64Array, label: Int8Array): void {
    this.withRoom([8 * score.length, score.length], ([s, l]) => {
      new Float64Array(this.c.memory.buffer, s!, score.length).set(score);
      new Int8Array(this.c.memory.buffer, l!, label.length).set(label);
      this.took(this.c.page_load_rows(s!, l!, score.length));
    });
  }

  // The point of the curve that decides as a threshold does.
  find(threshold: number): number {
    return this.c.page_find(threshold);
  }

  // The last point with at most so many false positives; the first with at most so many misses.
  findErrors(positives: boolean, errors: number): number {
    return this.c.page_find_errors(positives ? 1 : 0, errors);
  }

  rates(high: number, low: number, kind: number, confidence: number): Rates {
    this.c.page_rates(high, low, kind, confidence);
    return {
      fpr: this.range(0), fnr: this.range(3), rejectNeg: this.range(6), rejectPos: this.range(9),
      tpr: this.range(12),
    };
  }

  atPrevalence(
    high: number, low: number, kind: number, confidence: number, prevalence: number, costs: Costs,
  ): { precision: Range; cost: Range } {
    this.c.page_at_prevalence(
      high, low, kind, confidence, prevalence, costs.fn, costs.fp, costs.rejectFn, costs.rejectFp,
    );
    return { precision: this.range(0), cost: this.range(3) };
  }

  interval(hits: number, n: number, confidence: number): Range {
    this.c.page_interval(hits, n, confidence);
    return this.range(0);
  }

  verdict(hits: number, n: number, maxRate: number, confidence: number): Verdict {
    return VERDICTS[this.c.page_verdict(hits, n, maxRate, confidence)] ?? "open";
  }

  auc(confidence: number): Range & { error: number } {
    this.c.page_auc(confidence);
    return { value: this.out(0), error: this.out(1), low: this.out(2), high: this.out(3) };
  }

  probit(p: number): number {
    return this.c.page_probit(p);
  }

  hull(): Float64Array {
    return this.withRoom([8 * this.nPoints], ([at]) => this.copy(at!, this.c.page_hull(at!)));
  }

  costCurve(): { share: Float64Array; cost: Float64Array; point: Float64Array } {
    const bytes = 8 * (this.nPoints + 1);
    return this.withRoom([bytes, bytes, bytes], ([s, c, p]) => {
      const n = this.c.page_cost_curve(s!, c!, p!);
      return { share: this.copy(s!, n), cost: this.copy(c!, n), point: this.copy(p!, n) };
    });
  }

  errorReject(
    low: number, center: number, high: number,
  ): { distance: Float64Array; covered: Float64Array; errors: Float64Array } {
    const bytes = 8 * (this.n + 1);
    return this.withRoom([bytes, bytes, bytes], ([d, c, e]) => {
      const n = this.c.page_error_reject(low, center, high, d!, c!, e!);
      if (n < 0) throw new Error(this.error());
      return { distance: this.copy(d!, n), covered: this.copy(c!, n), errors: this.copy(e!, n) };
    });
  }

  certify(positives: boolean, maxRate: number, confidence: number): Certificate {
    const good = this.c.page_certify(positives ? 1 : 0, maxRate, this.c.page_delta(confidence)) !== 0;
    const o = (i: number) => this.out(i);
    return {
      good, message: good ? "" : this.error(), threshold: o(0), rank: o(1), n: o(2),
      misclassified: o(3), bound: o(4), needed: o(5), tightest: o(6), allowed: o(7),
      tp: good ? o(8) : NaN, fp: good ? o(9) : NaN,
    };
  }

  plan(n: number, maxRate: number, confidence: number, power: number): { rank: number; rate: number; power: number } {
    this.c.page_plan(n, maxRate, this.c.page_delta(confidence), power);
    return { rank: this.out(0), rate: this.out(1), power: this.out(2) };
  }
}
