/* neyman: binary classification when the two errors do not cost the same.
 *
 * This header includes every topic: base, options, result, data, model, decide,
 * fit, path, theory.
 * The conventions that hold throughout:
 *
 *   - What can fail returns ney_status and says why in the caller's ney_error (which may be NULL).
 *     The library never prints, exits, aborts or keeps global state.
 *   - An `out` parameter is NULL until the object is complete; on failure nothing is left behind.
 *   - `env` carries allocator, cancellation, log and thread count; NULL stands for the defaults.
 *   - Sizes and offsets are 64-bit. Features are float, whatever is accumulated is double.
 *   - Same data, options and seed give the same bits, whatever the number of threads.
 *   - Verbs are contracts: new/free handle a heap object, read/write a file, parse/format memory;
 *     a pointer got from an object is borrowed and lives as long as the object.
 */
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
