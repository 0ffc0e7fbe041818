/* The cases of tests/reference/asymmetry.txt, and mixtures made from them. */
#ifndef TEST_ASYMMETRY_CASES_H
#define TEST_ASYMMETRY_CASES_H

#include <neyman/experimental.h>

enum { CASE_DIMS = 4, CASE_COMPONENTS = 6, CASE_POINTS = 16, CASES = 32 };

typedef struct asymmetry_at {
    double gamma, w[CASE_DIMS], b, log_fpr, log_tpr, log_slope;
} asymmetry_at;

typedef struct asymmetry_case {
    char name[64];
    ney_theory_loss loss;
    int64_t dims, n_pos, n_neg;
    double p_pos;
    double weight[CASE_COMPONENTS]; /* positives first */
    double mean[CASE_COMPONENTS][CASE_DIMS], cov[CASE_COMPONENTS][CASE_DIMS * CASE_DIMS];
    asymmetry_at at[CASE_POINTS];
    int n_at;
} asymmetry_case;

typedef struct asymmetry_cases {
    asymmetry_case *cases;
    int n;
} asymmetry_cases;

asymmetry_cases asymmetry_cases_read(void);
void asymmetry_cases_free(asymmetry_cases *cases);

/* Fails the test when the library refuses. */
ney_mixture *asymmetry_mixture(const asymmetry_case *c);

/* One Gaussian a class. */
ney_mixture *two_gaussians(int64_t dims, double p_pos, const double *mean_pos,
                           const double *cov_pos, const double *mean_neg, const double *cov_neg);

#endif
