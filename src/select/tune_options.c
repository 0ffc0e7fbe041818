/* The options of tuning, and when each is read. */
#include "select/tune_options.h"

#include "learn/goal.h"
#include "learn/method.h"
#include "select/folds.h"
#include "select/tuner.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define AT(field) offsetof(ney_tune_opts, field)
#define NONE ((double)NAN)

/* clang-format off */
static const ney_param params[] = {
    /* name       flag kind             field          initial low  high  arg   choices */
    {"grid",      0,   NEY_KIND_TEXT,   AT(grid),      0,    0, 0,   "AXES",  NULL,
     "values to try: \"C=0.1:1000:9 gamma=0.01,0.1\" means 9 values of C from 0.1 to 1000, geometrically spaced, and 2 values of gamma; quick: the small grid of train -C auto"},
    {"folds",     0,   NEY_KIND_INT,    AT(folds),     4,    2, NEY_MOST_FOLDS, "K",     NULL,
     "number of folds of cross-validation"},
    {"criterion", 0,   NEY_KIND_CHOICE, AT(criterion), 0,    0, 7,   "WHAT",  "auto rate cost auc pauc discoveries rejects expected",
     "quantity to optimise; auto: expected for one bounded rate, rejects for two, discoveries for --max-fdr, otherwise cost"},
    {"at",        0,   NEY_KIND_REAL,   AT(at),        NONE, 1e-9, 1, "RATE", NULL,
     "for pauc: the false-positive rate up to which the area is measured; for discoveries: the false-discovery rate"},
    {"no-extend", 0,   NEY_KIND_FLAG,   AT(no_extend), 0,    0, 0,   NULL,    NULL,
     "do not extend the grid where the best point is at its edge"},
    {"refine",    0,   NEY_KIND_INT,    AT(refine),    1,    0, 5,   "N",     NULL,
     "number of refinements of the grid: half steps around the best point"},
    {"average",   0,   NEY_KIND_INT,    AT(average),   10,   1, NEY_MOST_AVERAGED, "N", NULL,
     "train with the N best points of the best kernel, of all methods tried (at most half of those points), and average the models"},
    {"table",     0,   NEY_KIND_TEXT,   AT(table),     0,    0, 0,   "FILE",  NULL,
     "file for the table of all results, from which an interrupted run continues; default: the name of the model with .tune.tsv"},
    {"fresh",     0,   NEY_KIND_FLAG,   AT(fresh),     0,    0, 0,   NULL,    NULL,
     "start over, whatever results the table holds"},
    {"search-rows", 0, NEY_KIND_INT,   AT(search_rows), 0,   0, 1e15, "N",   "auto all",
     "rows of each class that a fit of the search learns from, drawn at random; the best points are compared on all rows. auto: a part where there are many rows and no kernel; all: no part is drawn"},
};
/* clang-format on */

enum { N_PARAMS = sizeof params / sizeof *params };

const ney_param *ney_tune_params(int64_t *n_params)
{
    *n_params = N_PARAMS;
    return params;
}

ney_tune_opts ney_tune_opts_or_default(const ney_tune_opts *opts)
{
    ney_tune_opts o;
    ney_params_init(params, N_PARAMS, &o);
    return opts ? *opts : o;
}

/* ---------------------------------------------------------------- when an option is read */

/* What says whether an option of tuning is read. */
typedef struct tuning {
    const ney_tune_opts *o;
    const ney_train_opts *train;
    bool has_valid;
} tuning;

static bool has_folds(const tuning *t)
{
    return !t->has_valid;
}

static bool has_criterion_at(const tuning *t)
{
    const ney_criterion criterion = t->o->criterion == NEY_CRITERION_AUTO
                                        ? ney_request_of(t->train).goal->criterion
                                        : t->o->criterion;
    return criterion == NEY_CRITERION_PAUC || criterion == NEY_CRITERION_DISCOVERIES;
}

int64_t ney_tune_most_averaged(const ney_tune_opts *o, const ney_train_opts *train)
{
    const ney_request r = ney_request_of(train);
    return r.kind == NEY_GOAL_RATE && !r.learner->make ? o->average : 1;
}

bool ney_tune_takes_parts(const ney_train_opts *train)
{
    const ney_request r = ney_request_of(train);
    return (r.kind == NEY_GOAL_RATE || r.kind == NEY_GOAL_COST) && !r.learner->make &&
           !r.learner->train;
}

static bool has_average(const tuning *t)
{
    const ney_tune_opts several = {.average = 2};
    return ney_tune_most_averaged(&several, t->train) > 1;
}

static bool has_table(const tuning *t)
{
    return t->o->table != NULL;
}

static bool has_search_rows(const tuning *t)
{
    return ney_tune_takes_parts(t->train);
}

/* One entry for every row above that is not always read. */
static const struct use {
    const char *name;
    bool (*when)(const tuning *t);
    const char *where;
} uses[] = {
    {"folds", has_folds, "cross-validation, not to --valid"},
    {"at", has_criterion_at, "--criterion pauc or discoveries"},
    {"average", has_average, "--max-fpr or --max-fnr with a method other than online"},
    {"fresh", has_table, "--table"},
    {"search-rows", has_search_rows, "costs and one bounded rate, with linear and kernel methods"},
};

const char *ney_tune_where(const char *name)
{
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        if (strcmp(uses[k].name, name) == 0) {
            return uses[k].where;
        }
    }
    return NULL;
}

ney_status ney_tune_options_check(const ney_tune_opts *opts, const ney_train_opts *train,
                                  bool has_valid, ney_error *err)
{
    const tuning how = {.o = opts, .train = train, .has_valid = has_valid}, *const t = &how;
    const ney_status st = ney_params_check(params, N_PARAMS, opts, err);
    if (st != NEY_OK) {
        return st;
    }
    for (size_t k = 0; k < sizeof uses / sizeof *uses; k++) {
        for (int64_t i = 0; i < N_PARAMS; i++) {
            if (strcmp(params[i].name, uses[k].name) == 0 &&
                !ney_param_is_default(&params[i], t->o) && !uses[k].when(t)) {
                return ney_fail(err, NEY_EINVAL, "--%s applies to %s", uses[k].name, uses[k].where);
            }
        }
    }
    return NEY_OK;
}
