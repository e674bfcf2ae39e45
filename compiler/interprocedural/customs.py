"""Give types to the programs of hooks and of the user's pullbacks, and copy arrays that these programs could write to."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

import numpy as np

from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.frontend.constructs.custom import custom_vjp
from backsweep.ir.nodes import Apply, Callee, Custom, Function, Node, Operand, Tap, Value
from backsweep.ir.show import show_type
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Scalar, Tuple, Type, is_float
from backsweep.ir.walk import programs, rewrite, walk
from backsweep.typing.infer import cotangent_type, to_numba

Form = Callable[[Function, Sequence[Any]], Function]
"""Brings an untyped program, with Numba's types for its arguments, to the form that derivatives are written from."""


def with_typed_customs(function: Function, form: Form) -> Function:
    """The typed program, in which the programs of hooks and pullbacks are typed, too; `form` does that.

    What a function with a pullback of its own returns is a copy, so that it shares no memory with its arguments.
    """

    def typed(node: Node) -> list[Node]:
        if _is_custom(node):
            return _typed(node, form)
        if isinstance(node, Apply) and isinstance(node.function, custom_vjp):
            return _guarded(node)
        return [node]

    return rewrite(function, typed)


def with_all_customs(function: Function, form: Form) -> Function:
    """The same for a program and the programs of all functions that it calls; traces run them as they are."""
    for program in programs(function):
        for node in walk(program.body):
            if isinstance(node, Apply) and isinstance(node.function, Callee) and node.function.program:
                node.function.program = with_typed_customs(node.function.program, form)
    return with_typed_customs(function, form)


def _is_custom(node: Node) -> TypeGuard[Apply]:
    """Whether the node is a hook or a pullback whose program has no types yet."""
    if not isinstance(node, Apply) or not isinstance(node.function, Custom):
        return False
    parameters = node.function.backward.body.parameters
    return any(parameter.type is None for parameter in parameters)


def _typed(node: Apply, form: Form) -> list[Node]:
    """The hook or pullback with a typed program; before a pullback, copies of the function's results, so that they have no other name."""
    custom = node.function
    assert isinstance(custom, Custom)
    results, arguments, rest = custom.split(node.operands)
    if custom.updates and isinstance(type_of(results[0]), Array):
        return [dataclasses.replace(node, function=Tap(custom.name, updates=True), operands=results)]
    for operand in results:
        _check(custom, operand, node)
    types = [cotangent_type(to_numba(_known(operand))) for operand in results]
    types += [to_numba(_known(operand)) for operand in rest]
    backward = form(custom.backward, types)
    typed = dataclasses.replace(custom, backward=backward)
    if not custom.passes:
        _check_cotangents(typed, arguments, node)
        copies, results = _with_own_memory(results, node)
    else:
        copies = []
        _check_cotangents(typed, results, node)
    operands = (*results, *(results if custom.passes else arguments), *rest)
    return [*copies, dataclasses.replace(node, function=typed, operands=operands)]


def _guarded(node: Apply) -> list[Node]:
    """The call of a function with a pullback of its own, behind copies of its arrays, to which the function may write."""
    copies, operands = _with_own_memory(node.operands, node)
    return [*copies, dataclasses.replace(node, operands=operands)]


def _known(operand: Operand) -> Type:
    type_ = type_of(operand)
    assert type_ is not None
    return type_


def _check(custom: Custom, operand: Operand, node: Apply) -> None:
    """Raise UnsupportedError for a result that has no adjoint."""
    type_ = _known(operand)
    if isinstance(type_, Scalar | Array) and is_float(type_):
        return
    if custom.passes:
        message = f"a hook is given {show_type(type_)}, but it needs a float or an array of floats"
        remedy = "hook each item." if isinstance(type_, Tuple) else "hook a float or an array of floats."
        raise UnsupportedError(Problem("BS413", message, node.loc, remedy))
    message = f"`{custom.name}` returns {show_type(type_)}, which has no cotangent"
    raise UnsupportedError(
        Problem("BS413", message, node.loc, "return floats, arrays of floats, or tuples of them.")
    )


def _check_cotangents(custom: Custom, arguments: Sequence[Operand], node: Apply) -> None:
    """Raise UnsupportedError if a cotangent that the user's program returns is not a number, or an array of the dimension, as the argument is."""
    for argument, bar in zip(arguments, cotangents(custom), strict=True):
        wanted, found_type = _known(argument), type_of(bar)
        if not is_float(wanted) or _fits(wanted, found_type):
            continue
        found = "nothing that is known" if found_type is None else show_type(found_type)
        what = "a hook" if custom.passes else f"the backward function of `{custom.name}`"
        name = f"`{argument.name}`" if argument.name else "its argument"
        message = f"{what} returns {found} as the adjoint of {name}, which is {show_type(wanted)}"
        raise UnsupportedError(Problem("BS413", message, node.loc, "return an adjoint of the same shape."))


def _fits(wanted: Type, found_type: Type | None) -> bool:
    if not isinstance(wanted, Scalar | Array) or not isinstance(found_type, Scalar | Array):
        return False
    real = not found_type.dtype.startswith("complex") or wanted.dtype.startswith("complex")
    if isinstance(wanted, Scalar) or isinstance(found_type, Scalar):
        return real and isinstance(wanted, Scalar) and isinstance(found_type, Scalar)
    return real and wanted.ndim == found_type.ndim


def cotangents(custom: Custom) -> Sequence[Operand]:
    """The operands that the program of a hook or a pullback returns, one for each argument."""
    (whole,) = custom.backward.body.yields
    return next(
        node.operands
        for node in custom.backward.body.nodes
        if isinstance(node, Apply) and node.result is whole
    )


def _with_own_memory(operands: Sequence[Operand], node: Apply) -> tuple[list[Node], tuple[Operand, ...]]:
    """The nodes that copy the arrays among the operands, and the operands with the copies in their places."""
    copies: list[Node] = []
    own: list[Operand] = []
    for operand in operands:
        type_ = type_of(operand)
        if isinstance(type_, Array) and isinstance(operand, Value):
            copy = Value(operand.name, Array(type_.dtype, type_.ndim, type_.layout), node.loc)
            copies.append(Apply(copy, np.copy, (operand,), node.loc))
            operand = copy
        own.append(operand)
    return copies, tuple(own)
