/* Rows in Python's memory as a ney_array, and what belongs to the type Model. */
#ifndef NEYMAN_PYTHON_ROWS_H
#define NEYMAN_PYTHON_ROWS_H

#include "core.h"

/* Rows that Python holds: borrowed buffers, and the description that the library takes. */
typedef struct rows {
    ney_array x;
    Py_buffer cells;              /* dense: two dimensions, any strides */
    array value, index, start;    /* CSR */
    const char **name;            /* borrowed from `names` */
    ney_categories *category;     /* values are borrowed from `categories` */
    PyObject *names, *categories; /* tuples of str */
} rows;

/* From the tuple (cells, names, categories) or (value, index, start, n_cols, names, categories);
 * names is a tuple of str or None; categories has a tuple of str or None per column, or is None.
 * Returns false with a Python exception set. Release with rows_release() in either case. */
bool rows_get(rows *out, PyObject *description);
void rows_release(rows *r);

/* A tree as dict, list, float, int, bool, str and None; NULL with a Python exception set. */
PyObject *result_as_object(const ney_result *result);

/* A model that Python owns. The environment that it was made in lives as long. */
typedef struct model {
    PyObject_HEAD ney_model *handle;
    call *made_by; /* NULL: read or parsed */
} model;

/* An object of the module's type Model without a handle; NULL with a Python exception set. */
model *model_new(void);
/* The argument as a model; NULL with a Python exception set. */
model *model_of(PyObject *object);

#endif
