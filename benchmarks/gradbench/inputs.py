"""An input for each eval, drawn as GradBench's evals draw theirs: a usual size, and a tiny one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from examples.adbench.hand import generate_instance

Input = dict[str, Any] | float
CAMERA = [-0.76, -1.11, -0.85, 34.6, 39.7, 53.9, 419.0, 5.9, -8.5, 0.088, 0.0027]


def gmm(rng: np.random.Generator, d: int, k: int, n: int) -> Input:
    return {
        "d": d,
        "k": k,
        "n": n,
        "x": rng.normal(size=(n, d)).tolist(),
        "m": 1,
        "gamma": 1.5,
        "mu": rng.uniform(size=(k, d)).tolist(),
        "q": rng.normal(size=(k, d)).tolist(),
        "l": rng.normal(size=(k, d * (d - 1) // 2)).tolist(),
        "alpha": rng.normal(size=k).tolist(),
    }


def hand(rng: np.random.Generator, count: int, complicated: bool) -> Input:
    theta, us, corners, points, model = generate_instance(count, complicated, seed=int(rng.integers(1000)))
    where = range(count) if complicated else corners[:, 0].tolist()
    shape = {
        "bone_count": model.parents.size,
        "bone_names": [f"bone {i}" for i in range(model.parents.size)],
        "parents": model.parents.tolist(),
        "base_relatives": model.relatives.tolist(),
        "inverse_base_absolutes": model.inverses.tolist(),
        "base_positions": np.column_stack((model.vertices, np.ones(len(model.vertices)))).tolist(),
        "weights": model.weights.tolist(),
        "triangles": corners.tolist(),
        "is_mirrored": False,
    }
    data = {"model": shape, "correspondences": list(where), "points": points.tolist()}
    return {"theta": theta.tolist(), "data": data, "us": us.tolist() if complicated else []}


def kmeans(rng: np.random.Generator, k: int, n: int, d: int) -> Input:
    points = rng.uniform(size=(n, d)).tolist()
    return {"points": points, "centroids": points[-k:]}


def lstm(rng: np.random.Generator, layers: int, count: int, size: int = 14) -> Input:
    return {
        "main_params": rng.uniform(size=(2 * layers, 4 * size)).tolist(),
        "extra_params": rng.uniform(size=(3, size)).tolist(),
        "state": rng.uniform(size=(2 * layers, size)).tolist(),
        "sequence": (rng.uniform(size=(count, size)) < 0.25).astype(float).tolist(),
    }


def bundle(_: np.random.Generator, n: int, m: int, p: int) -> Input:
    return {"n": n, "m": m, "p": p, "cam": CAMERA, "x": [7.2, 0.0011, 3.0], "w": 0.5, "feat": [300.0, 400.0]}


Make = Callable[[np.random.Generator, bool], Input]
# Each eval: its functions, the primal first where it has one, and what makes the input, tiny or usual.
EVALS: dict[str, tuple[tuple[str, ...], Make]] = {
    "hello": (("square", "double"), lambda rng, _: float(rng.uniform())),
    "ba": (("objective", "jacobian"), lambda rng, t: bundle(rng, *((2, 3, 7) if t else (49, 7776, 31843)))),
    "det": (
        ("primal", "gradient"),
        lambda rng, t: {"ell": (n := 4 if t else 9), "A": rng.uniform(size=n * n).tolist()},
    ),
    "gmm": (("objective", "jacobian"), lambda rng, t: gmm(rng, *((2, 3, 5) if t else (10, 25, 1000)))),
    "ht": (("objective", "jacobian"), lambda rng, t: hand(rng, 3 if t else 100, complicated=True)),
    "kmeans": (("cost", "dir"), lambda rng, t: kmeans(rng, *((2, 20, 3) if t else (100, 10000, 8)))),
    "llsq": (
        ("primal", "gradient"),
        lambda rng, t: {"x": rng.uniform(size=3 if t else 128).tolist(), "n": 5 if t else 1024},
    ),
    "lse": (("primal", "gradient"), lambda rng, t: {"x": rng.uniform(size=4 if t else 80000).tolist()}),
    "lstm": (("objective", "jacobian"), lambda rng, t: lstm(rng, *((1, 3, 2) if t else (2, 1024)))),
    "ode": (
        ("primal", "gradient"),
        lambda rng, t: {"x": rng.uniform(size=3 if t else 1000).tolist(), "s": 2 if t else 100},
    ),
    "particle": (("rr", "ff", "fr", "rf"), lambda *_: {"w": 0.0}),
    "saddle": (("rr", "ff", "fr", "rf"), lambda *_: {"start": [1.0, 1.0]}),
}


def known(name: str, function: str, given: Any) -> tuple[str, Any] | None:
    """Who says what the output is besides a peer, and the output."""
    if name == "particle":
        return "GradBench", 0.2071918746486116
    if name == "saddle":
        return "GradBench", [8.246324826140356e-06] * 4
    if name == "det":
        a = np.array(given["A"]).reshape(given["ell"], -1)
        value = np.linalg.det(a)
        return "LAPACK", value if function == "primal" else (value * np.linalg.inv(a).T).ravel()
    return None
