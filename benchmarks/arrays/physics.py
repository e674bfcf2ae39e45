"""Bodies under gravity and incompressible flows."""

from __future__ import annotations

import numba
import numpy as np

from benchmarks.arrays.kernel import Kernel, by_size

SOFTENING = 0.1
STEP = 0.02


@numba.njit
def pull(mass, position):
    x = position[:, 0:1]
    y = position[:, 1:2]
    z = position[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    strength = (dx**2 + dy**2 + dz**2 + SOFTENING**2) ** (-1.5)
    ax = (dx * strength) @ mass
    ay = (dy * strength) @ mass
    az = (dz * strength) @ mass
    return np.hstack((ax, ay, az))


@numba.njit
def energy(mass, position, velocity):
    kinetic = 0.5 * np.sum(mass * velocity**2)
    x = position[:, 0:1]
    y = position[:, 1:2]
    z = position[:, 2:3]
    dx = x.T - x
    dy = y.T - y
    dz = z.T - z
    distance = np.sqrt(dx**2 + dy**2 + dz**2)
    closeness = np.where(distance > 0.0, 1.0 / distance, 0.0)
    return kinetic - 0.5 * np.sum(mass * mass.T * closeness)


def nbody_arrays(mass, start, thrust, steps):
    position = start.copy()
    velocity = thrust - np.sum(mass * thrust, axis=0) / np.sum(mass)
    acceleration = pull(mass, position)
    total = energy(mass, position, velocity)
    for _ in range(steps):
        velocity += acceleration * (0.5 * STEP)
        position += velocity * STEP
        acceleration = pull(mass, position)
        velocity += acceleration * (0.5 * STEP)
        total += energy(mass, position, velocity)
    return total


@numba.njit
def pull_each(mass, position, acceleration):
    n = mass.shape[0]
    for i in range(n):
        for c in range(3):
            acceleration[i, c] = 0.0
        for j in range(n):
            apart = np.zeros(3)
            square = SOFTENING**2
            for c in range(3):
                apart[c] = position[j, c] - position[i, c]
                square += apart[c] ** 2
            strength = mass[j, 0] * square ** (-1.5)
            for c in range(3):
                acceleration[i, c] += strength * apart[c]


@numba.njit
def energy_each(mass, position, velocity):
    n = mass.shape[0]
    total = 0.0
    for i in range(n):
        for c in range(3):
            total += 0.5 * mass[i, 0] * velocity[i, c] ** 2
        for j in range(i + 1, n):
            square = 0.0
            for c in range(3):
                square += (position[j, c] - position[i, c]) ** 2
            total -= mass[i, 0] * mass[j, 0] / np.sqrt(square)
    return total


def nbody_scratch(mass, start, thrust, steps):
    n = mass.shape[0]
    position = start.copy()
    velocity = thrust.copy()
    weight = 0.0
    drift = np.zeros(3)
    for i in range(n):
        weight += mass[i, 0]
        for c in range(3):
            drift[c] += mass[i, 0] * thrust[i, c]
    for i in range(n):
        for c in range(3):
            velocity[i, c] -= drift[c] / weight
    acceleration = np.zeros((n, 3))
    pull_each(mass, position, acceleration)
    total = energy_each(mass, position, velocity)
    for _ in range(steps):
        for i in range(n):
            for c in range(3):
                velocity[i, c] += acceleration[i, c] * (0.5 * STEP)
                position[i, c] += velocity[i, c] * STEP
        pull_each(mass, position, acceleration)
        for i in range(n):
            for c in range(3):
                velocity[i, c] += acceleration[i, c] * (0.5 * STEP)
        total += energy_each(mass, position, velocity)
    return total


@numba.njit
def pull_on(mass, position, i):
    ax, ay, az = 0.0, 0.0, 0.0
    for j in range(len(mass)):
        dx = position[j, 0] - position[i, 0]
        dy = position[j, 1] - position[i, 1]
        dz = position[j, 2] - position[i, 2]
        strength = mass[j, 0] * (dx * dx + dy * dy + dz * dz + SOFTENING * SOFTENING) ** (-1.5)
        ax += strength * dx
        ay += strength * dy
        az += strength * dz
    return ax, ay, az


@numba.njit
def kick(mass, position, velocity):
    for i in range(len(mass)):
        ax, ay, az = pull_on(mass, position, i)
        velocity[i, 0] += 0.5 * STEP * ax
        velocity[i, 1] += 0.5 * STEP * ay
        velocity[i, 2] += 0.5 * STEP * az


def nbody_scalars(mass, start, thrust, steps):
    position, velocity = start.copy(), thrust.copy()
    weight = 0.0
    for i in range(len(mass)):
        weight += mass[i, 0]
    for c in range(3):
        drift = 0.0
        for i in range(len(mass)):
            drift += mass[i, 0] * thrust[i, c]
        for i in range(len(mass)):
            velocity[i, c] -= drift / weight
    total = energy_each(mass, position, velocity)
    for _ in range(steps):
        kick(mass, position, velocity)
        for i in range(len(mass)):
            for c in range(3):
                position[i, c] += velocity[i, c] * STEP
        kick(mass, position, velocity)
        total += energy_each(mass, position, velocity)
    return total


def nbody_instance(n, steps):
    rng = np.random.default_rng(42)
    return 20.0 * np.ones((n, 1)) / n, rng.random((n, 3)), rng.random((n, 3)), steps


def cavity_flow_arrays(u0, v0, p0, rho, nu, steps, rounds):
    u = u0.copy()
    v = v0.copy()
    p = p0.copy()
    rows, columns = u.shape
    dx = 2.0 / (columns - 1)
    dy = 2.0 / (rows - 1)
    dt = 0.1 / ((rows - 1) * (columns - 1))
    b = np.zeros((rows, columns))
    for _ in range(steps):
        un = u.copy()
        vn = v.copy()
        ux = (un[1:-1, 2:] - un[1:-1, :-2]) / (2.0 * dx)
        uy = (un[2:, 1:-1] - un[:-2, 1:-1]) / (2.0 * dy)
        vx = (vn[1:-1, 2:] - vn[1:-1, :-2]) / (2.0 * dx)
        vy = (vn[2:, 1:-1] - vn[:-2, 1:-1]) / (2.0 * dy)
        b[1:-1, 1:-1] = rho * ((ux + vy) / dt - ux**2 - 2.0 * uy * vx - vy**2)
        for _ in range(rounds):
            pn = p.copy()
            p[1:-1, 1:-1] = (
                (pn[1:-1, 2:] + pn[1:-1, :-2]) * dy**2 + (pn[2:, 1:-1] + pn[:-2, 1:-1]) * dx**2
            ) / (2.0 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2.0 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
            p[:, -1] = p[:, -2]
            p[0, :] = p[1, :]
            p[:, 0] = p[:, 1]
            p[-1, :] = 0.0
        u[1:-1, 1:-1] = (
            un[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (un[1:-1, 1:-1] - un[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (un[1:-1, 1:-1] - un[:-2, 1:-1])
            - dt / (2.0 * rho * dx) * (p[1:-1, 2:] - p[1:-1, :-2])
            + nu * dt / dx**2 * (un[1:-1, 2:] - 2.0 * un[1:-1, 1:-1] + un[1:-1, :-2])
            + nu * dt / dy**2 * (un[2:, 1:-1] - 2.0 * un[1:-1, 1:-1] + un[:-2, 1:-1])
        )
        v[1:-1, 1:-1] = (
            vn[1:-1, 1:-1]
            - un[1:-1, 1:-1] * dt / dx * (vn[1:-1, 1:-1] - vn[1:-1, :-2])
            - vn[1:-1, 1:-1] * dt / dy * (vn[1:-1, 1:-1] - vn[:-2, 1:-1])
            - dt / (2.0 * rho * dy) * (p[2:, 1:-1] - p[:-2, 1:-1])
            + nu * dt / dx**2 * (vn[1:-1, 2:] - 2.0 * vn[1:-1, 1:-1] + vn[1:-1, :-2])
            + nu * dt / dy**2 * (vn[2:, 1:-1] - 2.0 * vn[1:-1, 1:-1] + vn[:-2, 1:-1])
        )
        u[0, :] = 0.0
        u[:, 0] = 0.0
        u[:, -1] = 0.0
        u[-1, :] = 1.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        v[:, 0] = 0.0
        v[:, -1] = 0.0
    return np.sum(u * u) + np.sum(v * v) + np.sum(p * p)


def cavity_flow_instance(rows, columns, steps, rounds):
    rng = np.random.default_rng(42)
    u, v, p = (0.01 * rng.random((rows, columns)) for _ in range(3))
    return u, v, p, 1.0, 0.1, steps, rounds


@numba.njit
def east(grid):
    return np.hstack((grid[:, 1:], grid[:, :1]))


@numba.njit
def west(grid):
    return np.hstack((grid[:, -1:], grid[:, :-1]))


def channel_flow_arrays(u0, v0, p0, rho, nu, force, limit, rounds):
    u = u0.copy()
    v = v0.copy()
    p = p0.copy()
    rows, columns = u.shape
    dx = 2.0 / (columns - 1)
    dy = 2.0 / (rows - 1)
    dt = 0.1 / ((rows - 1) * (columns - 1))
    change = 1.0
    step = 0
    while change > 1e-9 and step < limit:
        un = u.copy()
        vn = v.copy()
        ue, uw, ve, vw = east(un), west(un), east(vn), west(vn)
        ux = (ue[1:-1, :] - uw[1:-1, :]) / (2.0 * dx)
        uy = (un[2:, :] - un[:-2, :]) / (2.0 * dy)
        vx = (ve[1:-1, :] - vw[1:-1, :]) / (2.0 * dx)
        vy = (vn[2:, :] - vn[:-2, :]) / (2.0 * dy)
        b = rho * ((ux + vy) / dt - ux**2 - 2.0 * uy * vx - vy**2)
        for _ in range(rounds):
            pn = p.copy()
            pe, pw = east(pn), west(pn)
            p[1:-1, :] = (
                (pe[1:-1, :] + pw[1:-1, :]) * dy**2 + (pn[2:, :] + pn[:-2, :]) * dx**2 - dx**2 * dy**2 * b
            ) / (2.0 * (dx**2 + dy**2))
            p[-1, :] = p[-2, :]
            p[0, :] = p[1, :]
        pe, pw = east(p), west(p)
        here, there = un[1:-1, :], vn[1:-1, :]
        u[1:-1, :] = (
            here
            - here * dt / dx * (here - uw[1:-1, :])
            - there * dt / dy * (here - un[:-2, :])
            - dt / (2.0 * rho * dx) * (pe[1:-1, :] - pw[1:-1, :])
            + nu * dt / dx**2 * (ue[1:-1, :] - 2.0 * here + uw[1:-1, :])
            + nu * dt / dy**2 * (un[2:, :] - 2.0 * here + un[:-2, :])
            + force * dt
        )
        v[1:-1, :] = (
            there
            - here * dt / dx * (there - vw[1:-1, :])
            - there * dt / dy * (there - vn[:-2, :])
            - dt / (2.0 * rho * dy) * (p[2:, :] - p[:-2, :])
            + nu * dt / dx**2 * (ve[1:-1, :] - 2.0 * there + vw[1:-1, :])
            + nu * dt / dy**2 * (vn[2:, :] - 2.0 * there + vn[:-2, :])
        )
        u[0, :] = 0.0
        u[-1, :] = 0.0
        v[0, :] = 0.0
        v[-1, :] = 0.0
        change = np.abs(np.sum(u) - np.sum(un)) / np.abs(np.sum(u))
        step += 1
    return np.sum(u * u) + np.sum(v * v) + np.sum(p * p)


def channel_flow_instance(rows, columns, limit, rounds):
    rng = np.random.default_rng(42)
    u, v, p = (0.01 * rng.random((rows, columns)) for _ in range(3))
    return u, v, p, 1.0, 0.1, 1.0, limit, rounds


KERNELS = (
    Kernel(
        "nbody",
        {"arrays": nbody_arrays, "scratch": nbody_scratch, "scalars": nbody_scalars},
        nbody_instance,
        by_size((4, 2), (25, 40), (50, 250)),
        (0, 1, 2),
    ),
    Kernel(
        "cavity_flow",
        {"arrays": cavity_flow_arrays},
        cavity_flow_instance,
        by_size((6, 7, 2, 2), (61, 61, 25, 5), (121, 121, 50, 10)),
        (0, 1, 2),
    ),
    Kernel(
        "channel_flow",
        {"arrays": channel_flow_arrays},
        channel_flow_instance,
        by_size((6, 7, 2, 2), (61, 61, 25, 5), (121, 121, 50, 10)),
        (0, 1, 2),
    ),
)
