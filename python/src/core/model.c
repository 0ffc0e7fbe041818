/* The type Model: a fitted model. */
#include "rows.h"

#include <neyman/experimental/probability.h>

#include <string.h>

static PyObject *type_of_models(void)
{
    PyObject *module = PyImport_ImportModule("neyman._core");
    PyObject *type = module ? PyObject_GetAttrString(module, "Model") : NULL;

    Py_XDECREF(module);
    return type;
}

model *model_new(void)
{
    PyObject *type = type_of_models();
    if (!type) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
    model *self = (model *)allocate((PyTypeObject *)type, 0);
    Py_DECREF(type);
    return self;
}

model *model_of(PyObject *object)
{
    PyObject *type = type_of_models();
    const int is_model = type ? PyObject_IsInstance(object, type) : -1;

    Py_XDECREF(type);
    if (is_model == 0) {
        PyErr_SetString(PyExc_TypeError, "expected a Model");
    }
    return is_model == 1 ? (model *)object : NULL;
}

static void model_dealloc(model *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    ney_model_free(self->handle);
    PyMem_Free(self->made_by);
    release(self);
    Py_DECREF(type);
}

/* ------------------------------------------------------------------ files and bytes */

/* Finish what reads a model; `st` says whether it went well. */
static PyObject *read_model(model *self, ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        raise_error(st, err);
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *model_parse(PyObject *none, PyObject *args)
{
    const char *text;
    Py_ssize_t n;
    ney_error err = {0};

    (void)none;
    if (!PyArg_ParseTuple(args, "y#", &text, &n)) {
        return NULL;
    }
    model *self = model_new();
    return self ? read_model(self,
                             ney_model_parse(&self->handle, NULL, "the pickled model", text,
                                             (size_t)n, &err),
                             &err)
                : NULL;
}

static PyObject *model_read(PyObject *none, PyObject *args)
{
    PyObject *path, *found = NULL;
    ney_error err = {0};

    (void)none;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    model *self = model_new();
    if (self) {
        const ney_status st = ney_model_read(&self->handle, NULL, PyBytes_AsString(path), &err);
        found = read_model(self, st, &err);
    }
    Py_DECREF(path);
    return found;
}

static PyObject *model_write(model *self, PyObject *args)
{
    PyObject *path;
    ney_error err = {0};

    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    const ney_status st = ney_model_write(self->handle, PyBytes_AsString(path), &err);
    Py_DECREF(path);
    if (st != NEY_OK) {
        raise_error(st, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *model_format(model *self, PyObject *none)
{
    char *text = NULL;
    size_t n = 0;
    ney_error err = {0};

    (void)none;
    const ney_status st = ney_model_format(self->handle, &text, &n, &err);
    if (st != NEY_OK) {
        raise_error(st, &err);
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(text, (Py_ssize_t)n);
    ney_model_text_free(self->handle, text);
    return bytes;
}

static PyObject *model_reduce(model *self, PyObject *none)
{
    PyObject *module = PyImport_ImportModule("neyman._core");
    PyObject *parse = module ? PyObject_GetAttrString(module, "model_parse") : NULL;
    PyObject *bytes = parse ? model_format(self, none) : NULL;
    PyObject *answer = bytes ? Py_BuildValue("O(O)", parse, bytes) : NULL;

    Py_XDECREF(module);
    Py_XDECREF(parse);
    Py_XDECREF(bytes);
    return answer;
}

/* ------------------------------------------------------------------ prediction */

static PyObject *model_predict(model *self, PyObject *args)
{
    PyObject *description, *scores, *decisions, *result = NULL;
    array score = {0}, decision = {0};
    rows r;
    int threads;
    call k;

    if (!PyArg_ParseTuple(args, "OOOi", &description, &scores, &decisions, &threads)) {
        return NULL;
    }
    if (rows_get(&r, description) &&
        array_get(&score, scores, 'd', r.x.rows, ARRAY_WRITE | ARRAY_OPTIONAL, "scores") &&
        array_get(&decision, decisions, 'b', r.x.rows, ARRAY_WRITE | ARRAY_OPTIONAL, "decisions")) {
        call_begin(&k, threads, NULL, NULL);
        call_release_gil(&k);
        const ney_status st =
            ney_predict(self->handle, &k.env, &r.x, score.view.buf, decision.view.buf, &k.err);
        call_take_gil(&k);
        result = call_succeeded(&k, st) ? Py_NewRef(Py_None) : NULL;
    }
    rows_release(&r);
    array_release(&score);
    array_release(&decision);
    return result;
}

/* ------------------------------------------------------------------ what is in it */

static PyObject *metadata_as_dict(const ney_model *m, ney_metadata_kind list)
{
    PyObject *dict = PyDict_New();
    const char *key, *text;
    double value;

    for (int64_t k = 0; dict && ney_model_metadata(m, list, k, &key, &value, &text); k++) {
        PyObject *item = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
                              : PyFloat_FromDouble(value);
        if (!item || PyDict_SetItemString(dict, key, item) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(item);
    }
    return dict;
}

/* The names of the model's columns; None for numbered features. */
static PyObject *column_names(const ney_preprocessing *r)
{
    const int64_t n = ney_preprocessing_inputs(r);
    if (n == 0) {
        Py_RETURN_NONE;
    }
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *name = PyUnicode_FromString(ney_preprocessing_input(r, i, NULL, NULL));
        if (!name || PyList_Append(list, name) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(name);
    }
    return list;
}

/* Of every column the names of its categories, None for numbers. */
static PyObject *column_categories(const ney_preprocessing *r)
{
    const int64_t n = ney_preprocessing_inputs(r);
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < n; i++) {
        const char *const *category;
        int64_t n_category;
        (void)ney_preprocessing_input(r, i, &category, &n_category);
        PyObject *item = category ? PyList_New(0) : Py_NewRef(Py_None);
        for (int64_t k = 0; item && category && k < n_category; k++) {
            PyObject *name = PyUnicode_FromString(category[k]);
            if (!name || PyList_Append(item, name) != 0) {
                Py_CLEAR(item);
            }
            Py_XDECREF(name);
        }
        if (!item || PyList_Append(list, item) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *model_info(model *self, PyObject *none)
{
    const ney_model *const m = self->handle;
    const ney_preprocessing *const r = ney_model_preprocessing(m);
    double low, high;

    (void)none;
    ney_model_thresholds(m, &low, &high);
    PyObject *names = column_names(r);
    PyObject *categories = names ? column_categories(r) : NULL;
    PyObject *summary = categories ? metadata_as_dict(m, NEY_METADATA_SUMMARY) : NULL;
    PyObject *certificate = summary ? metadata_as_dict(m, NEY_METADATA_CERTIFICATE) : NULL;
    if (!certificate) {
        Py_XDECREF(names);
        Py_XDECREF(categories);
        Py_XDECREF(summary);
        return NULL;
    }
    return Py_BuildValue("{s:s,s:s,s:s,s:d,s:d,s:L,s:N,s:N,s:N,s:N}", "family", ney_model_family(m),
                         "negative", ney_preprocessing_label(r, -1), "positive",
                         ney_preprocessing_label(r, 1), "low", low, "high", high, "n_features",
                         (long long)ney_preprocessing_cols(r), "columns", names, "categories",
                         categories, "summary", summary, "certificate", certificate);
}

static PyObject *model_p_values(model *self, PyObject *args)
{
    PyObject *scores, *positives, *negatives, *result = NULL;
    array score = {0}, p_pos = {0}, p_neg = {0};
    ney_error err = {0};

    if (!PyArg_ParseTuple(args, "OOO", &scores, &positives, &negatives)) {
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&p_pos, positives, 'd', score.n, ARRAY_WRITE, "p_pos") &&
        array_get(&p_neg, negatives, 'd', score.n, ARRAY_WRITE, "p_neg")) {
        const ney_status st = ney_model_p_values(self->handle, score.view.buf, score.n,
                                                 p_pos.view.buf, p_neg.view.buf, &err);
        if (st != NEY_OK) {
            raise_error(st, &err);
        } else {
            result = Py_NewRef(Py_None);
        }
    }
    array_release(&score);
    array_release(&p_pos);
    array_release(&p_neg);
    return result;
}

/* Whether the model has calibration rows for probabilities. */
static PyObject *model_has_probabilities(model *self, PyObject *none)
{
    (void)none;
    return PyBool_FromLong(ney_model_calibrator(self->handle) != NULL);
}

static void find_probabilities(const ney_calibrator *c, const array *score, double *p, double *low,
                               double *high)
{
    const double *const s = score->view.buf;

    for (int64_t i = 0; i < score->n; i++) {
        ney_calibrator_interval(c, s[i], &low[i], &high[i]);
        p[i] = ney_calibrator_probability(c, NEY_PROBABILITY_VENN_ABERS, s[i]);
    }
}

static PyObject *model_probabilities(model *self, PyObject *args)
{
    PyObject *scores, *values, *lows, *highs, *result = NULL;
    array score = {0}, p = {0}, low = {0}, high = {0};
    const ney_calibrator *const c = ney_model_calibrator(self->handle);

    if (!PyArg_ParseTuple(args, "OOOO", &scores, &values, &lows, &highs)) {
        return NULL;
    }
    if (!c) {
        PyErr_SetString(PyExc_ValueError, "the model has no calibration rows for probabilities");
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&p, values, 'd', score.n, ARRAY_WRITE, "p") &&
        array_get(&low, lows, 'd', score.n, ARRAY_WRITE, "p_low") &&
        array_get(&high, highs, 'd', score.n, ARRAY_WRITE, "p_high")) {
        Py_BEGIN_ALLOW_THREADS;
        find_probabilities(c, &score, p.view.buf, low.view.buf, high.view.buf);
        Py_END_ALLOW_THREADS;
        result = Py_NewRef(Py_None);
    }
    array_release(&score);
    array_release(&p);
    array_release(&low);
    array_release(&high);
    return result;
}

static PyMethodDef methods[] = {
    {"predict", (PyCFunction)model_predict, METH_VARARGS,
     "predict(rows, out scores, decisions, threads)"},
    {"write", (PyCFunction)model_write, METH_VARARGS, "write(path)"},
    {"format", (PyCFunction)model_format, METH_NOARGS, "format() -> bytes"},
    {"info", (PyCFunction)model_info, METH_NOARGS, "info() -> dict"},
    {"p_values", (PyCFunction)model_p_values, METH_VARARGS, "p_values(scores, out p_pos, p_neg)"},
    {"has_probabilities", (PyCFunction)model_has_probabilities, METH_NOARGS,
     "has_probabilities() -> bool"},
    {"probabilities", (PyCFunction)model_probabilities, METH_VARARGS,
     "probabilities(scores, out p, p_low, p_high)"},
    {"__reduce__", (PyCFunction)model_reduce, METH_NOARGS, "for pickle"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)model_dealloc}, {Py_tp_methods, methods}, {0, NULL}};

static PyType_Spec spec = {.name = "neyman._core.Model",
                           .basicsize = sizeof(model),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

PyMethodDef model_methods[] = {
    {"model_parse", model_parse, METH_VARARGS, "model_parse(bytes) -> Model"},
    {"model_read", model_read, METH_VARARGS, "model_read(path) -> Model"},
    {NULL, NULL, 0, NULL}};

bool model_add_type(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    const bool added = type && PyModule_AddObjectRef(module, "Model", type) == 0;

    Py_XDECREF(type);
    return added;
}
