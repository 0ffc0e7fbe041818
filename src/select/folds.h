/* Which rows are learned from and which are held out, fold by fold. */
#ifndef NEY_SELECT_FOLDS_H
#define NEY_SELECT_FOLDS_H

#include "base/env.h"

enum { NEY_MOST_FOLDS = 100 };

typedef struct ney_fold {
    const ney_data *learn, *held; /* the data's own, or the next two */
    ney_data *own_learn, *own_held;
    ney_data *part; /* of `learn`, for points that are searched; NULL: all of it */
    /* of each held row in the data, and of each learned from; NULL where there are validation rows
     */
    int64_t *row, *learn_row;
    bool rescaled; /* the rows are not those of the data: scaling is fitted on `learn` */
} ney_fold;

typedef struct ney_folds {
    ney_env env;
    ney_fold *fold;
    int n;
} ney_folds;

/* Rows that are held out together: those that agree in these columns, and spectra that share a
 * peptide, as for ney_groups_deal(). */
typedef struct ney_fold_groups {
    const char *columns, *peptide;
} ney_fold_groups;

/* With validation rows one fold, else `n` of them, class by class, each scaled by the rows that are
 * learned from in it. ney_folds_deinit() is due in either case.
 * @param groups  NULL: those of the data, or each row by itself.
 * @retval NEY_EINVAL  a class with fewer rows, or rows of fewer groups, than folds. */
ney_status ney_folds_init(ney_folds *f, const ney_env *env, const ney_data *data,
                          const ney_data *valid, const ney_fold_groups *groups, int n,
                          uint64_t seed, ney_error *err);
void ney_folds_deinit(ney_folds *f);

/* Draw `part` of each fold: at most `most` rows of each class. *drawn says whether some fold has
 * more rows than that. */
ney_status ney_folds_sample(ney_folds *f, int64_t most, uint64_t seed, bool *drawn, ney_error *err);

/* Whether ney_folds_init() without validation rows can make the folds: no rows are copied. */
ney_status ney_folds_check(const ney_env *env, const ney_data *data, const ney_fold_groups *groups,
                           int n, uint64_t seed, ney_error *err);

#endif
