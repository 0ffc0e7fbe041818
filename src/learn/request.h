/* Options resolved into goal, method and family, and the one table that says for which of these
 * each option is read: an option acts or is refused. */
#ifndef NEY_LEARN_REQUEST_H
#define NEY_LEARN_REQUEST_H

#include "base/error.h"

typedef enum ney_target {
    NEY_TARGET_COSTS,
    NEY_TARGET_RATE,      /* one bounded rate */
    NEY_TARGET_RATES,     /* both bounded */
    NEY_TARGET_FDR,       /* bounded false-discovery rate */
    NEY_TARGET_REJECTION, /* costs, and a cost of rejecting */
} ney_target;

typedef enum ney_form {
    NEY_FORM_LINEAR,
    NEY_FORM_KERNEL,
    NEY_FORM_FEATURES,
    NEY_FORM_NETWORK
} ney_form;

typedef struct ney_request {
    ney_target goal;
    ney_method method; /* NEY_METHOD_AUTO where the goal has one solver: costs, rejection, both */
    ney_form family;
    const ney_train_opts *opts; /* borrowed */
} ney_request;

ney_request ney_request_of(const ney_train_opts *o);

/* Refuse, by NEY_EINVAL, a method that does not serve the goal, and every option whose value is not
 * the default and that is not read for this goal, method and family. `also`: names, separated by
 * spaces, of options that the caller reads itself; or NULL. */
ney_status ney_request_check(const ney_train_opts *o, const char *also, ney_error *err);

/* The same for `reader`, such as "a path", that reads nothing but the options of `names` and of
 * `also`. */
ney_status ney_request_check_only(const ney_train_opts *o, const char *names, const char *also,
                                  const char *reader, ney_error *err);

/* Whether an option is read for this goal, method and family. */
bool ney_request_reads(const ney_train_opts *o, const char *name);

/* Of what a run reports, set to NAN, or to -1 for a count, whatever its method does not have. */
void ney_request_clear_info(const ney_train_opts *o, ney_train_info *info);

/* The number of entries of the table, and one of them by its place: for tests. */
int64_t ney_request_entries(void);
const char *ney_request_entry(int64_t k);

#endif
