/* Certifying from a score file.
 *
 * How many scores decide a threshold depends on how many there are, so a file is walked three times:
 * to count the classes, to pick out the scores that matter, and to count the outcomes at the
 * thresholds found. What cannot be read again is held in memory and walked there. */
#include "data/reader.h"
#include "data/scores.h"
#include "decide/certify.h"

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

static void feed(job *j, const double *score, const int8_t *label, int64_t n)
{
    int64_t at[2] = {0, 0};
    for (int64_t i = 0; i < n; i++) {
        const int positive = label[i] > 0;
        j->block[positive][at[positive]++] = score[i];
        if (at[positive] == BLOCK || i == n - 1) {
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
    j->counts.tp += c.tp;
    j->counts.fp += c.fp;
    j->counts.tn += c.tn;
    j->counts.fn += c.fn;
    j->counts.rejected_pos += c.rejected_pos;
    j->counts.rejected_neg += c.rejected_neg;
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

static ney_status hold(walker *w, job *j, ney_certified *out, ney_error *err)
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

/* Thresholds from certificates. Where they cross, everything between satisfies both. */
static void set_thresholds(ney_certified *out)
{
    out->high = out->has_fpr ? out->fpr.threshold : out->fnr.threshold;
    out->low = out->has_fnr ? out->fnr.threshold : out->fpr.threshold;
    if (out->low > out->high) {
        out->low = out->high;
    }
}

static ney_status certify(walker *w, job *j, ney_certified *out, const double rate[2], double delta,
                          ney_error *err)
{
    /* Both at once: (1 - share)^2 = 1 - delta, the two samples being independent. */
    const double share = out->has_fpr && out->has_fnr ? -expm1(0.5 * log1p(-delta)) : delta;
    const ney_env *env = &w->reader->env;
    ney_status st = NEY_OK;

    if (out->has_fpr) {
        st = ney_certifier_init(&j->fpr, env, NEY_FALSE_POSITIVES, j->n_neg, rate[0], share, err);
    }
    if (st == NEY_OK && out->has_fnr) {
        st = ney_certifier_init(&j->fnr, env, NEY_FALSE_NEGATIVES, j->n_pos, rate[1], share, err);
    }
    j->has_fpr = out->has_fpr;
    j->has_fnr = out->has_fnr;
    if (st != NEY_OK || (st = walk(w, feed, j, err)) != NEY_OK ||
        (out->has_fpr && (st = ney_certifier_finish(&j->fpr, &out->fpr, err)) != NEY_OK) ||
        (out->has_fnr && (st = ney_certifier_finish(&j->fnr, &out->fnr, err)) != NEY_OK)) {
        return st;
    }
    set_thresholds(out);
    j->low = out->low;
    j->high = out->high;
    if ((st = walk(w, count_outcomes, j, err)) == NEY_OK) {
        out->counts = j->counts;
    }
    return st;
}

ney_status ney_certify_file(ney_certified *out, const ney_env *env, const char *path,
                            const ney_read_opts *opts, double max_fpr, double max_fnr, double delta,
                            ney_error *err)
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
        st = ney_fail(err, NEY_EINVAL, "no rate to certify, expected a bound on one or both errors");
        goto done;
    }
    if ((st = ney_score_reader_new(&w.reader, &e, path, &o, err)) != NEY_OK) {
        goto done;
    }
    st = ney_score_reader_can_rewind(w.reader) ? take_stock(&w, j, out, err) : hold(&w, j, out, err);
    if (st == NEY_OK) {
        st = certify(&w, j, out, rate, delta, err);
    }

done:
    ney_certifier_deinit(&j->fpr);
    ney_certifier_deinit(&j->fnr);
    ney_scores_free(w.held);
    ney_score_reader_free(w.reader);
    ney_release(&e, j);
    return st;
}
