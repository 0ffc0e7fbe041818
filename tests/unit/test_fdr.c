/* Discoveries: error probabilities, competition and groups on paper; notes and keys of a PIN bytes;
 * sums of models; fold models that travel with their file and score what they have not seen; and
 * what a run does where there is little to learn from. */
#include "support/cmocka_all.h"

#include "data/data.h"
#include "data/row_hash.h"
#include "learn/fdr/fdr.h"
#include "model/folds.h"
#include "model/online.h"
#include "support/random_data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- decisions */

static void test_error_probabilities(void **state)
{
    /* from the top: T T D T T D D; with half a decoy above all the pools are {TT}, {DTT}, {DD} */
    const double score[] = {7, 6, 5, 4, 3, 2, 1};
    const int8_t label[] = {1, 1, -1, 1, 1, -1, -1};
    const double want[] = {0.25, 0.25, 0.5, 0.5, 0.5, 1, 1};
    double pep[7];
    (void)state;
    const ney_qvalue_opts competed = {.compete = true};
    assert_int_equal(ney_peps(NULL, score, label, 7, &competed, pep, NULL), NEY_OK);
    for (int i = 0; i < 7; i++) {
        assert_float_equal(pep[i], want[i], 1e-15);
    }
    /* four targets, three decoys */
    assert_int_equal(ney_peps(NULL, score, label, 7, NULL, pep, NULL), NEY_OK);
    assert_float_equal(pep[0], 0.25 * 4 / 3, 1e-15);
    const double tied[] = {1, 1, 1, 1};
    const int8_t mixed[] = {1, -1, 1, 1};
    assert_int_equal(ney_peps(NULL, tied, mixed, 4, &competed, pep, NULL), NEY_OK);
    for (int i = 0; i < 4; i++) {
        assert_float_equal(pep[i], 0.5, 1e-15); /* one decoy and a half for three targets */
    }
}

static void test_best_of_groups(void **state)
{
    const double score[] = {1, 3, 3, 2, 5, 5, 0};
    const int8_t label[] = {1, 1, 1, -1, 1, -1, -1};
    const uint64_t even[] = {8, 8, 8, 8, 2, 2, 4}, odd[] = {8, 8, 8, 8, 3, 3, 4};
    bool best[7];
    (void)state;
    assert_int_equal(ney_best_of_groups(NULL, score, label, even, 7, best, NULL), NEY_OK);
    const bool decoy_wins[] = {false, true, false, false, false, true, true};
    assert_memory_equal(best, decoy_wins, sizeof best);
    assert_int_equal(ney_best_of_groups(NULL, score, label, odd, 7, best, NULL), NEY_OK);
    const bool target_wins[] = {false, true, false, false, true, false, true};
    assert_memory_equal(best, target_wins, sizeof best);
}

static void test_groups_stand_alone(void **state)
{
    enum { N = 60 };
    double score[N], q[N], pep[N], own_score[N], own_q[N], own_pep[N];
    int8_t label[N], own_label[N];
    uint64_t key[N];
    rnd r = rnd_new(81);
    (void)state;
    for (int i = 0; i < N; i++) {
        key[i] = (uint64_t)rnd_below(&r, 3) * 7;
        label[i] = rnd_chance(&r, 0.5) ? 1 : -1;
        score[i] = (double)rnd_below(&r, 20) + label[i];
    }
    const ney_labelled_scores rows = {.score = score, .label = label, .group = key, .n = N};
    assert_int_equal(ney_qvalues_by_group(NULL, &rows, NULL, q, pep, NULL), NEY_OK);
    for (uint64_t k = 0; k < 3; k++) {
        int64_t m = 0;
        for (int i = 0; i < N; i++) {
            if (key[i] == 7 * k) {
                own_score[m] = score[i];
                own_label[m++] = label[i];
            }
        }
        assert_int_equal(ney_qvalues(NULL, own_score, own_label, m, NULL, own_q, NULL), NEY_OK);
        assert_int_equal(ney_peps(NULL, own_score, own_label, m, NULL, own_pep, NULL), NEY_OK);
        m = 0;
        for (int i = 0; i < N; i++) {
            if (key[i] == 7 * k) {
                assert_true(q[i] == own_q[m] && pep[i] == own_pep[m]);
                m++;
            }
        }
    }
}

/* ---------------------------------------------------------------- notes and keys */

static const char pin[] = "SpecId\tLabel\tScanNr\tExpMass\ta\tb\tPeptide\tProteins\n"
                          "one\t1\t7\t100\t1\t0\tAK\tp1\n"
                          "two\t-1\t7\t100\t2\t5\tCK\tp2\tp3\n"
                          "three\t1\t7\t200\t1\t5\tDK\tp4\n"
                          "four\t-1\t8\t100\t1\t0\tEK\tp5\n";

static ney_data *parse(const char *bytes)
{
    ney_data *d = NULL;
    ney_error err;
    if (ney_data_parse_with(&d, NULL, "a.pin", bytes, strlen(bytes), NULL, NULL, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return d;
}

static void test_notes_and_keys(void **state)
{
    ney_data *d = parse(pin);
    ney_notes *n;
    uint64_t key[4];
    int64_t length, used;
    (void)state;
    assert_int_equal(ney_notes_new(&n, d, NULL), NEY_OK);
    const char *bytes = ney_notes_text(n, 1, ney_notes_find(n, "proteins"), &length);
    assert_int_equal(length, 5);
    assert_memory_equal(bytes, "p2\tp3", 5);
    bytes = ney_notes_text(n, 2, ney_notes_find(n, "Peptide"), &length);
    assert_int_equal(length, 2);
    assert_memory_equal(bytes, "DK", 2);
    assert_int_equal(ney_notes_find(n, "a"), -1);
    ney_notes_free(n);

    assert_int_equal(ney_data_keys(d, "filename?,ScanNr?", key, &used, NULL), NEY_OK);
    assert_int_equal(used, 1);
    assert_true(key[0] == key[1] && key[0] == key[2] && key[0] != key[3]);
    assert_int_equal(ney_data_keys(d, "ScanNr,ExpMass", key, &used, NULL), NEY_OK);
    assert_true(used == 2 && key[0] == key[1] && key[0] != key[2] && key[0] != key[3]);
    assert_int_equal(ney_data_keys(d, "a", key, &used, NULL), NEY_OK); /* a feature */
    assert_true(used == 1 && key[0] == key[2] && key[0] == key[3] && key[0] != key[1]);
    assert_int_equal(ney_data_keys(d, "none?", key, &used, NULL), NEY_OK); /* whole rows */
    assert_true(used == 0 && key[0] == key[3] && key[0] != key[1] && key[0] != key[2]);
    assert_int_equal(ney_data_keys(d, "none", key, &used, NULL), NEY_EINVAL);
    ney_data_free(d);
}

/* ---------------------------------------------------------------- sums of models */

static void check_sum(ney_model *const *m, const ney_data *d)
{
    const double scale[] = {0.5, -2}, shift[] = {1, 0.25};
    double a[4], b[4], both[4];
    ney_model *sum = NULL;
    const ney_env env = ney_env_default();
    assert_int_equal(ney_model_sum(&sum, &env, m, scale, shift, 2, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m[0], NULL, &d->x, a, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m[1], NULL, &d->x, b, NULL), NEY_OK);
    assert_int_equal(ney_model_score(sum, NULL, &d->x, both, NULL), NEY_OK);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(both[i] - (0.5 * a[i] + 1 - 2 * b[i] + 0.25)) < 1e-5);
        assert_true(fabs(a[i] - b[i]) > 1e-3);
    }
    ney_model_free(sum);
}

static void test_sums(void **state)
{
    ney_data *d = parse(pin);
    const ney_preprocessing *preprocessing = ney_data_preprocessing(d);
    const ney_env env = ney_env_default();
    const double w[] = {0.1, 0.2, -0.3, 0.05, 0.4, 0.6, -0.2, 0.3, 0.7, 0.9},
                 b[] = {0.3, -0.1, 0.2, 0.5, -0.4};
    const ney_kernel rbf = {.kind = NEY_KERNEL_RBF, .gamma = 0.1};
    ney_model *linear[2], *network[2], *deep[2], *kernel[2], *sum;
    (void)state;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(ney_model_new_linear(&linear[k], NULL, preprocessing, w + k, b[k], NULL),
                         NEY_OK);
        const ney_network one = {.cols = 2, .units = {2 + k}},
                          two = {.cols = 2, .units = {1 + k, 2}, .activation = NEY_ACTIVATION_RELU};
        assert_int_equal(ney_model_new_network(&network[k], &env, preprocessing, &one, w, b, NULL),
                         NEY_OK);
        assert_int_equal(ney_model_new_network(&deep[k], &env, preprocessing, &two, w, b, NULL),
                         NEY_OK);
        const ney_matrix x = {.rows = 2 + k, .cols = 2, .dense = d->x.dense};
        assert_int_equal(
            ney_model_new_kernel(&kernel[k], NULL, preprocessing, &rbf, &x, w + k, b[k], NULL),
            NEY_OK);
    }
    assert_non_null(d->x.dense);
    check_sum(linear, d);
    check_sum(network, d);
    check_sum(deep, d);
    check_sum(kernel, d);
    ney_model *const mixed[] = {linear[0], network[0]};
    assert_int_equal(ney_model_sum(&sum, &env, mixed, w, b, 2, NULL), NEY_EINVAL);
    ney_model *const layers[] = {network[0], deep[0]};
    assert_int_equal(ney_model_sum(&sum, &env, layers, w, b, 2, NULL), NEY_EINVAL);
    for (int k = 0; k < 2; k++) {
        ney_model_free(linear[k]);
        ney_model_free(network[k]);
        ney_model_free(deep[k]);
        ney_model_free(kernel[k]);
    }
    ney_data_free(d);
}

/* The same rows in any order and either storage have one checksum; others have another. */
static void test_fingerprint(void **state)
{
    static const float dense[] = {1, 0, 0, 2, -0.0F, 3}, moved[] = {0, 3, 1, 0, 0, 2};
    static const float values[] = {1, 2, 3}, other[] = {1, 2, 3.5F};
    static const int64_t start[] = {0, 1, 2, 3};
    static const int32_t index[] = {0, 1, 1};
    static const int8_t label[] = {1, -1, 1};
    const ney_matrix forms[] = {
        {.rows = 3, .cols = 2, .dense = dense},
        {.rows = 3, .cols = 2, .dense = moved},
        {.rows = 3, .cols = 2, .start = start, .index = index, .value = values},
        {.rows = 3, .cols = 2, .start = start, .index = index, .value = other},
        {.rows = 2, .cols = 2, .dense = dense},
    };
    uint64_t sum[5];
    (void)state;
    for (int k = 0; k < 5; k++) {
        ney_data *d = NULL;
        assert_int_equal(ney_data_new(&d, NULL, &forms[k], label, NULL, NULL), NEY_OK);
        sum[k] = ney_rows_checksum(ney_data_matrix(d));
        ney_data_free(d);
    }
    assert_true(sum[0] == sum[1] && sum[0] == sum[2]);
    assert_true(sum[0] != sum[3] && sum[0] != sum[4]);
}

/* ---------------------------------------------------------------- training */

static void test_prices(void **state)
{
    ney_fdr f = {0};
    (void)state;
    assert_float_equal(ney_fdr_decoys_per_target(&f, 0.2), 0.2, 0);
    assert_float_equal(ney_fdr_ratio(&f, 20, 10), 1, 0);
    f.estimate = (ney_qvalue_opts){.kind = NEY_FDR_DECOYS_PER_ALL, .compete = true};
    assert_float_equal(ney_fdr_decoys_per_target(&f, 0.2), 0.25, 1e-15);
    assert_float_equal(ney_fdr_ratio(&f, 20, 10), 0.5, 0);
}

/* Targets of which a third are real; two columns tell them, together; the third is noise. With
 * `ring` the real ones lie far from the middle in any direction, which no line can tell. */
static ney_data *candidates(int64_t n, int64_t seed, bool ring)
{
    rnd r = rnd_new((uint64_t)seed);
    float *x = malloc((size_t)n * 3 * sizeof *x);
    int8_t *y = malloc((size_t)n);
    ney_data *d = NULL;
    for (int64_t i = 0; i < n; i++) {
        double z[4];
        for (int k = 0; k < 4; k += 2) {
            const double u = sqrt(-2 * log(1 - rnd_unit(&r))), a = 6.283185307179586 * rnd_unit(&r);
            z[k] = u * cos(a);
            z[k + 1] = u * sin(a);
        }
        y[i] = i % 2 ? 1 : -1;
        const double real = y[i] > 0 && i % 3 == 0 ? 1 : 0, length = hypot(z[0], z[1]);
        const double out = ring ? real * 4 / length : 0, up = ring ? 0 : 2.5 * real;
        x[3 * i] = (float)(z[0] * (1 + out) + up);
        x[3 * i + 1] = (float)(z[1] * (1 + out) + up);
        x[3 * i + 2] = (float)z[2];
    }
    const ney_matrix m = {.rows = n, .cols = 3, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    free(x);
    free(y);
    return d;
}

static ney_train_opts options(const char *max_fdr)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.max_fdr = max_fdr;
    return o;
}

static ney_model *trained(const ney_data *d, const ney_train_opts *o, ney_train_info *info)
{
    ney_model *m = NULL;
    ney_error err;
    if (ney_train(&m, NULL, d, o, info, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return m;
}

static int64_t discoveries(const double *score, const ney_data *d, double max)
{
    const int64_t n = d->x.rows;
    double *q = malloc((size_t)n * sizeof *q);
    int64_t found = 0;
    assert_int_equal(ney_qvalues(NULL, score, d->label, n, NULL, q, NULL), NEY_OK);
    for (int64_t i = 0; i < n; i++) {
        found += d->label[i] > 0 && q[i] <= max;
    }
    free(q);
    return found;
}

/* What the run says it found is what its own scores find when it is read back; rows it knows are
 * scored by the model that has not seen them, all others by the mean. */
static void check_folds(const char *max_fdr, int kernel, int64_t network, int method)
{
    ney_data *d = candidates(900, 5, false), *other = candidates(50, 6, false);
    ney_train_opts o = options(max_fdr);
    ney_train_info info;
    ney_model *back = NULL;
    double score[900], mean[900];
    int64_t known;
    char *bytes;
    size_t n_bytes;
    o.kernel = (ney_kernel_kind)kernel;
    o.network[0] = network;
    o.method = (ney_method)method;
    o.epochs = method == NEY_METHOD_ONLINE ? 4 : 0;
    ney_model *m = trained(d, &o, &info);
    assert_int_equal(info.folds, 3);
    assert_int_equal(ney_model_fold_count(m), 3);
    assert_int_equal(ney_model_format(m, &bytes, &n_bytes, NULL), NEY_OK);
    assert_int_equal(ney_model_parse(&back, NULL, "m", bytes, n_bytes, NULL), NEY_OK);
    assert_int_equal(ney_model_score_data(m, NULL, d, mean, &known, NULL), NEY_OK);
    assert_int_equal(ney_model_score_data(back, NULL, d, score, &known, NULL), NEY_OK);
    assert_int_equal(known, 900);
    assert_memory_equal(score, mean, sizeof score);
    const int64_t found = discoveries(score, d, 0.05);
    assert_int_equal(found, info.counts.tp);
    assert_true(found > 80); /* of 150; 5 % false ones allowed */
    double low, high;
    ney_model_thresholds(back, &low, &high);
    assert_int_equal(ney_count(score, d->label, 900, low, high).fp, info.counts.fp);

    for (int k = 0; k < 3; k++) { /* the mean, and one that has not seen a third of the rows */
        double own[900];
        int64_t alike = 0;
        assert_int_equal(ney_model_score(back->folds->model[k], NULL, &d->x, own, NULL), NEY_OK);
        for (int i = 0; i < 900; i++) {
            mean[i] = (k > 0 ? mean[i] : 0) + own[i] / 3;
            alike += own[i] == score[i];
        }
        assert_true(alike >= 250 && alike <= 350);
    }
    assert_int_equal(ney_model_score(back, NULL, &d->x, score, NULL), NEY_OK);
    for (int i = 0; i < 900; i++) {
        assert_true(fabs(score[i] - mean[i]) <= 1e-5 * (1 + fabs(mean[i])));
    }
    assert_int_equal(ney_model_score_data(back, NULL, other, score, &known, NULL), NEY_OK);
    assert_int_equal(known, 0);
    assert_int_equal(ney_model_score(back, NULL, &other->x, mean, NULL), NEY_OK);
    assert_memory_equal(score, mean, 50 * sizeof *score);
    ney_model_text_free(m, bytes);
    ney_model_free(m);
    ney_model_free(back);
    ney_data_free(d);
    ney_data_free(other);
}

static void test_folds_travel(void **state)
{
    (void)state;
    check_folds("0.05", NEY_KERNEL_LINEAR, 0, NEY_METHOD_AUTO);
    check_folds("0.05,0.1", NEY_KERNEL_LINEAR, 0, NEY_METHOD_AUTO);
    check_folds("0.05", NEY_KERNEL_RBF, 0, NEY_METHOD_ANNEALED);
    check_folds("0.05", NEY_KERNEL_LINEAR, 4, NEY_METHOD_AUTO);
    check_folds("0.05", NEY_KERNEL_LINEAR, 0, NEY_METHOD_ONLINE);
}

/* A ring is beyond any line or feature, not beyond a network or a kernel. */
static void test_network_finds_what_lines_cannot(void **state)
{
    ney_data *d = candidates(1500, 9, true);
    ney_train_opts o = options("0.05");
    ney_train_info info;
    (void)state;
    o.network[0] = 6;
    ney_model_free(trained(d, &o, &info));
    assert_true(info.discoveries[2] > 150); /* of 250 */
    assert_true(3 * info.discoveries[1] < 2 * info.discoveries[2]);
    assert_int_equal(info.counts.tp, info.discoveries[2]);
    o.network[0] = 0;
    o.kernel = NEY_KERNEL_RBF;
    ney_model_free(trained(d, &o, &info));
    assert_true(info.discoveries[1] > 120);
    ney_data_free(d);
}

/* lambda follows the rate of decisions, within bounds: down to a fourth of where it begins where
 * targets and decoys are far apart, up to four times where nothing tells them apart. */
static void test_lambda_of_networks(void **state)
{
    enum { ROWS = 300 };
    const double first = 1 / (2 * sqrt(0.05) - 0.05);
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        float x[ROWS * 2];
        int8_t y[ROWS];
        const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
        rnd r = rnd_new(11);
        ney_train_opts o = options("0.05");
        ney_train_info info;
        ney_data *d;
        for (int i = 0; i < ROWS; i++) {
            y[i] = i % 2 ? 1 : -1;
            x[2 * (size_t)i] = (float)(rnd_unit(&r) + 2 * apart * (y[i] > 0));
            x[2 * (size_t)i + 1] = (float)rnd_unit(&r);
        }
        o.network[0] = 3;
        assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
        ney_model_free(trained(d, &o, &info));
        assert_int_equal(info.counts.tp, info.discoveries[2]); /* the network is what is told of */
        if (apart) {
            assert_float_equal(info.lambda, first / 4, 1e-9);
        } else {
            assert_true(info.lambda > 1.5 * first && info.lambda <= 4 * first);
        }
        ney_data_free(d);
    }
}

/* Both ways to count, and what they ask of training: s and q of [FDR.2]. */
static void test_conventions(void **state)
{
    ney_data *d = candidates(1200, 12, false), *fewer = NULL;
    int64_t rows[1200], n = 0;
    ney_train_opts o = options("0.1");
    ney_train_info info;
    (void)state;
    for (int64_t i = 0; i < 1200; i++) { /* a third of the decoys */
        rows[n] = i;
        n += d->label[i] > 0 || i % 3 == 0;
    }
    assert_int_equal(ney_data_take(&fewer, d, rows, n, NULL), NEY_OK);
    for (int k = 0; k < 8; k++) {
        o.qvalue = (ney_qvalue_opts){.kind = k & 1, .compete = k & 2, .no_plus_one = k & 4};
        ney_model_free(trained(fewer, &o, &info));
        const double plus = k & 4 ? 0 : 1;
        const double D = (double)info.counts.fp + plus, T = (double)info.counts.tp;
        const double x = (k & 2 ? 1 : 600 / (200 + plus)) * D / T;
        assert_true(T > 40 && (k & 1 ? x / (1 + x) : x) <= 0.1);
    }
    ney_data_free(fewer);
    ney_data_free(d);
}

/* ---------------------------------------------------------------- little to learn from */

static void test_degenerate(void **state)
{
    static const struct {
        const char *why, *rows;
        int64_t folds, found;
    } cases[] = {
        {"one decoy: no folds", "1 1:3\n1 1:2\n1 1:1\n-1 1:0\n", 0, 3},
        {"all targets better",
         "1 1:9\n1 1:8\n1 1:7\n1 1:6\n1 1:5\n1 1:9.5\n1 1:8.5\n1 1:7.5\n"
         "1 1:6.5\n1 1:5.5\n1 1:5.1\n1 1:5.2\n-1 1:1\n-1 1:2\n-1 1:3\n"
         "-1 1:4\n-1 1:0.5\n-1 1:1.5\n-1 1:2.5\n-1 1:3.5\n-1 1:1.1\n-1 1:1.2\n"
         "-1 1:1.3\n-1 1:1.4\n",
         -1, 12},
        {"all targets worse",
         "-1 1:1 2:1\n-1 1:2 2:2\n-1 1:3 2:1\n-1 1:4\n1 1:1 2:1\n1 1:2 2:2\n"
         "1 1:3 2:1\n1 1:4\n",
         -1, 0},
        {"no column tells anything",
         "1 1:1\n-1 1:1\n1 1:1\n-1 1:1\n1 1:1\n-1 1:1\n1 1:1\n"
         "-1 1:1\n1 1:1\n-1 1:1\n1 1:1\n-1 1:1\n",
         0, 0},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (int network = 0; network < 4; network += 3) {
            ney_data *d = NULL;
            ney_train_opts o = options("0.01");
            ney_train_info info = {0};
            assert_int_equal(ney_data_parse_with(&d, NULL, "d", cases[k].rows,
                                                 strlen(cases[k].rows), NULL, NULL, NULL),
                             NEY_OK);
            o.network[0] = network;
            o.qvalue = (ney_qvalue_opts){.compete = true, .no_plus_one = true};
            ney_model_free(trained(d, &o, &info));
            if (info.counts.tp != cases[k].found ||
                (cases[k].folds >= 0 && info.folds != cases[k].folds)) {
                fail_msg("%s: %lld found, %lld folds", cases[k].why, (long long)info.counts.tp,
                         (long long)info.folds);
            }
            ney_data_free(d);
        }
    }
}

static void test_refused(void **state)
{
    ney_data *d = candidates(60, 1, false);
    ney_model *m;
    ney_error err;
    static const char *const bad[] = {
        "", "0", "1", "0.1,x", "-0.1", "0.1,,0.2", "nan", "0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1"};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        const ney_train_opts o = options(bad[k]);
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err), NEY_EINVAL);
        assert_non_null(strstr(err.message, "max-fdr"));
    }
    ney_train_opts o = options("0.1");
    o.max_fpr = 0.1;
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err), NEY_EINVAL);
    o = options("0.1");
    o.spectrum = "nowhere";
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "nowhere"));
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_probabilities),
        cmocka_unit_test(test_best_of_groups),
        cmocka_unit_test(test_groups_stand_alone),
        cmocka_unit_test(test_notes_and_keys),
        cmocka_unit_test(test_sums),
        cmocka_unit_test(test_fingerprint),
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_folds_travel),
        cmocka_unit_test(test_network_finds_what_lines_cannot),
        cmocka_unit_test(test_lambda_of_networks),
        cmocka_unit_test(test_conventions),
        cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
