"""An orbit from radial velocities: Newton's iteration on Kepler's equation, differentiated as it runs.

The velocities are generated (seed 5): a planet on an eccentric orbit, 60 nights of its star's velocity in m/s.
An orbit is an array: period (days), amplitude K, eccentricity, argument of periastron, time of periastron, and
the velocity of the system.
"""

import math

import numpy as np
from scipy.optimize import least_squares

import backsweep as bs


def eccentric_anomaly(M, e):
    """The root E of E - e sin E = M, by Newton's iteration until it stands still."""
    E = M + e * math.sin(M)
    while True:
        change = (E - e * math.sin(E) - M) / (1.0 - e * math.cos(E))
        E -= change
        if abs(change) < 1e-12:
            return E


def velocity(orbit, t):
    """The star's radial velocity at time `t`."""
    period, K, e, omega, t0, gamma = orbit
    M = (2.0 * math.pi * (t - t0) / period) % (2.0 * math.pi)
    E = eccentric_anomaly(M, e)
    nu = 2.0 * math.atan2(math.sqrt(1.0 + e) * math.sin(E / 2.0), math.sqrt(1.0 - e) * math.cos(E / 2.0))
    return K * (math.cos(nu + omega) + e * math.cos(omega)) + gamma


def residuals(orbit, times, observed, error):
    """Differences between the orbit's velocities and those observed, in units of the error."""
    result = np.empty(len(times))
    for i, t in enumerate(times):
        result[i] = (velocity(orbit, t) - observed[i]) / error
    return result


def jacobian(orbit, times, observed, error):
    """The residuals' derivatives: the forward sweep runs once, each row is a pullback."""
    _, pullback = bs.vjp(residuals, orbit, times, observed, error, wrt="orbit")
    return np.array([pullback(row) for row in np.eye(len(times))])


def observe(orbit, nights, error, seed):
    """Times of observation and the velocities measured then."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.uniform(0.0, 400.0, nights))
    return times, residuals(orbit, times, error * rng.standard_normal(nights), 1.0)


def main(nights=60):
    """Fit the orbit and print its elements with their errors."""
    truth = np.array([71.3, 54.0, 0.42, 1.1, 23.0, 8.0])
    error = 2.0
    times, observed = observe(truth, nights, error, seed=5)
    start = np.array([70.5, 40.0, 0.2, 0.7, 20.0, 0.0])
    scale = np.array([0.1, 1.0, 0.02, 0.05, 0.5, 1.0])
    fit = least_squares(residuals, start, jacobian, x_scale=scale, args=(times, observed, error))
    errors = np.sqrt(np.diag(np.linalg.inv(fit.jac.T @ fit.jac)))
    print(f"{nights} velocities: chi squared {2.0 * fit.cost:.1f} after {fit.njev} Jacobians")
    names = ("period", "K", "eccentricity", "omega", "periastron", "system")
    for name, found, spread, made in zip(names, fit.x, errors, truth):
        print(f"  {name:12s} {found:8.4f} +- {spread:.4f}   (true value {made})")
    return fit, truth


if __name__ == "__main__":
    main()
