"""What the texts of the prelude ask while they are lowered."""

from __future__ import annotations

import ast
import inspect
import itertools
import operator
from collections.abc import Mapping, Sequence

import numpy as np

from backsweep.frontend.arrays.extents import unit_extents
from backsweep.frontend.calls.library import expanded, library_call
from backsweep.frontend.constructs.iterators import with_places
from backsweep.frontend.constructs.kinds import asked_type, know_type, local_type
from backsweep.frontend.constructs.special_methods import special_method
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import Bound, Inner, known_elements, known_object
from backsweep.frontend.instances.early import all_known, as_constant, computed_here, run_early
from backsweep.ir.build import christen
from backsweep.ir.nodes import UNDEFINED, Apply, Block, Const, For, Operand, Value
from backsweep.ir.types import Array, Scalar
from backsweep.ir.walk import blocks, merges, walk
from backsweep.prelude import declare
from backsweep.reading.names import is_data, wrap


def of_known_kind(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    """An entry of an array whose dtype is known, or a line, whose type is asked for."""
    *dtype, entry = args
    if dtype and isinstance(dtype[0], Const) and isinstance(entry, Value):
        return know_type(lowerer, entry, Scalar(dtype[0].value), node)
    asked_type(lowerer, entry, node)
    return entry


def of_one_kind(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    """A result of the function of `np.vectorize`, which is refused if only the run knows of which kind it is.

    NumPy takes the type of the first result for all: where that is whole, later results are cut.
    """
    (result,) = args
    if isinstance(result, Const) and type(result.value) in (int, float, bool):
        return result
    type_ = asked_type(lowerer, result, node)
    if not isinstance(type_, Scalar):
        return result
    kinds = _kinds_of(lowerer, result)
    if kinds - {""} and kinds != {type_.dtype}:
        known = " or ".join(sorted((kinds | {type_.dtype}) - {""}))
        message = f"the function gives results of several kinds ({known}), and NumPy takes that of the first for all"
        remedy = "let all results be floats: max(v, 0.0), 0.0 in place of 0; or write np.vectorize(f, otypes=[float])"
        raise lowerer.refuse("BS113", message, node, remedy)
    return result


def _kinds_of(lowerer: Lowerer, result: Operand) -> set[str]:
    """The dtypes that a number may have in Python, where compiled code has the widest of them; empty for one not known."""
    sources: dict[Operand, set[Operand]] = {}
    found: dict[Operand, set[str]] = {}
    for each in walk(Block((), tuple(lowerer.builder.current.nodes), ())):
        if isinstance(each, For):
            found[each.body.parameters[0]] = {"int64"}
        parameters = {value for inner in blocks(each) for value in inner.parameters}
        for group in merges(each):
            sources.update((value, set(group[1:])) for value in (group[0], *(parameters & set(group))))
            if isinstance(each, For) and _runs(each):
                sources[group[0]] = {group[-1]}
    found |= {value: set() for value in sources}
    changes = True
    while changes:
        changes = False
        for value, of in sources.items():
            kinds = set().union(*(_kinds(lowerer, each, found) for each in of))
            changes = changes or not kinds <= found[value]
            found[value] |= kinds
    return _kinds(lowerer, result, found)


SAME = (
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow),
    *(operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod, operator.ipow),
)
"""The operators whose result is of the kind of its operands."""


def _runs(loop: For) -> bool:
    """Whether a loop has certainly an iteration."""
    known = [each.value for each in (loop.start, loop.stop, loop.step) if isinstance(each, Const)]
    return len(known) == 3 and loop.exit is None and len(range(*known)) > 0


def _kinds(lowerer: Lowerer, operand: Operand, found: Mapping[Operand, set[str]]) -> set[str]:
    """The same for a value, where those of branches and loops are `found` so far."""
    if operand is UNDEFINED:
        return set()
    if operand in found:
        return found[operand]
    made = lowerer.builder.made.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Apply) and made.function in (*SAME, max, min) and len(made.operands) > 1:
        parts = [_kinds(lowerer, each, found) for each in made.operands]
        if made.function in (max, min):
            return set().union(*parts)
        return {_common(each) for each in itertools.product(*parts)}
    type_ = local_type(lowerer.context, operand)
    return {type_.dtype} if isinstance(type_, Array | Scalar) else {""}


def _common(kinds: Sequence[str]) -> str:
    """The kind of what is computed of numbers of these kinds; one that is not known is real."""
    if "" in kinds:
        return "float64" if "float64" in kinds else ""
    return str(np.result_type(*kinds))


def _callable(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `callable(x)`: functions and classes exist while compiling, numbers and arrays are values."""
    if len(args) != 1 or keywords:
        raise lowerer.refuse("BS113", "`callable` takes one thing", node, "write callable(f)")
    (thing,) = args
    own = special_method(lowerer, thing, "__call__") is not None
    kept = thing.value if isinstance(thing, Const) else None
    return Const(own or isinstance(kept, Inner | Bound) or (callable(kept) and not is_data(kept)))


def _core(_lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    """Lower `core(f)` to the library's own function."""
    return Const(Bound(Const(_called_as_it_is), args, {}))


def _called_as_it_is(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    function, *given = args
    assert isinstance(function, Const)
    return library_call(lowerer, function.value, tuple(given), keywords, node)


def _overloaded(
    _lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call
) -> Operand:
    """Lower `overloaded(f)` to the text of the overload."""
    return Const(Bound(Const(_called_by_overload), args, {}))


def _called_by_overload(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    function, message, remedy, *given = args
    assert isinstance(function, Const)
    found = expanded(lowerer, function.value, tuple(given), keywords, node, is_sure=True)
    return _refuse(lowerer, (message, remedy, Const("BS109")), {}, node) if found is None else found


def _refuse(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    """Refuse what the user calls, as its meaning in the prelude says."""
    message, remedy, *code = (each.value for each in args if isinstance(each, Const))
    raise lowerer.refuse((*code, "BS113")[0], message, node, remedy)


def _computed(_lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    """Lower `computed(f)` to a function that is called while compiling."""
    return Const(Bound(Const(_called_while_compiling), args, {}))


def _called_while_compiling(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    function, *given = args
    assert isinstance(function, Const)
    found = computed_here(lowerer, function.value, tuple(given), keywords, node)
    if found is None:
        message = f"`{lowerer.frame.name}` has options that are known only when the program runs"
        raise lowerer.refuse("BS115", message, node, "write them as literals")
    return found


def _early(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `early(f, ...)`: of constants, the function runs while compiling."""
    function, *given = args
    assert isinstance(function, Const)
    known = all_known(lowerer, tuple(given), keywords)
    if known is None:
        return lowerer.call(function, tuple(given), keywords, node)
    found = run_early(lowerer, function.value, known, node)
    same = (each for each in given if isinstance(each, Const) and each.value is found)
    return next(same, None) or as_constant(found, function.value)  # under the name that it has


def _is_complex(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    type_ = asked_type(lowerer, args[0], node)
    return Const(isinstance(type_, Array | Scalar) and type_.dtype.startswith("complex"))


def _has_known_items(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call
) -> Operand:
    return Const(known_elements(lowerer.context, args[0]) is not None)


def _grows(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    return Const(args[0] in lowerer.context.growing)


def _layout(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    type_ = asked_type(lowerer, args[0], node) if isinstance(args[0], Value) else None
    return Const(type_.layout if isinstance(type_, Array) else "A")


def _unit_axes(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    type_ = asked_type(lowerer, args[0], node)
    ndim = type_.ndim if isinstance(type_, Array) else 0
    known = unit_extents(lowerer.context, args[0], ndim)
    return lowerer.make_tuple(tuple(map(Const, known)), node)


def _axes_of_items(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    first = _first_item(lowerer, args[0])
    if lowerer.context.is_list(first):
        return Const(1 if isinstance(asked_type(lowerer, _first_item(lowerer, first), node), Scalar) else -1)
    type_ = asked_type(lowerer, first, node)
    return Const(type_.ndim if isinstance(type_, Array) else 0 if isinstance(type_, Scalar) else -1)


def _first_item(lowerer: Lowerer, items: Operand) -> Operand:
    """What is first put into a list; `UNDEFINED` if that is not known."""
    parts = known_elements(lowerer.context, items)
    if parts:
        return parts[0]
    return lowerer.context.appended.get(items, UNDEFINED) if isinstance(items, Value) else UNDEFINED


def _has_array(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    return Const(any(isinstance(asked_type(lowerer, each, node), Array) for each in args))


def _is_looped(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    """Whether a loop around the call runs over a list."""
    context = lowerer.context
    (items,) = args
    loops = context.iterated.get(items, ()) if isinstance(items, Value) else ()
    return Const(any(loop in context.loops for loop, _ in loops))


def _is_known(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    return Const(all(known_object(lowerer.context, each) is not None for each in args))


def _is_compiled(
    lowerer: Lowerer, _args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call
) -> Operand:
    return Const(lowerer.frame.source is not None and lowerer.frame.source.jitted)


def _in_order(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """The arguments of a library's function by its signature; those of them that are lists become arrays."""
    function, *given = args
    assert isinstance(function, Const)
    called = function.value.__name__
    try:
        bound = inspect.signature(function.value).bind(*given, **keywords)
    except TypeError as error:
        remedy = "give it the arguments that it takes"
        raise lowerer.refuse("BS113", f"`{called}`: {error}", node, remedy) from None
    bound.apply_defaults()
    operands = {
        name: each if isinstance(each, Const | Value) else wrap(each)
        for name, each in bound.arguments.items()
    }
    for name, each in operands.items():
        if name not in ("size", "axis") and known_elements(lowerer.context, each) is not None:
            operands[name] = lowerer.call(Const(np.array), (each,), {}, node)
        made = operands[name]
        if isinstance(made, Value) and name != "size":
            christen(made, name)
    return lowerer.make_tuple(tuple(operands.values()), node)


OF_MEANINGS: Mapping[object, Special] = {
    callable: _callable,
    declare.core: _core,
    _called_as_it_is: _called_as_it_is,
    declare.computed: _computed,
    declare.overloaded: _overloaded,
    _called_by_overload: _called_by_overload,
    _called_while_compiling: _called_while_compiling,
    declare.early: _early,
    declare.axes_of_items: _axes_of_items,
    declare.layout: _layout,
    declare.unit_axes: _unit_axes,
    declare.grows: _grows,
    declare.has_array: _has_array,
    declare.has_known_items: _has_known_items,
    declare.in_order: _in_order,
    declare.is_compiled: _is_compiled,
    declare.is_complex: _is_complex,
    declare.is_known: _is_known,
    declare.is_looped: _is_looped,
    declare.refuse: _refuse,
    **dict.fromkeys((with_places, declare.with_places), with_places),
    **dict.fromkeys((of_one_kind, declare.of_one_kind), of_one_kind),
    **dict.fromkeys((of_known_kind, declare.of_kind), of_known_kind),
}
"""What the texts ask, each with what answers it."""
