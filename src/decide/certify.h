/* Certification in steps, for scores that are not all in memory. */
#ifndef NEY_DECIDE_CERTIFY_H
#define NEY_DECIDE_CERTIFY_H

#include "decide/k_largest.h"

#include <xxhash.h>

typedef struct ney_certifier {
    ney_env env;
    ney_certificate result; /* what is known so far */
    int64_t allowed;        /* errors that still certify */
    ney_k_largest top;      /* of false negatives, the scores with their signs changed */
    XXH3_state_t *hash;
} ney_certifier;

/* Whether a rate and a delta can be certified at all. */
ney_status ney_certify_check(double max_rate, double delta, ney_error *err);

/* For n scores of the class that may be misclassified. Errors as ney_certify(). */
ney_status ney_certifier_init(ney_certifier *c, const ney_env *env, ney_error_kind kind, int64_t n,
                              double max_rate, double delta, ney_error *err);
void ney_certifier_deinit(ney_certifier *c);

/* Take the next scores; n in all. None may be NaN. */
void ney_certifier_add(ney_certifier *c, const double *score, int64_t n);

ney_status ney_certifier_finish(ney_certifier *c, ney_certificate *out, ney_error *err);

/* The thresholds of the certificates at hand. Where they cross, both become the one for false
 * positives: everything between satisfies both. */
void ney_certified_join(ney_certified *c);

#endif
