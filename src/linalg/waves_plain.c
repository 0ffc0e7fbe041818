#define NAME(function) ney_waves_##function##_plain
#include "linalg/waves_body.h"
