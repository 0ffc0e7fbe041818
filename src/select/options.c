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
};

enum { N_GROUPS = sizeof groups / sizeof *groups };

ney_status ney_options_new(ney_options **out, const ney_env *env, ney_error *err)
{
    return ney_options_make(out, env, groups, N_GROUPS, err);
}

int64_t ney_options_count(void)
{
    int64_t total = 0;
    for (int g = 0; g < N_GROUPS; g++) {
        int64_t n;
        (void)groups[g].params(&n);
        total += n;
    }
    return total;
}

bool ney_options_info(int64_t k, ney_option_info *info, size_t size)
{
    int64_t n = 0;
    const ney_param *params = NULL;
    int g = 0;

    for (; k >= 0 && g < N_GROUPS; g++, k -= n) {
        params = groups[g].params(&n);
        if (k < n) {
            break;
        }
    }
    if (k < 0 || g == N_GROUPS) {
        return false;
    }
    const ney_param *p = &params[k];
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
