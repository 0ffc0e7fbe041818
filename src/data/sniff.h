/* The format of a text, recognised by its first lines and, where they leave it open, its name. */
#ifndef NEY_DATA_SNIFF_H
#define NEY_DATA_SNIFF_H

#include "base/error.h"

/* The first bytes of every cache file. */
#define NEY_CACHE_MAGIC "NEYCACHE"

/* The first word of every model file. */
#define NEY_MODEL_MAGIC "neyman-model"

/* The first word of every path file. */
#define NEY_PATH_MAGIC "neyman-path"

/* `wanted` is the format that the caller states, or AUTO: a text whose words only spaces
 * separate is refused then. */
ney_status ney_sniff(const char *name, const char *bytes, int64_t n_bytes, ney_format wanted,
                     ney_format *format, ney_error *err);

/* Whether the first column of a table is named as in a Percolator file. */
bool ney_is_pin_header(const char *line, int64_t length);

#endif
