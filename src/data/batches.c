#include "data/batches.h"

ney_status ney_batches_next(const ney_batches *b, int *n, ney_error *err)
{
    const ney_source *const source = b->lines->source;
    ney_error fill_error;
    const ney_status filled = ney_lines_step(b->lines, b->parse, b->context, n, &fill_error);

    for (int i = 0; i < *n; i++) { /* an error in these lines comes before one in those to come */
        const ney_status st =
            ney_labels_take(b->labels, b->rows(b->context, i), b->lines_before, err);
        if (st != NEY_OK) {
            return st;
        }
    }
    if (filled != NEY_OK) {
        if (err) {
            *err = fill_error;
            err->line = b->lines->too_long ? *b->lines_before + 1 : err->line;
        }
        return filled;
    }
    if (!ney_poll(&b->lines->env, "reading", (double)ney_source_done(source),
                  (double)ney_source_total(source))) {
        return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
    }
    return NEY_OK;
}
