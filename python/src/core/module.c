/* The module neyman._core. */
#include "core.h"

/* Experimental functions are used, so that the library must be the very version (VERSIONING.md). */
static bool is_same_version(void)
{
    PyObject *built =
        PyUnicode_FromFormat("%d.%d.%d", NEY_VERSION_MAJOR, NEY_VERSION_MINOR, NEY_VERSION_PATCH);
    const bool same = built && PyUnicode_CompareWithASCIIString(built, ney_version()) == 0;

    if (built && !same) {
        PyErr_Format(
            PyExc_ImportError,
            "the package was built with libneyman %U and finds libneyman %s: install it again",
            built, ney_version());
    }
    Py_XDECREF(built);
    return same;
}

static int fill(PyObject *module)
{
    if (!is_same_version()) {
        return -1;
    }
    const bool added = PyModule_AddFunctions(module, scores_methods) == 0 &&
                       PyModule_AddFunctions(module, options_methods) == 0 &&
                       PyModule_AddFunctions(module, fit_methods) == 0 &&
                       PyModule_AddFunctions(module, model_methods) == 0 &&
                       monitor_add_type(module) && model_add_type(module) &&
                       PyModule_AddFunctions(module, path_methods) == 0 && path_add_type(module) &&
                       PyModule_AddStringConstant(module, "version", ney_version()) == 0;

    return added ? 0 : -1;
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)fill}, {0, NULL}};

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "neyman._core",
                                        .m_doc = "Wrappers of libneyman's functions; private.",
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void);

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
