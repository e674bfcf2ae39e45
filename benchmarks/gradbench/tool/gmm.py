"""The eval `gmm`: the log posterior of a Gaussian mixture with a Wishart prior, and its gradient.

`q` is the logarithm of the diagonal of each factor of an inverse covariance, `l` what stands below the diagonal, column by column.
"""

from __future__ import annotations

import math

import backsweep as bs
import numpy as np
from timed import Function, floats, listed


@bs.njit(error_model="numpy")
def log_sum_exp(terms):
    top = terms.max()
    return top + math.log(np.sum(np.exp(terms - top)))


@bs.njit(error_model="numpy")
def log_wishart(q, l, gamma, m):
    components, d = q.shape
    freedom = d + m + 1
    constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - 0.25 * d * (
        d - 1
    ) * math.log(math.pi)
    for j in range(d):
        constant -= math.lgamma(0.5 * (freedom - j))
    squares = np.sum(np.exp(q) ** 2) + np.sum(l**2)
    return components * constant - 0.5 * gamma**2 * squares + m * np.sum(q)


@bs.njit(error_model="numpy")
def factor(q, l):
    """The lower triangular factor of an inverse covariance."""
    d = q.size
    found = np.zeros((d, d))
    entry = 0
    for c in range(d):
        found[c, c] = math.exp(q[c])
        for j in range(c + 1, d):
            found[j, c] = l[entry]
            entry += 1
    return found


@bs.njit(error_model="numpy")
def objective(alpha, mu, q, l, x, gamma, m):
    n, d = x.shape
    components = alpha.size
    terms = np.empty((components, n))
    for k in range(components):
        turned = factor(q[k], l[k]) @ (x - mu[k]).T
        terms[k] = alpha[k] + np.sum(q[k]) - 0.5 * np.sum(turned * turned, axis=0)
    top = terms[0].copy()
    for k in range(1, components):
        top = np.maximum(top, terms[k])
    total = np.zeros(n)
    for k in range(components):
        total += np.exp(terms[k] - top)
    likelihood = np.sum(top + np.log(total))
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
    return {
        name: listed(part)
        for name, part in zip(("alpha", "mu", "q", "l"), gradient, strict=True)
    }


FUNCTIONS = {
    "objective": Function(objective, arguments),
    "jacobian": Function(
        bs.grad(objective, wrt=("alpha", "mu", "q", "l")), arguments, by_name
    ),
}
