// no browser: examples/serving/onnx.mjs gives the answers of 'neyman predict', row by row.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { assert, neyman, random } from "./support.mjs";

const unit = random(84);
const rows = Array.from({ length: 300 }, (_, i) => [i % 2, unit() + 0.5 * (i % 2), 100 * unit()]);
writeFileSync("d.csv", `label,a,b\n${rows.map((r) => r.join(",")).join("\n")}\n`);
for (const options of [[], ["--kernel", "rbf"]]) {
  neyman("train", "-q", ...options, "d.csv", "-o", "m");
  neyman("export", "-q", "m", "--format", "onnx", "-o", "m.onnx");
  const want = neyman("predict", "--scores", "m", "d.csv").trimEnd().split("\n").slice(1).map((l) => l.split("\t"));
  const got = execFileSync("node", [`${process.env.NEY_SOURCE}/examples/serving/onnx.mjs`, "m.onnx"],
    { input: rows.map((r) => r.slice(1).join(" ")).join("\n"), env: { ...process.env, NEY_MODULES: process.env.NEY_WEB_MODULES } })
    .toString().trimEnd().split("\n").map((l) => l.split(" "));
  assert.equal(got.length, want.length);
  got.forEach(([label, score], i) => {
    const near = Math.abs(Number(score) - Number(want[i][1])) < 1e-5;
    assert.ok(near && label === want[i][0], `row ${i + 1}: ${label} ${score}, expected ${want[i].join(" ")}`);
  });
}
