/* Any bytes as a score file: a clean refusal, or scores that keep their invariants; and certifying
 * the file, or a pipe with the same bytes, gives what certifying the arrays gives. */
#include "fuzz/fuzz.h"

static void require_scores(const ney_scores *s)
{
    const int64_t n = ney_scores_count(s);
    const double *score = ney_scores_value(s);
    const int8_t *label = ney_scores_label(s);
    REQUIRE(n > 0);
    for (int64_t i = 0; i < n; i++) {
        REQUIRE(!isnan(score[i]));
        REQUIRE(label[i] == 1 || label[i] == -1);
        REQUIRE(ney_scores_name(s, label[i])[0] != '\0');
    }
}

/* Curves and q-values of whatever was read. */
static void require_curves(const ney_scores *s)
{
    const ney_env env = fuzz_env();
    const int64_t n = ney_scores_count(s);
    const double *score = ney_scores_value(s);
    const int8_t *label = ney_scores_label(s);
    double auc, *q = malloc((size_t)n * sizeof *q);
    ney_roc *roc = NULL;
    ney_error err = {0};

    REQUIRE(q != NULL);
    REQUIRE(ney_roc_new(&roc, &env, score, label, n, &err) == NEY_OK);
    REQUIRE(ney_auc(&env, score, label, n, &auc, &err) == NEY_OK);
    REQUIRE(roc->n_pos + roc->n_neg == n);
    const double area = ney_roc_auc(roc, 0.95).auc;
    REQUIRE(area == auc || (isnan(area) && isnan(auc)));
    REQUIRE(isnan(auc) == (roc->n_pos == 0 || roc->n_neg == 0));
    REQUIRE(ney_qvalues(&env, score, label, n, NULL, q, &err) == NEY_OK);
    for (int64_t i = 0; i < n; i++) {
        REQUIRE(q[i] >= 0 && q[i] <= 1);
    }
    ney_roc_free(roc);
    free(q);
}

/* What ney_certify() says of one class. */
static ney_status certify_class(ney_certificate *c, const ney_scores *s, int sign, double rate,
                                double delta)
{
    const ney_env env = fuzz_env();
    const int64_t n = ney_scores_count(s);
    double *one = malloc((size_t)n * sizeof *one);
    int64_t m = 0;
    REQUIRE(one != NULL);
    for (int64_t i = 0; i < n; i++) {
        if (ney_scores_label(s)[i] == sign) {
            one[m++] = ney_scores_value(s)[i];
        }
    }
    const ney_status st = ney_certify(c, &env, sign > 0 ? NEY_FALSE_NEGATIVES : NEY_FALSE_POSITIVES,
                                      one, m, rate, delta, NULL);
    free(one);
    return st;
}

static void require_same(const ney_certificate *a, const ney_certificate *b)
{
    REQUIRE(a->kind == b->kind && a->n == b->n && a->rank == b->rank &&
            a->misclassified == b->misclassified);
    REQUIRE(a->threshold == b->threshold && a->bound == b->bound && a->hash == b->hash);
}

/* s is NULL where the file is no score file. */
static void require_certified(const ney_scores *s, ney_status read, const char *path,
                              const ney_read_opts *opts, const double rate[2])
{
    const ney_env env = fuzz_env();
    const double delta = 0.4;
    ney_certified c;
    ney_certificate fpr = {0}, fnr = {0};
    ney_error err = {0};
    const ney_status st =
        ney_certify_file_with(&c, &env, path, opts, rate[0], rate[1], delta, &err);

    if (!s) {
        REQUIRE(st == read);
        require_refusal(st, NULL, &err);
        return;
    }
    REQUIRE(c.n_seen == ney_scores_seen(s));
    if (c.n_seen > 0) { /* rows used in training certify nothing */
        REQUIRE(st == NEY_EGOAL);
        require_refusal(st, NULL, &err);
        return;
    }
    const double share = isnan(rate[0]) || isnan(rate[1]) ? delta : 1 - sqrt(1 - delta);
    const ney_status first = isnan(rate[0]) ? NEY_OK : certify_class(&fpr, s, -1, rate[0], share);
    const ney_status second = isnan(rate[1]) ? NEY_OK : certify_class(&fnr, s, 1, rate[1], share);
    REQUIRE((st == NEY_OK) == (first == NEY_OK && second == NEY_OK));
    if (st != NEY_OK) {
        REQUIRE(st == NEY_EGOAL);
        require_refusal(st, NULL, &err);
        return;
    }
    REQUIRE(c.has_fpr == !isnan(rate[0]) && c.has_fnr == !isnan(rate[1]));
    REQUIRE(c.low <= c.high);
    if (c.has_fpr) {
        fpr.bound = isnan(rate[1]) ? fpr.bound : c.fpr.bound; /* shares differ in the last bit */
        require_same(&c.fpr, &fpr);
    }
    if (c.has_fnr) {
        fnr.bound = isnan(rate[0]) ? fnr.bound : c.fnr.bound;
        require_same(&c.fnr, &fnr);
    }
    const ney_counts n =
        ney_count(ney_scores_value(s), ney_scores_label(s), ney_scores_count(s), c.low, c.high);
    REQUIRE(memcmp(&n, &c.counts, sizeof n) == 0);
}

static void certify_pipe(const ney_scores *s, ney_status read, const uint8_t *bytes, size_t len,
                         const ney_read_opts *opts, const double rate[2])
{
    int fd[2];
    char path[32];
    REQUIRE(pipe(fd) == 0);
    REQUIRE(write(fd[1], bytes, len) == (ssize_t)len); /* a pipe holds more than an input is long */
    close(fd[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    require_certified(s, read, path, opts, rate);
    close(fd[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len < 1) {
        return 0;
    }
    const ney_env env = fuzz_env();
    const uint8_t bits = bytes[0];
    ney_read_opts opts = fuzz_opts(bits & 8, NEY_FORMAT_AUTO); /* 8: "1" is the positive one */
    const double rate[2] = {bits & 1 ? (double)NAN : 0.3, bits & 2 || !(bits & 1) ? 0.6 : 0.4};
    const double one[2] = {0.3, (double)NAN};
    char path[128];
    ney_scores *s = NULL;
    ney_error err = {0};

    opts.label = bits & 4 ? "truth" : NULL;
    bytes++;
    len--;
    FILE *f = fopen(fuzz_path(path, "a.txt"), "wb");
    REQUIRE(f != NULL);
    REQUIRE(fwrite(bytes, 1, len, f) == len);
    REQUIRE(fclose(f) == 0);
    const ney_status st = ney_scores_read_with(&s, &env, path, &opts, &err);
    if (st == NEY_OK) {
        require_scores(s);
        require_curves(s);
    } else {
        require_refusal(st, s, &err);
    }
    require_certified(s, st, path, &opts, bits & 16 ? one : rate);
    if (len <= 1 << 15) {
        certify_pipe(s, st, bytes, len, &opts, bits & 16 ? one : rate);
    }
    ney_scores_free(s);
    return 0;
}
