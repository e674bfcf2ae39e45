"""ADBench's LSTM: value and gradient against the suite's figures, and against differences."""

from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from examples.adbench.lstm import generate_instance, objective, read_instance
from tests.support.checking import difference, inner

SUITE = Path(__file__).parents[3] / "shared" / "data" / "adbench" / "lstm"
# Of each file: the loss and the sum of the gradient's entries, by the suite's own implementations.
REFERENCE = {
    "lstm_l2_c1024.txt": (0.6666651795588522, -0.03819500097334211),
    "lstm_l4_c4096.txt": (0.6872684039818147, -0.039572674279960196),
}

pytestmark = pytest.mark.turns(6, of="adbench")
needs_the_suite = pytest.mark.skipif(
    not SUITE.is_dir(),
    reason="the files of the ADBench suite are not beside the checkout (shared/data/adbench)",
)


@pytest.fixture(scope="module")
def gradient():
    return bs.value_and_grad(objective, argnums=(0, 1))


@needs_the_suite
@pytest.mark.parametrize("name", REFERENCE)
def test_the_suite(name: str, gradient) -> None:
    instance = read_instance(SUITE / name)
    value, parts = gradient(*instance)
    assert value == pytest.approx(REFERENCE[name][0], rel=1e-13)
    assert [part.shape for part in parts] == [instance.main.shape, instance.extra.shape]
    assert sum(float(part.sum()) for part in parts) == pytest.approx(REFERENCE[name][1], rel=1e-10)


@pytest.mark.parametrize(("layers", "count", "b"), [(1, 2, 1), (2, 9, 3), (3, 5, 4)])
def test_a_generated_instance(layers: int, count: int, b: int, gradient) -> None:
    instance = generate_instance(layers, count, b, seed=layers)
    value, parts = gradient(*instance)
    assert value == pytest.approx(objective(*instance), rel=1e-14)
    rng = np.random.default_rng(layers)
    for _ in range(3):
        direction = tuple(rng.normal(size=part.shape) for part in parts)

        def along(step: float, direction: tuple[np.ndarray, ...] = direction) -> float:
            main, extra = (part + step * way for part, way in zip(instance[:2], direction, strict=True))
            return objective(main, extra, *instance[2:])

        expected, error = difference(along)
        assert inner(parts, direction) == pytest.approx(expected, rel=1e-8, abs=1e-9 + 10.0 * error)


def test_reading_a_file(tmp_path: Path) -> None:
    path = tmp_path / "tiny.txt"
    numbers = " ".join(str(k) for k in range(8 + 3 + 2 + 2))
    path.write_text(f"1 2 1\n\n{numbers}\n", encoding="ascii")
    instance = read_instance(path)
    assert instance.main.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert instance.extra.tolist() == [[8], [9], [10]]
    assert instance.state.tolist() == [[11], [12]]
    assert instance.sequence.tolist() == [[13], [14]]
