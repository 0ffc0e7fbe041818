/* The table of all results: what was found at a point of the grid on one fold, one line each. It is
 * written as results come and read when the same search is begun again. A line belongs to a search
 * by its key, a hash of the data and of all options but those that have a column of their own. */
#ifndef NEY_SELECT_FOLD_RESULTS_H
#define NEY_SELECT_FOLD_RESULTS_H

#include "base/journal.h"
#include "select/criterion.h"
#include "select/folds.h"

typedef struct ney_fold_result {
    double C, gamma, eta, cost_fn, cost_fp, degree, coef0, depth, learning_rate, min_child, at_k;
    int method; /* ney_method */
    ney_kernel_kind kernel;
    int fold;     /* from 0 */
    int64_t rows; /* learned from */
    ney_criterion_value found;
    int64_t support_vectors, iterations;
    bool converged;
    double seconds;
} ney_fold_result;

typedef struct ney_fold_results {
    ney_journal journal; /* without a file: path NULL */
    uint64_t key;
    ney_fold_result *old; /* what the file held */
    int64_t n_old, cap;
} ney_fold_results;

/* The key of a search. `groups` as for ney_folds_init(). */
ney_status ney_fold_results_key(uint64_t *key, const ney_data *data, const ney_data *valid,
                                const ney_fold_groups *groups, const ney_train_opts *o,
                                const ney_rule *rule, int folds, ney_error *err);

/* @param path   NULL: nothing is kept. A file of another search is begun anew, and so is any if
 *               `fresh`.
 * @retval NEY_EFORMAT  a file that is no such table: it is left alone.
 * ney_fold_results_close() is due in either case. */
ney_status ney_fold_results_open(ney_fold_results *r, const ney_env *env, const char *path,
                                 uint64_t key, bool fresh, ney_error *err);
void ney_fold_results_close(ney_fold_results *r);

/* The result for the same options and fold, or NULL. */
const ney_fold_result *ney_fold_results_find(const ney_fold_results *r,
                                             const ney_fold_result *like);

ney_status ney_fold_results_add(ney_fold_results *r, const ney_fold_result *result, ney_error *err);

/* A result that is still to be found. */
ney_fold_result ney_fold_result_of(const ney_train_opts *o, int fold, int64_t rows);

#endif
