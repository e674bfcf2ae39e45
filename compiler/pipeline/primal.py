"""The passes from the lowered function to the primal that derivatives are written from, each with its reason."""

from __future__ import annotations

from backsweep.ad.intermediates import remove_optional_taps
from backsweep.analysis.alias import protect_arguments
from backsweep.interprocedural.summaries import refuse_shared_results
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.legalise.arrays.assumed_extents import check_on_entry
from backsweep.legalise.arrays.broadcast_hoisting import hoist_broadcasts
from backsweep.legalise.arrays.broadcasting import make_broadcasting_explicit
from backsweep.legalise.arrays.clipped_slices import separate_clipped_slices
from backsweep.legalise.arrays.complex_conversions import make_complex_explicit
from backsweep.legalise.arrays.complex_views import remove_imaginary_views
from backsweep.legalise.arrays.crossing_stores import copy_crossing_values
from backsweep.legalise.arrays.ellipsis import write_out_ellipsis
from backsweep.legalise.arrays.equal_extents import remove_proved_checks
from backsweep.legalise.arrays.known_extents import write_constant_extents
from backsweep.legalise.arrays.without_axes import read_arrays_without_axes
from backsweep.legalise.contiguous import make_copies_explicit
from backsweep.legalise.counts import convert_counts
from backsweep.legalise.layouts import unify_layouts
from backsweep.legalise.library.chosen_slopes import leave_slopes_unchosen, with_one_side
from backsweep.legalise.library.expand import expand_library_calls
from backsweep.legalise.library.factors_of_zero import leave_out_by_zero
from backsweep.legalise.library.gather_scatter import write_out_masks
from backsweep.legalise.library.joined_lengths import check_joined_lengths
from backsweep.legalise.library.products_of_parts import write_products_of_parts
from backsweep.legalise.library.squared_roots import write_squared_roots
from backsweep.legalise.lists.branch_lists import make_lists_before_branches
from backsweep.legalise.lists.growable_arrays import lists_to_arrays
from backsweep.legalise.lists.growing_rows import let_rows_grow
from backsweep.legalise.lists.lists_of_arrays import legalise_lists_of_arrays
from backsweep.legalise.lists.lists_of_tuples import split_lists_of_tuples
from backsweep.legalise.lists.replaced_entries import keep_replaced_entries
from backsweep.legalise.normalise import normalise
from backsweep.legalise.overlap_check import protect_written_arguments
from backsweep.legalise.paths.definite_assignment import complete_paths
from backsweep.legalise.paths.optional_values import separate_none
from backsweep.legalise.paths.single_rounds import write_single_rounds_out
from backsweep.legalise.paths.unassigned_reads import check_unassigned_reads
from backsweep.legalise.subscript_checks import check_subscripts
from backsweep.legalise.unsupported import refuse_result, refuse_uncountable, refuse_unknown_writes
from backsweep.optimise.invariant_calls import hoist_invariant_calls
from backsweep.optimise.memory.copied_elements import read_copied_elements
from backsweep.optimise.memory.forwarded_elements import forward_elements
from backsweep.optimise.memory.redundant_loads import eliminate_redundant_loads
from backsweep.optimise.memory.repeated_arrays import compute_arrays_once
from backsweep.optimise.scaled_products import scale_products
from backsweep.optimise.simplify import simplify
from backsweep.pipeline.passes import Pass, Passes, only_checked
from backsweep.typing.numbers.as_numpy import compute_as_numpy
from backsweep.typing.propagate import infer_types, infer_types_again

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
    Pass(
        "optional values",
        "a variable that is None on some paths becomes its value and a flag",
        separate_none,
    ),
    Pass(
        "unassigned reads",
        "a variable that is read where no path has assigned it raises, as in Python",
        check_unassigned_reads,
        after=("single rounds", "optional values"),
    ),
    Pass("types", "Numba is asked for the type of every value", infer_types, takes="arguments"),
    Pass("optional taps", "a variable that holds no number has no adjoint to show", remove_optional_taps),
    Pass(
        "masks",
        "reads at masks of all of an array's axes become reads of vectors, for which there is a kernel",
        write_out_masks,
    ),
    Pass(
        "types of masks", "what that changed is typed", infer_types_again, takes="arguments", after=("masks",)
    ),
    Pass(
        "numbers",
        "where Numba computes with longer numbers than NumPy, those of plain functions are converted",
        compute_as_numpy,
        takes="arguments",
        after=("types of masks",),
    ),
    Pass(
        "counts",
        "a count that is unsigned or short is converted to int64: passes compute with counts",
        convert_counts,
    ),
    Pass(
        "types of counts",
        "what that changed is typed",
        infer_types_again,
        takes="arguments",
        after=("counts",),
    ),
    Pass(
        "normalise",
        "elements, views and items of tuples are told apart; `x += y` is a store or an addition",
        normalise,
        after=("types of counts",),
    ),
    Pass("countable", "a range of floats is refused", only_checked(refuse_uncountable)),
    Pass(
        "unknown writes",
        "a call that can only be there for what it writes into its arguments is refused, unless that is known",
        only_checked(refuse_unknown_writes),
        after=("types",),
    ),
)
"""From the program as it was lowered to one in which every value has a type."""

ENTRY: Passes = (
    Pass(
        "checks on entry",
        "what the code assumes of extents is checked before anything else",
        check_on_entry,
        takes="relations",
    ),
)
"""What is assumed, behind its check."""

EXPANDED: Passes = (
    Pass(
        "subscript checks",
        "a subscript that is not proved to be in bounds raises, as in Python",
        check_subscripts,
        after=("normalise", "checks on entry"),
    ),
    Pass("branch lists", "a list that branches fill is made before them", make_lists_before_branches),
    Pass(
        "lists of tuples",
        "a list of tuples is one list for each of their items",
        split_lists_of_tuples,
        after=("branch lists",),
    ),
    Pass(
        "growing rows",
        "a list of lists whose items are appended to is rows with room to spare, and a list of counts",
        let_rows_grow,
        after=("lists of tuples",),
    ),
    Pass(
        "replaced entries",
        "a list of arrays or lists that loses or replaces entries is one that grows, and a list of places in it",
        keep_replaced_entries,
        after=("growing rows",),
    ),
    Pass(
        "lists of numbers",
        "a list of numbers is an array that grows; a list of lists is one of arrays",
        lists_to_arrays,
        after=("replaced entries",),
    ),
    Pass(
        "lists of arrays",
        "a list of arrays is a tape: appended to, and read at an index",
        legalise_lists_of_arrays,
        after=("lists of numbers",),
    ),
    Pass("ellipsis", "`...` in an index is written out as the axes that it stands for", write_out_ellipsis),
    Pass(
        "library calls",
        "library calls that have no rule are written in the core language",
        expand_library_calls,
        after=("ellipsis",),
    ),
)
"""From there to a program in which every library call has a rule."""

CORE: Passes = (
    *EXPANDED,
    Pass("complex conversions", "a real number that becomes complex says so", make_complex_explicit),
    Pass("arrays without axes", "the number in an array without axes is read", read_arrays_without_axes),
    Pass(
        "complex views",
        "no view of the imaginary part of written memory is left",
        remove_imaginary_views,
        after=("complex conversions",),
    ),
    Pass(
        "joined lengths",
        "arrays that a product joins are checked to fit, even if nobody computes it",
        check_joined_lengths,
        after=("library calls",),
    ),
    Pass("dead code", "what nobody reads goes, before shapes are asked for", eliminate_dead_code),
    Pass(
        "products of parts",
        "in a loop, a product of rows is a loop over elements, of which more is known",
        write_products_of_parts,
        after=("joined lengths",),
    ),
    Pass("constant extents", "an extent that is known to be a number is one", write_constant_extents),
    Pass(
        "equal extents",
        "a check of extents that are proved equal goes",
        remove_proved_checks,
        after=("constant extents",),
    ),
    Pass(
        "clipped slices",
        "a store in a loop whose slices may end with their arrays has a branch for slices that do not",
        separate_clipped_slices,
        after=("equal extents",),
    ),
    Pass(
        "broadcast hoisting",
        "what a loop would broadcast in every round is broadcast before it",
        hoist_broadcasts,
        after=("equal extents",),
    ),
    Pass(
        "broadcasting",
        "broadcasting that is not proved is explicit, so that its adjoint is, too",
        make_broadcasting_explicit,
        after=("broadcast hoisting",),
    ),
    Pass(
        "contiguous",
        "whether written memory is a view or a copy is decided here, by its layout",
        make_copies_explicit,
        after=("broadcasting",),
    ),
    Pass(
        "crossing stores",
        "a vector that is stored across itself is copied first, as Numba does and NumPy not always",
        copy_crossing_values,
        after=("contiguous",),
    ),
)
"""From typed values to the core language, in which every operation has one meaning and one rule."""

SHARED_RESULTS: Passes = (
    Pass(
        "shared results",
        "results and arguments that share memory in a way that no adjoint follows are refused",
        only_checked(refuse_shared_results),
    ),
)

PROTECTED: Passes = (
    *SHARED_RESULTS,
    Pass(
        "written arguments",
        "an array that the caller gives is copied if the function writes it",
        protect_written_arguments,
        after=("crossing stores",),
    ),
)
"""What the caller's arrays need."""

COMPLETE = Pass(
    "definite assignment",
    "a variable that some path leaves unassigned has a value on that path",
    complete_paths,
)

TRACED: Passes = (
    *SHARED_RESULTS,
    Pass(
        "own copies", "an array that the caller gives is copied if the function writes it", protect_arguments
    ),
    COMPLETE,
)
"""What a program needs that is run as the user wrote it, statement by statement."""

PRIMAL: Passes = (
    Pass(
        "squared roots",
        "the square of a root or norm is written as what is under it, which has all derivatives at zero",
        write_squared_roots,
    ),
    Pass(
        "chosen slopes",
        "the tangent of a length is chosen where the length is zero, and has no derivative there",
        leave_slopes_unchosen,
    ),
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
        after=("copied elements",),
    ),
    Pass(
        "forwarded elements",
        "an element of a scratch array is computed where it is read, if that is cheap: the array is not needed",
        forward_elements,
        optional=True,
        after=("copied elements",),
    ),
    Pass(
        "invariant calls",
        "exp and its like of elements that a loop only reads are computed before it, and recorded in no iteration",
        hoist_invariant_calls,
        optional=True,
    ),
    Pass("dead code", "the loops that only filled such arrays go", eliminate_dead_code, optional=True),
    SIMPLIFY,
    COMPLETE,
    Pass(
        "layouts",
        "an array that a loop carries or a branch chooses has one layout",
        unify_layouts,
        after=("definite assignment",),
    ),
    Pass(
        "results",
        "a result that compiled code cannot hand out, a dataclass or a function, is refused",
        only_checked(refuse_result),
        after=("definite assignment",),
    ),
)
"""The program that derivatives are written from."""

AGAIN: Passes = (
    Pass(
        "one side",
        "in a derivative, one side of a tie has the whole cotangent, and the slope of a length is not known where that is zero",
        with_one_side,
        after=("chosen slopes",),
    ),
    Pass(
        "factors of zero",
        "what is not known at a kink contributes nothing through a factor of zero",
        leave_out_by_zero,
        after=("one side",),
    ),
)
"""What becomes of a derivative that is differentiated again, where nobody asks for its value."""

TO_PRIMAL: Passes = (*TYPED, *ENTRY, *CORE, *PROTECTED, *PRIMAL)
"""All of the way from the lowered function to its primal."""
