"""How many intervals of 95 % may miss the truth in n draws."""
import math


def most_misses(n):  # exceeded with probability below 1e-5 at a miss probability of 0.05
    tail, k = 1.0, -1
    while tail >= 1e-5:
        k += 1
        tail -= math.comb(n, k) * 0.05**k * 0.95**(n - k)
    return k
