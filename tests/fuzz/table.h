/* What holds for any table, whatever its delimiter: shared by the targets for CSV, TSV and PIN. */
#ifndef TESTS_FUZZ_TABLE_H
#define TESTS_FUZZ_TABLE_H

#include "fuzz/fuzz.h"

#include "data/data.h"

static inline bool is_shifted(const ney_data *d)
{
    const double *shift = ney_data_preprocessing(d)->shift;
    for (int64_t c = 0; shift && c < ney_data_matrix(d)->cols; c++) {
        if (shift[c] != 0) {
            return true;
        }
    }
    return false;
}

/* A number held less a shift comes back to within what a float of its spread can hold; the survey
 * of the written file may choose another shift. All others come back to the bit. */
static inline void check_round_trip(const ney_data *d, ney_format format, const ney_read_opts *opts)
{
    ney_data *e = fuzz_round_trip(d, format, opts);
    if (e && !is_shifted(d) && !is_shifted(e)) {
        require_same_entries(ney_data_matrix(d), ney_data_matrix(e));
    }
    ney_data_free(e);
}

static inline void fuzz_table(const uint8_t *bytes, size_t len, const ney_read_opts *opts,
                              ney_scaling scaling)
{
    const ney_env env = fuzz_env();
    ney_data *d = NULL;
    ney_error err = {0};

    const ney_status st = ney_data_parse_with(&d, &env, "fuzz", bytes, len, opts, NULL, &err);
    if (st != NEY_OK) {
        require_refusal(st, d, &err);
        check_profile(bytes, len, opts, NULL);
        return;
    }
    require_data(d, (int)opts->missing);
    if (opts->missing == NEY_MISSING_KEEP) {
        check_profile(bytes, len, opts, d);
    }
    /* The written table has a header, whatever the one read had. */
    const ney_preprocessing *r = d->preprocessing;
    ney_read_opts back = {.format = opts->format,
                          .label = d->label ? r->label_column : NULL,
                          .weight = d->weight ? r->weight_column : NULL,
                          .positive = opts->positive,
                          .missing = NEY_MISSING_KEEP,
                          .max_categories = 1000,
                          .max_line = 64};
    const bool ambiguous = back.label && back.weight && strcmp(back.label, back.weight) == 0;
    /* A table whose only column has gaps, or a column less than one, has lines without a word. */
    if (ney_data_matrix(d)->cols > 1 && opts->format != NEY_FORMAT_PIN && !ambiguous) {
        check_round_trip(d, (ney_format)opts->format, &back);
    } else if (opts->format == NEY_FORMAT_PIN && d->label) {
        back.label = NULL;
        back.weight = NULL;
        if (!d->weight) {
            check_round_trip(d, NEY_FORMAT_PIN, &back);
        }
    }
    back = fuzz_opts(0, NEY_FORMAT_CACHE); /* a cache holds what columns of text became */
    back.positive = opts->positive;
    back.missing = opts->missing;
    check_round_trip(d, NEY_FORMAT_CACHE, &back);
    if (opts->missing != NEY_MISSING_KEEP) {
        check_again(bytes, len, opts, d, scaling);
    }
    ney_data_free(d);
}

#endif
