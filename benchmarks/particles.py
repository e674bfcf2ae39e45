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
    """Add to `x_bar` what accelerations and energy contribute, all with a row for each coordinate.

    Every pair is taken from both sides, so that each adds along a row, and several are computed at once.
    """
    n = m.size
    for i in range(n):
        x_i, y_i, z_i = x[0, i], x[1, i], x[2, i]
        b_x, b_y, b_z = a_bar[0, i], a_bar[1, i], a_bar[2, i]
        for j in range(n):
            dx, dy, dz = x[0, j] - x_i, x[1, j] - y_i, x[2, j] - z_i
            square = dx * dx + dy * dy + dz * dz
            inverse = 1.0 / square if j != i else 0.0
            energy = G * m[i] * m[j] * inverse * math.sqrt(inverse)
            inverse = 1.0 / (square + SOFTENING * SOFTENING)
            pull = G * inverse * math.sqrt(inverse)
            cx = m[j] * b_x - m[i] * a_bar[0, j]
            cy = m[j] * b_y - m[i] * a_bar[1, j]
            cz = m[j] * b_z - m[i] * a_bar[2, j]
            along = 3.0 * pull * inverse * (cx * dx + cy * dy + cz * dz) - energy
            x_bar[0, j] += pull * cx - along * dx
            x_bar[1, j] += pull * cy - along * dy
            x_bar[2, j] += pull * cz - along * dz


@njit(error_model="numpy")
def nbody_by_hand(m: Floats, x: Floats, v: Floats, steps: int) -> Any:
    """Value and gradient of `nbody`: positions and velocities of each state are kept, pairs computed again."""
    n = m.size
    xs, vs = np.empty((steps + 1, 3, n)), np.empty((steps + 1, 3, n))
    x, v = x.copy(), v.copy()
    xs[0], vs[0] = x.T, v.T
    a = np.zeros((n, 3))
    accelerations(m, x, a)
    loss = energy(m, x, v)
    for t in range(steps):
        for i in range(n):
            for c in range(3):
                v[i, c] += 0.5 * DT * a[i, c]
                x[i, c] += DT * v[i, c]
                xs[t + 1, c, i] = x[i, c]
        accelerations(m, x, a)
        for i in range(n):
            for c in range(3):
                v[i, c] += 0.5 * DT * a[i, c]
                vs[t + 1, c, i] = v[i, c]
        loss += energy(m, x, v)
    x_bar, v_bar, a_bar = np.zeros((3, n)), np.zeros((3, n)), np.zeros((3, n))
    for t in range(steps - 1, -1, -1):
        for c in range(3):
            for i in range(n):
                v_bar[c, i] += m[i] * vs[t + 1, c, i]
                a_bar[c, i] += 0.5 * DT * v_bar[c, i]
        pairs_adjoint(m, xs[t + 1], a_bar, x_bar)
        for c in range(3):
            for i in range(n):
                v_bar[c, i] += DT * x_bar[c, i]
                a_bar[c, i] = 0.5 * DT * v_bar[c, i]
    for c in range(3):
        for i in range(n):
            v_bar[c, i] += m[i] * vs[0, c, i]
    pairs_adjoint(m, xs[0], a_bar, x_bar)
    return loss, (x_bar.T.copy(), v_bar.T.copy())


def nbody_instance(size: str) -> tuple[Floats, Floats, Floats, int]:
    """Masses, positions, velocities, and the number of steps."""
    n, steps = {"tiny": (4, 3), "S": (25, 20), "M": (50, 250)}[size]
    rng = np.random.default_rng(42)
    return np.full(n, 20.0 / n), rng.random((n, 3)), rng.random((n, 3)), steps


PROBLEMS = (Problem("nbody", nbody, nbody_instance, (1, 2), nbody_by_hand),)
