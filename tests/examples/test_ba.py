"""ADBench's bundle adjustment: errors and sparse Jacobian against the suite's figures, and against differences."""

from pathlib import Path

import numpy as np
import pytest

from examples.adbench.ba import Instance, generate_instance, jacobian, objective, read_instance
from tests.support.checking import difference

SUITE = Path(__file__).parents[3] / "shared" / "data" / "adbench" / "ba"
# Of every observation of every file, by the suite's own implementations.
ERRORS = (0.10133584, -0.06896777)
WEIGHT_ERROR = 0.826092651516
FIRST_ROW = (
    *(-461.446321, 178.867928, -19.4239165, -3.06159834, 6.39245756, -3.34028228),
    *(0.264760249, 0.417022, 0.0, 243.628246, 676.486778),
    *(3.06159834, -6.39245756, 3.34028228, 0.242998782),
)

pytestmark = pytest.mark.turns(6, of="adbench")
needs_the_suite = pytest.mark.skipif(
    not SUITE.is_dir(),
    reason="the files of the ADBench suite are not beside the checkout (shared/data/adbench)",
)


@needs_the_suite
@pytest.mark.parametrize("name", ["ba1_n49_m7776_p31843.txt", "ba2_n21_m11315_p36455.txt"])
def test_the_suite(name: str) -> None:
    instance = read_instance(SUITE / name)
    errors, weight_errors = objective(*instance)
    count = len(errors)
    np.testing.assert_allclose(errors, np.tile(ERRORS, (count, 1)), rtol=1e-6)
    np.testing.assert_allclose(weight_errors, WEIGHT_ERROR, rtol=1e-12)
    matrix = jacobian(instance)
    n, m = len(instance.cameras), len(instance.points)
    assert matrix.shape == (3 * count, 11 * n + 3 * m + count)
    assert matrix.nnz == 31 * count
    np.testing.assert_allclose(matrix.data[:15], FIRST_ROW, rtol=1e-8)
    np.testing.assert_allclose(
        matrix.data[: 30 * count].reshape(count, 2, 15)[:, 0], [FIRST_ROW] * count, rtol=1e-8
    )
    np.testing.assert_allclose(matrix.data[30 * count :], -2.0 * 0.417022, rtol=1e-12)
    row = matrix[2 * (count - 1)].tocoo()
    camera, point = instance.observations[-1]
    first = 11 * n + 3 * point
    expected = [
        *range(11 * camera, 11 * camera + 11),
        first,
        first + 1,
        first + 2,
        11 * n + 3 * m + count - 1,
    ]
    assert row.col.tolist() == expected


def moved(instance: Instance, direction: np.ndarray, step: float) -> Instance:
    """The instance with cameras, points and weights a step along the direction."""
    n, m = instance.cameras.size, instance.points.size
    cameras, points, weights = np.split(step * direction, (n, n + m))
    return instance._replace(
        cameras=instance.cameras + cameras.reshape(instance.cameras.shape),
        points=instance.points + points.reshape(instance.points.shape),
        weights=instance.weights + weights,
    )


@pytest.mark.parametrize("rotated", [True, False])
def test_a_generated_instance(rotated: bool) -> None:
    instance = generate_instance(2, 3, 7)
    if not rotated:
        # The branch without rotation is linear in it: an adjoint that took another one would differ.
        instance.cameras[:, :3] = 0.0
    matrix = jacobian(instance)
    rng = np.random.default_rng(0)
    for _ in range(3):
        direction = rng.normal(size=matrix.shape[1]) * 0.01
        if not rotated:
            direction[: instance.cameras.size].reshape(-1, 11)[:, :3] = 0.0
        product = matrix @ direction
        weight = rng.uniform(0.5, 1.5, product.size)

        def along(step: float, direction: np.ndarray = direction, weight: np.ndarray = weight) -> float:
            errors, weight_errors = objective(*moved(instance, direction, step))
            return float(weight @ np.concatenate((errors.ravel(), weight_errors)))

        expected, error = difference(along)
        assert weight @ product == pytest.approx(expected, rel=1e-8, abs=10.0 * error)


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text("2 3 4\n0 1 2 3 4 5 6 7 8 9 10\n11 12 13\n0.5\n14 15\n", encoding="ascii")
    instance = read_instance(path)
    assert instance.cameras.tolist() == [list(range(11))] * 2
    assert instance.points.tolist() == [[11, 12, 13]] * 3
    assert instance.weights.tolist() == [0.5] * 4
    assert instance.features.tolist() == [[14, 15]] * 4
    assert instance.observations.tolist() == [[0, 0], [1, 1], [0, 2], [1, 0]]
