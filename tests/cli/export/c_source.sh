#!/bin/sh
# export --format c: compiles without a warning, and a program around it gives the labels of predict
# and its scores: every family and kernel, every scaling, categories, missing cells, rejection.
set -eu
compiler=
for candidate in cc gcc clang; do
    command -v $candidate > found && { compiler=$candidate; break; }
done
[ -n "$compiler" ] || { echo 'no C compiler' >&2; exit 77; }
strict='-std=c99 -O1 -Wall -Wextra -pedantic -Werror -Wmissing-prototypes -Wconversion'

# Rows of cells separated by commas; a column named on the command line holds words, an empty cell is
# missing. Prints what predict --scores prints.
cat > main.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
double model_score(const double *x);
int model_predict(const double *x);
const char *model_label(int predicted);
#ifdef WORDS
double model_category(int column, const char *cell);
#endif
static char line[1 << 20];
static double x[1 << 18];
static int is_word(int column, int argc, char **argv)
{
    int i;
    for (i = 1; i < argc; i++) {
        if (atoi(argv[i]) == column) {
            return 1;
        }
    }
    return 0;
}
int main(int argc, char **argv)
{
    printf("predicted\tscore\n");
    while (fgets(line, sizeof line, stdin)) {
        int column = 0;
        char *cell = line, *end;
        for (; cell; cell = end, column++) {
            end = strpbrk(cell, ",\n");
            if (end) {
                int last = *end == '\n';
                *end++ = '\0';
                end = last ? NULL : end;
            }
#ifdef WORDS
            if (is_word(column, argc, argv)) {
                x[column] = *cell ? model_category(column, cell) : (double)NAN;
                continue;
            }
#else
            if (is_word(column, argc, argv)) {
                return 1;
            }
#endif
            x[column] = *cell ? strtod(cell, NULL) : (double)NAN;
        }
        printf("%s\t%.17g\n", model_label(model_predict(x)), model_score(x));
    }
    return 0;
}
END

# compare MODEL ROWS DATA EXACT [COLUMN...]: scores must be equal, or to 1e-6 of the length of the
# coefficients, predict itself using single precision for rbf kernels and random features; labels too,
# or unless a score is that near to a threshold. COLUMNs hold words.
compare() {
    model=$1; rows=$2; data=$3; exact=$4; shift 4
    flags=
    [ $# -eq 0 ] || flags=-DWORDS
    neyman export "$model" --format c -o scorer.c > out
    neyman info "$model" --json > out.json
    # shellcheck disable=SC2086
    $compiler $strict $flags -c scorer.c -o scorer.o
    $compiler -std=c99 $flags main.c scorer.o -lm -o scorer
    ./scorer "$@" < "$rows" > got
    word=
    ! grep -q '"threshold_low"' out.json || word="--reject-label reject"
    # shellcheck disable=SC2086
    neyman predict -q --scores $word "$model" "$data" | cut -f 1,2 > expected
    length=$(awk '/_(coefficient|weight)\[.*=/ { on = 1; next } on { n = split($0, c, /[,};]/); for (i = 1; i <= n; i++) sum += c[i] * c[i] }
        /};/ { on = 0 } END { print sqrt(sum) }' scorer.c)
    high=$(sed -n 's/.*if (score >= \(.*\)) {$/\1/p' scorer.c)
    low=$(sed -n 's/.*return score < \(.*\) ? .*/\1/p' scorer.c)
    awk -v least="$least" -v exact="$exact" -v length_of="$length" -v high="$high" -v low="$low" \
        'function apart_by(a, b) { return a < b ? b - a : a - b }
        NR == FNR { label[NR] = $1; score[NR] = $2; n = NR; next }
        FNR == 1 { next }
        { most = exact ? 0 : 1e-6 * (apart_by($2, 0) + length_of); seen[$1]++
          near = !exact && (apart_by($2, high) <= most || apart_by($2, low) <= most)
          if (($1 != label[FNR] && !near) || (exact ? $2 != score[FNR] : apart_by($2, score[FNR]) > most)) {
              print "row " FNR ": " $0 ", expected " label[FNR] " " score[FNR]; bad = 1; exit } }
        END { kinds = 0; for (k in seen) kinds++
              if (bad || FNR != n || kinds < least) { print kinds " labels, " FNR " rows of " n; exit 1 } }' \
        expected got >&2 || { echo "$model: differs" >&2; exit 1; }
}

# The header declares what the file defines, for C and C++, and nothing is allocated.
header() {
    neyman train -q --label c --max-iter 1000 h.csv -o m > out || test $? -eq 5
    neyman export m --format c --name one --header one.h -o one.c > out
    cat > use.c << 'END'
#include "one.h"
#include "one.h"
int main(void)
{
    double x[one_INPUTS] = {0.5, 0};
    x[1] = one_category(1, "a");
    return one_predict(x) == one_POSITIVE || one_predict(x) == one_NEGATIVE ? one_label(one_REJECTED)[0] != 'r' : 1;
}
END
    # shellcheck disable=SC2086
    $compiler $strict -c one.c -o one.o
    # shellcheck disable=SC2086
    $compiler $strict use.c one.o -lm -o use
    ./use
    ! command -v g++ > found || { g++ -Wall -Wextra -Werror -x c++ -c use.c -o use.o && g++ use.o one.o -lm -o use && ./use; }
    ! command -v nm > found || { nm one.o > symbols && ! grep -E ' U .*(alloc|free)' symbols >&2; }
    neyman export m --format c --name 2x --header two.h -o two.c > out 2> err && exit 1
    test ! -e two.h
}
awk 'BEGIN { print "c,v,w"; for (i = 0; i < 60; i++) print (i % 2 ? "p" : "n") "," i % 7 + i % 2 "," (i % 3 ? "a" : "b") }' > h.csv
header

least=2 # labels that must occur, so that agreeing on them means something

# numbered features: dense and sparse, with values that single precision does not hold
awk 'BEGIN { srand(4); for (i = 1; i <= 400; i++) { y = i % 3 ? 2 : 7; s = y; c = ""
    for (j = 1; j <= 9; j++) { v = (i * j) % 4 ? rand() - 0.5 + (j % 2 ? y - 4.5 : 4.5 - y) / 6 : 0
        v = sprintf("%.12g", v); if (v != 0) s = s " " j ":" v; c = c (j > 1 ? "," : "") v }
    print s > "d.svm"; print c > "d.rows" } }'
awk '{ $1 = $1; s = $1; for (j = 2; j <= NF; j++) if ((NR + j) % 4 == 0) s = s " " $j; print s }' d.svm > s.svm
awk '{ for (j = 1; j <= 9; j++) x[j] = 0; for (j = 2; j <= NF; j++) { split($j, p, ":"); x[p[1]] = p[2] }
    s = x[1]; for (j = 2; j <= 9; j++) s = s "," x[j]; print s }' s.svm > s.rows
for scale in none standard minmax unit rank; do
    for set in d s; do
        neyman train -q --scale $scale --cost-fp 2 -C 10 $set.svm -o m > out
        compare m $set.rows $set.svm 1
    done
done
for options in 'rbf --gamma 0.02' 'poly --gamma 0.05 --degree 3 --coef0 1' 'sigmoid --gamma 0.05'; do
    for how in 'd none' 's standard' 'd unit'; do
        set=${how% *}
        # shellcheck disable=SC2086
        neyman train -q --scale "${how#* }" --kernel $options -C 10 --max-iter 20000 $set.svm -o m > out || test $? -eq 5
        compare m $set.rows $set.svm 0
    done
done
for set in d s; do
    for layers in 6 '6,4' '5 --activation relu' '7,3 --activation relu'; do
        # shellcheck disable=SC2086
        neyman train -q --max-fpr 0.2 --network $layers --epochs 5 $set.svm -o m > out 2> err || test $? -eq 5
        compare m $set.rows $set.svm 0
    done
    neyman train -q --max-fpr 0.2 --method online --features 40 --epochs 5 --scale unit $set.svm -o m > out 2> err || test $? -eq 5
    compare m $set.rows $set.svm 0
done
neyman train -q --kernel rbf --gamma 0.02 -C 10 --max-iter 20000 s.svm -o m > out || test $? -eq 5
compare m s.rows s.svm 0
grep -q 'x\[j\] is the value of feature j + 1' scorer.c

# a rejection band, thresholds that are no zero
neyman train -q --max-iter 100000 d.svm -o m > out
neyman predict -q --scores m d.svm -o scores > out
neyman certify -q scores --max-fpr 0.05 --max-fnr 0.05 --confidence 0.9 --model m -o band > out
compare band d.rows d.svm 1
grep -q reject got

# a kernel over more columns than are kept on the stack, from a file of LIBSVM
printf 'svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 2\ntotal_sv 2\nrho 0.1\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 2:2 40000:1 \n-1 1:-2 \n' > m
printf '1 1:1 2:1.5\n-1 1:-2 2:0.1\n' > w.svm
{ printf '1,1.5\n-2,0.1\n'; } > w.rows
compare m w.rows w.svm 0
if grep -q 'float feature\[' scorer.c; then echo 'a large array on the stack' >&2; exit 1; fi

# tables: words, gaps, names that are no C, labels that are words
awk 'BEGIN { srand(9); print "a*/b,c\"??/,town,type,far"; split("Rome,Oslo*/,Bonn??/", t, ",")
    for (i = 1; i <= 300; i++) { k = i % 3 + 1; y = rand() < k / 4
        printf "%s,%.9g,%s,%s,%.9g\n", i % 17 ? sprintf("%.9g", rand() + y) : "", 1e6 + rand(), i % 19 ? t[k] : "", y ? "yes" : "no", 12345678 + y + 3 * rand() } }' > t.csv
tail -n +2 t.csv | cut -d , -f 1-3,5 > t.rows
printf '0.5,1e6,Paris,12345678\n' >> t.rows
cp t.csv u.csv
printf '0.5,1e6,Paris,yes,12345678\n' >> u.csv
for scale in none standard unit; do
    least=1 # unscaled, the columns far from zero leave the others no say
    [ $scale != standard ] || least=2
    neyman train -q --label type --scale $scale --missing mean --max-iter 5000 t.csv -o m > out || test $? -eq 5
    compare m t.rows u.csv 1 2
    neyman train -q --label type --scale $scale --missing mean --kernel rbf --max-iter 5000 t.csv -o m > out || test $? -eq 5
    compare m t.rows u.csv 0 2
    neyman train -q --label type --scale $scale --missing mean --max-fpr 0.2 --network 4 --epochs 5 t.csv -o m > out 2> err || test $? -eq 5
    compare m t.rows u.csv 0 2
done
least=2
grep -q 'x\[2\]  "town": model_category(2, cell)' scorer.c
grep -q 'model_POSITIVE = 1, model_NEGATIVE = -1' scorer.c

# what cannot be scored is rejected
neyman train -q --max-iter 100000 d.svm -o m > out
neyman export m --format c -o scorer.c > out
$compiler -std=c99 main.c scorer.c -lm -o scorer
printf '1,2,3,4,5,6,7,8,\n1e39,2,3,4,5,6,7,8,9\n1,2,3,4,5,6,7,8,inf\n' | ./scorer > got
test "$(tail -n +2 got | cut -f 1 | sort -u)" = reject
grep -q 'model_POSITIVE = 7, model_NEGATIVE = 2, model_REJECTED = 0' scorer.c

printf '0 1:1\n1 1:2\n' > binary.svm # where 0 is a label, it cannot mean rejection
neyman train -q binary.svm -o b > out
neyman export b --format c > scorer.c
grep -q 'model_POSITIVE = 1, model_NEGATIVE = 0, model_REJECTED = 2' scorer.c

# names
neyman export m --format c --name spam_2 > named.c
grep -q '^int spam_2_predict(const double \*x);$' named.c
if grep -q 'model_' named.c; then exit 1; fi
for name in 2x 'a b' '' _x 'a-b' "$(printf '%061d' 0 | tr 0 a)"; do
    status=0
    neyman export m --format c --name "$name" -o no > out 2> err || status=$?
    test $status -eq 2
    grep -q 'letter\|empty' err
done
status=0
neyman export m --format libsvm --name x -o no > out 2> err || status=$?
test $status -eq 2
test ! -e no

# bundled mail
neyman train -q --label type --positive spam "$DATA/spambase-train.csv.gz" -o m > out
gzip -dc "$DATA/spambase-test.csv.gz" > mail.csv
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) skip = $i ~ /type/ ? i : skip; next }
    { s = ""; for (i = 1; i <= NF; i++) if (i != skip) s = s (s == "" ? "" : ",") $i; print s }' mail.csv > mail.rows
compare m mail.rows mail.csv 1
neyman train -q --label type --positive spam --kernel rbf -C 10 "$DATA/spambase-train.csv.gz" -o m > out
compare m mail.rows mail.csv 0
