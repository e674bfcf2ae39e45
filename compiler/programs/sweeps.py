"""Put the sweeps of a typed primal together to the functions that are emitted: a gradient, or a forward sweep and a pullback."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from backsweep.ad.checkpoint.records.choices import Sweeps
from backsweep.ad.derivation import Derivation, analysed, derivation
from backsweep.ad.gradients import seed_name
from backsweep.ad.tangents import tangents
from backsweep.analysis.alias import find_aliases
from backsweep.analysis.integers.extents import ParameterShapes, shape_of_parameter, shapes_of
from backsweep.ir.build import Builder
from backsweep.ir.nodes import (
    ZERO,
    Apply,
    Block,
    Const,
    Dots,
    For,
    Function,
    Node,
    Operand,
    Store,
    Value,
)
from backsweep.ir.sweeps import forward_sweep, reverse_sweep
from backsweep.ir.typed import type_of, with_types
from backsweep.ir.types import INT, Array, List, Scalar, Tuple, contiguous, names_memory
from backsweep.ir.walk import free_values, substitute
from backsweep.legalise.paths.definite_assignment import defined
from backsweep.pipeline.derivative import (
    CHECKPOINTED,
    DERIVATIVE,
    KERNELS,
    LAST,
    LOOPS,
    PREPARED,
    REVERSAL,
    TANGENTS,
    UNMARKED,
    VALUE,
    WRITTEN,
)
from backsweep.pipeline.passes import Pass, Passes, PassInputs, Stages, run
from backsweep.pipeline.primal import SHARED_RESULTS
from backsweep.programs.listed import LISTS, Places, places_in, with_extents, with_lists
from backsweep.programs.own_memory import kept_from_caller, own_tangent
from backsweep.programs.request import PRODUCTS, Request, check_result, parts_of_result
from backsweep.typing.infer import from_numba, tangent_type, type_of_operand, with_vectors
from backsweep.typing.propagate import types_with_lists


def derive(primal: Function, request: Request, stages: Stages) -> Derivation:
    """The forward and the reverse sweep for a typed primal."""
    parts = parts_of_result(run((CHECKPOINTED, *PREPARED), primal, stages), request)
    primal = parts.primal
    run(SHARED_RESULTS, primal, [])
    check_result(primal, request)
    return derivation(
        primal,
        parts.aux,
        parts.value,
        request.wrt,
        request.values,
        seed=_seed(primal, request),
        new_list=request.new_list,
        watched=request.watched,
        strong_zeros=request.strong_zeros,
        again=request.again,
    )


def _seed(primal: Function, request: Request) -> Operand | None:
    """The cotangent of the result: one for a scalar; memory that the loops of a Jacobian or product fill; None for a pullback, which gets it."""
    if request.mode == "vjp":
        return None
    (result,) = primal.body.yields
    if isinstance(result, Value) and (isinstance(result.type, Array | Tuple) or request.mode in PRODUCTS):
        return Value(seed_name(result), contiguous(result.type), primal.loc)
    return Const(1.0)


def tangent(primal: Function, request: Request, arguments: Sequence[Any], stages: Stages) -> list[Function]:
    """The emitted function that takes the arguments and tangents of some, and returns the result, its tangent, and aux.

    Of a gradient, "hvp" wants the tangent without the result.
    """
    parts = parts_of_result(run((UNMARKED, *PREPARED), primal, stages), request)
    primal, aux = parts.primal, parts.aux
    parameters = primal.body.parameters
    positions = [k for name in request.wrt for k, value in enumerate(parameters) if value.name == name]
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
    both = Function(primal.name, Block((*parameters, *found.dots), found.nodes, ()), primal.loc)
    made = list(found.nodes)
    result_dot = own_tangent(both, found.result, found.result_dot, made)
    result_dot = with_extents(result_dot, found.result, _listed(primal, aux, 0), made)
    wanted = [] if request.mode == "hvp" else [found.result if parts.value is None else parts.value]
    wanted += [result_dot, *([] if aux is None else [aux])]
    nodes = list(made)
    listed = [_listed(primal, aux, 0)] * (len(wanted) - (aux is not None)) + [_listed(primal, aux, 1)]
    wanted = [with_lists(each, places, nodes) for each, places in zip(wanted, listed, strict=False)]
    returned = _together(wanted, None, nodes, primal.loc) if len(wanted) > 1 else wanted[0]
    given = (*parameters, *found.dots)
    own = dict(zip(found.dots, distinct(given)[len(parameters) :], strict=True))
    body = substitute(Block((), tuple(nodes), (returned,)), dict(own))
    function = Function(
        f"{primal.name}_{request.mode}",
        Block((*parameters, *own.values()), body.nodes, body.yields),
        primal.loc,
    )
    types = [*arguments, *(tangent_type(arguments[k]) for k in positions)]
    assumed = {
        len(parameters) + number: shape_of_parameter(k, type_)
        for number, k in enumerate(positions)
        if isinstance(type_ := parameters[k].type, Array)
    }
    return [finish(function, types, request.optimize, stages, assumed, by=TANGENTS)]


def value(primal: Function, request: Request, arguments: Sequence[Any], stages: Stages) -> list[Function]:
    """The emitted function that computes what the primal computes."""
    primal = run((UNMARKED, *PREPARED), primal, stages)
    function = dataclasses.replace(primal, name=f"{primal.name}_{request.mode}")
    return [finish(function, arguments, request.optimize, stages, by=VALUE)]


def adjoint(primal: Function, request: Request, arguments: Sequence[Any], stages: Stages) -> list[Function]:
    """The emitted functions for a typed primal: one, or forward and pullback for "vjp"."""
    derivation = derive(primal, request, stages)
    primal, aux, sweeps = derivation.primal, derivation.aux, derivation.sweeps
    if request.mode == "vjp":
        functions = _split(primal, sweeps, request, aux)
    else:
        functions = [_combined(primal, sweeps, request, aux)]
    *first, last = functions
    known, assumed = list(arguments), None
    finished: list[Function] = []
    for function in first:
        short = run((REVERSAL, *WRITTEN), function, stages)
        short, types = types_with_lists(short, known)
        typed = with_types(short, {value: from_numba(type_) for value, type_ in types.items()})
        finished.append(run(passes_of(request.optimize), typed, stages, PassInputs(known)))
        *known, last_type = [type_of_operand(each, types) for each in _handed(short, has_aux=request.has_aux)]
        known.append(with_vectors(last_type))
        *saved, result = _handed(typed, has_aux=request.has_aux)
        assumed = shapes_of(typed).shapes_of_arguments((*saved, result))
        last = dataclasses.replace(last, together=_sharing(typed, saved))
    return [*finished, finish(last, known, request.optimize, stages, assumed)]


def finish(
    function: Function,
    arguments: Sequence[Any],
    optimize: str,
    stages: Stages,
    assumed: ParameterShapes | None = None,
    *,
    by: Pass = REVERSAL,
) -> Function:
    """A function as it is emitted: typed and simplified, with loops unless `optimize` is "readable".

    `assumed` are the shapes of parameters that are known by those of others, `by` says what wrote the function.
    """
    begun = run((by, *WRITTEN), dataclasses.replace(function, assumed=assumed or {}), stages)
    return run(passes_of(optimize), begun, stages, PassInputs(arguments))


def passes_of(optimize: str) -> Passes:
    """The passes that a derivative goes through."""
    if optimize == "kernels":
        return KERNELS
    return (*DERIVATIVE, *(LOOPS if optimize == "loops" else ()), *LAST)


def _handed(forward: Function, *, has_aux: bool) -> tuple[Operand, ...]:
    """The operands from which the pullback's parameters get types: what the forward sweep saved, and the result, for the cotangent."""
    (pair,) = forward.body.yields
    made = {node.result: node.operands for node in forward.body.nodes if isinstance(node, Apply)}
    lists = {node.result for node in forward.body.nodes if isinstance(node, Apply) and node.function in LISTS}
    assert isinstance(pair, Value)
    result, saved = made[pair]
    assert isinstance(saved, Value)
    if has_aux:
        assert isinstance(result, Value)
        result, _ = made[result]
    if result in lists:
        (result,) = made[result]
    return (*made[saved], result)


def _listed(primal: Function, aux: Operand | None, number: int) -> Places:
    """Where lists stand in what is differentiated, or in aux if the number is 1."""
    return primal.listed if aux is None else places_in(primal.listed, number)


def gathered_for(request: Request, found: Sequence[Operand], nodes: list[Node], loc: Any) -> Operand:
    """Put what was found for each argument into the structure that the caller asked for: alone, a tuple, or a record."""
    return found[0] if request.single else _together(found, request.record, nodes, loc)


def _together(items: Sequence[Operand], record: type | None, nodes: list[Node], loc: Any) -> Value:
    """A tuple of these, or a record."""
    types = tuple(type_of(operand) or Scalar("float64") for operand in items)
    whole = Value("", Tuple(types), loc)
    nodes.append(Apply(whole, record or tuple, tuple(items), loc))
    return whole


def _combined(primal: Function, sweeps: Sweeps, request: Request, aux: Operand | None) -> Function:
    """One function that runs both sweeps."""
    loc = primal.loc
    nodes: list[Node] = [
        forward_sweep(loc),
        *sweeps.forward,
        reverse_sweep(loc),
        *sweeps.reverse,
    ]
    count = len(sweeps.gradients) - len(request.values)
    result = gathered_for(request, sweeps.gradients[:count], nodes, loc)
    value: Operand = sweeps.result
    if aux is not None:
        aux = with_lists(aux, _listed(primal, aux, 1), nodes)
        value = _pair(value, aux, nodes, loc)
    if request.values:
        found = sweeps.gradients[count:]
        record = request.values_record
        kept = found[0] if record is None else _together(found, record, nodes, loc)
        result = _together((value, result, kept), None, nodes, loc)
    elif request.mode == "value_and_grad":
        result = _pair(value, result, nodes, loc)
    elif aux is not None:
        result = _pair(result, aux, nodes, loc)
    suffix = "grad" if request.mode == "grad" else "value_and_grad"
    return Function(f"{primal.name}_{suffix}", Block(primal.body.parameters, tuple(nodes), (result,)), loc)


def _pair(first: Operand, second: Operand, nodes: list[Node], loc: Any) -> Value:
    return _together((first, second), None, nodes, loc)


def _split(primal: Function, sweeps: Sweeps, request: Request, aux: Operand | None) -> list[Function]:
    """The forward sweep that returns the result and what it saved, and the pullback that takes that.

    Nothing that the caller does to its own arrays afterwards can change what the pullback answers.
    """
    loc = primal.loc
    seed = sweeps.seed
    nodes: list[Node] = list(sweeps.reverse)
    gradient = gathered_for(request, sweeps.gradients, nodes, loc)
    kept = list(free_values(Block((seed,), tuple(nodes), (gradient,))))
    nodes[:0] = [reverse_sweep(loc)]
    nodes[:0] = [node for value in kept if value in sweeps.shadows for node in cleared(value)]
    parameters = dict(zip(kept, distinct(kept, seed.name), strict=True))
    forward_nodes = defined(Block((), sweeps.forward, ())).nodes
    sweep = Function(primal.name, Block(primal.body.parameters, forward_nodes, ()), loc)
    handed = (sweeps.result,) if aux is None else (sweeps.result, aux)
    separated = kept_from_caller(sweep, kept, handed, sweeps.shadows)
    ends = list(separated.nodes)
    saved = Value("saved", Tuple(tuple(value.type or Scalar("float64") for value in kept)), loc)
    ends.append(Apply(saved, tuple, separated.saved, loc))
    value, *rest = (
        with_lists(each, _listed(primal, aux, number), ends) for number, each in enumerate(separated.handed)
    )
    for second in rest:
        value = _pair(value, second, ends, loc)
    pair = _pair(value, saved, ends, loc)
    forward = Function(f"{primal.name}_forward", Block(primal.body.parameters, tuple(ends), (pair,)), loc)
    backward = substitute(Block((), tuple(nodes), (gradient,)), dict(parameters))
    body = Block((*parameters.values(), seed), backward.nodes, backward.yields)
    return [forward, Function(f"{primal.name}_pullback", body, loc)]


def _sharing(function: Function, handed: Sequence[Operand]) -> tuple[tuple[int, ...], ...]:
    """Groups of positions: the operands of a group may share memory."""
    aliases = find_aliases(function)
    found: dict[Value, list[int]] = {}
    for position, value in enumerate(handed):
        if isinstance(value, Value) and names_memory(value.type):
            found.setdefault(aliases.of(value), []).append(position)
    return tuple(tuple(positions) for positions in found.values() if len(positions) > 1)


def repeatable(sweeps: Sweeps) -> tuple[tuple[Node, ...], list[Node]]:
    """The forward sweep for a loop of reverse sweeps, and the nodes that clear the shadows at the start of each of these."""
    read = free_values(Block((sweeps.seed,), sweeps.reverse, sweeps.gradients))
    clear = [node for value in read if value in sweeps.shadows for node in cleared(value)]
    return (defined(Block((), sweeps.forward, ())).nodes if clear else sweeps.forward), clear


def cleared(shadow: Value) -> list[Node]:
    """Zeros into a shadow, or into each of a list of them: an earlier pullback may have left its cotangents there."""
    if not isinstance(shadow.type, List):
        return [Store(shadow, (Dots(),), ZERO, shadow.loc)]
    builder = Builder(loc=shadow.loc)
    count = builder.apply(len, shadow, type=INT)
    index = builder.value("k", INT)
    with builder.block(index) as body:
        item = builder.load(shadow, (index,), type=shadow.type.item)
        builder.add(*cleared(item))
    builder.add(For(Const(0), count, Const(1), (), body.finish(), (), shadow.loc))
    return builder.current.nodes


def distinct(values: Sequence[Value], *taken: str) -> list[Value]:
    """Parameters for the values, each under a name of its own."""
    used = set(taken)
    found: list[Value] = []
    for value in values:
        base = value.name or "part"
        name, number = base, 1
        while name in used:
            number += 1
            name = f"{base}_{number}"
        used.add(name)
        found.append(dataclasses.replace(value, name=name))
    return found
