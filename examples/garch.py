"""GARCH(1,1): the likelihood of a series of daily returns, maximised over mean and variance dynamics.

The returns are generated (seed 7) from the parameters that the fit should find again. Bollerslev's model:
    r[t] = mu + sqrt(h[t]) z[t],    h[t] = omega + alpha (r[t-1] - mu)^2 + beta h[t-1].
"""

import numpy as np
from scipy.optimize import minimize

import backsweep as bs


def negative_log_likelihood(parameters, returns):
    """Minus the Gaussian log-likelihood per observation; parameters are mu, omega, alpha, beta."""
    mu, omega, alpha, beta = parameters
    n = len(returns)
    h = 0.0
    for r in returns:
        h += (r - mu) ** 2 / n
    total = 0.0
    for t in range(n):
        e = returns[t] - mu
        total += 0.5 * (np.log(2.0 * np.pi) + np.log(h) + e**2 / h)
        h = omega + alpha * e**2 + beta * h
    return total / n


gradient = bs.value_and_grad(negative_log_likelihood)


def simulate(parameters, n, seed):
    """A series of `n` returns of the model, in percent."""
    mu, omega, alpha, beta = parameters
    rng = np.random.default_rng(seed)
    h = omega / (1.0 - alpha - beta)
    returns = np.empty(n)
    for t in range(n):
        e = np.sqrt(h) * rng.standard_normal()
        returns[t] = mu + e
        h = omega + alpha * e**2 + beta * h
    return returns


def fit(returns):
    """The parameters of highest likelihood, by L-BFGS-B within their bounds."""
    variance = np.var(returns)
    start = np.array([np.mean(returns), 0.1 * variance, 0.1, 0.8])
    bounds = [(None, None), (1e-6, None), (0.0, 1.0), (0.0, 0.999)]
    return minimize(gradient, start, args=(returns,), jac=True, method="L-BFGS-B", bounds=bounds)


def standard_errors(parameters, returns, step=1e-5):
    """From the inverse of the information matrix: differences of the exact gradient."""
    hessian = np.empty((4, 4))
    for k in range(4):
        move = step * np.eye(4)[k]
        after, before = gradient(parameters + move, returns)[1], gradient(parameters - move, returns)[1]
        hessian[k] = (after - before) / (2.0 * step)
    return np.sqrt(np.diag(np.linalg.inv(0.5 * (hessian + hessian.T))) / len(returns))


def main(n=3000):
    """Fit a generated series and print the parameters beside those that it was made with."""
    truth = np.array([0.05, 0.04, 0.09, 0.88])
    returns = simulate(truth, n, seed=7)
    result = fit(returns)
    errors = standard_errors(result.x, returns)
    print(f"GARCH(1,1), {n} returns: log-likelihood {-n * result.fun:.3f} after {result.nfev} evaluations")
    for name, true, found, error in zip(("mu", "omega", "alpha", "beta"), truth, result.x, errors):
        print(f"  {name:5s} {found:7.4f} +- {error:.4f}   (true value {true:.2f})")
    return result


if __name__ == "__main__":
    main()
