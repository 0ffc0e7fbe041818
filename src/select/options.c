/* Which tables of options there are: the one place that knows them all. */
#include "base/options.h"

#include <string.h>

#ifdef NEY_TEST_EXTRA /* tests/abi: a later library, with an option more, before all others */
typedef struct extra_opts {
    double value;
} extra_opts;

static const ney_param *extra_params(int64_t *n_params)
{
    static const ney_param rows[] = {
        {"test-extra", 0, NEY_KIND_REAL, 0, 1, 0, 2, "X", NULL, "an option of a later version"}};
    *n_params = 1;
    return rows;
}
#endif

static const ney_option_group groups[] = {
#ifdef NEY_TEST_EXTRA
    {"extra", extra_params, sizeof(extra_opts)},
#endif
    {"data", ney_read_params, sizeof(ney_read_opts)},
    {"preprocessing", ney_preprocess_params, sizeof(ney_preprocess_opts)},
    {"training", ney_train_params, sizeof(ney_train_opts)},
    {"tuning", ney_tune_params, sizeof(ney_tune_opts)},
    {"exploration", ney_explore_params, sizeof(ney_explore_opts)},
    {"mixture", ney_mixture_params, sizeof(ney_mixture_opts)},
};

enum { N_GROUPS = sizeof groups / sizeof *groups };

ney_status ney_options_new(ney_options **out, const ney_env *env, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    return ney_options_make(out, env, groups, N_GROUPS, err);
}

/* Whether a table before group `g` has an option of this name: then it is that one ("seed"). */
static bool is_repeated(int g, const char *name)
{
    for (int before = 0; before < g; before++) {
        int64_t n;
        const ney_param *const row = groups[before].params(&n);
        for (int64_t k = 0; k < n; k++) {
            if (strcmp(row[k].name, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Option `k` of all and its group; NULL where there is none, and *total is their number then. */
static const ney_param *find_option(int64_t k, int *group, int64_t *total)
{
    *total = 0;
    for (int g = 0; g < N_GROUPS; g++) {
        int64_t n;
        const ney_param *const row = groups[g].params(&n);
        for (int64_t i = 0; i < n; i++) {
            if (!is_repeated(g, row[i].name) && (*total)++ == k) {
                *group = g;
                return &row[i];
            }
        }
    }
    return NULL;
}

int64_t ney_options_count(void)
{
    int group;
    int64_t total;
    (void)find_option(-1, &group, &total);
    return total;
}

bool ney_options_info(int64_t k, ney_option_info *info, size_t size)
{
    int g = 0;
    int64_t total;
    const ney_param *const p = find_option(k, &g, &total);
    if (!p || !info) {
        return false;
    }
    const struct {
        ney_option_info info;
#ifdef NEY_TEST_EXTRA /* and a struct that has grown */
        double more[4];
#endif
    } all = {.info = {.name = p->name,
                      .group = groups[g].name,
                      .kind = p->kind,
                      .initial = p->initial,
                      .low = p->low,
                      .high = p->high,
                      .choices = p->choices,
                      .help = p->help}};
    memset(info, 0, size);
    memcpy(info, &all, size < sizeof all ? size : sizeof all);
    return true;
}
