/* Factors that gain and lose rows: always those of the matrix as it then is. */
#include "linalg/cholesky.h"
#include "support/random_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 24, COLS = 40 };

typedef struct set {
    double x[MOST][COLS];
    int64_t n;
} set;

static long double product(const double *a, const double *b)
{
    long double sum = 0;
    for (int c = 0; c < COLS; c++) {
        sum += (long double)a[c] * b[c];
    }
    return sum;
}

/* L L' against the products themselves. */
static void assert_factor(const set *s, const double *l, const char *after)
{
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            long double sum = 0;
            for (int64_t k = 0; k <= j; k++) {
                sum += (long double)l[ney_packed_row(i) + k] * l[ney_packed_row(j) + k];
            }
            if (fabsl(sum - product(s->x[i], s->x[j])) > 1e-11L) {
                fail_msg("after %s, %d rows: entry %d %d is %Lg, expected %Lg", after, (int)s->n,
                         (int)i, (int)j, sum, product(s->x[i], s->x[j]));
            }
        }
    }
}

static double append(set *s, double *l, const double *x, double least)
{
    for (int64_t k = 0; k < s->n; k++) {
        l[ney_packed_row(s->n) + k] = (double)product(x, s->x[k]);
    }
    l[ney_packed_row(s->n) + s->n] = (double)product(x, x);
    const double pivot = ney_packed_append(l, s->n, least);
    if (pivot > least) {
        memcpy(s->x[s->n++], x, sizeof s->x[0]);
    }
    return pivot;
}

static void random_row(rnd *r, double *x)
{
    for (int c = 0; c < COLS; c++) {
        x[c] = 2 * rnd_unit(r) - 1;
    }
}

static void remove_row(set *s, double *l, int64_t at)
{
    double spare[2 * MOST];
    ney_packed_remove(l, s->n, at, spare);
    memmove(s->x[at], s->x[at + 1], (size_t)(s->n - at - 1) * sizeof s->x[0]);
    s->n--;
}

static void test_append_and_remove(void **state)
{
    (void)state;
    static set s;
    double l[MOST * (MOST + 1) / 2], x[COLS];
    rnd r = rnd_new(1);
    s.n = 0;
    for (int step = 0; step < 2000; step++) {
        if (s.n < MOST && (s.n == 0 || rnd_chance(&r, 0.55))) {
            random_row(&r, x);
            assert_true(append(&s, l, x, 1e-12) > 1e-12);
            assert_factor(&s, l, "append");
        } else {
            remove_row(&s, l, rnd_below(&r, s.n));
            assert_factor(&s, l, "remove");
        }
    }
}

/* A combination of the rows that are there is refused, and told. */
static void test_dependent_row(void **state)
{
    (void)state;
    static set s;
    double l[MOST * (MOST + 1) / 2], x[COLS], sum[COLS] = {0};
    rnd r = rnd_new(2);
    s.n = 0;
    for (int k = 0; k < 9; k++) {
        random_row(&r, x);
        append(&s, l, x, 1e-12);
        for (int c = 0; c < COLS; c++) {
            sum[c] += (k - 4) * x[c];
        }
    }
    assert_true(append(&s, l, sum, 1e-10) <= 1e-10);
    assert_int_equal(s.n, 9);
    double mix[MOST];
    memcpy(mix, l + ney_packed_row(9), 9 * sizeof *mix);
    ney_packed_back(l, 9, mix);
    for (int k = 0; k < 9; k++) {
        assert_true(fabs(mix[k] - (k - 4)) < 1e-10);
    }
    random_row(&r, x);
    assert_true(append(&s, l, x, 1e-10) > 1e-10);
    assert_factor(&s, l, "refusing one");
}

static void test_solve(void **state)
{
    (void)state;
    static set s;
    double l[MOST * (MOST + 1) / 2], x[COLS], a[MOST], b[MOST], c[MOST];
    rnd r = rnd_new(3);
    for (s.n = 0; s.n < MOST;) {
        random_row(&r, x);
        append(&s, l, x, 0);
    }
    for (int64_t n = 1; n <= MOST; n++) {
        for (int64_t k = 0; k < n; k++) {
            a[k] = c[k] = rnd_unit(&r);
            b[k] = rnd_unit(&r);
        }
        double first[MOST], second[MOST];
        memcpy(first, a, sizeof a);
        memcpy(second, b, sizeof b);
        ney_packed_solve_two(l, n, a, b);
        ney_packed_solve(l, n, c);
        for (int64_t i = 0; i < n; i++) {
            long double one = -(long double)first[i], two = -(long double)second[i];
            for (int64_t k = 0; k < n; k++) {
                one += product(s.x[i], s.x[k]) * a[k];
                two += product(s.x[i], s.x[k]) * b[k];
            }
            assert_true(fabsl(one) < 1e-10L && fabsl(two) < 1e-10L && fabs(a[i] - c[i]) < 1e-9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append_and_remove),
        cmocka_unit_test(test_dependent_row),
        cmocka_unit_test(test_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
