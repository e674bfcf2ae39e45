"""Subscript analysis: what it must prove, and that it never claims more than an execution shows.

Every program is also run by an interpreter that records which element each memory node touches and
when: wherever an element is overwritten in that run, the analysis must have said that it may be.
"""

from __future__ import annotations

import itertools
import random
import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from backsweep.analysis.integers import dependence as subscripts_module
from backsweep.analysis.integers.affine import Affine, Constraint, at_least, equal, infeasible, variable
from backsweep.analysis.integers.dependence import Subscripts
from backsweep.ir.nodes import Apply, For, Function, Load, Store, Value, View
from backsweep.ir.walk import walk
from tests.analysis.subscript_programs import lower, met_across, overwritten, run

# What must be proved -------------------------------------------------------------------------------


def accesses(function: Function, kinds: Any) -> list[Any]:
    return [node for node in walk(function.body) if isinstance(node, kinds)]


def unstable(text: str) -> set[str]:
    """The subscripts, as written, that some store of the same array may overwrite after they were read."""
    function = lower(text)
    subscripts = Subscripts(function)
    roots = {node.result: node.buffer for node in accesses(function, View)}

    def root(value: Value) -> Value:
        return root(roots[value]) if value in roots else value

    pairs = [
        (first, store)
        for first in accesses(function, (Load, View, Store))
        for store in accesses(function, Store)
        if root(first.buffer) is root(store.buffer)
    ]
    claimed = {pair for pair in pairs if subscripts.may_overwrite_later(*pair)}
    for size in (0, 1, 2, 3, 5):
        missed = (overwritten(run(function, size, random.Random(size))) & set(pairs)) - claimed
        assert not missed, [(a.loc.statement, b.loc.statement) for a, b in missed]
    return {first.loc.statement for first, _ in claimed if not isinstance(first, Store)}


def test_a_sweep_reads_the_new_neighbour_again() -> None:
    text = """
    def smooth(y, w):
        for i in range(1, len(y)):
            y[i] = tanh(y[i] - 0.5 * y[i - 1])
    """
    assert unstable(text) == {"y[i]"}


def test_cholesky_keeps_its_factors() -> None:
    text = """
    def cholesky(A, n):
        for i in range(n):
            for j in range(i):
                for k in range(j):
                    A[i, j] -= A[i, k] * A[j, k]
                A[i, j] = A[i, j] * A[j, j]
            for k in range(i):
                A[i, i] -= A[i, k] * A[i, k]
            A[i, i] = tanh(A[i, i])
    """
    assert unstable(text) == {"A[i, j]", "A[i, i]"}


def test_lu_keeps_pivots_rows_and_multipliers() -> None:
    text = """
    def lu(A, n):
        for k in range(n):
            for i in range(k + 1, n):
                A[i, k] = A[i, k] * A[k, k]
                for j in range(k + 1, n):
                    A[i, j] -= A[i, k] * A[k, j]
    """
    function = lower(text)
    subscripts, stores = Subscripts(function), accesses(function, Store)
    stable = [
        load.loc.statement
        for load in accesses(function, Load)
        if not any(subscripts.may_overwrite_later(load, store) for store in stores)
    ]
    assert stable == ["A[k, k]", "A[i, k]", "A[k, j]"]
    assert unstable(text) == {"A[i, k]", "A[i, j]"}  # the A[i, k] that its own statement scales


def test_jacobi_sweeps_overwrite_what_they_read() -> None:
    text = """
    def jacobi(a, b, n, s):
        for t in range(s):
            for i in range(1, n - 1):
                b[i] = a[i - 1] + a[i + 1]
            for i in range(1, n - 1):
                a[i] = b[i]
    """
    assert unstable(text) == {"a[i - 1]", "a[i + 1]", "b[i]"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (
            "for i in range(n):\n for j in range(i):\n  x[i] -= L[i, j] * x[j]\n x[i] = x[i] * L[i, i]",
            {"x[i]"},
        ),
        ("for i in range(1, n):\n x[i] = x[i - 1] + x[i]", {"x[i]"}),
        ("for i in range(n - 2, -1, -1):\n x[i] += x[i + 1]", {"x[i]"}),
        ("for i in range(n - 2, -1, -1):\n x[i + 1] += x[i]", {"x[i + 1]", "x[i]"}),
        ("for i in range(n // 2):\n x[2 * i] = x[2 * i + 1]", set()),
        ("for i in range(0, n - 1, 2):\n x[i] = x[i + 1]", set()),
        (
            "for i in range(0, n - 1, 3):\n x[i] = x[i + 1]\nfor i in range(2, n, 3):\n x[i] = x[i] + 1.0",
            {"x[i]"},
        ),
        ("for i in range(n):\n x[idx[i]] = x[i]", {"x[i]"}),
        ("for i in range(n):\n x[i] = x[idx[i]]", {"x[idx[i]]"}),
        ("for i in range(1, n):\n x[i] = x[-1] * x[0]", {"x[-1]"}),
        ("for i in range(1, n):\n x[i - 2] = x[0]", {"x[0]"}),
        ("for i in range(len(x) - 1):\n x[i] = x[-1]", set()),
        ("for i in range(len(x)):\n x[-i - 1] = x[len(x) - i - 1]", {"x[len(x) - i - 1]"}),
        ("for i in range(1, len(x)):\n x[-i] = x[0]", set()),
        ("for i in range(n):\n if i > 0:\n  x[i] = x[i - 1] * x[0]", set()),
        ("for i in range(n):\n x[i] = x[max(i - 1, 0)]", {"x[max(i - 1, 0)]"}),
        ("for i in range(1, n):\n x[i] = x[max(i - 3, 0)]", {"x[max(i - 3, 0)]"}),
        ("for i in range(1, n):\n x[i] = x[i // 2]", set()),
        ("k = 0\nfor i in range(n):\n x[k] = x[i] * 2.0\n k += 1", {"x[i]"}),
        ("k = 1\nfor i in range(n - 1):\n x[k] = x[i] * 2.0\n k += 1", set()),
        ("k = 1\nwhile k < n:\n x[k] = x[k - 1] * x[k]\n k += 1", {"x[k]"}),
        ("k = 0\nfor i in range(n):\n if i == 2:\n  k = 0\n x[k] = x[i]", {"x[i]"}),
        ("row = L[0]\nfor i in range(1, n):\n L[i, 0] = row[0]", set()),
        (
            "for i in range(1, n):\n row = L[i]\n last = L[i - 1]\n for j in range(n):\n  row[j] = last[j]",
            set(),
        ),
        ("v = x[1:]\nfor i in range(len(v)):\n v[i] = x[i]", set()),
        ("v = x[1:]\nfor i in range(len(v)):\n x[i] = v[i]", {"v[i]"}),
        ("v = x[::-1]\nfor i in range(1, len(x)):\n v[i] = v[i - 1]", set()),
        ("v = x[::2]\nfor i in range(n // 2):\n v[i] = x[2 * i + 1]", set()),
        ("x[1:] = x[0]", set()),
        ("for i in range(n):\n L[i, i + 1:] = L[i, i]", set()),
        ("for i in range(n):\n L[i, :i] = L[i, i]", set()),
        ("for i in range(n):\n L[i:, i] = L[i, i]", {"L[i, i]"}),
        ("for i in range(n):\n row = L[i, :i]\n for j in range(i, n):\n  L[i, j] = row[0]", {"row[0]"}),
        ("x[1::2] = x[0]\nx[1::2] = x[2]", set()),
        ("for i in range(n):\n if i < 2:\n  k = 0\n else:\n  x[i] = x[i - 2]", set()),
        ("for i in range(1, n):\n if i < 2:\n  k = 0\n else:\n  x[1] = x[i - 1]", {"x[i - 1]"}),
        ("v = x[1:3]\nx[1] = v[-1]", {"v[-1]"}),
        ("v = x[:-1]\nx[-1] = v[-1]", set()),
    ],
)
def test_verdicts(body: str, expected: set[str]) -> None:
    found = unstable("def f(x, L, idx, n):\n" + textwrap.indent(body, "    "))
    views = {text for text in found if ":" in text or text in ("L[i]", "L[i - 1]", "L[0]")}
    assert found - views == expected


def test_a_store_that_writes_an_element_once() -> None:
    function = lower("""
    def f(A, n):
        for i in range(n):
            for j in range(n):
                A[i, j] = 1.0
                A[i, 0] = 2.0
    """)
    first, second = accesses(function, Store)
    subscripts = Subscripts(function)
    assert not subscripts.may_write_twice(first)
    assert subscripts.may_write_twice(second)
    assert subscripts.may_overwrite_later(first, second)


def test_between_a_load_and_its_use() -> None:
    function = lower("""
    def f(x, n):
        for t in range(n):
            for i in range(1, n):
                a = x[i]
                x[i - 1] = a
                b = tanh(a)
                x[i] = b
    """)
    load, (before, after) = accesses(function, Load)[0], accesses(function, Store)
    use = next(node for node in accesses(function, Apply) if node.function is np.tanh)
    subscripts = Subscripts(function)
    assert subscripts.may_overwrite_later(load, before)
    assert not subscripts.may_overwrite_between(load, before, use)
    assert not subscripts.may_overwrite_between(load, after, use)
    assert subscripts.may_overwrite_between(load, after, after) is False


def test_between_reaches_through_whole_loops() -> None:
    function = lower("""
    def f(x, n):
        for t in range(n):
            a = x[0]
            for i in range(n):
                x[i] = 1.0
            b = tanh(a)
    """)
    use = next(node for node in accesses(function, Apply) if node.function is np.tanh)
    load, store = accesses(function, Load)[0], accesses(function, Store)[0]
    assert Subscripts(function).may_overwrite_between(load, store, use)


def test_an_array_made_in_each_iteration_is_another_array_next_time() -> None:
    function = lower("def f(x, n):\n for i in range(n):\n  y = copy(x)\n  y[0] = y[1]")
    load, store = accesses(function, Load)[0], accesses(function, Store)[0]
    assert Subscripts(function).may_overwrite_later(load, store)


def test_branches_that_exclude_each_other() -> None:
    text = "def f(x, n):\n if n > 3:\n  a = x[0]\n else:\n  x[0] = 1.0"
    assert unstable(text) == set()


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_never_overwrite_what_was_called_stable(seed: int) -> None:
    rng = random.Random(seed)
    unstable(random_program(rng))


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_meet_across_iterations_only_where_they_may(seed: int) -> None:
    function = lower(random_program(random.Random(seed)))
    subscripts = Subscripts(function)
    for size in (2, 3, 5):
        met = met_across(run(function, size, random.Random(size)))
        missed = [triple for triple in met if not subscripts.may_meet_across(*triple)]
        assert not missed, [(first.loc.statement, second.loc.statement) for _, first, second in missed]


def test_iterations_that_do_not_meet() -> None:
    function = lower("""
    def f(L, n):
        for t in range(n):
            for i in range(n - 1):
                L[t, i] = L[t, i] * 2.0
                L[i, 0] = L[i + 1, 0]
    """)
    subscripts = Subscripts(function)
    outer, inner = (node for node in walk(function.body) if isinstance(node, For))
    (own, above), (mine, other) = accesses(function, Load), accesses(function, Store)
    assert not subscripts.may_meet_across(inner, own, mine)
    assert not subscripts.may_meet_across(outer, own, mine)
    assert subscripts.may_meet_across(inner, above, other)
    assert not subscripts.may_meet_across(inner, other, above)
    assert subscripts.may_meet_across(outer, other, above)


def random_program(rng: random.Random) -> str:
    """A program of loops, branches and slices over one vector, its subscripts kept below the length."""
    lines = ["def f(x, n):", "  k = 0"]

    def index(loops: list[str]) -> str:
        name, factor = rng.choice([*loops, *loops, "k", "n"]), rng.choice((1, 1, 1, 2, -1))
        text = f"{name} * {factor} + {rng.randint(-2, 3)}"
        return rng.choice((text, f"max({text}, 0)", f"({text}) // 2", f"{rng.randint(-1, 2)}"))

    def statements(depth: int, loops: list[str]) -> None:
        pad = "  " * (depth + 1)
        for _ in range(rng.randint(1, 3)):
            choice = rng.random() if len(lines) < 24 else 1.0
            if choice < 0.35 and depth < 3:
                name = "ijl"[len(loops)]
                low = rng.choice(["0", "1", "2", *loops])
                ends = (f"{low}, n", f"{low}, n - 1", f"n - 1, {low}, -1", f"{low}, n, 2", "n - 1, -1, -2")
                bounds = rng.choice(ends)
                lines.append(f"{pad}for {name} in range({bounds}):")
                statements(depth + 1, [*loops, name])
            elif choice < 0.45 and loops:
                lines.append(f"{pad}if {loops[-1]} {rng.choice(('<', '>=', '==', '!='))} {index(loops)}:")
                statements(depth + 1, loops)
            elif choice < 0.55:
                lines.append(f"{pad}k += {rng.choice((1, 2, -1))}")
            elif choice < 0.65:
                low, high = rng.choice(("", "1", "-2")), rng.choice(("", "-1", "3"))
                lines.append(f"{pad}x[{low}:{high}:{rng.choice(('', '2', '-1'))}] = 1.0")
            else:
                first, second = index(loops), index(loops)
                lines.append(f"{pad}if ({first}) < n:")
                lines.append(f"{pad}  if ({second}) < n:")
                lines.append(f"{pad}    x[{first}] = x[{second}] * 2.0")

    for _ in range(2):
        statements(0, [])
    return "\n".join(lines)


# Integers ------------------------------------------------------------------------------------------


def test_affine_expressions_cancel_and_compare() -> None:
    x, y = variable("x"), variable("y")
    assert x + y - x == y
    assert (x + 2).scale(3) - 6 == x.scale(3)
    assert x - x == Affine()


def test_infeasible_proves_only_what_is_so() -> None:
    x, y = variable("x"), variable("y")
    assert infeasible([equal(x.scale(2), y.scale(2) + 1)])
    assert infeasible([at_least(x.scale(2), 1), at_least(Affine(1), x.scale(2))])
    assert infeasible([at_least(x, y + 1), at_least(y, x)])
    assert not infeasible([at_least(x, y), at_least(y, x)])
    assert not infeasible([at_least(x, 0)])


@pytest.mark.parametrize("seed", range(20))
def test_infeasible_against_enumeration(seed: int) -> None:
    rng = random.Random(seed)
    atoms = "xyz"
    for _ in range(40):
        rows = [
            ([rng.randint(-3, 3) for _ in atoms], rng.randint(-4, 4), rng.random() < 0.3) for _ in range(4)
        ]
        system = [
            (equal if is_equal else at_least)(
                sum((variable(a).scale(c) for a, c in zip(atoms, row, strict=True)), Affine(const)), 0
            )
            for row, const, is_equal in rows
        ]
        if infeasible(system):
            for point in itertools.product(range(-5, 6), repeat=3):
                sums = [(np.dot(row, point) + const, is_equal) for row, const, is_equal in rows]
                assert not all(value == 0 if is_equal else value >= 0 for value, is_equal in sums)


def test_queries_are_few_and_small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a sweep with five neighbours: a system for each level on which a write may come later, none of more than this many constraints."""
    systems: list[int] = []

    def counted(constraints: Iterable[Constraint]) -> bool:
        rows = list(constraints)
        systems.append(len(rows))
        return infeasible(rows)

    monkeypatch.setattr(subscripts_module, "infeasible", counted)
    function = lower("""
    def sor(A, n, m):
        for t in range(m):
            for i in range(1, n - 1):
                for j in range(1, n - 1):
                    A[i, j] = A[i - 1, j] + A[i + 1, j] + A[i, j - 1] + A[i, j + 1] + A[i, j]
    """)
    subscripts = Subscripts(function)
    store = accesses(function, Store)[0]
    verdicts = [subscripts.may_overwrite_later(load, store) for load in accesses(function, Load)]
    assert verdicts == [True] * 5
    assert len(systems) <= 25, systems
    assert max(systems) <= 30, systems
