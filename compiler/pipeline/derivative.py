"""The passes from the primal to the derivative, and from there to the program that is written as text, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from backsweep.ad.intermediates import remove_taps
from backsweep.interprocedural.by_reference import pass_by_reference
from backsweep.interprocedural.checkpoints import checkpoints_to_calls, without_checkpoints
from backsweep.interprocedural.customs import with_typed_customs
from backsweep.interprocedural.dead_parameters import without_dead_parameters
from backsweep.interprocedural.several_results import with_all_parts
from backsweep.interprocedural.summaries import without_prints
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import Function
from backsweep.legalise.arrays.known_extents import write_known_extents
from backsweep.legalise.contiguous import copy_turned_arrays
from backsweep.legalise.layouts import carry_rows
from backsweep.legalise.library.joined_lengths import remove_repeated_checks
from backsweep.legalise.memory_check import check_memory
from backsweep.optimise.accumulation_fusion import fuse_accumulations
from backsweep.optimise.arrays.lower import lower_arrays_to_loops
from backsweep.optimise.arrays.mirrored_products import join_mirrored_products
from backsweep.optimise.arrays.scratch import make_scratch_once
from backsweep.optimise.arrays.small_matrices import write_small_matrices
from backsweep.optimise.directions import advance_together
from backsweep.optimise.loops.distribution import distribute_loops
from backsweep.optimise.loops.exchange import exchange_loops
from backsweep.optimise.loops.fission import split_neighbouring_stores
from backsweep.optimise.loops.gathering import gather_neighbours
from backsweep.optimise.loops.invariant_rows import hoist_invariant_rows
from backsweep.optimise.loops.reductions import privatise_reductions
from backsweep.optimise.loops.reversal import run_loops_forwards
from backsweep.optimise.loops.separation import separate_calls
from backsweep.optimise.loops.sweep_fusion import fuse_sweeps
from backsweep.optimise.loops.update_order import order_updates
from backsweep.optimise.memory.dead_stores import eliminate_dead_stores
from backsweep.optimise.memory.equal_tapes import merge_equal_tapes
from backsweep.optimise.memory.repeated_arrays import factorise_once
from backsweep.optimise.memory.room_for_records import make_room_between
from backsweep.optimise.memory.shared_factors import record_factors, share_factors
from backsweep.optimise.parallel.blocks import run_in_blocks
from backsweep.optimise.parallel.sums import sums_from_zero
from backsweep.optimise.rematerialise import rematerialise_indices
from backsweep.optimise.shared_tapes import share_tapes
from backsweep.optimise.zero_adjoints import skip_zero_adjoints
from backsweep.pipeline.passes import Pass, Passes, PassInputs, run
from backsweep.pipeline.primal import SIMPLIFY, TO_PRIMAL
from backsweep.typing.propagate import complete_types

UNMARKED = Pass(
    "checkpoints",
    "tangents record nothing: the marks of checkpoints go, and marked calls are written out",
    without_checkpoints,
)
CHECKPOINTED = Pass(
    "checkpoints",
    "marked calls, and the blocks of marked loops, become calls, which the reverse sweep computes again",
    checkpoints_to_calls,
)
SILENT = Pass("prints", "a program that runs once more prints nothing", without_prints)


def primal_of(untyped: Function, arguments: Sequence[Any]) -> Function:
    """Bring the program of a hook or of a user's pullback to the form that derivatives are written from."""
    return run(TO_PRIMAL, untyped, [], PassInputs(arguments))


PREPARED: Passes = (
    Pass(
        "custom derivatives",
        "the user's hooks and pullbacks are typed, and their results have memory of their own",
        lambda function: with_typed_customs(function, primal_of),
    ),
    Pass(
        "parts",
        "every result of a call with several is read: a rule names them all",
        with_all_parts,
        after=("custom derivatives",),
    ),
    Pass(
        "recorded factors",
        "a loop records the factors of its matrices, with which its adjoint solves systems, too",
        record_factors,
        optional=True,
        after=("parts",),
    ),
)
"""What the derivative asks of the primal."""

REVERSAL = Pass(
    "derivative", "what the reversal wrote: a forward and a reverse sweep", lambda function: function
)
TANGENTS = Pass(
    "derivative", "what forward mode wrote: the tangent beside each value", lambda function: function
)

VALUE = Pass("derivative", "the function itself", lambda function: function)

WRITTEN: Passes = (
    Pass("taps", "a variable that was asked for is what was assigned to it", remove_taps),
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
        after=("types of the derivative",),
    ),
    Pass(
        "carried rows",
        "a loop that carries an adjoint in rows computes it in rows",
        carry_rows,
        after=("types of the derivative",),
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
        "shared factors",
        "a matrix with which systems are solved several times, also of a determinant, is factorised once",
        share_factors,
        optional=True,
        after=("repeated factorisations",),
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
        after=("equal tapes",),
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
        after=("small matrices", "accumulation fusion"),
    ),
    Pass("known extents", "so have the extents that these loops run to", write_known_extents, optional=True),
    Pass("loop reversal", "so do the loops that this made", run_loops_forwards, optional=True),
    SIMPLIFY,
    Pass(
        "call separation",
        "calls that need not wait, for one another or for what iterations hand on, run in loops of their own",
        separate_calls,
        optional=True,
        after=("array loops",),
    ),
    Pass(
        "gathering",
        "what a loop adds to neighbouring elements is summed for each element",
        gather_neighbours,
        optional=True,
        after=("array loops",),
    ),
    Pass(
        "loop exchange",
        "a nest that adds to elements across rows of memory runs along them",
        exchange_loops,
        optional=True,
        after=("gathering",),
    ),
    Pass(
        "loop fission",
        "a loop that adds to neighbouring elements is split",
        split_neighbouring_stores,
        optional=True,
        after=("gathering",),
    ),
    Pass(
        "reductions",
        "what each iteration adds to one element is summed in a number first",
        privatise_reductions,
        optional=True,
        after=("loop exchange",),
    ),
    Pass(
        "loop distribution",
        "roots and quotients are computed first and added up afterwards",
        distribute_loops,
        optional=True,
        after=("reductions",),
    ),
    Pass(
        "invariant rows",
        "a row of numbers that every round computes again is computed before them",
        hoist_invariant_rows,
        optional=True,
        after=("array loops",),
    ),
    Pass(
        "zero adjoints",
        "a loop that only adds multiples of an adjoint is skipped where that is zero",
        skip_zero_adjoints,
        optional=True,
        after=("loop distribution", "reductions"),
    ),
    Pass(
        "sweep fusion",
        "loops of the two sweeps that read in memory where to go become one",
        fuse_sweeps,
        optional=True,
        after=("loop distribution", "reductions"),
    ),
    Pass(
        "update order",
        "a loop adds to the foremost of neighbouring elements first: the machine keeps the others in registers",
        order_updates,
        optional=True,
        after=("loop reversal", "gathering", "loop fission"),
    ),
    Pass(
        "directions",
        "the directions of a Jacobian advance together where each is a sequence: what they share is computed once",
        advance_together,
        optional=True,
        after=("sweep fusion", "update order"),
    ),
    Pass(
        "blocks",
        "a loop that the user marks runs in blocks on all cores, where no iteration needs another",
        run_in_blocks,
        optional=True,
        leaves=True,
        after=("directions",),
    ),
    Pass(
        "scratch arrays",
        "an array that lives for an iteration only is made once, before the loop",
        make_scratch_once,
        optional=True,
        after=("sweep fusion", "blocks"),
    ),
    Pass(
        "room for records",
        "a `while` loop runs as far as its records have room, which is made around it",
        make_room_between,
        optional=True,
        after=("scratch arrays",),
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
        after=("sweep fusion", "scratch arrays"),
    ),
)
"""The form that is written as text."""

OF_CORES = (
    "call separation",
    "loop exchange",
    "loop fission",
    "loop distribution",
    "invariant rows",
    "update order",
    "directions",
    "blocks",
    "scratch arrays",
    "room for records",
    "shared tapes",
)
"""The passes that are for the cores of a processor: they run along its cache lines, compute several numbers at once, or share memory that each thread of a GPU needs."""
FROM_ZERO = Pass(
    "sums from zero",
    "a marked loop adds to what it began with afterwards: it may be fused with the loop that it reverses",
    sums_from_zero,
)
KERNELS: Passes = tuple(
    part
    for each in (*DERIVATIVE, *LOOPS, *LAST)
    if each.name not in OF_CORES
    for part in ((FROM_ZERO, each) if each.name == "sweep fusion" else (each,))
)
"""The derivative before its marked loops become kernels of a GPU."""

MEMORY = Pass(
    "memory",
    "records that may outgrow the memory are announced before loops run",
    check_memory,
    after=("shared tapes", "dead parameters"),
)

CALLED: Passes = (
    Pass(
        "dead parameters",
        "a function that stays a call is not given what it does not read",
        without_dead_parameters,
        takes="narrowing",
        leaves=True,
        after=("shared tapes",),
    ),
)
"""What the functions of a module need that others call, once all are known."""

WHOLE: Passes = (*CALLED, MEMORY)
"""What those need that the user calls."""
