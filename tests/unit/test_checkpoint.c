/* Every field of a checkpoint, at values that no run leaves behind and with a checksum that fits:
 * refused, and the run stays as it was. At the ends of its range it is read. */
#include "learn/online/online.h"
#include "learn/request.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <xxhash.h>

enum { N_ROWS = 24, EPOCHS = 2, HEADER = 40, AT_CHECKSUM = 32, MOST_VALUES = 6 };

typedef struct field {
    const char *name;
    size_t at;
    bool is_whole;
    double good, bad[MOST_VALUES]; /* 0 ends the list */
} field;

#define WHOLE(f) #f, offsetof(ney_online_state, f), true
#define REAL(f) #f, offsetof(ney_online_state, f), false

static const field fields[] = {
    {WHOLE(epoch), EPOCHS, {-1, EPOCHS + 1, 0x1p62}},
    {WHOLE(window), 0, {-1, 1, 0x1p62}}, /* 24 rows are one window */
    {WHOLE(position), 3, {-1, 0x1p54}},
    {WHOLE(visits), 48, {-1, 0x1p54}},
    {WHOLE(average_restart), 3, {-1, 0x1p54}},
    {WHOLE(best_epoch), 1, {-1, EPOCHS + 1}},
    {WHOLE(n_checks), 1, {-1, EPOCHS + 2}},
    {REAL(first_rate), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(t0), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(log_lambda), -3, {701, -701, (double)NAN, (double)INFINITY}},
    {REAL(bounded_loss), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(n_bounded), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(best_merit), -1, {(double)NAN, (double)INFINITY, -(double)INFINITY}},
    {REAL(best_lambda), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(scale), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(mass), -1, {(double)NAN, (double)INFINITY}},
    {REAL(count), 0.5, {-1, (double)NAN, (double)INFINITY}},
    {REAL(share), 0.5, {-1, 1.5, (double)NAN}},
    {WHOLE(processes), 1, {-1, 0x1p31}},
    {WHOLE(round), 0, {-1}},
};

enum { N_FIELDS = sizeof fields / sizeof *fields };

typedef struct finished {
    ney_env env;
    ney_data *data;
    ney_feed feed;
    ney_online run;
    char *bytes;
    int64_t n;
} finished;

/* A run to its end, with one check at least, and its checkpoint. */
static void begin(finished *s)
{
    static const float x[] = {1, 0.5F, 0, -1, 0, 0.25F, 0, 1, -0.5F, 0, -2, 1};
    float rows[N_ROWS * 3];
    int8_t label[N_ROWS];
    int64_t n;
    ney_train_opts o, checked;
    const ney_param *const params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    o.method = NEY_METHOD_ONLINE;
    o.confidence = (double)NAN;
    o.epochs = EPOCHS;
    o.max_fpr = 0.3;
    assert_int_equal(ney_request_resolve(&checked, &o, NULL, NULL), NEY_OK);
    for (int i = 0; i < N_ROWS; i++) {
        memcpy(rows + 3 * (ptrdiff_t)i, x + 3 * (ptrdiff_t)(i % 4), 3 * sizeof *x);
        label[i] = i % 2 == 0 ? 1 : -1;
    }
    const ney_matrix m = {.rows = N_ROWS, .cols = 3, .dense = rows};
    s->env = ney_env_of(NULL);
    assert_int_equal(ney_data_new(&s->data, NULL, &m, label, NULL, NULL), NEY_OK);
    ney_feed_of_data(&s->feed, &s->env, s->data);
    assert_int_equal(ney_online_init(&s->run, &(ney_online_rows){.feed = &s->feed}, &checked, NULL),
                     NEY_OK);
    assert_int_equal(ney_online_run(&s->run, NULL), NEY_OK);
    assert_true(s->run.state.n_checks > 0);
    assert_int_equal(ney_checkpoint_format(&s->run, &s->bytes, &s->n, NULL), NEY_OK);
}

static void end(finished *s)
{
    ney_release(&s->env, s->bytes);
    ney_online_deinit(&s->run);
    ney_feed_deinit(&s->feed);
    ney_data_free(s->data);
}

/* Read the checkpoint with 8 bytes behind the header exchanged. */
static ney_status read_with(finished *s, size_t at, const void *value)
{
    char *const bytes = malloc((size_t)s->n);
    assert_non_null(bytes);
    memcpy(bytes, s->bytes, (size_t)s->n);
    memcpy(bytes + HEADER + at, value, 8);
    const uint64_t checksum = XXH3_64bits(bytes + HEADER, (size_t)s->n - HEADER);
    memcpy(bytes + AT_CHECKSUM, &checksum, sizeof checksum);
    const ney_online_state before = s->run.state;
    const ney_status st = ney_checkpoint_parse(&s->run, bytes, s->n, NULL);
    if (st != NEY_OK) {
        assert_memory_equal(&s->run.state, &before, sizeof before);
    }
    free(bytes);
    return st;
}

static ney_status read_field(finished *s, const field *f, double value)
{
    const int64_t whole = f->is_whole ? (int64_t)value : 0;
    return read_with(s, f->at, f->is_whole ? (const void *)&whole : &value);
}

static void test_fields(void **state)
{
    finished s;
    (void)state;
    begin(&s);
    for (int k = 0; k < N_FIELDS; k++) {
        const field *const f = &fields[k];
        for (int i = 0; i < MOST_VALUES && f->bad[i] != 0; i++) {
            const ney_status st = read_field(&s, f, f->bad[i]);
            if (st != NEY_EFORMAT) {
                fail_msg("%s = %g: %s", f->name, f->bad[i], ney_status_text(st));
            }
        }
        if (read_field(&s, f, f->good) != NEY_OK) {
            fail_msg("%s = %g is refused", f->name, f->good);
        }
    }
    end(&s);
}

/* The numbers behind the fields: weights, averages, the best check's. */
static void test_numbers(void **state)
{
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    finished s;
    (void)state;
    begin(&s);
    const ney_dual *const dual = &s.run.learner.dual;
    const int64_t dual_bytes = dual->block ? dual->fixed + 4 * s.feed.rows : 0;
    const int64_t n = (s.n - HEADER - (int64_t)sizeof(ney_online_state) - dual_bytes) / 8;
    assert_true(n >= 3 * s.run.learner.sgd.n);
    for (int64_t k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            assert_int_equal(read_with(&s, sizeof(ney_online_state) + 8 * (size_t)k, &bad[i]),
                             NEY_EFORMAT);
        }
    }
    end(&s);
}

/* A checkpoint of two processes, before the first epoch: its place in their rows is invalid for one
 * process. */
static void test_other_processes(void **state)
{
    finished s;
    const int64_t window = INT64_C(1) << 62, processes = 2, epoch = 0;
    const double t0 = 0;
    (void)state;
    begin(&s);
    memcpy(s.bytes + HEADER + offsetof(ney_online_state, window), &window, sizeof window);
    memcpy(s.bytes + HEADER + offsetof(ney_online_state, epoch), &epoch, sizeof epoch);
    memcpy(s.bytes + HEADER + offsetof(ney_online_state, best_epoch), &epoch, sizeof epoch);
    memcpy(s.bytes + HEADER + offsetof(ney_online_state, n_checks), &epoch, sizeof epoch);
    memcpy(s.bytes + HEADER + offsetof(ney_online_state, t0), &t0, sizeof t0);
    assert_int_equal(read_with(&s, offsetof(ney_online_state, processes), &processes), NEY_OK);
    assert_true(s.run.state.window == 0 && s.run.state.position == 0);
    assert_int_equal(ney_online_run(&s.run, NULL), NEY_OK);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields),
                                       cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_other_processes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
