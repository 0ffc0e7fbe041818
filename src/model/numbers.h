/* Numbers of a family's part in a model file. */
#ifndef NEY_MODEL_NUMBERS_H
#define NEY_MODEL_NUMBERS_H

#include "base/error.h"
#include "base/fields.h"

#include <math.h>

static inline double ney_finite(ney_fields *f, const char *what)
{
    const double value = ney_fields_number(f);
    if (!isfinite(value)) {
        ney_fields_fail(f, "the %s is %g, expected a finite number", what, value);
    }
    return value;
}

/* A whole line "KEY NUMBER". */
static inline double ney_finite_line(ney_fields *f, const char *key)
{
    ney_fields_key(f, key);
    const double value = ney_finite(f, key);
    ney_fields_end(f);
    return value;
}

/* Refuse a part that holds a number that is not finite: such a model could not be read again. */
static inline ney_status ney_check_finite(const double *value, int64_t n, const char *what,
                                          ney_error *err)
{
    for (int64_t k = 0; k < n; k++) {
        if (!isfinite(value[k])) {
            return ney_fail(err, NEY_ENUMERIC,
                            "%s %lld is %g, expected a finite number: scale the columns, or use "
                            "smaller costs and weights",
                            what, (long long)k + 1, value[k]);
        }
    }
    return NEY_OK;
}

#endif
