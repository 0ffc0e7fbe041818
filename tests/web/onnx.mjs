// no browser: the ONNX files of every family run in onnxruntime and give the scores and labels of
// 'neyman predict', on raw cells with words, missing ones, every scaling, rejection.
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { assert, DATA, neyman, normal, random, require } from "./support.mjs";

const ort = require("onnxruntime-node");
const unit = random(83);

// A table with numbers, words and missing cells; the classes overlap.
function mixed(file, n) {
  const towns = ["Rome", "Oslo", "São Paulo", "x y"];
  const lines = Array.from({ length: n }, (_, i) => {
    const y = i % 3 === 0;
    const town = towns[Math.floor(unit() * (y ? 3 : 4))];
    const age = unit() < 0.05 ? "" : (40 + 12 * normal(unit) + (y ? 15 : 0)).toFixed(2);
    return `${y ? "ill" : "well"},${age},${town},${(1e4 + 30 * normal(unit) - (y ? 40 : 0)).toFixed(1)}`;
  });
  writeFileSync(file, `state,age,town,level\n${lines.join("\n")}\n`);
}

const unquote = (cell) => cell.replace(/^"(.*)"$/, "$1");

function readTable(file) {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
  const [head, ...rows] = text.trimEnd().split("\n").map((line) => line.split(",").map(unquote));
  return { head, rows };
}

// The cells that the file wants: its columns in order, words by their position.
function cells(columns, table) {
  const at = columns.map((c) => table.head.indexOf(c.name));
  assert.ok(at.every((k) => k >= 0));
  const x = new Float64Array(table.rows.length * columns.length);
  table.rows.forEach((row, i) => columns.forEach((c, k) => {
    const cell = row[at[k]];
    x[i * columns.length + k] = c.categories ? c.categories.indexOf(cell) : cell === "" ? NaN : Number(cell);
  }));
  return x;
}

async function run(file, x, rows) {
  const session = await ort.InferenceSession.create(file, { logSeverityLevel: 3 });
  assert.deepEqual(session.inputNames, ["x"]);
  assert.deepEqual(session.outputNames, ["score", "decision", "label"]);
  return session.run({ x: new ort.Tensor("float64", x, [rows, x.length / rows]) });
}

// What the terms of a score of a kernel model add up to at most, where the largest value of the kernel is 1.
const coefficients = (model) => model.support.reduce((sum, s) => sum + Math.abs(s.coefficient), 0);

// The largest difference of scores relative to the largest score, or to the size of the model.
async function compare(what, args, train, test, label, tolerance, size = () => 1) {
  neyman("train", "-q", ...args, "--label", label, train, "-o", "m");
  neyman("export", "m", "--format", "onnx", "-o", "m.onnx", "-q");
  const inside = JSON.parse(neyman("export", "m", "--format", "json"));
  const table = readTable(test);
  const columns = inside.inputs;
  const lines = neyman("predict", "--scores", "m", test).trimEnd().split("\n").map((l) => l.split("\t"));
  const want = lines.slice(1);
  const got = await run("m.onnx", cells(columns, table), want.length);
  const low = inside.threshold_low ?? inside.threshold, high = inside.threshold ?? inside.threshold_high;
  let most = 0;
  const scale = Math.max(size(inside), ...want.map((w) => Math.abs(Number(w[1]))));
  want.forEach(([predicted, score], i) => {
    const gap = Math.abs(got.score.data[i] - Number(score)) / scale;
    most = Math.max(most, gap);
    assert.ok(gap <= tolerance, `${what}: row ${i}: ${got.score.data[i]} in onnxruntime, ${score} of predict`);
    const near = Math.min(Math.abs(Number(score) - low), Math.abs(Number(score) - high)) <= tolerance * scale;
    // 'predict' writes 0 for a rejected row.
    if (!near) assert.equal(got.label.data[i] === "reject" ? "0" : got.label.data[i], predicted, `${what}: row ${i}`);
    const sign = got.label.data[i] === "reject" ? 0n : got.label.data[i] === inside.positive ? 1n : -1n;
    assert.equal(got.decision.data[i], sign);
  });
  console.log(`${what}: ${want.length} rows, largest difference ${most.toExponential(1)} of ${scale.toPrecision(3)}`);
  return { got, columns };
}

mixed("a.csv", 400);
mixed("b.csv", 150);
const np = ["--max-fpr", "0.1", "-C", "1", "--missing", "mean"];
const DOUBLE = 1e-12, SINGLE = 3e-6;
for (const [what, args, tolerance] of [
  ["linear", [], DOUBLE],
  ["linear, minmax", ["--scale", "minmax"], DOUBLE],
  ["linear, unit", ["--scale", "unit"], DOUBLE],
  ["linear, rank", ["--scale", "rank"], SINGLE],
  ["linear, asinh", ["--scale", "asinh"], SINGLE],
  ["linear, auto", ["--scale", "auto"], SINGLE],
  ["linear, unscaled", ["--scale", "none"], DOUBLE],
  ["rbf", ["--kernel", "rbf"], SINGLE],
  ["rbf, unscaled, far from 0", ["--kernel", "rbf", "--scale", "none", "--gamma", "0.001"], SINGLE],
  ["poly", ["--kernel", "poly", "--degree", "3", "--coef0", "1"], DOUBLE],
  ["sigmoid", ["--kernel", "sigmoid", "--gamma", "0.01"], DOUBLE],
  ["network", ["--network", "5", "--method", "online"], DOUBLE],
  ["network of two layers", ["--network", "5,3"], DOUBLE],
  ["network of two layers, relu", ["--network", "6,4", "--activation", "relu"], DOUBLE],
  ["features", ["--features", "64", "--method", "online"], SINGLE],
]) {
  await compare(what, [...np, ...args], "a.csv", "b.csv", "state", tolerance);
}
// With C chosen coefficients are larger than the scores that they make: so are the errors of single precision.
await compare("rbf, C chosen", ["--max-fpr", "0.1", "-C", "auto", "--missing", "mean", "--kernel", "rbf", "--scale", "none", "--gamma", "0.001"],
  "a.csv", "b.csv", "state", 1e-6, coefficients);
// Trees keep missing cells; where the library that trains them is not installed, they are left out.
const hasTrees = (() => {
  try {
    neyman("train", "-q", "--trees", "1", "--label", "state", "a.csv", "-o", "probe");
    return true;
  } catch (error) {
    assert.match(String(error.stderr ?? error), /needs libxgboost/);
    return false;
  }
})();
for (const [what, args] of hasTrees ? [
  ["trees", ["--max-fpr", "0.1"]],
  ["trees, filled, minmax", [...np, "--scale", "minmax"]],
  ["trees, unscaled", ["--reject-cost", "0.2", "--scale", "none"]],
] : []) {
  await compare(what, ["--trees", "20", ...args], "a.csv", "b.csv", "state", DOUBLE);
}
const { columns } = await compare("reject", ["--reject-cost", "0.2", "--missing", "mean"], "a.csv", "b.csv", "state", DOUBLE);

// Cells that no feature can be made of: no score, rejected.
const odd = await run("m.onnx", Float64Array.from([Infinity, 0, 1e4, 40, -1, 1e4, NaN, 1, 1e4, 1e200, 1, 1e4]), 4);
assert.equal(columns.length, 3);
assert.ok(Number.isNaN(odd.score.data[0]) && odd.decision.data[0] === 0n && odd.label.data[0] === "reject");
assert.ok(Number.isFinite(odd.score.data[1]) && Number.isFinite(odd.score.data[2]));
assert.ok(Number.isNaN(odd.score.data[3]));

// Columns with long tails, most of them mapped.
await compare("spam, auto", ["--max-fpr", "0.05", "--scale", "auto", "--positive", "spam"],
  `${DATA}/spambase-train.csv.gz`, `${DATA}/spambase-test.csv.gz`, "type", SINGLE);

// The spam model of the demo.
await compare("spam", ["--max-fpr", "0.01", "--kernel", "rbf", "--positive", "spam"],
  `${DATA}/spambase-train.csv.gz`, `${DATA}/spambase-test.csv.gz`, "type", SINGLE);
