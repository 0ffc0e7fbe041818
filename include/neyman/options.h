/* Options by name. One handle holds every option of reading, preprocessing, training and tuning;
 * names, kinds, defaults and bounds come from the table that the program's command line is made
 * from. An option that a later version adds needs no new function and no new struct. */
#ifndef NEYMAN_OPTIONS_H
#define NEYMAN_OPTIONS_H

#include <neyman/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ney_kind {
    NEY_KIND_FLAG,   /* bool */
    NEY_KIND_INT,    /* int64_t */
    NEY_KIND_REAL,   /* double */
    NEY_KIND_CHOICE, /* int: position in `choices` */
    NEY_KIND_TEXT    /* const char *, borrowed; NULL when not given */
} ney_kind;

/* Not for concurrent use while it is being set; any number of threads may read it after that. */
typedef struct ney_options ney_options;

/** Every option at its default. Free with ney_options_free(). */
NEY_API NEY_MUST_CHECK ney_status ney_options_new(ney_options **out, const ney_env *env,
                                                  ney_error *err);
NEY_API void ney_options_free(ney_options *options);

/* Each of these sets one option, named as on the command line without the dashes ("max-fpr").
 * NEY_EINVAL: there is no such option, it is of another kind, or the value is out of its bounds;
 * the message says which, and what was expected. The option then keeps its value. */

/** From text, whatever the kind: "0.01", "none", "rbf", "true". NULL: back to the default. */
NEY_API NEY_MUST_CHECK ney_status ney_options_set(ney_options *options, const char *name,
                                                  const char *text, ney_error *err);
/** A number. NAN stands for "none" where an option may be left open. */
NEY_API NEY_MUST_CHECK ney_status ney_options_set_double(ney_options *options, const char *name,
                                                         double value, ney_error *err);
NEY_API NEY_MUST_CHECK ney_status ney_options_set_int(ney_options *options, const char *name,
                                                      int64_t value, ney_error *err);
NEY_API NEY_MUST_CHECK ney_status ney_options_set_bool(ney_options *options, const char *name,
                                                       bool value, ney_error *err);

/* ---- what there is to set, for bindings and help */

typedef struct ney_option_info {
    const char *name;
    const char *group; /* "data", "preprocessing", "training" or "tuning" */
    ney_kind kind;
    double initial;      /* default of a number, flag (0, 1) or choice (its position); NAN: none */
    double low, high;    /* bounds of a number, both allowed */
    const char *choices; /* words separated by spaces; of a number, words that it may be given by;
                            NULL: none */
    const char *help;
} ney_option_info;

/** The number of options. They do not depend on the handle. */
NEY_API int64_t ney_options_count(void);
/** Option `k` from 0. @param size  sizeof(ney_option_info) of the caller: a later version may have
 * more members at the end. False when there is no such option. */
NEY_API bool ney_options_info(int64_t k, ney_option_info *info, size_t size);

/* ---- reading back */

/** The value as ney_options_set() takes it; "" for a text that was not set. False when there is no
 * such option. @param size  of `text`; a longer value is cut. */
NEY_API bool ney_options_get(const ney_options *options, const char *name, char *text, size_t size);
/** Whether the option was given a value, be it the default, since the last time that NULL was. */
NEY_API bool ney_options_is_set(const ney_options *options, const char *name);
/** Whether the option has its default. */
NEY_API bool ney_options_is_default(const ney_options *options, const char *name);

#ifdef __cplusplus
}
#endif

#endif
