"""The kernels as users of JAX write them, under `jit(value_and_grad(...))`; those that are natural there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.arrays.alike import energy, five_points, kernels, pull
from benchmarks.arrays.kernel import Kernel
from benchmarks.arrays.physics import STEP
from benchmarks.arrays.weather import HALF, RATE

ROUNDS = {"jacobi_1d": (2,), "jacobi_2d": (2,), "heat_3d": (2,), "nbody": (3,)}
"""Positions of the arguments that count steps: they are known when JAX compiles."""


def jacobi_1d(a, b, steps):
    def step(_, both):
        a, b = both
        b = b.at[1:-1].set(0.33333 * (a[:-2] + a[1:-1] + a[2:]))
        return a.at[1:-1].set(0.33333 * (b[:-2] + b[1:-1] + b[2:])), b

    a, b = lax.fori_loop(1, steps, step, (a, b))
    return jnp.sum(a * a) + jnp.sum(b * b)


def jacobi_2d(a, b, steps):
    def step(_, both):
        a, b = both
        b = b.at[1:-1, 1:-1].set(five_points(a))
        return a.at[1:-1, 1:-1].set(five_points(b)), b

    a, b = lax.fori_loop(1, steps, step, (a, b))
    return jnp.sum(a * a) + jnp.sum(b * b)


def seven_points(a):
    here = a[1:-1, 1:-1, 1:-1]
    along = a[2:, 1:-1, 1:-1] - 2.0 * here + a[:-2, 1:-1, 1:-1]
    across = a[1:-1, 2:, 1:-1] - 2.0 * here + a[1:-1, :-2, 1:-1]
    up = a[1:-1, 1:-1, 2:] - 2.0 * here + a[1:-1, 1:-1, :-2]
    return here + 0.125 * (along + across + up)


def heat_3d(a, b, steps):
    def step(_, both):
        a, b = both
        b = b.at[1:-1, 1:-1, 1:-1].set(seven_points(a))
        return a.at[1:-1, 1:-1, 1:-1].set(seven_points(b)), b

    a, b = lax.fori_loop(1, steps, step, (a, b))
    return jnp.sum(a * a) + jnp.sum(b * b)


def vadv(tendency, stage, wind, start, given):
    between = 0.25 * (wind[1:] + wind[:-1])
    above = HALF * jnp.concatenate((jnp.zeros_like(between[:, :, :1]), -between[:, :, 1:]), axis=2)
    below = HALF * jnp.concatenate((between[:, :, 1:], jnp.zeros_like(between[:, :, :1])), axis=2)
    before = jnp.concatenate((stage[:, :, :1], stage[:, :, :-1]), axis=2)
    after = jnp.concatenate((stage[:, :, 1:], stage[:, :, -1:]), axis=2)
    side = RATE * start + given + tendency - above * (before - stage) - below * (after - stage)

    def down(carried, level):
        upper, right = carried
        above, below, side = level
        pivot = RATE - above - below - upper * above
        carried = below / pivot, (side - right * above) / pivot
        return carried, carried

    def back(solved, level):
        upper, right = level
        solved = right - upper * solved
        return solved, solved

    nothing = jnp.zeros_like(side[:, :, 0])
    levels = tuple(jnp.moveaxis(part, 2, 0) for part in (above, below, side))
    _, factors = lax.scan(down, (nothing, nothing), levels)
    _, solved = lax.scan(back, nothing, factors, reverse=True)
    out = RATE * (solved - jnp.moveaxis(start, 2, 0))
    return jnp.sum(out * out)


def nbody(mass, position, thrust, steps):
    velocity = thrust - jnp.sum(mass * thrust, axis=0) / jnp.sum(mass)

    def step(carried, _):
        position, velocity, acceleration = carried
        velocity = velocity + acceleration * (0.5 * STEP)
        position = position + velocity * STEP
        acceleration = pull(jnp, mass, position)
        velocity = velocity + acceleration * (0.5 * STEP)
        return (position, velocity, acceleration), energy(jnp, mass, position, velocity)

    first = position, velocity, pull(jnp, mass, position)
    _, energies = lax.scan(step, first, None, length=steps)
    return energy(jnp, mass, position, velocity) + jnp.sum(energies)


def conv2d(images, weights, bias):
    layout = ("NHWC", "HWIO", "NHWC")
    out = lax.conv_general_dilated(images, weights, (1, 1), "VALID", dimension_numbers=layout) + bias
    return jnp.sum(out * out)


def mlp(x, w1, b1, w2, b2, w3, b3):
    first = jax.nn.relu(x @ w1 + b1)
    out = jax.nn.softmax(jax.nn.relu(first @ w2 + b2) @ w3 + b3)
    return jnp.sum(out * out)


def softmax(x):
    out = jax.nn.softmax(x, axis=-1)
    return jnp.sum(out * out)


def kalman(motion, sight, shake, noise, measured):
    one = jnp.eye(motion.shape[0])

    def step(carried, seen):
        state, spread = carried
        state = motion @ state
        spread = motion @ spread @ motion.T + shake
        surprise = seen - sight @ state
        around = sight @ spread @ sight.T + noise
        gain = spread @ sight.T @ jnp.linalg.inv(around)
        cost = 0.5 * (surprise @ jnp.linalg.solve(around, surprise) + jnp.log(jnp.linalg.det(around)))
        return (state + gain @ surprise, (one - gain @ sight) @ spread), cost

    _, costs = lax.scan(step, (jnp.zeros(motion.shape[0]), one), measured)
    return jnp.sum(costs)


def mixture(weights, means, icf, points):
    width = points.shape[1]
    columns, rows = np.triu_indices(width, 1)
    lower = jnp.zeros((weights.shape[0], width, width)).at[:, rows, columns].set(icf[:, width:])
    logs = icf[:, :width]
    apart = points[:, None, :] - means[None]
    turned = jnp.exp(logs)[None] * apart + jnp.einsum("kab,ikb->ika", lower, apart)
    terms = weights + jnp.sum(logs, axis=1) - 0.5 * jnp.sum(turned**2, axis=2)
    total = jnp.sum(jax.nn.logsumexp(terms, axis=1))
    return total - points.shape[0] * jax.nn.logsumexp(weights)


FUNCTIONS: dict[str, Callable[..., Any]] = kernels(jnp) | {
    each.__name__: each
    for each in (
        jacobi_1d,
        jacobi_2d,
        heat_3d,
        vadv,
        nbody,
        conv2d,
        mlp,
        softmax,
        kalman,
        mixture,
    )
}


def value_and_grad(kernel: Kernel, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Value and gradient of the kernel, or None where JAX has no natural form of it.

    What is returned ignores its arguments: they stand on JAX's device already, and the result is waited for.
    """
    function = FUNCTIONS.get(kernel.name)
    if function is None:
        return None
    static = ROUNDS.get(kernel.name, ())
    given = [arg if k in static else jnp.asarray(arg) for k, arg in enumerate(args)]
    compiled = jax.jit(jax.value_and_grad(function, argnums=kernel.argnums), static_argnums=static)
    bound = partial(compiled, *given)
    return lambda *_: jax.block_until_ready(bound())
