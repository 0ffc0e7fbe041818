/* The ranges of the metadata that commands read from a model file: a file with a valid checksum may
 * hold any number. */
#ifndef NEY_MODEL_METADATA_RANGE_H
#define NEY_MODEL_METADATA_RANGE_H

#include "model/model.h"

/* What is expected instead of this value, NULL where it is in its range or the key has none.
 * @param text  NULL for a number. */
const char *ney_metadata_expected(ney_metadata_kind list, const char *key, const char *text,
                                  double value);

#endif
