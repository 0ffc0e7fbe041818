#include "hints.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"

/* An option of another program. The first row that fits is used. */
typedef struct option_hint {
    const char
        *typed; /* words; a letter counts with its case; in names case, - and _ do not count */
    const char *value;  /* NULL: any */
    const char *needs;  /* option that the command must have for the advice; NULL: none */
    const char *advice; /* # stands for the value */
} option_hint;

/* clang-format off */
static const option_hint option_hints[] = {
    /* LIBSVM, LIBLINEAR */
    {"-c", NULL, "C",       "did you mean -C #?"},
    {"-t", "0",  "kernel",  "did you mean --kernel linear?"},
    {"-t", "1",  "kernel",  "did you mean --kernel poly?"},
    {"-t", "2",  "kernel",  "did you mean --kernel rbf?"},
    {"-t", "3",  "kernel",  "did you mean --kernel sigmoid?"},
    {"-t", NULL, "kernel",  "the kernel is --kernel linear, poly, rbf or sigmoid; Percolator's FDR is --max-fdr"},
    {"-g", NULL, "gamma",   "did you mean --gamma #?"},
    {"-d", NULL, "degree",  "did you mean --degree #?"},
    {"-r", NULL, "coef0",   "did you mean --coef0 #?"},
    {"-e", NULL, "tol",     "did you mean --tol #?"},
    {"-m", NULL, "cache",   "did you mean --cache #?"},
    {"-w", NULL, "cost-fn", "class weights are costs: --cost-fn X for the positive class, --cost-fp Y for the negative class"},
    {"-s", NULL, "kernel",  "the goal selects the problem: --cost-fn, --max-fpr, --max-fdr, ...; --kernel and --method select the solver"},
    {"-b", NULL, "calibrate", "did you mean --calibrate 0.2, for probabilities? Linear models always have an intercept"},
    {"-b", NULL, "probability", "did you mean --probability?"},
    {"-n", NULL, "C",       "nu-SVM is not available; did you mean -C?"},
    {"-p", NULL, "kernel",  "regression is not available"},
    {"-j", NULL, NULL,      "did you mean --threads #?"},

    /* scikit-learn, XGBoost */
    {"--class-weight",     NULL, "cost-fn", "class weights are costs: --cost-fn X for the positive class, --cost-fp Y for the negative class"},
    {"--class-weights",    NULL, "cost-fn", "class weights are costs: --cost-fn X for the positive class, --cost-fp Y for the negative class"},
    {"--scale-pos-weight", NULL, "cost-fn", "did you mean --cost-fn #?"},
    {"--cost",             NULL, "cost-fn", "there are two costs: --cost-fn X of a false negative, --cost-fp Y of a false positive"},
    {"--threshold",        NULL, "holdout", "the goal determines the threshold: --max-fpr, --max-fnr or costs; 'neyman evaluate --threshold T' evaluates another"},
    {"--alpha",            NULL, "max-fpr", "did you mean --max-fpr #?"},
    {"--fpr",              NULL, "max-fpr", "did you mean --max-fpr #?"},
    {"--fnr",              NULL, "max-fnr", "did you mean --max-fnr #?"},
    {"--delta",            NULL, "confidence", "did you mean --confidence P, with P = 1 - delta?"},
    {"--confidence-level", NULL, "confidence", "did you mean --confidence #?"},
    {"--n-jobs",           NULL, NULL,      "did you mean --threads #?"},
    {"--jobs",             NULL, NULL,      "did you mean --threads #?"},
    {"--random-state",     NULL, "seed",    "did you mean --seed #?"},
    {"--cv",               NULL, "folds",   "did you mean --folds #?"},
    {"--cv",               NULL, "kernel",  "did you mean 'neyman cv --folds #'?"},
    {"--folds",            NULL, "kernel",  "did you mean 'neyman cv --folds #'? Training with --max-fdr has three folds, as Percolator; their number is fixed"},
    {"--grid",             NULL, "kernel",  "did you mean 'neyman tune --grid #'?"},
    {"--predict-proba",    NULL, "probability", "did you mean --probability?"},
    {"--penalty",          NULL, "C",       "did you mean -C #?"},
    {"--regularization",   NULL, "C",       "did you mean -C #?"},
    {"--lambda",           NULL, "C",       "the penalty is -C X: a smaller X regularises more"},
    {"--nu",               NULL, "C",       "nu-SVM is not available; did you mean -C?"},
    {"--eps",              NULL, "tol",     "did you mean --tol #?"},
    {"--epsilon",          NULL, "tol",     "did you mean --tol #?"},
    {"--tolerance",        NULL, "tol",     "did you mean --tol #?"},
    {"--cache-size",       NULL, "cache",   "did you mean --cache #?"},
    {"--iterations",       NULL, "max-iter", "did you mean --max-iter #?"},
    {"--hidden-layer-sizes", NULL, "network", "did you mean --network #?"},
    {"--n-components",     NULL, "features", "did you mean --features #?"},
    {"--standardize",      NULL, "scale",   "did you mean --scale standard?"},
    {"--normalize",        NULL, "scale",   "did you mean --scale standard or --scale unit?"},
    {"--pos-label",        NULL, "positive", "did you mean --positive #?"},
    {"--target",           NULL, "label",   "did you mean --label #?"},
    {"--label-column",     NULL, "label",   "did you mean --label #?"},
    {"--sample-weight",    NULL, "weight",  "did you mean --weight #?"},
    {"--test-size",        NULL, "share",   "did you mean --share #?"},
    {"--model",            NULL, "holdout", "did you mean --output #?"},
    {"--model-file",       NULL, "holdout", "did you mean --output #?"},

    /* Percolator, mokapot; letters that LIBSVM has too are its own where the command trains */
    {"-t -F --trainFDR --testFDR --fdr", NULL, "max-fdr", "did you mean --max-fdr #?"},
    {"--num-threads --max-workers", NULL, NULL, "did you mean --threads #?"},
    {"-m", NULL, "results-psms", "did you mean --results-psms #?"},
    {"--results-psms", NULL, NULL, "files of results are written by 'neyman qvalues MODEL DATA --results-psms #'"},
    {"-M", NULL, "results-psms", "did you mean --decoy-results-psms #?"},
    {"--decoy-results-psms", NULL, NULL, "files of results are written by 'neyman qvalues MODEL DATA --decoy-results-psms #'"},
    {"-M", NULL, "max-fdr", "files of results are written by 'neyman qvalues MODEL DATA --decoy-results-psms #'"},
    {"-r", NULL, "results-psms", "did you mean --results-peptides #?"},
    {"--results-peptides", NULL, NULL, "files of results are written by 'neyman qvalues MODEL DATA --results-peptides #'"},
    {"-B", NULL, "results-psms", "did you mean --decoy-results-peptides #?"},
    {"--decoy-results-peptides", NULL, NULL, "files of results are written by 'neyman qvalues MODEL DATA --decoy-results-peptides #'"},
    {"-B", NULL, "max-fdr", "files of results are written by 'neyman qvalues MODEL DATA --decoy-results-peptides #'"},
    {"-l", NULL, "results-psms", "did you mean --results-proteins #?"},
    {"--results-proteins", NULL, NULL, "files of results are written by 'neyman qvalues MODEL DATA --results-proteins #'"},
    {"-l", NULL, "max-fdr", "files of results are written by 'neyman qvalues MODEL DATA --results-proteins #'"},
    {"-L", NULL, "results-psms", "did you mean --decoy-results-proteins #?"},
    {"--decoy-results-proteins", NULL, NULL, "files of results are written by 'neyman qvalues MODEL DATA --decoy-results-proteins #'"},
    {"-L", NULL, "max-fdr", "files of results are written by 'neyman qvalues MODEL DATA --decoy-results-proteins #'"},
    {"--dest-dir -d", NULL, "results-psms", "name each file: --results-psms FOLDER/psms.tsv, --results-peptides, --results-proteins"},
    {"--dest-dir --file-root", NULL, "training-rows", "-o FILE names the model; files of results are named by options of 'neyman qvalues'"},
    {"--file-root", NULL, "results-psms", "name each file: --results-psms NAME.psms.tsv, --results-peptides, --results-proteins"},
    {"-P --protein-decoy-pattern", NULL, "decoy-prefix", "did you mean --decoy-prefix #?"},
    {"--protein-decoy-pattern --decoy-prefix -P", NULL, "max-fdr", "proteins are used by 'neyman qvalues MODEL DATA --results-proteins FILE --decoy-prefix #'"},
    {"-f --picked-protein --proteins --fasta", NULL, "results-proteins", "no FASTA file is read: proteins are those of the rows; they and their decoys compete in --results-proteins FILE"},
    {"-f --picked-protein --proteins --fasta", NULL, "max-fdr", "no FASTA file is read: 'neyman qvalues MODEL DATA --results-proteins FILE' uses the proteins of the rows"},
    {"-z --protein-enzyme --enzyme --missed-cleavages --clip-nterm-methionine --min-length --max-length --semi", NULL, "max-fdr", "no protein is digested: proteins are those of the rows"},
    {"-g --protein-report-duplicates -c --protein-report-fragments", NULL, "shared-peptides", "proteins with the same peptides are one group with --shared-peptides group"},
    {"--protein-report-duplicates --protein-report-fragments", NULL, "max-fdr", "proteins with the same peptides are one group with --shared-peptides group of 'neyman qvalues MODEL DATA --results-proteins FILE'"},
    {"-A --fido-protein", NULL, "max-fdr", "Fido is not offered; proteins compete with their decoys: 'neyman qvalues MODEL DATA --results-proteins FILE'"},
    {"-U --only-psms --skip-rollup", NULL, "max-fdr", "levels are written where a file is named: --results-psms FILE alone"},
    {"-Y --post-processing-tdc", NULL, "max-fdr", "the best match of each spectrum takes part by default; --compete states that one decoy competed with each target"},
    {"-y --post-processing-mix-max", NULL, "no-compete", "mix-max is not offered; --no-compete counts every row"},
    {"-I --search-input", NULL, "max-fdr", "separate or concatenated is recognised from the rows; --compete and --no-compete state it"},
    {"-V --default-direction --direction", NULL, "max-fdr", "training begins with the best single feature of either direction; no option is needed"},
    {"-N --subset-max-train", NULL, "training-rows", "did you mean --training-rows #?"},
    {"-i --maxiter", NULL, "max-iter", "did you mean --max-iter #?"},
    {"-S", NULL, "seed", "did you mean --seed #?"},
    {"-u --unitnorm", NULL, "scale", "did you mean --scale unit?"},
    {"-p --Cpos --Cneg", NULL, "C", "did you mean -C #?"},
    {"-K --protein-name-separator", NULL, "protein", "proteins of one row are separated by tabs or semicolons"},
    {"-J --tab-out", NULL, NULL, "the features of DATA are written by 'neyman convert DATA FILE.pin'"},
    {"--stdinput --stdinput-tab", NULL, NULL, "- stands for standard input: 'neyman train --max-fdr 0.01 - -o MODEL'"},
    {"--tab-in", NULL, NULL, "the format is recognised: 'neyman train --max-fdr 0.01 # -o MODEL'"},
    {"-X --xmloutput -Z --decoy-xml-output --pepxml-output -k --xml-in -s --no-schema-validation", NULL, "max-fdr", "XML is neither read nor written; tables are: --results-psms FILE"},
    {"-w --weights", NULL, "max-fdr", "the model is the file of -o MODEL; 'neyman export MODEL --format percolator' writes its weights"},
    {"-W --init-weights", NULL, "max-fdr", "--init-weights FILE of 'neyman train' begins there; 'neyman qvalues FILE DATA' uses the weights as they are"},
    {"--static", NULL, NULL, "a model, or a weights file of Percolator, is used as it is by 'neyman qvalues MODEL DATA'"},
    {"--save-models", NULL, NULL, "the models of all folds are in the file of -o MODEL"},
    {"--load-models", NULL, NULL, "'neyman qvalues MODEL DATA' uses a trained model"},
    {"--testset", NULL, NULL, "did you mean 'neyman qvalues MODEL TESTSET'?"},
    {"-x --quick-validation --nested-xval-bins", NULL, "max-fdr", "three folds, as in Percolator; their number is fixed"},
    {"-R --test-each-iteration", NULL, "max-fdr", "the result of training has the accepted targets of each stage"},
    {"-O --override", NULL, "max-fdr", "training keeps the stage that accepts most targets; a trained model is used as it is"},
    {"-o --no-terminate", NULL, "max-fdr", "a model that accepts nothing is written too; no option is needed"},
    {"--train-fdr-initial", NULL, "max-fdr", "where few targets are accepted, training doubles the rate until there are some; no option is needed"},
    {"--train-best-positive", NULL, "max-fdr", "at most one target of each spectrum is learned from; no option is needed"},
    {"--spectral-counting-fdr", NULL, NULL, "count the rows of --results-psms FILE for each protein"},
    {"--keep-decoys", NULL, NULL, "decoys are written to --decoy-results-psms, --decoy-results-peptides and --decoy-results-proteins"},
    {"--skip-deduplication", NULL, "max-fdr", "did you mean --no-compete, which counts every row?"},
    {"--ensemble", NULL, "max-fdr", "rows that were not trained on are scored by the mean of the three models; no option is needed"},
    {"--peps-algorithm --irls-pep --ip-pep --pava-pep --peps-error", NULL, "max-fdr", "posterior error probabilities are estimated in one way; no option is needed"},
    {"--qvalue-algorithm", NULL, "max-fdr", "(D + 1) / T where rows compete; --fdr-convention and --no-plus-one change it"},
    {"--open-modification --open-modification-bin-size", NULL, "max-fdr", "name the groups with --by COLUMN of 'neyman qvalues'"},
    {"--aggregate", NULL, NULL, "several files are read as one: 'neyman train --max-fdr 0.01 run*.pin -o MODEL'"},
    {"--plugin", NULL, "max-fdr", "a network is --network 5, boosted trees are --trees auto"},
    {"--parameter-file", NULL, NULL, "there is no file of options; write them on the command line"},
    {"--no-analytics", NULL, NULL, "nothing is reported to anyone; no option is needed"},
    {"--suppress-warnings", NULL, NULL, "did you mean -q?"},
    {"--verbosity", NULL, NULL, "did you mean --verbose, or -q?"},
    {"--sqlite-db-path", NULL, "max-fdr", "tables are written: --results-psms FILE"},
    {"--stream-confidence", NULL, "max-fdr", "no option is needed"},
};

static const struct {
    const char *typed, *use;
} command_hints[] = {
    {"fit", "train"}, {"learn", "train"}, {"svm-train", "train"},
    {"classify", "predict"}, {"score", "predict"}, {"svm-predict", "predict"},
    {"test", "evaluate"}, {"validate", "evaluate"},
    {"cross-validate", "cv"}, {"gridsearch", "tune"},
    {"calibrate", "certify"}, {"threshold", "certify"}, {"fdr", "qvalues"},
    {"inspect", "info"}, {"describe", "info"}, {"version", "--version"},
};
/* clang-format on */

/* The next byte of a name that counts, as a small letter. */
static int next_letter(const char **at, const char *end)
{
    while (*at < end && (**at == '-' || **at == '_')) {
        (*at)++;
    }
    return *at < end ? tolower((unsigned char)*(*at)++) : 0;
}

static bool is_same_option(const char *typed, size_t length, const char *known, size_t known_length)
{
    const char *const end = typed + length, *const known_end = known + known_length;

    if (known[1] != '-') { /* "-w1" is the letter w with a value */
        return length >= 2 && typed[1] == known[1];
    }
    if (length < 2 || typed[1] != '-') {
        return false;
    }
    for (int a, b;;) {
        a = next_letter(&typed, end);
        b = next_letter(&known, known_end);
        if (a != b || a == 0) {
            return a == b;
        }
    }
}

static bool is_one_of(const char *typed, size_t length, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        if (is_same_option(typed, length, words, n)) {
            return true;
        }
    }
    return false;
}

static bool command_has(const command *c, const char *name)
{
    option_place at;

    return !name || option_find(c, name, strlen(name), 0, &at);
}

/* The advice with the value in place of each #. */
static void put_advice(const char *advice, const char *value, char text[HINT_TEXT])
{
    const size_t n = strcspn(advice, "#");

    snprintf(text, HINT_TEXT, "%.*s%.60s%s", (int)n, advice,
             !advice[n] ? ""
             : value    ? value
                        : "X",
             advice[n] ? advice + n + 1 : "");
}

bool hint_for_option(const command *c, const char *typed, size_t length, const char *value,
                     char text[HINT_TEXT])
{
    for (int64_t k = 0; k < COUNT(option_hints); k++) {
        const option_hint *h = &option_hints[k];
        if (is_one_of(typed, length, h->typed) && command_has(c, h->needs) &&
            (!h->value || (value && strcmp(h->value, value) == 0))) {
            put_advice(h->advice, value, text);
            return true;
        }
    }
    return false;
}

const char *hint_for_command(const char *name)
{
    for (int64_t k = 0; k < COUNT(command_hints); k++) {
        if (strcmp(command_hints[k].typed, name) == 0) {
            return command_hints[k].use;
        }
    }
    return NULL;
}
