/* The type Monitor: a watch over bounded rates. */
#include "core.h"

#include <math.h>

typedef struct monitor {
    PyObject_HEAD ney_monitor *handle;
    bool busy; /* a thread works on it without the GIL */
} monitor;

/* Whether this thread may use it: one at a time may. Sets an exception if not. */
static bool is_free(const monitor *self)
{
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError,
                        "this monitor is at work in another thread: use one thread at a time, or "
                        "a lock");
    }
    return !self->busy;
}

static PyObject *monitor_new(PyTypeObject *type, PyObject *args, PyObject *words)
{
    double max_fpr, max_fnr, low, high, delta;
    long long window;
    unsigned long long fingerprint;
    ney_error err = {0};

    (void)words;
    if (!PyArg_ParseTuple(args, "dddddLK", &max_fpr, &max_fnr, &low, &high, &delta, &window,
                          &fingerprint)) {
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    monitor *self = (monitor *)allocate(type, 0);
    if (!self) {
        return NULL;
    }
    const ney_monitor_opts opts = {.max_fpr = max_fpr,
                                   .max_fnr = max_fnr,
                                   .low = low,
                                   .high = high,
                                   .delta = delta,
                                   .window = window,
                                   .fingerprint = fingerprint};
    const ney_status st = ney_monitor_new(&self->handle, NULL, &opts, &err);
    if (st != NEY_OK) {
        raise_error(st, &err);
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void monitor_dealloc(monitor *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    ney_monitor_free(self->handle);
    release(self);
    Py_DECREF(type);
}

static PyObject *monitor_add(monitor *self, PyObject *args)
{
    PyObject *scores, *labels, *result = NULL;
    long long first;
    array score = {0}, label = {0};
    int64_t taken = 0;
    ney_error err = {0};

    if (!PyArg_ParseTuple(args, "OOL", &scores, &labels, &first)) {
        return NULL;
    }
    if (array_get(&score, scores, 'd', -1, ARRAY_READ, "scores") &&
        array_get(&label, labels, 'b', score.n, ARRAY_READ, "labels")) {
        if (first < 0 || first > score.n) {
            PyErr_SetString(PyExc_ValueError, "first: out of range");
        } else if (is_free(self)) {
            self->busy = true;
            PyThreadState *thread = PyEval_SaveThread();
            const ney_status st = ney_monitor_add(
                self->handle, (const double *)score.view.buf + first,
                (const int8_t *)label.view.buf + first, score.n - first, &taken, &err);
            PyEval_RestoreThread(thread);
            self->busy = false;
            if (st != NEY_OK) {
                raise_error(st, &err);
            } else {
                result = PyLong_FromLongLong(taken);
            }
        }
    }
    array_release(&score);
    array_release(&label);
    return result;
}

static PyObject *rate_as_dict(const ney_monitor_rate *r)
{
    if (!r->watched) {
        Py_RETURN_NONE;
    }
    return Py_BuildValue("{s:d,s:d,s:L,s:L,s:d,s:L,s:L,s:L}", "max_rate", r->max_rate, "delta",
                         r->delta, "n", (long long)r->n, "errors", (long long)r->errors,
                         "log_evidence", r->log_evidence, "alarm_row", (long long)r->alarm_row,
                         "window", (long long)r->window, "collected", (long long)r->collected);
}

static PyObject *monitor_look(monitor *self, PyObject *none)
{
    (void)none;
    if (!is_free(self)) {
        return NULL;
    }
    const ney_monitor_info i = ney_monitor_look(self->handle);
    return Py_BuildValue("{s:L,s:L,s:L,s:O,s:N,s:N}", "n_pos", (long long)i.n_pos, "n_neg",
                         (long long)i.n_neg, "alarm_row", (long long)i.alarm_row, "renewable",
                         i.renewable ? Py_True : Py_False, "fpr", rate_as_dict(&i.fpr), "fnr",
                         rate_as_dict(&i.fnr));
}

static PyObject *monitor_certify(monitor *self, PyObject *none)
{
    ney_certified c = {0};
    ney_error err = {0};

    (void)none;
    if (!is_free(self)) {
        return NULL;
    }
    const ney_status st = ney_monitor_certify(self->handle, &c, &err);
    if (st != NEY_OK) {
        raise_error(st, &err);
        return NULL;
    }
    return Py_BuildValue("dd", c.low, c.high);
}

static PyObject *monitor_open(monitor *self, PyObject *args)
{
    PyObject *path;
    ney_error err = {0};

    if (!is_free(self) || !PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    const ney_status st = ney_monitor_open(self->handle, PyBytes_AsString(path), &err);
    Py_DECREF(path);
    if (st != NEY_OK) {
        raise_error(st, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *monitor_save(monitor *self, PyObject *none)
{
    ney_error err = {0};

    (void)none;
    if (!is_free(self)) {
        return NULL;
    }
    const ney_status st = ney_monitor_save(self->handle, &err);
    if (st != NEY_OK) {
        raise_error(st, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"add", (PyCFunction)monitor_add, METH_VARARGS, "add(scores, labels, first) -> rows taken"},
    {"look", (PyCFunction)monitor_look, METH_NOARGS, "look() -> dict"},
    {"certify", (PyCFunction)monitor_certify, METH_NOARGS, "certify() -> low, high"},
    {"open", (PyCFunction)monitor_open, METH_VARARGS, "open(path)"},
    {"save", (PyCFunction)monitor_save, METH_NOARGS, "save()"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {{Py_tp_new, (void *)monitor_new},
                              {Py_tp_dealloc, (void *)monitor_dealloc},
                              {Py_tp_methods, methods},
                              {0, NULL}};

static PyType_Spec spec = {.name = "neyman._core.Monitor",
                           .basicsize = sizeof(monitor),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                           .slots = slots};

bool monitor_add_type(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    const bool added = type && PyModule_AddObjectRef(module, "Monitor", type) == 0;

    Py_XDECREF(type);
    return added;
}
