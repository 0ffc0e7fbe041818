/* Rows that belong together: target-decoy competition, the estimate that suits its outcome, and
 * q-values group by group. */
#include "base/error.h"
#include "base/grouping.h"
#include "decide/order.h"
#include "decide/qvalue.h"

/* Whether row b beats row a. A tie between a target and a decoy is broken by the lowest bit of the
 * group's number: at random, and the same at every call. */
static bool row_beats(const ney_labelled_scores *r, int64_t a, int64_t b)
{
    if (r->score[a] != r->score[b]) {
        return r->score[b] > r->score[a];
    }
    return r->label[a] != r->label[b] && (r->label[b] > 0) == (bool)(r->group[b] & 1);
}

static void choose_winners(const ney_labelled_scores *r, const ney_grouping *g, bool *best,
                           ney_competition *c)
{
    for (int64_t k = 0; k < g->n; k++) {
        int64_t winner = g->row[g->begin[k]], surplus = 0; /* targets less decoys */
        for (int64_t j = g->begin[k]; j < g->begin[k + 1]; j++) {
            const int64_t row = g->row[j];
            winner = row_beats(r, winner, row) ? row : winner;
            surplus += r->label[row] > 0 ? 1 : -1;
            best[row] = false;
        }
        best[winner] = true;
        c->n_groups++;
        c->n_paired += surplus == 0;
    }
}

/* `g` are the rows sorted by group; NULL: they are sorted here. */
static ney_status hold_competition(const ney_labelled_scores *r, const ney_env *env,
                                   const ney_grouping *g, bool *best, ney_competition *c,
                                   ney_error *err)
{
    ney_grouping own = {0};
    const ney_status st = g ? NEY_OK : ney_grouping_init(&own, env, r->group, r->n, err);
    if (st == NEY_OK) {
        choose_winners(r, g ? g : &own, best, c);
    }
    ney_grouping_deinit(&own);
    return st;
}

ney_status ney_best_of_groups(const ney_env *env, const double *score, const int8_t *label,
                              const uint64_t *key, int64_t n, bool *best, ney_error *err)
{
    NEY_REQUIRE(n >= 0 && (score || n == 0) && (label || n == 0) && (key || n == 0) &&
                    (best || n == 0),
                err);
    const ney_env e = ney_env_of(env);
    ney_competition unused = {0};
    const ney_labelled_scores rows = {.score = score, .label = label, .group = key, .n = n};
    return hold_competition(&rows, &e, NULL, best, &unused, err);
}

/* Whether each array that a function needs is there, unless there are no rows. */
static bool rows_are_given(const ney_labelled_scores *r, const double *q)
{
    return r && r->n >= 0 && ((r->score && r->label && q) || r->n == 0);
}

/* All rows together; pep may be NULL. */
static ney_status estimate_rows(const ney_env *env, const ney_labelled_scores *r,
                                const ney_qvalue_opts *o, double *q, double *pep, ney_error *err)
{
    ney_ranked *item;
    ney_status st = ney_order_new(&item, env, r->score, r->n, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_attach_labels(env, item, r->label, r->n);
    st = pep ? ney_peps_in_order(env, item, r->n, o, pep, err) : NEY_OK;
    if (st == NEY_OK) {
        ney_qvalues_in_order(env, item, r->n, o, q);
    }
    ney_release(env, item);
    return st;
}

ney_status ney_qvalues_by_group(const ney_env *env, const ney_labelled_scores *rows,
                                const ney_qvalue_opts *opts, double *q, double *pep, ney_error *err)
{
    NEY_REQUIRE(rows_are_given(rows, q) && (rows->group || rows->n == 0), err);
    NEY_REQUIRE_RESERVED(rows, "ney_labelled_scores", err);
    const ney_env e = ney_env_of(env);
    const int64_t n = rows->n;
    double *s = ney_alloc(&e, 3 * n, sizeof *s);
    int8_t *l = ney_alloc(&e, n, sizeof *l);
    ney_grouping g = {.env = e};
    const ney_qvalue_opts o = opts ? *opts : (ney_qvalue_opts){0};
    ney_status st;
    if (!s || !l) {
        st = ney_no_memory(err, n, "q-values");
        goto done;
    }
    double *const own_q = s + n, *const own_pep = s + 2 * n;
    if ((st = ney_qvalue_check(&o, err)) != NEY_OK ||
        (st = ney_grouping_init(&g, &e, rows->group, n, err)) != NEY_OK) {
        goto done;
    }
    for (int64_t k = 0; k < g.n && st == NEY_OK; k++) {
        const int64_t *const row = g.row + g.begin[k], size = ney_grouping_size(&g, k);
        for (int64_t j = 0; j < size; j++) {
            s[j] = rows->score[row[j]];
            l[j] = rows->label[row[j]];
        }
        const ney_labelled_scores own = {.score = s, .label = l, .n = size};
        st = estimate_rows(&e, &own, &o, own_q, pep ? own_pep : NULL, err);
        for (int64_t j = 0; j < size && st == NEY_OK; j++) {
            q[row[j]] = own_q[j];
            if (pep) {
                pep[row[j]] = own_pep[j];
            }
        }
    }

done:
    ney_grouping_deinit(&g);
    ney_release(&e, l);
    ney_release(&e, s);
    return st;
}

/* ---------------------------------------------------------------- competition */

const char *ney_fdr_basis_text(ney_fdr_basis basis)
{
    static const char *const text[] = {[NEY_BASIS_ROWS] = "no competition",
                                       [NEY_BASIS_PAIRS] = "pairs",
                                       [NEY_BASIS_STATED] = "stated",
                                       [NEY_BASIS_BALANCED] = "balanced",
                                       [NEY_BASIS_UNBALANCED] = "unbalanced"};
    const size_t at = (size_t)basis;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}

/* The rows that win, one after the other: rows and results of the caller where all do. */
typedef struct winners {
    ney_labelled_scores rows; /* without groups */
    double *q, *pep;
    int64_t *row; /* NULL: all rows */
    void *own[4];
} winners;

static void winners_deinit(const winners *w, const ney_env *env)
{
    for (int k = 0; k < 4; k++) {
        ney_release(env, w->own[k]);
    }
}

static ney_status winners_init(winners *w, const ney_env *env, const ney_labelled_scores *r,
                               const bool *best, ney_error *err)
{
    const int64_t n = r->n;
    double *const score = w->own[0] = ney_alloc(env, 3 * n, sizeof *score);
    int8_t *const label = w->own[1] = ney_alloc(env, n, sizeof *label);
    int64_t *const row = w->own[2] = ney_alloc(env, n, sizeof *row);
    uint64_t *const within = w->own[3] = r->within ? ney_alloc(env, n, sizeof *within) : NULL;
    if (!score || !label || !row || (r->within && !within)) {
        return ney_no_memory(err, n, "winners of a competition");
    }
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if (best[i]) {
            score[m] = r->score[i];
            label[m] = r->label[i];
            row[m] = i;
            if (within) {
                within[m] = r->within[i];
            }
            m++;
        }
    }
    w->rows = (ney_labelled_scores){.score = score, .label = label, .within = within, .n = m};
    w->row = row;
    w->q = score + n;
    w->pep = w->pep ? score + 2 * n : NULL;
    return NEY_OK;
}

/* False targets and decoys that win equally often are equally many where true targets are rare:
 * among the lowest scores. The choice depends on scores below every threshold only, so that the
 * theorem of the competition still holds (doc/math/fdr.md). */
static ney_status count_low_scores(const winners *w, const ney_env *env, ney_competition *c,
                                   ney_error *err)
{
    ney_ranked *item;
    const int64_t n = w->rows.n;
    const ney_status st = ney_order_new(&item, env, w->rows.score, n, err);
    if (st != NEY_OK) {
        return st;
    }
    const int64_t quarter = (n + 3) / 4;
    for (int64_t i = 0; i < n; i++) {
        if (i >= quarter && item[i].score != item[quarter - 1].score) {
            break;
        }
        c->n_low++;
        c->low_decoys += w->rows.label[item[i].row] < 0;
    }
    ney_release(env, item);
    return NEY_OK;
}

/* The low scores are looked at where the choice depends on them, or where they are asked for. */
static ney_status choose_basis(const winners *w, const ney_env *env, const ney_qvalue_opts *o,
                               bool competed, bool counts_low, ney_competition *c, ney_error *err)
{
    const bool is_paired = c->n_paired == c->n_groups;
    for (int64_t i = 0; i < w->rows.n; i++) {
        c->n_pos += w->rows.label[i] > 0;
    }
    c->n_neg = w->rows.n - c->n_pos;
    const ney_status st = competed && (counts_low || !(is_paired || o->compete))
                              ? count_low_scores(w, env, c, err)
                              : NEY_OK;
    const bool is_balanced = 10 * c->low_decoys >= 4 * c->n_low;
    c->basis = competed && is_paired ? NEY_BASIS_PAIRS
               : o->compete          ? NEY_BASIS_STATED
               : !competed           ? NEY_BASIS_ROWS
               : is_balanced         ? NEY_BASIS_BALANCED
                                     : NEY_BASIS_UNBALANCED;
    c->estimate = *o;
    c->estimate.compete = c->basis != NEY_BASIS_ROWS && c->basis != NEY_BASIS_UNBALANCED;
    if (st == NEY_OK && c->estimate.compete && o->size_correct) {
        return ney_fail(err, NEY_EINVAL,
                        "size-correct is refused: targets compete with decoys of one spectrum, so "
                        "that decoys and false targets are equally many, whatever the sizes of the "
                        "lists (no-compete lets every row count)");
    }
    return st;
}

static ney_status estimate_winners(const winners *w, const ney_env *env, const ney_qvalue_opts *o,
                                   ney_error *err)
{
    if (!w->rows.within) {
        return estimate_rows(env, &w->rows, o, w->q, w->pep, err);
    }
    ney_labelled_scores grouped = w->rows;
    grouped.group = w->rows.within;
    return ney_qvalues_by_group(env, &grouped, o, w->q, w->pep, err);
}

static ney_status select_winners(const ney_labelled_scores *r, const ney_env *env,
                                 const ney_grouping *g, const ney_qvalue_opts *o, bool counts_low,
                                 winners *w, bool *best, ney_competition *c, ney_error *err)
{
    const bool competes = r->group && !o->no_compete;
    ney_status st = NEY_OK;
    for (int64_t i = 0; i < r->n; i++) {
        best[i] = true;
    }
    if ((st = ney_qvalue_check(o, err)) != NEY_OK ||
        (competes && (st = hold_competition(r, env, g, best, c, err)) != NEY_OK) ||
        (competes && (st = winners_init(w, env, r, best, err)) != NEY_OK)) {
        return st;
    }
    return choose_basis(w, env, o, competes, counts_low, c, err);
}

/* Those of the winners to their rows; the others have 1. */
static void spread_results(const winners *w, int64_t n, double *q, double *pep)
{
    for (int64_t i = 0; i < n; i++) {
        q[i] = 1;
        if (pep) {
            pep[i] = 1;
        }
    }
    for (int64_t k = 0; k < w->rows.n; k++) {
        q[w->row[k]] = w->q[k];
        if (pep) {
            pep[w->row[k]] = w->pep[k];
        }
    }
}

ney_status ney_qvalues_competed(const ney_env *env, const ney_labelled_scores *rows,
                                const ney_qvalue_opts *opts, double *q, double *pep, bool *best,
                                ney_competition *result, ney_error *err)
{
    return ney_qvalues_grouped(env, rows, NULL, opts, q, pep, best, result, err);
}

ney_status ney_qvalues_grouped(const ney_env *env, const ney_labelled_scores *rows,
                               const ney_grouping *g, const ney_qvalue_opts *opts, double *q,
                               double *pep, bool *best, ney_competition *result, ney_error *err)
{
    NEY_REQUIRE(rows_are_given(rows, q), err);
    NEY_REQUIRE_RESERVED(rows, "ney_labelled_scores", err);
    const ney_env e = ney_env_of(env);
    const ney_qvalue_opts o = opts ? *opts : (ney_qvalue_opts){0};
    const int64_t n = rows->n;
    ney_competition c = {0};
    winners w = {.rows = *rows, .q = q, .pep = pep};
    bool *const won = best ? best : ney_alloc(&e, n, sizeof *won);
    ney_status st = NEY_OK;
    if (!won) {
        return ney_no_memory(err, n, "winners of a competition");
    }
    if ((st = select_winners(rows, &e, g, &o, result, &w, won, &c, err)) == NEY_OK &&
        (st = estimate_winners(&w, &e, &c.estimate, err)) == NEY_OK) {
        if (w.row) {
            spread_results(&w, n, q, pep);
        }
        if (result) {
            *result = c;
        }
    }
    winners_deinit(&w, &e);
    if (!best) {
        ney_release(&e, won);
    }
    return st;
}
