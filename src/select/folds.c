#include "select/folds.h"

#include "data/groups.h"
#include "data/scale.h"
#include "select/sample.h"

static int64_t smaller_class(const ney_data *data)
{
    const int64_t n = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    int64_t positives = 0;
    for (int64_t i = 0; label && i < n; i++) {
        positives += label[i] > 0;
    }
    return label && positives < n - positives ? positives : label ? n - positives : 0;
}

static ney_status take_fold(ney_fold *f, const ney_env *env, const ney_data *data,
                            const int *part_of, int part, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    int64_t m = 0, held = 0;
    ney_status st = NEY_OK;

    f->row = ney_alloc(env, n, sizeof *f->row);
    f->learn_row = ney_alloc(env, n, sizeof *f->learn_row);
    if (!f->row || !f->learn_row) {
        return ney_no_memory(err, n, "rows of a fold");
    }
    for (int64_t i = 0; i < n; i++) {
        *(part_of[i] == part ? &f->row[held++] : &f->learn_row[m++]) = i;
    }
    if ((st = ney_data_take(&f->own_learn, data, f->learn_row, m, err)) == NEY_OK) {
        st = ney_data_take(&f->own_held, data, f->row, held, err);
    }
    if (st == NEY_OK) {
        st = ney_scale_again(f->own_learn, f->own_held, &f->rescaled, err);
    }
    f->learn = f->own_learn;
    f->held = f->own_held;
    return st;
}

static ney_status part_rows(const ney_data *data, const ney_fold_groups *groups,
                            const double *share, int n, uint64_t seed, int *part_of, ney_error *err)
{
    ney_groups g;
    if (!groups && !ney_data_group_column(data)) {
        return ney_data_split(data, share, n, seed, part_of, err);
    }
    const ney_status st = ney_groups_deal(&g, data, groups ? groups->columns : NULL,
                                          groups ? groups->peptide : NULL, n, seed, part_of, err);
    ney_groups_deinit(&g);
    return st;
}

/* Whether rows of both classes are held out in every fold: groups may be too few, or too large. */
static ney_status check_parts(const ney_env *env, const ney_data *data, const int *part_of, int n,
                              ney_error *err)
{
    const int64_t rows = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    int64_t *const held = ney_alloc_zeroed(env, 2 * (int64_t)n, sizeof *held);
    int64_t all[2] = {0};
    bool is_short = false;
    if (!held) {
        return ney_no_memory(err, 2 * (int64_t)n, "classes of folds");
    }
    for (int64_t i = 0; i < rows; i++) {
        held[2 * part_of[i] + (label[i] > 0)]++;
        all[label[i] > 0]++;
    }
    for (int k = 0; k < 2 * n; k++) {
        is_short = is_short || held[k] == 0 || held[k] == all[k % 2];
    }
    ney_release(env, held);
    return is_short ? ney_fail(err, NEY_EINVAL,
                               "with groups kept together, one of %d folds has no row of a class: "
                               "use fewer folds or smaller groups",
                               n)
                    : NEY_OK;
}

/* The fold in which each row is held out. */
static ney_status deal_rows(const ney_env *env, const ney_data *data, const ney_fold_groups *groups,
                            int n, uint64_t seed, int *part_of, ney_error *err)
{
    double *share = ney_alloc(env, n, sizeof *share);
    if (!share) {
        return ney_no_memory(err, n, "folds");
    }
    for (int k = 0; k < n; k++) {
        share[k] = 1;
    }
    const ney_status st = part_rows(data, groups, share, n, seed, part_of, err);
    ney_release(env, share);
    return st == NEY_OK ? check_parts(env, data, part_of, n, err) : st;
}

static ney_status check_counts(const ney_data *data, int n, ney_error *err)
{
    const int64_t least = smaller_class(data);
    return least < n ? ney_fail(err, NEY_EINVAL,
                                "%lld rows of the smaller class are too few for %d folds",
                                (long long)least, n)
                     : NEY_OK;
}

ney_status ney_folds_check(const ney_env *env, const ney_data *data, const ney_fold_groups *groups,
                           int n, uint64_t seed, ney_error *err)
{
    const int64_t rows = ney_data_matrix(data)->rows;
    ney_status st = check_counts(data, n, err);
    if (st != NEY_OK) {
        return st;
    }
    int *part_of = ney_alloc(env, rows, sizeof *part_of);
    st = part_of ? deal_rows(env, data, groups, n, seed, part_of, err)
                 : ney_no_memory(err, rows, "rows of folds");
    ney_release(env, part_of);
    return st;
}

static ney_status deal_folds(ney_folds *f, const ney_data *data, const ney_fold_groups *groups,
                             uint64_t seed, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    int *part_of = ney_alloc(&f->env, n, sizeof *part_of);
    if (!part_of) {
        return ney_no_memory(err, n, "rows of folds");
    }
    ney_status st = deal_rows(&f->env, data, groups, f->n, seed, part_of, err);
    for (int k = 0; k < f->n && st == NEY_OK; k++) {
        st = take_fold(&f->fold[k], &f->env, data, part_of, k, err);
    }
    ney_release(&f->env, part_of);
    return st;
}

ney_status ney_folds_init(ney_folds *f, const ney_env *env, const ney_data *data,
                          const ney_data *valid, const ney_fold_groups *groups, int n,
                          uint64_t seed, ney_error *err)
{
    *f = (ney_folds){.env = *env};
    const ney_status st = valid ? NEY_OK : check_counts(data, n, err);
    if (st != NEY_OK) {
        return st;
    }
    const int64_t least = smaller_class(data);
    if (least < 1 || (valid && smaller_class(valid) < 1)) {
        return ney_fail(err, NEY_EINVAL, "the %s rows are of one class, expected both",
                        least < 1 ? "training" : "validation");
    }
    const int count = valid ? 1 : n;
    f->fold = ney_alloc_zeroed(env, count, sizeof *f->fold);
    if (!f->fold) {
        return ney_no_memory(err, count, "folds");
    }
    f->n = count;
    if (valid) {
        f->fold[0] = (ney_fold){.learn = data, .held = valid};
        return NEY_OK;
    }
    return deal_folds(f, data, groups, seed, err);
}

ney_status ney_folds_sample(ney_folds *f, int64_t most, uint64_t seed, bool *drawn, ney_error *err)
{
    ney_status st = NEY_OK;
    *drawn = false;
    for (int k = 0; k < f->n && st == NEY_OK; k++) {
        st = ney_sample_rows(&f->fold[k].part, &f->env, f->fold[k].learn, most, seed, err);
        *drawn = *drawn || f->fold[k].part;
    }
    return st;
}

void ney_folds_deinit(ney_folds *f)
{
    for (int k = 0; k < f->n; k++) {
        ney_data_free(f->fold[k].own_learn);
        ney_data_free(f->fold[k].own_held);
        ney_data_free(f->fold[k].part);
        ney_release(&f->env, f->fold[k].row);
        ney_release(&f->env, f->fold[k].learn_row);
    }
    if (f->fold) {
        ney_release(&f->env, f->fold);
    }
    *f = (ney_folds){0};
}
