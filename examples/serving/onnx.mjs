// Score rows with an ONNX file in onnxruntime, without the library:
//
//     neyman export MODEL --format onnx -o model.onnx
//     node onnx.mjs model.onnx < NUMBERS
//
// NUMBERS are the cells of the rows, one row per line. The module onnxruntime-node is looked for below
// NEY_MODULES, or as node does.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const require = createRequire(process.env.NEY_MODULES ? `${process.env.NEY_MODULES}/` : import.meta.url);
const ort = require("onnxruntime-node");
const session = await ort.InferenceSession.create(process.argv[2], { intraOpNumThreads: 1 });

for await (const line of createInterface({ input: process.stdin })) {
  const cells = Float64Array.from(line.trim().split(/\s+/), Number);
  const { label, score } = await session.run({ x: new ort.Tensor("float64", cells, [1, cells.length]) });
  console.log(`${label.data[0]} ${score.data[0]}`);
}
