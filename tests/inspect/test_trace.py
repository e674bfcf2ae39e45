"""`trace`: the adjoints are those of the emitted code, the table tells them, and contributions sum to them."""

from __future__ import annotations

import dataclasses
import inspect
import math
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.inspect.recording.contributions import terms_of
from backsweep.inspect.recording.recorded import is_written
from tests.ad.test_zoo import plain
from tests.support import checking
from tests.support.sampled import turning
from tests.zoo import load
from tests.zoo.case import Case

CASES = turning(60, load())
ODD = {
    "decompositions.whitened",
    "dots.without_axes",
    "elements.zero_dimensional_carried",
    "found.imaginary_part_written",
    "handed.chosen_and_written-1",
    "handed.exchanged_and_appended",
    "found.method_copy_in_row_order",
    "generators.sum_of_arrays",
    "norms.roots_of_numbers",
    "references.lists_swapped",
    "snapshots.read_through_a_view-1",
}
"""Those that a trace once went wrong on."""
CASES += [case for case in load() if case.name in ODD and case.name not in {each.name for each in CASES}]


def adjoint(entry: Any) -> Any:
    """The adjoint of an argument in its structure."""
    if entry.items is not None:
        return tuple(map(adjoint, entry.items))
    return np.zeros_like(entry.value)[()] if entry.adjoint is None else entry.adjoint


@pytest.mark.turns(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_adjoints_are_those_of_the_emitted_code(case: Case) -> None:
    value = plain(case)(*case.args)
    cotangent = checking.cotangent_like(value)
    names = tuple(inspect.signature(plain(case)).parameters)
    wrt = tuple(names[i] for i in case.argnums)
    args = case.args
    trace = bs.trace(case.function, cotangent=cotangent)(*args)
    checking.assert_unchanged(case.stored, args)
    _, pullback = bs.vjp(case.function, *case.args, wrt=wrt, jit=False)
    wanted = pullback(checking.clone(cotangent))
    wanted = wanted if len(wrt) > 1 else (wanted,)
    got = tuple(adjoint(trace.recorded.parameters[name]) for name in wrt)
    singles = [
        leaf
        for leaf in checking.leaves((*wanted, *args))
        if np.asarray(leaf).dtype in (np.float32, np.complex64)
    ]
    rtol, atol = (1e-4, 1e-6) if singles else (1e-9, 1e-11)
    for one, other in zip(checking.leaves(got), checking.leaves(wanted), strict=True):
        if checking.is_active(other):
            np.testing.assert_allclose(one, other, rtol=rtol, atol=atol)
    assert str(trace).startswith(trace.function)
    for each in [each for each in trace.variables if each.role != "element" and each.adjoint is not None][
        :12
    ]:
        if not is_written(each.entry):
            terms = terms_of(trace, each.entry, each.name)
            np.testing.assert_allclose(terms.total, terms.adjoint, rtol=1e3 * rtol, atol=1e3 * atol)
    assert str(trace.graph(loops=1)).count(" -> ") == len(trace.graph(loops=1).edges)


def formula(x1, x2):
    return (math.sin(x2) + 1.0) / (x2 + math.exp(x1)) + x1 * x2


def smooth(x, w):
    y = x.copy()
    loss = 0.0
    for i in range(1, y.shape[0]):
        d = y[i] - w * y[i - 1]
        if d > 0.0:
            loss += d * d
        y[i] = np.tanh(d)
    return loss


X = np.array([0.5, -0.2, 0.9, 0.1, 0.7])


def test_contributions_of_the_paths() -> None:
    found = bs.trace(formula)(1.5, 0.5).contributions("x2")
    assert found.adjoint == 1.6165488003791766
    assert found.total == pytest.approx(1.6165488003791766, rel=1e-15)
    through = math.cos(0.5) / (0.5 + math.exp(1.5))
    below = -(math.sin(0.5) + 1.0) / (0.5 + math.exp(1.5)) ** 2
    assert [term.amount for term in found.terms] == pytest.approx([through, below, 1.5], rel=1e-14)
    assert str(found).split("\n") == [
        "x2 = 0.5 has the adjoint 1.6165488003791766, the sum over 3 paths:",
        "   0.17616164909120247  x2 -> math.sin(x2) -> math.sin(x2) + 1.0 -> / -> + -> result   0.877583 * 1 * 0.200735 * 1",
        "  -0.05961284871202578  x2 -> x2 + math.exp(x1) -> / -> + -> result   1 * -0.0596128 * 1",
        "                   1.5  x2 -> x1 * x2 -> + -> result   1.5 * 1",
    ]


def test_contributions_through_memory_and_loops() -> None:
    trace = bs.trace(smooth)(X, 0.6)
    found = trace.contributions("d#1")
    assert found.by_path and len(found.terms) == 4
    assert found.total == pytest.approx(found.adjoint, rel=1e-13)
    assert found.adjoint == trace["d"][1].adjoint


def test_contributions_of_an_array_are_those_of_its_uses() -> None:
    def f(x):
        return np.sum(x * x) + np.sum(np.sin(x))

    found = bs.trace(f)(X).contributions("x")
    assert not found.by_path and len(found.terms) == 3
    np.testing.assert_allclose(found.total, 2.0 * X + np.cos(X), rtol=1e-14)


def test_contributions_of_an_array_are_told_on_one_line_each() -> None:
    def f(x):
        return np.sum(x * x)

    assert str(bs.trace(f)(np.array([1.0, 2.0])).contributions("x")).split("\n") == [
        "x = [1, 2] has the adjoint [2, 4], the sum over 2 uses:",
        "  [1, 2]  x -> x * x",
        "  [1, 2]  x -> x * x",
    ]
    assert str(bs.trace(f)(np.array(3.0)).contributions("x")).startswith("x = 3.0 has the adjoint 6.0, the")
    head = str(bs.trace(f)(np.linspace(0.0, 1.0, 9)).contributions("x")).split("\n")[0]
    assert head == "x = [9] 0 … 1 has the adjoint [9] 0 … 2, the sum over 2 uses:"


def test_contributions_to_overlapping_views_are_told_apart() -> None:
    def f(x):
        a = x[:3]
        b = x[2:]
        return np.sum(a * a) + 3.0 * np.sum(b) + x[0] * x[4]

    found = bs.trace(f)(X).contributions("x")
    wanted = np.array([2.0 * X[0] + X[4], 2.0 * X[1], 2.0 * X[2] + 3.0, 3.0, 3.0 + X[0]])
    np.testing.assert_allclose(found.total, wanted, rtol=1e-14)
    np.testing.assert_allclose(found.adjoint, wanted, rtol=1e-14)


def test_contributions_of_what_is_itself_returned() -> None:
    def f(x):
        u = x * 2.0
        return u, np.sum(u * u)

    found = bs.trace(f, cotangent=(np.ones(5), 1.0))(X).contributions("u")
    assert [term.steps[-1] for term in found.terms] == ["u * u", "u * u", "result"]
    np.testing.assert_allclose(found.total, found.adjoint, rtol=1e-14)
    np.testing.assert_allclose(found.adjoint, 1.0 + 4.0 * X, rtol=1e-14)


def test_every_variable_has_the_adjoint_that_is_asked_for_by_name() -> None:
    trace = bs.trace(smooth)(X, 0.6)
    wanted = bs.grad(smooth, wrt=("x", "w", "d", "y"), jit=False)(X, 0.6)
    np.testing.assert_allclose(trace["x"][0].adjoint, wanted.x, rtol=1e-13)
    np.testing.assert_allclose(trace["y"][0].adjoint, wanted.y, rtol=1e-13)
    np.testing.assert_allclose([each.adjoint for each in trace["d"]], wanted.d, rtol=1e-13)
    assert trace["w"][0].adjoint == pytest.approx(wanted.w, rel=1e-13)


def test_another_name_has_the_adjoint_of_its_own_uses() -> None:
    def f(x):
        t = x
        return x * t * t

    trace = bs.trace(f)(3.0)
    assert (trace["x"][0].adjoint, trace["t"][0].adjoint) == (27.0, 18.0)


def test_table_folds_loops() -> None:
    trace = bs.trace(smooth)(X, 0.6)
    folded = str(trace).split("\n")
    head = next(line for line in folded if "for i in range" in line)
    assert head.endswith("4 times")
    assert sum(" d  first of 4" in line for line in folded) == 1
    assert sum(" d  last" in line for line in folded) == 1
    every_one = trace.table(loops="all")
    assert [line.split()[1] for line in every_one.split("\n") if " d " in line] == ["d"] * 4
    assert "i = 4" in every_one
    assert trace.table(loops=1) == every_one


def test_table_shows_calls() -> None:
    def inner(a):
        b = a * a
        return b + 1.0

    def outer(x):
        y = inner(x)
        return inner(y) * y

    trace = bs.trace(outer)(2.0)
    assert [each.value for each in trace["inner.b"]] == [4.0, 25.0]
    text = str(trace)
    assert "inner(x)" in text and "  b " in text
    assert "  b " not in trace.table(depth=0)


def test_whole_numbers_are_shown_without_adjoint() -> None:
    def f(x):
        n = 3
        return x**n

    (n,) = bs.trace(f)(2.0)["n"]
    assert (n.value, n.adjoint) == (3, None)


def test_stopped_gradients_are_not_followed() -> None:
    def f(x, w):
        u = x * w
        return bs.stop_gradient(u) * x

    trace = bs.trace(f)(0.5, 0.7)
    assert (trace["u"][0].adjoint, trace["w"][0].adjoint, trace["x"][0].adjoint) == (0.0, 0.0, 0.35)


def test_recursion_is_followed() -> None:
    def power(x, n):
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    trace = bs.trace(power)(2.0, 3)
    assert (trace.value, trace["x"][0].adjoint) == (8.0, 12.0)


def test_variables_of_functions_that_call_themselves_are_shown() -> None:
    def total(a, k):
        if k == a.size:
            return 0.0
        rest = total(a, k + 1)
        here = a[k] * a[k]
        return rest + here

    def f(x):
        return total(x * 2.0, 0)

    trace = bs.trace(f)(X[:3])
    assert [each.value for each in trace["total.here"]] == pytest.approx([4.0 * x * x for x in X[2::-1]])
    assert {each.adjoint for each in trace["total.here"]} == {1.0}
    np.testing.assert_allclose(trace["x"][0].adjoint, 8.0 * X[:3])
    assert str(trace.graph()).count("subgraph") == 3


def test_paths_through_what_reads_written_memory_are_not_told_wrong() -> None:
    def f(x, a):
        a[0] = 2.0
        y = np.interp(x, np.array([0.0, 1.0]), a)
        a[1] = 7.0
        return y * x + a[1]

    trace = bs.trace(f)(0.5, np.array([5.0, 4.0]))
    found = trace.contributions("x")
    assert not found.by_path
    assert found.total == pytest.approx(trace["x"][0].adjoint) == pytest.approx(3.0 + 0.5 * 2.0)


def test_arguments_of_all_kinds_may_be_given() -> None:
    def f(x, how, scale=2.0, *, power=2):
        y = x.a * scale if how == "up" else x.a
        return y**power + x.b

    trace = bs.trace(f)(Pair(3.0, 1.0), how="up", power=3)
    assert trace.value == 217.0
    assert (trace["x.a"][0].adjoint, trace["x.b"][0].adjoint) == (216.0, 1.0)


@dataclasses.dataclass(frozen=True)
class Pair:
    a: float
    b: float


def test_a_gradient_can_be_traced() -> None:
    def f(x):
        return x * x * x

    assert bs.trace(bs.grad(f))(2.0)["x"][0].adjoint == pytest.approx(12.0)


def test_arguments_are_not_changed_and_caller_may_change_them_later() -> None:
    def f(x):
        x[0] = x[1] * x[2]
        return np.sum(x)

    x = X.copy()
    trace = bs.trace(f)(x)
    assert np.array_equal(x, X)
    x[:] = 0.0
    assert np.array_equal(trace["x"][0].value, X)
    np.testing.assert_allclose(trace["x"][0].adjoint, [0.0, 1.9, 0.8, 1.0, 1.0])


def test_jupyter_shows_the_table() -> None:
    html = bs.trace(smooth)(X, 0.6)._repr_html_()
    assert "every iteration" in html and "1.8517774" in html and "<script" not in html


def singular(x, y):
    d = x - y
    s = d * d
    r = math.sqrt(s)
    return r + 0.0 * math.sqrt(d) + np.sqrt(x)


def test_zeros_are_strong() -> None:
    trace = bs.trace(singular)(1.0, 1.0)
    assert [trace.variable(name).entry.adjoint for name in ("x", "y", "s")] == [0.5, 0.0, 0.0]
    assert [trace.contributions(name).total for name in ("x", "d")] == [0.5, 0.0]
    by_name = bs.grad(singular, wrt=("x", "s"), jit=False)(1.0, 1.0)
    assert tuple(by_name) == (0.5, 0.0)
    assert math.isnan(bs.trace(singular, strong_zeros=False)(1.0, 1.0).variable("x").entry.adjoint)
