"""The kernels as users of JAX write them, under `jit(value_and_grad(...))`; those that are natural there."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.arrays.kernel import Kernel
from benchmarks.arrays.physics import SOFTENING, STEP
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


def five_points(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


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


def hdiff(field, weight):
    curved = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    along = jnp.diff(curved[:, 1:-1], axis=0)
    along = jnp.where(along * jnp.diff(field[1:-1, 2:-2], axis=0) > 0.0, 0.0, along)
    across = jnp.diff(curved[1:-1], axis=1)
    across = jnp.where(across * jnp.diff(field[2:-2, 1:-1], axis=1) > 0.0, 0.0, across)
    out = field[2:-2, 2:-2] - weight * (jnp.diff(along, axis=0) + jnp.diff(across, axis=1))
    return jnp.sum(out * out)


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


def k2mm(alpha, beta, a, b, c, d):
    out = alpha * a @ b @ c + beta * d
    return jnp.sum(out * out)


def atax(a, x):
    y = (a @ x) @ a
    return jnp.sum(y * y)


def bicg(a, p, r):
    s = r @ a
    q = a @ p
    return jnp.sum(s * s) + jnp.sum(q * q)


def gemver(alpha, beta, matrix, u1, v1, u2, v2, y, z):
    a = matrix + jnp.outer(u1, v1) + jnp.outer(u2, v2)
    w = alpha * (a @ (beta * (y @ a) + z))
    return jnp.sum(w * w)


def gesummv(alpha, beta, a, b, x):
    y = alpha * a @ x + beta * b @ x
    return jnp.sum(y * y)


def trmm(alpha, a, b):
    out = alpha * (b + jnp.tril(a, -1).T @ b)
    return jnp.sum(out * out)


def covariance(data):
    centred = data - jnp.mean(data, axis=0)
    spread = centred.T @ centred / (data.shape[0] - 1.0)
    return jnp.sum(spread * spread)


def pull(mass, position):
    apart = position[None, :, :] - position[:, None, :]
    strength = (jnp.sum(apart**2, axis=2) + SOFTENING**2) ** (-1.5)
    return jnp.einsum("ijc,ij,j->ic", apart, strength, mass[:, 0])


def energy(mass, position, velocity):
    square = jnp.sum((position[None, :, :] - position[:, None, :]) ** 2, axis=2)
    # The inner `where` keeps the derivative of the square root finite where the outer one discards it.
    closeness = jnp.where(square > 0.0, 1.0 / jnp.sqrt(jnp.where(square > 0.0, square, 1.0)), 0.0)
    return 0.5 * jnp.sum(mass * velocity**2) - 0.5 * jnp.sum(mass * mass.T * closeness)


def nbody(mass, position, thrust, steps):
    velocity = thrust - jnp.sum(mass * thrust, axis=0) / jnp.sum(mass)

    def step(carried, _):
        position, velocity, acceleration = carried
        velocity = velocity + acceleration * (0.5 * STEP)
        position = position + velocity * STEP
        acceleration = pull(mass, position)
        velocity = velocity + acceleration * (0.5 * STEP)
        return (position, velocity, acceleration), energy(mass, position, velocity)

    first = position, velocity, pull(mass, position)
    _, energies = lax.scan(step, first, None, length=steps)
    return energy(mass, position, velocity) + jnp.sum(energies)


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


def go_fast(a):
    out = a + jnp.sum(jnp.tanh(jnp.diag(a)))
    return jnp.sum(out * out)


def arc_distance(theta1, phi1, theta2, phi2):
    h = jnp.sin((theta2 - theta1) / 2.0) ** 2
    h = h + jnp.cos(theta1) * jnp.cos(theta2) * jnp.sin((phi2 - phi1) / 2.0) ** 2
    out = 2.0 * jnp.arctan2(jnp.sqrt(h), jnp.sqrt(1.0 - h))
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


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        jacobi_1d,
        jacobi_2d,
        heat_3d,
        hdiff,
        vadv,
        k2mm,
        atax,
        bicg,
        gemver,
        gesummv,
        trmm,
        covariance,
        nbody,
        conv2d,
        mlp,
        softmax,
        go_fast,
        arc_distance,
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
