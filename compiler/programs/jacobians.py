"""Write the Jacobian of a typed primal: choose rows or columns, and put loops over seeds around the sweeps."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Sequence
from typing import Any

from backsweep.ad.derivation import analysed
from backsweep.ad.tangents import no_tangent, tangents
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.interprocedural.summaries import draws
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Custom, Function, If, Operand, Value
from backsweep.ir.show import show_type
from backsweep.ir.sweeps import forward_sweep, reverse_sweep
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, Array, Scalar, Tuple, Type
from backsweep.ir.walk import programs, walk
from backsweep.pipeline.derivative import PREPARED, REVERSAL, SILENT, TANGENTS
from backsweep.pipeline.passes import Stages, run
from backsweep.programs.request import PRODUCTS, Request, parts_of_result
from backsweep.programs.seeding import (
    Buffers,
    before_tangents,
    columns,
    extents,
    jacobian_buffers,
    leaves_of_type,
    rows,
    rows_of_numbers,
    size,
    steady,
    structured,
)
from backsweep.programs.sweeps import (
    derive,
    finish,
    gathered_for,
    repeatable,
)


def jacobian(primal: Function, request: Request, arguments: Sequence[Any], stages: Stages) -> list[Function]:
    """The emitted function for a typed primal of the arguments: the Jacobian of its result."""
    returned = parts_of_result(run(PREPARED, primal, stages), request)
    primal, aux = returned.primal, returned.aux
    request = dataclasses.replace(request, has_aux=False, apart=False)
    mode = _mode(primal, request)
    builder = Builder(loc=primal.loc)
    if mode == "jacfwd":
        parts = _by_columns(primal, request, None, builder)
    else:
        parts = _by_rows(primal, request, builder, either=mode == "jacobian")
    result = _whole(parts, primal, request, builder)
    if aux is not None:
        result = builder.apply(tuple, result, aux)
    body = Block(primal.body.parameters, tuple(builder.current.nodes), (result,))
    function = Function(f"{primal.name}_{request.mode}", body, primal.loc)
    by = TANGENTS if mode == "jacfwd" else REVERSAL
    return [finish(function, arguments, request.optimize, stages, by=by)]


def _mode(primal: Function, request: Request) -> str:
    """How the Jacobian is computed: "jacrev" by rows, "jacfwd" by columns, "jacobian" as the sizes decide at run time."""
    backwards, forwards = against_rows(primal, request), against_columns(primal, request)
    if request.mode == "jacrev" or (forwards is not None and request.mode != "jacfwd"):
        if backwards is not None:
            raise ArgumentError(_in_neither_mode(primal, request, backwards, forwards))
        return "jacrev"
    if request.mode == "jacfwd" or backwards is not None:
        if forwards is not None:
            raise ArgumentError(forwards)
        return "jacfwd"
    type_ = type_of(primal.body.yields[0])
    if request.mode == "hessian":
        return "jacfwd"
    if isinstance(type_, Scalar):
        return "jacrev"
    if all(isinstance(value.type, Scalar) for value in arguments_of(primal, request)):
        return "jacfwd"
    return "jacobian" if isinstance(type_, Array) else "jacrev"


def _in_neither_mode(
    primal: Function, request: Request, backwards: Problem, forwards: Problem | None
) -> Problem:
    """The error for a Jacobian that can be computed neither by rows nor by columns; that of a Hessian says why not by columns."""
    of_variable = len(arguments_of(primal, request)) < len(request.wrt)
    if request.mode != "hessian" or forwards is None or of_variable:
        return backwards
    if against_tangents(primal) is None:
        return forwards
    first, *others = request.wrt
    names = ", ".join(f'"{name}"' for name in request.wrt)
    remedy = f'give the name as a string, and reverse mode computes the rows: bs.hessian(f, wrt="{first}").'
    if others:
        remedy = f'compute the rows by reverse mode: bs.jacrev(bs.grad(f, wrt="{first}"), wrt=({names})), and so on.'
    return dataclasses.replace(forwards, loc=primal.loc, remedy=remedy)


def arguments_of(primal: Function, request: Request) -> list[Value]:
    """The parameters among the names in `wrt`; variables of the function are left out."""
    known = {value.name: value for value in primal.body.parameters}
    return [known[name] for name in request.wrt if name in known]


def against_rows(primal: Function, request: Request) -> Problem | None:
    """Why there are no reverse sweeps for rows: the result is no number, array or tuple of numbers, or not real."""
    for value in arguments_of(primal, request):
        if not all(map(_may_be_real, leaves_of_type(value.type))):
            return _refused(primal, f"the argument `{value.name}` is {_type_text(value.type)}")
    type_ = type_of(primal.body.yields[0])
    items = type_.items if isinstance(type_, Tuple) and request.mode != "pullbacks" else ()
    if items and all(isinstance(item, Scalar) and _is_real(item) for item in items):
        return None
    if _is_real(type_):
        variables = [name for name in request.wrt if name not in {v.name for v in primal.body.parameters}]
        if not variables or isinstance(type_, Scalar):
            return None
        if request.mode == "hessian":
            message = f"`{variables[0]}` is a variable of `{primal.name}`, and a Hessian with respect to an array takes arguments only"
            remedy = f"write a function of `{variables[0]}` that does what follows the assignment."
            return Problem("BS412", message, primal.loc, remedy)
        message = f"`{variables[0]}` is a variable of `{primal.name}`, whose result is not a number"
        return Problem("BS412", message, primal.loc, "use bs.vjp with a cotangent.")
    return _refused(primal, _returned(primal, type_))


def against_columns(primal: Function, request: Request) -> Problem | None:
    """Why there are no tangents for columns."""
    arguments = arguments_of(primal, request)
    for name in request.wrt:
        if name not in {value.name for value in arguments}:
            message = f"`{name}` is no argument of `{primal.name}`, and forward mode takes arguments only"
            return Problem("BS412", message, primal.loc, "use bs.jacrev.")
    for value in arguments:
        if isinstance(value.type, Tuple) and request.mode in PRODUCTS:
            message = f"a sparse matrix needs arguments that are numbers or arrays, and `{value.name}` is {_type_text(value.type)}"
            remedy = "pass its items as separate arguments, or leave `sparse` out."
            return Problem("BS412", message, primal.loc, remedy)
        if not _is_real(value.type):
            return _refused(primal, f"the argument `{value.name}` is {_type_text(value.type)}")
    type_ = type_of(primal.body.yields[0])
    if not all(map(_is_real, leaves_of_type(type_))):
        return _refused(primal, _returned(primal, type_))
    return against_tangents(primal)


def against_tangents(primal: Function) -> Problem | None:
    """The reason why the program has no tangent, or has another one in each run."""
    nodes = [node for program in programs(primal) for node in walk(program.body)]
    for node in nodes:
        if isinstance(node, Apply) and isinstance(node.function, Custom):
            return no_tangent(node, node.function)
    if draws(primal):
        message = f"`{primal.name}` draws random numbers, and each tangent would draw others"
        return Problem("BS412", message, primal.loc, "use bs.jacrev, or pass the numbers as an argument.")
    return None


def _returned(primal: Function, type_: Type | None) -> str:
    """What a program returns, in words; of a list, what stands for it is nothing that the user knows."""
    is_list = () in primal.listed and isinstance(type_, Tuple)
    what = "a list of arrays, or of tuples" if is_list else f"a value {_type_text(type_)}"
    return f"`{primal.name}` returns {what}"


def _refused(primal: Function, what: str) -> Problem:
    message = f"a Jacobian needs real numbers and arrays, and {what}"
    return Problem("BS412", message, primal.loc, "use bs.vjp or bs.jvp, which take any structure.")


def _is_real(type_: Type | None) -> bool:
    """Whether values of the type are floats or float arrays with axes."""
    if isinstance(type_, Array) and not type_.ndim:
        return False
    return isinstance(type_, Scalar | Array) and type_.dtype.startswith("float")


def _may_be_real(type_: Type | None) -> bool:
    """Whether a part of an argument is real, or has no derivative at all."""
    return not (isinstance(type_, Scalar | Array) and type_.dtype.startswith("complex"))


def _type_text(type_: Type | None) -> str:
    return "of no known type" if type_ is None else f"of type {show_type(type_)}"


def _by_rows(primal: Function, request: Request, builder: Builder, *, either: bool) -> list[list[Operand]]:
    """Write one forward sweep, and a reverse sweep for each entry of the result; if `either`, or tangents where these are fewer."""
    derivation = derive(primal, request, [])
    sweeps, arguments = derivation.sweeps, derivation.wrt
    forward, clear = repeatable(sweeps)
    builder.add(forward_sweep(primal.loc))
    builder.add(*forward)
    result = sweeps.result
    if isinstance(type_of(result), Scalar):
        builder.add(reverse_sweep(primal.loc))
        builder.add(*sweeps.reverse)
        return [list(sweeps.gradients)]
    if isinstance(type_of(result), Tuple):
        return rows_of_numbers(sweeps, arguments, clear, builder)
    buffers = jacobian_buffers(extents(result, builder), arguments, builder)
    if not either:
        return [rows(sweeps, arguments, buffers, clear, builder)]
    entries, inputs = size([result], builder), size(arguments, builder)
    fewer = builder.apply(operator.le, inputs, entries, type=BOOL)
    with builder.block() as forwards:
        found = _by_columns(primal, request, [buffers], builder)
    with builder.block() as backwards:
        rows(sweeps, arguments, buffers, clear, builder)
    builder.add(If(fewer, forwards.finish(), backwards.finish(), (), primal.loc))
    return found


def _by_columns(
    primal: Function, request: Request, buffers: list[Buffers] | None, builder: Builder
) -> list[list[Operand]]:
    """Write a tangent for each entry of the arguments. If `buffers` for the results are passed, the primal is written already."""
    arguments = arguments_of(primal, request)
    again = run((SILENT,), primal, [])
    facts = [analysed(again, [argument])[1] for argument in arguments]
    written = [
        tangents(
            again,
            [argument],
            own,
            watched=request.watched,
            strong_zeros=request.strong_zeros,
            again=request.again,
        )
        for argument, own in zip(arguments, facts, strict=True)
    ]
    shared = steady(again, written, facts[0])
    if buffers is None:
        buffers = [
            [
                own if isinstance(argument.type, Array) else []
                for argument, own in zip(
                    arguments, jacobian_buffers(extents(part, builder), arguments, builder), strict=True
                )
            ]
            for part in before_tangents(primal, facts[0], shared, builder)
        ]
    return columns(again, arguments, written, shared, buffers, builder, symmetric=request.symmetric)


def _whole(found: list[list[Operand]], primal: Function, request: Request, builder: Builder) -> Operand:
    """The Jacobian: the structure of the result, and in each part of it that of the arguments."""
    parts = [gathered_for(request, own, builder.current.nodes, primal.loc) for own in found]
    return structured(type_of(primal.body.yields[0]), iter(parts), builder)
