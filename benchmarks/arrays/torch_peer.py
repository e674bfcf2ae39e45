"""The kernels as users of PyTorch write them, with `backward()`; those that are natural there."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.arrays.kernel import Kernel
from benchmarks.arrays.physics import SOFTENING, STEP

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def jacobi_1d(a, b, steps):
    a, b = a.clone(), b.clone()
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return torch.sum(a * a) + torch.sum(b * b)


def five_points(a):
    return 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])


def jacobi_2d(a, b, steps):
    a, b = a.clone(), b.clone()
    for _ in range(1, steps):
        b[1:-1, 1:-1] = five_points(a)
        a[1:-1, 1:-1] = five_points(b)
    return torch.sum(a * a) + torch.sum(b * b)


def hdiff(field, weight):
    curved = 4.0 * field[1:-1, 1:-1] - (
        field[2:, 1:-1] + field[:-2, 1:-1] + field[1:-1, 2:] + field[1:-1, :-2]
    )
    along = torch.diff(curved[:, 1:-1], dim=0)
    along = torch.where(along * torch.diff(field[1:-1, 2:-2], dim=0) > 0.0, 0.0, along)
    across = torch.diff(curved[1:-1], dim=1)
    across = torch.where(across * torch.diff(field[2:-2, 1:-1], dim=1) > 0.0, 0.0, across)
    out = field[2:-2, 2:-2] - weight * (torch.diff(along, dim=0) + torch.diff(across, dim=1))
    return torch.sum(out * out)


def k2mm(alpha, beta, a, b, c, d):
    out = alpha * a @ b @ c + beta * d
    return torch.sum(out * out)


def atax(a, x):
    y = (a @ x) @ a
    return torch.sum(y * y)


def bicg(a, p, r):
    s = r @ a
    q = a @ p
    return torch.sum(s * s) + torch.sum(q * q)


def gemver(alpha, beta, matrix, u1, v1, u2, v2, y, z):
    a = matrix + torch.outer(u1, v1) + torch.outer(u2, v2)
    w = alpha * (a @ (beta * (y @ a) + z))
    return torch.sum(w * w)


def gesummv(alpha, beta, a, b, x):
    y = alpha * a @ x + beta * b @ x
    return torch.sum(y * y)


def trmm(alpha, a, b):
    out = alpha * (b + torch.tril(a, -1).T @ b)
    return torch.sum(out * out)


def covariance(data):
    centred = data - torch.mean(data, dim=0)
    spread = centred.T @ centred / (data.shape[0] - 1.0)
    return torch.sum(spread * spread)


def pull(mass, position):
    apart = position[None, :, :] - position[:, None, :]
    strength = (torch.sum(apart**2, dim=2) + SOFTENING**2) ** (-1.5)
    return torch.einsum("ijc,ij,j->ic", apart, strength, mass[:, 0])


def energy(mass, position, velocity):
    square = torch.sum((position[None, :, :] - position[:, None, :]) ** 2, dim=2)
    # The inner `where` keeps the derivative of the square root finite where the outer one discards it.
    closeness = torch.where(square > 0.0, 1.0 / torch.sqrt(torch.where(square > 0.0, square, 1.0)), 0.0)
    return 0.5 * torch.sum(mass * velocity**2) - 0.5 * torch.sum(mass * mass.T * closeness)


def nbody(mass, position, thrust, steps):
    velocity = thrust - torch.sum(mass * thrust, dim=0) / torch.sum(mass)
    acceleration = pull(mass, position)
    total = energy(mass, position, velocity)
    for _ in range(steps):
        velocity = velocity + acceleration * (0.5 * STEP)
        position = position + velocity * STEP
        acceleration = pull(mass, position)
        velocity = velocity + acceleration * (0.5 * STEP)
        total = total + energy(mass, position, velocity)
    return total


def conv2d(images, weights, bias):
    out = functional.conv2d(images.permute(0, 3, 1, 2), weights.permute(3, 2, 0, 1), bias)
    return torch.sum(out * out)


def mlp(x, w1, b1, w2, b2, w3, b3):
    first = torch.relu(x @ w1 + b1)
    out = torch.softmax(torch.relu(first @ w2 + b2) @ w3 + b3, dim=-1)
    return torch.sum(out * out)


def softmax(x):
    out = torch.softmax(x, dim=-1)
    return torch.sum(out * out)


def go_fast(a):
    out = a + torch.sum(torch.tanh(torch.diag(a)))
    return torch.sum(out * out)


def arc_distance(theta1, phi1, theta2, phi2):
    h = torch.sin((theta2 - theta1) / 2.0) ** 2
    h = h + torch.cos(theta1) * torch.cos(theta2) * torch.sin((phi2 - phi1) / 2.0) ** 2
    out = 2.0 * torch.arctan2(torch.sqrt(h), torch.sqrt(1.0 - h))
    return torch.sum(out * out)


def kalman(motion, sight, shake, noise, measured):
    state = torch.zeros(motion.shape[0], dtype=torch.float64)
    spread = one = torch.eye(motion.shape[0], dtype=torch.float64)
    total = torch.zeros((), dtype=torch.float64)
    for seen in measured:
        state = motion @ state
        spread = motion @ spread @ motion.T + shake
        surprise = seen - sight @ state
        around = sight @ spread @ sight.T + noise
        gain = spread @ sight.T @ torch.linalg.inv(around)
        total = total + 0.5 * (surprise @ torch.linalg.solve(around, surprise) + torch.log(torch.det(around)))
        state = state + gain @ surprise
        spread = (one - gain @ sight) @ spread
    return total


def mixture(weights, means, icf, points):
    count, width = points.shape
    columns, rows = np.triu_indices(width, 1)
    lower = torch.zeros((weights.shape[0], width, width), dtype=torch.float64)
    lower[:, torch.from_numpy(rows), torch.from_numpy(columns)] = icf[:, width:]
    logs = icf[:, :width]
    apart = points[:, None, :] - means[None]
    turned = torch.exp(logs)[None] * apart + torch.einsum("kab,ikb->ika", lower, apart)
    terms = weights + torch.sum(logs, dim=1) - 0.5 * torch.sum(turned**2, dim=2)
    total = torch.sum(torch.logsumexp(terms, dim=1))
    return total - count * torch.logsumexp(weights, dim=0)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        jacobi_1d,
        jacobi_2d,
        hdiff,
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


def tensor(arg: Any) -> Any:
    """A float or an array of floats as a tensor; anything else unchanged."""
    return torch.tensor(arg, dtype=torch.float64) if isinstance(arg, float | np.ndarray) else arg


def value_and_grad(kernel: Kernel, args: tuple[Any, ...]) -> Callable[..., Any] | None:
    """Value and gradient of the kernel, or None where PyTorch has no natural form of it.

    What is returned ignores its arguments: they are tensors already.
    """
    function = FUNCTIONS.get(kernel.name)
    if function is None:
        return None
    given = [tensor(arg) for arg in args]
    wanted = [given[k].requires_grad_() for k in kernel.argnums]

    def both(*_: Any) -> tuple[float, tuple[Any, ...]]:
        value = function(*given)
        return value.item(), tuple(part.numpy() for part in torch.autograd.grad(value, wanted))

    return both
