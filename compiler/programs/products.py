"""Write products of a Jacobian with many vectors: a loop over rows of seeds, with a tangent or a reverse sweep in it."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from backsweep.ad.derivation import analysed
from backsweep.ad.tangents import tangents
from backsweep.diagnostics import ArgumentError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, For, Function, Operand, Slice, Value
from backsweep.ir.sweeps import forward_sweep
from backsweep.ir.typed import type_of
from backsweep.ir.types import FLOAT, INT, Array, Scalar, Tuple, Type
from backsweep.ir.walk import renewed, substitute
from backsweep.pipeline.derivative import PREPARED, REVERSAL, SILENT, TANGENTS
from backsweep.pipeline.passes import Stages, run
from backsweep.programs.jacobians import against_columns, against_rows, arguments_of
from backsweep.programs.request import Request
from backsweep.programs.seeding import alike, before_tangents, extents, leaves, size, steady, without
from backsweep.programs.sweeps import derive, distinct, finish, repeatable
from backsweep.typing.infer import to_numba


def pushforwards(
    primal: Function, request: Request, arguments: Sequence[Any], stages: Stages
) -> list[Function]:
    """The emitted function that takes the arguments, and seeds for each in rows, and returns for each row the tangents of the results."""
    primal = run(PREPARED, primal, stages)
    problem = against_columns(primal, request)
    if problem is not None:
        raise ArgumentError(problem)
    moved = arguments_of(primal, request)
    again = run((SILENT,), primal, [])
    facts = analysed(again, moved)[1]
    written = tangents(again, moved, facts)
    shared = steady(again, [written], facts)
    builder = Builder(loc=primal.loc)
    parts = before_tangents(primal, facts, shared, builder)
    seeds = [_seeds(value.name, value.type, value) for value in moved]
    found = _buffer(seeds[0], parts, builder)
    nodes = without(written.nodes, shared)
    before, tangent = alike(again, written, renewed(Block((), nodes, (written.result_dot,))), shared)
    builder.add(*before)
    count, row = extents(seeds[0], builder)[0], builder.value("", INT)
    with builder.block(row) as body:
        replaced = {
            dot: _seed(dot.name, rows, row, value, builder)
            for dot, rows, value in zip(written.dots, seeds, moved, strict=True)
        }
        tangent = substitute(tangent, dict(replaced))
        builder.add(*tangent.nodes)
        _keep(found, row, leaves(tangent.yields[0], builder), parts, builder)
    builder.add(For(Const(0), count, Const(1), (), body.finish(), (), primal.loc))
    return _finished(primal, request, arguments, seeds, found, builder, stages)


def pullbacks(primal: Function, request: Request, arguments: Sequence[Any], stages: Stages) -> list[Function]:
    """The emitted function that takes the arguments, and seeds of the result in rows, and returns for each row the arguments' adjoints."""
    primal = run(PREPARED, primal, stages)
    problem = against_rows(primal, request)
    type_ = type_of(primal.body.yields[0])
    if problem is not None:
        raise ArgumentError(problem)
    derivation = derive(primal, request, stages)
    sweeps = derivation.sweeps
    builder = Builder(loc=primal.loc)
    forward, clear = repeatable(sweeps)
    builder.add(forward_sweep(primal.loc))
    builder.add(*forward)
    seeds = _seeds(sweeps.seed.name, type_, sweeps.seed)
    parts = [leaf for value in derivation.wrt for leaf in leaves(value, builder)]
    found = _buffer(seeds, parts, builder)
    builder.comment("a reverse sweep for each row of seeds")
    count, row = extents(seeds, builder)[0], builder.value("", INT)
    with builder.block(row) as body:
        builder.add(*clear)
        seed = _seed("", seeds, row, sweeps.result, builder)
        if isinstance(type_, Array):
            builder.add(Apply(sweeps.seed, np.copy, (seed,), primal.loc))
            reverse = Block((), sweeps.reverse, sweeps.gradients)
        else:
            reverse = substitute(Block((), sweeps.reverse, sweeps.gradients), {sweeps.seed: seed})
        builder.add(*reverse.nodes)
        _keep(found, row, [leaf for each in reverse.yields for leaf in leaves(each, builder)], parts, builder)
    builder.add(For(Const(0), count, Const(1), (), body.finish(), (), primal.loc))
    return _finished(primal, request, arguments, [seeds], found, builder, stages)


def _seeds(name: str, type_: Type | None, like: Value) -> Value:
    """A parameter for rows of seeds for a number or an array."""
    assert isinstance(type_, Scalar | Array)
    return Value(f"{name}_seeds", Array(type_.dtype, 2), like.loc)


def _seed(name: str, seeds: Value, row: Value, like: Operand, builder: Builder) -> Value:
    """A row of seeds, in the shape of the number or array that it belongs to."""
    type_ = type_of(like)
    if not isinstance(type_, Array):
        return builder.load(seeds, (row, Const(0)), name=name, type=type_)
    if type_.ndim == 1:
        return builder.view(seeds, (row,), name=name, type=Array(type_.dtype, 1))
    line = builder.view(seeds, (row,), type=Array(type_.dtype, 1))
    shape = builder.apply(np.shape, like)
    return builder.apply(np.reshape, line, shape, name=name, type=Array(type_.dtype, type_.ndim))


def _buffer(seeds: Value, parts: Sequence[Operand], builder: Builder) -> Value:
    """An array with a row for each seed and a column for each entry of the parts."""
    lengths = (extents(seeds, builder)[0], size(parts, builder))
    shape = builder.apply(tuple, *lengths, type=Tuple((INT, INT)))
    return builder.apply(np.empty, shape, name="products", type=Array("float64", 2))


def _keep(
    found: Value, row: Value, derivatives: Sequence[Operand], parts: Sequence[Operand], builder: Builder
) -> None:
    """Store the derivatives of all parts, one after the other, in a row."""
    begin: Operand = Const(0)
    for derivative, part in zip(derivatives, parts, strict=True):
        type_ = type_of(part)
        if not isinstance(type_, Array):
            builder.store(found, (row, begin), derivative)
            begin = builder.apply(operator.add, begin, Const(1), type=INT)
            continue
        end = builder.apply(operator.add, begin, builder.apply(np.size, part, type=INT), type=INT)
        line = (
            derivative if type_.ndim == 1 else builder.apply(np.ravel, derivative, type=Array(type_.dtype, 1))
        )
        whole = len(parts) == 1
        builder.store(found, (row, Slice() if whole else Slice(begin, end)), line)
        begin = end


def _finished(
    primal: Function,
    request: Request,
    arguments: Sequence[Any],
    seeds: Sequence[Value],
    found: Value,
    builder: Builder,
    stages: Stages,
) -> list[Function]:
    """The function of the primal's parameters and the seeds."""
    parameters = primal.body.parameters
    own = distinct([*parameters, *seeds])[len(parameters) :]
    body = Block((), tuple(builder.current.nodes), (found,))
    body = substitute(body, dict(zip(seeds, own, strict=True)))
    function = Function(
        f"{primal.name}_{request.mode}", Block((*parameters, *own), body.nodes, body.yields), primal.loc
    )
    types = [*arguments, *(to_numba(value.type or FLOAT) for value in own)]
    by = REVERSAL if request.mode == "pullbacks" else TANGENTS
    return [finish(function, types, request.optimize, stages, by=by)]
