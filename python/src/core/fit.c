/* Fitting. */
#include "rows.h"

#include <string.h>

/* What a fit is made from, beside the rows. */
typedef struct request {
    array label, weight, group;
    const char *negative, *positive;
    ney_options *options;
    const ney_model *from; /* learn on from it; NULL: anew */
    int tune;
} request;

/* Options as pairs of texts. */
static bool options_of(ney_options **out, PyObject *pairs)
{
    ney_error err = {0};
    ney_status st = ney_options_new(out, NULL, &err);

    for (Py_ssize_t k = 0; st == NEY_OK && k < PyList_Size(pairs); k++) {
        const char *name, *text;
        if (!PyArg_ParseTuple(PyList_GetItem(pairs, k), "ss", &name, &text)) {
            return false;
        }
        st = ney_options_set(*out, name, text, &err);
    }
    if (st != NEY_OK) {
        raise_error(st, &err);
    }
    return st == NEY_OK;
}

/* A data set of the rows, with labels, weights and groups. */
static ney_status data_of(ney_data **out, const rows *r, const request *q, call *k)
{
    ney_status st = ney_data_from_array(out, &k->env, &r->x,
                                        q->from ? ney_model_preprocessing(q->from) : NULL, &k->err);
    if (st == NEY_OK) {
        st = ney_data_set_labels(*out, q->label.view.buf, q->negative, q->positive, &k->err);
    }
    if (st == NEY_OK && q->weight.view.buf) {
        st = ney_data_set_weights(*out, q->weight.view.buf, &k->err);
    }
    return st == NEY_OK && q->group.view.buf ? ney_data_set_groups(*out, q->group.view.buf, &k->err)
                                             : st;
}

/* Without the GIL. */
static ney_status fit_rows(ney_model **out, ney_result **result, const rows *r, const request *q,
                           call *k)
{
    ney_data *data = NULL;
    ney_status st = data_of(&data, r, q, k);
    if (st == NEY_OK) {
        st = q->from   ? ney_fit_update(out, result, &k->env, q->from, data, q->options, &k->err)
             : q->tune ? ney_fit_tuned(out, result, &k->env, data, NULL, q->options, &k->err)
                       : ney_fit(out, result, &k->env, data, q->options, &k->err);
    }
    ney_data_free(data);
    return st;
}

/* The call lives as long as the model, whose environment refers to it. */
static PyObject *run(const rows *r, const request *q, int threads, PyObject *progress,
                     PyObject *log)
{
    model *made = model_new();
    call *const k = made ? PyMem_Calloc(1, sizeof *k) : NULL;
    ney_result *result = NULL;
    PyObject *answer = NULL;

    if (!k) {
        Py_XDECREF((PyObject *)made);
        return made ? PyErr_NoMemory() : NULL;
    }
    made->made_by = k;
    call_begin(k, threads, progress, log);
    call_release_gil(k);
    const ney_status st = fit_rows(&made->handle, &result, r, q, k);
    call_take_gil(k);
    call_end(k);
    if (call_succeeded(k, st)) {
        PyObject *found = result_as_object(result);
        answer = found ? Py_BuildValue("ON", made, found) : NULL;
    }
    ney_result_free(result);
    Py_DECREF((PyObject *)made);
    return answer;
}

static PyObject *fit(PyObject *self, PyObject *args)
{
    PyObject *description, *labels, *weights, *groups, *pairs, *from, *progress, *log;
    PyObject *answer = NULL;
    request q = {0};
    rows r;
    int threads;

    (void)self;
    if (!PyArg_ParseTuple(args, "OOzzOOO!pOiOO", &description, &labels, &q.negative, &q.positive,
                          &weights, &groups, &PyList_Type, &pairs, &q.tune, &from, &threads,
                          &progress, &log)) {
        return NULL;
    }
    if (from != Py_None) {
        const model *m = model_of(from);
        if (!m) {
            return NULL;
        }
        q.from = m->handle;
    }
    if (rows_get(&r, description) &&
        array_get(&q.label, labels, 'b', r.x.rows, ARRAY_READ, "labels") &&
        array_get(&q.weight, weights, 'f', r.x.rows, ARRAY_OPTIONAL, "weights") &&
        array_get(&q.group, groups, 'L', r.x.rows, ARRAY_OPTIONAL, "groups") &&
        options_of(&q.options, pairs)) {
        answer = run(&r, &q, threads, progress, log);
    }
    rows_release(&r);
    array_release(&q.label);
    array_release(&q.weight);
    array_release(&q.group);
    ney_options_free(q.options);
    return answer;
}

PyMethodDef fit_methods[] = {
    {"fit", fit, METH_VARARGS,
     "fit(rows, labels, negative, positive, weights, groups, options, tune, from, threads, "
     "progress, log) -> Model, result"},
    {NULL, NULL, 0, NULL}};
