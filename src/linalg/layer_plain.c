#define NAME(function) ney_layer_##function##_plain
#include "linalg/layer_body.h"
