"""All kinds of simple statements with their weights."""

from __future__ import annotations

from tests.fuzz import containers, functions, marks, shapes, statements
from tests.fuzz.program import Statement
from tests.fuzz.scope import Scope

KINDS = (
    (statements.assign_float, 5),
    (statements.element_store, 5),
    (statements.slice_store, 3),
    (statements.new_view, 2),
    (statements.new_vector, 2),
    (statements.written_then_read, 1),
    (statements.swap, 2),
    (statements.whole_update, 1),
    (statements.integer, 2),
    (statements.conditional_value, 1),
    (statements.tuples, 1),
    (statements.call_on_array, 1),
    (statements.change_of_type, 1),
    (statements.new_matrix, 1),
    (statements.accumulate, 1),
    (statements.new_list, 1),
    (statements.change_list, 2),
    (statements.read_list, 1),
    (statements.scatter, 1),
    (functions.inner_function, 1),
    (functions.call, 1),
    (functions.call_with_function, 1),
    (functions.overlapping, 1),
    (functions.recursion, 1),
    (containers.nested, 1),
    (containers.record, 1),
    (containers.arrays_in_tuple, 1),
    (containers.zipped, 1),
    (containers.lists_handed_on, 1),
    (shapes.reshaped, 1),
    (shapes.single, 1),
    (shapes.table, 1),
    (shapes.masked, 1),
    (shapes.cube, 1),
    (shapes.whole_number, 1),
    (shapes.pairs, 1),
    (marks.hooked_number, 0.5),
    (marks.hooked_array, 0.5),
    (marks.stopped, 0.5),
    (marks.with_pullback, 0.7),
)
"""Each simple statement with its weight."""
FAVOUR = 6
SECOND_NAMES = {"new_view", "swap", "arrays_in_tuple", "record", "call_on_array"}
"""What gives memory a second name: refused without derivative, where the first has one."""


def simple(scope: Scope) -> list[Statement]:
    """One random simple statement (now and then two that belong together)."""
    weights = [weight * (FAVOUR if kind.__name__ in scope.family.favoured else 1) for kind, weight in KINDS]
    kinds = [kind for kind, _ in KINDS]
    if scope.quiet:
        weights = [
            0 if kind.__name__ in SECOND_NAMES else weight
            for kind, weight in zip(kinds, weights, strict=True)
        ]
    found: list[Statement] = scope.rng.choices(kinds, weights)[0](scope)
    return found
