"""ADBench's Gaussian mixture model: value and gradient against the suite's figures, and against differences."""

from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from examples.adbench.gmm import Instance, generate_instance, objective, read_instance

SUITE = Path(__file__).parents[3] / "shared" / "data" / "adbench" / "gmm"
# Of each file: the objective and the sum of the gradient's entries, by the suite's own implementations.
REFERENCE = {
    "1k/gmm_d2_K5.txt": (-5240.590562549647, -1001.228333177815),
    "1k/gmm_d10_K25.txt": (-25649.65262119762, -17695.995235195696),
    "1k/gmm_d32_K25.txt": (-225816.31018414518, -319972.51439128595),
    "10k/gmm_d10_K25.txt": (-290193.38797504274, -204871.2505804593),
}

pytestmark = pytest.mark.turns(6, of="adbench")
needs_the_suite = pytest.mark.skipif(
    not SUITE.is_dir(),
    reason="the files of the ADBench suite are not beside the checkout (shared/data/adbench)",
)


@pytest.fixture(scope="module")
def gradient():
    return bs.value_and_grad(objective, argnums=(0, 1, 2))


@needs_the_suite
@pytest.mark.parametrize("name", REFERENCE)
def test_value_on_the_suite(name: str) -> None:
    assert objective(*read_instance(SUITE / name)) == pytest.approx(REFERENCE[name][0], rel=1e-12)


@needs_the_suite
@pytest.mark.parametrize("name", REFERENCE)
def test_gradient_on_the_suite(name: str, gradient) -> None:
    instance = read_instance(SUITE / name)
    value, parts = gradient(*instance)
    assert value == pytest.approx(REFERENCE[name][0], rel=1e-12)
    assert [part.shape for part in parts] == [part.shape for part in instance[:3]]
    assert sum(float(part.sum()) for part in parts) == pytest.approx(REFERENCE[name][1], rel=1e-10)


def along(instance: Instance, direction: list, step: float) -> float:
    """The objective a step along a direction away from the instance."""
    moved = [part + step * way for part, way in zip(instance[:3], direction, strict=True)]
    return objective(*moved, *instance[3:])


@pytest.mark.parametrize(("d", "components", "n", "m"), [(1, 1, 3, 0), (3, 4, 20, 0), (5, 2, 7, 2)])
def test_gradient_on_a_generated_instance(d: int, components: int, n: int, m: int, gradient) -> None:
    instance = generate_instance(d, components, n, seed=d)._replace(m=m, gamma=1.3)
    value, parts = gradient(*instance)
    assert value == pytest.approx(objective(*instance), rel=1e-14)
    rng = np.random.default_rng(d)
    for _ in range(3):
        direction = [rng.normal(size=part.shape) for part in instance[:3]]
        # Sixth-order central differences: their error here is far below the tolerance.
        weights = {1: 45.0, 2: -9.0, 3: 1.0}
        differences = sum(
            weight * (along(instance, direction, k * 1e-3) - along(instance, direction, -k * 1e-3))
            for k, weight in weights.items()
        ) / (60 * 1e-3)
        exact = sum(float(np.sum(part * way)) for part, way in zip(parts, direction, strict=True))
        assert exact == pytest.approx(differences, rel=1e-8, abs=1e-8 * abs(value))


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    path.write_text("2 1 2\n0.5\n1 2\n3 4 5\n6 7\n8 9\n1.5 3\n", encoding="ascii")
    instance = read_instance(path)
    assert instance.alphas.tolist() == [0.5]
    assert instance.means.tolist() == [[1, 2]]
    assert instance.icf.tolist() == [[3, 4, 5]]
    assert instance.x.tolist() == [[6, 7], [8, 9]]
    assert (instance.gamma, instance.m) == (1.5, 3)
