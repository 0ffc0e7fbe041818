#define NAME(function) ney_loop_##function##_plain
#include "linalg/solver_loops_body.h"
