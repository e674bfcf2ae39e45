"""Bodies that attract one another, stepped in time, and the adjoint by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.problem import Problem

Floats = NDArray[np.float64]

G, SOFTENING, DT = 1.0, 0.1, 0.02


@njit(error_model="numpy")
def accelerations(m: Floats, x: Floats, a: Floats) -> None:
    """Write the acceleration of each body."""
    n = m.size
    for i in range(n):
        ax, ay, az = 0.0, 0.0, 0.0
        for j in range(n):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz + SOFTENING * SOFTENING
            pull = G * m[j] / (square * math.sqrt(square))
            ax += pull * dx
            ay += pull * dy
            az += pull * dz
        a[i, 0], a[i, 1], a[i, 2] = ax, ay, az


@njit(error_model="numpy")
def energy(m: Floats, x: Floats, v: Floats) -> float:
    """Kinetic plus potential energy."""
    n = m.size
    total = 0.0
    for i in range(n):
        total += 0.5 * m[i] * (v[i, 0] * v[i, 0] + v[i, 1] * v[i, 1] + v[i, 2] * v[i, 2])
        for j in range(i + 1, n):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            total -= G * m[i] * m[j] / math.sqrt(dx * dx + dy * dy + dz * dz)
    return total


@njit(error_model="numpy")
def nbody(m: Floats, x: Floats, v: Floats, steps: int) -> float:
    """The sum of the energies of all states of a leapfrog integration."""
    x, v = x.copy(), v.copy()
    n = m.size
    a = np.zeros((n, 3))
    accelerations(m, x, a)
    loss = energy(m, x, v)
    for _ in range(steps):
        for i in range(n):
            for c in range(3):
                v[i, c] += 0.5 * DT * a[i, c]
                x[i, c] += DT * v[i, c]
        accelerations(m, x, a)
        for i in range(n):
            for c in range(3):
                v[i, c] += 0.5 * DT * a[i, c]
        loss += energy(m, x, v)
    return loss


@njit(error_model="numpy")
def pairs_adjoint(m: Floats, x: Floats, a_bar: Floats, x_bar: Floats) -> None:
    """Add to `x_bar` what accelerations and energy contribute: each pair once, both forces on its bodies at a time."""
    n = m.size
    for i in range(n):
        bx, by, bz = a_bar[i, 0], a_bar[i, 1], a_bar[i, 2]
        own_x, own_y, own_z = 0.0, 0.0, 0.0
        for j in range(i + 1, n):
            dx, dy, dz = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
            square = dx * dx + dy * dy + dz * dz
            energy = G * m[i] * m[j] / (square * math.sqrt(square))
            square += SOFTENING * SOFTENING
            pull = G / (square * math.sqrt(square))
            cx = m[j] * bx - m[i] * a_bar[j, 0]
            cy = m[j] * by - m[i] * a_bar[j, 1]
            cz = m[j] * bz - m[i] * a_bar[j, 2]
            along = 3.0 * pull / square * (cx * dx + cy * dy + cz * dz) - energy
            gx, gy, gz = pull * cx - along * dx, pull * cy - along * dy, pull * cz - along * dz
            x_bar[j, 0] += gx
            x_bar[j, 1] += gy
            x_bar[j, 2] += gz
            own_x += gx
            own_y += gy
            own_z += gz
        x_bar[i, 0] -= own_x
        x_bar[i, 1] -= own_y
        x_bar[i, 2] -= own_z


@njit(error_model="numpy")
def nbody_by_hand(m: Floats, x: Floats, v: Floats, steps: int) -> Any:
    """Value and gradient of `nbody`: positions and velocities of each state are kept, pairs computed again."""
    n = m.size
    xs, vs = np.empty((steps + 1, n, 3)), np.empty((steps + 1, n, 3))
    xs[0], vs[0] = x, v
    a = np.zeros((n, 3))
    accelerations(m, x, a)
    loss = energy(m, x, v)
    for t in range(steps):
        for i in range(n):
            for c in range(3):
                vs[t + 1, i, c] = vs[t, i, c] + 0.5 * DT * a[i, c]
                xs[t + 1, i, c] = xs[t, i, c] + DT * vs[t + 1, i, c]
        accelerations(m, xs[t + 1], a)
        for i in range(n):
            for c in range(3):
                vs[t + 1, i, c] += 0.5 * DT * a[i, c]
        loss += energy(m, xs[t + 1], vs[t + 1])
    x_bar, v_bar, a_bar = np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3))
    for t in range(steps - 1, -1, -1):
        for i in range(n):
            for c in range(3):
                v_bar[i, c] += m[i] * vs[t + 1, i, c]
                a_bar[i, c] += 0.5 * DT * v_bar[i, c]
        pairs_adjoint(m, xs[t + 1], a_bar, x_bar)
        for i in range(n):
            for c in range(3):
                v_bar[i, c] += DT * x_bar[i, c]
                a_bar[i, c] = 0.5 * DT * v_bar[i, c]
    for i in range(n):
        for c in range(3):
            v_bar[i, c] += m[i] * vs[0, i, c]
    pairs_adjoint(m, xs[0], a_bar, x_bar)
    return loss, (x_bar, v_bar)


def nbody_instance(size: str) -> tuple[Floats, Floats, Floats, int]:
    """Masses, positions, velocities, and the number of steps."""
    n, steps = {"tiny": (4, 3), "S": (25, 20), "M": (50, 250)}[size]
    rng = np.random.default_rng(42)
    return np.full(n, 20.0 / n), rng.random((n, 3)), rng.random((n, 3)), steps


PROBLEMS = (Problem("nbody", nbody, nbody_instance, (1, 2), nbody_by_hand),)
