"""ADBench's hand tracking: errors against their definition in NumPy, the Jacobian against differences."""

from pathlib import Path

import numpy as np
import pytest

from examples.adbench.hand import Instance, generate_instance, jacobian, objective, read_instance
from tests.support.checking import difference

SUITE = Path(__file__).parents[3] / "shared" / "data" / "adbench" / "hand"
FILES = [
    f"{kind}_small/hand{number}"
    for kind in ("simple", "complicated")
    for number in ("1_t26_c100", "5_t26_c800")
]

pytestmark = pytest.mark.turns(6, of="adbench")
needs_the_suite = pytest.mark.skipif(
    not SUITE.is_dir(),
    reason="the files of the ADBench suite are not beside the checkout (shared/data/adbench)",
)


def about(axis: int, angle: float) -> np.ndarray:
    """The 4 x 4 rotation about an axis."""
    turn = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[i, i] = turn[j, j] = np.cos(angle)
    turn[j, i] = np.sin(angle)
    turn[i, j] = -turn[j, i]
    return turn


def errors_by_definition(instance: Instance) -> np.ndarray:
    """The errors as the suite defines them, in matrices."""
    theta, us, corners, points, model = instance
    turns = [np.eye(4) for _ in range(22)]
    for finger in range(5):
        flexion, abduction, *rest = theta[6 + 4 * finger : 10 + 4 * finger]
        turns[2 + 4 * finger] = about(2, abduction) @ about(0, flexion)
        turns[3 + 4 * finger], turns[4 + 4 * finger] = (about(0, angle) for angle in rest)
    absolutes: list[np.ndarray] = []
    for parent, relative, turn in zip(model.parents, model.relatives, turns, strict=True):
        absolutes.append((absolutes[parent] if parent >= 0 else np.eye(4)) @ relative @ turn)
    moves = np.array(absolutes) @ model.inverses
    rest = np.column_stack((model.vertices, np.ones(len(model.vertices))))
    placed = np.einsum("vb,bij,vj->vi", model.weights, moves, rest)[:, :3]
    if us.size:
        shares = np.column_stack((us, 1.0 - us.sum(axis=1)))
        skin = np.einsum("ck,cki->ci", shares, placed[corners])
    else:
        skin = placed[corners[:, 0]]
    angle = np.linalg.norm(theta[:3])
    x, y, z = theta[:3] / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    rotation = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return points - (skin @ rotation.T + theta[3:6])


def check(instance: Instance) -> None:
    """Errors by definition; the Jacobian along random directions against differences."""
    np.testing.assert_allclose(objective(*instance), errors_by_definition(instance), atol=1e-12)
    rows = jacobian(*instance)
    count, own = instance.us.shape
    assert rows.shape == (3 * count, own + 26)
    rng = np.random.default_rng(0)
    for _ in range(3):
        theta_dot, us_dot = rng.normal(size=26), rng.normal(size=(count, own))
        weight = rng.uniform(0.5, 1.5, 3 * count)
        product = rows[:, own:] @ theta_dot + np.sum(rows[:, :own] * np.repeat(us_dot, 3, axis=0), axis=1)

        def along(
            step: float,
            theta_dot: np.ndarray = theta_dot,
            us_dot: np.ndarray = us_dot,
            weight: np.ndarray = weight,
        ) -> float:
            errors = objective(instance.theta + step * theta_dot, instance.us + step * us_dot, *instance[2:])
            return float(weight @ errors.ravel())

        expected, error = difference(along)
        assert weight @ product == pytest.approx(expected, rel=1e-8, abs=1e-9 + 10.0 * error)


@needs_the_suite
@pytest.mark.parametrize("name", FILES)
def test_the_suite(name: str) -> None:
    check(read_instance(SUITE / f"{name}.txt"))


@pytest.mark.parametrize("complicated", [False, True], ids=["simple", "complicated"])
def test_a_generated_instance(complicated: bool) -> None:
    check(generate_instance(4, complicated, vertices=9))


def test_without_global_rotation() -> None:
    instance = generate_instance(2, complicated=False, vertices=5)
    instance.theta[:3] = 0.0
    assert np.all(np.isfinite(jacobian(*instance)))
