"""Each pass earns its place: without it a program of the zoo is written as another text, or cannot be written."""

from __future__ import annotations

import pytest

from tests import zoo
from tests.firing import MARKS, NAMES, fired, page, text_without
from tests.support.sampled import turning

EXAMPLES = {
    "single rounds": "whiles.left_at_once",
    "optional values": "perhaps_none.differences",
    "unassigned reads": "branches.array_set_in_a_loop",
    "types": "gathers.matrix_masked",
    "masks": "gathers.matrix_masked",
    "types of masks": "counts.largest_at_a_mask",
    "numbers": "narrow.added_up_in_eight_bits",
    "counts": "counts.ragged",
    "normalise": "aliases.alias",
    "checks on entry": "aliases.carried_then_written",
    "subscript checks": "aliases.alias",
    "branch lists": "lists.extended_on_one_side",
    "lists of tuples": "lists_of_tuples.pairs",
    "growing rows": "growing_rows.in_turn",
    "replaced entries": "replaced.one_array_twice",
    "lists of arrays": "found.one_array_twice_in_a_list",
    "lists of numbers": "empty_slices.appended_to_a_list_of_nothing",
    "ellipsis": "dots.element_stored",
    "library calls": "branches.positions_on_one_side",
    "complex conversions": "complex_arrays.joined_with_reals",
    "arrays without axes": "elements.zero_dimensional_product",
    "complex views": "complex_arrays.determinants",
    "dead code": "scratch.filled_in_each_round",
    "products of parts": "kept.copies_before_stores",
    "constant extents": "aliases.one_row_twice",
    "equal extents": "complex_arrays.joined_with_reals",
    "clipped slices": "clipped.triangle",
    "broadcast hoisting": "branches.written_on_one_side_and_read_in_a_loop",
    "broadcasting": "aliases.ping_pong_of_argument",
    "contiguous": "found.copied_where_not_in_this_layout",
    "crossing stores": "stores.a_row_to_a_column_that_it_crosses",
    "written arguments": "aliases.ping_pong_of_argument",
    "scaled products": "small_matrices.scaled",
    "repeated arrays": "empty_slices.length_as_a_number",
    "copied elements": "aliases.alias",
    "redundant loads": "aliases.alias",
    "forwarded elements": "exchanged.new_in_each_iteration",
    "invariant calls": "invariant.exponentials",
    "simplify": "aliases.alias",
    "definite assignment": "branches.array_on_one_side",
    "layouts": "handed_out.last_view_of_a_loop",
    "types of the derivative": "aliases.alias",
    "turned arrays": "rearranged.turned_and_flat-1",
    "carried rows": "rearranged.turned_in_each_round",
    "known extents": "aliases.alias",
    "dead stores": "stores.filled",
    "repeated checks": "decompositions.eigenvectors",
    "repeated factorisations": "aliases.swap_rows",
    "recorded factors": "decompositions.steps_with_one_matrix",
    "shared factors": "decompositions.systems_with_one_matrix",
    "mirrored products": "rearranged.spread_of_columns",
    "equal tapes": "generators.lists_to_numpy",
    "by reference": "recursion.argument_in_place",
    "accumulation fusion": "aliases.alias_on_branches",
    "loop reversal": "aliases.one_row_twice",
    "small matrices": "gathers.out_operand",
    "array loops": "aliases.alias",
    "call separation": "waiting.downwards",
    "gathering": "charted.read_of_the_row_before",
    "loop exchange": "decompositions.eigenvectors_in_a_loop",
    "loop fission": "aliases.ping_pong",
    "reductions": "counts.ragged",
    "loop distribution": "pairs.forces",
    "invariant rows": "repeated.quadratic_forms",
    "zero adjoints": "extremes.distances_to_the_nearest",
    "sweep fusion": "charted.read_of_the_row_after",
    "update order": "neighbours.steps_upwards",
    "blocks": "side_by_side.price_of_paths",
    "scratch arrays": "aliases.carried_then_written",
    "room for records": "augmented.in_a_while_loop",
    "rematerialise": "aliases.carried_then_written",
    "shared tapes": "branches.written_on_one_side",
    "dead parameters": "recursion.nested_calls",
    "memory": "aliases.array_carried",
}
"""For each pass a program of the zoo that shows it."""
ELSEWHERE = {
    "optional taps": "a variable that was asked for and holds no number (tests/passes/optional_taps.txt)",
    "shared results": "refuses (tests/passes/shared_results.txt)",
    "types of counts": "types values that later passes type, too, unless counts are looked for in between",
    "joined lengths": "checks what the zoo's programs compute anyway (tests/passes/joined_lengths.txt)",
    "squared roots": "changes derivatives at zero (tests/passes/squared_roots.txt, tests/ad/test_squared_roots.py)",
    "chosen slopes": "tangents that are differentiated again (tests/passes/chosen_slopes.txt, tests/ad/test_lengths.py)",
    "one side": "derivatives that are differentiated again (tests/passes/one_side.txt, tests/ad/test_ties.py)",
    "factors of zero": "derivatives that are differentiated again (tests/passes/factors_of_zero.txt, tests/ad/test_lengths.py)",
    "countable": "refuses (tests/passes/countable.txt)",
    "unknown writes": "refuses (tests/passes/unknown_writes.txt)",
    "results": "refuses (tests/passes/results.txt)",
    "checkpoints": "what users mark (tests/ad/test_checkpoints.py)",
    "custom derivatives": "what users define (tests/ad/test_custom_vjp.py)",
    "parts": "a decomposition of which a part is not read (tests/passes/parts.txt)",
    "taps": "variables asked for by name (tests/passes/taps.txt)",
    "directions": "Jacobians and Hessians (tests/passes/directions.txt, tests/optimise/test_directions.py)",
}
"""The passes that no program of the zoo shows, and what does."""
CASES = {case.name: case for case in zoo.load()}


def test_every_pass_is_shown() -> None:
    assert {*EXAMPLES, *ELSEWHERE, *MARKS} == {*NAMES}
    assert not EXAMPLES.keys() & ELSEWHERE.keys()


@pytest.mark.provokes_faults  # what a program lacks without the pass
@pytest.mark.parametrize("name", turning(9, sorted(EXAMPLES)))
def test_a_text_changes_without_the_pass(name: str) -> None:
    case = CASES[EXAMPLES[name]]
    text_without(case, None)  # what it assumes of extents is found, and remembered
    whole = text_without(case, None)
    assert text_without(case, name) != whole
    assert text_without(case, None) == whole


def test_page() -> None:
    assert "simplify" in fired(CASES["aliases.alias"])
    text = page(dict.fromkeys(NAMES, 7), 9)
    assert "| masks | reads at masks of all" in text
    assert "of 9 programs" in text
