#!/bin/sh
# Models that keep their bound or cost and are of no use say so before the figures; useful ones do not.
# Six draws of each: noise warns in all of them (a draw fails to with probability 0.025 at most), a score
# that finds half of the positives in none or one. Under a sanitizer the first draws only: of these at most
# as many miss as of all six.
set -eu
command -v python3 > /dev/null || exit 77
python3 - <<'PY'
import random
for name, shift in (("noise", 0.0), ("good", 2.5)):
    for k in range(6):
        r = random.Random(100 * k + 7)
        for part, n in (("train", 400), ("test", 300)):
            with open(f"{name}{k}.{part}", "w") as f, open(f"{name}{k}.{part}.tsv", "w") as g:
                g.write("label\tscore\n")
                for _ in range(n):
                    y = 1 if r.random() < 0.4 else -1
                    x = [r.gauss(shift * (y > 0) if j == 0 else 0, 1) for j in range(4)]
                    f.write(f"{y} " + " ".join(f"{j + 1}:{v:.4f}" for j, v in enumerate(x)) + "\n")
                    g.write(f"{y}\t{x[0]:.4f}\n")
PY
draws=$(seq 0 $((6 / ${NEY_TEST_SHARE:-1} > 2 ? 5 : 1)))
left_out=$((6 - $(echo "$draws" | wc -l)))
# warned NAME WORDS LEAST MOST: of six outputs, how many have such a warning as the first one, between the
# headline and the next step
warned() {
    n=0
    for k in $draws; do
        if sed '/^Next: /,$d; /^$/,$d' "$1$k.out" | grep '^warning: ' | head -n 1 | grep -q "$2"; then n=$((n + 1)); fi
    done
    test $n -ge $(($3 - left_out)) && test $n -le "$4" || { echo "$1: $n of 6 warn of '$2', expected $3 to $4"; head -n 4 "$1"?.out; exit 1; }
}
# shellcheck disable=SC2086
each() { # NAME COMMAND with @ for the number of the draw
    name=$1; shift
    for k in $draws; do
        neyman $(echo "$*" | sed "s/@/$k/g") > "$name$k.out" 2> err || { cat err; exit 1; }
    done
}
each linear train -q --max-fpr 0.05 noise@.train -o m
warned linear 'detects .* of positives .*no better than chance at this bound' 5 6
each fnr train -q --max-fnr 0.05 noise@.train -o m
warned fnr 'detects .* of negatives .*no better than chance' 5 6
each close train -q --max-fpr 0.05 --kernel rbf --gamma 10 -C 100 noise@.train -o m@ # learned by heart
warned close 'may be no better than chance on new data' 5 6
each network train -q --max-fpr 0.05 --network 3 --epochs 4 noise@.train -o m
warned network 'no better than chance' 5 6
each evaluate evaluate -q m@ noise@.test
warned evaluate 'flags .* of negatives .*no better than chance' 5 6
each certify certify -q noise@.test.tsv --max-fpr 0.05
warned certify 'no better than chance' 5 6
each both train -q --max-fpr 0.02 --max-fnr 0.03 noise@.train -o m
warned both 'rejects .* of the rows' 1 6 # 95 % are, on average
each costs train -q --cost-fp 3 noise@.train -o m
warned costs 'every row costs no more' 5 6
each reject train -q --reject-cost 0.01 noise@.train -o m
warned reject 'rejects .*almost no row is decided' 5 6
each tuned tune -q --max-fpr 0.05 --confidence none --grid C=0.1,1 --folds 3 --refine 0 --no-extend --fresh noise@.train -o m
warned tuned 'the bound holds on the rows that set the threshold' 6 6
for k in $draws; do sed -i '/^warning: the bound holds on the rows that set the threshold/d' tuned$k.out; done
warned tuned 'no better than chance' 4 6
grep -q 'validation rows *rows that chose the point and set the threshold: estimates' tuned0.out
if grep 'valid f[pn]r' tuned0.out | grep -q '\['; then cat tuned0.out; exit 1; fi
for command in 'train -q --max-fpr 0.05 good@.train -o m@' 'train -q --max-fnr 0.05 good@.train -o m' \
    'train -q --max-fpr 0.05 --kernel rbf good@.train -o m' 'train -q good@.train -o m' \
    'evaluate -q m@ good@.test' 'certify -q good@.test.tsv --max-fpr 0.05' 'train -q --reject-cost 0.2 good@.train -o m'; do
    each good "$command"
    warned good '.' 0 1
done
neyman train -q --json --max-fpr 0.05 noise0.train -o m | python3 -c '
import json, sys
o = json.load(sys.stdin)
assert len(o["warnings"]) == 1 and "no better than chance" in o["warnings"][0], o["warnings"]'
