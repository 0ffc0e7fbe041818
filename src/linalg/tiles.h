/* Networks of one hidden layer, many rows at once, for batch methods.
 *
 *     f(x) = b + sum_h top_h t_h,   t_h = tanh(b_h + sum_c w_ch x_c)
 *
 * Rows come in tiles of NEY_TILE, column after column: entry c of row i is x[c * NEY_TILE + i].
 * Numbers lie in one array: w_ch at c * units + h, then top, then b_h, then b. Floats: whatever is
 * summed over tiles is summed in double. */
#ifndef NEY_LINALG_TILES_H
#define NEY_LINALG_TILES_H

#include <stdbool.h>
#include <stdint.h>

enum { NEY_TILE = 128 };

typedef struct ney_tiles {
    int64_t cols, units;
    const float *w;
} ney_tiles;

/* f of a tile, and its hidden units: units * NEY_TILE numbers, those of unit h from h * NEY_TILE
 * on. */
void ney_tiles_forward(const ney_tiles *l, const float *x, float *hidden, float *f);

/* The loss of a tile, and its slope in f in the place of f. A row's is |factor| phi(z), z = f / eta
 * with the sign of its factor:
 *
 *     phi(z) = log(1 + exp(-z))        where `logistic`
 *     phi(z) = 1 / (1 + exp(z))        the sigmoid */
double ney_tiles_loss(const float *factor, double eta, bool logistic, float *f);

/* Add the gradient of a tile, by the slope in f. `hidden` is that of ney_tiles_forward(), and lost.
 */
void ney_tiles_backward(const ney_tiles *l, const float *x, float *hidden, const float *slope,
                        double *gradient);

#endif
