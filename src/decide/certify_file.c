/* Certifying from a score file.
 *
 * The rank of the threshold depends on the number of scores, so a file is read twice: to
 * count the classes, and to keep the largest scores. The outcomes at a threshold for false
 * positives follow from those and from the positives, which are kept; for false negatives, where
 * all negatives would have to be, a third pass counts them. Input that cannot be read again is held
 * in memory. */
#include "base/grouping.h"
#include "base/options.h"
#include "data/reader.h"
#include "data/scores.h"
#include "decide/certify.h"
#include "decide/counts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 4096 };

/* The rows, wherever they are. */
typedef struct walker {
    ney_score_reader *reader;
    ney_scores *held; /* NULL: walk the file */
    int8_t sign[2];   /* of the codes in the file, once it was read */
} walker;

/* What is done with them. */
typedef struct job {
    ney_certifier fpr, fnr;
    bool has_fpr, has_fnr;
    int64_t n_pos, n_neg;
    double low, high;
    ney_counts counts;
    double *positive; /* n_pos of them, where the outcomes are to be counted from these; or NULL */
    int64_t seen[2];  /* negatives and positives so far, in the second walk */
    double block[2][BLOCK]; /* of negatives and positives, on their way to a certifier */
} job;

typedef void visit(job *j, const double *score, const int8_t *label, int64_t n);

/* ---- walking */

static ney_status walk_file(walker *w, visit *each, job *j, ney_error *err)
{
    for (;;) {
        ney_score_piece *pieces;
        int n;
        const ney_status st = ney_score_reader_next(w->reader, &pieces, &n, err);
        if (st != NEY_OK || n == 0) {
            return st;
        }
        for (int i = 0; i < n; i++) {
            ney_rows *rows = &pieces[i].rows;
            for (int64_t k = 0; k < rows->n; k++) {
                rows->code[k] = w->sign[rows->code[k]];
            }
            each(j, pieces[i].score, rows->code, rows->n);
        }
    }
}

static ney_status walk(walker *w, visit *each, job *j, ney_error *err)
{
    if (w->held) {
        each(j, w->held->score, w->held->label, w->held->n);
        return NEY_OK;
    }
    const ney_status st = ney_score_reader_rewind(w->reader, err);
    return st == NEY_OK ? walk_file(w, each, j, err) : st;
}

/* ---- the three walks */

/* Before the signs are known: codes 0 and 1 stand as -1 and +1 for the moment. */
static void count_classes(job *j, const double *score, const int8_t *label, int64_t n)
{
    (void)score;
    for (int64_t i = 0; i < n; i++) {
        j->n_pos += label[i] > 0;
    }
    j->n_neg += n;
}

static void feed_certifiers(job *j, const double *score, const int8_t *label, int64_t n)
{
    int64_t at[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        const int positive = label[i] > 0;
        j->block[positive][at[positive]++] = score[i];
        if (at[positive] == BLOCK || i == n - 1) {
            if (j->positive && j->seen[1] + at[1] <= j->n_pos) {
                memcpy(j->positive + j->seen[1], j->block[1], (size_t)at[1] * sizeof *j->positive);
            }
            j->seen[0] += at[0];
            j->seen[1] += at[1];
            if (j->has_fpr) {
                ney_certifier_add(&j->fpr, j->block[0], at[0]);
            }
            if (j->has_fnr) {
                ney_certifier_add(&j->fnr, j->block[1], at[1]);
            }
            at[0] = at[1] = 0;
        }
    }
}

static void count_outcomes(job *j, const double *score, const int8_t *label, int64_t n)
{
    const ney_counts c = ney_count(score, label, n, j->low, j->high);
    ney_counts_add(&j->counts, &c);
}

/* The first walk: classes, and which of them is positive. */
static ney_status take_stock(walker *w, job *j, ney_certified *out, ney_error *err)
{
    char *name[2] = {NULL, NULL};
    ney_status st;

    w->sign[0] = -1;
    w->sign[1] = 1;
    if ((st = walk_file(w, count_classes, j, err)) != NEY_OK ||
        (st = ney_score_reader_finish(w->reader, w->sign, name, err)) != NEY_OK) {
        return st;
    }
    j->n_neg -= j->n_pos; /* it counted all */
    if (w->sign[0] > 0) { /* the value met first is the positive one */
        const int64_t n = j->n_pos;
        j->n_pos = j->n_neg;
        j->n_neg = n;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(out->name[i], sizeof out->name[i], "%s", name[i] ? name[i] : "");
        ney_release(&w->reader->env, name[i]);
    }
    return NEY_OK;
}

static ney_status read_into_memory(walker *w, job *j, ney_certified *out, ney_error *err)
{
    const ney_status st = ney_scores_gather(&w->held, w->reader, err);
    if (st == NEY_OK) {
        count_classes(j, w->held->score, w->held->label, w->held->n);
        j->n_neg -= j->n_pos;
        for (int i = 0; i < 2; i++) {
            snprintf(out->name[i], sizeof out->name[i], "%s", ney_scores_name(w->held, i ? 1 : -1));
        }
    }
    return st;
}

/* The second walk. */
static ney_status pick_scores(walker *w, job *j, ney_error *err)
{
    ney_status st;

    if (!w->held && !j->has_fnr) {
        j->positive = ney_alloc(&w->reader->env, j->n_pos, sizeof *j->positive);
        if (!j->positive) {
            return ney_no_memory(err, j->n_pos, "scores of positives");
        }
    }
    if ((st = walk(w, feed_certifiers, j, err)) == NEY_OK &&
        (j->seen[0] != j->n_neg || j->seen[1] != j->n_pos)) {
        const ney_place place = {.file = ney_files_title(w->reader->files)};
        st = ney_fail_at(err, NEY_EIO, place, "has changed while it was being read");
    }
    return st;
}

/* What the thresholds do to the rows. */
static ney_status find_outcomes(walker *w, job *j, const ney_certified *c, ney_error *err)
{
    if (!j->positive) {
        return walk(w, count_outcomes, j, err);
    }
    for (int64_t i = 0; i < j->n_pos; i++) {
        j->counts.tp += j->positive[i] >= c->high;
    }
    j->counts.fn = j->n_pos - j->counts.tp;
    j->counts.fp = c->fpr.misclassified;
    j->counts.tn = j->n_neg - j->counts.fp;
    return NEY_OK;
}

/* Of a class with too few rows to certify. */
static ney_shortage shortage_of(const ney_certificate *c)
{
    return (ney_shortage){.kind = c->kind,
                          .n = c->n,
                          .needed = ney_rows_needed(c->max_rate, c->delta),
                          .tightest_rate = ney_tightest_rate(c->n, c->delta)};
}

static ney_status certify_rates(walker *w, job *j, ney_certified *out, const double rate[2],
                                double delta, ney_error *err)
{
    /* An invalid delta is passed on and refused by its own check. */
    const bool both = out->has_fpr && out->has_fnr && delta > 0 && delta <= 0.5;
    const double share = both ? ney_delta_of_each(delta) : delta;
    const ney_env *env = &w->reader->env;
    const ney_certifier *last = &j->fpr;
    ney_status st = NEY_OK;

    if (out->has_fpr) {
        st = ney_certifier_init(&j->fpr, env, NEY_FALSE_POSITIVES, j->n_neg, rate[0], share, err);
    }
    if (st == NEY_OK && out->has_fnr) {
        last = &j->fnr;
        st = ney_certifier_init(&j->fnr, env, NEY_FALSE_NEGATIVES, j->n_pos, rate[1], share, err);
    }
    if (st == NEY_EGOAL) {
        out->shortage = shortage_of(&last->result);
    }
    j->has_fpr = out->has_fpr;
    j->has_fnr = out->has_fnr;
    if (st != NEY_OK || (st = pick_scores(w, j, err)) != NEY_OK ||
        (out->has_fpr && (st = ney_certifier_finish(&j->fpr, &out->fpr, err)) != NEY_OK) ||
        (out->has_fnr && (st = ney_certifier_finish(&j->fnr, &out->fnr, err)) != NEY_OK)) {
        return st;
    }
    ney_certified_join(out);
    j->low = out->low;
    j->high = out->high;
    if ((st = find_outcomes(w, j, out, err)) == NEY_OK) {
        out->counts = j->counts;
    }
    return st;
}

/* ---- rows in groups, which are all held */

static ney_status certify_class(const ney_scores *s, const ney_env *env, ney_error_kind kind,
                                double rate, double delta, ney_certificate *c, ney_error *err)
{
    const int sign = kind == NEY_FALSE_POSITIVES ? -1 : 1;
    double *score = ney_alloc(env, s->n, sizeof *score);
    uint64_t *group = ney_alloc(env, s->n, sizeof *group);
    int64_t n = 0;
    ney_status st;

    for (int64_t i = 0; score && group && i < s->n; i++) {
        if (s->label[i] == sign) {
            score[n] = s->score[i];
            group[n++] = s->group[i];
        }
    }
    const ney_labelled_scores rows = {.score = score, .group = group, .n = n};
    st = score && group ? ney_certify_groups(c, env, kind, &rows, rate, delta, err)
                        : ney_no_memory(err, s->n, "scores of groups");
    ney_release(env, score);
    ney_release(env, group);
    return st;
}

/* One class; the error counts groups. */
static ney_status certify_groups(const walker *w, ney_certified *out, ney_error_kind kind,
                                 double rate, double delta, ney_certificate *c, ney_error *err)
{
    const ney_status st = certify_class(w->held, &w->reader->env, kind, rate, delta, c, err);
    if (st == NEY_EGOAL) {
        const int64_t n = c->n_groups;
        const double needed = ney_rows_needed(rate, delta);
        out->shortage = (ney_shortage){.kind = kind,
                                       .n = n,
                                       .needed = (double)n < needed ? needed : 0,
                                       .tightest_rate = ney_tightest_rate(n, delta),
                                       .groups = true};
    }
    return st;
}

/* Groups that have rows of a class. */
static ney_status count_groups(const ney_scores *s, const ney_env *env, int sign, int64_t *count,
                               ney_error *err)
{
    ney_grouping groups = {0};
    uint64_t *group = ney_alloc(env, s->n, sizeof *group);
    int64_t n = 0;
    for (int64_t i = 0; group && i < s->n; i++) {
        group[n] = s->group[i];
        n += s->label[i] == sign;
    }
    const ney_status st = group ? ney_grouping_init(&groups, env, group, n, err)
                                : ney_no_memory(err, s->n, "groups of rows");
    *count = groups.n;
    ney_grouping_deinit(&groups);
    ney_release(env, group);
    return st;
}

static ney_status certify_grouped(walker *w, job *j, ney_certified *out, const double rate[2],
                                  double delta, ney_error *err)
{
    const double share = out->has_fpr && out->has_fnr ? delta / 2 : delta;
    ney_status st = NEY_OK;
    if (out->has_fpr) {
        st = certify_groups(w, out, NEY_FALSE_POSITIVES, rate[0], share, &out->fpr, err);
    }
    if (st == NEY_OK && out->has_fnr) {
        st = certify_groups(w, out, NEY_FALSE_NEGATIVES, rate[1], share, &out->fnr, err);
    }
    for (int c = 0; c < 2 && st == NEY_OK; c++) {
        st = count_groups(w->held, &w->reader->env, 2 * c - 1, &out->n_groups[c], err);
    }
    if (st == NEY_OK) {
        ney_certified_join(out);
        j->low = out->low;
        j->high = out->high;
        count_outcomes(j, w->held->score, w->held->label, w->held->n);
        out->counts = j->counts;
    }
    return st;
}

/* Rows that the score function was learned from cannot certify it. */
static ney_status refuse_seen(const walker *w, const job *j, ney_certified *out, ney_error *err)
{
    out->n_seen = w->held ? w->held->n_seen : w->reader->seen_column >= 0 ? w->reader->n_seen : -1;
    if (out->n_seen <= 0) {
        return NEY_OK;
    }
    return ney_fail_at(err, NEY_EGOAL, (ney_place){.file = ney_files_title(w->reader->files)},
                       "%lld of %lld rows are marked in column seen as used in training: they "
                       "cannot certify the model. Expected scores of rows that were held out",
                       (long long)out->n_seen, (long long)(j->n_pos + j->n_neg));
}

ney_status ney_certify_file_with(ney_certified *out, const ney_env *env, const char *path,
                                 const ney_read_opts *opts, double max_fpr, double max_fnr,
                                 double delta, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_read_opts o = ney_read_opts_or_default(opts);
    const double rate[2] = {max_fpr, max_fnr};
    walker w = {0};
    ney_status st;
    job *j = ney_alloc_zeroed(&e, 1, sizeof *j);

    *out = (ney_certified){.has_fpr = !isnan(max_fpr), .has_fnr = !isnan(max_fnr)};
    if (!j) {
        return ney_no_memory(err, 1, "certificate");
    }
    if (!out->has_fpr && !out->has_fnr) {
        st =
            ney_fail(err, NEY_EINVAL, "no rate to certify, expected a bound on one or both errors");
        goto done;
    }
    if ((st = ney_score_reader_new(&w.reader, &e, path, &o, NULL, err)) != NEY_OK) {
        goto done;
    }
    st = ney_score_reader_can_rewind(w.reader) && !o.group ? take_stock(&w, j, out, err)
                                                           : read_into_memory(&w, j, out, err);
    if (st == NEY_OK) {
        st = refuse_seen(&w, j, out, err);
    }
    if (st == NEY_OK) {
        st = o.group ? certify_grouped(&w, j, out, rate, delta, err)
                     : certify_rates(&w, j, out, rate, delta, err);
    }

done:
    ney_certifier_deinit(&j->fpr);
    ney_certifier_deinit(&j->fnr);
    ney_release(&e, j->positive);
    ney_scores_free(w.held);
    ney_score_reader_free(w.reader);
    ney_release(&e, j);
    return st;
}

ney_status ney_certify_file(ney_certified *out, const ney_env *env, const char *path,
                            const ney_options *options, double max_fpr, double max_fnr,
                            double delta, ney_error *err)
{
    NEY_REQUIRE(out && path, err);
    return ney_certify_file_with(out, env, path, ney_options_values(options, ney_read_params),
                                 max_fpr, max_fnr, delta, err);
}
