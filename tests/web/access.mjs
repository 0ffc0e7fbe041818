// Accessibility by axe-core: no violation in light, dark, on a phone, with a file dropped, a path
// or groups; the page works by keyboard, fits a phone and prints.
import { readFileSync } from "node:fs";
import { assert, DATA, neyman, normal, random, require, until, withBrowser, writeScores } from "./support.mjs";

const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const unit = random(31);

async function check(page, what) {
  await page.evaluate(`${axe}; 0`);
  const found = await page.evaluate(async () => {
    const { violations, passes } = await window.axe.run(document);
    return { passes: passes.length, bad: violations.map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 120)).join(" | ")}`) };
  });
  assert.deepEqual(found.bad, [], what);
  assert.ok(found.passes >= 20, what);
  const size = await page.evaluate(() => ({ content: document.documentElement.scrollWidth, window: window.innerWidth }));
  assert.ok(size.content <= size.window, `${what}: ${size.content} px wide in a window of ${size.window}`);
  // Nothing is cut or runs into its neighbour: the cells of tables.
  const cut = await page.evaluate(() => [...document.querySelectorAll("main td, main th")].filter((c) => c.clientWidth > 0 && c.scrollWidth > c.clientWidth + 1).map((c) => c.textContent.slice(0, 60)));
  assert.deepEqual(cut, [], `${what}: cells that are cut`);
}

neyman("train", "-q", "--max-fpr", "0.05", "--method", "convex", "--label", "type", "--positive", "spam", `${DATA}/spambase-train.csv.gz`, "-o", "m");
neyman("report", "-q", "m", `${DATA}/spambase-test.csv.gz`, "-o", "r.html");
writeScores("s.tsv", Array.from({ length: 300 }, (_, i) => [i % 2, normal(unit) + (i % 2)]));
neyman("report", "-q", "--from-scores", "s.tsv", "--thresholds", "-0.5,1", "--max-fpr", "0.01", "-o", "reject.html");
neyman("report", "-q", "--empty", "-o", "e.html");
neyman("report", "-q", "m", `${DATA}/spambase-test.csv.gz`, "--importance", "-o", "importance.html");

await withBrowser(async ({ open }) => {
  const light = await open("r.html");
  await check(light, "light");
  for (const name of ["DET", "Cost", "Error-reject"]) {
    await light.getByRole("tab", { name, exact: true }).click();
    await check(light, name);
  }
  await light.locator("#file").setInputFiles("s.tsv");
  await until(light, () => document.title.includes("s.tsv") && document.body.dataset.ready === "true");
  await check(light, "dropped");

  await check(await open("r.html", { colorScheme: "dark" }), "dark");
  await check(await open("r.html", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }), "phone");
  await check(await open("importance.html"), "importance");
  await check(await open("importance.html", { viewport: { width: 390, height: 844 } }), "importance, phone");
  await check(await open("reject.html"), "rejection, refuted or open");
  await check(await open("e.html", { viewport: { width: 390, height: 844 } }), "empty, phone");

  // By keyboard alone: the skip link, the slider, a tab.
  const keys = await open("r.html");
  await keys.keyboard.press("Tab");
  assert.equal(await keys.evaluate(() => document.activeElement.textContent), "Skip to the result");
  const reached = new Set();
  for (let i = 0; i < 60; i++) {
    await keys.keyboard.press("Tab");
    reached.add(await keys.evaluate(() => document.activeElement?.id ?? ""));
  }
  for (const id of ["slider", "threshold", "prevalence", "cost-fn", "allow-reject", "certify-bound", "tab-0", "file"]) {
    assert.ok(reached.has(id), `${id} is not reached by the Tab key`);
  }

  // Printed: a PDF of a few pages, without controls.
  await keys.emulateMedia({ media: "print" });
  assert.equal(await keys.locator("#slider").isVisible(), false);
  const pdf = await keys.pdf({ format: "A4" });
  const pages = pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
  assert.ok(pages >= 2 && pages <= 8, `${pages} pages`);
});
