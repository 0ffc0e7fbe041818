/* Any bytes as the lines of a table of tuning results: a clean refusal, a table begun anew, or
 * results whose numbers are such as a search writes. With bit 0 of byte 0 the text begins with the
 * header, with bit 1 every line ends with the right key. */
#include "fuzz/fuzz.h"
#include "learn/method.h"
#include "select/fold_results.h"

static const uint64_t KEY = UINT64_C(0x0123456789abcdef);
static const char HEADER[] =
    "method\tkernel\tC\tgamma\teta\tcost_fn\tcost_fp\tdegree\tcoef0\tdepth\tlearning_rate\tmin_"
    "child\tat_k\t"
    "fold\trows\tloss\tfpr\tfnr\tthreshold\tauc\tsupport_"
    "vectors\titerations\tconverged\tseconds\tkey\n";

static void save(const char *path, const uint8_t *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    REQUIRE(f != NULL);
    if (bytes[0] & 1) {
        fputs(HEADER, f);
    }
    for (size_t k = 1; k < len; k++) {
        if (bytes[k] == '\n' && bytes[0] & 2) {
            fprintf(f, "\t%016llx", (unsigned long long)KEY);
        }
        fputc(bytes[k], f);
    }
    REQUIRE(fclose(f) == 0);
}

/* What is written begins with HEADER: otherwise the target would test refusals alone. */
static void check_header(const char *path)
{
    char line[sizeof HEADER] = "";
    FILE *f = fopen(path, "rb");
    REQUIRE(f != NULL && fgets(line, sizeof line, f) && strcmp(line, HEADER) == 0);
    REQUIRE(fclose(f) == 0);
}

static bool is_share(double x)
{
    return isnan(x) || (x >= 0 && x <= 1);
}

static void check_result(const ney_fold_result *r)
{
    REQUIRE(r->fold >= 0 && r->fold < 100 && r->rows > 0);
    REQUIRE(r->method >= 0 && ney_method_at(r->method));
    REQUIRE((int)r->kernel >= NEY_KERNEL_LINEAR && r->kernel <= NEY_KERNEL_SIGMOID);
    REQUIRE(!isinf(r->C) && !isinf(r->gamma) && !isinf(r->coef0) && !isinf(r->found.loss));
    REQUIRE(!isinf(r->depth) && !isinf(r->learning_rate) && !isinf(r->min_child) &&
            !isinf(r->at_k));
    REQUIRE(is_share(r->found.fpr) && is_share(r->found.fnr) && is_share(r->found.auc));
    REQUIRE(r->support_vectors >= -1 && r->iterations >= -1);
    REQUIRE(r->seconds >= 0 && isfinite(r->seconds));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    char path[128];
    const ney_env env = fuzz_env();
    ney_fold_results r;
    ney_error err = {0};

    if (len < 1) {
        return 0;
    }
    save(fuzz_path(path, "a.txt"), bytes, len);
    const ney_status st = ney_fold_results_open(&r, &env, path, KEY, false, &err);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
    }
    for (int64_t k = 0; st == NEY_OK && k < r.n_old; k++) {
        check_result(&r.old[k]);
        const ney_fold_result *const like = ney_fold_results_find(&r, &r.old[k]);
        REQUIRE(!like || like <= &r.old[k]);
    }
    if (st == NEY_OK) { /* what is added is read again */
        ney_fold_result more = {
            .C = 1, .gamma = 2, .eta = 1, .cost_fn = 1, .cost_fp = 1, .degree = 3, .rows = 9};
        const int64_t before = r.n_old;
        REQUIRE(ney_fold_results_add(&r, &more, &err) == NEY_OK);
        ney_fold_results_close(&r);
        check_header(path);
        REQUIRE(ney_fold_results_open(&r, &env, path, KEY, false, &err) == NEY_OK);
        REQUIRE(r.n_old == before + 1);
    }
    ney_fold_results_close(&r);
    return 0;
}
