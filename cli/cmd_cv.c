/* neyman cv: cross-validation of a whole procedure, from scaling to the certified threshold. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "folds.h"
#include "groups.h"
#include "labelled.h"
#include "learning.h"
#include "result.h"

typedef struct cv_args {
    int64_t repeats;
    bool tune;
    int scale;
} cv_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(cv_args, field)
    /* name     flag kind           offset       default low high  arg  choices help */
    {"repeats", 0,   NEY_KIND_INT,  AT(repeats), 1,      1,  1000, "R", NULL, "number of random partitions into folds; estimates are means over them"},
    {"tune",    0,   NEY_KIND_FLAG, AT(tune),    0,      0,  0,    NULL, NULL, "choose C, gamma and other settings as 'neyman tune' does, in each fold anew, by --folds folds of its training rows"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Cross-validation",
                                       .topics = scale_topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(cv_args)};

static const option_set tuning_options = {.title = "Grid and validation",
                                          .from = ney_tune_params,
                                          .bytes = sizeof(ney_tune_opts),
                                          .omit = "table fresh",
                                          .where = ney_tune_where};

/* A run: losses of each row, summed over repeats. */
typedef struct cross_validation {
    session *s;
    const ney_data *data; /* raw */
    const ney_train_opts *opts;
    const ney_tune_opts *tune;
    int64_t n;
    int folds, repeats;
    int *fold_of;
    int64_t *rows; /* workspace */
    double *score;
    double *error, *rejected; /* by row */
    ney_result *table;
} cross_validation;

static ney_status train_fold(const cross_validation *cv, const ney_data *train, ney_model **model)
{
    const cv_args *args = options_of(cv->s->call, &own_options);
    ney_train_opts o = *cv->opts;
    ney_tune_info info = {0};

    if (args->tune) {
        return ney_tune(model, &cv->s->env, train, NULL, &o, cv->tune, &info, &cv->s->err);
    }
    if (ney_train_check(&o, &cv->s->err) != NEY_OK) { /* the seed may be for the folds alone */
        o.seed = 1;
    }
    return ney_train(model, &cv->s->env, train, &o, NULL, &cv->s->err);
}

/* One line of the table of folds. */
static void add_fold(const cross_validation *cv, int repeat, int fold, const ney_counts *c,
                     double threshold)
{
    ney_result *row = ney_result_add_object(cv->table, NULL);
    const int64_t n_pos = c->tp + c->fn + c->rejected_pos, n_neg = c->tn + c->fp + c->rejected_neg;

    ney_result_add_int(row, "repeat", repeat + 1);
    ney_result_add_int(row, "fold", fold + 1);
    ney_result_add_int(row, "n_pos", n_pos);
    ney_result_add_int(row, "n_neg", n_neg);
    ney_result_add_real(row, "fpr", n_neg > 0 ? (double)c->fp / (double)n_neg : (double)NAN);
    ney_result_add_real(row, "fnr", n_pos > 0 ? (double)c->fn / (double)n_pos : (double)NAN);
    ney_result_add_real(row, "threshold", threshold);
}

/* Score the rows of a fold by a model of the others, and add their losses. */
static ney_status score_fold(cross_validation *cv, int repeat, int fold, const ney_model *model,
                             const ney_data *test)
{
    const int8_t *const label = ney_data_label(test);
    const int64_t m = fold_rows(cv->fold_of, cv->n, fold, true, cv->rows);
    double low, high;
    const ney_status st =
        ney_model_score(model, &cv->s->env, ney_data_matrix(test), cv->score, &cv->s->err);

    if (st != NEY_OK) {
        return st;
    }
    ney_model_thresholds(model, &low, &high);
    const ney_counts c = ney_count(cv->score, label, m, low, high);
    for (int64_t k = 0; k < m; k++) {
        const bool pos = cv->score[k] >= high, neg = cv->score[k] < low;
        cv->error[cv->rows[k]] += label[k] > 0 ? neg : pos;
        cv->rejected[cv->rows[k]] += !pos && !neg;
    }
    add_fold(cv, repeat, fold, &c, high);
    return NEY_OK;
}

/* The scaling as train has it, or with --tune as tune does, as a value of the option. */
static int scale_of_folds(const cross_validation *cv)
{
    const cv_args *args = options_of(cv->s->call, &own_options);

    return args->tune && args->scale == 0 ? (int)ney_tune_scaling(cv->data, cv->opts) + 1
                                          : args->scale;
}

static ney_status run_fold(cross_validation *cv, int repeat, int fold)
{
    ney_data *train = NULL, *test = NULL;
    ney_model *model = NULL;

    session_say(cv->s, NEY_LOG_DETAIL, "repeat %d, fold %d", repeat + 1, fold + 1);
    ney_status st =
        fold_take(cv->s, cv->data, cv->fold_of, fold, cv->opts, scale_of_folds(cv), &train, &test);
    if (st == NEY_OK && (st = train_fold(cv, train, &model)) == NEY_OK) {
        st = score_fold(cv, repeat, fold, model, test);
    }
    ney_model_free(model);
    ney_data_free(test);
    ney_data_free(train);
    return st;
}

static ney_status run_repeats(cross_validation *cv)
{
    double *share = malloc((size_t)cv->folds * sizeof *share);
    ney_status st = share ? NEY_OK : out_of_memory(&cv->s->err, "the folds");

    for (int k = 0; share && k < cv->folds; k++) {
        share[k] = 1;
    }
    for (int r = 0; st == NEY_OK && r < cv->repeats; r++) {
        const uint64_t seed = (uint64_t)cv->opts->seed + 0x9e3779b97f4a7c15u * (uint64_t)r;
        st = ney_data_split(cv->data, share, cv->folds, seed, cv->fold_of, &cv->s->err);
        for (int k = 0; st == NEY_OK && k < cv->folds; k++) {
            const ney_progress at = {.stage = "cross-validation",
                                     .done = (double)r * cv->folds + k,
                                     .total = (double)cv->repeats * cv->folds,
                                     .value = (double)NAN};
            st = cv->s->env.poll(cv->s, &at) ? run_fold(cv, r, k) : NEY_ECANCELLED;
        }
    }
    free(share);
    return st;
}

/* ------------------------------------------------------------------ estimates */

/* The mean loss of the rows of a class (0: of both) with its interval. For 0-1 losses the variance
 * of the central limit theorem is that of a binomial, so that the exact interval is its
 * conservative form; means over repeats are rounded outwards. */
static ney_status add_mean(const cross_validation *cv, ney_result *root, const char *key,
                           const double *loss, int sign, const uint64_t *group)
{
    const int8_t *const label = ney_data_label(cv->data);
    char name[64];
    double hits = 0, low, high, unused;
    int64_t n = 0;

    for (int64_t i = 0; i < cv->n; i++) {
        const bool counts = sign == 0 || label[i] == sign;
        cv->score[i] = counts ? loss[i] / cv->repeats : (double)NAN;
        hits += counts ? cv->score[i] : 0;
        n += counts;
    }
    if (group) {
        return groups_mean(cv->s, root, key, cv->score, group, cv->n, 1);
    }
    ney_interval((int64_t)floor(hits + 1e-9), n, 0.95, &low, &unused);
    ney_interval((int64_t)ceil(hits - 1e-9), n, 0.95, &unused, &high);
    snprintf(name, sizeof name, "%s_interval", key);
    ney_result_add_real(root, key, hits / (double)n);
    ney_result_add_interval(root, name, low, high);
    return NEY_OK;
}

static ney_status add_estimates(const cross_validation *cv, ney_result *root, const uint64_t *group)
{
    ney_status st;

    if ((st = add_mean(cv, root, "fpr", cv->error, -1, group)) != NEY_OK ||
        (st = add_mean(cv, root, "fnr", cv->error, 1, group)) != NEY_OK ||
        (st = add_mean(cv, root, "error_rate", cv->error, 0, group)) != NEY_OK ||
        (st = add_mean(cv, root, "reject_rate", cv->rejected, 0, group)) != NEY_OK) {
        return st;
    }
    ney_result_add_text(root, "interval_kind",
                        "asymptotic, for the mean error of these models (Bayle et al. 2020), not "
                        "of a model trained on all rows");
    return NEY_OK;
}

static ney_status report(cross_validation *cv, ney_result *root)
{
    const cv_args *args = options_of(cv->s->call, &own_options);
    const class_counts n = count_classes(cv->data);
    uint64_t *group = NULL;
    double fpr = 0, fnr = 0;
    ney_status st = NEY_OK;

    ney_result_add_int(root, "n", cv->n);
    ney_result_add_int(root, "n_pos", n.pos);
    ney_result_add_int(root, "n_neg", n.neg);
    ney_result_add_int(root, "repeats", cv->repeats);
    if (ney_data_group_column(cv->data)) {
        group = malloc((size_t)(cv->n + 1) * sizeof *group);
        st = group ? ney_data_groups(cv->data, group, &cv->s->err)
                   : out_of_memory(&cv->s->err, "the groups");
    }
    if (st == NEY_OK) {
        st = add_estimates(cv, root, group);
    }
    free(group);
    if (st != NEY_OK) {
        return st;
    }
    (void)ney_result_get_real(root, "fpr", &fpr);
    (void)ney_result_get_real(root, "fnr", &fnr);
    ney_result_headline(root,
                        "On average the %d models flag %.3g %% of negatives and miss %.3g %% of "
                        "positives among rows held out of their training.",
                        cv->folds * cv->repeats, 100 * fpr, 100 * fnr);
    if (!args->tune && learning_chooses(cv->s)) {
        ney_result_headline(root, "Their C is 1, as with 'neyman train -C 1'; without -C 'train' "
                                  "chooses C if rows suffice for folds. --tune chooses it here.");
    }
    ney_result_add_real(root, "seconds", session_seconds(cv->s));
    return NEY_OK;
}

/* ------------------------------------------------------------------ the command */

static int cross_validate(cross_validation *cv)
{
    session *const s = cv->s;
    ney_result *root = result_new();
    ney_status st;

    cv->fold_of = malloc((size_t)(cv->n + 1) * sizeof *cv->fold_of);
    cv->rows = malloc((size_t)(cv->n + 1) * sizeof *cv->rows);
    cv->score = malloc((size_t)(cv->n + 1) * sizeof *cv->score);
    cv->error = calloc((size_t)cv->n + 1, sizeof *cv->error);
    cv->rejected = calloc((size_t)cv->n + 1, sizeof *cv->rejected);
    cv->table = ney_result_add_array(root, "folds");
    st = cv->fold_of && cv->rows && cv->score && cv->error && cv->rejected
             ? run_repeats(cv)
             : out_of_memory(&s->err, "the losses of rows");
    if (st == NEY_OK) {
        st = report(cv, root);
    }
    if (st == NEY_OK) {
        result_print(s, root);
    } else {
        ney_result_free(root);
    }
    free(cv->fold_of);
    free(cv->rows);
    free(cv->score);
    free(cv->error);
    free(cv->rejected);
    return st == NEY_OK ? EXIT_OK : learning_refuse(s, st);
}

static int run(session *s)
{
    const cv_args *args = options_of(s->call, &own_options);
    ney_data *data = NULL;
    int code = learning_check_missing(s);

    if (code == EXIT_OK && (code = learning_read_rows(s, false, &data)) == EXIT_OK) {
        cross_validation cv = {.s = s,
                               .data = data,
                               .opts = options_of(s->call, &learning_options),
                               .tune = options_of(s->call, &tuning_options),
                               .n = ney_data_matrix(data)->rows,
                               .repeats = (int)args->repeats};
        cv.folds = (int)cv.tune->folds;
        code = cross_validate(&cv);
    }
    ney_data_free(data);
    return code;
}

static bool has_tuning(const invocation *call)
{
    return ((const cv_args *)options_of(call, &own_options))->tune;
}

static const option_rule rules[] = {
    {"grid criterion at no-extend refine average search-rows", has_tuning, "--tune"},
    {NULL, NULL, NULL}};

const command command_cv = {
    .name = "cv",
    .operands = "DATA...",
    .group = "Training",
    .summary = "estimate the error rates of a whole procedure by cross-validation",
    .description =
        "Divides the rows of DATA into folds, trains (with --tune: tunes) a model on the rows of "
        "all folds but one, scaling and certificate included, and measures it on that fold, for "
        "each fold. The goal is stated as for 'neyman train'. Rows of a group (--group) stay in "
        "one fold. No model is written.",
    .details =
        "The estimates are means over the models of all folds. Their intervals are asymptotic and "
        "are those of the mean error of these models (Bayle et al. 2020), which were trained on "
        "a part of the rows; they are not intervals for a model trained on all rows. They assume "
        "that one row more or less changes the model little. With --repeats the losses of a row "
        "are averaged; the interval is not narrowed by repeats. With groups the rate is the mean "
        "over groups. Without --tune and -C, C is 1. Where 'neyman train' chooses C, estimate "
        "'neyman train -C 1', or choose it here too: --tune --grid quick --average 5 searches the "
        "same grid, by --folds folds instead of three and on all rows.",
    .everyday = "max-fpr max-fnr confidence cost-fn cost-fp kernel tune grid folds repeats label "
                "positive group scale json help",
    .examples = {{"Which error rates does this procedure give?",
                  "neyman cv --max-fpr 0.05 --kernel rbf train.svm"},
                 {"With tuning in each fold, three times:",
                  "neyman cv --cost-fp 5 --tune --repeats 3 mail.csv --label class"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_INTERRUPTED},
    .sets = {&learning_options, &tuning_options, &own_options, &read_options},
    .omit = "decoys max-fdr fdr-convention compete no-compete size-correct plus-one no-plus-one "
            "spectrum peptide "
            "init-weights training-rows "
            "conformal conformal-folds calibrate calibrate-folds memory no-fingerprint checkpoint "
            "checkpoint-every resume max-time",
    .rules = rules,
    .run = run,
};
