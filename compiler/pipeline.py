"""The table of passes: what a program goes through, in order, each pass with its reason.

A pass is a pure function of a program; those that ask Numba for types take the arguments' types besides. What comes
between two groups is no pass: the function is lowered before the first, the derivative is written (`sweeps.py`)
before the group "derivative", and the text is written after the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from backsweep.ad.intermediates import without_optional_taps
from backsweep.interprocedural.by_reference import calls_in_place
from backsweep.interprocedural.summaries import refuse_shared
from backsweep.ir.dead_code import prune
from backsweep.ir.nodes import Function
from backsweep.ir.show import show
from backsweep.ir.verify import verify
from backsweep.legalise.arrays.broadcast_hoisting import settled
from backsweep.legalise.arrays.broadcasting import align
from backsweep.legalise.arrays.complex_conversions import complex_made_explicit
from backsweep.legalise.arrays.complex_views import no_imaginary_views
from backsweep.legalise.arrays.ellipsis import without_dots
from backsweep.legalise.arrays.equal_extents import without_proved_checks
from backsweep.legalise.arrays.without_axes import numbers_read
from backsweep.legalise.contiguous import copies_in_words
from backsweep.legalise.counts import counted_in_int64
from backsweep.legalise.definite_assignment import paths_completed
from backsweep.legalise.layouts import carried_in_one_layout
from backsweep.legalise.library.expand import expand
from backsweep.legalise.library.gather_scatter import spelled_out_masks
from backsweep.legalise.lists.branch_lists import made_before_branches
from backsweep.legalise.lists.growable_arrays import lists_to_arrays
from backsweep.legalise.lists.lists_of_arrays import lists_of_arrays
from backsweep.legalise.normalise import normalise
from backsweep.legalise.overlap_check import arguments_protected
from backsweep.legalise.promotion import promoted
from backsweep.legalise.subscript_checks import with_checks
from backsweep.legalise.unsupported import refuse_uncountable
from backsweep.optimise.accumulation_fusion import with_terms
from backsweep.optimise.arrays.lower import array_loops
from backsweep.optimise.dead_stores import without_unread_stores
from backsweep.optimise.equal_tapes import without_equal_lists
from backsweep.optimise.loops.distribution import distributed
from backsweep.optimise.loops.fission import split
from backsweep.optimise.loops.invariant_rows import with_rows
from backsweep.optimise.loops.reductions import summed
from backsweep.optimise.loops.reversal import forward_order
from backsweep.optimise.loops.separation import separated
from backsweep.optimise.loops.sweep_fusion import united
from backsweep.optimise.redundant_loads import reuse_elements
from backsweep.optimise.rematerialise import spread
from backsweep.optimise.shared_tapes import gathered
from backsweep.optimise.simplify import simplify
from backsweep.runtime.support.compiling import compiling
from backsweep.typing.propagate import completely_typed, typed_again, typed_by_numba


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: `run` takes a program, and Numba's types of its arguments where it `asks` Numba, and gives a program."""

    name: str
    reason: str
    run: Callable[..., Function]
    asks: bool = False


Passes = tuple[Pass, ...]
Stages = list[tuple[Pass, Function]]
"""The passes that ran, each with the program that it gave."""


def only_checked(check: Callable[[Function], None]) -> Callable[[Function], Function]:
    """A pass that changes nothing, and raises an error for what is refused."""

    def checked(function: Function) -> Function:
        check(function)
        return function

    return checked


def repeated(run: Callable[[Function], Function], times: int = 2) -> Callable[[Function], Function]:
    """A pass that runs again while it finds something to change, so many times at most."""

    def settled_(function: Function) -> Function:
        for _ in range(times):
            before, function = function, run(function)
            if function is before:
                break
        return function

    return settled_


SIMPLIFY = Pass("simplify", "neutral operations go, signs are gathered, repeated work is done once", simplify)
SIMPLIFY_TWICE = Pass("simplify", f"{SIMPLIFY.reason}; what that leaves, once more", repeated(simplify))

TYPED: Passes = (
    Pass(
        "lowered",
        "the function's own statements, calls of the user's functions written out",
        lambda function: function,
    ),
    Pass("types", "Numba is asked for the type of every value", typed_by_numba, asks=True),
    Pass("optional taps", "a variable that holds no number has no adjoint to show", without_optional_taps),
    Pass(
        "masks",
        "Numba has a wrong type for reads at masks of several axes: they become vectors",
        spelled_out_masks,
    ),
    Pass("types of masks", "what that changed is typed", typed_again, asks=True),
    Pass(
        "counts",
        "a count that is unsigned or short is converted to int64: passes compute with counts",
        counted_in_int64,
    ),
    Pass("types of counts", "what that changed is typed", typed_again, asks=True),
    Pass(
        "normalise",
        "elements, views and items of tuples are told apart; `x += y` is a store or an addition",
        normalise,
    ),
    Pass("promotion", "integers of which NumPy and Numba make other floats are converted", promoted),
    Pass("countable", "a range of floats is refused", only_checked(refuse_uncountable)),
)
"""From the program as it was lowered to one in which every value has a type."""

CORE: Passes = (
    Pass("checks", "a subscript that is not proved to be in bounds raises, as in Python", with_checks),
    Pass("sides", "a list that branches fill is made before them", made_before_branches),
    Pass("lists of arrays", "a list of arrays is a tape: appended to, and read at an index", lists_of_arrays),
    Pass("lists of numbers", "a list of numbers is an array that grows", lists_to_arrays),
    Pass("dots", "`...` in an index is written out as the axes that it stands for", without_dots),
    Pass("expand", "library calls that have no rule are written in the core language", expand),
    Pass("complex", "a real number that becomes complex says so", complex_made_explicit),
    Pass("without axes", "the number in an array without axes is read", numbers_read),
    Pass("complex views", "no view of the imaginary part of written memory is left", no_imaginary_views),
    Pass("prune", "what nobody reads goes, before shapes are asked for", prune),
    Pass("equal extents", "a check of extents that are proved equal goes", without_proved_checks),
    Pass("settle", "what a loop would broadcast in every round is broadcast before it", settled),
    Pass("align", "broadcasting that is not proved is explicit, so that its adjoint is, too", align),
    Pass(
        "contiguous",
        "whether written memory is a view or a copy is decided here, by its layout",
        copies_in_words,
    ),
)
"""From there to the core language, in which every operation has one meaning and one rule."""

PROTECTED: Passes = (
    Pass(
        "shared",
        "results and arguments that share memory in a way that no adjoint follows are refused",
        only_checked(refuse_shared),
    ),
    Pass(
        "arguments", "an array that the caller gives is copied if the function writes it", arguments_protected
    ),
)
"""What the caller's arrays need."""

PRIMAL: Passes = (
    Pass(
        "reuse",
        "an element of a buffer is read once between two writes, so that it is recorded once",
        reuse_elements,
    ),
    SIMPLIFY,
    Pass("paths", "a variable that some path leaves unassigned has a value on that path", paths_completed),
    Pass("layouts", "an array that a loop carries or a branch chooses has one layout", carried_in_one_layout),
)
"""The program that derivatives are written from."""

WRITTEN: Passes = (
    Pass("derivative", "what the reversal, or the tangents, wrote", lambda function: function),
    SIMPLIFY_TWICE,
)
"""The derivative before its values have types: the fewer there are to ask for."""

DERIVATIVE: Passes = (
    Pass(
        "types",
        "what the derivative computes is typed, by Numba where it does not follow",
        completely_typed,
        asks=True,
    ),
    SIMPLIFY,
    Pass("dead stores", "a store that nothing reads goes", without_unread_stores),
    Pass("prune", "what only dead stores read goes", prune),
    Pass("equal tapes", "two tapes of one value are one", without_equal_lists),
    Pass(
        "by reference",
        "a call that returns the new contents of its arguments writes them instead",
        calls_in_place,
    ),
    Pass(
        "terms",
        "what is added to an array just after it was computed is a term of its expression",
        with_terms,
    ),
    Pass("order", "a reversed loop whose iterations commute runs forwards", forward_order),
)
"""The derivative in its shortest form, with statements of whole arrays."""

LOOPS: Passes = (
    Pass("array loops", "statements of whole arrays become loops, fused where they may be", array_loops),
    Pass("order", "so do the loops that this made", forward_order),
    SIMPLIFY,
    Pass("separate", "calls that do not wait for one another run in loops of their own", separated),
    Pass("fission", "a loop that adds to neighbouring elements is split", split),
    Pass("sums", "what each iteration adds to one element is summed in a number first", summed),
    Pass("distribute", "roots and quotients are computed first and added up afterwards", distributed),
    Pass("rows", "a row of numbers that every round computes again is computed before them", with_rows),
    Pass("unite", "loops of the two sweeps that read in memory where to go become one", united),
)
"""What makes loops fast; left out where the text is to be read in array notation."""

LAST: Passes = (
    SIMPLIFY_TWICE,
    Pass("spread", "integers that cost nothing are computed where they are read", spread),
    Pass("tapes", "many tapes of one shape are parts of one array", gathered),
)
"""The form that is written as text."""


def run(passes: Passes, function: Function, stages: Stages, arguments: Sequence[Any] = ()) -> Function:
    """The program after these passes, in order; `stages` gets what each made of it.

    Raises what a pass refuses the program with, and AssertionError if they leave a program that is none.
    """
    for each in passes:
        compiling.check()
        function = each.run(function, arguments) if each.asks else each.run(function)
        stages.append((each, function))
    verify(function)
    return function


def show_stages(stages: Stages) -> str:
    """The program after each pass, as text."""
    parts, before = [], None
    for each, function in stages:
        text = show(function)
        parts.append(f"# {each.name}: {each.reason}\n{'# (unchanged)' if text == before else text}")
        before = text
    return "\n\n".join(parts)
