// Pages of every kind: a path whose classifiers are picked, bounds that are refuted or left open, rows
// that were trained on. No accessibility violation in any.
import { writeFileSync } from "node:fs";
import { accessible, assert, near, neyman, normal, random, run, settled, text, until, withBrowser, writeScores } from "./support.mjs";

const unit = random(61);

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
  await accessible(page, "path");
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
    await accessible(page, verdict);
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
  await accessible(page, "trained on");
}

await withBrowser(async ({ open }) => {
  await paths(open);
  await verdicts(open);
  await trainedOn(open);
});
