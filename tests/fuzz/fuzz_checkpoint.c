/* A checkpoint with fields changed at will and a checksum that fits: a clean refusal, or a run that
 * ends with a model or an error. Byte 0 tells the family (bits 0, 1), how far the run had come
 * (bits 2, 3), whether the rest is a file as it is (bit 4) and whether the checksum is left alone
 * (bit 5); then changes of 11 bytes each: place (two bytes, in units of 4), kind, value. */
#include "fuzz/fuzz.h"
#include "learn/online/online.h"
#include "learn/request.h"

#include <xxhash.h>

enum { N_ROWS = 24, N_COLS = 3, FAMILIES = 4, STAGES = 3, CHANGE = 11 };
enum { HEADER = 40, AT_CHECKSUM = 32 }; /* magic, version, bytes, purpose, checksum */

static ney_data *make_data(const ney_env *env)
{
    static const char *const row[] = {"1 1:1 2:0.5\n", "-1 1:-1 3:0.25\n", "1 2:1 3:-0.5\n",
                                      "-1 2:-2 3:1\n"};
    char text[N_ROWS * 16] = "";
    ney_data *d = NULL;
    for (int i = 0; i < N_ROWS; i++) {
        strcat(text, row[i % 4]);
    }
    REQUIRE(ney_data_parse_with(&d, env, "rows", text, strlen(text), NULL, NULL, NULL) == NEY_OK);
    REQUIRE(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, NULL) == NEY_OK);
    return d;
}

static ney_train_opts make_opts(int family)
{
    int64_t n;
    ney_train_opts o, checked;
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    o.method = NEY_METHOD_ONLINE;
    o.confidence = (double)NAN;
    o.epochs = 2;
    if (family == 3) {
        o.reject_cost = 0.2;
    } else {
        o.max_fpr = 0.3;
    }
    o.network[0] = family == 1 ? 2 : 0;
    o.network[1] = family == 1 ? 3 : 0;
    o.features = family == 2 ? 4 : 0;
    REQUIRE(ney_request_resolve(&checked, &o, NULL, NULL) == NEY_OK);
    return checked;
}

static void run(ney_online *r)
{
    ney_model *m = NULL;
    ney_train_info info = {0};
    ney_error err = {0};
    ney_status st = ney_online_run(r, &err);
    if (st == NEY_OK) {
        st = ney_online_finish(r, &m, &info, &err);
    }
    if (st != NEY_OK) {
        require_refusal(st, m, &err);
    }
    ney_model_free(m);
}

static ney_data *data;
static char *base[FAMILIES][STAGES];
static int64_t n_base[FAMILIES][STAGES];

/* A checkpoint as a run leaves it: at the beginning, in the first epoch, at the end. */
static void make_base(int family, int stage)
{
    const ney_env env = fuzz_env();
    ney_feed feed;
    ney_online r;
    ney_train_opts o = make_opts(family);
    o.max_iter = stage == 1 ? 10 : 0;
    ney_feed_of_data(&feed, &env, data);
    REQUIRE(ney_online_init(&r, &(ney_online_rows){.feed = &feed}, &o, NULL) == NEY_OK);
    REQUIRE(stage == 0 || ney_online_run(&r, NULL) == NEY_OK);
    REQUIRE(ney_checkpoint_format(&r, &base[family][stage], &n_base[family][stage], NULL) ==
            NEY_OK);
    ney_online_deinit(&r);
    ney_feed_deinit(&feed);
}

static void change(char *bytes, int64_t n, const uint8_t *how)
{
    static const double special[] = {
        (double)NAN, (double)INFINITY, -(double)INFINITY, 1e308, -1, -0.5, 0x1p53, 1e-320};
    static const int64_t whole[] = {INT64_MAX, INT64_MIN, -1, 1, 3, INT64_C(1) << 40};
    static const float small[] = {-0.5F, -2, -3, 1e38F, (float)NAN};
    const int64_t at = (how[0] | how[1] << 8) % (n / 4) * 4;
    char value[8];
    int64_t length = 8;
    memcpy(value, how + 3, 8);
    if (how[2] < 8) {
        memcpy(value, &special[how[2]], 8);
    } else if (how[2] < 14) {
        memcpy(value, &whole[how[2] - 8], 8);
    } else if (how[2] < 19) {
        memcpy(value, &small[how[2] - 14], 4);
        length = 4;
    }
    memcpy(bytes + at, value, (size_t)(length < n - at ? length : n - at));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_feed feed;
    ney_online r;
    ney_error err = {0};

    if (len < 1) {
        return 0;
    }
    if (!data) {
        data = make_data(&env);
        for (int k = 0; k < FAMILIES * STAGES; k++) {
            make_base(k % FAMILIES, k / FAMILIES);
        }
    }
    const int family = bytes[0] & 3, stage = (bytes[0] >> 2 & 3) % STAGES;
    const bool raw = bytes[0] & 16;
    const int64_t n = raw ? (int64_t)len - 1 : n_base[family][stage];
    char *const file = malloc(n > 0 ? (size_t)n : 1);
    REQUIRE(file != NULL);
    memcpy(file, raw ? (const char *)bytes + 1 : base[family][stage], (size_t)n);
    for (size_t k = 1; !raw && k + CHANGE <= len; k += CHANGE) {
        change(file + HEADER, n - HEADER, bytes + k);
    }
    if (n >= HEADER && !(bytes[0] & 32)) {
        const uint64_t checksum = XXH3_64bits(file + HEADER, (size_t)(n - HEADER));
        memcpy(file + AT_CHECKSUM, &checksum, sizeof checksum);
    }
    const ney_train_opts o = make_opts(family);
    ney_feed_of_data(&feed, &env, data);
    REQUIRE(ney_online_init(&r, &(ney_online_rows){.feed = &feed}, &o, NULL) == NEY_OK);
    const ney_status st = ney_checkpoint_parse(&r, file, n, &err);
    free(file);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
        REQUIRE(st == NEY_EFORMAT);
        REQUIRE(raw || len > 1); /* as a run left it, it is read */
    } else {
        run(&r);
    }
    ney_online_deinit(&r);
    ney_feed_deinit(&feed);
    return 0;
}
