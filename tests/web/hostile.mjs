// Names from files are text, whatever they hold: markup, quotes, emoji, directions, a million
// characters.
import { readFileSync, writeFileSync } from "node:fs";
import { assert, neyman, normal, random, ready, text, until, withBrowser } from "./support.mjs";

const unit = random(23);
const evil = [
  `</script><script>window.hacked = 1</script>`, `<img src=x onerror="window.hacked = 2">`, `"'\`\${window.hacked = 3}\\`,
  `<!--<script>`, `😀 é \u202E أهلا`, `]]>&lt;b&gt;`, `javascript:window.hacked=4`,
];
const shown = (t) => t.replaceAll("\u202E", "\\u202E"); // what reorders text is visible
const cell = (t) => `"${t.replaceAll('"', '""')}"`;
const rows = (n, names) => Array.from({ length: n }, (_, i) => [names[i % 2], normal(unit) + (i % 2 ? 1.5 : 0), evil[i % evil.length]]);

await withBrowser(async ({ open, browser }) => {
  for (let k = 0; k < 3; k++) {
    const names = [evil[2 * k], evil[2 * k + 1]];
    const header = `${cell(`<b onclick=x>${evil[k]}</b>`)},id,y\n`;
    const table = (n) => header + rows(n, names).map(([y, x, id]) => `${x},${cell(id)},${cell(y)}`).join("\n") + "\n";
    writeFileSync("a.csv", table(300));
    writeFileSync(`<b>"&'${k}.csv`, table(200));
    neyman("train", "-q", "--max-fpr", "0.2", "--method", "convex", "--label", "y", "--positive", names[1], "--id", "id", "a.csv", "-o", "m");
    neyman("report", "-q", "m", `<b>"&'${k}.csv`, "--id", "id", "-o", "r.html");
    const page = await open("r.html");
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    assert.equal(await page.locator("main img, main b, main script").count(), 0);
    assert.ok((await page.locator("#summary").textContent()).includes(`“${shown(Array.from(names[0]).slice(0, 40).join(""))}`));
    assert.ok((await page.locator("#summary").textContent()).includes(`<b>"&'${k}.csv`));
    assert.ok((await page.locator("#rows").textContent()).includes(evil[0].slice(0, 39)));
    assert.ok((await page.locator("#model").textContent()).includes("<b onclick=x>"));
    assert.ok(!/[\u202A-\u202E\u2066-\u2069]/.test(await page.locator("main").textContent()));
    await page.context().close();
  }

  // Labels of a million characters, from the program and dropped.
  const long = ["x".repeat(1_000_000), `y<script>window.hacked = 5</script>${"😀".repeat(250_000)}`];
  writeFileSync("long.tsv", "label\tscore\n" + long.map((l, i) => `${l}\t${i}`).join("\n") + "\n");
  neyman("report", "-q", "--from-scores", "long.tsv", "--threshold", "0.5", "-o", "long.html");
  const page = await open("long.html");
  const seen = await text(page, "#summary");
  assert.ok(seen.length < 2000 && seen.includes("xxx…"), seen.slice(0, 300));
  await page.locator("#file").setInputFiles("long.tsv");
  await until(page, () => document.title.includes("long.tsv"));
  await ready(page);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  assert.ok(wide, "a long name makes the page scroll sideways");

  // A page that was damaged says so.
  const whole = readFileSync("r.html", "utf8");
  const cut = whole.replace(/(id="neyman-scores">.{400})[^<]*/, "$1");
  assert.ok(cut.length < whole.length);
  writeFileSync("cut.html", cut);
  const damaged = await browser.newPage();
  await damaged.goto(`file://${process.cwd()}/cut.html`);
  await damaged.waitForSelector("#summary .warning");
  assert.match(await text(damaged, "#summary"), /the scores in this page are damaged/);
});
