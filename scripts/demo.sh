#!/bin/sh
# The main job on real mail: learn to flag spam, then look at what the classifier does on mail it has
# not seen. Spam is the positive class, so a false alarm is good mail that gets flagged.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
PATH=$here/build:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/neyman-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

# What is printed is what is run, to the letter.
do_it() { printf '\n\033[1m$ %s\033[0m\n' "$1"; eval "$1"; }

cd "$here/data"
cp spambase-train.csv.gz spambase-test.csv.gz "$work"
cd "$work"
echo "# 4601 e-mails; flagging good mail (a false alarm) costs five times as much as missing spam."
do_it 'neyman info spambase-train.csv.gz --label type'
do_it 'neyman train --cost-fp 5 --label type --positive spam spambase-train.csv.gz -o spam.model'
do_it 'neyman evaluate --cost-fp 5 spam.model spambase-test.csv.gz'
do_it 'neyman predict --scores spam.model spambase-test.csv.gz > scores.tsv'
do_it 'head -n 5 scores.tsv'

echo
echo "# Now a promise: of good mail like this, at most 1 % is flagged, and that is 95 % sure."
do_it 'neyman certify scores.tsv --positive spam --max-fpr 0.01 --confidence 0.95'
