"""An Asian option: its payoff depends on the mean of the course, along paths that trades share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from benchmarks.problem import Problem

Floats = np.ndarray[Any, np.dtype[np.float64]]


@njit
def asian(spots: Floats, sigmas: Floats, rates: Floats, strikes: Floats, noise: Floats) -> float:
    """The sum of the prices of trades, each of a year."""
    paths, steps = noise.shape
    total = 0.0
    for trade in range(strikes.size):
        drift = (rates[trade] - 0.5 * sigmas[trade] ** 2) / steps
        spread = sigmas[trade] * math.sqrt(1.0 / steps)
        paid = 0.0
        for path in range(paths):
            s = spots[trade]
            mean = 0.0
            for k in range(steps):
                s *= math.exp(drift + spread * noise[path, k])
                mean += s
            paid += max(mean / steps - strikes[trade], 0.0)
        total += math.exp(-rates[trade]) * paid / paths
    return total


@njit(error_model="numpy")
def asian_by_hand(spots: Floats, sigmas: Floats, rates: Floats, strikes: Floats, noise: Floats) -> Any:
    """Value and gradient of `asian`; slopes run along with the path, of which nothing is kept."""
    paths, steps = noise.shape
    total = 0.0
    spots_bar, sigmas_bar, rates_bar = np.zeros_like(spots), np.zeros_like(sigmas), np.zeros_like(rates)
    for trade in range(strikes.size):
        sigma = sigmas[trade]
        drift = (rates[trade] - 0.5 * sigma**2) / steps
        spread = sigma * math.sqrt(1.0 / steps)
        paid = along_drift = along_spread = along_spot = 0.0
        for path in range(paths):
            s = spots[trade]
            mean = walked = by_drift = by_spread = 0.0
            for k in range(steps):
                s *= math.exp(drift + spread * noise[path, k])
                walked += noise[path, k]
                mean += s
                by_drift += (k + 1.0) * s
                by_spread += walked * s
            if mean / steps > strikes[trade]:
                paid += mean / steps - strikes[trade]
                along_spot += mean / spots[trade]
                along_drift += by_drift
                along_spread += by_spread
        discount = math.exp(-rates[trade]) / paths
        total += discount * paid
        part = discount / steps
        spots_bar[trade] = part * along_spot
        rates_bar[trade] = part * along_drift / steps - discount * paid
        sigmas_bar[trade] = part * (along_spread * math.sqrt(1.0 / steps) - along_drift * sigma / steps)
    return total, (spots_bar, sigmas_bar, rates_bar)


def asian_instance(size: str) -> tuple[Floats, ...]:
    """Trades near the money."""
    trades, paths, steps = {"tiny": (2, 5, 4), "S": (10, 100, 100), "M": (100, 1000, 252)}[size]
    rng = np.random.default_rng(42)
    given = ((90.0, 110.0), (0.1, 0.4), (0.0, 0.05), (95.0, 105.0))
    return (*(rng.uniform(*ends, trades) for ends in given), rng.standard_normal((paths, steps)))


def asian_in_jax(jax: Any) -> Any:
    """The same for JAX: steps by a scan, paths side by side, trades one after the other."""
    jnp = jax.numpy

    def of_all(spots: Any, sigmas: Any, rates: Any, strikes: Any, noise: Any) -> Any:
        paths, steps = noise.shape

        def of_trade(given: Any) -> Any:
            spot, sigma, rate, strike = given
            drift = (rate - 0.5 * sigma**2) / steps
            moves = jnp.exp(drift + sigma * math.sqrt(1.0 / steps) * noise.T)

            def step(state: Any, move: Any) -> Any:
                s, mean = state
                s = s * move
                return (s, mean + s), None

            start = (jnp.full(paths, spot), jnp.zeros(paths))
            (_, mean), _ = jax.lax.scan(step, start, moves)
            return jnp.exp(-rate) * jnp.mean(jnp.maximum(mean / steps - strike, 0.0))

        return jnp.sum(jax.lax.map(of_trade, (spots, sigmas, rates, strikes)))

    return of_all


PROBLEMS = (Problem("asian", asian, asian_instance, (0, 1, 2), asian_by_hand),)
