// Score files in the browser: TSV or CSV whose header names `label` and `score`, or two columns
// without a header in that order. The rules are those of the program (doc/reference/formats.md).

export interface Scores {
  score: Float64Array;
  label: Int8Array;
  positive: string;
  negative: string;
}

function cells(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator);
  const out: string[] = [];
  let cell = "", quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (quoted) {
      if (c === '"' && line[i + 1] === '"') {
        cell += '"';
        i++;
      } else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === separator) {
      out.push(cell);
      cell = "";
    } else cell += c;
  }
  out.push(cell);
  return out;
}

const NUMBER = /^[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf(inity)?)$/i;

function toNumber(text: string): number {
  const t = text.trim();
  if (!NUMBER.test(t)) return NaN;
  const infinite = /^([+-]?)inf/i.exec(t);
  return infinite ? (infinite[1] === "-" ? -Infinity : Infinity) : Number(t);
}

// The program compares labels as numbers where both are, else as bytes of UTF-8.
function isLarger(a: string, b: string): boolean {
  const x = toNumber(a), y = toNumber(b);
  if (!Number.isNaN(x) && !Number.isNaN(y)) return x > y;
  const encode = (text: string) => new TextEncoder().encode(text);
  const p = encode(a), q = encode(b);
  for (let i = 0; i < p.length && i < q.length; i++) {
    if (p[i] !== q[i]) return p[i]! > q[i]!;
  }
  return p.length > q.length;
}

function isSame(a: string, b: string): boolean {
  return a === b || toNumber(a) === toNumber(b);
}

const cut = (text: string): string => `“${Array.from(text.slice(0, 80)).slice(0, 40).join("")}”`;

// Two labels at most, each by the name it has first.
class Labels {
  readonly names: string[] = [];
  private last = "";
  private lastCode = 0;

  code(name: string, line: number): number {
    if (name === this.last && name !== "") return this.lastCode;
    if (name === "") throw new Error(`line ${line}: the label is empty`);
    let at = this.names.findIndex((n) => isSame(n, name));
    if (at < 0) {
      if (this.names.length === 2) {
        throw new Error(`line ${line}: found the label ${cut(name)} after ${cut(this.names[0]!)} and ${cut(this.names[1]!)}, expected two label values`);
      }
      at = this.names.push(name) - 1;
    }
    this.last = name;
    this.lastCode = at;
    return at;
  }

  // Which of them is positive; -1: none.
  positive(wanted: string): number {
    const [a, b] = this.names;
    if (wanted !== "") {
      const at = this.names.findIndex((n) => isSame(n, wanted));
      if (at < 0) throw new Error(`no row has the label ${cut(wanted)}`);
      return at;
    }
    if (b !== undefined) return isLarger(b, a!) ? 1 : 0;
    return toNumber(a!) > 0 ? 0 : -1;
  }
}

function findColumns(header: string[]): { label: number; score: number; start: number } {
  const find = (name: string) => header.findIndex((c) => c.trim().toLowerCase() === name);
  const label = find("label"), score = find("score");
  if (score >= 0) {
    if (label < 0) throw new Error("line 1: the header names no column “label”, expected one with the true labels");
    return { label, score, start: 1 };
  }
  if (header.length !== 2) {
    throw new Error(`line 1: found ${header.length} columns and none named “score”, expected a header with label and score, or two columns: label, score`);
  }
  return { label: 0, score: 1, start: 0 };
}

export function parseScores(text: string, wanted = ""): Scores {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
  const first = lines.find((line) => line.trim() !== "");
  if (first === undefined) throw new Error("the file is empty, expected rows with a label and a score");
  const separator = first.includes("\t") ? "\t" : ",";
  const { label: atLabel, score: atScore, start } = findColumns(cells(first, separator));
  const score = new Float64Array(lines.length), code = new Int8Array(lines.length);
  const labels = new Labels();
  let n = 0, skip = start;
  for (let i = 0; i < lines.length; i++) {
    if (lines[i]!.trim() === "" || skip-- > 0) continue;
    const row = cells(lines[i]!, separator);
    const value = toNumber(row[atScore] ?? "");
    if (Number.isNaN(value)) throw new Error(`line ${i + 1}: the score is ${cut(row[atScore] ?? "")}, expected a number`);
    code[n] = labels.code((row[atLabel] ?? "").trim(), i + 1);
    score[n++] = value;
  }
  if (n === 0) throw new Error("the file has no rows");
  const which = labels.positive(wanted);
  const label = code.slice(0, n).map((c) => (c === which ? 1 : -1));
  return {
    score: score.slice(0, n), label, positive: labels.names[which] ?? "",
    negative: labels.names.find((_, i) => i !== which) ?? "",
  };
}
