/* Calls without the GIL, and errors as exceptions. */
#include "core.h"

#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ------------------------------------------------------------------ errors */

static PyObject *not_certifiable(void)
{
    PyObject *module = PyImport_ImportModule("neyman._errors");
    PyObject *type = module ? PyObject_GetAttrString(module, "NotCertifiableError") : NULL;

    Py_XDECREF(module);
    return type;
}

static PyObject *exception_of(ney_status status)
{
    switch (status) {
    case NEY_ENOMEM:
        return PyExc_MemoryError;
    case NEY_EIO:
        return PyExc_OSError;
    case NEY_ENUMERIC:
        return PyExc_FloatingPointError;
    case NEY_ECANCELLED:
        return PyExc_InterruptedError;
    default:
        return PyExc_ValueError;
    }
}

void raise_error(ney_status status, const ney_error *err)
{
    const char *text = err->message[0] ? err->message : ney_status_text(status);

    if (PyErr_Occurred()) {
        return;
    }
    if (status == NEY_EGOAL) {
        PyObject *type = not_certifiable();
        if (type) {
            PyErr_SetString(type, text);
            Py_DECREF(type);
        }
        return;
    }
    if (err->file[0] && err->line > 0) {
        PyErr_Format(exception_of(status), "%s:%lld: %s", err->file, (long long)err->line, text);
    } else if (err->file[0]) {
        PyErr_Format(exception_of(status), "%s: %s", err->file, text);
    } else {
        PyErr_SetString(exception_of(status), text);
    }
}

/* ------------------------------------------------------------------ calls */

/* Signals, then the caller's progress function; false when either raised. Holds the GIL. */
static bool look_after(call *c, const ney_progress *p)
{
    if (PyErr_CheckSignals() != 0) {
        return false;
    }
    if (!c->progress) {
        return true;
    }
    PyObject *answer = PyObject_CallFunction(c->progress, "sddd", p->stage ? p->stage : "", p->done,
                                             p->total, p->value);
    const bool done = answer != NULL;
    Py_XDECREF(answer);
    return done;
}

static bool poll(void *user, const ney_progress *progress)
{
    call *c = user;
    const double time = now();

    if (!c->thread) { /* the call is over: a model keeps its environment */
        return true;
    }
    if (c->raised) {
        return false;
    }
    if (time - c->last < 0.05) {
        return true;
    }
    c->last = time;
    call_take_gil(c);
    c->raised = !look_after(c, progress);
    call_release_gil(c);
    return !c->raised;
}

static void log_message(void *user, ney_log_level level, const char *message)
{
    call *c = user;

    if (!c->thread || c->raised || !c->log) {
        return;
    }
    call_take_gil(c);
    PyObject *answer = PyObject_CallFunction(c->log, "is", (int)level, message);
    c->raised = !answer;
    Py_XDECREF(answer);
    call_release_gil(c);
}

void call_begin(call *c, int threads, PyObject *progress, PyObject *log)
{
    memset(c, 0, sizeof *c);
    c->env = ney_env_default();
    c->env.user = c;
    c->env.poll = poll;
    c->env.log = log_message;
    c->env.threads = threads;
    c->progress = progress && progress != Py_None ? progress : NULL;
    c->log = log && log != Py_None ? log : NULL;
}

void call_release_gil(call *c)
{
    c->thread = PyEval_SaveThread();
}

void call_take_gil(call *c)
{
    PyThreadState *const thread = c->thread;

    c->thread = NULL;
    PyEval_RestoreThread(thread);
}

void call_end(call *c)
{
    c->progress = c->log = NULL;
}

bool call_succeeded(call *c, ney_status status)
{
    if (c->raised) { /* the exception is what the callback left */
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_KeyboardInterrupt, "");
        }
        return false;
    }
    if (status != NEY_OK) {
        raise_error(status, &c->err);
    }
    return status == NEY_OK;
}
