/* The shape of a network f(x) = w'a_L + b, a_l = activation(W_l'a_{l-1} + b_l), a_0 = x, and where
 * its numbers lie. Weights: W_1, .. W_L, then w, each input after input with one number per unit.
 * Intercepts: b_1, .. b_L, then b. */
#ifndef NEY_LINALG_NETWORK_H
#define NEY_LINALG_NETWORK_H

#include <neyman/experimental.h>

typedef struct ney_network {
    int64_t cols;
    int64_t units[NEY_MOST_LAYERS]; /* of each hidden layer; 0: no such layer */
    ney_activation activation;
} ney_network;

/* L; 0: the score is linear. */
static inline int ney_network_layers(const ney_network *n)
{
    return (n->units[0] > 0) + (n->units[0] > 0 && n->units[1] > 0);
}

/* The numbers that go into hidden layer l from 0, or into the output for l = L. */
static inline int64_t ney_network_inputs(const ney_network *n, int l)
{
    return l == 0 ? n->cols : n->units[l - 1];
}

/* Where the weights of layer l begin, and the intercepts; of the output for l = L. */
static inline int64_t ney_network_weight_at(const ney_network *n, int l)
{
    return l == 0 ? 0 : n->cols * n->units[0] + (l == 1 ? 0 : n->units[0] * n->units[1]);
}

static inline int64_t ney_network_bias_at(const ney_network *n, int l)
{
    return l == 0 ? 0 : n->units[0] + (l == 1 ? 0 : n->units[1]);
}

/* How many weights and intercepts there are. */
static inline int64_t ney_network_weights(const ney_network *n)
{
    const int L = ney_network_layers(n);
    return ney_network_weight_at(n, L) + ney_network_inputs(n, L);
}

static inline int64_t ney_network_biases(const ney_network *n)
{
    return ney_network_bias_at(n, ney_network_layers(n)) + 1;
}

/* Units of all hidden layers. */
static inline int64_t ney_network_units(const ney_network *n)
{
    return ney_network_biases(n) - 1;
}

#endif
