#include "select/folds.h"

#include "data/groups.h"
#include "data/scale.h"

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

/* Whether rows of both classes are held out in every fold: groups may be too few, or too large. */
static ney_status check_classes(const ney_folds *f, ney_error *err)
{
    for (int k = 0; k < f->n; k++) {
        if (smaller_class(f->fold[k].held) == 0 || smaller_class(f->fold[k].learn) == 0) {
            return ney_fail(err, NEY_EINVAL,
                            "with groups kept together, one of %d folds has no row of a class: use "
                            "fewer folds or smaller groups",
                            f->n);
        }
    }
    return NEY_OK;
}

static ney_status part_rows(const ney_folds *f, const ney_data *data, const char *groups,
                            const double *share, uint64_t seed, int *part_of, ney_error *err)
{
    ney_groups g;
    if (!groups && !ney_data_group_column(data)) {
        return ney_data_split(data, share, f->n, seed, part_of, err);
    }
    const ney_status st = ney_groups_deal(&g, data, groups, f->n, seed, part_of, err);
    ney_groups_deinit(&g);
    return st;
}

static ney_status deal_folds(ney_folds *f, const ney_data *data, const char *groups, uint64_t seed,
                             ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    double *share = ney_alloc(&f->env, f->n, sizeof *share);
    int *part_of = ney_alloc(&f->env, n, sizeof *part_of);
    ney_status st;

    if (!share || !part_of) {
        st = ney_no_memory(err, n, "rows of folds");
        goto done;
    }
    for (int k = 0; k < f->n; k++) {
        share[k] = 1;
    }
    st = part_rows(f, data, groups, share, seed, part_of, err);
    for (int k = 0; k < f->n && st == NEY_OK; k++) {
        st = take_fold(&f->fold[k], &f->env, data, part_of, k, err);
    }
    st = st == NEY_OK ? check_classes(f, err) : st;

done:
    ney_release(&f->env, part_of);
    ney_release(&f->env, share);
    return st;
}

ney_status ney_folds_init(ney_folds *f, const ney_env *env, const ney_data *data,
                          const ney_data *valid, const char *groups, int n, uint64_t seed,
                          ney_error *err)
{
    const int64_t least = smaller_class(data), least_valid = valid ? smaller_class(valid) : 1;
    *f = (ney_folds){.env = *env};
    if (!valid && least < n) {
        return ney_fail(err, NEY_EINVAL, "%lld rows of the smaller class are too few for %d folds",
                        (long long)least, n);
    }
    if (least < 1 || least_valid < 1) {
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

void ney_folds_deinit(ney_folds *f)
{
    for (int k = 0; k < f->n; k++) {
        ney_data_free(f->fold[k].own_learn);
        ney_data_free(f->fold[k].own_held);
        ney_release(&f->env, f->fold[k].row);
        ney_release(&f->env, f->fold[k].learn_row);
    }
    if (f->fold) {
        ney_release(&f->env, f->fold);
    }
    *f = (ney_folds){0};
}
