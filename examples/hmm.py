"""A hidden Markov model: the forward algorithm on the yearly number of great earthquakes.

Data: earthquakes of magnitude 7 or more in the world, 1900-2006 (U.S. Geological Survey; the series of Zucchini
and MacDonald's book, which finds a log-likelihood of -329.46 with three states).
Each state is a Poisson rate; the chain moves between them from year to year and starts in its stationary law.
"""

import math

import numpy as np
from scipy.optimize import minimize

import backsweep as bs

QUAKES = np.fromstring(
    "13 14 8 10 16 26 32 27 18 32 36 24 22 23 22 18 25 21 21 14 8 11 14 23 18 17 19 20 22 19 13 26 13 14 22 24 "
    "21 22 26 21 23 24 27 41 31 27 35 26 28 36 39 21 17 22 17 19 15 34 10 15 22 18 15 20 15 22 19 16 30 27 29 "
    "23 20 16 21 21 25 16 18 15 18 14 10 15 8 15 6 11 8 7 18 16 13 12 13 20 15 16 12 18 15 16 13 15 16 11 11",
    dtype=np.int64,
    sep=" ",
)


def transition_matrix(logits):
    """Row by row a softmax: the off-diagonal logits are given, the diagonal's are zero."""
    m = logits.shape[0]
    A = np.zeros((m, m))
    for i in range(m):
        k = 0
        total = 0.0
        for j in range(m):
            if i == j:
                A[i, j] = 1.0
            else:
                A[i, j] = math.exp(logits[i, k])
                k += 1
            total += A[i, j]
        for j in range(m):
            A[i, j] /= total
    return A


def negative_log_likelihood(log_rates, logits, counts):
    """Minus the log-likelihood, by the forward algorithm with scaling."""
    m = len(log_rates)
    rates = np.exp(log_rates)
    A = transition_matrix(logits)
    # The stationary law: p A = p, sum(p) = 1.
    alpha = np.linalg.solve((np.eye(m) - A + np.ones((m, m))).T, np.ones(m))
    total = 0.0
    for t in range(len(counts)):
        if t > 0:
            moved = np.zeros(m)
            for i in range(m):
                for j in range(m):
                    moved[j] += alpha[i] * A[i, j]
            alpha = moved
        for j in range(m):
            alpha[j] *= math.exp(counts[t] * log_rates[j] - rates[j] - math.lgamma(counts[t] + 1.0))
        scale = alpha.sum()
        total += math.log(scale)
        alpha /= scale
    return -total


gradient = bs.value_and_grad(negative_log_likelihood, wrt=("log_rates", "logits"))


def fit(counts, m):
    """Rates and transition matrix of highest likelihood for `m` states, and the minimiser's result."""

    def flat(x):
        value, (rates_bar, logits_bar) = gradient(x[:m], x[m:].reshape(m, m - 1), counts)
        return value, np.concatenate([rates_bar, logits_bar.ravel()])

    spread = np.quantile(counts, (np.arange(m) + 0.5) / m)
    start = np.concatenate([np.log(spread), np.full(m * (m - 1), -2.0)])
    result = minimize(flat, start, jac=True, method="BFGS")
    return np.exp(result.x[:m]), transition_matrix(result.x[m:].reshape(m, m - 1)), result


def main(states=(2, 3)):
    """Fit the models and print their rates and transition matrices."""
    for m in states:
        rates, A, result = fit(QUAKES, m)
        print(f"{m} states: log-likelihood {-result.fun:.4f} after {result.nfev} evaluations")
        for rate, row in zip(rates, A):
            print(f"  {rate:6.3f} earthquakes a year; then", " ".join(f"{p:.3f}" for p in row))
    return rates, A, result


if __name__ == "__main__":
    main()
