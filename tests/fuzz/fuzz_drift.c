/* Any bytes as the state of a test of drift: a clean refusal that leaves the test as new, or a test
 * that keeps its invariants and can go on. */
#include "decide/drift.h"
#include "fuzz/checksummed.h"

static void check_drift(const ney_drift *d)
{
    const ney_drift_info i = ney_drift_look(d);
    int64_t sum = 0;
    REQUIRE(i.n >= 0 && i.alarm_row >= 0 && i.alarm_row <= i.n && isfinite(i.log_evidence));
    REQUIRE(d->n_starts == ney_martingale_starts(d->n));
    for (int j = 0; j < d->n_bins; j++) {
        REQUIRE(d->count[j] >= d->before[d->n_starts - 1][j]);
        sum += d->count[j];
    }
    REQUIRE(sum == d->n && isfinite(ney_drift_log(d)));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static const ney_drift_opts opts = {.delta = 0.1, .fingerprint = 7, .seed = 1};
    const ney_env env = fuzz_env();
    double reference[40];
    ney_drift *d = NULL;
    ney_error err = {0};
    size_t n_text;

    if (len < 1) {
        return 0;
    }
    for (int i = 0; i < 40; i++) {
        reference[i] = i;
    }
    char *text = sealed_text(bytes, len, &n_text);
    text = realloc(text, n_text + 1);
    REQUIRE(text != NULL);
    text[n_text] = '\0';
    REQUIRE(ney_drift_new(&d, &env, reference, 40, &opts, &err) == NEY_OK);
    const ney_status st = ney_drift_parse(d, "fuzz", text, (int64_t)n_text, &err);
    free(text);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
        REQUIRE(ney_drift_look(d).n == 0 && ney_drift_look(d).alarm_row == 0);
    }
    check_drift(d);
    for (int i = 0; i < 100; i++) {
        const double score = i % 7;
        int64_t taken;
        REQUIRE(ney_drift_add(d, &score, 1, &taken, NULL) == NEY_OK && taken == 1);
    }
    check_drift(d);
    ney_drift_free(d);
    return 0;
}
