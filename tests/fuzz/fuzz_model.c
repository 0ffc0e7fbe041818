/* Any bytes as a model file: a clean refusal, or a model that scores, and that is written and read
 * back to the same text and the same scores. Half of the inputs get a last line that fits. */
#include "fuzz/checksummed.h"

#include <neyman/experimental.h>

#include <math.h>

static void check_scores(const ney_model *a, const ney_model *b)
{
    static const float value[] = {1, -2.5F, 0, 3e30F, 0.125F, 7};
    static const int64_t start[] = {0, 0, 2};
    static const int32_t index[] = {0, 4};
    const ney_matrix x[] = {{.rows = 2, .cols = 3, .dense = value},
                            {.rows = 2, .cols = 5, .start = start, .index = index, .value = value}};
    const ney_env env = fuzz_env();
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        double p[2], q[2];
        if (ney_model_score(a, &env, &x[i], p, NULL) == NEY_OK) {
            REQUIRE(ney_model_score(b, &env, &x[i], q, NULL) == NEY_OK);
            REQUIRE(memcmp(p, q, sizeof p) == 0);
        }
    }
}

/* Of trees: a number for every feature, whatever the covers are; or a clean refusal. */
static void check_contributions(const ney_model *m)
{
    enum { MOST = 100 };
    static const float value[MOST] = {1, -2.5F, 0, 3e30F, 0.125F, NAN};
    const int64_t cols = ney_preprocessing_cols(ney_model_preprocessing(m));
    const ney_matrix x = {.rows = 1, .cols = MOST, .dense = value};
    const ney_env env = fuzz_env();
    double out[MOST], expected;
    if (cols > 0 && cols <= MOST &&
        ney_model_contributions(m, &env, &x, out, &expected, NULL) == NEY_OK) {
        for (int64_t c = 0; c < cols; c++) {
            REQUIRE(isfinite(out[c]));
        }
        REQUIRE(isfinite(expected));
    }
}

/* Two rows are too few to be called reused, whatever a file says of training rows. */
static void check_reuse(const ney_model *m, const ney_data *d)
{
    int8_t seen[2];
    ney_reuse reuse;
    int64_t rows, hashes;
    const bool has = ney_model_training_rows(m, &rows, &hashes);
    const ney_status st = ney_model_find_reuse(m, d, seen, &reuse, NULL);
    REQUIRE(st == (has ? NEY_OK : NEY_EINVAL) || st == NEY_ENOMEM);
    REQUIRE(!has || (rows >= 1 && hashes >= 0 && hashes <= rows));
    if (st == NEY_OK) {
        REQUIRE(reuse.equal <= reuse.compared && reuse.compared <= reuse.rows && !reuse.reused);
    }
}

static void check_model(const ney_model *m)
{
    const ney_env env = fuzz_env();
    ney_model *back = NULL;
    ney_data *d = NULL;
    char *text = NULL, *again = NULL, name[64];
    size_t n_text, n_again;
    double low, high;

    ney_model_thresholds(m, &low, &high);
    REQUIRE(low <= high);
    const ney_preprocessing *preprocessing = ney_model_preprocessing(m);
    for (int64_t c = 0; c < ney_preprocessing_cols(preprocessing) && c < 100; c++) {
        ney_preprocessing_feature(preprocessing, c, name, sizeof name);
    }
    if (ney_model_format(m, &text, &n_text, NULL) == NEY_OK) {
        REQUIRE(ney_model_parse(&back, &env, "back", text, n_text, NULL) == NEY_OK);
        REQUIRE(ney_model_format(back, &again, &n_again, NULL) == NEY_OK);
        REQUIRE(n_text == n_again && memcmp(text, again, n_text) == 0);
        check_scores(m, back);
        check_contributions(m);
    }
    /* The preprocessing of a hostile model, used on harmless files. */
    static const char *const files[] = {
        "1 1:2 3:1\n-1 2:1\n", "label,a,b\n1,2,x\n0,3,y\n",
        "SpecId\tLabel\tScanNr\ta\tPeptide\tProteins\ns\t1\t1\t2\tP\tQ\n"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        ney_error err = {0};
        const ney_status st = ney_data_parse_with(&d, &env, "file", files[i], strlen(files[i]),
                                                  NULL, preprocessing, &err);
        if (st != NEY_OK) {
            require_refusal(st, d, &err);
        } else {
            REQUIRE(ney_data_matrix(d)->cols == ney_preprocessing_cols(preprocessing));
            require_matrix(ney_data_matrix(d), NEY_MISSING_KEEP);
            check_reuse(m, d);
        }
        ney_data_free(d);
    }
    ney_model_text_free(m, text);
    ney_model_text_free(m, again);
    ney_model_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_model *m = NULL;
    ney_error err = {0};

    if (len < 1) {
        return 0;
    }
    size_t n_text;
    char *const exact = sealed_text(bytes, len, &n_text);
    const ney_status st = ney_model_parse(&m, &env, "fuzz", exact, n_text, &err);
    free(exact);
    if (st != NEY_OK) {
        require_refusal(st, m, &err);
        return 0;
    }
    check_model(m);
    ney_model_free(m);
    return 0;
}
