/* Options by name over tables of ney_param: the generic part. The list of the tables is in
 * select/options.c. */
#ifndef NEY_BASE_OPTIONS_H
#define NEY_BASE_OPTIONS_H

#include "base/env.h"

#include <neyman/options.h>

typedef struct ney_option_group {
    const char *name;
    const ney_param *(*params)(int64_t *n_params);
    size_t bytes; /* of the options struct that the table describes */
} ney_option_group;

/* A handle over `n_groups` tables, which are borrowed. */
ney_status ney_options_make(ney_options **out, const ney_env *env, const ney_option_group *groups,
                            int n_groups, ney_error *err);

/* The filled struct of one table; NULL when the handle is NULL or does not have it. */
const void *ney_options_values(const ney_options *options,
                               const ney_param *(*params)(int64_t *n_params));

/* NEY_EINVAL when an option outside `groups` (names separated by spaces) is not at its default:
 * `reader`, such as "ney_fit()", does not read it. NULL stands for the defaults. */
ney_status ney_options_check_groups(const ney_options *options, const char *groups,
                                    const char *reader, ney_error *err);

#endif
