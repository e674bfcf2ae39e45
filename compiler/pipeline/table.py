"""The table of passes: what a program goes through, in order, each pass with its reason.

A pass is a pure function of a program; a few take more, their `PassInputs`. `WAYS` says what a function goes through on its
way to a derivative. Two entries mark what is no pass: the function is lowered before the first, and at "derivative" the
reversal, or forward mode, writes a program of its own (`programs/`).
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from backsweep.pipeline.derivative import (
    CALLED,
    CHECKPOINTED,
    DERIVATIVE,
    LAST,
    LOOPS,
    MEMORY,
    PREPARED,
    REVERSAL,
    SILENT,
    TANGENTS,
    UNMARKED,
    WHOLE,
    WRITTEN,
)
from backsweep.pipeline.passes import WITHOUT, Passes, named_to_leave_out
from backsweep.pipeline.primal import (
    AGAIN,
    COMPLETE,
    CORE,
    ENTRY,
    EXPANDED,
    PRIMAL,
    PROTECTED,
    SHARED_RESULTS,
    SIMPLIFY,
    TO_PRIMAL,
    TRACED,
    TYPED,
)
from backsweep.requests import expect

__all__ = [
    "AGAIN",
    "CALLED",
    "CHECKPOINTED",
    "COMPLETE",
    "CORE",
    "DERIVATIVE",
    "ENTRY",
    "EXPANDED",
    "GROUPS",
    "LAST",
    "LOOPS",
    "MEMORY",
    "OPTIONAL",
    "PREPARED",
    "PRIMAL",
    "PROTECTED",
    "REVERSAL",
    "SHARED_RESULTS",
    "SILENT",
    "SIMPLIFY",
    "TANGENTS",
    "TO_PRIMAL",
    "TRACED",
    "TYPED",
    "UNMARKED",
    "WAYS",
    "WHOLE",
    "WITHOUT",
    "WRITTEN",
    "left_out",
]

AFTER: Passes = (*WRITTEN, *DERIVATIVE, *LOOPS, *LAST, *WHOLE)
WAYS: Mapping[str, Passes] = {
    "reverse": (*TO_PRIMAL, *AGAIN, CHECKPOINTED, *PREPARED, *SHARED_RESULTS, REVERSAL, *AFTER),
    "forward": (*TO_PRIMAL, *AGAIN, UNMARKED, *PREPARED, TANGENTS, *AFTER),
}
"""All that a function goes through on its way to its derivative in each mode."""
GROUPS = (TYPED, ENTRY, CORE, PROTECTED, PRIMAL, AGAIN, PREPARED, WRITTEN, DERIVATIVE, LOOPS, LAST, WHOLE)
OPTIONAL = tuple(dict.fromkeys(each.name for group in GROUPS for each in group if each.optional))
"""The names of the passes that may be left out."""


def left_out() -> frozenset[str]:
    """The names of the passes that the environment leaves out; ArgumentError for one that is needed, or is no pass."""
    given, names = os.environ.get(WITHOUT, ""), named_to_leave_out()
    for name in sorted(names.difference(OPTIONAL)):
        known = any(each.name == name for group in GROUPS for each in group)
        what = f"the pass `{name}` is needed" if known else f"there is no pass `{name}`"
        wanted = "names of passes that only save work, separated by commas"
        expect(WITHOUT, given, wanted, fits=False, remedy=f"{what}; give some of: {', '.join(OPTIONAL)}.")
    return names
