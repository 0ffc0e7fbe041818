/* The type Path: every classifier of every pair of costs, and the ROC curves of all of them. */
#include "rows.h"

/* One column after the other; see copy_curve() and path_choices(). */
enum { CURVE_COLUMNS = 9, CHOICE_COLUMNS = 5 };

typedef struct path {
    PyObject_HEAD ney_exploration *handle;
    call *made_by; /* its environment */
    bool busy;     /* a thread works on it without the GIL */
} path;

static void path_dealloc(path *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);

    ney_exploration_free(self->handle);
    PyMem_Free(self->made_by);
    release(self);
    Py_DECREF(type);
}

/* ------------------------------------------------------------------ exploring */

/* Options of an exploration from a list of pairs of texts. Returns false with a Python exception
 * set; release with ney_options_free() in either case. */
static bool explore_options(ney_options **out, PyObject *pairs)
{
    ney_error err = {0};
    ney_status st = ney_options_new(out, NULL, &err);

    for (Py_ssize_t k = 0; st == NEY_OK && k < PyList_Size(pairs); k++) {
        const char *name, *text;
        PyObject *const pair = PyList_GetItem(pairs, k);
        if (!PyTuple_Check(pair)) {
            PyErr_SetString(PyExc_TypeError, "options: expected pairs of texts");
            return false;
        }
        if (!PyArg_ParseTuple(pair, "ss", &name, &text)) {
            return false;
        }
        st = ney_options_set(*out, name, text, &err);
    }
    if (st != NEY_OK) {
        raise_error(st, &err);
    }
    return st == NEY_OK;
}

/* Labelled rows: to learn from, to choose by or to test on. */
typedef struct part {
    rows x;
    array label, weight;
    bool is_given;
} part;

/* None for the description: not given. */
static bool part_get(part *p, PyObject *description, PyObject *labels, PyObject *weights)
{
    p->is_given = description != Py_None;
    return !p->is_given ||
           (rows_get(&p->x, description) &&
            array_get(&p->label, labels, 'b', p->x.x.rows, ARRAY_READ, "labels") &&
            array_get(&p->weight, weights, 'f', p->x.x.rows, ARRAY_OPTIONAL, "weights"));
}

static void part_release(part *p)
{
    if (p->is_given) {
        rows_release(&p->x);
    }
    array_release(&p->label);
    array_release(&p->weight);
}

/* `like`: rows whose columns these have too; NULL for the first. */
static ney_status part_data(ney_data **out, const part *p, const ney_data *like,
                            const char *const name[2], call *k)
{
    *out = NULL;
    if (!p->is_given) {
        return NEY_OK;
    }
    ney_status st = ney_data_from_array(out, &k->env, &p->x.x,
                                        like ? ney_data_preprocessing(like) : NULL, &k->err);
    if (st == NEY_OK) {
        st = ney_data_set_labels(*out, p->label.view.buf, name[0], name[1], &k->err);
    }
    return st == NEY_OK && p->weight.view.buf
               ? ney_data_set_weights(*out, p->weight.view.buf, &k->err)
               : st;
}

/* Without the GIL. */
static ney_status explore_rows(ney_exploration **out, const part parts[3],
                               const char *const name[2], const ney_options *options, call *k)
{
    ney_data *data[3] = {NULL, NULL, NULL};
    ney_status st = NEY_OK;

    for (int i = 0; i < 3 && st == NEY_OK; i++) {
        st = part_data(&data[i], &parts[i], data[0], name, k);
    }
    if (st == NEY_OK) {
        st = ney_explore(out, &k->env, data[0], data[1], data[2], options, &k->err);
    }
    for (int i = 0; i < 3; i++) {
        ney_data_free(data[i]);
    }
    return st;
}

static path *path_new(void)
{
    PyObject *module = PyImport_ImportModule("neyman._core");
    PyObject *type = module ? PyObject_GetAttrString(module, "Path") : NULL;
    path *self = NULL;

    if (type) {
        allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)type, Py_tp_alloc);
        self = (path *)allocate((PyTypeObject *)type, 0);
    }
    if (self && !(self->made_by = PyMem_Calloc(1, sizeof *self->made_by))) {
        PyErr_NoMemory();
        Py_CLEAR(self);
    }
    Py_XDECREF(type);
    Py_XDECREF(module);
    return self;
}

static PyObject *run(const part parts[3], const char *const name[2], const ney_options *options,
                     int threads, PyObject *progress)
{
    path *self = path_new();
    if (!self) {
        return NULL;
    }
    call *const k = self->made_by;
    call_begin(k, threads, progress, NULL);
    call_release_gil(k);
    const ney_status st = explore_rows(&self->handle, parts, name, options, k);
    call_take_gil(k);
    call_end(k);
    if (!call_succeeded(k, st)) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static PyObject *explore(PyObject *none, PyObject *args)
{
    PyObject *x[3], *y[3], *weights, *pairs, *progress, *answer = NULL;
    const char *name[2];
    part parts[3] = {0};
    ney_options *options = NULL;
    int threads;

    (void)none;
    if (!PyArg_ParseTuple(args, "OOOOOOOzzO!iO", &x[0], &y[0], &weights, &x[1], &y[1], &x[2], &y[2],
                          &name[0], &name[1], &PyList_Type, &pairs, &threads, &progress)) {
        return NULL;
    }
    if (x[0] == Py_None) {
        PyErr_SetString(PyExc_TypeError, "expected rows to learn from");
        return NULL;
    }
    if (part_get(&parts[0], x[0], y[0], weights) && part_get(&parts[1], x[1], y[1], Py_None) &&
        part_get(&parts[2], x[2], y[2], Py_None) && explore_options(&options, pairs)) {
        answer = run(parts, name, options, threads, progress);
    }
    for (int i = 0; i < 3; i++) {
        part_release(&parts[i]);
    }
    ney_options_free(options);
    return answer;
}

/* ------------------------------------------------------------------ what is in it */

static PyObject *path_info(path *self, PyObject *none)
{
    const ney_path *const p = ney_exploration_path(self->handle);
    double cost, share;
    int64_t n_choices;
    const ney_cost_pair best = ney_exploration_best(self->handle, &cost);

    (void)none;
    (void)ney_path_choices(p, &n_choices, &share);
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:L,s:L,s:(LLL)}", "c_plus", best.plus, "c_minus",
                         best.minus, "cost", cost, "residual",
                         ney_exploration_residual(self->handle), "share_pos", share, "n_lines",
                         (long long)ney_path_lines(p), "n_choices", (long long)n_choices,
                         "n_points", (long long)ney_exploration_curve(self->handle, 0)->n_points,
                         (long long)ney_exploration_curve(self->handle, 1)->n_points,
                         (long long)ney_exploration_curve(self->handle, 2)->n_points);
}

static void copy_curve(const ney_curve *c, double *to)
{
    const int64_t n = c->n_points;

    for (int64_t i = 0; i < n; i++) {
        const ney_curve_point *const p = &c->point[i];
        const double cell[CURVE_COLUMNS] = {
            p->choice.fpr, p->choice.tpr,    p->fpr_error,      p->tpr_error,       p->test_fpr,
            p->test_tpr,   p->choice.c.plus, p->choice.c.minus, p->choice.threshold};
        for (int64_t k = 0; k < CURVE_COLUMNS; k++) {
            to[k * n + i] = cell[k];
        }
    }
}

static PyObject *path_curve(path *self, PyObject *args)
{
    PyObject *table, *answer = NULL;
    array out = {0};
    int kind;

    if (!PyArg_ParseTuple(args, "iO", &kind, &table)) {
        return NULL;
    }
    if (kind < 0 || kind > NEY_CURVE_BOTH) {
        PyErr_SetString(PyExc_ValueError, "no such curve");
        return NULL;
    }
    const ney_curve *const c = ney_exploration_curve(self->handle, (ney_curve_kind)kind);
    if (array_get(&out, table, 'd', CURVE_COLUMNS * c->n_points, ARRAY_WRITE, "curve")) {
        copy_curve(c, out.view.buf);
        answer = Py_BuildValue("dd", c->auc, c->test_auc);
    }
    array_release(&out);
    return answer;
}

static PyObject *path_choices(path *self, PyObject *args)
{
    PyObject *table, *answer = NULL;
    array out = {0};
    int64_t n;
    double share;
    const ney_choice *const c = ney_path_choices(ney_exploration_path(self->handle), &n, &share);

    if (PyArg_ParseTuple(args, "O", &table) &&
        array_get(&out, table, 'd', CHOICE_COLUMNS * n, ARRAY_WRITE, "choices")) {
        double *const to = out.view.buf;
        for (int64_t i = 0; i < n; i++) {
            to[i] = c[i].fpr;
            to[n + i] = c[i].tpr;
            to[2 * n + i] = c[i].c.plus;
            to[3 * n + i] = c[i].c.minus;
            to[4 * n + i] = c[i].threshold;
        }
        answer = Py_NewRef(Py_None);
    }
    array_release(&out);
    return answer;
}

static PyObject *path_cheapest(path *self, PyObject *args)
{
    double cost_fn, cost_fp;

    return PyArg_ParseTuple(args, "dd", &cost_fn, &cost_fp)
               ? PyLong_FromLongLong(
                     ney_path_cheapest(ney_exploration_path(self->handle), cost_fn, cost_fp))
               : NULL;
}

static PyObject *path_within(path *self, PyObject *args)
{
    double max_fpr;

    return PyArg_ParseTuple(args, "d", &max_fpr)
               ? PyLong_FromLongLong(ney_path_within(ney_exploration_path(self->handle), max_fpr))
               : NULL;
}

/* The model at a pair of costs with a threshold, in memory of its own: a copy by way of its text,
 * which holds every bit. Without the GIL. */
static ney_status take_model(ney_model **out, path *self, ney_cost_pair c, double threshold,
                             ney_error *err)
{
    ney_model *inside = NULL;
    char *text = NULL;
    size_t n = 0;

    ney_status st = ney_path_model(&inside, ney_exploration_path(self->handle), c, err);
    if (st == NEY_OK) {
        st = ney_model_set_thresholds(inside, threshold, threshold, err);
    }
    if (st == NEY_OK) {
        st = ney_model_format(inside, &text, &n, err);
    }
    if (st == NEY_OK) {
        st = ney_model_parse(out, NULL, "the model", text, n, err);
        ney_model_text_free(inside, text);
    }
    ney_model_free(inside);
    return st;
}

static PyObject *path_model(path *self, PyObject *args)
{
    double plus, minus, threshold;

    if (!PyArg_ParseTuple(args, "ddd", &plus, &minus, &threshold)) {
        return NULL;
    }
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this path is at work in another thread: use one "
                                            "thread at a time, or a lock");
        return NULL;
    }
    model *made = model_new();
    if (!made) {
        return NULL;
    }
    call *const k = self->made_by;
    k->raised = false;
    self->busy = true;
    call_release_gil(k);
    const ney_status st =
        take_model(&made->handle, self, (ney_cost_pair){plus, minus}, threshold, &k->err);
    call_take_gil(k);
    self->busy = false;
    if (!call_succeeded(k, st)) {
        Py_CLEAR(made);
    }
    return (PyObject *)made;
}

static PyObject *path_write(path *self, PyObject *args)
{
    PyObject *file;
    ney_error err = {0};

    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &file)) {
        return NULL;
    }
    const ney_status st =
        ney_path_write(ney_exploration_path(self->handle), PyBytes_AsString(file), &err);
    Py_DECREF(file);
    if (st != NEY_OK) {
        raise_error(st, &err);
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"info", (PyCFunction)path_info, METH_NOARGS, "info() -> dict"},
    {"curve", (PyCFunction)path_curve, METH_VARARGS, "curve(kind, out table) -> auc, test_auc"},
    {"choices", (PyCFunction)path_choices, METH_VARARGS, "choices(out table)"},
    {"cheapest", (PyCFunction)path_cheapest, METH_VARARGS, "cheapest(cost_fn, cost_fp) -> choice"},
    {"within", (PyCFunction)path_within, METH_VARARGS, "within(max_fpr) -> choice"},
    {"model", (PyCFunction)path_model, METH_VARARGS, "model(c_plus, c_minus, threshold) -> Model"},
    {"write", (PyCFunction)path_write, METH_VARARGS, "write(file)"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, (void *)path_dealloc}, {Py_tp_methods, methods}, {0, NULL}};

static PyType_Spec spec = {.name = "neyman._core.Path",
                           .basicsize = sizeof(path),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE |
                                    Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

PyMethodDef path_methods[] = {
    {"explore", explore, METH_VARARGS,
     "explore(rows, labels, weights, valid rows, labels, test rows, labels, negative, positive, "
     "options, threads, progress) -> Path"},
    {NULL, NULL, 0, NULL}};

bool path_add_type(PyObject *module)
{
    PyObject *type = PyType_FromModuleAndSpec(module, &spec, NULL);
    const bool added = type && PyModule_AddObjectRef(module, "Path", type) == 0;

    Py_XDECREF(type);
    return added;
}
