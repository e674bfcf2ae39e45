"""Families of constructs: what the generator is turned to, one at a time or all of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """How often a block holds what: the shares of loops, `while` loops, branches and exits, the number of statements
    at the top, the kinds of simple statements that come six times as often as else, and the shares of
    expressions with a hook or without derivative, and of blocks without. With `names`, adjoints of variables are asked
    for by name.
    """

    loops: float = 0.25
    whiles: float = 0.08
    branches: float = 0.12
    exits: float = 0.15
    statements: tuple[int, int] = (3, 7)
    favoured: frozenset[str] = frozenset()
    marks: float = 0.01
    stops: float = 0.01
    names: bool = False


ALL = Family()
FAMILIES = {
    "all": ALL,
    "loops": Family(
        0.3, 0.15, 0.15, 0.35, (2, 4), frozenset({"integer", "assign_float", "element_store", "pairs"})
    ),
    "memory": Family(
        0.2,
        0.05,
        0.1,
        0.05,
        (3, 6),
        frozenset({"new_view", "swap", "slice_store", "whole_update", "overlapping", "written_then_read"}),
    ),
    "calls": Family(
        0.2,
        0.05,
        0.1,
        0.1,
        (3, 5),
        frozenset({"inner_function", "call", "call_on_array", "call_with_function", "recursion"}),
    ),
    "recursion": Family(0.2, 0.05, 0.15, 0.1, (2, 4), frozenset({"recursion"})),
    "shapes": Family(
        0.2,
        0.05,
        0.1,
        0.05,
        (3, 5),
        frozenset({"reshaped", "single", "table", "masked", "cube", "new_matrix", "scatter", "whole_number"}),
    ),
    "containers": Family(
        0.25,
        0.05,
        0.1,
        0.1,
        (3, 5),
        frozenset(
            {
                "tuples",
                "nested",
                "lists_handed_on",
                "record",
                "arrays_in_tuple",
                "zipped",
                "new_list",
                "change_list",
                "read_list",
            }
        ),
    ),
    "hooks": Family(
        0.25,
        0.08,
        0.12,
        0.1,
        (3, 6),
        frozenset({"hooked_number", "hooked_array", "stopped", "with_pullback"}),
        marks=0.06,
        stops=0.08,
        names=True,
    ),
}
"""By name, as `--family` takes them."""
