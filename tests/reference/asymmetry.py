#!/usr/bin/env python3
"""asymmetry.py > asymmetry.txt: reference values for training against testing asymmetry.

Independent of the library: mpmath (Debian's python3-mpmath), other formulas where there are some. The
square loss is solved by the full normal equations in (w, b); the erf loss by Newton's method with
differences for derivatives, after its expectation has been compared with an integral; slopes of the
ROC curve are central differences of the rates themselves, with as many digits as that takes. Values
are printed to 40 digits; a case that is solved with half as many digits again must agree.

The output is words separated by white space:

    case NAME LOSS DIMS P_POS N_POS N_NEG
    component WEIGHT MEAN... COV...         N_POS of them, then N_NEG
    at GAMMA W... B LOG_FPR LOG_TPR LOG_SLOPE        LOG_SLOPE is nan where du and dv differ in sign
    end
"""

import sys

from mpmath import mp, mpf, matrix

GAMMAS = [1e-12, 1e-9, 1e-6, 1e-4, 0.01, 0.2, 0.5, 0.9, 0.999, 0.999999, 0.999999999999]


def psi(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


class Mixture:
    def __init__(self, p_pos, positive, negative):
        """Classes are lists of (weight, mean, covariance) of plain floats."""
        self.plain = p_pos, positive, negative
        self.dims = len(positive[0][1])
        self.p = [1 - mpf(p_pos), mpf(p_pos)]
        self.sides = []
        for side in (negative, positive):
            total = sum(mpf(weight) for weight, _, _ in side)
            self.sides.append([(mpf(weight) / total, matrix(mean), matrix(cov))
                               for weight, mean, cov in side])


def dot(a, b):
    return mp.fsum(a[i] * b[i] for i in range(len(a)))


def square(mixture, gamma):
    """min sum over classes of p C E (y f - 1)^2 / 2, in the unknowns (w, b) at once."""
    d = mixture.dims
    cost = [(1 - gamma) * mixture.p[0], gamma * mixture.p[1]]
    a, r = matrix(d + 1, d + 1), matrix(d + 1, 1)
    for s, y in ((0, -1), (1, 1)):
        for weight, mean, cov in mixture.sides[s]:
            c = cost[s] * weight
            for i in range(d + 1):
                one = mean[i] if i < d else mpf(1)
                r[i] += c * y * one
                for j in range(d + 1):
                    two = mean[j] if j < d else mpf(1)
                    a[i, j] += c * (one * two + (cov[i, j] if i < d and j < d else 0))
    x = mp.lu_solve(a, r)
    return [x[i] for i in range(d + 1)]


def erf_gradient(mixture, gamma, x):
    """Of the expectation (A.2.1 of the paper), in (w, b)."""
    d = mixture.dims
    cost = [(1 - gamma) * mixture.p[0], gamma * mixture.p[1]]
    g = [mpf(0)] * (d + 1)
    for s, y in ((0, -1), (1, 1)):
        for weight, mean, cov in mixture.sides[s]:
            sw = [dot([cov[i, j] for j in range(d)], x[:d]) for i in range(d)]
            r = mp.sqrt(1 + dot(sw, x[:d]))
            a = -y * (dot(mean, x[:d]) + x[d]) / r
            c = cost[s] * weight
            for i in range(d):
                g[i] += c * (-y * mean[i] * psi(a) + sw[i] / r * density(a))
            g[d] -= c * y * psi(a)
    return g


def erf_from(mixture, gamma, x):
    """Newton from x; the Jacobian by differences, which costs digits of the step and none of the end."""
    n = mixture.dims + 1
    small = mpf(10) ** (-mp.dps // 2)
    for _ in range(200):
        g = erf_gradient(mixture, gamma, x)
        jacobian = matrix(n, n)
        for j in range(n):
            moved = list(x)
            moved[j] += small
            h = erf_gradient(mixture, gamma, moved)
            for i in range(n):
                jacobian[i, j] = (h[i] - g[i]) / small
        step = mp.lu_solve(jacobian, matrix(g))
        x = [x[i] - step[i] for i in range(n)]
        if max(abs(s) for s in step) < mpf(10) ** (-mp.dps * 3 // 4) * (1 + max(abs(v) for v in x)):
            return x
    raise RuntimeError("no convergence")


def erf(mixture, gamma, known):
    """From the nearest solution that is known, in steps of the log odds."""
    at = mpf(1) / 2
    x = known.get("middle")
    if x is None:
        x = known["middle"] = erf_from(mixture, at, [mpf(0)] * (mixture.dims + 1))
    odds, goal = mpf(0), mp.log(gamma / (1 - gamma))
    while odds != goal:
        odds = goal if abs(goal - odds) < 1 else odds + mp.sign(goal)
        x = erf_from(mixture, gamma if odds == goal else 1 / (1 + mp.exp(-odds)), x)
    return x


def rates(mixture, x, sign=1):
    """P(f >= 0) of the negatives and of the positives; with sign -1, P(f < 0)."""
    d = mixture.dims
    found = []
    for s in range(2):
        total = mpf(0)
        for weight, mean, cov in mixture.sides[s]:
            var = mp.fsum(cov[i, j] * x[i] * x[j] for i in range(d) for j in range(d))
            total += weight * psi(sign * (dot(mean, x[:d]) + x[d]) / mp.sqrt(var))
        found.append(total)
    return found


def check_expectation():
    """The gradient above against differences of an integral of the loss."""
    mixture = Mixture(0.4, [(1.0, [0.7], [[1.3]])], [(1.0, [-0.2], [[0.6]])])
    gamma = mpf(0.3)

    def expected(x):
        total = mpf(0)
        for s, y in ((0, -1), (1, 1)):
            _, mean, cov = mixture.sides[s][0]
            cost = [(1 - gamma) * mixture.p[0], gamma * mixture.p[1]][s]
            sd = mp.sqrt(cov[0, 0])

            def integrand(v):
                z = y * (x[0] * (mean[0] + sd * v) + x[1])
                return (z * psi(z) - z + density(z)) * density(v)
            total += cost * mp.quad(integrand, [-20, -5, -1, 0, 1, 5, 20])
        return total
    x = [mpf(0.8), mpf(-0.3)]
    h = mpf(10) ** -8
    for i in range(2):
        up, down = list(x), list(x)
        up[i] += h
        down[i] -= h
        slope = (expected(up) - expected(down)) / (2 * h)
        assert abs(slope - erf_gradient(mixture, gamma, x)[i]) < mpf(10) ** -12


def values(mixture, loss, gamma, known):
    """w, b, log fpr, log tpr, log slope at one gamma, an exact double."""
    gamma = mpf(gamma)
    solve = square if loss == "square" else lambda m, g: erf(m, g, known)
    x = solve(mixture, gamma)
    u, v = rates(mixture, x)
    # Rates change by a factor of exp(1e24) and more when gamma doubles: a tiny step, many digits.
    h = min(gamma, 1 - gamma) * mpf(10) ** (-60 if loss == "square" else -25)
    if loss == "square":
        ends = [square(mixture, gamma + h), square(mixture, gamma - h)]
    else:
        ends = [erf_from(mixture, gamma + h, x), erf_from(mixture, gamma - h, x)]
    sign = 1 if gamma < 0.5 else -1  # the tail that is small there
    (u1, v1), (u0, v0) = rates(mixture, ends[0], sign), rates(mixture, ends[1], sign)
    ratio = (v1 - v0) / (u1 - u0)
    return x + [mp.log(u), mp.log(v), mp.log(ratio) if ratio > 0 else mp.nan]


def rotated(angle, first, second):
    """A covariance with these variances along axes turned by an angle; in doubles, symmetric."""
    import math
    c, s = math.cos(angle), math.sin(angle)
    off = c * s * (first - second)
    return [[c * c * first + s * s * second, off], [off, s * s * first + c * c * second]]


def cases():
    yield "one_dimension", Mixture(0.5, [(1.0, [1.0], [[4.0]])], [(1.0, [-1.0], [[1.0]])])
    yield "one_dimension_narrow", Mixture(0.25, [(1.0, [1.0], [[0.25]])], [(1.0, [-1.0], [[1.0]])])
    yield "two_dimensions", Mixture(
        0.4, [(1.0, [1.0, 0.5], [[1.0, 0.3], [0.3, 2.0]])],
        [(1.0, [-0.5, 0.2], [[1.5, -0.4], [-0.4, 0.7]])])
    same = rotated(0.7, 1.7, 0.4)
    yield "equal_covariances", Mixture(0.3, [(1.0, [0.9, -0.4], same)], [(1.0, [-0.3, 0.6], same)])
    # a'S-a = a'S+a for a = S-^-1 m, but S+ and S- differ: m = (1, 0) before it is turned
    import math
    c, s = math.cos(0.6), math.sin(0.6)
    plus = [[1.0, 0.5], [0.5, 2.0]]
    turn = [[c, -s], [s, c]]
    turned = [[sum(turn[i][k] * plus[k][l] * turn[j][l] for k in range(2) for l in range(2))
               for j in range(2)] for i in range(2)]
    turned[1][0] = turned[0][1]
    yield "equal_discriminants", Mixture(
        0.5, [(1.0, [c, s], turned)], [(1.0, [0.0, 0.0], [[1.0, 0.0], [0.0, 1.0]])])
    yield "mixtures", Mixture(
        0.3,
        [(0.6, [1.0, 0.0, 0.5], [[1.0, 0.2, 0.0], [0.2, 0.8, 0.1], [0.0, 0.1, 1.2]]),
         (0.4, [2.0, -1.0, 0.0], [[0.5, 0.0, 0.1], [0.0, 1.5, -0.2], [0.1, -0.2, 0.9]])],
        [(0.5, [-1.0, 0.3, 0.0], [[1.1, 0.0, 0.2], [0.0, 0.9, 0.0], [0.2, 0.0, 0.7]]),
         (0.3, [0.0, -2.0, 1.0], [[0.6, 0.1, 0.0], [0.1, 0.4, 0.1], [0.0, 0.1, 0.5]]),
         (0.2, [0.5, 1.0, -1.5], [[2.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.3]])])
    yield "units_and_offsets", Mixture(
        0.1, [(1.0, [1000.5, 3.0e4], [[1.0, 3.0e3], [3.0e3, 2.0e8]])],
        [(0.7, [999.0, 2.0e4], [[0.7, -1.0e3], [-1.0e3, 1.0e8]]),
         (0.3, [1000.0, 0.0], [[0.5, 0.0], [0.0, 1.5e8]])])
    yield "ill_conditioned", Mixture(
        0.5, [(1.0, [0.3, 0.2995], [[1.0, 0.9999995], [0.9999995, 1.0]])],
        [(1.0, [0.0, 0.0], [[1.0, 0.999999], [0.999999, 1.0]])])


def main():
    mp.dps = 50
    check_expectation()
    for name, mixture in cases():
        for loss in ("square", "erf"):
            p_pos, positive, negative = mixture.plain
            print("case", name, loss, mixture.dims, repr(p_pos), len(positive), len(negative))
            for weight, mean, cov in positive + negative:
                print("component", repr(weight), *map(repr, mean),
                      *(repr(entry) for row in cov for entry in row))
            mp.dps = 250 if loss == "square" else 100
            known = {}
            for gamma in GAMMAS:
                print("at", repr(gamma),
                      *(mp.nstr(value, 40) for value in values(mixture, loss, gamma, known)))
            print("end", flush=True)
            if name in ("one_dimension", "mixtures"):  # digits enough: half as many again agree
                wanted = values(mixture, loss, GAMMAS[0], known)
                mp.dps = mp.dps * 3 // 2
                again = values(mixture, loss, GAMMAS[0], {})
                assert all(abs(a / b - 1) < mpf(10) ** -40 for a, b in zip(wanted, again)), name


if __name__ == "__main__":
    sys.exit(main())
