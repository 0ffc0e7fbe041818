/* neyman: binary classification with bounded or costly errors.
 *
 * This header includes all stable headers: base, options, result, data, model, decide, fit, path,
 * theory. VERSIONING.md says what later versions keep. A guide with examples: doc/guides/c_api.md.
 *
 * Conventions of all functions:
 *
 *   - A function that can fail returns a ney_status and describes the failure in the caller's
 *     ney_error; `err` may be NULL. The library never prints, exits or aborts, and it has no global
 *     state.
 *   - Ownership: an object that is returned through an `out` parameter belongs to the caller, who
 *     frees it with the function named after its type (ney_model_free() for a ney_model). *out is
 *     NULL after a failure. A pointer that is returned by an object is borrowed: it is valid until
 *     the object is changed or freed. Arguments are copied unless the comment says "borrowed".
 *   - Free functions accept NULL. Accessors accept NULL for their handle and return 0, NULL, false
 *     or NAN then; functions that return a status return NEY_EINVAL for a NULL that they need.
 *   - `env` carries allocator, cancellation, log and number of threads; NULL: the defaults. An
 *     object keeps a copy of the environment that it was made with.
 *   - Sizes and positions are int64_t and count from 0. Features are float; sums are double.
 *   - Rates, confidences and probabilities are numbers from 0 to 1, not percentages. Times are
 *     wall-clock seconds.
 *   - Same data, options and seed give the same bits on one machine and build, whatever the number
 *     of threads.
 *
 * Threads: different handles may be used by different threads at once. The comment of each handle
 * says what threads may do with one and the same handle. Callbacks run on the thread that called
 * the library, except ney_env.resize.
 *
 * Structs: a struct with members `reserved` may get new members in their place; callers set them to
 * 0, best by initialising the whole struct. A struct that a function fills with its size may grow
 * at its end. Structs that the library allocates one by one and returns by pointer may grow at
 * their end. All other structs do not change within a major version. */
#ifndef NEYMAN_NEYMAN_H
#define NEYMAN_NEYMAN_H

#include <neyman/base.h>
#include <neyman/data.h>
#include <neyman/decide.h>
#include <neyman/fit.h>
#include <neyman/model.h>
#include <neyman/options.h>
#include <neyman/path.h>
#include <neyman/result.h>
#include <neyman/theory.h>

#endif
