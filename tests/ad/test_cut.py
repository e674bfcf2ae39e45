"""The cheapest set of values to record."""

from __future__ import annotations

from backsweep.analysis.min_cut import INFINITE, cheapest_cut
from backsweep.diagnostics import NOWHERE
from backsweep.ir.nodes import Value
from backsweep.ir.types import FLOAT


def value(name: str) -> Value:
    return Value(name, FLOAT, NOWHERE)


X, Y, U, V, W = map(value, "xyuvw")


def names(values: list[Value]) -> str:
    return "".join(sorted(each.name for each in values))


def test_a_value_that_cannot_be_computed_again_is_recorded() -> None:
    assert names(cheapest_cut([X], {X: None}, {X: 1.0})) == "x"


def test_two_needed_values_of_one_source_record_the_source() -> None:
    inputs = {U: [X], V: [X], X: None}
    assert names(cheapest_cut([U, V], inputs, dict.fromkeys((X, U, V), 1.0))) == "x"


def test_a_needed_value_of_two_sources_is_recorded_itself() -> None:
    inputs = {U: [X, Y], X: None, Y: None}
    assert names(cheapest_cut([U], inputs, dict.fromkeys((X, Y, U), 1.0))) == "u"


def test_of_equal_cuts_the_one_nearest_to_the_need_is_taken() -> None:
    inputs = {V: [U], U: [X], X: None}
    assert names(cheapest_cut([V], inputs, dict.fromkeys((X, U, V), 1.0))) == "v"


def test_what_comes_from_nothing_here_needs_no_record() -> None:
    assert cheapest_cut([U], {U: []}, {U: 1.0}) == []


def test_weights_move_the_cut() -> None:
    inputs = {V: [U, W], U: None, W: None}
    assert names(cheapest_cut([V], inputs, {V: 64.0, U: 1.0, W: 1.0})) == "uw"
    assert names(cheapest_cut([V], inputs, {V: INFINITE, U: 64.0, W: 64.0})) == "uw"
