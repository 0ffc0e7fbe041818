#!/bin/sh
# The dual objective is LIBSVM's, for its four kernels, with unequal costs: on random rows, and on
# real mail, unscaled and with rows of unit length.
set -eu
command -v svm-train > /dev/null || exit 77

# agree FILE C COST_FN COST_FP GAMMA KERNEL...
agree() {
    file=$1 c=$2 fn=$3 fp=$4 gamma=$5
    shift 5
    for kernel in "$@"; do
        case $kernel in
        linear) type=0 more= theirs= ;;
        poly) type=1 more="--gamma $gamma --degree 2 --coef0 1" theirs="-d 2 -r 1" ;;
        rbf) type=2 more="--gamma $gamma" theirs= ;;
        sigmoid) type=3 more="--gamma $gamma --coef0 -0.5" theirs="-r -0.5" ;;
        esac
        # shellcheck disable=SC2086
        svm-train -t $type -g "$gamma" $theirs -c "$c" -w1 "$fn" -w-1 "$fp" -e 0.001 -h 0 \
            "$file" t > log
        # shellcheck disable=SC2086
        neyman train -q --json --scale none --kernel $kernel $more -C "$c" \
            --cost-fn "$fn" --cost-fp "$fp" --tol 0.001 "$file" -o m > j
        awk -v what="$file $kernel C $c" '
            FILENAME == "log" && /^obj = / { split($0, part, /[ ,]+/); theirs = -part[3] }
            FILENAME == "j" && /"dual_objective"/ { split($0, part, /[:,]/); ours = part[2] + 0 }
            END { d = (ours - theirs) / theirs
                  if (theirs == "" || d > 1e-4 || d < -1e-4) {
                      printf "%s: dual %.9g, LIBSVM has %.9g\n", what, ours, theirs
                      exit 1 } }' log j >&2
    done
}

awk 'BEGIN { srand(7); for (i = 1; i <= 300; i++) { y = i % 4 ? -1 : 1; printf "%d", y
    for (j = 1; j <= 8; j++) if (rand() < 0.8) printf " %d:%.6g", j, 2 * rand() - 1 + y / 3
    print "" } }' > made.svm
agree made.svm 1 1 1 0.2 linear poly rbf
agree made.svm 10 5 1 0.5 linear poly rbf
agree made.svm 0.01 1 30 0.1 linear poly rbf sigmoid

spam=$(find "${DATA:-/nowhere}" -name 'spambase*train*' 2> /dev/null | head -n 1)
test -n "$spam" || exit 0
neyman convert -q "$spam" --label type all.svm > out
awk 'NR % 3 == 0 { $1 = $1 == "spam" ? 1 : -1; print }' all.svm > mail.svm
awk '{ s = 0; for (i = 2; i <= NF; i++) { split($i, e, ":"); s += e[2] * e[2] }
       printf "%s", $1; s = s > 0 ? sqrt(s) : 1
       for (i = 2; i <= NF; i++) { split($i, e, ":"); printf " %s:%.7g", e[1], e[2] / s }
       print "" }' mail.svm > unit.svm
agree unit.svm 10 1 3 1 linear poly rbf
agree mail.svm 1 1 1 0.0175 rbf
agree mail.svm 10 2 1 0.001 rbf
