#!/bin/sh
# General data, compatible and incompatible options, the same bytes for any number of
# threads, tuning, and the reason where nothing is found.
set -eu
awk 'BEGIN { srand(4); print "x,y,kind"
             for (i = 0; i < 400; i++) { p = i % 2; r = p && i % 3 == 0
                 print rand() + 1.2 * r "," rand() "," (p ? "compound" : "null") } }' > d.csv
run() { neyman train -q --label kind --positive compound d.csv "$@"; }
run --max-fdr 0.05 --network 3 --threads 1 -o a > /dev/null
run --max-fdr 0.05 --network 3 --threads 3 -o b > /dev/null
cmp a b
run --max-fdr 0.05,0.1 --fdr-convention all --no-plus-one -o c > out
grep -q '^  accepted targets  ' out
neyman tune -q --max-fdr 0.05 --label kind --positive compound --grid 'C=0.1,1' d.csv -o t > out
grep -q '^  criterion  *discoveries' out
neyman info t | grep -q 'tuned by  *discoveries'
neyman qvalues c d.csv -q --json | grep -q '"scored_out_of_fold":	400'
neyman qvalues c d.csv -q --spectrum x --json | grep -q '"best_matches"'
refuse() { code=0; "$@" > out 2> err || code=$?; [ $code = 2 ] || { cat err; exit 1; }; }
refuse run --max-fdr 2 -o n; grep -q 'max-fdr = 2' err
refuse run --max-fdr 0.1 --max-fpr 0.1 -o n
refuse run --max-fdr 0.1 --method uzawa -o n
refuse run --max-fdr 0.1 --compete --size-correct -o n; grep -q 'equally many' err
refuse run --max-fdr 0.1 --spectrum x --size-correct -o n; grep -q 'equally many' err
refuse neyman qvalues c d.csv --no-compete --spectrum x
refuse neyman qvalues c d.csv --spectrum nowhere; grep -q "nowhere" err
refuse neyman qvalues c d.csv --by nowhere; grep -q "nowhere" err
[ ! -e n ]
# nothing to be found, few decoys: an answer with the reason
awk 'BEGIN { srand(5); print "x,label"; for (i = 0; i < 200; i++) print rand() "," i % 2 }' > noise.csv
neyman train --max-fdr 0.01 noise.csv -o n > out 2> err
grep -q '^No target is accepted at an estimated FDR of 0.01\.$' out || grep -q '^Accepts [0-9]* of 100 targets at an estimated FDR of 0.01 (scored out of fold)\.$' out
neyman train --max-fdr 0.01 noise.csv -o - 2> err > n2
grep -q 'No target is accepted at an estimated FDR of 0.01' err || grep -q 'Accepts [0-9]* of [0-9]* targets at an estimated FDR' err
neyman qvalues n noise.csv --max-fdr 0.001 > out 2> err; grep -q 'no target has a q-value' err
awk 'BEGIN { print "x,label"; for (i = 0; i < 30; i++) print i "," (i > 1) }' > few.csv
neyman train --max-fdr 0.01 few.csv -o n > out 2> err; grep -q 'too few rows of a class for 3 folds' err
neyman qvalues n few.csv -o out.tsv > out 2> err; grep -q 'only 2 decoys' err
