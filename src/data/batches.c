#include "data/batches.h"

ney_status ney_batches_next(const ney_batches *b, int *n, ney_error *err)
{
    const ney_files *const files = b->lines->files;
    ney_error fill_error;
    const ney_status filled = ney_lines_step(b->lines, b->parse, b->context, n, &fill_error);

    if (*n > 0) {
        b->labels->file = ney_lines_file(b->lines);
        b->labels->is_decoy = ney_files_has_decoys(files, b->lines->file);
        if (b->lines->opens) {
            *b->lines_before = 0;
            b->labels->own[0] = '\0';
        }
    }

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
            err->line =
                b->lines->too_long ? ney_lines_too_long(b->lines, *b->lines_before) : err->line;
        }
        return filled;
    }
    if (!ney_poll(&b->lines->env, "reading", (double)ney_files_done(files),
                  (double)ney_files_total(files))) {
        return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
    }
    return NEY_OK;
}
