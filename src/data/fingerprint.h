/* What tells a set of rows from any other. */
#ifndef NEY_DATA_FINGERPRINT_H
#define NEY_DATA_FINGERPRINT_H

#include <neyman/neyman.h>

/* The same for the same features in any order of rows and any storage; labels take no part. */
uint64_t ney_data_fingerprint(const ney_data *data);

#endif
