/* Borrowed arrays. */
#include "core.h"

#include <string.h>

/* Letters of the struct module that mean the same on this machine, and the size they need. */
static const struct {
    char type;
    const char *letters;
    Py_ssize_t size;
} types[] = {{'d', "d", 8},  {'f', "f", 4},  {'b', "b", 1}, {'?', "?", 1},
             {'L', "LQ", 8}, {'l', "lq", 8}, {'i', "il", 4}};

bool array_is_type(const Py_buffer *view, char type)
{
    const char *format = view->format ? view->format : "B";

    if (*format == '@' || *format == '=') {
        format++;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            return view->itemsize == types[i].size && format[0] && !format[1] &&
                   strchr(types[i].letters, format[0]);
        }
    }
    return false;
}

bool array_get(array *out, PyObject *object, char type, int64_t n, int flags, const char *name)
{
    memset(out, 0, sizeof *out);
    if (object == Py_None && (flags & ARRAY_OPTIONAL)) {
        return true;
    }
    const int wanted =
        PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (flags & ARRAY_WRITE ? PyBUF_WRITABLE : 0);
    if (PyObject_GetBuffer(object, &out->view, wanted) != 0) {
        memset(out, 0, sizeof *out);
        return false;
    }
    out->n = out->view.ndim == 1 ? out->view.shape[0] : -1;
    if (out->view.ndim != 1 || !array_is_type(&out->view, type)) {
        PyErr_Format(
            PyExc_TypeError,
            "%s: expected a one-dimensional array of type '%c', found %d dimensions of '%s'", name,
            type, out->view.ndim, out->view.format ? out->view.format : "B");
        return false;
    }
    if (n >= 0 && out->n != n) {
        PyErr_Format(PyExc_ValueError, "%s: expected %lld elements, found %lld", name, (long long)n,
                     (long long)out->n);
        return false;
    }
    return true;
}

void array_release(array *a)
{
    if (a->view.obj) {
        PyBuffer_Release(&a->view);
    }
}
