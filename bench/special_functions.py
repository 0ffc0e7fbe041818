#!/usr/bin/env python3
"""special_functions.py PROGRAM: relative errors of the binomial and normal tails that
`PROGRAM tails` (build/bench/bench_numerics) prints, against exact sums or 40 digits by mpmath."""

import subprocess
import sys

import mpmath

mpmath.mp.dps = 40


def binomial_tail(k, n, p):
    """P(Binomial(n, p) >= k), from the smaller side so that no digit cancels."""
    k, n = int(k), int(n)
    lower = k > n * p
    term = mpmath.binomial(n, k) * p**k * (1 - p)**(n - k)
    total, j = mpmath.mpf(0), k
    if lower:
        while j <= n and term > total * mpmath.mpf(10)**-45:
            total += term
            term *= p / (1 - p) * (n - j) / (j + 1)
            j += 1
        return total
    while j > 0:
        term *= (1 - p) / p * j / (n - j + 1)
        j -= 1
        total += term
        if term < total * mpmath.mpf(10)**-45:
            break
    return 1 - total


def error(kind, k, n, x, found):
    if kind == "binomial":
        true = binomial_tail(k, n, x)
    elif kind == "rate":  # by the tail at the rate found, over its slope
        tail, step = binomial_tail(k, n, found), found * mpmath.mpf(10)**-12
        slope = (binomial_tail(k, n, found + step) - tail) / step
        return abs((tail - x) / slope / found)
    elif kind == "cdf":
        true = mpmath.ncdf(x) if x > -8 else mpmath.erfc(-x / mpmath.sqrt(2)) / 2
    elif kind == "logcdf":
        true = mpmath.log(mpmath.erfc(-x / mpmath.sqrt(2)) / 2)
    else:
        true = -mpmath.sqrt(2) * mpmath.erfinv(1 - 2 * x) if x > 1e-30 else None
        if true is None:
            true = mpmath.findroot(lambda t: mpmath.erfc(-t / mpmath.sqrt(2)) / 2 / x - 1, found)
    return abs(found / true - 1) if true else abs(found)


def main():
    lines = subprocess.run([sys.argv[1], "tails"], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    worst = {}
    for line in lines:
        kind, k, n, x, found = line.split()
        x, found = mpmath.mpf(float.fromhex(x)), mpmath.mpf(float.fromhex(found))
        e = float(error(kind, float(k), float(n), x, found))
        count, before = worst.get(kind, (0, (0, "")))
        worst[kind] = (count + 1, max(before, (e, line)))
    for kind, (count, (e, line)) in worst.items():
        print(f"{kind:9} {count:4} values, largest relative error {e:.2g} ({line})")


if __name__ == "__main__":
    main()
