/* Rows from Python's arrays. */
#include "rows.h"

#include <string.h>

/* ------------------------------------------------------------------ names */

/* The texts of a tuple of str, borrowed from it. */
static bool texts_of(PyObject *tuple, const char **text, const char *what)
{
    for (Py_ssize_t k = 0; k < PyTuple_Size(tuple); k++) {
        Py_ssize_t n;
        text[k] = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, k), &n);
        if (!text[k]) {
            return false;
        }
        if (strlen(text[k]) != (size_t)n) {
            PyErr_Format(PyExc_ValueError, "%s %zd holds a NUL character", what, k);
            return false;
        }
    }
    return true;
}

static bool is_tuple_of(PyObject *object, Py_ssize_t n, const char *what)
{
    if (!PyTuple_Check(object) || PyTuple_Size(object) != n) {
        PyErr_Format(PyExc_TypeError, "%s: expected a tuple of %zd", what, n);
        return false;
    }
    return true;
}

static bool take_names(rows *r, PyObject *names)
{
    if (names == Py_None) {
        return true;
    }
    if (!is_tuple_of(names, (Py_ssize_t)r->x.cols, "names")) {
        return false;
    }
    r->name = PyMem_Calloc((size_t)r->x.cols + 1, sizeof *r->name);
    if (!r->name) {
        PyErr_NoMemory();
        return false;
    }
    r->names = Py_NewRef(names);
    r->x.name = r->name;
    return texts_of(names, r->name, "the name of column");
}

/* The values of one column. */
static bool take_values(ney_categories *to, PyObject *values)
{
    if (values == Py_None) {
        return true;
    }
    if (!PyTuple_Check(values)) {
        PyErr_SetString(PyExc_TypeError, "categories: expected tuples of str");
        return false;
    }
    const char **text = PyMem_Calloc((size_t)PyTuple_Size(values) + 1, sizeof *text);
    if (!text) {
        PyErr_NoMemory();
        return false;
    }
    to->value = text;
    to->n = PyTuple_Size(values);
    return texts_of(values, text, "category");
}

static bool take_categories(rows *r, PyObject *categories)
{
    if (categories == Py_None) {
        return true;
    }
    if (!is_tuple_of(categories, (Py_ssize_t)r->x.cols, "categories")) {
        return false;
    }
    r->category = PyMem_Calloc((size_t)r->x.cols + 1, sizeof *r->category);
    if (!r->category) {
        PyErr_NoMemory();
        return false;
    }
    r->categories = Py_NewRef(categories);
    r->x.category = r->category;
    for (int64_t c = 0; c < r->x.cols; c++) {
        if (!take_values(&r->category[c], PyTuple_GetItem(categories, (Py_ssize_t)c))) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ cells */

/* Of a buffer of either type; 0: of neither. */
static char type_among(const Py_buffer *view, const char *types)
{
    for (; *types; types++) {
        if (array_is_type(view, *types)) {
            return *types;
        }
    }
    return 0;
}

static bool take_dense(rows *r, PyObject *cells)
{
    if (PyObject_GetBuffer(cells, &r->cells, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
        memset(&r->cells, 0, sizeof r->cells);
        return false;
    }
    const Py_buffer *const v = &r->cells;
    const char type = type_among(v, "fd");
    if (!type || v->ndim != 2 || v->strides[0] % v->itemsize || v->strides[1] % v->itemsize) {
        PyErr_Format(PyExc_TypeError,
                     "X: expected float or double in two dimensions, found '%s' in %d",
                     v->format ? v->format : "B", v->ndim);
        return false;
    }
    r->x.rows = v->shape[0];
    r->x.cols = v->shape[1];
    r->x.value = v->buf;
    r->x.value_type = type == 'f' ? NEY_FLOAT32 : NEY_FLOAT64;
    r->x.row_stride = v->strides[0] / v->itemsize;
    r->x.col_stride = v->strides[1] / v->itemsize;
    if (r->x.rows == 0 || r->x.cols == 0) {
        r->x.row_stride = r->x.col_stride = 0;
    }
    return true;
}

/* A vector of one of some types. */
static bool take_vector(array *to, PyObject *object, const char *types, char *type,
                        const char *name)
{
    Py_buffer look;
    if (PyObject_GetBuffer(object, &look, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
        return false;
    }
    *type = type_among(&look, types);
    PyBuffer_Release(&look);
    return array_get(to, object, *type ? *type : *types, -1, ARRAY_READ, name);
}

static ney_type type_of_letter(char letter)
{
    return letter == 'f'   ? NEY_FLOAT32
           : letter == 'd' ? NEY_FLOAT64
           : letter == 'i' ? NEY_INT32
                           : NEY_INT64;
}

static bool take_sparse(rows *r, PyObject *value, PyObject *index, PyObject *start, long long cols)
{
    char types[3];
    if (!take_vector(&r->value, value, "df", &types[0], "X.data") ||
        !take_vector(&r->index, index, "li", &types[1], "X.indices") ||
        !take_vector(&r->start, start, "li", &types[2], "X.indptr")) {
        return false;
    }
    r->x.rows = r->start.n - 1;
    r->x.cols = cols;
    r->x.value = r->value.view.buf;
    r->x.value_type = type_of_letter(types[0]);
    r->x.index = r->index.view.buf;
    r->x.index_type = type_of_letter(types[1]);
    r->x.start = r->start.view.buf;
    r->x.start_type = type_of_letter(types[2]);
    if (r->start.n < 1) {
        PyErr_SetString(PyExc_ValueError, "X.indptr is empty");
        return false;
    }
    const int64_t end = types[2] == 'i' ? ((const int32_t *)r->x.start)[r->x.rows]
                                        : ((const int64_t *)r->x.start)[r->x.rows];
    if (end > r->value.n || end > r->index.n) {
        PyErr_Format(PyExc_ValueError,
                     "X.indptr ends at %lld, X.data has %lld values and X.indices has %lld",
                     (long long)end, (long long)r->value.n, (long long)r->index.n);
        return false;
    }
    return true;
}

bool rows_get(rows *out, PyObject *description)
{
    PyObject *cells, *index, *start, *names, *categories;
    long long cols;

    memset(out, 0, sizeof *out);
    if (!PyTuple_Check(description)) {
        PyErr_SetString(PyExc_TypeError, "rows: expected a tuple");
        return false;
    }
    if (PyTuple_Size(description) == 3) {
        return PyArg_ParseTuple(description, "OOO", &cells, &names, &categories) &&
               take_dense(out, cells) && take_names(out, names) && take_categories(out, categories);
    }
    return PyArg_ParseTuple(description, "OOOLO", &cells, &index, &start, &cols, &names) &&
           take_sparse(out, cells, index, start, cols) && take_names(out, names);
}

void rows_release(rows *r)
{
    for (int64_t c = 0; r->category && c < r->x.cols; c++) {
        PyMem_Free((void *)(uintptr_t)r->category[c].value);
    }
    PyMem_Free(r->category);
    PyMem_Free(r->name);
    Py_XDECREF(r->names);
    Py_XDECREF(r->categories);
    if (r->cells.obj) {
        PyBuffer_Release(&r->cells);
    }
    array_release(&r->value);
    array_release(&r->index);
    array_release(&r->start);
}
