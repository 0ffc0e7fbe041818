/* Results as Python objects. */
#include "rows.h"

#include <string.h>

static PyObject *text_as_object(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *children_as_dict(const ney_result *result)
{
    PyObject *dict = PyDict_New();
    for (const ney_result *at = ney_result_first(result); dict && at; at = ney_result_next(at)) {
        PyObject *value = result_as_object(at);
        if (!value || PyDict_SetItemString(dict, ney_result_key(at), value) != 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(value);
    }
    return dict;
}

static PyObject *children_as_list(const ney_result *result)
{
    PyObject *list = PyList_New(0);
    for (const ney_result *at = ney_result_first(result); list && at; at = ney_result_next(at)) {
        PyObject *value = result_as_object(at);
        if (!value || PyList_Append(list, value) != 0) {
            Py_CLEAR(list);
        }
        Py_XDECREF(value);
    }
    return list;
}

PyObject *result_as_object(const ney_result *result)
{
    double real = 0;
    int64_t integer = 0;
    bool flag = false;

    switch (ney_result_kind_of(result)) {
    case NEY_RESULT_BOOL:
        (void)ney_result_get_bool(result, "", &flag);
        return PyBool_FromLong(flag);
    case NEY_RESULT_INT:
        (void)ney_result_get_int(result, "", &integer);
        return PyLong_FromLongLong(integer);
    case NEY_RESULT_REAL:
        (void)ney_result_get_real(result, "", &real);
        return PyFloat_FromDouble(real);
    case NEY_RESULT_TEXT:
        return text_as_object(ney_result_get_text(result, ""));
    case NEY_RESULT_ARRAY:
        return children_as_list(result);
    case NEY_RESULT_OBJECT:
        return children_as_dict(result);
    default:
        Py_RETURN_NONE;
    }
}
