"""Write the functions that emitted functions call: recursive functions of the user's, and their adjoints and tangents."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Collection, Iterator, Mapping, Sequence

from backsweep.ad.derivation import analysed
from backsweep.ad.intermediates import untapped
from backsweep.ad.reverse import reverse
from backsweep.ad.tangents import tangents
from backsweep.analysis.integers.extents import ParameterShapes, shape_of_parameter
from backsweep.diagnostics import NOWHERE, Loc
from backsweep.interprocedural.by_reference import on_arguments
from backsweep.interprocedural.dead_parameters import narrowing, still_called
from backsweep.interprocedural.summaries import bundled, own_results, returned_parts
from backsweep.ir.nodes import Apply, Block, Callee, Const, Function, Node, Operand, Value
from backsweep.ir.sweeps import forward_sweep, reverse_sweep
from backsweep.ir.typed import type_of
from backsweep.ir.types import Array, Tuple, Type, is_float, with_layout
from backsweep.ir.walk import renewed, substitute, walk, with_body
from backsweep.pipeline.derivative import CALLED, PREPARED, SILENT, WHOLE
from backsweep.pipeline.passes import PassInputs, Stages, run
from backsweep.programs.primal import unused
from backsweep.programs.request import Request
from backsweep.programs.sweeps import distinct, finish
from backsweep.typing.infer import to_numba


def with_callees(functions: Sequence[Function], request: Request, stages: Stages) -> list[Function]:
    """All functions to emit: those that the given functions call, directly or not, and then the given functions."""
    found: dict[Callee, Function] = {}
    waiting = list(_called(functions))
    while waiting:
        callee = waiting.pop(0)
        if callee in found:
            continue
        if callee.program is None:
            callee.program = (
                _callee_tangent(callee, request) if _is_tangent(callee) else _callee_adjoint(callee, request)
            )
        types = [to_numba(type_) for type_ in callee.parameters]
        own = with_body(callee.program, renewed(callee.program.body))  # its derivatives name its values
        found[callee] = finish(own, types, request.optimize, stages, _assumed(callee))
        waiting += _called([found[callee]])
    known = narrowing(found)
    inputs = PassInputs(narrowing=known)
    last = CALLED if request.optimize == "kernels" else WHOLE  # which look at the memory of the host
    whole = [run(last, function, stages, inputs) for function in functions]
    narrow = {
        known.narrow[callee]: known.of(callee, run(CALLED, function, stages, inputs))
        for callee, function in found.items()
    }
    called = {callee: narrow[callee] for callee in still_called(whole, narrow)}
    return [*_named(called, {function.name for function in whole}), *whole]


def _named(callees: Mapping[Callee, Function], taken: Collection[str]) -> Iterator[Function]:
    """The functions of the callees, each under a name that no other has."""
    used = set(taken)
    for callee, function in callees.items():
        callee.name = unused(callee.name, used)
        used.add(callee.name)
        yield dataclasses.replace(function, name=callee.name)


def _called(functions: Sequence[Function]) -> Iterator[Callee]:
    for function in functions:
        for node in walk(function.body):
            if isinstance(node, Apply) and isinstance(node.function, Callee):
                yield node.function


def _is_tangent(callee: Callee) -> bool:
    """Whether the callee is the tangent of another; else it is an adjoint."""
    return callee.origin is not None and callee in callee.origin[0].tangents.values()


def _assumed(callee: Callee) -> ParameterShapes:
    """The known shapes of parameters: those of the user's arguments; a shadow, cotangent or tangent has the shape of its array."""
    if callee.origin is None:
        return {} if callee.program is None else callee.program.assumed
    origin, positions = callee.origin
    found = {} if origin.program is None else dict(origin.program.assumed)
    arrays = [
        (number, shape_of_parameter(k, type_))
        for number, k in enumerate(positions)
        if isinstance(type_ := origin.parameters[k], Array)
    ]
    count = len(origin.parameters)
    if _is_tangent(callee):
        return found | {count + number: shape for number, shape in arrays}
    found |= {count + place: shape for place, (_, shape) in enumerate(arrays)}
    floats = [number for number, type_ in enumerate(own_results(origin)) if is_float(type_)]
    for place, number in enumerate(floats, count + len(arrays)):
        like = origin.alike.get(number)
        if like is not None and isinstance(type_ := origin.parameters[like], Array):
            found[place] = shape_of_parameter(like, type_)
    return found


def _callee_adjoint(callee: Callee, request: Request) -> Function:
    """The adjoint of a callee, which runs the forward sweep again, and then adds to the shadows that the caller passes.

    So the records of one call live no longer than that call's reverse sweep (joint reversal: Griewank and Walther,
    Evaluating Derivatives, section 12.2).
    """
    assert callee.origin is not None
    origin, positions = callee.origin
    assert origin.program is not None
    program = on_arguments(origin) if origin.is_block else origin.program
    assert program is not None
    primal = run((SILENT, *PREPARED), program, [])
    parameters = primal.body.parameters
    parts = returned_parts(primal)
    count = len(own_results(origin))
    # Of an array that it changes, the callee's own copy is what it computes with from its first statement on. A block of
    # a checkpointed loop writes to the array itself: the caller restores it.
    copies = {} if origin.is_block else dict(zip(origin.changed, parts[count:], strict=True))
    wrt = [copies.get(k, parameters[k]) for k in positions]
    values = [value for value in wrt if isinstance(value, Value)]
    _, facts = analysed(primal, values)
    shadows = {value: _bar(value, value.type) for value in values if isinstance(value.type, Array)}
    numbers = [value for value in values if value not in shadows]
    bars = tuple(_bar(part, type_of(part)) if is_float(type_of(part)) else None for part in parts[:count])
    seed = (*bars, *(None for _ in parts[count:]))
    found_ = reverse(
        primal,
        numbers,
        facts,
        seed,
        request.new_list,
        shadows,
        watched=request.watched,
        strong_zeros=request.strong_zeros,
        again=request.again,
    )
    sweeps, *_ = untapped(found_)
    nodes: list[Node] = [
        forward_sweep(primal.loc),
        *sweeps.forward,
        reverse_sweep(primal.loc),
        *sweeps.reverse,
    ]
    found = bundled(sweeps.gradients, nodes, primal.loc)
    inputs = [*parameters, *shadows.values(), *(bar for bar in bars if bar is not None)]
    renamed = dict(zip(inputs, distinct(inputs), strict=True))
    body = substitute(Block((), tuple(nodes), (found,)), dict(renamed))
    return Function(callee.name, Block(tuple(renamed.values()), body.nodes, body.yields), primal.loc)


def _callee_tangent(callee: Callee, request: Request) -> Function:
    """The tangent of a callee, which returns its results, and then the tangents of those that are floats."""
    assert callee.origin is not None
    origin, positions = callee.origin
    assert origin.program is not None
    primal = run(PREPARED, origin.program, [])
    parameters = primal.body.parameters
    wrt = [parameters[k] for k in positions]
    _, facts = analysed(primal, wrt)
    found = tangents(
        primal,
        wrt,
        facts,
        watched=request.watched,
        strong_zeros=request.strong_zeros,
        again=request.again,
    )
    nodes = list(found.nodes)
    results, dots = (_items(operand, nodes, primal.loc) for operand in (found.result, found.result_dot))
    varying = [dot for part, dot in zip(results, dots, strict=True) if is_float(type_of(part))]
    whole = bundled([*results, *varying], nodes, primal.loc)
    inputs = [*parameters, *found.dots]
    renamed = dict(zip(inputs, distinct(inputs), strict=True))
    body = substitute(Block((), tuple(nodes), (whole,)), dict(renamed))
    return Function(callee.name, Block(tuple(renamed.values()), body.nodes, body.yields), primal.loc)


def _items(whole: Operand, nodes: list[Node], loc: Loc) -> list[Operand]:
    """The items of a result where it is a tuple, else the result."""
    type_ = type_of(whole)
    if not isinstance(type_, Tuple):
        return [whole]
    items = [Value("", item, loc) for item in type_.items]
    nodes += (Apply(item, operator.getitem, (whole, Const(k)), loc) for k, item in enumerate(items))
    return list(items)


def _bar(operand: Operand, type_: Type | None) -> Value:
    """A parameter for the adjoint of a value."""
    loc = operand.loc if isinstance(operand, Value) else NOWHERE
    shared = None if type_ is None else with_layout(type_, "A")
    return Value(f"{operand.name or 'result'}_bar", shared, loc)
