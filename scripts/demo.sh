#!/bin/sh
# The main job on real mail: learn to flag spam, then look at what the classifier does on mail it has
# not seen. Spam is the positive class, so a false alarm is good mail that gets flagged.
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
PATH=$here/build:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/neyman-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
do_it() { say "$@"; "$@"; }

cd "$here/data"
cp spambase-train.csv.gz spambase-test.csv.gz "$work"
cd "$work"
echo "4601 e-mails; flagging good mail (a false alarm) costs five times as much as missing spam."
do_it neyman info spambase-train.csv.gz --label type
do_it neyman train --cost-fp 5 --label type --positive spam spambase-train.csv.gz -o spam.model
do_it neyman evaluate --cost-fp 5 spam.model spambase-test.csv.gz
say "neyman predict spam.model spambase-test.csv.gz | head -n 5"
neyman predict --scores spam.model spambase-test.csv.gz > scores.tsv
head -n 5 scores.tsv
