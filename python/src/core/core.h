/* The extension module neyman._core: thin wrappers around the public C functions. Arrays cross by
 * the buffer protocol and are borrowed; what they hold is checked in Python (neyman/_arrays.py),
 * their type and length here. Only the stable ABI of Python 3.11 is used. */
#ifndef NEYMAN_PYTHON_CORE_H
#define NEYMAN_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <neyman/neyman.h>

/* ---- arrays */

/* What an array holds: struct module letters; "L" stands for any unsigned 64-bit integer, "l" for
 * any signed one. */
typedef struct array {
    Py_buffer view; /* view.buf is NULL where the argument was None */
    int64_t n;
} array;

enum array_flags { ARRAY_READ = 0, ARRAY_WRITE = 1, ARRAY_OPTIONAL = 2 };

/* A one-dimensional contiguous array of `type` and, unless n is -1, of length n. Returns false with
 * a Python exception set. Release with array_release() in either case. */
bool array_get(array *out, PyObject *object, char type, int64_t n, int flags, const char *name);
void array_release(array *a);

/* Whether the elements of a buffer are of this type. */
bool array_is_type(const Py_buffer *view, char type);

/* ---- calls */

/* The environment of one call that runs without the GIL. Signals and the progress callback are
 * looked after from the library's poll, at most every 50 ms. */
typedef struct call {
    ney_env env;
    PyThreadState *thread; /* while the GIL is released; else NULL */
    PyObject *progress;    /* callable, or NULL */
    PyObject *log;         /* callable, or NULL */
    double last;           /* seconds, of the last look */
    bool raised;           /* a Python exception is pending */
    ney_error err;
} call;

/* progress and log: None for none. */
void call_begin(call *c, int threads, PyObject *progress, PyObject *log);
void call_release_gil(call *c);
void call_take_gil(call *c);

/* The callbacks are not called any more. What was made in the call may keep its environment, as
 * long as the struct lives. */
void call_end(call *c);

/* Whether the call went well. If not, a Python exception is set. */
bool call_succeeded(call *c, ney_status status);

/* Set the Python exception that stands for an error of the library. */
void raise_error(ney_status status, const ney_error *err);

/* ---- parts of the module */

extern PyMethodDef scores_methods[];
extern PyMethodDef options_methods[], fit_methods[], model_methods[];
bool monitor_add_type(PyObject *module);
bool model_add_type(PyObject *module);
extern PyMethodDef path_methods[];
bool path_add_type(PyObject *module);

#endif
