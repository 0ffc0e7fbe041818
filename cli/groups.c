#include "groups.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "result.h"

/* Rows that count, their values first and then their groups. */
static ney_status mean_of(session *s, const double *value, const uint64_t *group, int64_t n,
                          ney_group_mean *mean)
{
    double *kept = malloc(((size_t)n + 1) * sizeof *kept);
    uint64_t *of = malloc(((size_t)n + 1) * sizeof *of);
    int64_t m = 0;
    ney_status st;

    if (kept && of) {
        for (int64_t i = 0; i < n; i++) {
            if (!isnan(value[i])) {
                kept[m] = value[i];
                of[m++] = group[i];
            }
        }
        st = ney_mean_of_groups(mean, &s->env, kept, of, m, 0.95, &s->err);
    } else {
        st = out_of_memory(&s->err, "the groups");
    }
    free(kept);
    free(of);
    return st;
}

ney_status groups_mean(session *s, ney_result *root, const char *key, const double *value,
                       const uint64_t *group, int64_t n, double scale)
{
    char interval[64];
    ney_group_mean mean;
    const ney_status st = mean_of(s, value, group, n, &mean);

    snprintf(interval, sizeof interval, "%s_interval", key);
    if (st != NEY_OK) {
        return st;
    }
    ney_result_add_real(root, key, scale * mean.mean); /* null for NAN */
    if (mean.n_groups == 0) {
        ney_result_add_text(root, interval, NULL);
    } else {
        ney_result_add_interval(root, interval, scale * mean.low, scale * mean.high);
    }
    return NEY_OK;
}

bool groups_certified(const ney_model *model)
{
    const char *key, *text;
    double value;

    for (int64_t k = 0; ney_model_metadata(model, NEY_METADATA_CERTIFICATE, k, &key, &value, &text);
         k++) {
        if (text && strcmp(key, "unit") == 0 && strcmp(text, "group") == 0) {
            return true;
        }
    }
    return false;
}

void groups_warn_missing(ney_result *root, const ney_model *model)
{
    if (groups_certified(model)) {
        ney_result_warn(root,
                        "the model is certified with the group as the unit and these rows have "
                        "no groups: the intervals assume independent rows; name the groups "
                        "with --group COLUMN");
    }
}

int groups_refuse(session *s, const ney_data *data, const char *reason)
{
    const ney_read_opts *read = options_of(s->call, &read_options);

    if (read->group) {
        return session_misused(s, "--group does not apply to %s: %s", s->call->command->name,
                               reason);
    }
    if (data && ney_data_group_column(data)) {
        return session_misused(s, "the data have groups ('%.60s'), which %s cannot use: %s",
                               ney_data_group_column(data), s->call->command->name, reason);
    }
    return EXIT_OK;
}
