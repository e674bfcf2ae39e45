"""The kernels that users of JAX and of PyTorch write alike; `xp` is `jax.numpy` or `torch`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.arrays.physics import SOFTENING


def five_points(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def hdiff(xp, field, weight):
    curved = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    along = xp.diff(curved[:, 1:-1], axis=0)
    along = xp.where(along * xp.diff(field[1:-1, 2:-2], axis=0) > 0.0, 0.0, along)
    across = xp.diff(curved[1:-1], axis=1)
    across = xp.where(across * xp.diff(field[2:-2, 1:-1], axis=1) > 0.0, 0.0, across)
    out = field[2:-2, 2:-2] - weight * (xp.diff(along, axis=0) + xp.diff(across, axis=1))
    return xp.sum(out * out)


def k2mm(xp, alpha, beta, a, b, c, d):
    out = alpha * a @ b @ c + beta * d
    return xp.sum(out * out)


def atax(xp, a, x):
    y = (a @ x) @ a
    return xp.sum(y * y)


def bicg(xp, a, p, r):
    s = r @ a
    q = a @ p
    return xp.sum(s * s) + xp.sum(q * q)


def gemver(xp, alpha, beta, matrix, u1, v1, u2, v2, y, z):
    a = matrix + xp.outer(u1, v1) + xp.outer(u2, v2)
    w = alpha * (a @ (beta * (y @ a) + z))
    return xp.sum(w * w)


def gesummv(xp, alpha, beta, a, b, x):
    y = alpha * a @ x + beta * b @ x
    return xp.sum(y * y)


def trmm(xp, alpha, a, b):
    out = alpha * (b + xp.tril(a, -1).T @ b)
    return xp.sum(out * out)


def covariance(xp, data):
    centred = data - xp.mean(data, axis=0)
    spread = centred.T @ centred / (data.shape[0] - 1.0)
    return xp.sum(spread * spread)


def pull(xp, mass, position):
    apart = position[None, :, :] - position[:, None, :]
    strength = (xp.sum(apart**2, axis=2) + SOFTENING**2) ** (-1.5)
    return xp.einsum("ijc,ij,j->ic", apart, strength, mass[:, 0])


def energy(xp, mass, position, velocity):
    square = xp.sum((position[None, :, :] - position[:, None, :]) ** 2, axis=2)
    # The inner `where` keeps the derivative of the square root finite where the outer one discards it.
    closeness = xp.where(square > 0.0, 1.0 / xp.sqrt(xp.where(square > 0.0, square, 1.0)), 0.0)
    return 0.5 * xp.sum(mass * velocity**2) - 0.5 * xp.sum(mass * mass.T * closeness)


def go_fast(xp, a):
    out = a + xp.sum(xp.tanh(xp.diag(a)))
    return xp.sum(out * out)


def arc_distance(xp, theta1, phi1, theta2, phi2):
    h = xp.sin((theta2 - theta1) / 2.0) ** 2
    h = h + xp.cos(theta1) * xp.cos(theta2) * xp.sin((phi2 - phi1) / 2.0) ** 2
    out = 2.0 * xp.arctan2(xp.sqrt(h), xp.sqrt(1.0 - h))
    return xp.sum(out * out)


def kernels(xp: Any) -> dict[str, Callable[..., Any]]:
    """These kernels by name."""
    written = (hdiff, k2mm, atax, bicg, gemver, gesummv, trmm, covariance, go_fast, arc_distance)
    return {each.__name__: partial(each, xp) for each in written}
