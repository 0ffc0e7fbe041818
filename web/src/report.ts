// What the program writes into the page (cli/cmd_report.c).

export interface Claim {
  rate: "fpr" | "fnr";
  max_rate: number;
  confidence: number | null; // null: the bound is not certified
  calibration_rows: number | null;
}

export interface GroupRate {
  value: number | null;
  low: number | null;
  high: number | null;
}

export interface Feature {
  name: string;
  weight?: number;
  importance?: number;
  deviation?: number;
}

export interface RowNote {
  row: number;
  id: string | null;
  label: string;
  score: number;
  decision: string;
}

export interface PathChoice {
  c_plus: number;
  c_minus: number;
  threshold: number | null; // null: infinite
  fpr: number;
  tpr: number;
  test_fpr: number;
  test_tpr: number;
  command: string | null;
}

export interface PathReport {
  file: string; // as a word of a shell
  chosen: [number, number]; // C+ and C- of the classifier that the rest of the page is about
  choices: PathChoice[];
  lines: { from: [number, number]; to: [number, number]; breakpoints: number }[];
  asymmetry: { fpr: number[]; tpr: number[]; c_plus: number[]; c_minus: number[] };
}

export interface Report {
  format: number;
  version: string;
  source: "scores" | "model" | "path" | "empty";
  rows?: {
    file: string;
    n: number;
    n_pos: number;
    n_neg: number;
    positive: string | null;
    negative: string | null;
    rates_on: string | null; // null: rows that had no part in training, as far as is known
    unit: "row" | "group";
    n_groups: number | null;
  };
  threshold?: { low: number; high: number; center: number; origin: "model" | "option" };
  claims?: Claim[];
  guarantee?: string | null;
  costs?: { fn: number; fp: number; reject_fn: number; reject_fp: number };
  prevalence?: number | null;
  discoveries?: { q: number[]; accepted: number[]; fdr_estimate: string; fdr_control: string; fdr_reason: string };
  warnings?: string[];
  group_rates?: Record<string, GroupRate>;
  model?: Record<string, unknown>;
  features?: { kind: "weight" | "permutation"; unit: string; list: Feature[] };
  near?: RowNote[];
  worst?: RowNote[];
  path?: PathReport;
  provenance?: { name: string; value: string }[];
}
