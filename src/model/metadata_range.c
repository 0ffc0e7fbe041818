#include "model/metadata_range.h"

#include <math.h>
#include <string.h>

typedef struct range {
    double low, high;
    bool is_open;  /* the ends are not in it */
    bool is_whole; /* only whole numbers are */
    const char *expected;
} range;

static const range RATE = {0, 1, false, false, "a number from 0 to 1"};
static const range COST = {1e-12, 1e12, false, false, "a number from 1e-12 to 1e+12"};
static const range WIDTH = {1e-6, 1e6, false, false, "a number from 1e-06 to 1e+06"};
static const range DELTA = {0, 1, true, false, "a number above 0 and below 1"};
static const range COUNT = {0, 0x1p53, false, true, "a whole number from 0"};
static const range SCORE = {-(double)INFINITY, (double)INFINITY, false, false, "a number"};

typedef struct known_item {
    const char *key;
    const range *range;
} known_item;

static const known_item in_summary[] = {
    {"n", &COUNT},
    {"n_pos", &COUNT},
    {"n_neg", &COUNT},
    {"max_fpr", &RATE},
    {"max_fnr", &RATE},
    {"c", &COST},
    {"eta", &WIDTH},
    {"cost_fn", &COST},
    {"cost_fp", &COST},
    {"reject_cost_fn", &COST},
    {"reject_cost_fp", &COST},
    {"training_cost_fn", &COST},
    {"training_cost_fp", &COST},
    {"training_reject_cost_fn", &COST},
    {"training_reject_cost_fp", &COST},
};

/* Behind "fpr_" and "fnr_". */
static const known_item in_certificate[] = {
    {"max_rate", &RATE},       {"delta", &DELTA},    {"n", &COUNT},
    {"rank", &COUNT},          {"bound", &RATE},     {"threshold", &SCORE},
    {"misclassified", &COUNT}, {"n_groups", &COUNT}, {"group_rate", &RATE},
};

static const range *range_of(const known_item *known, size_t n, const char *key)
{
    for (size_t k = 0; k < n; k++) {
        if (strcmp(known[k].key, key) == 0) {
            return known[k].range;
        }
    }
    return NULL;
}

static const range *find_range(ney_metadata_kind list, const char *key)
{
    if (list == NEY_METADATA_SUMMARY) {
        return range_of(in_summary, sizeof in_summary / sizeof *in_summary, key);
    }
    const bool is_rate = strncmp(key, "fpr_", 4) == 0 || strncmp(key, "fnr_", 4) == 0;
    return is_rate
               ? range_of(in_certificate, sizeof in_certificate / sizeof *in_certificate, key + 4)
               : NULL;
}

static bool is_in(const range *r, double x)
{
    const bool inside = r->is_open ? x > r->low && x < r->high : x >= r->low && x <= r->high;
    return inside && (!r->is_whole || x == floor(x));
}

const char *ney_metadata_expected(ney_metadata_kind list, const char *key, const char *text,
                                  double value)
{
    const range *const r = find_range(list, key);
    return r && (text || !is_in(r, value)) ? r->expected : NULL;
}
