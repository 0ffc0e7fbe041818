#include "linalg/cholesky.h"

#include "linalg/vector.h"

#include <math.h>
#include <string.h>

bool ney_cholesky_factor(double *a, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double *const row = a + i * n;
        for (int64_t j = 0; j < i; j++) {
            row[j] = (row[j] - ney_dot(row, a + j * n, j)) / a[j * n + j];
        }
        const double pivot = row[i] - ney_dot(row, row, i);
        if (!(pivot > 0)) {
            return false;
        }
        row[i] = sqrt(pivot);
    }
    return true;
}

void ney_cholesky_forward(const double *l, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        x[i] = (x[i] - ney_dot(l + i * n, x, i)) / l[i * n + i];
    }
}

void ney_cholesky_back(const double *l, int64_t n, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        x[i] /= l[i * n + i];
        for (int64_t j = 0; j < i; j++) {
            x[j] -= l[i * n + j] * x[i];
        }
    }
}

void ney_cholesky_solve(const double *l, int64_t n, double *x)
{
    ney_cholesky_forward(l, n, x);
    ney_cholesky_back(l, n, x);
}

/* ---- packed factors */

double ney_packed_append(double *l, int64_t n, double least)
{
    double *const r = l + ney_packed_row(n);
    for (int64_t i = 0; i < n; i++) {
        const double *const row = l + ney_packed_row(i);
        r[i] = (r[i] - ney_vector_dot(row, r, i)) / row[i];
    }
    const double pivot = r[n] - ney_vector_dot(r, r, n);
    if (pivot > least) {
        r[n] = sqrt(pivot);
    }
    return pivot;
}

/* Up to four rows of the old factor through the rotations from .. to - 1; each is written one row
 * higher. A row waits for its own last result at every step: four of them side by side keep the
 * machine busy. `carry` holds what is left of each. */
static void rotate_rows(double *l, int64_t first, int64_t n_rows, const double *turn, int64_t from,
                        int64_t to, double *carry)
{
    double *const old = l + ney_packed_row(first), *const higher = l + ney_packed_row(first - 1);
    if (n_rows == 4) {
        double *const old1 = l + ney_packed_row(first + 1), *const old2 = old1 + first + 2;
        double *const old3 = old2 + first + 3;
        double c0 = carry[0], c1 = carry[1], c2 = carry[2], c3 = carry[3];
        for (int64_t k = from; k < to; k++) { /* a row's old place is the next one's new place */
            const double c = turn[2 * k], s = turn[2 * k + 1];
            const double x0 = old[k + 1], x1 = old1[k + 1], x2 = old2[k + 1], x3 = old3[k + 1];
            higher[k] = c * c0 + s * x0;
            old[k] = c * c1 + s * x1;
            old1[k] = c * c2 + s * x2;
            old2[k] = c * c3 + s * x3;
            c0 = c * x0 - s * c0;
            c1 = c * x1 - s * c1;
            c2 = c * x2 - s * c2;
            c3 = c * x3 - s * c3;
        }
        carry[0] = c0;
        carry[1] = c1;
        carry[2] = c2;
        carry[3] = c3;
        return;
    }
    for (int64_t q = 0; q < n_rows; q++) {
        const double *const row = l + ney_packed_row(first + q);
        double *const to_row = l + ney_packed_row(first + q - 1);
        for (int64_t k = from; k < to; k++) {
            const double c = turn[2 * k], s = turn[2 * k + 1], next = row[k + 1];
            to_row[k] = c * carry[q] + s * next;
            carry[q] = c * next - s * carry[q];
        }
    }
}

/* Without row `at`, row r > at of the factor has one number too many: rotations of neighbouring
 * columns bring the rows back to a triangle, rotation k being the one that row k + 1 needs. */
void ney_packed_remove(double *l, int64_t n, int64_t at, double *spare)
{
    enum { ROWS = 4 };
    double *const turn = spare;
    for (int64_t r = at + 1; r < n; r += ROWS) {
        const int64_t few = n - r < ROWS ? n - r : ROWS;
        double carry[ROWS];
        for (int64_t q = 0; q < few; q++) {
            const double *const old = l + ney_packed_row(r + q);
            carry[q] = old[at];
            memmove(l + ney_packed_row(r + q - 1), old, (size_t)at * sizeof *l);
        }
        rotate_rows(l, r, few, turn, at, r - 1, carry);
        for (int64_t q = 0; q < few; q++) { /* the corner, one row after the other */
            const int64_t row = r + q;
            rotate_rows(l, row, 1, turn, r - 1, row - 1, carry + q);
            const double last = l[ney_packed_row(row) + row], length = hypot(carry[q], last);
            turn[2 * (row - 1)] = carry[q] / length;
            turn[2 * (row - 1) + 1] = last / length;
            l[ney_packed_row(row - 1) + row - 1] = length;
        }
    }
}

void ney_packed_back(const double *l, int64_t n, double *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *const row = l + ney_packed_row(i);
        x[i] /= row[i];
        ney_vector_axpy(-x[i], row, x, i);
    }
}

void ney_packed_solve(const double *l, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        const double *const row = l + ney_packed_row(i);
        x[i] = (x[i] - ney_vector_dot(row, x, i)) / row[i];
    }
    ney_packed_back(l, n, x);
}

void ney_packed_solve_two(const double *l, int64_t n, double *x, double *y)
{
    for (int64_t i = 0; i < n; i++) {
        const double *const row = l + ney_packed_row(i);
        double sum[2];
        ney_vector_dot_pair(row, x, y, i, sum);
        x[i] = (x[i] - sum[0]) / row[i];
        y[i] = (y[i] - sum[1]) / row[i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        const double *const row = l + ney_packed_row(i);
        x[i] /= row[i];
        y[i] /= row[i];
        ney_vector_axpy(-x[i], row, x, i);
        ney_vector_axpy(-y[i], row, y, i);
    }
}
