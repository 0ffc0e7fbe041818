#!/bin/sh
# Run the benchmarks, or those named: bench/run.sh [read ...]. Peers that are not installed are left out.
#
#   read decide                         reading, decisions from scores
#   speed                               training against LIBSVM and LIBLINEAR, bounded rates against one fit, growth
#   svm_rbf svm_linear score growth     training and scoring
#   np tune_time                        bounded rates, tuning
#   reject                              both solvers of the double hinge, what decisions cost
#   serving export importance           ways to serve a model; exports against predict; importance against scikit-learn; not by default
#   path                                whole lines of costs against one training
#   startup                             short commands, from start to end
#   python_scores                       the Python package on 10^7 scores, not by default: it must be installed
#   fdr                                 discoveries under a false-discovery rate, real and simulated
#   python                              the Python package, not by default: it needs ./run python
#   large                               linear training on 0.9 GB, not by default: it takes minutes
#   quality                             bounded rates at the same FPR against scikit-learn, not by default: it takes hours
#   tune                                tuned models against scikit-learn's, not by default: it takes hours
#
# NEY_BENCH_RUNS runs of each (3), NEY_BENCH_DIR for generated files, NEY_BENCH_MOST_ROWS to try one out.
set -eu
cd "$(dirname "$0")"
python=python3
for candidate in /usr/bin/python3 python3; do # scikit-learn may live in the system's Python only
    if "$candidate" -c 'import sklearn' 2> /dev/null; then
        python=$candidate
        break
    fi
done
[ $# -gt 0 ] || set -- read decide svm_rbf svm_linear score growth np tune_time online fdr path startup
failed=0
for name in "$@"; do
    case $name in
    speed)
        for part in svm_rbf.py svm_linear.py "np.py linear" growth.py; do
            # shellcheck disable=SC2086 # a script and its arguments
            "$python" $part || failed=1
        done
        ;;
    large) "$python" svm_linear.py large || failed=1 ;;
    tune) "$python" tune.py quality || failed=1 ;;
    quality)
        small=breast,pima,liver,ionosphere,wdbc
        "$python" quality.py --peers && "$python" quality.py --sets $small --draws 10 --variants "tune linear,train -C auto linear,train linear,candidates" &&
            "$python" quality.py --report || failed=1
        ;;
    tune_time)
        "$python" tune.py time || failed=1
        "$python" tune.py rows || failed=1
        ;;
    *) "$python" "$name.py" || failed=1 ;;
    esac
done
exit $failed
