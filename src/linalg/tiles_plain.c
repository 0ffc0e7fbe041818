#define NAME(function) ney_tiles_##function##_plain
#include "linalg/tiles_body.h"
