"""The eval `gmm`: the log posterior of a Gaussian mixture with a Wishart prior, and its gradient.

`q` is the logarithm of the diagonal of each factor of an inverse covariance, `l` what stands below the diagonal, column by column.
"""

from __future__ import annotations

import math

import numpy as np
from timed import Function, floats, listed

import backsweep as bs


@bs.njit(error_model="numpy")
def log_sum_exp(terms):
    top = terms.max()
    return top + math.log(np.sum(np.exp(terms - top)))


@bs.njit(error_model="numpy")
def log_wishart(q, l, gamma, m):
    components, d = q.shape
    freedom = d + m + 1
    constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        constant -= math.lgamma(0.5 * (freedom - j))
    squares = np.sum(np.exp(q) ** 2) + np.sum(l**2)
    return components * constant - 0.5 * gamma**2 * squares + m * np.sum(q)


@bs.njit(error_model="numpy")
def objective(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    components = alpha.size
    diagonals = np.exp(q)
    weights = alpha + q.sum(axis=1)
    terms = np.empty(components)
    centred = np.empty(d)
    turned = np.empty(d)
    likelihood = 0.0
    for i in range(n):
        for k in range(components):
            for j in range(d):
                centred[j] = x[i, j] - mu[k, j]
                turned[j] = diagonals[k, j] * centred[j]
            entry = 0
            for c in range(d):
                for j in range(c + 1, d):
                    turned[j] += l[k, entry] * centred[c]
                    entry += 1
            square = 0.0
            for j in range(d):
                square += turned[j] ** 2
            terms[k] = weights[k] - 0.5 * square
        likelihood += log_sum_exp(terms)
    likelihood -= n * (0.5 * d * math.log(2.0 * math.pi) + log_sum_exp(alpha))
    return likelihood + log_wishart(q, l, gamma, m)


def arguments(given):
    k, d = given["k"], given["d"]
    return (
        floats(given["alpha"]),
        floats(given["mu"]),
        floats(given["q"]),
        floats(given["l"]).reshape(k, d * (d - 1) // 2),
        floats(given["x"]),
        float(given["gamma"]),
        int(given["m"]),
    )


def by_name(gradient):
    return {name: listed(part) for name, part in zip(("alpha", "mu", "q", "l"), gradient, strict=True)}


FUNCTIONS = {
    "objective": Function(objective, arguments),
    "jacobian": Function(bs.grad(objective, wrt=("alpha", "mu", "q", "l")), arguments, by_name),
}
