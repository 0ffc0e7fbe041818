#!/bin/sh
# Invalid mixtures: exit 3 with the position and the reason; nothing on standard output.
set -eu
try() { # text of the file, words that the message must hold
    printf '%s' "$1" > mix.json
    status=0
    neyman asymmetry mix.json > out 2> err || status=$?
    if [ $status -ne 3 ] || [ -s out ] || ! grep -qF -- "$2" err; then
        echo "exit $status for $1"
        cat err
        exit 1
    fi
    grep -q '^neyman: mix.json:' err
}
good='{"weight": 1, "mean": [0], "cov": [[1]]}'
try '{"p_pos": 0.5, "positive": [' 'is not JSON from here on'
try '{"p_pos": 0.5} x' 'is not JSON from here on'
try '{}' 'has no number "p_pos"'
try "{\"p_pos\": 0.5, \"positive\": [$good]}" 'has no "negative"'
try "{\"p_pos\": 0.5, \"positive\": [], \"negative\": [$good]}" 'has no "positive"'
try "{\"p_pos\": 1, \"positive\": [$good], \"negative\": [$good]}" 'share of the positive class is 1'
try "{\"p_pos\": 0.5, \"positive\": [$good], \"negative\": [{\"mean\": [0, 1], \"cov\": [[1]]}]}" 'the mean of negative[0] has 2 entries, expected 1'
try "{\"p_pos\": 0.5, \"positive\": [$good], \"negative\": [{\"mean\": [0]}]}" 'the cov of negative[0] does not have 1 rows'
try "{\"p_pos\": 0.5, \"positive\": [$good], \"negative\": [{\"mean\": [0], \"cov\": [[\"x\"]]}]}" 'entry 1 of row 1 of the cov of negative[0] is not a number'
try "{\"p_pos\": 0.5, \"positive\": [$good], \"negative\": [{\"mean\": [0], \"cov\": [[0]]}]}" 'variance of column 1 is 0'
try "{\"p_pos\": 0.5, \"positive\": [$good], \"negative\": [{\"mean\": [0], \"cov\": [[-1]]}]}" 'not positive definite'
try "{\"p_pos\": 0.5, \"positive\": [{\"mean\": [0, 0], \"cov\": [[1, 1], [1, 1]]}], \"negative\": [{\"mean\": [0, 0], \"cov\": [[1, 0], [0, 1]]}]}" 'positive component 1 is singular'
try "{\"p_pos\": 0.5, \"positive\": [$good], \"negative\": [{\"weight\": 0, \"mean\": [0], \"cov\": [[1]]}]}" 'weight of negative component 1 is 0'
try "{\"p_pos\": 0.5, \"positive\": [$good, {\"weight\": 1e308, \"mean\": [0], \"cov\": [[1]]}], \"negative\": [$good]}" 'weight of positive component 2 is 1e+308'
try "{\"p_pos\": 0.5, \"positive\": [{\"mean\": [1e200], \"cov\": [[1]]}], \"negative\": [$good]}" 'beyond 1e+100'
try "{\"p_pos\": 0.5, \"positive\": [{\"mean\": [0,0,0,0,0,0,0,0,0]}, {}, {}, {}, {}, {}], \"negative\": [{}, {}]}" 'has 8 components and 9 entries'
printf '{"p_pos": 0.5, "positive": [%s], "negative": [%s]}\000x' "$good" "$good" > mix.json
status=0
neyman asymmetry mix.json > out 2> err || status=$?
test $status -eq 3 && grep -q 'has a NUL at byte' err

# what is on the command line is a matter of exit 2
cat > mix.json <<JSON
{"p_pos": 0.5, "positive": [{"mean": [1], "cov": [[1]]}], "negative": [$good]}
JSON
misuse() {
    status=0
    neyman asymmetry "$@" > out 2> err || status=$?
    test $status -eq 2 || { echo "exit $status: $*"; cat err; exit 1; }
}
misuse mix.json --gamma 0.1,x
misuse mix.json --gamma 0.1,,0.2
misuse mix.json --gamma 1.5
misuse mix.json --gamma 1e-16
misuse mix.json --plot chart.jpg
grep -q '.svg, .png or .pdf' err
misuse mix.json --loss logistic
misuse mix.json --save-mixture other.json
misuse mix.json -o - --json
misuse mix.json --for-cost-fn 0
status=0; neyman asymmetry mix.json --plot no/such/chart.svg > out 2> err || status=$?
test $status -eq 1
status=0; neyman asymmetry none.json > out 2> err || status=$?
test $status -eq 1

# equal covariances and equal means are no errors
neyman asymmetry mix.json --json > out
grep -q '"regime_at_0":.*"undecided"' out
cat > mix.json <<JSON
{"p_pos": 0.5, "positive": [$good], "negative": [{"mean": [0], "cov": [[4]]}]}
JSON
neyman asymmetry mix.json | grep -q 'class means are equal'
neyman asymmetry mix.json --loss erf --plot same.svg --json > out
test -s same.svg
