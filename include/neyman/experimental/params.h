/* Options as structs that tables describe. EXPERIMENTAL: anything here may change in any release
 * (VERSIONING.md). Stable programs use <neyman/options.h>. */
#ifndef NEYMAN_EXPERIMENTAL_PARAMS_H
#define NEYMAN_EXPERIMENTAL_PARAMS_H

#include <neyman/options.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One option of an options struct. Initialisation, validation, the command line, its help,
 * completion and manual are derived from such rows. */
typedef struct ney_param {
    const char *name; /* of the option, without dashes */
    char flag;        /* one-letter form, or 0 */
    ney_kind kind;
    size_t offset;       /* of the field in the options struct */
    double initial;      /* default of a number, flag or choice; NAN: none */
    double low, high;    /* bounds of a number, inclusive */
    const char *arg;     /* name of the value in help: "FILE", "RATE"; NULL for flags */
    const char *choices; /* words separated by spaces. For a number: words accepted for the values
                            0, 1, ... in that order, with NAN for "none". Else NULL */
    const char *help;
} ney_param;

/** Fill an options struct with its defaults. */
NEY_EXPERIMENTAL void ney_params_init(const ney_param *params, int64_t n_params, void *opts);

/**
 * Set one field from text. For a flag: NULL (true), "true" or "false".
 *
 * @retval NEY_EINVAL  unknown name, not a number, out of bounds or not a choice: the message says
 * what was expected.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_params_set(const ney_param *params, int64_t n_params,
                                                          void *opts, const char *name,
                                                          const char *text, ney_error *err);

/** Check the bounds of all numbers of an options struct. @retval NEY_EINVAL  names the first number
 * that is out of bounds. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_params_check(const ney_param *params,
                                                            int64_t n_params, const void *opts,
                                                            ney_error *err);

/** Whether a field has its default value; NAN equals NAN. */
NEY_EXPERIMENTAL bool ney_param_is_default(const ney_param *param, const void *opts);

#ifdef __cplusplus
}
#endif

#endif
