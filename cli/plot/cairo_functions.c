#include "cairo_functions.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static ney_status refuse(ney_error *err, const char *what)
{
    *err = (ney_error){.code = NEY_EINVAL};
    snprintf(err->message, sizeof err->message,
             "a chart cannot be drawn: %s: install cairo 1.16 or later (apt-get install libcairo2)",
             what);
    return NEY_EINVAL;
}

ney_status cairo_functions_load(cairo_functions *f, ney_error *err)
{
    static const char *const names[] = {"libcairo.so.2", "libcairo.2.dylib"};
    void *library = NULL;

    for (size_t k = 0; k < sizeof names / sizeof *names && !library; k++) {
        library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    }
    if (!library) {
        return refuse(err, "libcairo was not found");
    }
#define FIND(name)                                                                                 \
    {                                                                                              \
        void *const found = dlsym(library, "cairo_" #name);                                        \
        if (!found) {                                                                              \
            return refuse(err, "libcairo has no function cairo_" #name);                           \
        }                                                                                          \
        memcpy(&f->name, &found, sizeof found);                                                    \
    }
    CAIRO_FUNCTIONS(FIND)
    return NEY_OK;
}
