#define NAME(function) ney_block_##function##_plain
#include "linalg/block_body.h"
