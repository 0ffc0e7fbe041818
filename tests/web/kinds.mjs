// Pages of every kind: a path whose classifiers are picked, groups, q-values, rejection, bounds that
// are refuted or left open, rows that were trained on. No accessibility violation in any.
import { readFileSync, writeFileSync } from "node:fs";
import { assert, near, neyman, normal, random, require, run, settled, text, until, withBrowser, writeScores } from "./support.mjs";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const unit = random(61);

async function check(page, what) {
  await page.evaluate(`${axe}; 0`);
  const bad = await page.evaluate(async () => (await window.axe.run(document)).violations.map((v) => `${v.id}: ${v.nodes[0].html.slice(0, 200)}`));
  assert.deepEqual(bad, [], what);
}

const svm = (file, n) => writeFileSync(file, Array.from({ length: n }, (_, i) => {
  const y = i % 3 === 0 ? 1 : 0;
  return `${y ? 1 : -1} 1:${normal(unit) + y} 2:${1.5 * normal(unit) - y}`;
}).join("\n") + "\n");

async function paths(open) {
  svm("a.svm", 120);
  svm("v.svm", 90);
  svm("t.svm", 100);
  neyman("roc", "-q", "a.svm", "--valid", "v.svm", "--kernel", "rbf", "--gamma", "0.5", "--c-max", "5", "--regular", "0", "--save-path", "p");
  neyman("report", "-q", "p", "--test", "t.svm", "-o", "p.html");
  const page = await open("p.html", { permissions: ["clipboard-read", "clipboard-write"] });
  await check(page, "path");
  assert.equal(await page.locator("#path svg[role=img]").count(), 2);

  // A click in the plane of costs picks the nearest classifier; its command is copied.
  const box = await page.locator("#path svg[role=img]").first().boundingBox();
  await page.mouse.click(box.x + 0.2 * box.width, box.y + 0.8 * box.height);
  const command = await text(page, "#pick-command");
  await page.focus("#pick");
  await page.keyboard.press("Home");
  const first = await text(page, "#pick-text");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.notEqual(await text(page, "#pick-text"), first);
  const picked = await text(page, "#pick-command");
  assert.match(picked, /^neyman pick p (--cost-fn 1 --cost-fp|--max-fpr|--at) /);
  await page.click("#pick-copy");
  await until(page, () => /Copied/.test(document.getElementById("path").textContent));
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), picked);
  assert.ok(command.startsWith("neyman pick p ") || command.startsWith("No command"));

  // What the page says of it is what 'evaluate' says of the model that the command makes.
  neyman(...picked.split(" ").slice(1), "-q");
  const want = run("evaluate", "picked.model", "t.svm").json;
  const said = /FPR ([\d.]+) %, TPR ([\d.]+) %/.exec(await text(page, "#pick-text"));
  near(Number(said[1]) / 100, want.fpr, "FPR of the picked classifier", 1e-2);
  near(Number(said[2]) / 100, want.tpr, "TPR of the picked classifier", 1e-2);
}

async function verdicts(open) {
  writeScores("s.tsv", Array.from({ length: 1000 }, (_, i) => [i % 2, i % 2 ? 1 : i < 100 ? 0.5 + unit() : -unit()]));
  const rate = run("evaluate", "--from-scores", "s.tsv", "--threshold", "0.5").json;
  for (const [bound, verdict, word] of [[rate.fpr_interval[1] + 0.001, "confirmed", "Confirmed"], [rate.fpr, "open", "Undecided"], [rate.fpr_interval[0] - 0.001, "refuted", "Refuted"]]) {
    const out = run("report", "--from-scores", "s.tsv", "--threshold", "0.5", "--max-fpr", String(bound), "-o", "v.html").json;
    assert.equal(out.verdict, verdict);
    const page = await open("v.html");
    assert.equal(await page.getAttribute("#verdict", "data-verdict"), verdict);
    assert.match(await text(page, "#verdict"), new RegExp(word));
    await check(page, verdict);
    await page.context().close();
  }
}

async function groups(open) {
  const rows = Array.from({ length: 400 }, (_, i) => `${i % 2},${normal(unit) + (i % 2)},g${Math.floor(i / 8)}`);
  writeFileSync("g.csv", `label,score,patient\n${rows.join("\n")}\n`);
  neyman("report", "-q", "--from-scores", "g.csv", "--group", "patient", "--threshold", "0.5", "--max-fpr", "0.9", "-o", "g.html");
  const want = run("evaluate", "--from-scores", "g.csv", "--group", "patient", "--threshold", "0.5").json;
  const page = await open("g.html");
  assert.match(await text(page, "#interval-kind"), /no ranges here: rows of one group depend on each other/);
  assert.equal(await text(page, "#range-fpr"), "");
  assert.equal(await page.locator(".band").count(), 0);
  const percent = (x) => `${Number((100 * x).toPrecision(3))} %`;
  assert.ok((await text(page, "#groups")).includes(`${percent(want.fpr_interval[0])} to ${percent(want.fpr_interval[1])}`));
  const verdict = want.fpr_interval[1] <= 0.9 ? "confirmed" : "open";
  assert.equal(await page.getAttribute("#verdict", "data-verdict"), verdict);
  assert.match(await text(page, "#certify-result"), /--group COLUMN/);
  await check(page, "groups");
}

// A bound that is certified for groups: it is said so, and rows without groups give no verdict.
async function certifiedGroups(open) {
  const line = (i) => `${i % 2},${normal(unit) + 2 * (i % 2)},${normal(unit)},g${Math.floor(i / 4)}`;
  const rows = (n) => Array.from({ length: n }, (_, i) => line(i));
  writeFileSync("gt.csv", `label,a,b,patient\n${rows(1600).join("\n")}\n`);
  writeFileSync("ge.csv", `label,a,b,patient\n${rows(400).join("\n")}\n`);
  writeFileSync("gn.csv", `label,a,b\n${rows(400).map((r) => r.split(",").slice(0, 3).join(",")).join("\n")}\n`);
  neyman("train", "-q", "--max-fpr", "0.2", "--label", "label", "--group", "patient", "gt.csv", "-o", "gm");
  const promised = /of a new group are flagged as “1”, on average over groups, with 95 % confidence, certified on \d+ rows of \d+ groups/;
  for (const [file, known] of [["ge.csv", true], ["gn.csv", false]]) {
    const out = run("report", "gm", file, "-o", "gm.html").json;
    const page = await open("gm.html");
    const verdict = await page.getAttribute("#verdict", "data-verdict");
    assert.match(await text(page, "#verdict"), promised);
    assert.equal(verdict, known ? out.verdict : "none");
    assert.equal(Boolean(out.verdict), known);
    assert.equal(/Warning: the model is certified with the group as the unit/.test(await text(page, "#summary")), !known);
    await page.context().close();
  }
}

async function trainedOn(open) {
  neyman("train", "-q", "--reject-cost", "0.2", "a.svm", "-o", "m");
  neyman("report", "-q", "m", "a.svm", "-o", "m.html");
  const page = await open("m.html");
  assert.match(await text(page, "#interval-kind"), /no ranges: the rows are those that the model was trained on/);
  assert.equal(await page.isChecked("#allow-reject"), true);
  await page.getByRole("tab", { name: "Error-reject", exact: true }).click();
  assert.match(await text(page, "#curve-panel"), /proportions of the model's own band/);
  await page.evaluate(() => window.neyman.explorer.select(3));
  await settled(page);
  assert.equal(await text(page, "#range-fpr"), "");
  await check(page, "trained on");
}

async function discoveries(open) {
  const line = (i) => {
    const y = i % 2 === 0 && i % 3 > 0 ? 4 : 0;
    return `p${i}\t${i % 2 === 0 ? 1 : -1}\t${Math.floor(i / 2)}\t${normal(unit) + y}\t${normal(unit) + y / 2}\tPEP${i}\tQ${i}`;
  };
  writeFileSync("d.pin", `SpecId\tLabel\tScanNr\tf1\tf2\tPeptide\tProteins\n${Array.from({ length: 400 }, (_, i) => line(i)).join("\n")}\n`);
  neyman("train", "-q", "--max-fdr", "0.05", "d.pin", "-o", "f");
  neyman("report", "-q", "f", "d.pin", "-o", "f.html");
  const page = await open("f.html");
  assert.match(await text(page, "#verdict"), /False-discovery rate: estimated.*at most 5 % are false on average.*An estimate, not a guarantee/s);
  assert.match(await text(page, "#summary"), /of 200 targets and \d+ of 200 decoys score at or above/);
  assert.match(await text(page, "#certify-result"), /nothing can be certified from them.*new rows would certify.*\(optimistic\)/s);
  await page.getByRole("tab", { name: "q-values", exact: true }).click();
  assert.match(await text(page, "#curve-panel"), /Negatives are decoys.*by \(D \+ 1\) \/ T/s);
  await check(page, "q-values");
}

await withBrowser(async ({ open }) => {
  await paths(open);
  await verdicts(open);
  await groups(open);
  await certifiedGroups(open);
  await trainedOn(open);
  await discoveries(open);
});
