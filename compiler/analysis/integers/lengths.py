"""How long a slice of an array is, as an integer linear expression, and what is known of the integers in which slices end."""

from __future__ import annotations

import operator
from collections.abc import Callable

from backsweep.analysis.integers.affine import Affine, Definitions, literal, quotient, variable
from backsweep.analysis.integers.guards import KnownRelations
from backsweep.ir.nodes import Apply, Const, Operand, Slice, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import INT


def integer_of(
    value: Value, definitions: Definitions, read: Callable[[Operand], Affine], relations: KnownRelations
) -> Affine:
    """What an integer comes to: a length if clipping at zero leaves it as it is, a quotient by what is known of the dividend, else itself.

    What is known of the integer is added to the relations: remainders are less than the divisor if that is surely not zero, and quotients no larger than
    what is divided. `read` gives an operand as an expression.
    """
    own = variable(value)

    def counts(operand: Operand) -> bool:
        return type_of(operand) == INT and relations.is_nonnegative(read(operand))

    divided = quotient(value, definitions)
    if divided is not None and (divided.rounds_down or counts(divided.whole)):
        return relations.quotient(read(divided.whole), divided.by, value) or own
    match definitions.get(value):
        case Apply(function=function, operands=(Value() as inner, floor)) if (
            function is max and literal(floor) == 0
        ):
            length = read(inner)
            return length if relations.is_nonnegative(length) else relations.clipped(length, value)
        case Apply(function=function, operands=(inner, floor)) if (
            function is max and (literal(floor) or 0) > 0 and counts(inner)
        ):
            relations.bound(own - read(floor), read(inner))
            relations.bound(read(inner), own)
        case Apply(function=operator.floordiv, operands=(whole, by)) if counts(whole) and counts(by):
            relations.bound(own, read(whole))
        case Apply(function=operator.mod, operands=(_, by)) if counts(by):
            # one more where nothing says that the divisor is not zero: the program may never divide
            relations.bound(own, read(by) - 1 if relations.is_nonnegative(read(by) - 1) else read(by))
        case _:
            pass
    return own


def length_of(
    item: Slice,
    extent: Affine,
    read: Callable[[Operand], Affine],
    surely: Callable[[Affine], bool],
    divided: Callable[[Affine, int], Affine | None],
) -> Affine | None:
    """The length of a slice of an axis of that extent; None where clipping at the array's ends may change it.

    `read` gives an end of the slice as an expression over the atoms of the extent, `surely` tells whether an
    expression is proved not to be negative, and `divided` gives the quotient of one by a number. A slice such as `x[2:-3]`, which leaves out known numbers of entries at both
    ends, has the length `n - 5` also where that is not proved: where it is negative, the slice is empty.
    """
    if item.step is not None and not isinstance(item.step, Const):
        return None
    step = None if item.step is None else item.step.value
    ends = [None if end is None else read(end) for end in (item.start, item.stop)]
    if not (extent.terms or any(end is not None and end.terms for end in ends)):
        begin, end = (None if end is None else end.const for end in ends)
        return Affine(len(range(*slice(begin, end, step).indices(extent.const))))
    if step == -1:
        return extent if item.start is None and item.stop is None else None
    step = 1 if step is None else step
    if not isinstance(step, int) or step < 1:
        return None
    start = Affine() if ends[0] is None else ends[0]
    stop = extent if ends[1] is None else ends[1]
    start, stop = _end(start, extent), _end(stop, extent)
    length, left_out = stop - start, (start, extent - stop)
    is_fixed = all(not each.terms and each.const >= 0 for each in left_out)
    # an end that comes to less than zero counts from the back: `x[:n - 3]` has an entry where n is 2
    is_in_front = (
        ends[1] is None
        or not ends[1].terms
        or (is_fixed and left_out[1].const <= start.const + 2)
        or surely(stop)
    )
    if step > 1:
        # rounded up; where no entry is left, the quotient is zero from one entry less on
        count = length + (step - 1)
        return divided(count, step) if is_in_front and all(map(surely, (*left_out, count))) else None
    if is_fixed and is_in_front:
        return length
    return length if all(map(surely, (*left_out, length))) else None


def _end(place: Affine, extent: Affine) -> Affine:
    """One end of a slice, counted from the front."""
    return extent + place if not place.terms and place.const < 0 else place
