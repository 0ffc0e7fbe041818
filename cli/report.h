/* The interactive report: what goes into the page, and how it is written. */
#ifndef CLI_REPORT_H
#define CLI_REPORT_H

#include "labelled.h"
#include "output.h"

/* Most thresholds that a page holds, besides a second one that is fixed (a rejection band). */
enum { REPORT_THRESHOLDS = 1000000 };

/* A curve as a page holds it: its points as packed bytes. */
typedef struct packed_curve {
    uint8_t *bytes; /* owned */
    size_t n_bytes;
    int64_t n_kept; /* thresholds */
    double gap;     /* largest change of a rate from a kept one to one left out; 0: all are kept */
} packed_curve;

/* Pack a curve; of more than REPORT_THRESHOLDS points as many are kept, those that decide as
 * `low` and `high` do among them. */
ney_status curve_pack(packed_curve *out, const ney_roc *roc, double low, double high,
                      ney_error *err);
void packed_curve_deinit(packed_curve *p);

/* Write the page: `root` as JSON, which is freed, and the scores; NULL for none. */
ney_status report_write(const char *path, ney_result *root, const packed_curve *scores,
                        int64_t *n_bytes, ney_error *err);

/* SHA-256 of a file as 64 hexadecimal digits, "" where it cannot be read twice (a pipe) or at all.
 */
void report_hash_file(const char *path, char hex[65]);

#endif
