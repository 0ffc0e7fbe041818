#include "data/split_prepared.h"

#include "data/apply_preprocessing.h"

/* The rows of one part, in new memory; returns their number, -1 without memory. part_of NULL: all.
 */
static int64_t list_rows(int64_t **out, const ney_data *data, const int *part_of, int part)
{
    int64_t *rows = *out = ney_alloc(&data->env, data->x.rows, sizeof *rows);
    int64_t n = 0;

    for (int64_t i = 0; rows && i < data->x.rows; i++) {
        if (!part_of || part_of[i] == part) {
            rows[n++] = i;
        }
    }
    return rows ? n : -1;
}

/* Take the rows of one part and prepare them, unless they are: as `like`, or by fitting. */
static ney_status take_part(ney_data **out, const ney_data *data, const int *part_of, int part,
                            const ney_data *like, ney_scaling scaling, ney_error *err)
{
    int64_t *rows;
    const int64_t n = list_rows(&rows, data, part_of, part);
    ney_status st =
        n >= 0 ? ney_data_take(out, data, rows, n, err) : ney_no_memory(err, data->x.rows, "rows");

    ney_release(&data->env, rows);
    if (st == NEY_OK && !data->preprocessing->prepared) {
        st = like ? ney_preprocessing_apply(*out, like->preprocessing, NEY_ORIGIN_CACHE, err)
                  : ney_data_prepare(*out, scaling, NULL, 0, err);
    }
    if (st != NEY_OK) {
        ney_data_free(*out);
        *out = NULL;
    }
    return st;
}

ney_status ney_data_split_prepared(ney_data **learn, ney_data **evaluate, const ney_data *data,
                                   uint64_t seed, ney_scaling scaling, ney_error *err)
{
    const double share[2] = {1, 1};
    int *part_of = ney_alloc(&data->env, data->x.rows, sizeof *part_of);
    ney_status st = part_of ? ney_data_split(data, share, 2, seed, part_of, err)
                            : ney_no_memory(err, data->x.rows, "rows");

    *learn = *evaluate = NULL;
    if (st == NEY_OK && (st = take_part(learn, data, part_of, 0, NULL, scaling, err)) == NEY_OK &&
        (st = take_part(evaluate, data, part_of, 1, *learn, scaling, err)) != NEY_OK) {
        ney_data_free(*learn);
        *learn = NULL;
    }
    ney_release(&data->env, part_of);
    return st;
}

ney_status ney_data_copy_prepared(ney_data **out, const ney_data *data, const ney_data *like,
                                  ney_scaling scaling, ney_error *err)
{
    *out = NULL;
    return take_part(out, data, NULL, 0, like, scaling, err);
}
