"""Differences of columns and rows, products with a column, arrays that a loop changes, and a masked reciprocal."""

import numpy as np

RNG = np.random.default_rng(5)
ARGS = (RNG.uniform(1.0, 2.0, (4, 1)), RNG.normal(size=(4, 3)), RNG.normal(size=(4, 3)), 2)
WRT = ("mass", "start", "thrust")

SOFTENING = 0.1
STEP = 0.02


def apart(position):
    x = position[:, 0:1]
    y = position[:, 1:2]
    z = position[:, 2:3]
    return x.T - x, y.T - y, z.T - z


def pull(mass, position):
    dx, dy, dz = apart(position)
    strength = (dx**2 + dy**2 + dz**2 + SOFTENING**2) ** (-1.5)
    return np.hstack(((dx * strength) @ mass, (dy * strength) @ mass, (dz * strength) @ mass))


def energy(mass, position, velocity):
    kinetic = 0.5 * np.sum(mass * velocity**2)
    dx, dy, dz = apart(position)
    distance = np.sqrt(dx**2 + dy**2 + dz**2)
    closeness = np.where(distance > 0.0, 1.0 / distance, 0.0)
    return kinetic - 0.5 * np.sum(mass * mass.T * closeness)


def nbody(mass, start, thrust, steps):
    position = start.copy()
    velocity = thrust - np.sum(mass * thrust, axis=0) / np.sum(mass)
    acceleration = pull(mass, position)
    for _ in range(steps):
        velocity += acceleration * (0.5 * STEP)
        position += velocity * STEP
        acceleration = pull(mass, position)
        velocity += acceleration * (0.5 * STEP)
    return energy(mass, position, velocity)
