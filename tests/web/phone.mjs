// On a phone, and pages of several kinds: no accessibility violation, nothing cut or beyond the window.
import { accessible, DATA, neyman, normal, random, withBrowser, writeScores } from "./support.mjs";

const unit = random(31);

neyman("train", "-q", "--max-fpr", "0.05", "--method", "convex", "--label", "type", "--positive", "spam", `${DATA}/spambase-train.csv.gz`, "-o", "m");
neyman("report", "-q", "m", `${DATA}/spambase-test.csv.gz`, "-o", "r.html");
writeScores("s.tsv", Array.from({ length: 300 }, (_, i) => [i % 2, normal(unit) + (i % 2)]));
neyman("report", "-q", "--from-scores", "s.tsv", "--thresholds", "-0.5,1", "--max-fpr", "0.01", "-o", "reject.html");
neyman("report", "-q", "--empty", "-o", "e.html");
neyman("report", "-q", "m", `${DATA}/spambase-test.csv.gz`, "--importance", "-o", "importance.html");

await withBrowser(async ({ open }) => {
  await accessible(await open("r.html", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }), "phone");
  await accessible(await open("importance.html"), "importance");
  await accessible(await open("importance.html", { viewport: { width: 390, height: 844 } }), "importance, phone");
  await accessible(await open("reject.html"), "rejection, refuted or open");
  await accessible(await open("e.html", { viewport: { width: 390, height: 844 } }), "empty, phone");
});
