"""The table of passes: what must come before what does, and no pass calls another."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from backsweep.pipeline import table as pipeline

ROOT = Path(pipeline.__file__).parent
PASSES = tuple(each for way in pipeline.WAYS.values() for each in way)
ROOMS = ("legalise", "optimise", "ad", "analysis", "emit")
"""Whose modules transform programs. `interprocedural/` makes programs of its own and cleans them."""


@pytest.mark.parametrize("way", pipeline.WAYS)
def test_what_must_come_before_does(way: str) -> None:
    order = [each.name for each in pipeline.WAYS[way]]
    for place, each in enumerate(pipeline.WAYS[way]):
        for before in each.after:
            assert before in order[:place], f"{each.name} has to come after {before}"


def test_every_group_is_on_a_way() -> None:
    on_ways = {each.name for each in PASSES}
    assert [each.name for group in pipeline.GROUPS for each in group if each.name not in on_ways] == []


def test_a_pass_that_comes_twice_has_one_reason_for_each_place() -> None:
    for way in pipeline.WAYS.values():
        for one, other in itertools.pairwise(way):
            assert one.name != other.name or one is other


def calls(path: Path) -> Iterator[str]:
    """The names of the functions of others that a module calls."""
    tree = ast.parse(path.read_text("utf-8"))
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in own:
            yield node.func.id


def test_no_pass_calls_a_pass() -> None:
    entries = {each.run.__name__ for each in PASSES if inspect.isfunction(each.run)} - {"<lambda>", "checked"}
    inner = {"protect_arguments", "infer_types"}
    """Parts of another entry: what it does before it does more."""
    found = {
        (str(path.relative_to(ROOT)), name)
        for room in ROOMS
        for path in (ROOT / room).rglob("*.py")
        for name in calls(path)
        if name in (entries | {"eliminate_dead_code"}) - inner
    }
    assert found == set()
