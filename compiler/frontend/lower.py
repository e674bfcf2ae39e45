"""Lower a function to its untyped program: structured, without jumps, with callees inlined unless they are recursive."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping

from backsweep.diagnostics import UnsupportedError
from backsweep.frontend.calls.inlining import function_frame
from backsweep.frontend.constructs.comprehensions import all_items
from backsweep.frontend.constructs.custom import hooked_by
from backsweep.frontend.constructs.kinds import know_type
from backsweep.frontend.constructs.lists import find_changes, lists_in
from backsweep.frontend.constructs.questions import refuse_identities, refuse_presences
from backsweep.frontend.context.rounds import Expansions, FoundChangeError, FoundObjectsError
from backsweep.frontend.context.scope import Context, Frame, Inner, given_twice, is_static, refusal
from backsweep.frontend.context.taps import Taps
from backsweep.frontend.instances.dicts import changeable
from backsweep.frontend.statements import FunctionLowerer
from backsweep.ir.build import Builder, christen
from backsweep.ir.dead_code import eliminate_what_never_raises
from backsweep.ir.nodes import UNDEFINED, Block, Const, Function, Operand, Tap, Value
from backsweep.ir.types import Type
from backsweep.reading.functions import Source
from backsweep.reading.names import wrap


def lower(
    source: Source,
    constants: Mapping[str, object],
    expansions: Expansions | None = None,
    types: Mapping[str, Type] | None = None,
    taps: Taps | None = None,
    lists: Collection[str] = (),
) -> Function:
    """Lower a function to its program; the parameters in `constants` are bound to those objects and dropped.

    `expansions` holds the findings of earlier rounds of lowering; this round adds to them. `types` are the known types
    of parameters: they open tuples and decide branches on types. `taps` are the variables that `wrt` asks for by name,
    `lists` the parameters that are arrays, of which the function makes lists.

    All problems are collected and reported as one error. Raises FoundRecursionError for a function that calls itself
    and is not yet in `expansions.recursive`.
    """
    expansions = expansions or Expansions()
    while True:
        try:
            return _lowered(source, constants, expansions, types or {}, taps or Taps(), lists)
        except FoundChangeError as found:
            if expansions.shared and found.made == source.loc(source.node):
                raise given_twice("a list", "list(x)", found.made) from None
            expansions.changing.add(found.made)
        except FoundObjectsError as found:
            expansions.objects |= found.facts


def _lowered(
    source: Source,
    constants: Mapping[str, object],
    expansions: Expansions,
    types: Mapping[str, Type],
    taps: Taps,
    lists: Collection[str],
) -> Function:
    """Lower once; raises FoundChangeError or FoundObjectsError for what is not yet in `expansions.changing` or `expansions.objects`."""
    expansions.begin()
    taps.begin()
    frame = function_frame(source, None)
    env: dict[str, Operand] = {}
    parameters: list[Value] = []
    for name, node in _parameters(source):
        if name in constants:
            env[name] = wrap(constants[name], name)
        elif source.receiver is not None and not env:
            env[name] = wrap(source.receiver)
        else:
            parameters.append(Value(name, None, source.loc(node)))
            env[name] = parameters[-1]
    frame.env = env
    builder = Builder(*parameters, loc=source.loc(source.node))
    context = Context(builder, present=set(parameters), expansions=expansions, taps=taps)
    context.objects.joins.add(builder.outermost)
    context.outside.note_defaults(source)
    places = dict(_parameters(source))
    for parameter in parameters:
        if parameter.name in types:
            lowerer = FunctionLowerer(context, frame)
            known = know_type(lowerer, parameter, types[parameter.name], source.node)
            if parameter.name in lists:
                known = all_items(lowerer, known, places[parameter.name])
                context.held |= {known: True} if expansions.shared and isinstance(known, Value) else {}
            known = fields_tapped(lowerer, parameter.name, known, source.node)
            env[parameter.name] = changeable(lowerer, known, places[parameter.name])
    context.objects.given |= {*context.objects.heap.records}
    _hook_parameters(context, frame, source)
    context.calls.append(((source.node, source.function, *(None for _ in env)), source.name))
    result: Operand = Const(None)
    try:
        result = _result(context, source, frame)
    except UnsupportedError as error:
        for problem in error.problems:
            context.problems.add(UnsupportedError, problem)
    refuse_identities(context)
    refuse_presences(context)
    if not expansions.may_change:
        context.problems.report()
    expansions.unreported = context.problems
    taps.check(source.name, source.loc(source.node), [name for name, _ in _parameters(source)])
    _name_fields(context, frame)
    builder.current.yields = (result,)
    body: Block = builder.current.finish()
    find_changes(body, context.lists)
    place = source.loc(source.node, source.node)
    reads = tuple(context.outside.reads.values())
    listed = tuple(lists_in(context, result))
    program = Function(source.name, body, place, checked=expansions.checked, reads=reads, listed=listed)
    # What this round left out may read what nothing reads yet
    return program if expansions.may_change or expansions.assumed else eliminate_what_never_raises(program)


def _name_fields(context: Context, frame: Frame) -> None:
    """Call the items of namedtuples, dicts and objects what their fields are called: `omega`; `p_omega` beside a variable `omega`."""
    for value, (owner, name) in context.field_names.items():
        christen(value, f"{owner}_{name}" if owner and name in frame.locals else name)


def fields_tapped(lowerer: FunctionLowerer, path: str, operand: Operand, node: ast.AST) -> Operand:
    """A parameter, or a field of one, whose fields that `wrt` asks for are tapped, as in "params.rate".

    It is made anew of its fields, so that all of its uses come after the taps.
    """
    taps = lowerer.context.taps
    if path in taps.labels and "." in path and isinstance(operand, Value):
        taps.found.add(path)
        tap = lowerer.builder.apply(
            Tap(path, False, taps.every), operand, name=path.rpartition(".")[2], loc=lowerer.loc(node)
        )
        lowerer.context.copy_structure(operand, tap)
        return hooked_by(lowerer, tap, taps.hooks.get(path, ()), node)
    if not any(label.startswith(f"{path}.") for label in taps.labels):
        return operand
    if isinstance(operand, Const) and isinstance(operand.value, dict):
        items = operand.value.items()
        return Const({key: fields_tapped(lowerer, f"{path}.{key}", item, node) for key, item in items})
    names = lowerer.context.fields.get(operand, ()) if isinstance(operand, Value) else ()
    if not names or not isinstance(operand, Value):
        return operand
    parts = zip(names, lowerer.context.elements[operand], strict=True)
    made = tuple(fields_tapped(lowerer, f"{path}.{name}", part, node) for name, part in parts)
    context = lowerer.context
    again = lowerer.builder.apply(context.classes[operand], *made, name=operand.name, loc=lowerer.loc(node))
    context.elements[again] = made
    context.present.add(again)
    context.fields[again], context.classes[again] = names, context.classes[operand]
    context.types[again] = context.types[operand]
    return again


def _hook_parameters(context: Context, frame: Frame, source: Source) -> None:
    """Put a hook on each parameter whose adjoint the user wants to see or replace."""
    lowerer = FunctionLowerer(context, frame)
    frame.statement = source.node
    for name, node in _parameters(source):
        if name in context.taps.hooks:
            frame.env[name] = hooked_by(lowerer, frame.env[name], context.taps.hooks[name], node)
            context.taps.found.add(name)


def _result(context: Context, source: Source, frame: Frame) -> Operand:
    """Lower the body; its result must be a value or data."""
    lowerer = FunctionLowerer(context, frame)
    result = lowerer.run(source.node, frame)
    if is_static(result) and isinstance(result, Const) and isinstance(result.value, Inner):
        message = f"`{source.name}` returns a function"
        raise refusal("BS106", message, source.loc(source.node), "return numbers or arrays")
    if context.problems.found:
        return Const(None)
    if result is UNDEFINED:  # no path returns
        return Const(None)
    return lowerer.runtime(result, source.node)


def _parameters(source: Source) -> list[tuple[str, ast.AST]]:
    """The function's parameters in order; `*args` and `**kwargs` must be bound to constants."""
    arguments = source.node.args
    named = [*arguments.posonlyargs, *arguments.args]
    named += [arguments.vararg] if arguments.vararg is not None else []
    named += arguments.kwonlyargs
    named += [arguments.kwarg] if arguments.kwarg is not None else []
    return [(argument.arg, argument) for argument in named]
