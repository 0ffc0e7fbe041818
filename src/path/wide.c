/* The tracer once more, with the digits of precision.h. */
#define NEY_PATH_WIDE
/* clang-format off */
#include "path/kernel_rows.c"
#include "path/margin.c"
#include "path/weights.c"
#include "path/tracer.c"
#include "path/tracer_point.c"
#include "path/events.c"
#include "path/trace.c"
/* clang-format on */
