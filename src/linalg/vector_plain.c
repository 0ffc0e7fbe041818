#define NAME(function) ney_vector_##function##_plain
#include "linalg/vector_body.h"
