/* Functions on scores and labels (+1, -1). */
#include "core.h"

#include <math.h>
#include <stdlib.h>

/* ------------------------------------------------------------------ numbers */

static PyObject *interval(PyObject *self, PyObject *args)
{
    long long hits, n;
    double confidence, low, high;

    (void)self;
    if (!PyArg_ParseTuple(args, "LLd", &hits, &n, &confidence)) {
        return NULL;
    }
    if (hits < 0 || n < hits || !(confidence > 0 && confidence < 1)) {
        PyErr_SetString(PyExc_ValueError,
                        "expected 0 <= hits <= n and a confidence between 0 and 1");
        return NULL;
    }
    ney_interval(hits, n, confidence, &low, &high);
    return Py_BuildValue("dd", low, high);
}

static PyObject *delta_of_confidence(PyObject *self, PyObject *args)
{
    double confidence;

    (void)self;
    return PyArg_ParseTuple(args, "d", &confidence)
               ? PyFloat_FromDouble(ney_delta_of_confidence(confidence))
               : NULL;
}

static PyObject *delta_of_each(PyObject *self, PyObject *args)
{
    double delta;

    (void)self;
    return PyArg_ParseTuple(args, "d", &delta) ? PyFloat_FromDouble(ney_delta_of_each(delta))
                                               : NULL;
}

static PyObject *rows_needed(PyObject *self, PyObject *args)
{
    double rate, delta;

    (void)self;
    return PyArg_ParseTuple(args, "dd", &rate, &delta)
               ? PyFloat_FromDouble(ney_rows_needed(rate, delta))
               : NULL;
}

static PyObject *tightest_rate(PyObject *self, PyObject *args)
{
    long long n;
    double delta;

    (void)self;
    return PyArg_ParseTuple(args, "Ld", &n, &delta)
               ? PyFloat_FromDouble(ney_tightest_rate(n, delta))
               : NULL;
}

static PyObject *plan_at(PyObject *self, PyObject *args)
{
    long long n;
    double rate, delta, power;

    (void)self;
    if (!PyArg_ParseTuple(args, "Lddd", &n, &rate, &delta, &power)) {
        return NULL;
    }
    const ney_plan_point p = ney_plan_at(n, rate, delta, power);
    return Py_BuildValue("Ldd", (long long)p.rank, p.expected_rate, p.expected_power);
}

/* ------------------------------------------------------------------ certificates */

static PyObject *certificate_as_dict(const ney_certificate *c)
{
    return Py_BuildValue("{s:s,s:d,s:d,s:L,s:L,s:L,s:d,s:d,s:L,s:d}", "kind",
                         c->kind == NEY_FALSE_POSITIVES ? "fpr" : "fnr", "max_rate", c->max_rate,
                         "delta", c->delta, "n", (long long)c->n, "rank", (long long)c->rank,
                         "misclassified", (long long)c->misclassified, "threshold", c->threshold,
                         "bound", c->bound, "n_groups", (long long)c->n_groups, "group_rate",
                         c->group_rate);
}

/* The scores and groups of one class. */
typedef struct class_rows {
    double *score;
    uint64_t *group; /* NULL: none */
    int64_t n;
} class_rows;

/* Without branches: labels are as good as random. `group` is NULL where there are none. */
static bool class_rows_init(class_rows *r, const array *score, const array *label,
                            const array *group, int sign)
{
    const size_t room = (size_t)score->n + 1; /* the row after the last is written, not counted */
    const double *s = score->view.buf;
    const int8_t *y = label->view.buf;
    const uint64_t *g = group->view.buf;

    *r = (class_rows){.score = malloc(room * sizeof *r->score),
                      .group = g ? malloc(room * sizeof *r->group) : NULL};
    if (!r->score || (g && !r->group)) {
        return false;
    }
    for (int64_t i = 0; i < score->n; i++) {
        r->score[r->n] = s[i];
        if (g) {
            r->group[r->n] = g[i];
        }
        r->n += sign > 0 ? y[i] > 0 : y[i] < 0;
    }
    return true;
}

static void class_rows_deinit(class_rows *r)
{
    free(r->score);
    free(r->group);
}

static PyObject *certify(PyObject *self, PyObject *args)
{
    int kind;
    PyObject *scores, *labels, *groups, *result = NULL;
    double rate, delta;
    array score = {0}, label = {0}, group = {0};
    ney_certificate c;
    call k;

    (void)self;
    if (!PyArg_ParseTuple(args, "iOOOdd", &kind, &scores, &labels, &groups, &rate, &delta)) {
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&label, labels, 'b', score.n, ARRAY_READ, "labels") &&
        array_get(&group, groups, 'L', score.n, ARRAY_OPTIONAL, "groups")) {
        const ney_error_kind error = kind ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES;
        class_rows r;
        ney_status st = NEY_ENOMEM;
        call_begin(&k, 0, NULL, NULL);
        call_release_gil(&k);
        if (class_rows_init(&r, &score, &label, &group, kind ? 1 : -1)) {
            const ney_labelled_scores rows = {.score = r.score, .group = r.group, .n = r.n};
            st = r.group ? ney_certify_groups(&c, &k.env, error, &rows, rate, delta, &k.err)
                         : ney_certify(&c, &k.env, error, r.score, r.n, rate, delta, &k.err);
        }
        class_rows_deinit(&r);
        call_take_gil(&k);
        result = call_succeeded(&k, st) ? certificate_as_dict(&c) : NULL;
    }
    array_release(&score);
    array_release(&label);
    array_release(&group);
    return result;
}

/* ------------------------------------------------------------------ curves */

/* The first points of a curve into the caller's arrays, which have room for n + 1. */
static void copy_curve(const ney_roc *roc, array *threshold, array *tp, array *fp)
{
    double *t = threshold->view.buf;
    int64_t *p = tp->view.buf, *q = fp->view.buf;

    for (int64_t i = 0; i < roc->n_points; i++) {
        t[i] = roc->threshold[i];
        p[i] = roc->tp[i];
        q[i] = roc->fp[i];
    }
}

static PyObject *roc_result(const ney_roc *roc, double confidence, double max_fpr)
{
    const ney_auc_result a = ney_roc_auc(roc, confidence);
    const double partial = isnan(max_fpr) ? (double)NAN : ney_roc_partial_auc(roc, max_fpr);

    return Py_BuildValue("LLLddddd", (long long)roc->n_points, (long long)roc->n_pos,
                         (long long)roc->n_neg, a.auc, a.error, a.low, a.high, partial);
}

static PyObject *roc(PyObject *self, PyObject *args)
{
    PyObject *scores, *labels, *thresholds, *tps, *fps, *result = NULL;
    double confidence, max_fpr;
    array score = {0}, label = {0}, threshold = {0}, tp = {0}, fp = {0};
    call k;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOdd", &scores, &labels, &thresholds, &tps, &fps, &confidence,
                          &max_fpr)) {
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&label, labels, 'b', score.n, ARRAY_READ, "labels") &&
        array_get(&threshold, thresholds, 'd', score.n + 1, ARRAY_WRITE, "thresholds") &&
        array_get(&tp, tps, 'l', score.n + 1, ARRAY_WRITE, "tp") &&
        array_get(&fp, fps, 'l', score.n + 1, ARRAY_WRITE, "fp")) {
        ney_roc *curve = NULL;
        call_begin(&k, 0, NULL, NULL);
        call_release_gil(&k);
        const ney_status st =
            ney_roc_new(&curve, &k.env, score.view.buf, label.view.buf, score.n, &k.err);
        if (st == NEY_OK) {
            copy_curve(curve, &threshold, &tp, &fp);
        }
        call_take_gil(&k);
        result = call_succeeded(&k, st) ? roc_result(curve, confidence, max_fpr) : NULL;
        ney_roc_free(curve);
    }
    array_release(&score);
    array_release(&label);
    array_release(&threshold);
    array_release(&tp);
    array_release(&fp);
    return result;
}

/* ------------------------------------------------------------------ q-values */

static PyObject *competition_as_dict(const ney_competition *c)
{
    return Py_BuildValue("{s:s,s:s,s:L,s:L,s:L,s:L}", "basis", ney_fdr_basis_text(c->basis),
                         "formula", ney_qvalue_formula(&c->estimate), "n_groups",
                         (long long)c->n_groups, "n_paired", (long long)c->n_paired, "n_targets",
                         (long long)c->n_pos, "n_decoys", (long long)c->n_neg);
}

static PyObject *qvalues(PyObject *self, PyObject *args)
{
    PyObject *scores, *labels, *keys, *parts, *qs, *peps, *bests, *result = NULL;
    int per_all, no_plus_one, compete, no_compete, size_correct;
    array score = {0}, label = {0}, key = {0}, part = {0}, q = {0}, pep = {0}, best = {0};
    ney_competition c;
    call k;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOOOOOOppppp", &scores, &labels, &keys, &parts, &qs, &peps, &bests,
                          &per_all, &no_plus_one, &compete, &no_compete, &size_correct)) {
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&label, labels, 'b', score.n, ARRAY_READ, "labels") &&
        array_get(&key, keys, 'L', score.n, ARRAY_OPTIONAL, "groups") &&
        array_get(&part, parts, 'L', score.n, ARRAY_OPTIONAL, "by") &&
        array_get(&q, qs, 'd', score.n, ARRAY_WRITE, "q") &&
        array_get(&pep, peps, 'd', score.n, ARRAY_WRITE | ARRAY_OPTIONAL, "pep") &&
        array_get(&best, bests, '?', score.n, ARRAY_WRITE | ARRAY_OPTIONAL, "best")) {
        const ney_qvalue_opts opts = {.kind = per_all ? NEY_FDR_DECOYS_PER_ALL
                                                      : NEY_FDR_DECOYS_PER_TARGET,
                                      .no_plus_one = no_plus_one,
                                      .compete = compete,
                                      .no_compete = no_compete,
                                      .size_correct = size_correct};
        const ney_labelled_scores rows = {.score = score.view.buf,
                                          .label = label.view.buf,
                                          .group = key.view.buf,
                                          .within = part.view.buf,
                                          .n = score.n};
        call_begin(&k, 0, NULL, NULL);
        call_release_gil(&k);
        const ney_status st = ney_qvalues_competed(&k.env, &rows, &opts, q.view.buf, pep.view.buf,
                                                   best.view.buf, &c, &k.err);
        call_take_gil(&k);
        result = call_succeeded(&k, st) ? competition_as_dict(&c) : NULL;
    }
    array_release(&score);
    array_release(&label);
    array_release(&key);
    array_release(&part);
    array_release(&q);
    array_release(&pep);
    array_release(&best);
    return result;
}

/* ------------------------------------------------------------------ rejection */

static void copy_risk(const ney_risk_point *curve, int64_t n, array *distance, array *covered,
                      array *errors)
{
    double *d = distance->view.buf;
    int64_t *c = covered->view.buf, *e = errors->view.buf;

    for (int64_t i = 0; i < n; i++) {
        d[i] = curve[i].distance;
        c[i] = curve[i].covered;
        e[i] = curve[i].errors;
    }
}

static PyObject *risk_coverage(PyObject *self, PyObject *args)
{
    PyObject *scores, *labels, *distances, *covereds, *errs, *result = NULL;
    double threshold;
    array score = {0}, label = {0}, distance = {0}, covered = {0}, errors = {0};
    int64_t n_points = 0;
    call k;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOdOOO", &scores, &labels, &threshold, &distances, &covereds,
                          &errs)) {
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&label, labels, 'b', score.n, ARRAY_READ, "labels") &&
        array_get(&distance, distances, 'd', score.n, ARRAY_WRITE, "distance") &&
        array_get(&covered, covereds, 'l', score.n, ARRAY_WRITE, "covered") &&
        array_get(&errors, errs, 'l', score.n, ARRAY_WRITE, "errors")) {
        ney_risk_point *curve = PyMem_Malloc((size_t)(score.n + 1) * sizeof *curve);
        if (!curve) {
            PyErr_NoMemory();
        } else {
            call_begin(&k, 0, NULL, NULL);
            call_release_gil(&k);
            const ney_status st = ney_risk_coverage(&k.env, score.view.buf, label.view.buf, score.n,
                                                    threshold, curve, &n_points, &k.err);
            if (st == NEY_OK) {
                copy_risk(curve, n_points, &distance, &covered, &errors);
            }
            call_take_gil(&k);
            result = call_succeeded(&k, st) ? PyLong_FromLongLong(n_points) : NULL;
            PyMem_Free(curve);
        }
    }
    array_release(&score);
    array_release(&label);
    array_release(&distance);
    array_release(&covered);
    array_release(&errors);
    return result;
}

PyMethodDef scores_methods[] = {
    {"interval", interval, METH_VARARGS, "interval(hits, n, confidence) -> low, high"},
    {"delta_of_confidence", delta_of_confidence, METH_VARARGS, "delta_of_confidence(confidence)"},
    {"delta_of_each", delta_of_each, METH_VARARGS, "delta_of_each(delta)"},
    {"rows_needed", rows_needed, METH_VARARGS, "rows_needed(max_rate, delta)"},
    {"tightest_rate", tightest_rate, METH_VARARGS, "tightest_rate(n, delta)"},
    {"plan_at", plan_at, METH_VARARGS, "plan_at(n, max_rate, delta, power) -> rank, rate, power"},
    {"certify", certify, METH_VARARGS,
     "certify(kind, scores, labels, groups, max_rate, delta) -> dict"},
    {"roc", roc, METH_VARARGS, "roc(scores, labels, out thresholds, tp, fp, confidence, max_fpr)"},
    {"qvalues", qvalues, METH_VARARGS,
     "qvalues(scores, labels, groups, by, out q, pep, best, flags...)"},
    {"risk_coverage", risk_coverage, METH_VARARGS,
     "risk_coverage(scores, labels, threshold, out distance, covered, errors) -> n"},
    {NULL, NULL, 0, NULL}};
