/* Subgroups of a monitor: the values of a column, each with tests of its own.
 *
 * All rows together have half of delta. The k-th subgroup, in the order in which their first rows
 * arrive, has delta / (2 k (k + 1)), and k (k + 1) for k = 1, 2, ... sums to 1 over its inverses:
 * by the union bound any alarm is false with probability at most delta, however many subgroups
 * there come to be. When a subgroup begins is known before its first row is classified. [MONITOR.4]
 */
#include "decide/monitor.h"

#include <string.h>
#include <xxhash.h>

void ney_monitor_forget_subgroups(ney_monitor *m)
{
    for (int64_t k = 0; k < m->n_subgroups; k++) {
        ney_release(&m->env, m->subgroup[k].name);
    }
    m->n_subgroups = m->subgroup_alarms = 0;
}

ney_status ney_monitor_watch_by(ney_monitor *m, const char *column, ney_error *err)
{
    NEY_REQUIRE(m && column && *column, err);
    if (m->by || m->state.path || ney_monitor_rows(m) > 0) {
        return ney_fail(err, NEY_EINVAL, "the monitor is in use, expected a new one");
    }
    const ney_monitor_opts opts = m->opts;
    if (!(m->by = ney_strdup(&m->env, column, strlen(column)))) {
        return ney_no_memory(err, (int64_t)strlen(column), "bytes of a name");
    }
    return ney_monitor_restart(m, &opts, err);
}

static ney_status begin_subgroup(ney_monitor *m, const char *name, uint64_t key, ney_error *err)
{
    const double k = (double)m->n_subgroups + 1;
    ney_status st = NEY_OK;

    if (m->n_subgroups == NEY_MOST_SUBGROUPS) {
        return ney_fail(err, NEY_EINVAL,
                        "column %.60s has more than %d values, expected a column of categories",
                        m->by, NEY_MOST_SUBGROUPS);
    }
    if (!ney_grow(&m->env, &m->subgroup, &m->subgroup_cap, m->n_subgroups + 1,
                  sizeof *m->subgroup)) {
        return ney_no_memory(err, m->n_subgroups + 1, "subgroups");
    }
    ney_subgroup *const g = &m->subgroup[m->n_subgroups];
    *g = (ney_subgroup){.key = key};
    for (int r = 0; r < 2 && st == NEY_OK; r++) {
        st = ney_watched_init(&g->rate[r], &m->opts, r, 0.5 / (k * (k + 1)), err);
    }
    if (st == NEY_OK && !(g->name = ney_strdup(&m->env, name, strlen(name)))) {
        st = ney_no_memory(err, (int64_t)strlen(name), "bytes of a name");
    }
    m->n_subgroups += st == NEY_OK;
    return st;
}

ney_status ney_monitor_subgroup_of(ney_monitor *m, const char *name, ney_subgroup **out,
                                   ney_error *err)
{
    const uint64_t key = XXH3_64bits(name, strlen(name));
    int64_t k = 0;

    while (k < m->n_subgroups &&
           (m->subgroup[k].key != key || strcmp(m->subgroup[k].name, name) != 0)) {
        k++;
    }
    if (k == m->n_subgroups) {
        const ney_status st = begin_subgroup(m, name, key, err);
        if (st != NEY_OK) {
            return st;
        }
    }
    *out = &m->subgroup[k];
    return NEY_OK;
}

int64_t ney_monitor_subgroups(const ney_monitor *m)
{
    return m ? m->n_subgroups : 0;
}

bool ney_monitor_subgroup(const ney_monitor *m, int64_t k, ney_subgroup_info *info)
{
    if (!m || !info || k < 0 || k >= m->n_subgroups) {
        return false;
    }
    const ney_subgroup *const g = &m->subgroup[k];
    *info = (ney_subgroup_info){.name = g->name,
                                .n_pos = g->n_class[1],
                                .n_neg = g->n_class[0],
                                .fpr = ney_watched_info(&g->rate[0]),
                                .fnr = ney_watched_info(&g->rate[1])};
    return true;
}
