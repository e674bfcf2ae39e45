"""Lists of objects and of functions: they exist while compiling, and so does their length."""

from __future__ import annotations

import ast
import operator
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from backsweep.diagnostics import Loc
from backsweep.frontend.constructs.dicts import becomes_table
from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.iterate import Steps
from backsweep.frontend.context.counted import refuse_number, whole_number
from backsweep.frontend.context.heap import Fact, Virtual, found_in, virtual
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.rounds import FoundObjectsError
from backsweep.frontend.context.scope import Bound, Inner, KnownTuple, is_static, known_elements, same
from backsweep.frontend.instances.joining import holds_objects
from backsweep.frontend.instances.members import change_record, record_of
from backsweep.ir.nodes import Const, Operand, Slice, Value

FOLDED: Mapping[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
"""What the numbers of a loop that is written out are computed with."""
LONGEST = 64
"""How many items a loop may have that is written out because its number tells objects apart."""


def is_object_list(operand: Operand) -> bool:
    """Whether the operand is a list of objects."""
    thing = virtual(operand)
    return thing is not None and thing.cls is list


def new_list(lowerer: Lowerer, items: tuple[Operand, ...], node: ast.AST) -> Const:
    """A list of objects."""
    context = lowerer.context
    place = (lowerer.loc(node), tuple(context.expansions.path))
    thing = context.objects.make(list, place, lowerer.builder.current)
    context.objects.heap.records[thing].update(enumerate(items))
    return Const(thing)


def holds_objects_at(lowerer: Lowerer, node: ast.AST) -> bool:
    """Whether an earlier round has found that the list which is made here gets objects."""
    return ("list", lowerer.loc(node)) in lowerer.context.expansions.objects


def display(lowerer: Lowerer, value: ast.expr) -> Operand | None:
    """Lower the display of a list that gets objects later: `[]`, `list()`, `[None] * 3`; None for any other expression."""
    if not holds_objects_at(lowerer, value):
        return None
    match value:
        case ast.BinOp(left=ast.List(elts=items), op=ast.Mult(), right=times):
            pass
        case ast.BinOp(left=times, op=ast.Mult(), right=ast.List(elts=items)):
            pass
        case _:
            return lowerer.lower(value)
    parts = tuple(map(lowerer.lower, items))
    count = lowerer.lower(times)
    if not isinstance(count, Const) or type(count.value) is not int:
        message = "the run decides how many objects a list holds"
        raise lowerer.refuse("BS104", message, value, "write the number of objects as a literal")
    return new_list(lowerer, parts * count.value, value)


def _numbers(lowerer: Lowerer, over: Steps) -> range | None:
    """The numbers over which a loop counts, if they are known and few."""
    bounds = [whole_number(lowerer, each) for each in (over.start, over.stop, over.step)]
    known = [each for each in bounds if each is not None]
    if len(known) < 3:
        return None
    numbers = range(*known)
    return numbers if len(numbers) <= LONGEST else None


def written_out(lowerer: Lowerer, over: Steps, loc: Loc) -> tuple[Operand, ...] | None:
    """The numbers of a loop that an earlier round has found to tell objects apart; None for any other loop."""
    numbers = _numbers(lowerer, over) if _fact(lowerer, loc) in lowerer.context.expansions.objects else None
    return None if numbers is None else tuple(map(Const, numbers))


def _fact(lowerer: Lowerer, loc: Loc) -> Fact:
    return ("written out", loc, tuple(lowerer.context.expansions.path))


@contextmanager
def counting(lowerer: Lowerer, over: Steps, loc: Loc) -> Iterator[None]:
    """A context in which the body of a loop is lowered, which a later round may write out."""
    objects = lowerer.context.objects
    numbers = _numbers(lowerer, over)
    found = [] if numbers is None else [(_fact(lowerer, loc), len(numbers))]
    objects.loops += found
    try:
        yield
    finally:
        del objects.loops[len(objects.loops) - len(found) :]


def holds_things(operand: Operand) -> bool:
    """Whether an item has a list of objects around it: it is an object or a function, or a tuple with one."""
    if not isinstance(operand, Const) or not is_static(operand):
        return False
    if isinstance(operand.value, KnownTuple):
        return any(map(holds_things, operand.value.items))
    return isinstance(operand.value, Virtual | Inner | Bound) or callable(operand.value)


def note_list(lowerer: Lowerer, base: Operand, item: Operand, node: ast.AST) -> None:
    """Have the program lowered again if an object or a function is put into a list whose items the run knows."""
    context = lowerer.context
    if not isinstance(base, Value):
        return
    becomes_table(context, item)
    if not holds_things(item):
        return
    place = context.made_lists.get(base)
    if place is not None and ("list", place) not in context.expansions.objects:
        raise FoundObjectsError([("list", place)])
    what = "an object" if holds_objects(item) else "a function"
    message = f"{what} is put into a list whose length the run decides"
    remedy = (
        "begin with an empty list in this function, and append in loops over known numbers, such as range(3)"
    )
    raise lowerer.refuse("BS104", message, node, remedy)


def check_looped(lowerer: Lowerer, node: ast.For, number: int) -> None:
    """Refuse to go on with a loop over a list of objects if the items that are left are no longer those at its start."""
    objects = lowerer.context.objects
    for thing, items in objects.looped:
        record = objects.heap.records.get(thing)
        now = [] if record is None else list(record.values())
        if len(now) != len(items) or not all(map(same, now[number:], items[number:])):
            message = "a list of objects is changed while a loop runs over it"
            remedy = "loop over a copy, for item in items[:]"
            raise lowerer.refuse("BS109", message, node.iter, remedy)


def changes_known(base: Operand) -> None:
    """Have the program lowered again with a list of objects in place of one that is written out, and that changes here."""
    if isinstance(base, Const) and isinstance(base.value, KnownTuple) and base.value.place is not None:
        raise FoundObjectsError([("list", base.value.place)])


def put(lowerer: Lowerer, base: Const, index: Operand | Slice, operand: Operand, node: ast.AST) -> None:
    """Lower `items[index] = operand` of a list of objects."""
    record = record_of(lowerer, base.value, node)
    place = _place(lowerer, index, len(record), node)
    change_record(lowerer, base.value, {**record, place: operand}, node)


def _place(lowerer: Lowerer, index: Operand | Slice, length: int, node: ast.AST) -> int:
    """The number of an item from the start."""
    known = index.value if isinstance(index, Const) else None
    if not isinstance(known, int):
        raise refuse_number(lowerer, node)
    if not -length <= known < length:
        message = f"index {known} is out of range: the list has {length} items"
        raise lowerer.refuse("BS110", message, node, "check the index")
    return known % length


def method(
    lowerer: Lowerer, base: Const, name: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """Lower `items.name(...)` of a list of objects."""
    items = list(record_of(lowerer, base.value, node).values())
    result: Operand = Const(None)
    more = known_elements(lowerer.context, args[0]) if args else None
    match name, args:
        case "append", (new,):
            items.append(new)
        case "extend", (_,) if more is not None:
            items.extend(more)
        case "insert", (Const(value=int() as place), new):
            items.insert(place, new)
        case "pop", () | (Const(value=int()),) if items:
            place = args[0].value if args and isinstance(args[0], Const) else -1
            result = items.pop(_place(lowerer, Const(place), len(items), node))
        case "remove", (wanted,) if (found := _place_of(wanted, items)) is not None:
            items.pop(found)
        case "reverse", ():
            items.reverse()
        case "clear", ():
            items.clear()
        case "copy", ():
            return new_list(lowerer, tuple(items), node)
        case _:
            message = f"`.{name}` of a list of objects cannot be differentiated with these arguments"
            raise lowerer.refuse("BS109", message, node, "use append, extend, insert, pop, reverse or copy")
    if keywords:
        raise lowerer.refuse("BS109", f"`.{name}` of a list has no keywords here", node, "leave them out")
    change_record(lowerer, base.value, dict(enumerate(items)), node)
    return result


def _place_of(wanted: Operand, items: list[Operand]) -> int | None:
    """The place of an object that is equal to no other; None where the class says what is equal, or the run."""
    things = [virtual(each) for each in (wanted, *items)]
    if any(each is None or each.chosen or found_in(each.cls, "__eq__") is not None for each in things):
        return None
    return things[1:].index(things[0]) if things[0] in things[1:] else None


def grown(lowerer: Lowerer, base: Operand, op: ast.operator, more: Operand, node: ast.AST) -> bool:
    """Lower `base += more` and `base *= count` of a list of objects; tell whether it is one."""
    changes_known(base)
    if isinstance(op, ast.Add):  # an object that a loop goes through gives its items, and is none itself
        for item in known_elements(lowerer.context, more) or ():
            note_list(lowerer, base, item, node)
    if not is_object_list(base) or not isinstance(base, Const):
        return False
    if isinstance(op, ast.Add):
        more = items_of(lowerer, more, node)
        method(lowerer, base, "extend", (more,), {}, node)
        return True
    repeated = combined(lowerer, type(op), base, more, node)
    if repeated is None:
        message = "the run decides how many objects a list holds"
        raise lowerer.refuse("BS104", message, node, "write the number of objects as a literal")
    items = known_elements(lowerer.context, repeated) or ()
    change_record(lowerer, base.value, dict(enumerate(items)), node)
    return True


def deleted(lowerer: Lowerer, base: Operand, index: Operand | Slice, node: ast.AST) -> bool:
    """Lower `del items[index]` of a list of objects; tell whether it is one."""
    changes_known(base)
    if not is_object_list(base) or not isinstance(base, Const):
        return False
    items = list(record_of(lowerer, base.value, node).values())
    places = _part(index) if isinstance(index, Slice) else _place(lowerer, index, len(items), node)
    if places is None:
        raise refuse_number(lowerer, node)
    del items[places]
    change_record(lowerer, base.value, dict(enumerate(items)), node)
    return True


def _part(index: Slice) -> slice | None:
    """The slice, if its bounds are known."""
    bounds = [Const(None) if each is None else each for each in (index.start, index.stop, index.step)]
    known = [each.value for each in bounds if isinstance(each, Const)]
    return slice(*known) if len(known) == 3 else None


def combined(
    lowerer: Lowerer, op: type[ast.AST], left: Operand, right: Operand, node: ast.AST
) -> Operand | None:
    """Lower `+` and `*` of lists of objects, and of numbers of loops that are written out; None for other operands."""
    if is_object_list(left) or is_object_list(right):
        one, other = known_elements(lowerer.context, left), known_elements(lowerer.context, right)
        if op is ast.Add and one is not None and other is not None:
            return new_list(lowerer, one + other, node)
        for items, count in ((one, right), (other, left)):
            if op is ast.Mult and items is not None and isinstance(count, Const) and type(count.value) is int:
                return new_list(lowerer, items * count.value, node)
    if not lowerer.context.objects.made_in or op not in FOLDED:
        return None
    if not all(isinstance(side, Const) and type(side.value) is int for side in (left, right)):
        return None
    assert isinstance(left, Const)
    assert isinstance(right, Const)
    if op in (ast.FloorDiv, ast.Mod) and not right.value:
        return None
    return Const(FOLDED[op](left.value, right.value))
