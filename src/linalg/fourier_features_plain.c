#define NAME(function) ney_fourier_features_##function##_plain
#include "linalg/fourier_features_body.h"
