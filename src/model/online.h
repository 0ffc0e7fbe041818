/* Models that are made online: their making and their parts, for the learner. */
#ifndef NEY_MODEL_ONLINE_H
#define NEY_MODEL_ONLINE_H

#include "kernel/fourier.h"
#include "linalg/network.h"

/* f(x) = w'phi(x) + b; the map is copied. */
ney_status ney_model_new_features(ney_model **out, const ney_env *env,
                                  const ney_preprocessing *preprocessing, const ney_fourier *map,
                                  double gamma, const double *weight, double intercept,
                                  ney_error *err);

/* The parts, borrowed; false for other families. */
bool ney_model_features(const ney_model *m, ney_fourier *map, double *gamma, const double **weight,
                        double *intercept);

/* Weights and intercepts as linalg/network.h says. */
ney_status ney_model_new_network(ney_model **out, const ney_env *env,
                                 const ney_preprocessing *preprocessing, const ney_network *shape,
                                 const double *weight, const double *bias, ney_error *err);
bool ney_model_network(const ney_model *m, ney_network *shape, const double **weight,
                       const double **bias);

#endif
