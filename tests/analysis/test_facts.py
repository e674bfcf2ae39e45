"""What is known of a program is found once, by its owner, and nobody changes it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import backsweep as bs
from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.extents import Shapes, shapes_of
from backsweep.diagnostics import Loc
from backsweep.ir.nodes import Block, Const, Function, fact
from backsweep.ir.types import Array
from tests import zoo
from tests.support.meaning import watched
from tests.support.sampled import turning

COMPILER = Path(bs.__file__).resolve().parent
OWNERS = {
    "Shapes": "analysis/integers/extents.py",
    "Places": "analysis/integers/domains.py",
    "Subscripts": "analysis/integers/dependence.py",
    "IterationOrder": "analysis/order/iterations.py",
    "Facts": "analysis/structure.py",
}
"""The classes of what is known of a program; in a package of the same layout, each is made by its own module alone."""
NAMESAKES = {("Places", "optimise/arrays/lower.py"), ("Facts", "emit/suggested_names.py")}
"""Other classes of the same name."""


def test_each_is_made_by_its_owner() -> None:
    found = [
        (node.func.id, str(path.relative_to(COMPILER)))
        for path in COMPILER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in OWNERS
    ]
    assert not {each for each in found if OWNERS[each[0]] != each[1]} - NAMESAKES


def test_an_analysis_is_made_once_for_a_program() -> None:
    made: list[Function] = []

    @fact
    def size(function: Function) -> int:
        made.append(function)
        return len(function.body.nodes)

    loc = Loc("f.py", "f", 1)
    one, other = (Function("f", Block((), (), (Const(1.0),)), loc) for _ in range(2))
    assert [size(one), size(other), size(one), size(one)] == [0, 0, 0, 0]
    assert made == [one, other]


@pytest.mark.parametrize("case", turning(180, zoo.load()), ids=lambda case: case.name)
def test_nobody_changes_what_is_known(case: zoo.Case) -> None:
    with watched() as steps, suppress(bs.NotScalarError):  # the passes before that ran
        bs.value_and_grad(case.function, argnums=case.argnums, jit=False).stages(*case.args)
    for program in {step.after for step in steps}:  # none where no pass changes anything
        known: dict[Callable[[Function], Any], Any] = program.facts
        if find_aliases.__wrapped__ in known:  # type: ignore[attr-defined]  # what the decorator keeps
            assert find_aliases(program) == find_aliases.__wrapped__(program)  # type: ignore[attr-defined]
        if shapes_of.__wrapped__ in known:  # type: ignore[attr-defined]
            assert alike(shapes_of(program)) == alike(Shapes(program))
            assert shapes_of(program).definitions.keys() == Shapes(program).definitions.keys()


def alike(shapes: Shapes) -> Counter[frozenset[str]]:
    """The arrays of a program, by their shape."""
    groups: dict[Any, set[str]] = {}
    for value in (*shapes.function.body.parameters, *shapes.definitions):
        if isinstance(value.type, Array):
            groups.setdefault(tuple(extent.key for extent in shapes.of(value)), set()).add(
                f"{value.name} {id(value)}"
            )
    return Counter(map(frozenset, groups.values()))
