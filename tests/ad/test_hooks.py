"""Hooks: what replaces an adjoint on its way back, in every construct; what is observed; handles."""

from __future__ import annotations

import gc
import importlib.util
import inspect
import pickle
import re
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import backsweep as bs
from tests.ad.test_intermediates import CASES, X, line_of, named, neuron, squared
from tests.support import checking
from tests.support.sampled import turning

ARRAYS = {"an_array", "written_later", "arrays_in_a_loop", "arrays_written_in_a_loop", "arrays_of_many_sizes"}

HEAD = """
import math
import numpy as np
import backsweep as bs

X = np.array([0.3, 0.5, 0.9, 1.2])
W = np.linspace(-0.4, 0.6, 16).reshape(4, 4)


def number(u):
    return 3.0 * u - 2.0 * bs.stop_gradient(u)


def array(u):
    return 3.0 * u - 2.0 * bs.stop_gradient(u.copy())


"""


def tripled(adjoint):
    return 3.0 * adjoint


def bounded(adjoint):
    return min(max(adjoint, -0.5), 0.5)


def reference(function: Any, folder: Path) -> Any:
    """The function with `u` replaced by what has the same value and three times the derivative."""
    kind = "array" if function.__name__ in ARRAYS else "number"
    text = re.sub(r"\bu = ([^#\n]*)", rf"u = {kind}(\1)", inspect.getsource(function), count=1)
    text = text.replace("u, v = x[0] * x[1] + d, x[2]", "u, v = number(x[0] * x[1] + d), x[2]")
    path = folder / f"{function.__name__}.py"
    path.write_text(HEAD + text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, function.__name__)


@pytest.mark.parametrize("function", CASES, ids=named)
def test_hook_in_every_construct(function: Any, tmp_path: Path) -> None:
    check(function, tmp_path, jit=False)


@pytest.mark.parametrize("function", turning(30, CASES), ids=named)
def test_hook_in_every_construct_compiled(function: Any, tmp_path: Path) -> None:
    check(function, tmp_path, jit=True)


def check(function: Any, folder: Path, *, jit: bool) -> None:
    """A hook that triples the adjoint of a variable does what tripling its derivative does."""
    _, d = CASES[function]
    found = bs.grad(function, wrt=("x", "d", "u"), hooks={"u": tripled}, jit=jit)(X, d)
    wanted = bs.grad(reference(function, folder), wrt=("x", "d"), jit=False)(X, d)
    checking.assert_close(found.x, wanted.x)
    checking.assert_close(found.d, wanted.d)


def test_clipping_in_a_loop_goes_from_the_last_iteration_to_the_first() -> None:
    def cost(x):
        s = 0.0
        for i in range(x.size):
            u = x[i] * s + 1.0
            s = s + bs.hook(u, bounded)
        return s

    x = np.array([1.0, 2.0, 3.0])
    # by hand: u_bar = 0.5 in each, as s_bar >= 1; s_bar grows by u_bar * x[i]
    values = [0.0, 1.0, 4.0]
    for jit in (False, True):
        checking.assert_close(bs.grad(cost, jit=jit)(x), 0.5 * np.array(values))


def test_hook_reads_variables_of_the_function() -> None:
    def cost(x, scale):
        total = 0.0
        for k in range(x.size):
            factor = scale * (k + 1.0)
            total += bs.hook(x[k] * x[k], lambda adjoint: factor * adjoint)  # noqa: B023  called in this iteration
        return total

    x = np.array([1.0, 2.0, 3.0])
    for jit in (False, True):
        checking.assert_close(bs.grad(cost, jit=jit)(x, 0.5), 2.0 * x * 0.5 * np.array([1.0, 2.0, 3.0]))


def test_hook_of_a_nonlinear_function_is_differentiated_again() -> None:
    def cost(x):
        return bs.hook(x * x, lambda adjoint: adjoint * adjoint) * x

    # x_bar = x^2 + (x)^2 2x
    slope = bs.grad(cost)
    assert slope(3.0) == 9.0 + 9.0 * 6.0
    assert bs.grad(slope)(3.0) == 2.0 * 3.0 + 6.0 * 9.0


def test_hook_has_no_part_in_forward_mode() -> None:
    def cost(x):
        return bs.hook(x * x, tripled) + 1.0

    assert bs.jvp(cost, (3.0,), (1.0,)) == (10.0, 6.0)


def stretched(x, n):
    u = bs.hook(x * 1.0, lambda adjoint: 2.0 * adjoint)
    return np.outer(u, np.ones(n)).ravel()[:n]


def first_of(x, n):
    u = x * 1.0
    return np.outer(u, np.ones(n)).ravel()[:n]


def halves(x, n):
    if n == 0:
        return bs.hook(x * x, tripled)
    return 0.5 * halves(x, n - 1)


def both(x, n):
    return np.array([halves(x[0], n), halves(x[1], n), halves(x[0] * x[1], n)])


@pytest.mark.parametrize("jit", [False, True])
@pytest.mark.parametrize("rows", [1, 2, 3, 9])
def test_jacobian_has_the_hook_whatever_the_sizes(rows: int, jit: bool) -> None:
    x = np.ones(3)
    wanted = np.zeros((rows, 3))
    wanted[:, 0] = 2.0
    checking.assert_close(bs.jacobian(stretched, jit=jit)(x, rows), wanted)
    handled = bs.jacobian(first_of, jit=jit)
    handled.add_hook("u", lambda adjoint: 2.0 * adjoint)
    checking.assert_close(handled(x, rows), wanted)


@pytest.mark.parametrize("jit", [False, True])
def test_jacobian_has_the_hook_in_a_function_that_calls_itself(jit: bool) -> None:
    """Three rows and two columns, which tangents would be fewer for."""
    wanted = 3.0 * 0.25 * np.array([[4.0, 0.0], [0.0, 6.0], [2.0 * 6.0 * 3.0, 2.0 * 6.0 * 2.0]])
    checking.assert_close(bs.jacobian(both, jit=jit)(np.array([2.0, 3.0]), 2), wanted)


@pytest.mark.parametrize("jit", [False, True])
def test_jacobian_by_numbers_has_the_hook(jit: bool) -> None:
    def squares(x, y):
        u = bs.hook(x * x, tripled)
        return np.array([u, u * y, y])

    checking.assert_close(bs.jacobian(squares, jit=jit)(2.0, 5.0), np.array([12.0, 60.0, 0.0]))


@pytest.mark.parametrize("jit", [False, True])
def test_tangents_of_a_hook_are_refused(jit: bool) -> None:
    x = np.ones(3)
    handled = bs.jacfwd(first_of, jit=jit)
    handle = handled.add_hook("u", tripled)
    for found in (
        bs.jacfwd(stretched, jit=jit),
        bs.jacobian(stretched, sparse=True, jit=jit),
        bs.jacobian(stretched, sparsity=np.ones((2, 3), dtype=bool), jit=jit),
        bs.sparsity(stretched, jit=jit),
        handled,
    ):
        with pytest.raises(bs.ArgumentError, match="BS210"):
            found(x, 2)
    with pytest.raises(bs.ArgumentError, match="BS210"):
        bs.jacfwd(both, jit=jit)(np.array([2.0, 3.0]), 2)
    handle.remove()
    checking.assert_close(handled(x, 2), np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))


@pytest.mark.parametrize("jit", [False, True])
def test_second_derivatives_go_through_hooks(jit: bool) -> None:
    """The gradient, in which the hook is compiled, is what moves; its Jacobian need not be symmetric."""
    weights = np.array([1.0, 2.0, 3.0])

    def cost(x):
        u = bs.hook(x, lambda adjoint: weights * adjoint)
        return u[0] * u[1] * u[2]

    x = np.array([2.0, 3.0, 5.0])
    wanted = weights[:, None] * np.array([[0.0, 5.0, 3.0], [5.0, 0.0, 2.0], [3.0, 2.0, 0.0]])
    checking.assert_close(bs.hessian(cost, jit=jit)(x), wanted)
    checking.assert_close(bs.hessian(cost, sparse=True, jit=jit)(x).toarray(), wanted)
    checking.assert_close(bs.hvp(cost, jit=jit)((x,), (np.ones(3),)), wanted @ np.ones(3))


def test_hook_of_an_array_that_is_written_later() -> None:
    def cost(x):
        u = np.zeros(3)
        bs.hook(u, tripled)
        for k in range(3):
            u[k] = x[k] * x[k]
        v = bs.hook(u, lambda adjoint: np.minimum(adjoint, 2.0))
        u[0] = 0.0
        return np.sum(v * np.array([1.0, 3.0, 1.0]))

    x = np.array([1.0, 2.0, 3.0])
    for jit in (False, True):
        checking.assert_close(bs.grad(cost, jit=jit)(x), np.array([0.0, 8.0, 6.0]))


def test_hook_of_a_column_is_given_a_contiguous_adjoint() -> None:
    def turned(adjoint):
        return (adjoint.reshape((2, 2)) @ np.array([[1.0, 2.0], [0.0, 1.0]])).ravel()

    def cost(x, weights):
        u = x * 1.0
        column = u[:, 1]
        v = bs.hook(column, turned)
        total = np.sum((v + weights) * (v + weights))
        column[0] = 7.0
        return total

    x, weights = np.arange(8.0).reshape(4, 2), np.array([0.5, -1.0, 2.0, 1.0])
    wanted = 2.0 * (x[:, 1] + weights)
    for jit in (False, True):
        x_bar, weights_bar = bs.grad(cost, (0, 1), jit=jit)(x, weights)
        checking.assert_close(weights_bar, wanted)
        checking.assert_close(x_bar, np.stack([np.zeros(4), turned(wanted.copy())], axis=1))


def test_numpy_functions_and_dispatchers_are_hooks() -> None:
    @numba.njit
    def halved(adjoint):
        return adjoint / 2.0

    def cost(x):
        u = x * x
        v = u + 1.0
        return v * x

    found = bs.grad(cost, hooks={"u": halved, "v": np.tanh})(2.0)
    assert found == pytest.approx(5.0 + np.tanh(2.0) / 2.0 * 4.0)


def test_hook_that_returns_nothing_observes(capsys: pytest.CaptureFixture[str]) -> None:
    def show(adjoint):
        print("seen", adjoint)

    assert bs.grad(neuron, hooks={"u": show}, jit=False)(3.0, 2.0, 1.0) == 2.0
    assert capsys.readouterr().out == "seen 1.0\n"


def test_adjoints_are_collected_in_a_dictionary() -> None:
    seen: dict[str, Any] = {}
    slopes = bs.value_and_grad(neuron, wrt="x", hooks=dict.fromkeys(("x", "w", "b", "u", "v")), collect=seen)
    assert slopes(3.0, 2.0, 1.0) == (7.0, 2.0)
    assert seen == {"x": 2.0, "w": 3.0, "b": 1.0, "u": 1.0, "v": 1.0}
    slopes(-3.0, 2.0, 1.0)
    assert seen == {"x": 0.0, "w": 0.0, "b": 0.0, "u": 0.0, "v": 0.0}


@pytest.mark.parametrize("transform", [bs.hessian, bs.hvp])
def test_a_gradient_that_fills_a_dictionary_is_not_differentiated(transform: Any) -> None:
    with pytest.raises(bs.SourceError, match=r"a gradient with `collect=` fills a dictionary.*BS001"):
        transform(neuron, hooks={"u": None}, collect={})


def test_adjoints_are_collected_in_an_array_after_the_hooks() -> None:
    def cost(x):
        s = 1.0
        for k in range(3):
            u = s * x[k]
            s = s + u
        return s

    x = np.array([1.0, 2.0, 3.0])
    store: dict[str, Any] = {"u": np.zeros(3)}
    kept = store["u"]
    found = bs.grad(cost, wrt=("x",), hooks={"u": tripled}, collect=store)(x)
    assert found._fields == ("x",)
    assert store["u"] is kept
    checking.assert_close(kept, bs.grad(cost, wrt="u", hooks={"u": tripled})(x))
    assert "def cost_grad" in bs.grad(cost, hooks={"u": None}, collect={}).source(x)


@pytest.mark.parametrize("value", [False, True])
def test_adjoints_are_collected_while_gradients_are_added_to_buffers(value: bool) -> None:
    def cost(x, w):
        u = x * w
        return np.sum(u * u)

    x, w = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    transform = bs.value_and_grad if value else bs.grad
    seen: dict[str, Any] = {}
    one, two = np.ones(2), {"x": np.zeros(2), "w": np.ones(2)}
    found = transform(cost, hooks={"u": None}, collect=seen)(x, w, out=one)
    assert (found[1] if value else found) is one
    checking.assert_close(one, 1.0 + 2.0 * x * w * w)
    found = transform(cost, wrt=("x", "w"), hooks={"u": tripled, "x": None}, collect=seen)(x, w, out=two)
    assert (found[1] if value else found) is two
    checking.assert_close(two["x"], 6.0 * x * w * w)
    checking.assert_close(two["w"], 1.0 + 6.0 * x * x * w)
    assert set(seen) == {"u", "x"}
    checking.assert_close(seen["u"], 6.0 * x * w)
    with pytest.raises(bs.ArgumentError, match="a gradient that is an array of shape"):
        transform(cost, hooks={"u": None}, collect=seen)(x, w, out=np.zeros(3))


def test_an_argument_may_be_called_out_where_adjoints_are_collected() -> None:
    seen: dict[str, Any] = {}
    assert bs.grad(lambda out: out * out, hooks={"out": None}, collect=seen)(out=3.0) == 6.0
    assert seen == {"out": 6.0}


def test_pullback_with_a_hook() -> None:
    def scaled(x):
        v = x * 1.0
        return v  # noqa: RET504  the variable is hooked

    x = np.ones(3)
    _, pullback = bs.vjp(scaled, x, hooks={"v": lambda adjoint: 2.0 * adjoint})
    checking.assert_close(pullback(np.array([1.0, 2.0, 3.0])), np.array([2.0, 4.0, 6.0]))
    _, pullback = bs.vjp(scaled, x)
    checking.assert_close(pullback(np.array([1.0, 2.0, 3.0])), np.array([1.0, 2.0, 3.0]))


def test_handles() -> None:
    slope = bs.grad(neuron)
    first = slope.add_hook("u", tripled)
    assert slope(3.0, 2.0, 1.0) == 6.0
    second = slope.add_hook("u", tripled)
    assert slope(3.0, 2.0, 1.0) == 18.0
    first.remove()
    first.remove()
    assert slope(3.0, 2.0, 1.0) == 6.0
    second.remove()
    assert slope(3.0, 2.0, 1.0) == 2.0
    with pytest.raises(bs.ArgumentError, match="BS404"):
        slope.add_hook("nowhere", tripled)


def cubic(x, w):
    u = x * w
    return u * u * w


def quartic(x, w):
    u = x * w
    return u * u * u * w


def cubic_of(x, w, times):
    u = x * w
    return u * u * w if times == "once" else u * u * u


def second(slope, jit):
    """What is made of a gradient and by it, each as a function of x and w."""
    again = bs.grad(slope, jit=jit)

    def product(x, w):
        return slope(x, w) * x

    return {
        "itself": slope,
        "keywords": lambda x, w: slope(w=w, x=x),
        "gradient": again,
        "gradient of the gradient": bs.grad(again, wrt="w", jit=jit),
        "gradient of what calls it": bs.grad(product, jit=jit),
        "tangent": lambda x, w: bs.jvp(slope, (x, w), (1.0, 0.5)),
        "pullback": lambda x, w: bs.vjp(slope, x, w)[1](1.0),
        "Jacobian": bs.jacfwd(slope, (0, 1), jit=jit),
        "Hessian": bs.hessian(slope, jit=jit),
        "product": lambda x, w: bs.hvp(slope, jit=jit)((x, w), (1.0,)),
        "sparse": lambda x, w: bs.jacobian(slope, sparse=True, jit=jit)(x, w).toarray().tolist(),
    }


@pytest.mark.parametrize("jit", [False, True])
def test_all_that_is_made_of_a_gradient_has_its_handles(jit: bool) -> None:
    """What is transformed or called while a hook is there has it, also what ran before; afterwards nothing has."""
    slope = bs.grad(quartic, jit=jit)
    before = second(slope, jit)
    plain = {name: made(2.0, 5.0) for name, made in before.items()}
    handle = slope.add_hook("u", tripled)
    wanted = {
        name: made(2.0, 5.0)
        for name, made in second(bs.grad(quartic, hooks={"u": tripled}, jit=jit), jit).items()
    }
    assert {name for name in wanted if wanted[name] == plain[name]} == set()
    during = second(slope, jit)
    for made in (before, during):
        assert {name: of(2.0, 5.0) for name, of in made.items()} == wanted
    handle.remove()
    for made in (before, during, second(slope, jit)):
        assert {name: of(2.0, 5.0) for name, of in made.items()} == plain


@pytest.mark.parametrize("jit", [False, True])
def test_handles_where_arguments_are_fixed(jit: bool) -> None:
    slope = bs.grad(cubic_of, jit=jit)
    again = bs.grad(slope, jit=jit)
    assert (slope(2.0, 5.0, "once"), again(2.0, 5.0, "once")) == (500.0, 250.0)
    handle = slope.add_hook("u", tripled)
    assert (slope(2.0, 5.0, "once"), again(2.0, 5.0, "once")) == (1500.0, 750.0)
    assert slope(2.0, 5.0, "thrice") == 4500.0
    handle.remove()
    assert (slope(2.0, 5.0, "once"), again(2.0, 5.0, "once")) == (500.0, 250.0)


def test_compiled_code_has_the_handles_of_its_time() -> None:
    slope = bs.grad(cubic)

    @numba.njit
    def early(x):
        return slope(x, 5.0)

    @numba.njit
    def late(x):
        return slope(x, 5.0)

    @numba.njit
    def applied(function, x):
        return function(x, 5.0)

    assert (early(2.0), applied(slope, 2.0)) == (500.0, 500.0)
    handle = slope.add_hook("u", tripled)
    gc.collect()
    assert (early(2.0), late(2.0), applied(slope, 2.0)) == (500.0, 1500.0, 1500.0)
    assert bs.grad(early)(2.0) == 750.0  # transformed now, from its source
    handle.remove()
    gc.collect()
    assert (late(2.0), applied(slope, 2.0)) == (1500.0, 500.0)


@pytest.mark.parametrize("jit", [False, True])
def test_what_is_shown_has_the_handles(jit: bool, tmp_path: Path) -> None:
    slope = bs.grad(cubic, jit=jit)
    slope(2.0, 5.0)
    wanted = bs.grad(cubic, hooks={"u": tripled}, jit=jit)
    plain, hooked = slope.source(), wanted.source(2.0, 5.0)
    assert plain != hooked
    handle = slope.add_hook("u", tripled)
    assert slope.source() == slope.source(2.0, 5.0) == hooked
    assert slope.source(2.0, 5.0, optimize="readable") == wanted.source(2.0, 5.0, optimize="readable")
    assert slope.stages() == wanted.stages(2.0, 5.0)
    assert repr(slope.explain(2.0, 5.0)) == repr(wanted.explain(2.0, 5.0))
    for made, name in ((slope, "own.py"), (wanted, "wanted.py")):
        made.save(str(tmp_path / name))
    assert (tmp_path / "own.py").read_text("utf-8") == (tmp_path / "wanted.py").read_text("utf-8")
    assert pickle.loads(pickle.dumps(slope))(2.0, 5.0) == 1500.0
    handle.remove()
    assert slope.source() == plain
    assert pickle.loads(pickle.dumps(slope))(2.0, 5.0) == 500.0


@pytest.mark.parametrize("jit", [False, True])
def test_handles_of_a_hessian_are_its_gradients(jit: bool) -> None:
    def cost(x):
        u = x * x
        return np.sum(u * u)

    x = np.array([1.0, 2.0])
    curve = bs.hessian(cost, jit=jit)
    plain = curve(x)
    for name in ("u", "x"):
        hook = {name: lambda adjoint: adjoint * adjoint}
        handle = curve.add_hook(name, hook[name])
        checking.assert_close(curve(x), bs.hessian(cost, hooks=hook, jit=jit)(x))
        assert not np.allclose(curve(x), plain)
        handle.remove()
        checking.assert_close(curve(x), plain)
    with pytest.raises(bs.ArgumentError, match="BS404"):
        curve.add_hook("nowhere", tripled)


def test_hooks_of_lines_and_called_functions() -> None:
    def cell(x):
        h = x * x
        return h * 2.0

    def cost(x):
        u = cell(x)
        u = u + 1.0
        return u * u

    line = line_of(cost, "u = u + 1.0")
    plain = bs.grad(cost)(1.5)
    assert bs.grad(cost, hooks={"cell.h": tripled})(1.5) == 3.0 * plain
    assert bs.grad(cost, hooks={f"u@{line}": tripled})(1.5) == 3.0 * plain
    with pytest.raises(bs.ArgumentError, match="BS411"):
        bs.grad(cost, hooks={"u": tripled})(1.5)


def test_hook_of_another_shape_is_found_when_it_runs() -> None:
    def cost(x):
        return np.sum(bs.hook(x * 1.0, lambda adjoint: np.ones(2)))

    with pytest.raises(ValueError, match="a hook returns an adjoint of another shape"):
        bs.grad(cost)(np.ones(3))


def test_pickled() -> None:
    slopes = pickle.loads(pickle.dumps(bs.value_and_grad(neuron, wrt="w", return_intermediates=("u", "v"))))
    assert slopes(3.0, 2.0, 1.0)[2] == (6.0, 7.0)
    hooked = pickle.loads(pickle.dumps(bs.grad(neuron, hooks={"u": tripled}, collect={})))
    assert hooked(3.0, 2.0, 1.0) == 6.0
    assert hooked.store == {"u": 3.0}


def test_values_of_intermediates() -> None:
    found = bs.value_and_grad(neuron, wrt="w", return_intermediates=("u", "v"))(3.0, 2.0, 1.0)
    assert found == (7.0, 3.0, (6.0, 7.0))
    assert found[2]._fields == ("u", "v")
    value, gradient, l = bs.value_and_grad(squared, wrt="l", return_intermediates="l")(4.0, 3.0, 2.0, 6.0)
    assert (value, gradient, l) == (900.0, 120.0, 12.0)


@pytest.mark.parametrize("function", CASES, ids=named)
def test_values_in_every_construct(function: Any) -> None:
    """The value of `u`, against the gradient of the sum of `u` times a number that stands where it is assigned."""
    _, d = CASES[function]
    value, _, u = bs.value_and_grad(function, wrt="x", return_intermediates="u", jit=False)(X, d)
    assert value == pytest.approx(function(X.copy(), d))
    assert np.shape(u) == np.shape(bs.grad(function, wrt="u", jit=False)(X, d))
    lines: list[Any] = []
    text = re.sub(
        r"^( *)u = (.*)$", r"\1u = \2\n\1keep(u)", inspect.getsource(function), count=1, flags=re.MULTILINE
    )
    text = re.sub(r"^( *)(u, v = .*)$", r"\1\2\n\1keep(u)", text, flags=re.MULTILINE)
    scope = {**function.__globals__, "keep": lambda item: lines.append(np.copy(item))}
    exec(text, scope)
    scope[function.__name__](X.copy(), d)
    kept = np.asarray(u)
    total = sum(float(np.sum(item)) for item in lines)
    assert float(np.sum(kept)) == pytest.approx(total)


def test_gradients_are_added_to_buffers() -> None:
    slope = bs.grad(squared, wrt=("w1", "w2", "b2"))
    again = bs.grad(bs.grad(squared, wrt="l"), wrt=("w1", "w2", "b2"))
    at = (4.0, 3.0, 2.0, 6.0)
    buffers = {name: np.zeros(()) for name in ("w1", "w2", "b2")}
    assert slope(*at, out=buffers) is buffers
    again(*at, out=buffers)
    assert {name: float(total) for name, total in buffers.items()} == {"w1": 512.0, "w2": 828.0, "b2": 64.0}


def test_buffers_by_the_name_that_was_asked_for() -> None:
    def cost(x):
        u = x * 2.0
        return u * u

    label = f"u@{cost.__code__.co_firstlineno + 1}"
    for key in (label, label.replace("@", "_")):
        buffers = {key: np.zeros(()), "x": np.ones(())}
        assert bs.grad(cost, wrt=(label, "x"))(2.0, out=buffers) is buffers
        assert (buffers[key], buffers["x"]) == (8.0, 17.0)


def test_buffers_in_other_structures() -> None:
    def cost(x, pair):
        return np.sum(x * pair[0]) * pair[1], x.size

    x, pair = np.array([1.0, 2.0]), (np.array([3.0, 4.0]), 5.0)
    out = [np.ones(2), (np.zeros(2), np.zeros(()))]
    value, found = bs.value_and_grad(cost, (0, 1), has_aux=True)(x, pair, out=out)
    assert value == (55.0, 2)
    assert found is out
    checking.assert_close(out[0], 1.0 + 5.0 * pair[0])
    checking.assert_close(out[1][0], 5.0 * x)
    assert out[1][1] == 11.0


@pytest.mark.parametrize("out", [np.zeros(3), 0.0, np.zeros(2, dtype=np.int64), (np.zeros(2),)])
def test_buffer_that_does_not_fit_is_refused(out: Any) -> None:
    def cost(x):
        return np.sum(x * x)

    with pytest.raises(bs.ArgumentError, match="BS414"):
        bs.grad(cost)(np.ones(2), out=out)


def test_a_hook_that_always_raises() -> None:
    def stop(adjoint: Any) -> Any:
        raise ValueError("seen")

    def doubled(x: Any) -> Any:
        u = x * x
        return u * 2.0

    with pytest.raises(ValueError, match="seen"):
        bs.grad(doubled, hooks={"u": stop}, jit=False)(1.0)
