"""ADBench's hand tracking: how far a posed hand is from measured points, and the Jacobian of these errors.

Run `python -m examples.adbench.hand` to time the errors beside their Jacobian on a generated hand, or give it
folders of the suite (`data/hand/simple_small`, `data/hand/complicated_small`).
The pose `theta` has 26 numbers: the global rotation (angle times axis) and translation, then for each finger flexion
and abduction of its second bone and flexion of its third and fourth. In the simple problem each point belongs to a
vertex; in the complicated one it lies within a triangle, at barycentric coordinates which are unknowns too.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

import backsweep as bs
from examples.adbench.timing import report

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Model(NamedTuple):
    """A hand at rest: its bones, parents first, and the vertices of its skin."""

    parents: Integers
    relatives: Floats
    """Each bone's frame relative to its parent's, as 4 x 4 matrices."""
    inverses: Floats
    """The inverses of each bone's absolute frame."""
    vertices: Floats
    weights: Floats
    """How much each vertex (row) follows each bone (column)."""


class Instance(NamedTuple):
    """The arguments of `objective`, in its order."""

    theta: Floats
    us: Floats
    """In the complicated problem, two barycentric coordinates per point; else without entries."""
    corners: Integers
    """Per point, the three vertices of its triangle, or the one vertex in the simple problem."""
    points: Floats
    model: Model


@njit(error_model="numpy")
def multiply(a: Floats, b: Floats, product: Floats) -> None:
    """Write the product of two frames, whose last rows are 0, 0, 0, 1."""
    for i in range(3):
        for j in range(4):
            entry = a[i, 3] * b[3, j]
            for k in range(3):
                entry += a[i, k] * b[k, j]
            product[i, j] = entry
    product[3] = b[3]


@njit(error_model="numpy")
def bend(flexion: float, abduction: float, rotation: Floats) -> None:
    """Write the rotation about z by the abduction after that about x by the flexion."""
    cf, sf = math.cos(flexion), math.sin(flexion)
    ca, sa = math.cos(abduction), math.sin(abduction)
    rotation[0, 0], rotation[0, 1], rotation[0, 2] = ca, -sa * cf, sa * sf
    rotation[1, 0], rotation[1, 1], rotation[1, 2] = sa, ca * cf, -ca * sf
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = 0.0, sf, cf


@njit(error_model="numpy")
def pose(theta: Floats, model: Model) -> Floats:
    """How each bone's frame moves from rest to the pose, before the global rotation and translation."""
    bones = model.parents.size
    absolutes = np.zeros((bones, 4, 4))
    moves = np.zeros((bones, 4, 4))
    rotation = np.eye(4)
    bent = np.empty((4, 4))
    for i in range(bones):
        joint = (i - 1) % 4
        if i == 0:
            absolutes[i] = model.relatives[i]
        elif i > 20 or joint == 0:
            multiply(absolutes[model.parents[i]], model.relatives[i], absolutes[i])
        else:
            first = 6 + 4 * ((i - 1) // 4)
            if joint == 1:
                bend(theta[first], theta[first + 1], rotation)
            else:
                bend(theta[first + joint], 0.0, rotation)
            multiply(model.relatives[i], rotation, bent)
            multiply(absolutes[model.parents[i]], bent, absolutes[i])
        multiply(absolutes[i], model.inverses[i], moves[i])
    return moves


@njit(error_model="numpy")
def rotation_about(r: Floats) -> Floats:
    """The rotation by the length of `r` about its direction."""
    rotation = np.eye(3)
    square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2]
    if square > 0.0:
        angle = math.sqrt(square)
        x, y, z = r[0] / angle, r[1] / angle, r[2] / angle
        s, c = math.sin(angle), math.cos(angle)
        rotation[0, 0] = x * x + (1.0 - x * x) * c
        rotation[0, 1] = x * y * (1.0 - c) - z * s
        rotation[0, 2] = x * z * (1.0 - c) + y * s
        rotation[1, 0] = x * y * (1.0 - c) + z * s
        rotation[1, 1] = y * y + (1.0 - y * y) * c
        rotation[1, 2] = y * z * (1.0 - c) - x * s
        rotation[2, 0] = x * z * (1.0 - c) - y * s
        rotation[2, 1] = y * z * (1.0 - c) + x * s
        rotation[2, 2] = z * z + (1.0 - z * z) * c
    return rotation


@njit(error_model="numpy")
def place(moves: Floats, model: Model, v: int, placed: Floats) -> None:
    """Write where vertex `v` is when each bone moves."""
    x = model.vertices[v]
    placed[:] = 0.0
    for i in range(moves.shape[0]):
        weight = model.weights[v, i]
        if weight != 0.0:
            for a in range(3):
                moved = moves[i, a, 0] * x[0] + moves[i, a, 1] * x[1] + moves[i, a, 2] * x[2] + moves[i, a, 3]
                placed[a] += weight * moved


@njit(error_model="numpy")
def skin(moves: Floats, us: Floats, corners: Integers, model: Model) -> Floats:
    """Each point of the skin, one row each, before the global rotation and translation."""
    count = corners.shape[0]
    placed = np.empty((count, 3))
    corner = np.empty(3)
    for i in range(count):
        place(moves, model, corners[i, 0], placed[i])
        if us.size > 0:
            placed[i] *= us[i, 0]
            place(moves, model, corners[i, 1], corner)
            placed[i] += us[i, 1] * corner
            place(moves, model, corners[i, 2], corner)
            placed[i] += (1.0 - us[i, 0] - us[i, 1]) * corner
    return placed


@njit(error_model="numpy")
def objective(theta: Floats, us: Floats, corners: Integers, points: Floats, model: Model) -> Floats:
    """The errors, one row per point."""
    placed = skin(pose(theta, model), us, corners, model)
    rotation = rotation_about(theta[:3])
    errors = np.empty(points.shape)
    for i in range(points.shape[0]):
        for a in range(3):
            moved = theta[3 + a]
            for k in range(3):
                moved += rotation[a, k] * placed[i, k]
            errors[i, a] = points[i, a] - moved
    return errors


@njit(error_model="numpy")
def shifted(unknowns: Floats, us: Floats, corners: Integers, points: Floats, model: Model) -> Floats:
    """The errors where the points' own numbers are all a step further, the first `unknowns`; the others are `theta`.

    Each error meets the numbers of its own point alone, so that one step serves all points.
    """
    own = us.shape[1]
    return objective(unknowns[own:], us + unknowns[:own], corners, points, model)


columns_of = bs.jacfwd(shifted)


@njit(error_model="numpy")
def jacobian(theta: Floats, us: Floats, corners: Integers, points: Floats, model: Model) -> Floats:
    """The Jacobian, three rows per point; the columns are the point's own `us`, if it has them, then `theta`."""
    unknowns = np.concatenate((np.zeros(us.shape[1]), theta))
    return columns_of(unknowns, us, corners, points, model).reshape((points.size, unknowns.size))


def read_numbers(path: Path, name: str) -> list[list[float]]:
    """The lines of a model's file as numbers; a bone's name is left out."""
    lines = (path / "model" / name).read_text(encoding="ascii").split("\n")
    fields = [line.split(":") for line in lines if line.strip()]
    return [[float(word) for word in (line[1:] if name == "bones.txt" else line)] for line in fields]


def read_model(path: Path) -> Model:
    """The hand in a folder of the ADBench suite."""
    bones = np.array(read_numbers(path, "bones.txt"))
    vertices = read_numbers(path, "vertices.txt")
    weights = np.zeros((len(vertices), len(bones)))
    for v, line in enumerate(vertices):
        for bone, weight in zip(line[9::2], line[10::2], strict=True):
            weights[v, int(bone)] = weight
    return Model(
        bones[:, 0].astype(np.int64),
        bones[:, 1:17].reshape(-1, 4, 4).copy(),
        bones[:, 17:33].reshape(-1, 4, 4).copy(),
        np.array([line[:3] for line in vertices]),
        weights,
    )


def read_instance(path: Path | str) -> Instance:
    """The instance in a file of the ADBench suite, whose model lies beside it."""
    path = Path(path)
    words = path.read_text(encoding="ascii").split()
    count, angles = int(words[0]), int(words[1])
    numbers = np.array(words[2:], dtype=np.float64)
    measured, us, theta = np.split(numbers, (4 * count, numbers.size - angles))
    where = measured.reshape(count, 4)[:, 0].astype(np.int64)
    if us.size:
        corners = np.array(read_numbers(path.parent, "triangles.txt"), dtype=np.int64)[where]
    else:
        corners = where[:, None]
    points = measured.reshape(count, 4)[:, 1:].copy()
    return Instance(theta, us.reshape(count, -1), corners, points, read_model(path.parent))


def generate_instance(count: int, complicated: bool, vertices: int = 544, seed: int = 0) -> Instance:
    """A random instance of the same shape as the suite's, its frames rotations and shifts."""
    rng = np.random.default_rng(seed)
    parents = np.array([-1, *(0 if i % 4 == 1 else i - 1 for i in range(1, 21)), 0])
    relatives = np.zeros((22, 4, 4))
    for frame in relatives:
        frame[:3, :3] = rotation_about(rng.normal(size=3))
        frame[:, 3] = [*rng.uniform(-0.05, 0.05, 3), 1.0]
    absolutes = relatives.copy()
    for i in range(1, 22):
        absolutes[i] = absolutes[parents[i]] @ relatives[i]
    weights = np.zeros((vertices, 22))
    for row in weights:
        row[rng.choice(22, 3, replace=False)] = rng.dirichlet(np.ones(3))
    skin = rng.uniform(-0.1, 0.1, (vertices, 3))
    return Instance(
        rng.normal(size=26),
        rng.uniform(0.0, 0.5, (count, 2 if complicated else 0)),
        rng.integers(vertices, size=(count, 3 if complicated else 1)),
        rng.uniform(-1.0, 1.0, (count, 3)),
        Model(parents, relatives, np.linalg.inv(absolutes), skin, weights),
    )


def main() -> None:
    """Time the errors and their Jacobian on each instance."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path)
    files = [path for folder in parser.parse_args().folders for path in sorted(folder.glob("hand*.txt"))]
    instances = {f"{path.parent.stem} {path.stem}": read_instance(path) for path in files}
    for name, instance in (
        instances
        or {
            f"generated c100 {kind}": generate_instance(100, kind == "complicated")
            for kind in ("simple", "complicated")
        }
    ).items():
        report(name, objective, jacobian, instance)


if __name__ == "__main__":
    main()
