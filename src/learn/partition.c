#include "learn/partition.h"

#include "data/data.h"
#include "learn/shared.h"

ney_status ney_partition_init(ney_partition *p, const ney_env *env, const ney_data *data,
                              const ney_request *r, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    *p = (ney_partition){.env = *env, .data = data};
    ney_status st = ney_request_check_missing(r, data->preprocessing->missing, err);
    if (st != NEY_OK || (st = ney_check_groups(data, r, err)) != NEY_OK ||
        !ney_holdout_is_asked(r)) {
        return st;
    }
    p->part_of = ney_alloc(env, n, sizeof *p->part_of);
    st = ney_shared_agree(data->blocks,
                          p->part_of ? NEY_OK : ney_no_memory(err, n, "rows to hold out"), err);
    return st == NEY_OK ? ney_holdout(data, r, p->part_of, err) : st;
}

void ney_partition_deinit(ney_partition *p)
{
    for (int part = 0; part < NEY_PARTS; part++) {
        ney_data_free(p->taken[part]);
    }
    ney_release(&p->env, p->part_of);
    *p = (ney_partition){0};
}

int64_t ney_partition_count(const ney_partition *p, ney_part part)
{
    const int64_t n = ney_data_matrix(p->data)->rows;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        m += (p->part_of ? p->part_of[i] : NEY_PART_LEARN) == part;
    }
    return m;
}

int64_t ney_partition_rows(const ney_partition *p, ney_part part, int64_t *rows)
{
    const int64_t n = ney_data_matrix(p->data)->rows;
    int64_t m = 0;
    for (int64_t i = 0; i < n; i++) {
        if ((p->part_of ? p->part_of[i] : NEY_PART_LEARN) == part) {
            rows[m++] = i;
        }
    }
    return m;
}

static ney_status copy_part(ney_partition *p, ney_part part, int64_t *rows, ney_error *err)
{
    const int64_t m = ney_partition_rows(p, part, rows);
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < m && part != NEY_PART_LEARN && st == NEY_OK; k++) {
        st = ney_holdout_check(p->data, rows[k], err);
    }
    int64_t all = m;
    st = ney_shared_agree(p->data->blocks, st, err);
    ney_comm_add_counts(ney_blocks_comm(p->data->blocks), &all, 1);
    return all > 0 && st == NEY_OK ? ney_data_take(&p->taken[part], p->data, rows, m, err) : st;
}

ney_status ney_partition_take(ney_partition *p, ney_part part, const ney_data **out, ney_error *err)
{
    ney_status st = NEY_OK;
    if (p->part_of && !p->taken[part]) {
        const int64_t n = ney_data_matrix(p->data)->rows;
        int64_t *rows = ney_alloc(&p->env, n, sizeof *rows);
        st = ney_shared_agree(p->data->blocks,
                              rows ? NEY_OK : ney_no_memory(err, n, "rows to hold out"), err);
        st = st == NEY_OK ? copy_part(p, part, rows, err) : st;
        ney_release(&p->env, rows);
    }
    *out = p->part_of || part != NEY_PART_LEARN ? p->taken[part] : p->data;
    return st;
}
