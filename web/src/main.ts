// Starts the page: decode the WebAssembly module and the scores, then show each section.

import { showCertify } from "./certify";
import { showCurves } from "./curves";
import { announce, showModel, showProvenance, showRows } from "./details";
import { byId, h, named } from "./dom";
import { Engine } from "./engine";
import { Explorer } from "./explorer";
import { baseName, count } from "./format";
import { parseScores } from "./parse";
import { showPath } from "./path";
import type { Report } from "./report";
import { showScores } from "./scores";
import { showSummary } from "./summary";
import { showTradeoff } from "./tradeoff";

function decode(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

function embedded(id: string): string {
  return document.getElementById(id)?.textContent?.trim() ?? "";
}

let explorer: Explorer | null = null;

function show(engine: Engine, report: Report): void {
  const e = new Explorer(engine, report);
  explorer = e;
  const title = report.rows ? `neyman: ${report.rows.file.slice(0, 200)}` : "neyman: explore scores";
  document.title = title;
  if (report.rows) byId("subject").replaceChildren("report on ", named(baseName(report.rows.file), 60));
  showSummary(e);
  showPath(e);
  showTradeoff(e);
  showScores(e);
  showCertify(e);
  showCurves(e);
  showModel(e);
  showRows(e);
  showProvenance(e);
  document.body.dataset.ready = "true";
  performance.mark("neyman-ready");
}

function drop(engine: Engine): void {
  const zone = byId("drop"), input = byId<HTMLInputElement>("file"), positive = byId<HTMLInputElement>("positive");
  const problem = byId("drop-problem");
  const take = async (file: File | undefined) => {
    if (!file) return;
    problem.textContent = "";
    document.body.dataset.ready = "false";
    try {
      const scores = parseScores(await file.text(), positive.value.trim());
      engine.loadRows(scores.score, scores.label);
      show(engine, {
        format: 1, version: "", source: "scores",
        rows: {
          file: file.name, n: engine.n, n_pos: engine.nPos, n_neg: engine.nNeg, positive: scores.positive,
          negative: scores.negative, rates_on: null, unit: "row", n_groups: null,
        },
        provenance: [{ name: "File", value: file.name }, { name: "Read by", value: "this page, in your browser: nothing left your machine" }],
      });
      announce(`${count(engine.n)} rows of ${file.name} are shown.`);
      byId("summary").scrollIntoView();
    } catch (error) {
      problem.textContent = `${file.name}: ${error instanceof Error ? error.message : String(error)}`;
      document.body.dataset.ready = "true";
    }
  };
  input.addEventListener("change", () => {
    void take(input.files?.[0]);
    input.value = "";
  });
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    zone.classList.add("over");
  });
  document.addEventListener("dragleave", () => zone.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    zone.classList.remove("over");
    void take(event.dataTransfer?.files[0]);
  });
}

async function start(): Promise<void> {
  const report = JSON.parse(embedded("neyman-data") || '{"format":1,"version":"","source":"empty"}') as Report;
  const engine = await Engine.start(decode(embedded("neyman-wasm")));
  const packed = embedded("neyman-scores");
  if (packed !== "") engine.loadPacked(decode(packed));
  show(engine, report);
  drop(engine);
  (window as unknown as { neyman: unknown }).neyman = { engine, get explorer() { return explorer; } };
}

start().catch((error: unknown) => {
  byId("summary").replaceChildren(h("p", { class: "warning" },
    `The page cannot be shown: ${error instanceof Error ? error.message : String(error)}. It needs a browser of 2021 or later.`));
  console.error(error);
});
