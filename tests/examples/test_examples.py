"""The programs of `examples/`: the gradient of each against differences, and `main` on a small budget.

One test for each program, so that what it differentiates is compiled once; in each turn others run.
"""

from pathlib import Path

import numpy as np
import pytest

import backsweep as bs
from examples import american_option, digits, garch, heat, heston, hmm, kalman, kepler, resnet18
from tests.support.checking import difference, inner, leaves, map_leaves

FOLDER = Path(__file__).parents[2] / "examples"
PAGE = FOLDER.parent / "docs" / "examples.md"


def assert_slope(along_of, gradient, scale: float = 1.0, relative: float = 1e-7) -> None:
    """Along three random directions, the derivative by differences is the inner product with the gradient."""
    rng = np.random.default_rng(0)
    for _ in range(3):
        direction = map_leaves(lambda leaf: rng.uniform(-1.0, 1.0, np.shape(leaf)), gradient)
        expected, error = difference(lambda step, way=direction: along_of(step, way), scale)
        size = sum(float(np.sum(np.abs(leaf))) for leaf in leaves(gradient))
        assert error <= relative * size, f"the reference itself is poor: {error}"
        assert inner(gradient, direction) == pytest.approx(expected, rel=relative, abs=relative * size)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_a_program_is_short_tested_and_shown(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) < 100
    assert f"test_{path.stem}" in globals()
    assert f"examples/{path.name})" in PAGE.read_text(encoding="utf-8")


@pytest.mark.turns(8)
def test_garch(capsys) -> None:
    returns = garch.simulate(np.array([0.05, 0.04, 0.09, 0.88]), 40, seed=1)
    x = np.array([0.02, 0.05, 0.1, 0.8])
    value, slope = garch.gradient(x, returns)
    assert value == pytest.approx(garch.negative_log_likelihood(x, returns), rel=1e-12)
    assert_slope(lambda h, d: garch.negative_log_likelihood(x + h * d, returns), slope, scale=0.1)

    result = garch.main(n=1500)
    assert result.x == pytest.approx([0.05, 0.04, 0.09, 0.88], abs=0.12)
    assert "log-likelihood" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_kalman(capsys) -> None:
    x = np.log([100.0, 30.0, 5.0])
    model = kalman.NILE[:20], np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([1.0, 0.0])
    value, slope = kalman.gradient(x, *model)
    assert value == pytest.approx(kalman.negative_log_likelihood(x, *model), rel=1e-9)
    assert_slope(lambda h, d: kalman.negative_log_likelihood(x + h * d, *model), slope, relative=1e-6)

    # The figures of Durbin and Koopman.
    variances, result = kalman.main()
    assert variances == pytest.approx([15099.0, 1469.0], rel=1e-3)
    assert -result.fun == pytest.approx(-632.544, abs=1e-3)
    assert "Local trend" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_hmm(capsys) -> None:
    rng = np.random.default_rng(2)
    x = np.log([12.0, 20.0, 28.0]), rng.uniform(-2.0, -1.0, (3, 2))
    counts = hmm.QUAKES[:15]
    value, slope = hmm.gradient(*x, counts)
    assert value == pytest.approx(hmm.negative_log_likelihood(*x, counts), rel=1e-12)

    def along(h, d):
        return hmm.negative_log_likelihood(x[0] + h * d[0], x[1] + h * d[1], counts)

    assert_slope(along, tuple(slope))

    # The figures of Zucchini and MacDonald.
    rates, _, result = hmm.main(states=(3,))
    assert rates == pytest.approx([13.146, 19.721, 29.714], abs=1e-2)
    assert -result.fun == pytest.approx(-329.4603, abs=1e-3)
    assert "earthquakes a year" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_american_option(capsys) -> None:
    x = np.array([50.0, 51.0, 0.1, 0.4, 0.4])
    value, slope = american_option.gradient(*x, 7)
    assert value == pytest.approx(american_option.american_put(*x, 7), rel=1e-14)
    assert_slope(
        lambda h, d: american_option.american_put(*(x + h * np.array(d)), 7), tuple(slope), scale=0.05
    )

    # Hull's example, and the quote at the volatility that it implies.
    price, _, volatility = american_option.main(steps=200)
    assert price == pytest.approx(4.28, abs=5e-3)
    assert american_option.american_put(50.0, 50.0, 0.1, volatility, 5.0 / 12.0, 200) == pytest.approx(4.5)
    assert "implies a volatility" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_heston(capsys) -> None:
    x = np.array([100.0, 0.04, 2.0, 0.05, 0.3, -0.6, 0.03])
    rest = 101.0, 0.5
    z = np.random.default_rng(4).standard_normal((2, 12, 6))
    value, slope = heston.simulated(*x, *rest, z[0], z[1])
    assert value == pytest.approx(heston.monte_carlo(*x, *rest, z[0], z[1]), rel=1e-13)
    assert_slope(lambda h, d: heston.monte_carlo(*(x + h * np.array(d)), *rest, *z), tuple(slope), scale=0.02)
    value, slope = heston.exact(*x, *rest)
    assert value == pytest.approx(heston.closed_form(*x, *rest), rel=1e-11)
    assert_slope(lambda h, d: heston.closed_form(*(x + h * np.array(d)), *rest), tuple(slope), scale=0.1)

    price, greeks, exact_price, exact_greeks = heston.main(paths=4000, steps=30)
    assert price == pytest.approx(exact_price, rel=0.03)
    assert greeks.spot == pytest.approx(exact_greeks.spot, rel=0.03)
    assert "closed form" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_heat(capsys) -> None:
    x, *rest = heat.experiment(8, 5)
    u0, sensors, dt, data, noise = rest
    arguments = u0, sensors, dt, data, noise, 3.0
    x = x + 0.1
    value, slope = heat.gradient(x, *arguments)
    assert value == pytest.approx(heat.misfit(x, *arguments), rel=1e-11)
    assert_slope(lambda h, d: heat.misfit(x + h * d, *arguments), slope)

    result, true = heat.main(n=40, steps=40, evaluations=100)
    assert np.max(np.abs(result.x - true)) < 0.35
    assert "conductivities" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_kepler(capsys) -> None:
    x = np.array([71.3, 54.0, 0.42, 1.1, 23.0, 8.0])
    times, observed = kepler.observe(x, 12, 2.0, seed=6)
    rows = kepler.jacobian(x, times, observed, 2.0)
    weights = np.random.default_rng(7).uniform(0.5, 1.5, 12)

    def along(h, d):
        return weights @ kepler.residuals(x + h * d, times, observed, 2.0)

    assert_slope(along, weights @ rows, scale=0.1)

    fit, truth = kepler.main()
    assert fit.x == pytest.approx(truth, rel=0.05)
    assert "chi squared" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_digits(capsys, monkeypatch) -> None:
    images, labels = digits.generate(3, seed=3)
    draw = np.random.default_rng(4).standard_normal
    net = digits.Network(draw((2, 3, 3)), draw(2), draw((10, 2, 3, 3)), draw(10))
    (value, right), slope = digits.gradient(net, images, labels)
    assert (value, right) == pytest.approx(digits.loss(net, images, labels), rel=1e-13)

    def along(h, d):
        return digits.loss(digits.Network(*(p + h * q for p, q in zip(net, d, strict=True))), images, labels)[
            0
        ]

    assert_slope(along, slope, scale=0.02)

    monkeypatch.setattr(digits, "load", lambda: (*digits.generate(600, seed=1), "generated digits"))
    assert digits.main(epochs=8, batch=10) > 0.7
    assert "read correctly" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_resnet18(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(resnet18, "gradient", bs.value_and_grad(resnet18.loss, jit=False))
    value, slope, graph = resnet18.main(width=2, pixels=8, path=tmp_path / "resnet18.dot")
    weights, statistics = resnet18.draw(2, classes=10)
    image = np.random.default_rng(1).standard_normal((3, 8, 8))
    assert value == pytest.approx(resnet18.loss(weights, statistics, image, 3, 2), rel=1e-13)
    assert_slope(lambda h, d: resnet18.loss(weights + h * d, statistics, image, 3, 2), slope, scale=1e-3)

    # With 64 channels and a thousand classes: the weights of the paper's network, but for the first layer.
    first = resnet18.size(3, 3, 64)
    assert len(resnet18.draw(64, classes=1000)[0]) - first == 11689512 - resnet18.size(7, 3, 64)
    # The run is traced to the same gradient.
    (leaf,) = (vertex for vertex in graph.vertices if vertex.title == "weights")
    np.testing.assert_allclose(leaf.shown[0].adjoint, slope, rtol=1e-9, atol=1e-13)
    blocks = [vertex for vertex in graph.vertices if vertex.title.startswith("x = block(")]
    assert [vertex.shown[0].value.shape[0] for vertex in blocks] == [2, 2, 4, 4, 8, 8, 16, 16]
    assert len(graph.vertices) < 40
    stem = next(vertex for vertex in graph.vertices if vertex.title == "layer(…)")
    assert [shown.value.shape for shown in stem.shown] == [(2, 8, 8)]
    assert "block" in (tmp_path / "resnet18.dot").read_text(encoding="utf-8")
    assert "graph of" in capsys.readouterr().out


@pytest.mark.turns(8)
def test_digits_of_scikit_learn() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn, whose digits these are, is not installed")
    assert digits.main(epochs=6) > 0.85
