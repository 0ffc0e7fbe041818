/* A program that was compiled once and meets a later library: with more options, more members of
 * results and larger structs. What it prints must not depend on which of the two it meets. */
#include <neyman/neyman.h>

#include <stdio.h>
#include <string.h>

enum { ROWS = 200, COLS = 2 };

/* The struct as this program knows it, and bytes behind it that are not the library's. */
typedef struct guarded {
    ney_option_info info;
    unsigned char behind[64];
} guarded;

static int check_options(void)
{
    int found = 0;
    for (int64_t k = 0; k < ney_options_count(); k++) {
        guarded g;
        memset(&g, 0x5a, sizeof g);
        if (!ney_options_info(k, &g.info, sizeof g.info)) {
            return 0;
        }
        for (size_t b = 0; b < sizeof g.behind; b++) {
            if (g.behind[b] != 0x5a) {
                return 0;
            }
        }
        found += strcmp(g.info.name, "max-fpr") == 0 || strcmp(g.info.name, "kernel") == 0 ||
                 strcmp(g.info.name, "grid") == 0 || strcmp(g.info.name, "scale") == 0;
    }
    return found == 4;
}

/* A certificate as this program knows it, and bytes behind it. */
typedef struct guarded_certificate {
    ney_certificate certificate;
    unsigned char behind[64];
} guarded_certificate;

/* Certify scores; 0 on failure, or when bytes behind the struct were written. */
static int check_certificate(const double *score, int64_t n, guarded_certificate *g)
{
    memset(g, 0x5a, sizeof *g);
    int good = ney_certify(&g->certificate, NULL, NEY_FALSE_POSITIVES, score, n, 0.1, 0.05, NULL) ==
               NEY_OK;
    for (size_t b = 0; b < sizeof g->behind; b++) {
        good = good && g->behind[b] == 0x5a;
    }
    return good;
}

/* Whether the library is the later one: an option, a result member, a member of a struct more. */
static int is_later(const ney_options *options, const ney_result *result,
                    const ney_certificate *certificate)
{
    char value[8];
    return ney_options_get(options, "test-extra", value, sizeof value) &&
           ney_result_find(result, "test_extra") != NULL && certificate->reserved[0] == 1;
}

int main(int argc, char **argv)
{
    static double x[ROWS * COLS];
    static int8_t label[ROWS];
    double score[ROWS], fpr = -1, threshold = -1;
    guarded_certificate g;
    ney_error err = {0};
    ney_options *options = NULL;
    ney_data *data = NULL;
    ney_model *model = NULL;
    ney_result *result = NULL;
    ney_status st;

    for (int i = 0; i < ROWS; i++) {
        label[i] = (int8_t)(i % 2 ? 1 : -1);
        x[i * COLS] = i * 37 % 101 + 30 * (i % 2);
        x[i * COLS + 1] = i * 53 % 97;
    }
    const ney_array rows = {.rows = ROWS, .cols = COLS, .value = x, .value_type = NEY_FLOAT64};
    if (!check_options()) {
        fprintf(stderr, "the options are not those of this header\n");
        return 1;
    }
    if ((st = ney_options_new(&options, NULL, &err)) != NEY_OK ||
        (st = ney_options_set_double(options, "max-fpr", 0.1, &err)) != NEY_OK ||
        (st = ney_options_set(options, "kernel", "rbf", &err)) != NEY_OK ||
        (st = ney_data_from_array(&data, NULL, &rows, NULL, &err)) != NEY_OK ||
        (st = ney_data_set_labels(data, label, "no", "yes", &err)) != NEY_OK ||
        (st = ney_fit(&model, &result, NULL, data, options, &err)) != NEY_OK ||
        (st = ney_predict(model, NULL, &rows, score, NULL, &err)) != NEY_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    if (!check_certificate(score, ROWS, &g)) {
        fprintf(stderr, "the certificate is not that of this header\n");
        return 1;
    }
    (void)ney_result_get_real(result, "fpr", &fpr);
    (void)ney_result_get_real(result, "threshold", &threshold);
    printf("%lld %.17g ", (long long)g.certificate.rank, g.certificate.threshold);
    printf("%s %s %s %.17g %.17g %.17g\n", ney_result_get_text(result, "goal"),
           ney_result_get_text(result, "method"), ney_result_get_text(result, "family"), fpr,
           threshold, score[7]);
    const int later = is_later(options, result, &g.certificate);
    const int expected = argc > 1 && strcmp(argv[1], "later") == 0;
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
    return later == expected ? 0 : 1;
}
