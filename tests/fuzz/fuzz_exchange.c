/* Any bytes as a model file of LIBSVM or LIBLINEAR: a clean refusal, or a model that scores, that
 * is written as a model of ours and read back to the same scores, and that is exported again. */
#include "fuzz/fuzz.h"

static const float value[] = {1, -2.5F, 0, 3e30F, 0.125F, 7};
static const ney_matrix rows = {.rows = 2, .cols = 3, .dense = value};

static void check_text(const ney_model *m, const double score[2])
{
    const ney_env env = fuzz_env();
    ney_model *back = NULL;
    char *text = NULL, *again = NULL;
    size_t n_text, n_again;
    double other[2];

    if (ney_model_format(m, &text, &n_text, NULL) == NEY_OK) {
        REQUIRE(ney_model_parse(&back, &env, "back", text, n_text, NULL) == NEY_OK);
        REQUIRE(ney_model_format(back, &again, &n_again, NULL) == NEY_OK);
        REQUIRE(n_text == n_again && memcmp(text, again, n_text) == 0);
        REQUIRE(ney_model_score(back, &env, &rows, other, NULL) == NEY_OK);
        REQUIRE(memcmp(score, other, sizeof other) == 0);
    }
    ney_model_text_free(m, text);
    ney_model_text_free(m, again);
    ney_model_free(back);
}

/* What was read can be said: export refuses nothing but weights that are no numbers any more. */
static void check_export(const ney_model *m)
{
    const ney_env env = fuzz_env();
    static char path[64];
    ney_model *back = NULL;
    ney_error err = {0};

    if (!path[0]) {
        snprintf(path, sizeof path, "/tmp/neyman-fuzz-exchange.%ld", (long)getpid());
    }
    REQUIRE(ney_model_export(m, path, NEY_EXCHANGE_LIBSVM, &err) == NEY_OK);
    const ney_status st = ney_model_read(&back, &env, path, &err);
    unlink(path);
    if (st != NEY_OK) { /* weights are doubles, support vectors of a file are single */
        REQUIRE(st == NEY_EFORMAT && ney_model_weights(m, NULL));
        return;
    }
    REQUIRE(strcmp(ney_preprocessing_label(ney_model_preprocessing(m), 1),
                   ney_preprocessing_label(ney_model_preprocessing(back), 1)) == 0);
    REQUIRE(strcmp(ney_preprocessing_label(ney_model_preprocessing(m), -1),
                   ney_preprocessing_label(ney_model_preprocessing(back), -1)) == 0);
    ney_model_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_model *m = NULL;
    ney_error err = {0};
    double score[2];

    char *exact = malloc(len ? len : 1); /* nothing readable follows the text */
    REQUIRE(exact != NULL);
    memcpy(exact, bytes, len);
    const ney_status st = ney_model_parse(&m, &env, "fuzz", exact, len, &err);
    free(exact);
    if (st != NEY_OK) {
        require_refusal(st, m, &err);
        return 0;
    }
    REQUIRE(ney_model_score(m, &env, &rows, score, NULL) == NEY_OK);
    check_text(m, score);
    check_export(m);
    ney_model_free(m);
    return 0;
}
