"""A Monte-Carlo price, decays with steps of their own, and bodies that attract one another: for kernels, and for JAX."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import backsweep as bs

MOST_STEPS = 256
"""The most steps of a decay: JAX runs so many for each."""


@dataclass(frozen=True)
class Problem:
    """A function, the names with respect to which it is differentiated, arguments by size, and the same for JAX."""

    function: Callable[..., Any]
    wrt: tuple[str, ...]
    arguments: Callable[[str, np.random.Generator], tuple[Any, ...]]
    for_jax: Callable[[Any], Callable[..., Any]]


def price(start, sigma, rate, noise):
    """The mean payoff of a call, over paths."""
    paths, steps = noise.shape
    total = 0.0
    for k in bs.prange(paths):
        s = start
        for i in range(steps):
            s *= math.exp((rate - 0.5 * sigma**2) / steps + sigma * math.sqrt(1.0 / steps) * noise[k, i])
        total += max(s - 1.0, 0.0)
    return math.exp(-rate) * total / paths


def price_of_jax(jnp: Any) -> Callable[..., Any]:
    def price(start, sigma, rate, noise):
        steps = noise.shape[1]
        s = jnp.full(noise.shape[0], start)
        for i in range(steps):
            s = s * jnp.exp((rate - 0.5 * sigma**2) / steps + sigma * math.sqrt(1.0 / steps) * noise[:, i])
        return jnp.exp(-rate) * jnp.mean(jnp.maximum(s - 1.0, 0.0))

    return price


def decays(y0, k, tol):
    """The squared ends of decays, each with steps as its error asks for."""
    total = 0.0
    for i in bs.prange(y0.size):
        y = y0[i]
        t = 0.0
        h = 0.1
        while t < 1.0:
            if t + h > 1.0:
                h = 1.0 - t
            k1 = -k[i] * y * y
            y2 = y + h * k1
            k2 = -k[i] * y2 * y2
            if abs(0.5 * h * (k2 - k1)) < tol:
                t += h
                y = y + 0.5 * h * (k1 + k2)
                h = h * 1.5
            else:
                h = h * 0.5
        total += y * y
    return total


def decays_of_jax(jnp: Any) -> Callable[..., Any]:
    import jax

    def decays(y0, k, tol):
        def step(carried, _):
            t, h, y = carried
            h = jnp.where(t + h > 1.0, 1.0 - t, h)
            k1 = -k * y * y
            y2 = y + h * k1
            k2 = -k * y2 * y2
            takes = jnp.abs(0.5 * h * (k2 - k1)) < tol
            runs = t < 1.0
            later = jnp.where(takes & runs, t + h, t)
            y = jnp.where(takes & runs, y + 0.5 * h * (k1 + k2), y)
            return (later, jnp.where(runs, jnp.where(takes, h * 1.5, h * 0.5), h), y), None

        begun = (jnp.zeros_like(y0), jnp.full_like(y0, 0.1), y0)
        (_, _, y), _ = jax.lax.scan(step, begun, None, length=MOST_STEPS)
        return jnp.sum(y * y)

    return decays


def attraction(x, m):
    """The squared forces between bodies."""
    n = x.shape[0]
    total = 0.0
    for i in bs.prange(n):
        fx, fy, fz = 0.0, 0.0, 0.0
        for j in range(n):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz + 0.01
            f = m[j] / (square * math.sqrt(square))
            fx, fy, fz = fx + f * dx, fy + f * dy, fz + f * dz
        total += fx * fx + fy * fy + fz * fz
    return total


def attraction_of_jax(jnp: Any) -> Callable[..., Any]:
    def attraction(x, m):
        d = x[None, :, :] - x[:, None, :]
        square = jnp.sum(d * d, axis=2) + 0.01
        forces = jnp.einsum("ij,ijk->ik", m[None, :] / (square * jnp.sqrt(square)), d)
        return jnp.sum(forces * forces)

    return attraction


SIZES = {"tiny": (20, 12, 9), "small": (20_000, 20_000, 512), "large": (2_000_000, 1_000_000, 8192)}
"""Paths, decays and bodies."""

PROBLEMS = {
    "price": Problem(
        price,
        ("start", "sigma", "rate"),
        lambda size, rng: (1.0, 0.2, 0.05, rng.standard_normal((SIZES[size][0], 16))),
        price_of_jax,
    ),
    "decays": Problem(
        decays,
        ("y0", "k"),
        lambda size, rng: (0.5 + rng.random(SIZES[size][1]), 4.0 * rng.random(SIZES[size][1]), 2e-3),
        decays_of_jax,
    ),
    "attraction": Problem(
        attraction,
        ("x", "m"),
        lambda size, rng: (rng.standard_normal((SIZES[size][2], 3)), rng.random(SIZES[size][2])),
        attraction_of_jax,
    ),
}
