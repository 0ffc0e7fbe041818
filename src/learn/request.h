/* Options resolved once: the goal, the method and the family that they ask for, the bounded rates,
 * the costs, and what is held out. Code that depends on the goal reads a request, never the
 * options. */
#ifndef NEY_LEARN_REQUEST_H
#define NEY_LEARN_REQUEST_H

#include "base/error.h"

typedef struct ney_request {
    ney_goal_kind kind;
    const struct ney_goal *goal;
    double goal_option; /* value of the goal's own option; NAN: it has none */
    const struct ney_method_row *method;
    const struct ney_learner *learner; /* the method for this goal; NULL: it does not serve it */
    const struct ney_family *family;   /* of the score function (model/family.h) */

    double max_rate[2];     /* by ney_error_kind; NAN: not bounded */
    ney_error_kind bounded; /* whose rate is bounded; where both are, false negatives */
    double rate;            /* its bound; NAN: none */
    int bounded_class;      /* the class that this error misclassifies, +1 or -1 */
    double confidence;      /* NAN: nothing is certified */

    const char
        *max_fdr; /* the bounds on the false-discovery rate as stated, borrowed; NULL: none */

    ney_costs costs;      /* of errors and of rejection, NAN where rejection has none */
    bool has_reject_cost; /* a cost of rejection is stated */

    double holdout;          /* share held out; NAN: as many rows as are needed */
    bool calibrates;         /* rows are held out for p-values */
    int64_t conformal_folds; /* p-values by folds; 0: none */
    double calibrate;        /* share of all rows held out for probabilities; NAN: none */
    int64_t calibrate_folds; /* probabilities by folds; 0: none */
    uint64_t seed;
} ney_request;

ney_request ney_request_of(const ney_train_opts *o);

/* Whether a rate is bounded: that of one kind of error, of any, of both. */
bool ney_request_bounds(const ney_request *r, ney_error_kind kind);
bool ney_request_bounds_any(const ney_request *r);
bool ney_request_bounds_both(const ney_request *r);

/* Whether a bounded rate is certified on held-out rows. */
bool ney_request_certifies(const ney_request *r);

/* *opts or the defaults, within their bounds, without contradiction, and none without effect.
 * `also`: names, separated by spaces, of options that the caller reads itself; or NULL. */
ney_status ney_request_resolve(ney_train_opts *o, const ney_train_opts *opts, const char *also,
                               ney_error *err);

/* Whether the kernel is auto. */
bool ney_request_chooses_kernel(const ney_train_opts *o);

/* Refuse kernel = auto, unless `also` has NEY_AUTO_KERNEL, as a search passes it.
 * A search chooses C too: no C may be stated for training ("C"). */
#define NEY_AUTO_KERNEL "auto-kernel"
ney_status ney_request_check_kernel(const ney_train_opts *o, const char *also, ney_error *err);

/* Whether C or the kernel is auto, and training with this goal and method can choose it. */
bool ney_request_chooses(const ney_train_opts *o);

/* Refuse, by NEY_EINVAL, a method that does not serve the goal, and every option whose value is not
 * the default and that is not read for this goal, method and family. */
ney_status ney_request_check(const ney_train_opts *o, const char *also, ney_error *err);

/* The same for `reader`, such as "a path", that reads nothing but the options of `names` and of
 * `also`. */
ney_status ney_request_check_only(const ney_train_opts *o, const char *names, const char *also,
                                  const char *reader, ney_error *err);

/* Refuse, by NEY_EINVAL, missing cells that are kept for a family that needs a number in each. */
ney_status ney_request_check_missing(const ney_request *r, ney_missing missing, ney_error *err);

/* Whether an option is read for this goal, method and family. */
bool ney_request_reads(const ney_train_opts *o, const char *name);

/* The number of entries of the table of options, and one of them by its position: for tests. */
int64_t ney_request_entries(void);
const char *ney_request_entry(int64_t k);

#endif
