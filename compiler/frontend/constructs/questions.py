"""Questions about types, which are answered while compiling.

Of dtypes (`np.issubdtype(x.dtype, np.floating)`, `x.dtype == np.float64`) and of axes (`np.isscalar(x)`, `x.shape == ()`).
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.frontend.constructs.kinds import asked_type, dtype_of, local_type
from backsweep.frontend.constructs.lists import filled
from backsweep.frontend.context.heap import virtual
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import Context, is_undefined, known_elements
from backsweep.ir.nodes import Apply, Const, Load, Operand, Value
from backsweep.ir.types import Array, Scalar, Tuple
from backsweep.ir.walk import blocks, merges, walk
from backsweep.prelude.arrays.ufuncs import TRUTHS


def ask_identity(lowerer: Lowerer, one: Operand, truth: Operand, node: ast.expr) -> None:
    """Note `one is True` and its kin: `refuse_identities` sees what `one` may be, when what loops carry is known."""
    if not isinstance(one, Value) or not isinstance(truth, Const) or not isinstance(truth.value, bool):
        return
    if lowerer.frame.source is None or not lowerer.frame.source.jitted:
        message = f"a truth of NumPy's is compared by identity, as `is` and `case` do: in Python it never is {truth.value}, to Numba it may be"
        remedy = "ask the truth itself, as in `if x[0] > 0.0:`"
        lowerer.context.identities.append((one, Problem("BS102", message, lowerer.loc(node), remedy)))


def refuse_identities(context: Context) -> None:
    """Refuse the noted comparisons of truths that NumPy gives: in Python such a truth is another object, to Numba it is compared."""
    merged = _merged(context) if context.identities else {}
    for one, problem in context.identities:
        if any(_is_truth_of_numpys(context, each) for each in _sources(merged, one)):
            context.problems.add(UnsupportedError, problem)


def ask_presence(lowerer: Lowerer, operand: Operand, name: str, node: ast.expr) -> None:
    """Note the question whether an object has an attribute: `refuse_presences` sees which paths assign it."""
    thing = virtual(operand)
    kept = None if thing is None else lowerer.context.objects.heap.records.get(thing, {}).get(name)
    if isinstance(kept, Value):
        message = f"whether this object has `{name}`, the run decides: not every path assigns it"
        remedy = f"assign it in `__init__`, as in self.{name} = None, and ask whether it is None"
        lowerer.context.presences.append((kept, Problem("BS105", message, lowerer.loc(node), remedy)))


def refuse_presences(context: Context) -> None:
    """Refuse the questions whether an object has an attribute that only some paths assign: the run would have to answer."""
    merged = _merged(context) if context.presences else {}
    for one, problem in context.presences:
        if any(map(is_undefined, _sources(merged, one))):
            context.problems.add(UnsupportedError, problem)


Merged = Mapping[Operand, tuple[Operand, ...]]
"""What each value may be that branches and loops hand on."""


def _merged(context: Context) -> Merged:
    merged: dict[Operand, tuple[Operand, ...]] = {}
    for node in walk(context.builder.outermost.finish()):
        starting = {each for block in blocks(node) for each in block.parameters}
        for group in merges(node):
            merged |= dict.fromkeys((group[0], *starting.intersection(group)), group)
    return merged


def _sources(merged: Merged, one: Value) -> Iterator[Operand]:
    """All that a value may be, and the value itself."""
    waiting: list[Operand] = [one]
    seen: set[Operand] = {one}
    while waiting:
        each = waiting.pop()
        yield each
        waiting += [source for source in merged.get(each, ()) if source not in seen]
        seen.update(waiting)


def _is_truth_of_numpys(context: Context, operand: Operand) -> bool:
    """Whether an operand is a truth, and surely one of NumPy's."""
    made = context.builder.made.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Apply) and made.function in TRUTHS:
        return True
    is_truth = operand in context.booleans or local_type(context, operand) == Scalar("bool")
    return is_truth and _is_of_numpys(context, operand)


def _is_of_numpys(context: Context, operand: Operand) -> bool:
    """Whether a number or truth is surely one of NumPy's: an entry of an array, or computed of one."""
    made = context.builder.made.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Load):
        return isinstance(local_type(context, made.buffer), Array)
    if not isinstance(made, Apply):
        return False
    if isinstance(made.function, np.ufunc):
        return True
    is_operator = (
        getattr(made.function, "__module__", "") == "_operator" and made.function is not operator.not_
    )
    return is_operator and any(_is_of_numpys(context, each) for each in made.operands)


def _answered(function: Callable[..., object]) -> Special:
    """The special lowering of a function of dtypes: its result is a constant."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        is_alone = len(args) == 1
        named = [_named(lowerer, each, node, is_alone=is_alone) for each in args]
        given = {name: _named(lowerer, each, node) for name, each in keywords.items()}
        if any(each is None for each in (*named, *given.values())):
            message = (
                f"`{ast.unparse(node.func)}` is asked of something other than arrays, dtypes and constants"
            )
            raise lowerer.refuse("BS115", message, node, "ask it of the dtype of an array, as in x.dtype")
        try:
            return Const(function(*named, **given))
        except TypeError as error:
            raise lowerer.refuse(
                "BS113", f"`{ast.unparse(node.func)}` fails: {error}", node, "name a dtype"
            ) from None

    return special


def _named(lowerer: Lowerer, operand: Operand, node: ast.AST, *, is_alone: bool = False) -> object:
    """What an operand is or names, as NumPy's functions of dtypes take it; None if it is not known.

    NumPy tells Python's numbers from its own where it promotes them, and compiled code does not; a number that is alone has one dtype.
    """
    parts = known_elements(lowerer.context, operand)
    if parts is not None:
        found = [_named(lowerer, each, node) for each in parts]
        return None if None in found else tuple(found)
    if isinstance(operand, Const):
        return operand.value
    is_number = operand not in lowerer.context.dtypes and not isinstance(
        asked_type(lowerer, operand, node), Array
    )
    if is_number and not is_alone:
        return None
    return dtype_of(lowerer, operand, node)


def _common_type(*dtypes: np.dtype[Any]) -> type:
    """`np.common_type` of arrays of these dtypes."""
    found: type = np.common_type(*(np.empty(0, dtype) for dtype in dtypes))
    return found


def _of_kinds(answer: Callable[[Scalar | Array], bool | int], *, is_of_lists: bool) -> Special:
    """The special lowering of a function that tells arrays from numbers; a list or tuple counts as an array of one axis."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        given = (*args, *keywords.values())
        kind = _kind(lowerer, given[0], node, is_of_lists=is_of_lists) if len(given) == 1 else None
        if kind is None:
            message = f"`{ast.unparse(node)}` needs a type that is not known while compiling"
            raise lowerer.refuse("BS115", message, node, "ask it of an array or a number")
        return Const(answer(kind))

    return special


def _kind(lowerer: Lowerer, operand: Operand, node: ast.AST, *, is_of_lists: bool) -> Scalar | Array | None:
    """The type of an array or a number; None if it is not known."""
    if is_of_lists and (
        lowerer.context.is_list(operand) or known_elements(lowerer.context, operand) is not None
    ):
        return Array("float64", 1)
    parts = known_elements(lowerer.context, operand)
    if parts is not None:  # of a list of lists the first one tells how deep it is
        inner = _kind(lowerer, parts[0], node, is_of_lists=False) if parts else Scalar("float64")
        return None if inner is None else Array(inner.dtype, _axes(inner) + 1)
    type_ = asked_type(lowerer, operand, node)
    return type_ if isinstance(type_, Array | Scalar) else None


def _axes(kind: Scalar | Array) -> int:
    """How many axes there are; a number has none."""
    return kind.ndim if isinstance(kind, Array) else 0


def _truth(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """`bool(x)`: of a number or array it is a conversion, of anything else what its class says."""
    found = filled(lowerer, args[0], node) if len(args) == 1 and not keywords else args[0]
    if found is args[0]:
        return lowerer.apply(bool, args, node, keywords)
    return lowerer.negated(lowerer.negated(found, node), node)


ANSWERED: Mapping[object, Special] = (
    {
        bool: _truth,
    }
    | {
        function: _answered(function)
        for name in ("issubdtype", "can_cast", "result_type", "promote_types", "isdtype")
        if (function := getattr(np, name, None)) is not None  # the last is NumPy 2's
    }
    | {
        np.common_type: _answered(_common_type),
        np.ndim: _of_kinds(_axes, is_of_lists=False),
        np.isscalar: _of_kinds(lambda kind: isinstance(kind, Scalar), is_of_lists=True),
        np.iterable: _of_kinds(lambda kind: _axes(kind) > 0, is_of_lists=True),
    }
)

_COMPARED: Mapping[type[ast.cmpop], Callable[[object, object], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def compared_kinds(
    lowerer: Lowerer, left: Operand, op: ast.cmpop, right: Operand, node: ast.AST
) -> bool | None:
    """The outcome of `x.dtype == np.float64`, and of `x.shape == ()` if there are more axes; None for another comparison."""
    if type(op) not in _COMPARED:
        return None
    if any(isinstance(each, Value) and each in lowerer.context.dtypes for each in (left, right)):
        one, other = (_named(lowerer, each, node) for each in (left, right))
        return None if one is None or other is None else _COMPARED[type(op)](one, other)
    counts = [_parts(lowerer, each, beside, node) for each, beside in ((left, right), (right, left))]
    if None in counts or (counts[0] == counts[1] and counts[0] != 0):
        return None
    return _COMPARED[type(op)](*counts)


def _parts(lowerer: Lowerer, operand: Operand, beside: Operand, node: ast.AST) -> int | None:
    """How many parts a tuple has; None if that is not known. It is asked for where the other one's are known."""
    parts = known_elements(lowerer.context, operand)
    if parts is not None:
        return len(parts)
    if isinstance(operand, Const) or known_elements(lowerer.context, beside) is None:
        return None
    type_ = asked_type(lowerer, operand, node)
    return len(type_.items) if isinstance(type_, Tuple) else None
