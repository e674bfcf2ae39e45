"""The table of passes: what a program goes through, in order, each pass with its reason.

A pass is a pure function of a program; those that ask Numba for types take the arguments' types besides. What comes
between two groups is no pass: the function is lowered before the first, the derivative is written (`sweeps.py`)
before the group "derivative", and the text is written after the last.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from backsweep.ad.intermediates import remove_optional_taps
from backsweep.analysis.integers.relations import Relations
from backsweep.interprocedural.by_reference import pass_by_reference
from backsweep.interprocedural.summaries import refuse_shared_results
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Function
from backsweep.ir.verify import verify
from backsweep.legalise.arrays.broadcast_hoisting import hoist_broadcasts
from backsweep.legalise.arrays.broadcasting import make_broadcasting_explicit
from backsweep.legalise.arrays.clipped_slices import separate_clipped_slices
from backsweep.legalise.arrays.complex_conversions import make_complex_explicit
from backsweep.legalise.arrays.complex_views import remove_imaginary_views
from backsweep.legalise.arrays.crossing_stores import copy_crossing_values
from backsweep.legalise.arrays.ellipsis import write_out_ellipsis
from backsweep.legalise.arrays.equal_extents import remove_proved_checks
from backsweep.legalise.arrays.known_extents import write_constant_extents, write_known_extents
from backsweep.legalise.arrays.without_axes import read_arrays_without_axes
from backsweep.legalise.contiguous import copy_turned_arrays, make_copies_explicit
from backsweep.legalise.counts import convert_counts
from backsweep.legalise.definite_assignment import complete_paths
from backsweep.legalise.layouts import unify_layouts
from backsweep.legalise.library.expand import expand_library_calls
from backsweep.legalise.library.gather_scatter import write_out_masks
from backsweep.legalise.library.joined_lengths import check_joined_lengths, remove_repeated_checks
from backsweep.legalise.library.products_of_parts import write_products_of_parts
from backsweep.legalise.lists.branch_lists import make_lists_before_branches
from backsweep.legalise.lists.growable_arrays import lists_to_arrays
from backsweep.legalise.lists.lists_of_arrays import legalise_lists_of_arrays
from backsweep.legalise.normalise import normalise
from backsweep.legalise.overlap_check import protect_written_arguments
from backsweep.legalise.promotion import convert_promoted_integers
from backsweep.legalise.single_rounds import write_single_rounds_out
from backsweep.legalise.subscript_checks import check_subscripts
from backsweep.legalise.unsupported import refuse_uncountable, refuse_unknown_writes
from backsweep.optimise.accumulation_fusion import fuse_accumulations
from backsweep.optimise.arrays.lower import lower_arrays_to_loops
from backsweep.optimise.arrays.mirrored_products import join_mirrored_products
from backsweep.optimise.arrays.scratch import make_scratch_once
from backsweep.optimise.arrays.small_matrices import write_small_matrices
from backsweep.optimise.copied_elements import read_copied_elements
from backsweep.optimise.dead_stores import eliminate_dead_stores
from backsweep.optimise.equal_tapes import merge_equal_tapes
from backsweep.optimise.forwarded_elements import forward_elements
from backsweep.optimise.invariant_calls import hoist_invariant_calls
from backsweep.optimise.loops.distribution import distribute_loops
from backsweep.optimise.loops.exchange import exchange_loops
from backsweep.optimise.loops.fission import split_neighbouring_stores
from backsweep.optimise.loops.gathering import gather_neighbours
from backsweep.optimise.loops.invariant_rows import hoist_invariant_rows
from backsweep.optimise.loops.reductions import privatise_reductions
from backsweep.optimise.loops.reversal import run_loops_forwards
from backsweep.optimise.loops.separation import separate_calls
from backsweep.optimise.loops.sweep_fusion import fuse_sweeps
from backsweep.optimise.redundant_loads import eliminate_redundant_loads
from backsweep.optimise.rematerialise import rematerialise_indices
from backsweep.optimise.repeated_arrays import compute_arrays_once, factorise_once
from backsweep.optimise.scaled_products import scale_products
from backsweep.optimise.shared_tapes import share_tapes
from backsweep.optimise.simplify import simplify
from backsweep.requests import expect
from backsweep.runtime.support.compiling import compiling
from backsweep.typing.propagate import complete_types, infer_types, infer_types_again


@dataclass(frozen=True, slots=True)
class Given:
    """What there is besides a program: Numba's types of its arguments, and the relations between extents that it may assume."""

    arguments: Sequence[Any] = ()
    relations: Relations = ()


NOTHING = Given()


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: `run` makes another program of a program, and of what it `takes` of what is given besides.

    A program means the same without an `optional` pass: it only saves work. What it `leaves` unread goes at once: dead code
    is eliminated behind it. It comes `after` the passes of these names, wherever these run.
    """

    name: str
    reason: str
    run: Callable[..., Function]
    takes: str = ""
    optional: bool = False
    leaves: bool = False
    after: tuple[str, ...] = ()

    def __call__(self, function: Function, given: Given = NOTHING) -> Function:
        """The program after the pass."""
        found = self.run(function, getattr(given, self.takes)) if self.takes else self.run(function)
        return eliminate_dead_code(found) if self.leaves else found


Passes = tuple[Pass, ...]
Stages = list[tuple[Pass, Function]]
"""The passes that ran, each with the program that it gave."""


def only_checked(check: Callable[[Function], None]) -> Callable[[Function], Function]:
    """A pass that changes nothing, and raises an error for what is refused."""

    def checked(function: Function) -> Function:
        check(function)
        return function

    return checked


SIMPLIFY = Pass(
    "simplify",
    "neutral operations go, signs are gathered, repeated work is done once",
    simplify,
    optional=True,
    leaves=True,
)

TYPED: Passes = (
    Pass(
        "lowered",
        "the function's own statements, calls of the user's functions written out",
        lambda function: function,
    ),
    Pass(
        "single rounds",
        "a `while True` that is left after its first round carries nothing: its statements take its place",
        write_single_rounds_out,
    ),
    Pass("types", "Numba is asked for the type of every value", infer_types, takes="arguments"),
    Pass("optional taps", "a variable that holds no number has no adjoint to show", remove_optional_taps),
    Pass(
        "masks",
        "Numba has a wrong type for reads at masks of several axes: they become vectors",
        write_out_masks,
    ),
    Pass("types of masks", "what that changed is typed", infer_types_again, takes="arguments"),
    Pass(
        "counts",
        "a count that is unsigned or short is converted to int64: passes compute with counts",
        convert_counts,
    ),
    Pass("types of counts", "what that changed is typed", infer_types_again, takes="arguments"),
    Pass(
        "normalise",
        "elements, views and items of tuples are told apart; `x += y` is a store or an addition",
        normalise,
    ),
    Pass(
        "promotion",
        "integers of which NumPy and Numba make other floats are converted",
        convert_promoted_integers,
    ),
    Pass("countable", "a range of floats is refused", only_checked(refuse_uncountable)),
    Pass(
        "unknown writes",
        "a call that can only be there for what it writes into its arguments is refused, unless that is known",
        only_checked(refuse_unknown_writes),
    ),
)
"""From the program as it was lowered to one in which every value has a type."""

EXPANDED: Passes = (
    Pass(
        "subscript checks",
        "a subscript that is not proved to be in bounds raises, as in Python",
        check_subscripts,
    ),
    Pass("branch lists", "a list that branches fill is made before them", make_lists_before_branches),
    Pass(
        "lists of arrays",
        "a list of arrays is a tape: appended to, and read at an index",
        legalise_lists_of_arrays,
    ),
    Pass("lists of numbers", "a list of numbers is an array that grows", lists_to_arrays),
    Pass("ellipsis", "`...` in an index is written out as the axes that it stands for", write_out_ellipsis),
    Pass(
        "library calls",
        "library calls that have no rule are written in the core language",
        expand_library_calls,
    ),
)
"""From there to a program in which every library call has a rule."""

CORE: Passes = (
    *EXPANDED,
    Pass("complex conversions", "a real number that becomes complex says so", make_complex_explicit),
    Pass("arrays without axes", "the number in an array without axes is read", read_arrays_without_axes),
    Pass("complex views", "no view of the imaginary part of written memory is left", remove_imaginary_views),
    Pass(
        "joined lengths",
        "arrays that a product joins are checked to fit, even if nobody computes it",
        check_joined_lengths,
    ),
    Pass("dead code", "what nobody reads goes, before shapes are asked for", eliminate_dead_code),
    Pass(
        "products of parts",
        "in a loop, a product of rows is a loop over elements, of which more is known",
        write_products_of_parts,
    ),
    Pass("constant extents", "an extent that is known to be a number is one", write_constant_extents),
    Pass("equal extents", "a check of extents that are proved equal goes", remove_proved_checks),
    Pass(
        "clipped slices",
        "a store in a loop whose slices may end with their arrays has a branch for slices that do not",
        separate_clipped_slices,
    ),
    Pass(
        "broadcast hoisting",
        "what a loop would broadcast in every round is broadcast before it",
        hoist_broadcasts,
    ),
    Pass(
        "broadcasting",
        "broadcasting that is not proved is explicit, so that its adjoint is, too",
        make_broadcasting_explicit,
    ),
    Pass(
        "contiguous",
        "whether written memory is a view or a copy is decided here, by its layout",
        make_copies_explicit,
    ),
    Pass(
        "crossing stores",
        "a vector that is stored across itself is copied first, as Numba does and NumPy not always",
        copy_crossing_values,
    ),
)
"""From typed values to the core language, in which every operation has one meaning and one rule."""

PROTECTED: Passes = (
    Pass(
        "shared results",
        "results and arguments that share memory in a way that no adjoint follows are refused",
        only_checked(refuse_shared_results),
    ),
    Pass(
        "written arguments",
        "an array that the caller gives is copied if the function writes it",
        protect_written_arguments,
    ),
)
"""What the caller's arrays need."""

PRIMAL: Passes = (
    Pass(
        "scaled products",
        "a factor of a matrix multiplies the product instead, which has fewer elements",
        scale_products,
        optional=True,
    ),
    Pass(
        "repeated arrays",
        "an array that is computed again from the same memory is computed, and recorded, once",
        compute_arrays_once,
        optional=True,
    ),
    Pass(
        "copied elements",
        "an element that no store has reached is read where it was copied from: it is not recorded",
        read_copied_elements,
        optional=True,
    ),
    Pass(
        "redundant loads",
        "an element of a buffer is read once between two writes, so that it is recorded once",
        eliminate_redundant_loads,
        optional=True,
    ),
    Pass(
        "forwarded elements",
        "an element of a scratch array is computed where it is read, if that is cheap: the array is not needed",
        forward_elements,
        optional=True,
    ),
    Pass(
        "invariant calls",
        "exp and its like of elements that a loop only reads are computed before it, and recorded in no iteration",
        hoist_invariant_calls,
        optional=True,
    ),
    Pass("dead code", "the loops that only filled such arrays go", eliminate_dead_code, optional=True),
    SIMPLIFY,
    Pass(
        "definite assignment",
        "a variable that some path leaves unassigned has a value on that path",
        complete_paths,
    ),
    Pass("layouts", "an array that a loop carries or a branch chooses has one layout", unify_layouts),
)
"""The program that derivatives are written from."""

WRITTEN: Passes = (
    Pass("derivative", "what the reversal, or the tangents, wrote", lambda function: function),
    SIMPLIFY,
    SIMPLIFY,  # what the first leaves is often neutral itself
)
"""The derivative before its values have types: the fewer there are to ask for."""

DERIVATIVE: Passes = (
    Pass(
        "types of the derivative",
        "what the derivative computes is typed, by Numba where it does not follow",
        complete_types,
        takes="arguments",
    ),
    Pass(
        "turned arrays",
        "an array that was computed again in Fortran's order is copied before it takes another shape",
        copy_turned_arrays,
    ),
    Pass(
        "known extents",
        "an extent has one name, whichever array it is asked of",
        write_known_extents,
        optional=True,
    ),
    SIMPLIFY,
    Pass("dead stores", "a store that nothing reads goes", eliminate_dead_stores, optional=True),
    Pass("dead code", "what only dead stores read goes", eliminate_dead_code, optional=True),
    Pass(
        "repeated checks",
        "lengths that a product compares itself are not compared before",
        remove_repeated_checks,
        optional=True,
        leaves=True,
    ),
    Pass(
        "repeated factorisations",
        "a product, an inverse or a solution that is computed again from the same memory is computed once",
        factorise_once,
        optional=True,
    ),
    Pass(
        "mirrored products",
        "a product and the transpose of its mirror image are added with one product",
        join_mirrored_products,
        optional=True,
    ),
    Pass("equal tapes", "two tapes of one value are one", merge_equal_tapes, optional=True),
    Pass(
        "by reference",
        "a call that returns the new contents of its arguments writes them instead",
        pass_by_reference,
        optional=True,
    ),
    Pass(
        "accumulation fusion",
        "what is added to an array just after it was computed is a term of its expression",
        fuse_accumulations,
        optional=True,
    ),
    Pass(
        "loop reversal",
        "a reversed loop whose iterations commute runs forwards",
        run_loops_forwards,
        optional=True,
    ),
)
"""The derivative in its shortest form, with statements of whole arrays."""

LOOPS: Passes = (
    Pass(
        "small matrices",
        "a product of small matrices is a sum: its loops are faster than a call of BLAS",
        write_small_matrices,
        optional=True,
    ),
    Pass(
        "array loops",
        "statements of whole arrays become loops, fused where they may be",
        lower_arrays_to_loops,
        optional=True,
        leaves=True,
    ),
    Pass("known extents", "so have the extents that these loops run to", write_known_extents, optional=True),
    Pass("loop reversal", "so do the loops that this made", run_loops_forwards, optional=True),
    SIMPLIFY,
    Pass(
        "call separation",
        "calls that do not wait for one another run in loops of their own",
        separate_calls,
        optional=True,
    ),
    Pass(
        "gathering",
        "what a loop adds to neighbouring elements is summed for each element",
        gather_neighbours,
        optional=True,
    ),
    Pass(
        "loop exchange",
        "a nest that adds to elements across rows of memory runs along them",
        exchange_loops,
        optional=True,
    ),
    Pass(
        "loop fission",
        "a loop that adds to neighbouring elements is split",
        split_neighbouring_stores,
        optional=True,
    ),
    Pass(
        "reductions",
        "what each iteration adds to one element is summed in a number first",
        privatise_reductions,
        optional=True,
    ),
    Pass(
        "loop distribution",
        "roots and quotients are computed first and added up afterwards",
        distribute_loops,
        optional=True,
    ),
    Pass(
        "invariant rows",
        "a row of numbers that every round computes again is computed before them",
        hoist_invariant_rows,
        optional=True,
    ),
    Pass(
        "sweep fusion",
        "loops of the two sweeps that read in memory where to go become one",
        fuse_sweeps,
        optional=True,
    ),
    Pass(
        "scratch arrays",
        "an array that lives for an iteration only is made once, before the loop",
        make_scratch_once,
        optional=True,
    ),
)
"""What makes loops fast; left out where the text is to be read in array notation."""

LAST: Passes = (
    SIMPLIFY,
    SIMPLIFY,
    Pass(
        "rematerialise",
        "integers that cost nothing are computed where they are read",
        rematerialise_indices,
        optional=True,
        leaves=True,
    ),
    Pass(
        "shared tapes",
        "many tapes of one shape are parts of one array",
        share_tapes,
        optional=True,
        leaves=True,
    ),
)
"""The form that is written as text."""


GROUPS = (TYPED, CORE, PROTECTED, PRIMAL, WRITTEN, DERIVATIVE, LOOPS, LAST)
OPTIONAL = tuple(dict.fromkeys(each.name for group in GROUPS for each in group if each.optional))
"""The names of the passes that may be left out."""
WITHOUT = "BACKSWEEP_WITHOUT"
"""The environment variable that names passes to leave out, by commas: a test of what the others do without them."""


def left_out() -> frozenset[str]:
    """The names of the passes that the environment leaves out; ArgumentError for one that is needed, or is no pass."""
    given = os.environ.get(WITHOUT, "")
    names = frozenset(name.strip() for name in given.split(",") if name.strip())
    for name in sorted(names.difference(OPTIONAL)):
        known = any(each.name == name for group in GROUPS for each in group)
        what = f"the pass `{name}` is needed" if known else f"there is no pass `{name}`"
        wanted = "names of passes that only save work, separated by commas"
        expect(WITHOUT, given, wanted, fits=False, remedy=f"{what}; give some of: {', '.join(OPTIONAL)}.")
    return names


def run(passes: Passes, function: Function, stages: Stages, given: Given = NOTHING) -> Function:
    """The program after these passes, in order, without those that the environment leaves out; `stages` gets what each made of it.

    Raises what a pass refuses the program with, and AssertionError if they leave a program that is none.
    """
    without = left_out()
    for each in passes:
        if each.optional and each.name in without:
            continue
        compiling.check()
        function = each(function, given)
        stages.append((each, function))
    verify(function)
    return function
