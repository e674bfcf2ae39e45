"""ADBench's bundle adjustment: reprojection errors of cameras and points, and their sparse Jacobian.

Run `python -m examples.adbench.ba` to time the errors beside the Jacobian on a generated instance, or give it
files of the suite (`data/ba/ba1_n49_m7776_p31843.txt` and so on).
Each observation's error has two components and depends on one camera, one point and one weight: its two rows of the
Jacobian have 15 entries each, taken inside the compiled loop over the observations by one forward sweep and two
reverse sweeps.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

import backsweep as bs
from examples.adbench.timing import report

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Instance(NamedTuple):
    """The arguments of `objective`, in its order."""

    cameras: Floats
    """Each row: rotation (3, angle times axis), centre (3), focal length, principal point (2), distortion (2)."""
    points: Floats
    weights: Floats
    features: Floats
    observations: Integers
    """Each row: the number of the camera and of the point."""


class Camera(NamedTuple):
    """A row of `cameras`."""

    r0: float
    r1: float
    r2: float
    c0: float
    c1: float
    c2: float
    f: float
    u0: float
    v0: float
    k1: float
    k2: float


class Point(NamedTuple):
    """A row of `points`, or any vector."""

    x: float
    y: float
    z: float


@njit(error_model="numpy")
def rotated(camera: Camera, v: Point) -> Point:
    """The vector turned by the camera's rotation (Rodrigues' formula)."""
    r0, r1, r2 = camera.r0, camera.r1, camera.r2
    square = r0 * r0 + r1 * r1 + r2 * r2
    if square == 0.0:
        return Point(v.x + r1 * v.z - r2 * v.y, v.y + r2 * v.x - r0 * v.z, v.z + r0 * v.y - r1 * v.x)
    theta = math.sqrt(square)
    cosine = math.cos(theta)
    sine = math.sin(theta)
    a0, a1, a2 = r0 / theta, r1 / theta, r2 / theta
    along = (a0 * v.x + a1 * v.y + a2 * v.z) * (1.0 - cosine)
    return Point(
        v.x * cosine + (a1 * v.z - a2 * v.y) * sine + a0 * along,
        v.y * cosine + (a2 * v.x - a0 * v.z) * sine + a1 * along,
        v.z * cosine + (a0 * v.y - a1 * v.x) * sine + a2 * along,
    )


@njit(error_model="numpy")
def reprojection_error(
    camera: Camera, point: Point, weight: float, u: float, v: float
) -> tuple[float, float]:
    """How far from the feature `(u, v)` the camera sees the point, weighted."""
    y = rotated(camera, Point(point.x - camera.c0, point.y - camera.c1, point.z - camera.c2))
    a = y.x / y.z
    b = y.y / y.z
    s = a * a + b * b
    distortion = 1.0 + camera.k1 * s + camera.k2 * s * s
    return (
        weight * (a * distortion * camera.f + camera.u0 - u),
        weight * (b * distortion * camera.f + camera.v0 - v),
    )


@njit(error_model="numpy")
def weight_error(weight: float) -> float:
    """What keeps a weight at one."""
    return 1.0 - weight * weight


@njit(error_model="numpy")
def camera_at(cameras: Floats, k: int) -> Camera:
    """Row `k` of `cameras`."""
    c = cameras[k]
    return Camera(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10])


@njit(error_model="numpy")
def point_at(points: Floats, k: int) -> Point:
    """Row `k` of `points`."""
    return Point(points[k, 0], points[k, 1], points[k, 2])


@bs.njit(error_model="numpy")
def objective(
    cameras: Floats, points: Floats, weights: Floats, features: Floats, observations: Integers
) -> tuple[Floats, Floats]:
    """The reprojection errors, one row per observation, and the errors of the weights."""
    count = observations.shape[0]
    errors = np.empty((count, 2))
    weight_errors = np.empty(count)
    for i in range(count):
        camera = camera_at(cameras, observations[i, 0])
        point = point_at(points, observations[i, 1])
        errors[i] = reprojection_error(camera, point, weights[i], features[i, 0], features[i, 1])
        weight_errors[i] = weight_error(weights[i])
    return errors, weight_errors


entries_of = bs.jacrev(reprojection_error, argnums=(0, 1, 2))
weight_slope = bs.grad(weight_error)


@bs.njit(error_model="numpy")
def rows(
    cameras: Floats, points: Floats, weights: Floats, features: Floats, observations: Integers
) -> tuple[Floats, Floats]:
    """The entries of the Jacobian: two rows of 15 per observation, then one entry per weight's error."""
    count = observations.shape[0]
    entries = np.empty((count, 2, 15))
    slopes = np.empty(count)
    for i in range(count):
        camera = camera_at(cameras, observations[i, 0])
        point = point_at(points, observations[i, 1])
        both = entries_of(camera, point, weights[i], features[i, 0], features[i, 1])
        for k in range(2):
            camera_bar, point_bar, entries[i, k, 14] = both[k]
            for j, entry in enumerate(camera_bar):
                entries[i, k, j] = entry
            for j, entry in enumerate(point_bar):
                entries[i, k, 11 + j] = entry
        slopes[i] = weight_slope(weights[i])
    return entries, slopes


def pattern(n: int, m: int, observations: Integers) -> tuple[Integers, Integers]:
    """Where the Jacobian's rows start, and the column of each entry."""
    count = len(observations)
    camera = 11 * observations[:, :1] + np.arange(11)
    point = 11 * n + 3 * observations[:, 1:] + np.arange(3)
    weight = 11 * n + 3 * m + np.arange(count)[:, None]
    columns = np.repeat(np.hstack((camera, point, weight)), 2, axis=0)
    starts = np.concatenate((np.arange(2 * count) * 15, 30 * count + np.arange(count + 1)))
    return starts, np.concatenate((columns.ravel(), weight.ravel()))


def jacobian(instance: Instance) -> csr_matrix:
    """The Jacobian of all errors, the reprojection errors first, with respect to cameras, points and weights."""
    entries, slopes = rows(*instance)
    n, m, count = len(instance.cameras), len(instance.points), len(instance.observations)
    starts, columns = pattern(n, m, instance.observations)
    values = np.concatenate((entries.ravel(), slopes))
    return csr_matrix((values, columns, starts), shape=(3 * count, 11 * n + 3 * m + count))


def repeated(
    n: int, m: int, count: int, camera: Floats, point: Floats, weight: float, feature: Floats
) -> Instance:
    """The suite's instance: everything the same, observation `i` of camera `i mod n` and point `i mod m`."""
    turns = np.arange(count)
    return Instance(
        np.tile(camera, (n, 1)),
        np.tile(point, (m, 1)),
        np.full(count, weight),
        np.tile(feature, (count, 1)),
        np.column_stack((turns % n, turns % m)),
    )


def read_instance(path: Path | str) -> Instance:
    """The instance in a file of the ADBench suite."""
    words = Path(path).read_text(encoding="ascii").split()
    n, m, count = (int(word) for word in words[:3])
    numbers = np.array(words[3:], dtype=np.float64)
    return repeated(n, m, count, numbers[:11], numbers[11:14], float(numbers[14]), numbers[15:17])


def generate_instance(n: int, m: int, count: int, seed: int = 0) -> Instance:
    """A random instance of the suite's scale, in which all cameras, points and weights differ."""
    rng = np.random.default_rng(seed)
    camera = [-0.76, -1.11, -0.85, 34.6, 39.7, 53.9, 419.0, 5.9, -8.5, 0.088, 0.0027]
    turns = np.arange(count)
    return Instance(
        np.array(camera) * rng.uniform(0.9, 1.1, (n, 11)),
        np.array([7.2, 0.0011, 3.0]) * rng.uniform(0.9, 1.1, (m, 3)),
        rng.uniform(0.3, 0.9, count),
        rng.uniform(200.0, 800.0, (count, 2)),
        np.column_stack((turns % n, turns % m)),
    )


def main() -> None:
    """Time the errors and the entries of their Jacobian on each instance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    instances = {path.stem: read_instance(path) for path in parser.parse_args().files}
    for name, instance in (instances or {"generated p31843": generate_instance(49, 7776, 31843)}).items():
        report(name, objective, rows, instance)


if __name__ == "__main__":
    main()
