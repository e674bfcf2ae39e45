"""Convert the arguments of an `@njit` function with declared signatures where it begins, and its result where it ends."""

from __future__ import annotations

import ast
import operator

from backsweep.dispatch.dispatchers import Conversion, Declared, chosen_signature
from backsweep.frontend.constructs.kinds import UNKNOWN, asked_type
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Frame
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.types import Fixed, Type
from backsweep.typing.infer import to_numba


def signature_of(lowerer: Lowerer, frame: Frame, node: ast.AST) -> Declared | None:
    """The signature that a call of the function is for; None if it declares none.

    One is for every call. Of several, Numba chooses by the types of the arguments.
    """
    source = frame.source
    if source is None or frame.outer is not None or not source.declared:
        return None
    if len(source.declared) == 1:
        return source.declared[0]
    given = {name: asked_type(lowerer, operand, node) for name, operand in frame.env.items()}
    for parameter, type_ in given.items():
        if not _is_known(type_):
            message = f"`{source.name}` has several signatures, and which is for this call depends on the type of `{parameter}`, which is not known"
            raise lowerer.refuse("BS115", message, node, "give the function one signature, or none.")
    found = chosen_signature(
        source.declared, list(map(to_numba, given.values())), is_called_by_python=frame.caller is None
    )
    if found is None:
        types = ", ".join(str(to_numba(type_)) for type_ in given.values())
        message = f"none of the signatures of `{source.name}`, or no single one, is for arguments of the types ({types})"
        raise lowerer.refuse(
            "BS115", message, node, "convert the arguments, or add a signature for these types."
        )
    return found


def _is_known(type_: Type) -> bool:
    """Whether Numba can choose a signature by the type."""
    return type_ != UNKNOWN and not isinstance(type_, Fixed)


def converted(lowerer: Lowerer, operand: Operand, kind: Conversion, node: ast.AST) -> Operand:
    """The operand as a value of another type: a number, or a tuple item by item."""
    if kind is None:
        return operand
    if not isinstance(kind, tuple):
        return lowerer.apply(kind, (operand,), node)
    items = tuple(
        converted(lowerer, lowerer.apply(operator.getitem, (operand, Const(position)), node), item, node)
        for position, item in enumerate(kind)
    )
    return lowerer.make_tuple(items, node)
