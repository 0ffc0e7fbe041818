/* Numbers of a family's part in a model file. */
#ifndef NEY_MODEL_NUMBERS_H
#define NEY_MODEL_NUMBERS_H

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

#endif
