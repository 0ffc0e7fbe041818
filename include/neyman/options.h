/* Options by name. One handle holds every option of reading, preprocessing, training, tuning,
 * exploration and mixtures; names, kinds, defaults and bounds come from the tables of the program's
 * command line. An option that a later version adds needs no new function and no new struct. */
#ifndef NEYMAN_OPTIONS_H
#define NEYMAN_OPTIONS_H

#include <neyman/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ney_kind {
    NEY_KIND_FLAG,   /* true or false */
    NEY_KIND_INT,    /* a whole number */
    NEY_KIND_REAL,   /* a number */
    NEY_KIND_CHOICE, /* one of the words in `choices` */
    NEY_KIND_TEXT,   /* any text */
    NEY_KIND_SIZES   /* one or two whole numbers, "64" or "64,32"; a number sets the first */
} ney_kind;

/* Values of all options. One thread at a time may set options; while none does, any number of
 * threads may read the handle and pass it to functions. */
typedef struct ney_options ney_options;

/** All options at their defaults. Free with ney_options_free(). @retval NEY_ENOMEM */
NEY_API NEY_MUST_CHECK ney_status ney_options_new(ney_options **out, const ney_env *env,
                                                  ney_error *err);
/** NULL is allowed. */
NEY_API void ney_options_free(ney_options *options);

/* Each of these functions sets one option, named as on the command line without the dashes
 * ("max-fpr"). NEY_EINVAL: unknown name, option of another kind, or value out of bounds; the
 * message names the option and the expected value, and the option keeps its value. Contradictions
 * between options are reported by the function that uses them, such as ney_fit(). */

/** From text, for options of every kind: "0.01", "none", "rbf", "true". The text is copied. NULL
 * resets the option to its default. */
NEY_API NEY_MUST_CHECK ney_status ney_options_set(ney_options *options, const char *name,
                                                  const char *text, ney_error *err);
/** A number; whole numbers are accepted for integer options. NAN means "none" where an option has
 * that choice. */
NEY_API NEY_MUST_CHECK ney_status ney_options_set_double(ney_options *options, const char *name,
                                                         double value, ney_error *err);
/** A whole number, for options that are integers or numbers. */
NEY_API NEY_MUST_CHECK ney_status ney_options_set_int(ney_options *options, const char *name,
                                                      int64_t value, ney_error *err);
/** A flag. */
NEY_API NEY_MUST_CHECK ney_status ney_options_set_bool(ney_options *options, const char *name,
                                                       bool value, ney_error *err);

/* ---- list of options, for bindings and help */

/* Static strings: nothing to free. */
typedef struct ney_option_info {
    const char *name;
    const char
        *group; /* "data", "preprocessing", "training", "tuning", "exploration" or "mixture" */
    ney_kind kind;
    double initial;      /* default: a number, 0 or 1 of a flag, position of a choice; NAN: none */
    double low, high;    /* bounds of a number, inclusive */
    const char *choices; /* words separated by spaces; for a number, words accepted in its place;
                            NULL: none */
    const char *help;
} ney_option_info;

/** The number of options. They do not depend on the handle. */
NEY_API int64_t ney_options_count(void);
/** Option `k`, from 0. @param size  sizeof(ney_option_info) of the caller: a later version may have
 * more members at the end. False when there is no such option or `info` is NULL. */
NEY_API bool ney_options_info(int64_t k, ney_option_info *info, size_t size);

/* ---- current values */

/** The value in the form that ney_options_set() accepts; "" for a text that was not set. False for
 * an unknown name. @param size  Bytes of the buffer `text`; a longer value is truncated. */
NEY_API bool ney_options_get(const ney_options *options, const char *name, char *text, size_t size);
/** Whether the option was set, be it to its default, since it was last reset with NULL. */
NEY_API bool ney_options_is_set(const ney_options *options, const char *name);
/** Whether the option has its default value; false for an unknown name. */
NEY_API bool ney_options_is_default(const ney_options *options, const char *name);

#ifdef __cplusplus
}
#endif

#endif
