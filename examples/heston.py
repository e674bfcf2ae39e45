"""Heston's stochastic volatility model: a call by Monte Carlo with all its Greeks in one reverse sweep.

The paths are simulated with the full truncation Euler scheme; the price by the characteristic function, an
integral of complex numbers, and its derivatives are the check. Parameters as in Heston's paper (1993).
"""

import numpy as np

import backsweep as bs


def monte_carlo(spot, v0, kappa, theta, xi, rho, rate, strike, maturity, z1, z2):
    """Mean discounted payoff over the paths that the normal draws `z1`, `z2` (paths, steps) make."""
    paths, steps = z1.shape
    dt = maturity / steps
    total = 0.0
    for i in range(paths):
        x = np.log(spot)
        v = v0
        for t in range(steps):
            vp = max(v, 0.0)
            dw = np.sqrt(vp * dt)
            x += (rate - 0.5 * vp) * dt + dw * z1[i, t]
            v += kappa * (theta - vp) * dt + xi * dw * (rho * z1[i, t] + np.sqrt(1.0 - rho**2) * z2[i, t])
        total += max(np.exp(x) - strike, 0.0)
    return np.exp(-rate * maturity) * total / paths


def characteristic(u, spot, v0, kappa, theta, xi, rho, rate, maturity):
    """The characteristic function of the log price at maturity (the form of Albrecher and others)."""
    iu = 1j * u
    b = kappa - rho * xi * iu
    d = np.sqrt(b * b + xi**2 * (iu + u * u))
    g = (b - d) / (b + d)
    e = np.exp(-d * maturity)
    growth = iu * (np.log(spot) + rate * maturity)
    drift = kappa * theta / xi**2 * ((b - d) * maturity - 2.0 * np.log((1.0 - g * e) / (1.0 - g)))
    return np.exp(growth + drift + v0 / xi**2 * (b - d) * (1.0 - e) / (1.0 - g * e))


def closed_form(spot, v0, kappa, theta, xi, rho, rate, strike, maturity):
    """The call's price by Gil-Pelaez inversion, by the midpoint rule."""
    h = 0.1
    k = np.log(strike)
    forward = characteristic(-1j, spot, v0, kappa, theta, xi, rho, rate, maturity)
    p1 = 0.5
    p2 = 0.5
    for n in range(1000):
        u = h * (n + 0.5)
        w = np.exp(-1j * u * k) / (1j * u)
        p1 += (
            h
            / np.pi
            * (w * characteristic(u - 1j, spot, v0, kappa, theta, xi, rho, rate, maturity) / forward).real
        )
        p2 += h / np.pi * (w * characteristic(u + 0j, spot, v0, kappa, theta, xi, rho, rate, maturity)).real
    return spot * p1 - strike * np.exp(-rate * maturity) * p2


PARAMETERS = ("spot", "v0", "kappa", "theta", "xi", "rho", "rate")
simulated = bs.value_and_grad(monte_carlo, wrt=PARAMETERS)
exact = bs.value_and_grad(closed_form, wrt=PARAMETERS)


def main(paths=20000, steps=50):
    """Print price and Greeks by simulation beside those of the closed form."""
    arguments = (100.0, 0.04, 2.0, 0.05, 0.3, -0.6, 0.03, 105.0, 0.5)
    rng = np.random.default_rng(11)
    z1 = rng.standard_normal((paths, steps))
    z2 = rng.standard_normal((paths, steps))
    z1 = np.concatenate([z1, -z1])
    z2 = np.concatenate([z2, -z2])
    price, greeks = simulated(*arguments, z1, z2)
    exact_price, exact_greeks = exact(*arguments)
    print(f"Heston call, {2 * paths} paths of {steps} steps: {price:.4f} (closed form {exact_price:.4f})")
    for name, sampled, closed in zip(PARAMETERS, greeks, exact_greeks):
        print(f"  d price / d {name:5s} {sampled:9.4f} (closed form {closed:9.4f})")
    return price, greeks, exact_price, exact_greeks


if __name__ == "__main__":
    main()
