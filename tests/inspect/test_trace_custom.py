"""`trace` of hooks, pullbacks of the user's own and roots: each is one operation, and the adjoints are those of `grad`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import backsweep as bs

X = np.array([0.5, -0.2, 0.9])


def test_a_hook_has_its_adjoint_before_and_after() -> None:
    def hooked(x):
        u = x * x
        v = bs.hook(u, lambda g: 2.0 * g)
        return v * 3.0

    trace = bs.trace(hooked)(4.0)
    assert [each.adjoint for each in trace.variables] == [48.0, 6.0, 3.0, 1.0]
    found = trace.contributions("u")
    assert str(found).split("\n") == [
        "u = 16.0 has the adjoint 6.0, the sum over 1 use:",
        "  6.0  u -> hook",
    ]
    assert trace.contributions("x").total == 48.0
    graph = trace.graph()
    assert [vertex.title for vertex in graph.vertices][:2] == ["x", "u = x * x"]
    (edge,) = (edge for edge in graph.edges if edge.source.title == "u = x * x")
    assert (edge.partial, edge.amount, edge.target.shown[0].adjoint) == (None, 6.0, 3.0)


@bs.custom_vjp
def steep(x, most):
    return x * x


def steep_forward(x, most):
    inner = x * x
    return inner, (x, most)


def steep_backward(residuals, bar):
    x, most = residuals
    clipped = np.minimum(np.abs(bar), most)
    return 2.0 * x * clipped, None


steep.defvjp(steep_forward, steep_backward)


def test_a_function_with_its_own_pullback_is_one_operation() -> None:
    def cost(x):
        y = steep(x, 1.0)
        return 5.0 * y + x

    trace = bs.trace(cost)(4.0)
    assert [(each.name, each.adjoint) for each in trace.variables] == [
        ("x", 9.0),
        ("y", 5.0),
        ("result", 1.0),
    ]
    found = trace.contributions("x")
    assert str(found).split("\n")[1:] == [
        "  8.0  x -> steep(x, 1.0)",
        "  1.0  x -> 5.0 * y + x",
    ]
    graph = trace.graph()
    (edge,) = (edge for edge in graph.edges if edge.target.title == "y = steep(x, 1.0)")
    assert (edge.partial, edge.amount) == (None, 8.0)
    assert "steep" in graph.html()


def test_a_root_is_one_operation() -> None:
    root = bs.root(math.sqrt, lambda x, a: x * x - a)

    def rooted(a):
        return root(a) * 2.0

    trace = bs.trace(rooted)(4.0)
    assert trace["a"][0].adjoint == pytest.approx(0.5)
    assert [vertex.title for vertex in trace.graph().vertices] == ["a", "root(a)", "×"]


def halved_hook(g):
    g *= 0.5
    return g


def halved(g: Any) -> Any:
    return 0.5 * g


@bs.custom_vjp
def both(x, y):
    return x * y, x


def both_forward(x, y):
    product = np.zeros_like(x)
    for i in range(len(x)):
        product[i] = x[i] * y[i]
    return (product, x), (x, y)


def both_backward(residuals, bars):
    x, y = residuals
    first, second = bars
    return bs.hook(first * y, halved) + second, first * x


both.defvjp(both_forward, both_backward)


def large(x):
    y = np.zeros(200_000)
    y[:3] = x
    z = bs.hook(y, halved)
    y[0] = 3.0
    return np.sum(z * z)


def in_a_loop(x):
    y = x.copy()
    for i in range(3):
        y = bs.hook(y, lambda g, i=i: np.minimum(g, 1.0 + i))
        y[i] = y[i] * y[0]
    return np.sum(y * y)


def of_an_element(x):
    y = np.zeros(3)
    for i in range(3):
        y[i] = bs.hook(x[i] * x[i], halved)
    return y[0] * y[1] + y[2]


def writing_its_adjoint(x):
    u = np.sin(x)
    return np.sum(bs.hook(u, halved_hook) * u)


def of_a_tuple(x):
    y = x.copy()
    first, second = both(y, x)
    y[0] = 2.0
    return np.sum(first * second * y)


def one_result_unused(x):
    _, second = both(x, x)
    return np.sum(second * second)


def written_result(x):
    first, _ = both(x, x)
    first[1] = first[0] * 2.0
    return np.sum(first)


def in_a_list(x):
    rows = [x * 2.0, x * 3.0]
    rows.append(bs.hook(rows[0], halved))
    return np.sum(rows[0] * rows[1] * rows[2])


def named_in_a_list(x):
    u = x * 2.0
    rows = [x, u]
    v = bs.hook(u, halved)
    rows.append(v)
    return np.sum(rows[1] * rows[0]) + np.sum(v * v) + np.sum(rows[2] * 3.0)


def test_contributions_on_both_sides_of_a_hook_of_shared_memory() -> None:
    trace = bs.trace(named_in_a_list)(X)
    for name in ("x", "u", "v"):
        found = trace.contributions(name)
        np.testing.assert_allclose(found.total, found.adjoint, rtol=1e-13)
    np.testing.assert_allclose(trace["u"][0].adjoint, bs.grad(named_in_a_list, wrt="u")(X), rtol=1e-13)


def called(x):
    return np.sum(steep(x, 0.1) * x)


def in_a_called_function(x):
    return called(x) + called(x * 2.0)


@pytest.mark.parametrize(
    "function",
    [
        large,
        in_a_loop,
        of_an_element,
        writing_its_adjoint,
        of_a_tuple,
        one_result_unused,
        written_result,
        in_a_list,
        in_a_called_function,
    ],
)
def test_adjoints_are_those_of_the_gradient(function: Any) -> None:
    before = X.copy()
    trace = bs.trace(function)(X)
    np.testing.assert_array_equal(X, before)
    np.testing.assert_allclose(trace["x"][0].adjoint, bs.grad(function)(X), rtol=1e-13)
    np.testing.assert_allclose(trace.contributions("x").total, trace["x"][0].adjoint, rtol=1e-13)
    assert trace.value == bs.value_and_grad(function)(X)[0]
    for loops in (0, 1):
        assert str(trace.graph(loops=loops))
    assert not any(each.name in ("product[i]", "both_forward.product") for each in trace.variables)


def test_complex_and_single_precision() -> None:
    def turned(z):
        return np.abs(bs.hook(z * z, lambda g: 1j * g))

    assert bs.trace(turned)(1.0 + 2.0j)["z"][0].adjoint == pytest.approx(bs.grad(turned)(1.0 + 2.0j))
    x = np.float32(0.5)
    assert bs.trace(of_one)(x)["x"][0].adjoint == pytest.approx(bs.grad(of_one)(x))


def of_one(x):
    return bs.hook(x * x, halved)


def powers(x, n):
    if n == 0:
        return 1.0
    return bs.hook(x, halved) * powers(x, n - 1)


def test_within_recursion() -> None:
    assert bs.trace(powers)(2.0, 3)["x"][0].adjoint == pytest.approx(bs.grad(powers)(2.0, 3))


def test_an_adjoint_of_another_shape_is_told() -> None:
    def wrong(x):
        return np.sum(bs.hook(x * x, lambda g: g[1:]))

    with pytest.raises(ValueError, match="a hook returns an adjoint of another shape"):
        bs.trace(wrong)(X)
