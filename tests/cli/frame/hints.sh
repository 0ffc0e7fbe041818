#!/bin/sh
# Options and commands of LIBSVM, LIBLINEAR, scikit-learn, Percolator and mokapot end with exit code 2 and a message that
# names what to use instead; the option it names is one of the command.
set -eu
printf '1 1:0.5\n-1 1:0.2\n1 1:0.7\n-1 1:0.1\n' > d.svm
n=0
while IFS='|' read -r line want; do
    status=0; (eval "neyman $line") > out 2> err || status=$?
    test $status -eq 2 || { echo "exit code $status: $line"; exit 1; }
    grep -q -F -- "$want" err || { echo "$line: expected '$want'"; cat err; exit 1; }
    test ! -s out
    option=$(sed -n 's/.*did you mean \(--*[A-Za-z0-9-]*\).*/\1/p' err)
    if test -n "$option"; then # an option of that command
        command=${line%% *}
        neyman help "$command" --all | grep -q -e "^ .*[ ,]$option[ ,]" -e "^ .*[ ,]$option\$" ||
            { echo "$command has no $option"; exit 1; }
    fi
    n=$((n + 1))
done <<'END'
train -c 10 d.svm -o m|train has no option -c; did you mean -C 10?
train -c10 d.svm -o m|did you mean -C 10?
train d.svm -o m -c|did you mean -C X?
train -t 0 d.svm -o m|did you mean --kernel linear?
train -t 1 d.svm -o m|did you mean --kernel poly?
train -t 2 d.svm -o m|did you mean --kernel rbf?
train -t 3 d.svm -o m|did you mean --kernel sigmoid?
train -t 4 d.svm -o m|--kernel linear, poly, rbf or sigmoid
train -g 0.5 d.svm -o m|did you mean --gamma 0.5?
train -d 2 d.svm -o m|did you mean --degree 2?
train -r 1 d.svm -o m|did you mean --coef0 1?
train -e 0.1 d.svm -o m|did you mean --tol 0.1?
train -m 200 d.svm -o m|did you mean --cache 200?
train -w1 5 d.svm -o m|--cost-fn X for the positive class
train -w-1 5 d.svm -o m|--cost-fp Y for the negative class
train -s 0 d.svm -o m|the goal selects the problem
train -b 1 d.svm -o m|did you mean --calibrate 0.2
predict -b 1 m d.svm|did you mean --probability?
train -n 0.5 d.svm -o m|nu-SVM is not available
train -p 0.1 d.svm -o m|regression is not available
train -h 0 d.svm -o m|-h is --help
train -v 5 d.svm -o m|did you mean 'neyman cv --folds 5'?
tune -v 5 d.svm -o m|did you mean --folds 5?
train d.svm m|'m'; did you mean -o m?
predict m d.svm result|did you mean -o result?
export m extra --format c -o x|expected MODEL
train --class-weight balanced d.svm -o m|--cost-fn X for the positive class
train --class_weight balanced d.svm -o m|--cost-fn X for the positive class
train --scale_pos_weight 3 d.svm -o m|did you mean --cost-fn 3?
train --threshold 0.5 d.svm -o m|neyman evaluate --threshold T
train --trainFDR 0.01 d.pin -o m|did you mean --max-fdr 0.01?
qvalues --testFDR 0.01 m d.pin|did you mean --max-fdr 0.01?
qvalues --test_fdr=0.02 m d.pin|did you mean --max-fdr 0.02?
train --max-fdr 0.01 --decoy-results-psms f d.pin|'neyman qvalues MODEL DATA --decoy-results-psms f'
qvalues --protein-decoy-pattern rev_ m d.pin|did you mean --decoy-prefix rev_?
qvalues --picked-protein a.fasta m d.pin|compete in --results-proteins FILE
train --max-fdr 0.01 -f a.fasta d.pin -o m|no FASTA file is read
qvalues --post-processing-tdc m d.pin|--compete states
train --max-fdr 0.01 -Y d.pin -o m|--compete states
qvalues -y m d.pin|--no-compete counts every row
qvalues -U m d.pin|--results-psms FILE alone
train --max-fdr 0.01 --only-psms d.pin -o m|--results-psms FILE alone
qvalues -t 0.01 m d.pin|did you mean --max-fdr 0.01?
train -F 0.01 d.pin -o m|did you mean --max-fdr 0.01?
qvalues -m psms.tsv m d.pin|did you mean --results-psms psms.tsv?
qvalues -r p.tsv m d.pin|did you mean --results-peptides p.tsv?
qvalues -B p.tsv m d.pin|did you mean --decoy-results-peptides p.tsv?
qvalues -P rev_ m d.pin|did you mean --decoy-prefix rev_?
train --max-fdr 0.01 --decoy_prefix rev_ d.pin -o m|--results-proteins FILE --decoy-prefix rev_
train --max-fdr 0.01 -N 1000 d.pin -o m|did you mean --training-rows 1000?
train --max-fdr 0.01 -S 3 d.pin -o m|did you mean --seed 3?
train --max-fdr 0.01 -W w d.pin -o m|--init-weights FILE of 'neyman train'
qvalues --file_root x m d.pin|--results-psms NAME.psms.tsv
qvalues --dest_dir x m d.pin|--results-psms FOLDER/psms.tsv
train --max-fdr 0.01 --dest_dir x d.pin -o m|-o FILE names the model
train --train_fdr 0.02 d.pin -o m|did you mean --max-fdr 0.02?
train --max-fdr 0.01 --direction Xcorr d.pin -o m|of either direction
train --max-fdr 0.01 --enzyme x d.pin -o m|no protein is digested
qvalues --open_modification_bin_size 1 m d.pin|--by COLUMN
qvalues --peps_algorithm qvality m d.pin|posterior error probabilities
train --max-fdr 0.01 --plugin x d.pin -o m|--trees auto
train --weights w d.pin -o m|'neyman export MODEL --format percolator'
qvalues --static m d.pin|a weights file of Percolator, is used as it is
train --save_models d.pin -o m|in the file of -o MODEL
train --aggregate d.pin -o m|several files are read as one
train --maxiter 5 d.pin -o m|did you mean --max-iter 5?
qvalues --keep_decoys m d.pin|--decoy-results-psms
train --max-fdr 0.01 --folds 3 d.pin|three folds
train --max-fdr 0.01 --fido-protein d.pin|--results-proteins
train --max-fdr 0.01 --protein-report-duplicates d.pin|--shared-peptides group
train --max-fdr 0.01 --fasta f d.pin|no FASTA file
train --num-threads 2 d.svm -o m|did you mean --threads 2?
train --n_jobs 2 d.svm -o m|did you mean --threads 2?
train --random_state 2 d.svm -o m|did you mean --seed 2?
train --cv 5 d.svm -o m|neyman cv --folds 5
train --folds 5 d.svm -o m|neyman cv --folds 5
tune --cv 5 d.svm -o m|did you mean --folds 5?
train --alpha 0.01 d.svm -o m|did you mean --max-fpr 0.01?
certify --delta 0.05 s.tsv --max-fpr 0.1|did you mean --confidence P
predict --predict-proba m d.svm|did you mean --probability
train --standardize d.svm -o m|did you mean --scale standard?
train --pos-label 1 d.svm -o m|did you mean --positive 1?
train --target y d.csv -o m|did you mean --label y?
train --hidden-layer-sizes 5 d.svm -o m|did you mean --network 5?
train --tolerance 0.1 d.svm -o m|did you mean --tol 0.1?
train --lambda 0.1 d.svm -o m|-C X
fit d.svm -o m|did you mean 'train'?
classify m d.svm|did you mean 'predict'?
calibrate s.tsv|did you mean 'certify'?
END
test $n -gt 50
# no advice that the command cannot follow
status=0; neyman convert -c 10 d.svm d.csv > out 2> err || status=$?
test $status -eq 2
grep -q "convert has no option -c$" err
# -h and -v alone keep their meaning
neyman train -h > out
grep -q '^Usage: neyman train' out
