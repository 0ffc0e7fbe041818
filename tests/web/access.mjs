// Accessibility by axe-core: no violation in light, in dark, in any curve, with a file dropped; the page
// works by keyboard and prints.
import { accessible, assert, DATA, neyman, normal, random, until, withBrowser, writeScores } from "./support.mjs";

const unit = random(31);

neyman("train", "-q", "--max-fpr", "0.05", "--method", "convex", "--label", "type", "--positive", "spam", `${DATA}/spambase-train.csv.gz`, "-o", "m");
neyman("report", "-q", "m", `${DATA}/spambase-test.csv.gz`, "-o", "r.html");
writeScores("s.tsv", Array.from({ length: 300 }, (_, i) => [i % 2, normal(unit) + (i % 2)]));

await withBrowser(async ({ open }) => {
  const light = await open("r.html");
  await accessible(light, "light");
  for (const name of ["DET", "Cost", "Error-reject"]) {
    await light.getByRole("tab", { name, exact: true }).click();
    await accessible(light, name);
  }
  await light.locator("#file").setInputFiles("s.tsv");
  await until(light, () => document.title.includes("s.tsv") && document.body.dataset.ready === "true");
  await accessible(light, "dropped");

  await accessible(await open("r.html", { colorScheme: "dark" }), "dark");

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
