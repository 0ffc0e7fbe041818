/* What entrapment sequences show of the share of false discoveries. */
#include <stdlib.h>

#include "file_memory.h"
#include "levels.h"
#include "tsv.h"

/* Of the targets of a level with a q-value of at most `max`. */
static ney_entrapment count(const level *v, const levels *l, const evidence *in, double max,
                            double ratio)
{
    int64_t n[2] = {0, 0}; /* targets, entrapment */

    for (int64_t i = 0; i < in->n; i++) {
        if (v->best[i] && in->label[i] > 0 && v->q[i] <= max) {
            n[l->entrapment[i]]++;
        }
    }
    return ney_entrapment_of(n[0], n[1], ratio);
}

static void add_rate(ney_result *list, const level *v, double max, const ney_entrapment *e)
{
    ney_result *const o = ney_result_add_object(list, NULL);

    ney_result_add_text(o, "level", level_names[v->kind]);
    ney_result_add_real(o, "max_fdr", max);
    ney_result_add_int(o, "accepted", e->n_target + e->n_entrapment);
    ney_result_add_int(o, "accepted_entrapment", e->n_entrapment);
    ney_result_add_real(o, "fdp_lower", e->fdp_lower);
    ney_result_add_real(o, "fdp_combined", e->fdp_combined);
}

/* Usual rates and the bound, ascending. */
static int list_rates(double max_fdr, double rate[6])
{
    static const double usual[] = {0.001, 0.005, 0.01, 0.05, 0.1};
    int n = 0;
    bool placed = false;

    for (int64_t k = 0; k < COUNT(usual); k++) {
        if (!placed && max_fdr <= usual[k]) {
            rate[n++] = max_fdr;
            placed = true;
        }
        if (usual[k] != max_fdr) {
            rate[n++] = usual[k];
        }
    }
    if (!placed) {
        rate[n++] = max_fdr;
    }
    return n;
}

void entrapment_add(ney_result *root, const levels *l, const session *s, const evidence *in,
                    double max_fdr)
{
    const level_args *const a = options_of(s->call, &level_options);
    ney_result *const list = ney_result_add_array(root, "entrapment");
    double rate[6];
    const int n = list_rates(max_fdr, rate);

    for (int k = 0; k < l->n; k++) {
        for (int j = 0; j < n; j++) {
            const ney_entrapment e = count(&l->level[k], l, in, rate[j], a->entrapment_ratio);
            add_rate(list, &l->level[k], rate[j], &e);
        }
    }
}

static void put_line(tsv *t, const level *v, double q, const ney_entrapment *e)
{
    tsv_text(t, level_names[v->kind]);
    tsv_real(t, q);
    tsv_int(t, e->n_target);
    tsv_int(t, e->n_entrapment);
    tsv_real(t, e->fdp_lower);
    tsv_real(t, e->fdp_combined);
    tsv_end(t);
}

/* q-values never fall from a score to a lower one: a line stands where they rise. */
static ney_status put_level(tsv *t, const level *v, const levels *l, session *s, const evidence *in)
{
    const level_args *const a = options_of(s->call, &level_options);
    int64_t n, found[2] = {0, 0};
    ney_ranked *item;
    const ney_status st = level_rank(v, s, in, 1, &item, &n);

    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        const double q = v->q[item[k].row];
        found[l->entrapment[item[k].row]]++;
        if (k + 1 == n || v->q[item[k + 1].row] != q) {
            const ney_entrapment e = ney_entrapment_of(found[0], found[1], a->entrapment_ratio);
            put_line(t, v, q, &e);
        }
    }
    memory_free(item);
    return st;
}

ney_status entrapment_write(const levels *l, session *s, const evidence *in, const char *path)
{
    tsv t;
    ney_status st =
        tsv_open(&t, path, "level q-value targets entrapment fdp_lower fdp_combined", &s->err);

    if (st != NEY_OK) {
        return st;
    }
    for (int k = 0; k < l->n && st == NEY_OK; k++) {
        st = put_level(&t, &l->level[k], l, s, in);
    }
    if (st != NEY_OK) {
        tsv_break_off(&t);
        return st;
    }
    return tsv_close(&t, &s->err);
}
