"""Objects of a library's classes that programs use: interpolants, known or made by the program.

The prelude has a class for each. An object that is made around the function becomes one of that class, with constants as attributes.
What a program makes of constants is made while compiling, by the library itself.
"""

from __future__ import annotations

import ast
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import KnownTuple
from backsweep.frontend.instances.early import all_known, as_constant, run_early
from backsweep.frontend.instances.making import new
from backsweep.frontend.instances.members import attribute, store
from backsweep.ir.nodes import Const, Operand
from backsweep.prelude.declare import is_run_early, meaning_of, object_of
from backsweep.reading.names import is_data, wrap

REMEDY = "make it outside of the function, or have Python run it with bs.pure_python and declare its derivative with bs.rule"
_FOUND: dict[int, tuple[weakref.ref[Any], dict[str, Any]]] = {}
"""What objects that were met before became, so that two calls of one refer to the same arrays; some have no hash."""


def called(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower the call of such an object, of a method of one, or of what makes one; None for other functions."""
    owner = thing if object_of(thing) is not None else getattr(thing, "__self__", None)
    known = None if owner is None else object_of(owner)
    if known is None and not is_run_early(thing):
        return None
    given = all_known(lowerer, args, keywords)
    if given is not None and is_run_early(thing if known is None else type(owner)):
        if known is not None:
            _note_reads(lowerer, owner, known[1])
        return as_constant(run_early(lowerer, thing, given, node), thing)
    if known is not None:
        of = as_object(lowerer, owner, node)
        method = attribute(lowerer, of, "__call__" if thing is owner else thing.__name__, node)
        assert method is not None
        return lowerer.call(method, args, keywords, node)
    if meaning_of(thing) is None:
        message = (
            f"there is no derivative for `{ast.unparse(node.func)}` of values that the function computes"
        )
        raise lowerer.refuse("BS202", message, node, REMEDY)
    return None


def made_known(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """An operand of an operator, as the prelude's object if it is an object of a library's."""
    if isinstance(operand, Const) and not is_data(operand.value) and object_of(operand.value) is not None:
        return as_object(lowerer, operand.value, node)
    return operand


def as_object(lowerer: Lowerer, thing: Any, node: ast.AST) -> Const:
    """The prelude's object for an object of a library's, whose attributes are constants."""
    known = object_of(thing)
    assert known is not None
    make, reads = known
    _note_reads(lowerer, thing, reads)
    made = make(thing)
    if isinstance(made, str):
        message = f"`{ast.unparse(getattr(node, 'func', node))}` cannot be differentiated: {made}"
        raise lowerer.refuse("BS202", message, node, REMEDY)
    base = new(lowerer, type(made), node)
    for name, part in _remembered(thing, vars(made)).items():
        store(lowerer, base.value, name, _constant(part, name), node)
    return base


def _note_reads(lowerer: Lowerer, thing: Any, names: Sequence[str]) -> None:
    """Note what is read of an object, so that the program is lowered again where that changes."""
    for name in names:
        lowerer.context.outside.note_attribute(lowerer.frame.source, thing, name, is_used_up=True)


def _constant(part: Any, name: str) -> Operand:
    """What an attribute holds; each array of a tuple has a name of its own."""
    if isinstance(part, tuple) and any(isinstance(each, np.ndarray) for each in part):
        return Const(KnownTuple(tuple(Const(each, f"{name}{k}") for k, each in enumerate(part))))
    return wrap(part, name if isinstance(part, np.ndarray) else "")


def _remembered(thing: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """The attributes that the object had when it was last met, if they are the same."""
    if not type(thing).__weakrefoffset__:  # as `np.r_`, which holds no arrays
        return parts
    key = id(thing)
    met, old = _FOUND.get(key, (None, {}))
    is_met = met is not None and met() is thing and old.keys() == parts.keys()
    if is_met and all(_same(old[name], parts[name]) for name in old):
        return old
    _FOUND[key] = (weakref.ref(thing, lambda _: _FOUND.pop(key, None)), parts)
    return parts


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return one.shape == other.shape and one.tobytes() == other.tobytes()
    return repr(one) == repr(other)
