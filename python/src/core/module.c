/* The module neyman._core. */
#include "core.h"

static int fill(PyObject *module)
{
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
