"""The integer engine against isl, which is exact: never "no dependence" where isl finds one, and seldom "maybe" where it finds none.

A wrong "no" is a wrong gradient: the reverse sweep would read an element that was overwritten.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from backsweep.analysis.integers.dependence import subscripts_of
from backsweep.ir.nodes import For, Load, Store
from backsweep.ir.walk import walk
from tests.analysis.isl_nests import Access, Nest, comes_later, common, meet, pairs, random_nest
from tests.analysis.subscript_programs import lower
from tests.support.sampled import turning

isl = pytest.importorskip("islpy", reason="isl's answers need islpy, of the extra `test`")

MOST_MAYBE = 0.05
"""How often, of what isl knows to be apart, the engine may answer "maybe"."""

Answers = Counter[tuple[bool, bool]]
"""How often the engine answered that two accesses may meet, and how often they do."""


def answers(nest: Nest) -> Answers:
    """All questions about the accesses of a nest, each asked of both; the test fails at a wrong "no"."""
    function = lower(nest.text)
    accesses = [node for node in walk(function.body) if isinstance(node, Load | Store)]
    loops = [node for node in walk(function.body) if isinstance(node, For)]
    subscripts = subscripts_of(function)
    found: Answers = Counter()

    def note(question: str, first: int, second: int, *, may: bool, does: bool) -> None:
        message = (
            f"{question} {nest.accesses[first]} and {nest.accesses[second]}: isl finds a meeting\n{nest.text}"
        )
        assert may or not does, message
        found[may, does] += 1

    for first, second in pairs(nest):
        one, other = nest.accesses[first], nest.accesses[second]
        nodes = accesses[first], accesses[second]
        if isinstance(nodes[1], Store):
            may = subscripts.may_overwrite_later(nodes[0], nodes[1])
            note("later", first, second, may=may, does=comes_later(isl, nest, first, second))
        for level in range(common(one, other)):
            loop = loops[one.loops[level]]
            does = meet(isl, one, other, level, later=True)
            note("across", first, second, may=subscripts.may_meet_across(loop, *nodes), does=does)
            does = meet(isl, one, other, level, later=False)
            note("within", first, second, may=subscripts.may_meet_within(loop, *nodes), does=does)
    return found


@pytest.mark.parametrize("seed", turning(150, range(1000)))
def test_never_no_where_isl_finds_a_dependence(seed: int) -> None:
    answers(random_nest(random.Random(seed)))


def test_seldom_maybe_where_isl_finds_none() -> None:
    found: Answers = sum((answers(random_nest(random.Random(seed))) for seed in range(12)), Counter())
    maybe, known = found[True, False], found[True, False] + found[False, False]
    print(
        f"of {found.total()} questions isl answers `none` to {known}, the engine `maybe` to {maybe} of these"
    )
    assert known > 400
    assert maybe <= MOST_MAYBE * known


def test_the_oracle_itself() -> None:
    """isl's answers to a nest of which they are known: a triangle that each row fills from the row before."""
    row = ("i0 = 1 + 1 * c0", "c0 >= 0", "i0 < n")
    inside = (*row, "i1 = 0 + 1 * c1", "c1 >= 0", "i1 < i0")
    above = Access("A", ("i0 - 1", "i1"), (0, 1), inside, stores=False)
    store = Access("A", ("i0", "i1"), (0, 1), inside, stores=True)
    nest = Nest(accesses=[above, store])
    assert not comes_later(isl, nest, 0, 1)
    assert comes_later(isl, nest, 1, 0)
    assert [meet(isl, store, above, level, later=True) for level in (0, 1)] == [True, False]
    last = Access("A", ("i0", "-1"), (0,), row, stores=False)
    assert meet(isl, store, last, 0, later=False)
