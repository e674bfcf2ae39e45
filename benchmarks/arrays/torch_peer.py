"""The kernels as users of PyTorch write them, with `backward()`; those that are natural there."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from benchmarks.arrays.alike import energy, five_points, kernels, pull
from benchmarks.arrays.kernel import Kernel
from benchmarks.arrays.physics import STEP

torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))


def jacobi_1d(a, b, steps):
    a, b = a.clone(), b.clone()
    for _ in range(1, steps):
        b[1:-1] = 0.33333 * (a[:-2] + a[1:-1] + a[2:])
        a[1:-1] = 0.33333 * (b[:-2] + b[1:-1] + b[2:])
    return torch.sum(a * a) + torch.sum(b * b)


def jacobi_2d(a, b, steps):
    a, b = a.clone(), b.clone()
    for _ in range(1, steps):
        b[1:-1, 1:-1] = five_points(a)
        a[1:-1, 1:-1] = five_points(b)
    return torch.sum(a * a) + torch.sum(b * b)


def nbody(mass, position, thrust, steps):
    velocity = thrust - torch.sum(mass * thrust, dim=0) / torch.sum(mass)
    acceleration = pull(torch, mass, position)
    total = energy(torch, mass, position, velocity)
    for _ in range(steps):
        velocity = velocity + acceleration * (0.5 * STEP)
        position = position + velocity * STEP
        acceleration = pull(torch, mass, position)
        velocity = velocity + acceleration * (0.5 * STEP)
        total = total + energy(torch, mass, position, velocity)
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


FUNCTIONS: dict[str, Callable[..., Any]] = kernels(torch) | {
    each.__name__: each
    for each in (
        jacobi_1d,
        jacobi_2d,
        nbody,
        conv2d,
        mlp,
        softmax,
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
