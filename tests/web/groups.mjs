// Pages of groups and of q-values: what is said of them, and no accessibility violation.
import { writeFileSync } from "node:fs";
import { accessible, assert, neyman, normal, random, run, text, withBrowser } from "./support.mjs";

const unit = random(62);

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
  await accessible(page, "groups");
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
  await accessible(page, "q-values");
}

await withBrowser(async ({ open }) => {
  await groups(open);
  await certifiedGroups(open);
  await discoveries(open);
});
