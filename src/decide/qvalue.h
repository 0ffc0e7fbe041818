/* What the estimates of a false-discovery rate share. */
#ifndef NEY_DECIDE_QVALUE_H
#define NEY_DECIDE_QVALUE_H

#include "base/env.h"

/* @retval NEY_EINVAL  a value out of bounds, or options that exclude each other. */
ney_status ney_qvalue_check(const ney_qvalue_opts *o, ney_error *err);

#endif
