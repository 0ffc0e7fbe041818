/* The option table. */
#include "core.h"

static const char *kind_text(ney_kind kind)
{
    static const char *const text[] = {
        [NEY_KIND_FLAG] = "flag",     [NEY_KIND_INT] = "int",   [NEY_KIND_REAL] = "real",
        [NEY_KIND_CHOICE] = "choice", [NEY_KIND_TEXT] = "text", [NEY_KIND_SIZES] = "sizes"};
    return text[kind];
}

static PyObject *options_info(PyObject *self, PyObject *none)
{
    PyObject *list = PyList_New(0);
    ney_option_info i;

    (void)self;
    (void)none;
    for (int64_t k = 0; list && ney_options_info(k, &i, sizeof i); k++) {
        PyObject *row =
            Py_BuildValue("{s:s,s:s,s:s,s:d,s:d,s:d,s:z,s:s}", "name", i.name, "group", i.group,
                          "kind", kind_text(i.kind), "initial", i.initial, "low", i.low, "high",
                          i.high, "choices", i.choices, "help", i.help);
        if (!row || PyList_Append(list, row) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *is_missing(PyObject *self, PyObject *args)
{
    const char *text;

    (void)self;
    return PyArg_ParseTuple(args, "s", &text) ? PyBool_FromLong(ney_text_is_missing(text)) : NULL;
}

PyMethodDef options_methods[] = {
    {"is_missing", is_missing, METH_VARARGS, "is_missing(text): whether a cell of a file is"},
    {"options_info", options_info, METH_NOARGS, "options_info() -> list of dict"},
    {NULL, NULL, 0, NULL}};
