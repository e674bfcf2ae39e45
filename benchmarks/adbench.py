"""ADBench's four problems (examples/adbench), on files of the suite where they lie beside the checkout."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.problem import Problem, agree, directional
from examples.adbench import ba, gmm, hand, lstm

SUITE = Path(__file__).parents[2] / "shared" / "data" / "adbench"
# The value and the sum of the gradient's entries, by the suite's own implementations.
PUBLISHED = {
    "gmm/1k/gmm_d2_K5.txt": (-5240.590562549647, -1001.228333177815),
    "gmm/1k/gmm_d10_K25.txt": (-25649.65262119762, -17695.995235195696),
    "lstm/lstm_l2_c1024.txt": (0.6666651795588522, -0.03819500097334211),
    "lstm/lstm_l4_c4096.txt": (0.6872684039818147, -0.039572674279960196),
}
FILES = {
    ("gmm", "S"): "gmm/1k/gmm_d2_K5.txt",
    ("gmm", "M"): "gmm/1k/gmm_d10_K25.txt",
    ("lstm", "S"): "lstm/lstm_l2_c1024.txt",
    ("lstm", "M"): "lstm/lstm_l4_c4096.txt",
    ("ba", "M"): "ba/ba1_n49_m7776_p31843.txt",
    ("hand_simple", "S"): "hand/simple_small/hand1_t26_c100.txt",
    ("hand_simple", "M"): "hand/simple_small/hand5_t26_c800.txt",
    ("hand_complicated", "S"): "hand/complicated_small/hand1_t26_c100.txt",
    ("hand_complicated", "M"): "hand/complicated_small/hand5_t26_c800.txt",
}
GENERATED: dict[str, dict[str, tuple[int | bool, ...]]] = {
    "gmm": {"tiny": (2, 3, 10), "S": (2, 5, 1000), "M": (10, 25, 1000)},
    "lstm": {"tiny": (2, 9), "S": (2, 1024), "M": (4, 4096)},
    "ba": {"tiny": (2, 3, 7), "S": (21, 500, 2000), "M": (49, 7776, 31843)},
    "hand_simple": {"tiny": (3, False), "S": (100, False), "M": (800, False)},
    "hand_complicated": {"tiny": (3, True), "S": (100, True), "M": (800, True)},
}


def instances(name: str, example: Any) -> Callable[[str], tuple[Any, ...]]:
    """The suite's file of each size if it is there, else a generated instance of its shape."""

    def instance(size: str) -> tuple[Any, ...]:
        path = SUITE / FILES.get((name, size), "missing")
        return (
            example.read_instance(path)
            if path.is_file()
            else example.generate_instance(*GENERATED[name][size])
        )

    return instance


def published(name: str) -> Callable[[str], tuple[float, float] | None]:
    """The published figures of each size, if the file is there."""

    def figures(size: str) -> tuple[float, float] | None:
        file = FILES.get((name, size), "missing")
        return PUBLISHED.get(file) if (SUITE / file).is_file() else None

    return figures


def check_ba(args: tuple[Any, ...]) -> None:
    """The sparse Jacobian along a direction of cameras, points and weights, against differences."""
    instance = ba.Instance(*args)
    rng = np.random.default_rng(0)
    ways = [0.01 * rng.normal(size=part.shape) for part in instance[:3]]
    weight = rng.uniform(0.5, 1.5, 3 * len(instance.observations))

    def along(step: float) -> float:
        moved = [part + step * way for part, way in zip(instance[:3], ways, strict=True)]
        errors, weight_errors = ba.objective(*moved, *instance[3:])
        return float(weight @ np.concatenate((errors.ravel(), weight_errors)))

    expected, error = directional(along)
    product = ba.jacobian(instance) @ np.concatenate([way.ravel() for way in ways])
    agree(float(weight @ product), expected, "ba: differences", 1e-6 * abs(expected) + 10.0 * error)


def check_hand(args: tuple[Any, ...]) -> None:
    """The Jacobian along a direction of `theta` and `us`, against differences."""
    theta, us, *rest = args
    rng = np.random.default_rng(0)
    theta_dot, us_dot = rng.normal(size=theta.shape), rng.normal(size=us.shape)
    weight = rng.uniform(0.5, 1.5, 3 * len(us))
    expected, error = directional(
        lambda step: float(
            weight @ hand.objective(theta + step * theta_dot, us + step * us_dot, *rest).ravel()
        )
    )
    rows, own = hand.jacobian(*args), us.shape[1]
    product = rows[:, own:] @ theta_dot + np.sum(rows[:, :own] * np.repeat(us_dot, 3, axis=0), axis=1)
    agree(float(weight @ product), expected, "hand: differences", 1e-6 * abs(expected) + 10.0 * error)


def one_observation(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of the two rows of the bundle's Jacobian that belong to one observation."""
    instance = ba.Instance(*args)
    camera, point = ba.Camera(*instance.cameras[0].tolist()), ba.Point(*instance.points[0].tolist())
    u, v = instance.features[0].tolist()
    return camera, point, float(instance.weights[0]), u, v


def with_step(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments of the tangents that the hand's Jacobian is made of."""
    theta, us, corners, points, model = args
    return np.concatenate((np.zeros(us.shape[1]), theta)), us, corners, points, model


PROBLEMS = (
    Problem("gmm", gmm.objective, instances("gmm", gmm), (0, 1, 2), reference=published("gmm")),
    Problem("lstm", lstm.objective, instances("lstm", lstm), (0, 1), reference=published("lstm")),
    Problem(
        "ba",
        ba.objective,
        instances("ba", ba),
        own_derivative=ba.rows,
        gradient=ba.entries_of,
        gradient_args=one_observation,
        residuals=check_ba,
    ),
    *(
        Problem(
            name,
            hand.objective,
            instances(name, hand),
            own_derivative=hand.jacobian,
            gradient=hand.columns_of,
            gradient_args=with_step,
            residuals=check_hand,
        )
        for name in ("hand_simple", "hand_complicated")
    ),
)
