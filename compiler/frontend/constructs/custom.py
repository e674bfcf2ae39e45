"""Lower hooks, `custom_vjp` and `no_grad`, with which the user controls adjoints.

The user's function of the adjoint is lowered at the call, to a program of its own. Values of the surrounding function
that it reads, such as residuals, become operands of the node that holds it (`ir.nodes.Custom`).
"""

from __future__ import annotations

import ast
import contextlib
import functools
import inspect
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep import requests
from backsweep.diagnostics import Loc, UnsupportedError
from backsweep.frontend.constructs.kinds import asked_items, local_type
from backsweep.frontend.constructs.namedtuples import replaced
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Context, is_static, known_elements
from backsweep.ir.build import OpenBlock, christen
from backsweep.ir.dead_code import eliminate_dead_code
from backsweep.ir.nodes import UNDEFINED, Apply, Block, Const, Custom, Function, Operand, Tap, Value, is_none
from backsweep.ir.walk import free_values, programs, substitute, walk
from backsweep.reading.names import wrap
from backsweep.rules import lookup
from backsweep.runtime.support.marks import stop_gradient
from backsweep.typing.infer import typeof
from backsweep.typing.stubs import CompiledStub, typing_stub

Keywords = Mapping[str, Operand]


class custom_vjp:  # noqa: N801  a decorator, and JAX's name for it
    """Give a function your own derivative for reverse mode.

    Arguments:
        function: the function. It runs when nothing is differentiated.

    `defvjp(forward, backward)` sets the derivative. `forward` takes the function's arguments and returns
    `(result, residuals)`; residuals are a tuple, a value or None, whatever `backward` needs.
    `backward(residuals, result_bar)` returns a tuple with one cotangent per argument, of that argument's structure and
    shape, or None for an argument without a derivative.

    Second derivatives differentiate `forward` and `backward` like any other function. A call of the function inside
    `forward` uses the derivative set here again; it has no tangent, so `bs.hvp` is then refused.

    Raises:
        UnsupportedError, when it is differentiated: `defvjp` was not called; `forward` or `backward` returns
        another structure; or forward mode is asked for, which cannot use a pullback.

    Names and meaning are those of JAX.

    >>> import backsweep as bs
    >>> @bs.custom_vjp
    ... def clipped(x, most):
    ...     return x
    >>> def forward(x, most):
    ...     return x, most
    >>> def backward(most, result_bar):
    ...     return min(max(result_bar, -most), most), None
    >>> clipped.defvjp(forward, backward)
    >>> def cost(x):
    ...     return clipped(x, 1.0) * 5.0
    >>> bs.grad(cost)(3.0)
    1.0
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        requests.function("function", function)
        functools.update_wrapper(self, function)
        self.function = function
        self.forward: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """Set the derivative: the forward function, and the pullback that reads its residuals."""
        requests.function("forward", forward)
        requests.function("backward", backward)
        self.forward, self.backward = forward, backward

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function itself."""
        return self.function(*args, **kwargs)

    @functools.cached_property
    def _compiled(self) -> Any:
        return typing_stub(self.function, {}, CompiledStub)

    @property
    def _numba_type_(self) -> Any:
        return typeof(self._compiled)


def customised(program: Function) -> bool:
    """Whether a hook, a `custom_vjp` or a user's rule decides a derivative within the program.

    Otherwise the gradient is the derivative of what the program computes, and its Hessian is symmetric; a stopped value is a
    constant to both.
    """
    nodes = (node for each in programs(program) for node in walk(each.body))
    return any(isinstance(node, Apply) and _is_said(node.function) for node in nodes)


def _is_said(function: object) -> bool:
    """Whether the user defines the adjoints of the function's operands."""
    said = isinstance(function, Custom | custom_vjp)
    return said or not all(declaration.is_own for declaration in lookup(function))


def lower_hook(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `bs.hook(x, fn)`: the value of `x`, whose adjoint `fn` sees and may replace."""
    given = {**dict(zip(("x", "fn"), args, strict=False)), **keywords}
    if len(args) + len(keywords) != 2 or set(given) != {"x", "fn"}:
        raise lowerer.refuse("BS113", "the call does not fit `hook`", node, "call it as hook(x, fn)")
    return hooked(lowerer, given["x"], given["fn"], node)


def tapped(lowerer: Lowerer, name: str, operand: Operand, *, updates: bool = False) -> Operand:
    """The operand that is assigned to a variable, with a tap if the variable's adjoint is asked for."""
    context, frame = lowerer.context, lowerer.frame
    taps = context.taps
    is_hidden = name.startswith(".") or is_static(operand)
    if not taps.asks or is_hidden or (taps.every and _is_tuple(context, operand)):
        return operand
    assert frame.statement is not None
    loc = lowerer.loc(frame.statement)
    label = taps.label_of("" if frame.caller is None else frame.name, name, loc)
    if label is None:
        return operand
    tap = lowerer.builder.apply(Tap(label, updates, taps.every), operand, name=name, loc=loc)
    if taps.every and _is_used(context, operand):
        return operand
    if isinstance(operand, Value) and operand in context.present:
        context.present.add(tap)
    if isinstance(operand, Value) and operand in context.types:
        context.types[tap] = context.types[operand]
    context.merge_kinds(tap, operand)
    changed = updates and "@" not in label
    return hooked_by(lowerer, tap, taps.hooks.get(label, ()), frame.statement, updates=changed)


def _is_tuple(context: Context, operand: Operand) -> bool:
    """Whether the operand is neither a number nor an array, such as a tuple or a list."""
    if isinstance(operand, Const):
        return not isinstance(operand.value, bool | int | float | complex | np.ndarray)
    return operand in context.elements or operand in context.growing


def _is_used(context: Context, operand: Operand) -> bool:
    """Whether lowering uses what it knows of the operand: a global, a constant other than a float, a truth value."""
    if isinstance(operand, Const):
        return bool(operand.name) or type(operand.value) is not float
    return operand in context.booleans


def hooked_by(
    lowerer: Lowerer,
    operand: Operand,
    functions: Sequence[Callable[..., Any]],
    node: ast.AST,
    *,
    updates: bool = False,
) -> Operand:
    """Put several hooks on an operand; the first hook sees the adjoint first."""
    for function in reversed(functions):
        operand = hooked(lowerer, operand, wrap(function), node, updates=updates)
    return operand


def hooked(
    lowerer: Lowerer, operand: Operand, function: Operand, node: ast.AST, *, updates: bool = False
) -> Operand:
    """Put a hook on an operand: `function` sees its adjoint in the reverse sweep, and returns the replacement or None."""
    if known_elements(lowerer.context, operand) is not None:
        message = "a hook is given a tuple, but it needs one number or array"
        raise lowerer.refuse("BS413", message, node, "hook the items one by one")
    if not isinstance(operand, Value):
        return operand  # a constant has no adjoint
    loc = lowerer.loc(node)
    bar = lowerer.builder.value(f"{operand.name}_bar" if operand.name else "", loc=loc)
    if (type_ := local_type(lowerer.context, operand)) is not None:
        lowerer.context.types[bar] = type_
    with _backward(lowerer, (operand,), (bar,), loc) as block:
        found = _called(lowerer, function, (bar,), node)
        if known_elements(lowerer.context, found) is not None:
            message = "a hook returns a tuple, but it must return one number or array, or None"
            raise lowerer.refuse("BS413", message, node, "return the adjoint or None")
        nothing = is_none(found) or found is UNDEFINED  # a function that always raises returns nothing
        block.yields = (lowerer.builder.apply(tuple, bar if nothing else found, loc=loc),)
    custom, rest = _program(lowerer, block.finish(), "hook", 1, 1, node)
    custom.passes, custom.updates = True, updates
    result = lowerer.builder.apply(custom, operand, operand, *rest, loc=loc)
    christen(result, operand.name)
    return result


def lower_custom(
    lowerer: Lowerer,
    thing: custom_vjp,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.AST,
) -> Operand:
    """Lower a call of a `custom_vjp` to the result of its forward function, with the user's pullback attached.

    Inside its own forward function the call stays a call, so that a second derivative uses the pullback again.
    """
    name = getattr(thing, "__name__", "function")
    if thing.forward is None or thing.backward is None:
        message = f"`{name}` has no derivative yet"
        raise lowerer.refuse("BS413", message, node, f"call {name}.defvjp(forward, backward) first")
    given = _bound(lowerer, thing, args, keywords, node)
    if thing in lowerer.context.forwards:
        return lowerer.apply(thing, given, node)
    lowerer.context.forwards.append(thing)
    try:
        made = _called(lowerer, Const(thing.forward), given, node)
    finally:
        lowerer.context.forwards.pop()
    pair = known_elements(lowerer.context, made)
    if pair is None or len(pair) != 2:
        message = f"the forward function of `{name}` does not return a pair"
        raise lowerer.refuse("BS413", message, node, "return (result, residuals) from it")
    result, residuals = pair
    made_by = lowerer.builder.made.get(result) if isinstance(result, Value) else None
    if isinstance(made_by, Apply) and made_by.function is thing:  # the forward function calls it
        parts = asked_items(lowerer, result, node)
        result = result if parts is None else lowerer.make_tuple(parts, node)
    results = list(leaves(lowerer, result))
    if not results:
        return result
    loc = lowerer.loc(node)
    bars = [lowerer.builder.value(loc=loc) for _ in results]
    with _backward(lowerer, results, bars, loc) as block:
        result_bar = like(lowerer, result, iter(bars), Const(0.0), node)
        found = _called(lowerer, Const(thing.backward), (residuals, result_bar), node)
        pairs = list(_cotangents(lowerer, name, given, found, node))
        block.yields = (lowerer.builder.apply(tuple, *(bar for _, bar in pairs), loc=loc),)
    custom, rest = _program(lowerer, block.finish(), name, len(results), len(pairs), node)
    whole = lowerer.builder.apply(custom, *results, *(argument for argument, _ in pairs), *rest, loc=loc)
    if len(results) == 1:
        items = [whole]
    else:
        items = [lowerer.apply(operator.getitem, (whole, Const(k)), node) for k in range(len(results))]
    return like(lowerer, result, iter(items), None, node)


@contextlib.contextmanager
def _backward(
    lowerer: Lowerer, results: Sequence[Value], bars: Sequence[Value], loc: Loc
) -> Iterator[OpenBlock]:
    """The block in which the cotangents `bars` of results are handled.

    If something in it waits for a type, its nodes stay in the block around it, where each cotangent is as its result is.
    """
    builder = lowerer.builder
    before = len(builder.current.nodes)
    try:
        with builder.block(*bars) as block:
            yield block
    except UnsupportedError:
        found = [Apply(bar, stop_gradient, (each,), loc) for bar, each in zip(bars, results, strict=True)]
        builder.current.nodes[before:before] = found
        raise


def stopped(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """Stop the derivative of an operand inside `with no_grad():`; elsewhere return the operand unchanged."""
    if not lowerer.context.stopped or is_static(operand) or isinstance(operand, Const):
        return operand
    if lowerer.context.is_list(operand):
        return operand
    if known_elements(lowerer.context, operand) is not None:
        return like(lowerer, operand, None, None, node)
    assert isinstance(operand, Value)
    result = lowerer.builder.apply(stop_gradient, operand, name=operand.name, loc=lowerer.loc(node))
    if operand in lowerer.context.booleans:
        lowerer.context.booleans.add(result)
    if operand in lowerer.context.present:
        lowerer.context.present.add(result)
    return result


def _called(lowerer: Lowerer, function: Operand, args: tuple[Operand, ...], node: ast.AST) -> Operand:
    """Inline the user's function, and return the operand for its result."""
    written = node if isinstance(node, ast.Call) else ast.copy_location(_written(function), node)
    return lowerer.call(function, args, {}, written)


def _written(function: Operand) -> ast.Call:
    """The syntax of a call of a function that the program's text does not call, for messages."""
    name = getattr(function.value if isinstance(function, Const) else None, "__name__", "fn")
    return ast.Call(ast.Name(name, ast.Load()), [], [])


def _program(
    lowerer: Lowerer, body: Block, name: str, results: int, arguments: int, node: ast.AST
) -> tuple[Custom, Sequence[Value]]:
    """Make a `Custom` of the block that computes the cotangents; also return the other values that the block reads."""
    whole = eliminate_dead_code(Function(f"{name}_backward", body, lowerer.loc(node)))
    rest = list(free_values(whole.body))
    own: dict[Value, Operand] = {}
    for value in rest:
        taken = {other.name for other in own.values() if isinstance(other, Value)}
        name_ = next(each for each in _numbered(value.name) if not each or each not in taken)
        own[value] = Value(name_, None, value.loc)
    inner = substitute(whole.body, own)
    parameters = (*inner.parameters, *(value for value in own.values() if isinstance(value, Value)))
    program = Function(whole.name, Block(parameters, inner.nodes, inner.yields), whole.loc)
    return Custom(name, results, arguments, program), rest


def _numbered(name: str) -> Iterator[str]:
    """The name, and then the name with numbers: parameters need names of their own."""
    yield name
    yield from (f"{name}_{k}" for k in itertools.count(1))


def _bound(
    lowerer: Lowerer,
    thing: custom_vjp,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.AST,
) -> tuple[Operand, ...]:
    """The arguments of a call in the order of the parameters, defaults filled in."""
    signature = inspect.signature(thing.function)
    try:
        bound = signature.bind(*args, **keywords)
    except TypeError as error:
        message = f"the call does not fit `{thing.__name__}`: {error}"  # type: ignore[attr-defined]
        raise lowerer.refuse("BS113", message, node, "pass the arguments that the function takes") from None
    found: list[Operand] = []
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            found += bound.arguments.get(name, ())
        else:
            found.append(bound.arguments[name] if name in bound.arguments else wrap(parameter.default, name))
    return tuple(found)


def leaves(lowerer: Lowerer, operand: Operand) -> Iterator[Value]:
    """The values that an operand holds; nested tuples are flattened."""
    parts = known_elements(lowerer.context, operand)
    if parts is not None:
        for part in parts:
            yield from leaves(lowerer, part)
    elif isinstance(operand, Value):
        yield operand


def like(
    lowerer: Lowerer,
    operand: Operand,
    leaves: Iterator[Value] | None,
    constant: Const | None,
    node: ast.AST,
) -> Operand:
    """Rebuild the structure of an operand with other values in its leaves, and `constant` for its constants.

    With `leaves` None, the leaves are the operand's own, with their derivatives stopped.
    """
    parts = known_elements(lowerer.context, operand)
    if parts is not None:
        items = tuple(like(lowerer, part, leaves, constant, node) for part in parts)
        fields = lowerer.context.fields.get(operand, ()) if isinstance(operand, Value) else ()
        if fields:
            return replaced(lowerer, operand, dict(zip(fields, items, strict=True)), node)
        return lowerer.make_tuple(items, node)
    if not isinstance(operand, Value):
        return operand if constant is None else constant
    return stopped(lowerer, operand, node) if leaves is None else next(leaves)


def _cotangents(
    lowerer: Lowerer, name: str, given: Sequence[Operand], found: Operand, node: ast.AST
) -> Iterator[tuple[Value, Operand]]:
    """Pair the leaves of the arguments with the cotangents that the user's pullback returned."""
    parts = _items(lowerer, found, len(given), node)
    if parts is None or len(parts) != len(given):
        what = "no tuple" if parts is None else f"a tuple of {len(parts)}"
        message = f"the backward function of `{name}` returns {what}, but there are {len(given)} arguments"
        remedy = "return a tuple with a cotangent, or None, for each argument"
        raise lowerer.refuse("BS413", message, node, remedy)
    for argument, bar in zip(given, parts, strict=True):
        yield from _pairs(lowerer, name, argument, bar, node)


def _items(lowerer: Lowerer, operand: Operand, count: int, node: ast.AST) -> tuple[Operand, ...] | None:
    """The known items of a tuple, or None.

    The result of a waiting call, whose code is not known yet, counts as a tuple of `count` items.
    """
    waiting = lowerer.context.expansions.waiting
    source, is_item = operand, False
    while isinstance(source, Value) and source in lowerer.context.expansions.items:
        source, is_item = lowerer.context.expansions.items[source], True
    if not (isinstance(source, Value) and source in waiting) or (is_item and not count):
        return known_elements(lowerer.context, operand)
    found = tuple(lowerer.apply(operator.getitem, (operand, Const(k)), node) for k in range(count))
    lowerer.context.expansions.items.update(dict.fromkeys(found, source))
    return found or None


def _pairs(
    lowerer: Lowerer, name: str, argument: Operand, bar: Operand, node: ast.AST
) -> Iterator[tuple[Value, Operand]]:
    """Pair the leaves of one argument with their cotangents; yield nothing where the pullback returned None."""
    if is_none(bar):
        return
    items = known_elements(lowerer.context, argument)
    bars = _items(lowerer, bar, 0 if items is None else len(items), node)
    if items is None and bars is None:
        if isinstance(argument, Value):
            yield argument, bar
        return
    if items is None or bars is None or len(items) != len(bars):
        message = (
            f"the backward function of `{name}` returns a cotangent with another structure than its argument"
        )
        raise lowerer.refuse("BS413", message, node, "for a tuple, return a tuple with as many items")
    for item, part in zip(items, bars, strict=True):
        yield from _pairs(lowerer, name, item, part, node)
