"""An inverse problem: the conductivity of a rod from thermometers along it.

The heat equation u_t = (k(x) u_x)_x on [0, 1], ends held at 0, is solved by the implicit Euler method; each step
is a tridiagonal system, by Thomas's algorithm. The unknown is log k in every cell, and all its derivatives cost one
reverse sweep. Synthetic data (seed 3): five thermometers, noise of one part in a thousand.
"""

import numpy as np
from scipy.optimize import minimize

import backsweep as bs


def solve_tridiagonal(lower, diagonal, upper, right):
    """Thomas's algorithm, in place of `right`."""
    n = len(right)
    c = np.empty(n)
    c[0] = upper[0] / diagonal[0]
    right[0] /= diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        right[i] = (right[i] - lower[i] * right[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        right[i] -= c[i] * right[i + 1]


def temperatures(log_k, u0, sensors, steps, dt):
    """What each thermometer reads after each step; `log_k` has a cell more than `u0` has points."""
    n = len(u0)
    k = np.exp(log_k)
    r = dt * (n + 1) ** 2
    lower = -r * k[:-1]
    upper = -r * k[1:]
    diagonal = 1.0 - lower - upper
    u = u0.copy()
    readings = np.empty((steps, len(sensors)))
    for t in range(steps):
        solve_tridiagonal(lower, diagonal, upper, u)
        for s, at in enumerate(sensors):
            readings[t, s] = u[at]
    return readings


def misfit(log_k, u0, sensors, dt, data, noise, smoothness):
    """Squared residuals in units of the noise, and a penalty on jumps of log k."""
    readings = temperatures(log_k, u0, sensors, data.shape[0], dt)
    total = 0.5 * np.sum(((readings - data) / noise) ** 2)
    return total + 0.5 * smoothness * np.sum((log_k[1:] - log_k[:-1]) ** 2)


gradient = bs.value_and_grad(misfit)


def experiment(n, steps, seed=3, noise=1e-3):
    """A rod of `n` points with a poorly conducting stretch, and what its thermometers read."""
    x = np.linspace(0.0, 1.0, n + 2)[1:-1]
    cells = (np.arange(n + 1) + 0.5) / (n + 1)
    log_k = np.log(1.0 - 0.6 * np.exp(-(((cells - 0.6) / 0.12) ** 2)))
    u0 = np.sin(np.pi * x) + 0.5 * np.sin(3.0 * np.pi * x)
    sensors = np.linspace(0, n - 1, 7)[1:-1].astype(np.int64)
    dt = 0.15 / steps
    data = temperatures(log_k, u0, sensors, steps, dt)
    data += noise * np.random.default_rng(seed).standard_normal(data.shape)
    return log_k, u0, sensors, dt, data, noise


def main(n=100, steps=100, evaluations=300):
    """Find the conductivity and print it beside the true one."""
    true, u0, sensors, dt, data, noise = experiment(n, steps)
    arguments = (u0, sensors, dt, data, noise, 500.0)
    start = np.zeros(n + 1)
    options = {"maxfun": evaluations, "maxiter": evaluations}
    result = minimize(gradient, start, args=arguments, jac=True, method="L-BFGS-B", options=options)
    before = gradient(start, *arguments)[0]
    print(f"{n + 1} conductivities: misfit {before:.0f} to {result.fun:.1f} in {result.nfev} evaluations")
    for cell in range(0, n + 1, max(n // 10, 1)):
        found, made = np.exp(result.x[cell]), np.exp(true[cell])
        print(f"  x = {(cell + 0.5) / (n + 1):.2f}   k = {found:.3f}   (true value {made:.3f})")
    return result, true


if __name__ == "__main__":
    main()
