#!/bin/sh
# The main job on real mail: flag spam with a promise about good mail, then look at what the classifier
# does on mail it has not seen. Spam is the positive class: a false alarm is good mail that gets flagged.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
PATH=$here/build:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/neyman-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What is printed is what is run, to the letter.
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold='' plain=''; fi
do_it() { printf '\n%s$ %s%s\n' "$bold" "$1" "$plain"; eval "$1"; }

cd "$here/data"
cp spambase-train.csv.gz spambase-test.csv.gz "$work"
cd "$work"
# Boosted trees where the program was built with libxgboost (./run demo installs it), otherwise the rbf kernel.
family='--trees auto'
neyman train -q --trees 1 --label type spambase-test.csv.gz -o probe.model > /dev/null 2>&1 || family='--kernel rbf'
echo "# 4601 e-mails. The goal: at most 2 % of good mail is flagged, with 95 % confidence."
do_it 'neyman info spambase-train.csv.gz --label type | head -n 1'
do_it "neyman train --max-fpr 0.02 $family --label type --positive spam spambase-train.csv.gz -o spam.model"
echo
echo "# Mail that had no part in it:"
do_it 'neyman evaluate spam.model spambase-test.csv.gz | head -n 3'
echo
echo "# The trade-off: rates on this mail that other thresholds would give."
do_it "neyman evaluate -q spam.model spambase-test.csv.gz --curve hull | cut -f 2,3 | head -n 8"
echo
echo "# The same as a page to explore: drag the threshold, change prevalence and costs, certify other bounds."
do_it 'neyman report spam.model spambase-test.csv.gz -o spam-report.html'
mkdir -p "$here/build"
mv spam-report.html "$here/build/spam-report.html"
echo
echo "# Open the page in a browser: $here/build/spam-report.html"
echo "# Next, your own file: doc/start.md"
