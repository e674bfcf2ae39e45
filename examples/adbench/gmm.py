"""ADBench's Gaussian mixture model: its log posterior, written as loops, and the gradient Backsweep makes of it.

Run `python -m examples.adbench.gmm` to time the objective beside its gradient on a generated instance, or
give it files of the suite (`data/gmm/1k/gmm_d10_K25.txt` and so on).
The objective differentiates with respect to `alphas` (log weights), `means` and `icf` (per component
the logarithm of the diagonal, then the strict lower triangle, column by column, of the inverse
covariance's factor).
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

import backsweep as bs
from examples.adbench.timing import report

Floats = NDArray[np.float64]


class Instance(NamedTuple):
    """The arguments of `objective`, in its order."""

    alphas: Floats
    means: Floats
    icf: Floats
    x: Floats
    gamma: float
    m: int


@njit(error_model="numpy")
def log_sum_exp(terms: Floats) -> float:
    """The logarithm of the sum of exponentials, safe for large terms."""
    top = terms.max()
    total = 0.0
    for k in range(terms.size):
        total += math.exp(terms[k] - top)
    return top + math.log(total)


@njit(error_model="numpy")
def inverse_factors(icf: Floats, d: int) -> Floats:
    """The lower triangular factor of each component's inverse covariance, unpacked from `icf`."""
    components = icf.shape[0]
    factors = np.zeros((components, d, d))
    for k in range(components):
        p = d
        for c in range(d):
            factors[k, c, c] = math.exp(icf[k, c])
            for j in range(c + 1, d):
                factors[k, j, c] = icf[k, p]
                p += 1
    return factors


@njit(error_model="numpy")
def log_wishart_prior(icf: Floats, factors: Floats, gamma: float, m: int) -> float:
    """The logarithm of the Wishart prior of the inverse covariances."""
    components = factors.shape[0]
    d = factors.shape[1]
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(1, d + 1):
        log_gamma += math.lgamma(0.5 * freedom + 0.5 * (1 - j))
    constant = freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma
    prior = -components * constant
    for k in range(components):
        for j in range(d):
            prior -= m * icf[k, j]
            for c in range(j + 1):
                prior += 0.5 * gamma**2 * factors[k, j, c] ** 2
    return prior


@njit(error_model="numpy")
def objective(alphas: Floats, means: Floats, icf: Floats, x: Floats, gamma: float, m: int) -> float:
    """The log posterior of the mixture's parameters given the points `x`."""
    n, d = x.shape
    components = alphas.size
    factors = inverse_factors(icf, d)
    log_weights = np.empty(components)
    for k in range(components):
        log_weights[k] = alphas[k]
        for j in range(d):
            log_weights[k] += icf[k, j]

    likelihood = -0.5 * n * d * math.log(2.0 * math.pi) - n * log_sum_exp(alphas)
    terms = np.empty(components)
    for i in range(n):
        for k in range(components):
            distance = 0.0
            for j in range(d):
                row = 0.0
                for c in range(j + 1):
                    row += factors[k, j, c] * (x[i, c] - means[k, c])
                distance += row * row
            terms[k] = log_weights[k] - 0.5 * distance
        likelihood += log_sum_exp(terms)
    return likelihood + log_wishart_prior(icf, factors, gamma, m)


def read_instance(path: Path | str) -> Instance:
    """The instance in a file of the ADBench suite."""
    words = Path(path).read_text(encoding="ascii").split()
    d, components, n = (int(word) for word in words[:3])
    numbers = np.array(words[3:], dtype=np.float64)
    sizes = (components, components * d, components * d * (d + 1) // 2, n * d)
    alphas, means, icf, x, prior = np.split(numbers, np.cumsum(sizes))
    return Instance(
        alphas,
        means.reshape(components, d),
        icf.reshape(components, -1),
        x.reshape(n, d),
        float(prior[0]),
        int(prior[1]),
    )


def generate_instance(d: int, components: int, n: int, seed: int = 0) -> Instance:
    """A random instance of the same shape and scale as the suite's."""
    rng = np.random.default_rng(seed)
    return Instance(
        alphas=rng.normal(size=components),
        means=rng.uniform(size=(components, d)),
        icf=rng.normal(size=(components, d * (d + 1) // 2)),
        x=rng.normal(size=(n, d)),
        gamma=1.0,
        m=0,
    )


def main() -> None:
    """Time the objective and its gradient on each instance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    instances = {path.stem: read_instance(path) for path in parser.parse_args().files}
    gradient = bs.value_and_grad(objective, argnums=(0, 1, 2))
    for name, instance in (instances or {"generated d10 K25 n1000": generate_instance(10, 25, 1000)}).items():
        report(name, objective, gradient, instance)


if __name__ == "__main__":
    main()
