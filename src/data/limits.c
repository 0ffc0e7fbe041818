#include "data/limits.h"

int64_t ney_max_columns(const ney_read_opts *opts, int64_t entries)
{
    if (opts->max_columns > 0) {
        return opts->max_columns;
    }
    return entries > NEY_MOST_COLUMNS / NEY_COLUMNS_PER_ENTRY    ? NEY_MOST_COLUMNS
           : entries > NEY_USUAL_COLUMNS / NEY_COLUMNS_PER_ENTRY ? entries * NEY_COLUMNS_PER_ENTRY
                                                                 : NEY_USUAL_COLUMNS;
}

ney_status ney_check_columns(const ney_read_opts *opts, int64_t cols, int64_t entries,
                             int64_t model_cols, ney_place place, ney_error *err)
{
    const int64_t most = ney_max_columns(opts, entries);
    if (cols <= most || cols <= model_cols) {
        return NEY_OK;
    }
    return ney_fail_at(err, NEY_EPARSE, place,
                       "found column %lld, expected at most %lld columns%s: raise --max-columns if "
                       "the data have that many",
                       (long long)cols, (long long)most,
                       opts->max_columns > 0 ? "" : " for so few entries");
}

int64_t ney_max_line(const ney_read_opts *opts)
{
    return opts->max_line * 1000000;
}
