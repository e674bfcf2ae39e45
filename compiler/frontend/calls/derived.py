"""Lower calls of transformed functions, such as `bs.grad(f)`, inside a function that is itself differentiated.

The code of a gradient depends on the types of its arguments. Therefore the first round of lowering makes the call a
node that Numba can type; when the emitted code is known, a later round inlines it like any other call.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Mapping
from typing import Any, TypeGuard

from backsweep.frontend.arrays.spreading import parameters_of
from backsweep.frontend.calls.closures import Late
from backsweep.frontend.constructs.dicts import record_of_keys
from backsweep.frontend.constructs.kinds import asked_type, know_type
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.rounds import Waiting
from backsweep.frontend.context.scope import Bound, Inner, KnownTuple, is_static, known_elements
from backsweep.frontend.instances.dicts import known_pairs
from backsweep.ir.nodes import Const, Operand, Slice, Value
from backsweep.reading.functions import Source

_FUNCTIONS = ("grad", "value_and_grad", "jacobian", "jacrev", "jacfwd", "hessian", "batch")
"""The transformations that a differentiated function may call; each returns a function."""


INSTEAD = {
    "hvp": "write bs.hessian(f)(x) @ v",
    "jvp": "write np.sum(bs.grad(f)(x) * v) of a number that f gives, and bs.jacobian(f)(x) @ v of an array",
    "vjp": "write w * bs.grad(f)(x) of a number that f gives, and w @ bs.jacobian(f)(x) of an array",
}
"""What to write for the transformations that a differentiated function may not call."""


def is_derived(thing: object) -> TypeGuard[Any]:
    """Whether the object is a transformed function; the function that it wraps is the primal, not the derivative."""
    return hasattr(thing, "emitted_types")


def is_transformation(thing: object) -> bool:
    """Whether calling the object transforms a function, as `backsweep.grad` does."""
    modules = ("backsweep.api.gradients", "backsweep.api.derivatives", "backsweep.api.batch")
    module, name = getattr(thing, "__module__", None), getattr(thing, "__name__", "")
    return module in modules and getattr(sys.modules.get(module), name, None) is thing


def transformation(
    lowerer: Lowerer,
    thing: Callable[..., object],
    args: tuple[Operand, ...],
    keywords: Mapping[str, Operand],
    node: ast.AST,
) -> Operand:
    """Evaluate `bs.grad(f)` inside a function while compiling; what an inner `f` reads around it, it gets as further arguments."""
    name = getattr(thing, "__name__", "")
    names = _unknowns(args[0]) if args else None
    given = [_constant(lowerer, operand) for operand in (args if names is None else args[1:])]
    named = {key: _constant(lowerer, operand) for key, operand in keywords.items()}
    if name not in _FUNCTIONS or not all(map(_outside, (*given, *named.values()))):
        message = f"`{ast.unparse(node)}` cannot be made inside a function that is differentiated"
        remedy = INSTEAD.get(name, "use bs.grad, bs.value_and_grad, bs.jacobian or bs.hessian of a function")
        raise lowerer.refuse("BS119", message, node, remedy)
    values = tuple(operand.value for operand in given if isinstance(operand, Const))
    options = {key: operand.value for key, operand in named.items() if isinstance(operand, Const)}
    return Const(thing(*values, **options) if names is None else Late(thing, args[0], names, values, options))


def _unknowns(function: Operand) -> tuple[str, ...] | None:
    """The parameters of a function that the program defines, without those that have defaults; None for any other."""
    thing = function.value if isinstance(function, Const) else None
    if isinstance(thing, Late):
        return thing.names
    taken = parameters_of(function) if isinstance(thing, Inner | Bound) else None
    if taken is None or taken.takes_more:
        return None
    return tuple(each for each in taken.names if each not in taken.defaults)


def _constant(lowerer: Lowerer, operand: Operand) -> Operand:
    """Turn a tuple of constants, such as `(0, 1)`, into one constant; leave any other operand unchanged."""
    parts = known_elements(lowerer.context, operand)
    items = [] if parts is None else [_constant(lowerer, part) for part in parts]
    if parts is None or not all(isinstance(item, Const) for item in items):
        return operand
    return Const(tuple(item.value for item in items if isinstance(item, Const)))


def _outside(operand: Operand) -> bool:
    """Whether the operand is an object that exists before the program runs."""
    return isinstance(operand, Const) and not isinstance(operand.value, Inner | Bound | KnownTuple)


def derived_call(
    lowerer: Lowerer,
    function: Any,
    source: Source,
    bound: Mapping[str, Operand],
    node: ast.AST,
) -> Operand:
    """Lower a call of a transformed function: inline its code if that is known, else add a node for the call.

    `source` is the text of the primal that the function transforms.
    """
    if any(key[1] is source.function for key, _ in lowerer.context.calls):
        message = f"`{function.__name__}` is the gradient of the function that contains this call"
        remedy = "call bs.grad(f) instead of decorating f, so that f still means the function"
        raise lowerer.refuse("BS119", message, node, remedy)
    assert isinstance(node, ast.Call)
    has_dicts = any(known_pairs(lowerer, operand, node) is not None for operand in bound.values())
    bound = {name: _as_given(lowerer, _with_all_parts(operand), node) for name, operand in bound.items()}
    expansions = lowerer.context.expansions
    place = expansions.place(lowerer.loc(node))
    if place in expansions.known:  # its code takes what `*args` takes as one tuple
        found = lowerer.inline(expansions.known[place], tuple(bound.values()), {}, node)
        return _with_dicts(lowerer, found, node) if has_dicts else found
    starred = source.node.args.vararg
    given: dict[str, Operand | tuple[Operand, ...]] = {}
    operands: list[Operand] = []
    for name, operand in bound.items():
        several = starred is not None and name == starred.arg
        parts = known_elements(lowerer.context, operand) if several else (operand,)
        assert parts is not None
        parts = tuple(_as_value(lowerer, _with_all_parts(part), node) for part in parts)
        for part in parts:
            if is_static(part) and not isinstance(part, Value) and not hasattr(part.value, "py_func"):
                message = f"`{name}` is given a function or another object that exists only while compiling"
                remedy = "pass numbers and arrays, and differentiate a function of these"
                raise lowerer.refuse("BS119", message, node, remedy)
        given[name] = parts if several else parts[0]
        operands += parts
    result = lowerer.apply(function, tuple(operands), node)
    expansions.waiting[result] = Waiting(place, function, given, tuple(operands))
    return _with_dicts(lowerer, result, node) if has_dicts else result


def _with_dicts(lowerer: Lowerer, result: Operand, node: ast.AST) -> Operand:
    """The result of a derivative, or its parts, as dicts where they stand for dicts."""
    if not isinstance(result, Value):
        return result
    return know_type(lowerer, result, asked_type(lowerer, result, node), node)


def _as_given(lowerer: Lowerer, operand: Operand, node: ast.Call) -> Operand:
    """The tuple that stands for a dict or a list in compiled code, as emitted code expects it; any other operand unchanged."""
    pairs = known_pairs(lowerer, operand, node)
    if pairs is not None and all(map(_is_text, pairs)):
        items = tuple(_as_given(lowerer, item, node) for item in pairs.values())
        return lowerer.call(Const(record_of_keys(tuple(pairs))), items, {}, node)
    if isinstance(operand, Value) and operand in lowerer.context.lists:
        items = known_elements(lowerer.context, operand) or ()
        return lowerer.make_tuple(tuple(_as_given(lowerer, item, node) for item in items), node)
    return operand


def _is_text(key: object) -> bool:
    return isinstance(key, str)


def _with_all_parts(operand: Operand) -> Operand:
    """Fill the missing bounds of a slice with numbers, as emitted code expects them; leave any other operand unchanged."""
    if not isinstance(operand, Const) or not isinstance(operand.value, Slice):
        return operand
    start, stop, step = operand.value.start, operand.value.stop, operand.value.step
    if step is not None and not isinstance(step, Const):
        return operand
    forwards = step is None or step.value > 0
    first, last = (0, sys.maxsize) if forwards else (sys.maxsize, -sys.maxsize - 1)
    return Const(Slice(Const(first) if start is None else start, Const(last) if stop is None else stop, step))


def _as_value(lowerer: Lowerer, operand: Operand, node: ast.AST) -> Operand:
    """Turn a slice with both bounds into a value that Numba can type; leave any other operand unchanged."""
    if not isinstance(operand, Const) or not isinstance(operand.value, Slice):
        return operand
    ends, step = (operand.value.start, operand.value.stop), operand.value.step
    if any(end is None for end in ends):
        return operand
    return lowerer.apply(slice, tuple(part for part in (*ends, step) if part is not None), node)
