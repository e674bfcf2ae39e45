"""Calls: methods of values, builtins with a meaning of their own, primitives; all else is inlined."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from backsweep.frontend.inlining import inline
from backsweep.frontend.resolve import (
    METHODS,
    is_data,
    is_namedtuple,
    is_primitive,
    is_range,
    numba_type,
    wrap,
)
from backsweep.frontend.scope import Bound, Inner, KnownTuple, known_elements
from backsweep.ir.nodes import Const, Dots, Operand, Slice, Value

if TYPE_CHECKING:
    from backsweep.frontend.expressions import ExpressionLowerer

Keywords = Mapping[str, Operand]
Special = Callable[["ExpressionLowerer", tuple[Operand, ...], Keywords, ast.Call], Operand]


OUT_AT: Mapping[Any, int] = {np.dot: 2, np.round: 2, np.around: 2}
"""How many operands stand before `out`; of a ufunc it is the number of its inputs."""


def lower_call(lowerer: ExpressionLowerer, node: ast.Call) -> Operand:
    """The operand for a call's result."""
    if isinstance(node.func, ast.Attribute):
        base = lowerer.lower(node.func.value)
        if isinstance(base, Value) or isinstance(base.value, np.ndarray | KnownTuple):
            args, keywords = arguments(lowerer, node)
            return method(lowerer, base, node.func.attr, args, keywords, node)
        function = lowerer.attribute(base, node.func.attr, node.func)
    else:
        function = lowerer.lower(node.func)
    args, keywords = arguments(lowerer, node)
    return call(lowerer, function, args, keywords, node)


def arguments(lowerer: ExpressionLowerer, node: ast.Call) -> tuple[tuple[Operand, ...], dict[str, Operand]]:
    """The call's operands, in Python's order of evaluation."""
    args = tuple(lowerer.spread(node.args))
    keywords: dict[str, Operand] = {}
    for keyword in node.keywords:
        operand = lowerer.lower(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = operand
            continue
        if not (isinstance(operand, Const) and isinstance(operand.value, dict)):
            message = "`**` needs keywords that are known before the program runs"
            raise lowerer.refuse("BS108", message, keyword.value, "write the keywords out")
        for key, thing in operand.value.items():
            keywords[key] = wrap(thing)
    return args, keywords


def call(
    lowerer: ExpressionLowerer,
    function: Operand,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """Call a compile-time object: a primitive stays a node, a Python function is inlined."""
    lowerer.check_path(function, f"`{ast.unparse(node.func)}`", node)
    if isinstance(function, Value) or is_data(function.value) or isinstance(function.value, KnownTuple):
        message = (
            f"`{ast.unparse(node.func)}` is called, but it is not known to be a function while compiling"
        )
        raise lowerer.refuse(
            "BS112", message, node.func, "call a function by its name, or pass it as an argument"
        )
    thing = function.value
    if isinstance(thing, Inner):
        return inline(lowerer, thing, args, keywords, node)
    if isinstance(thing, Bound):
        return call(lowerer, thing.function, thing.args + args, {**thing.keywords, **keywords}, node)
    special = _special(thing)
    if special is not None:
        return special(lowerer, args, keywords, node)
    if isinstance(thing, functools.partial):
        bound = tuple(wrap(value) for value in thing.args) + args
        named = {key: wrap(value) for key, value in thing.keywords.items()} | dict(keywords)
        return call(lowerer, Const(thing.func), bound, named, node)
    if isinstance(getattr(thing, "__self__", None), np.ufunc):
        message = f"`{ast.unparse(node.func)}` is a method of a ufunc, which Numba does not compile"
        remedy = "write the loop, as in `for k in range(index.size): a[index[k]] += values[k]`"
        raise lowerer.refuse("BS109", message, node.func, remedy)
    if is_primitive(thing):
        return primitive(lowerer, thing, args, keywords, node)
    cast = numba_type(thing)
    if cast is not None:
        return lowerer.apply(cast, args, node)
    if is_namedtuple(thing):
        return _namedtuple(lowerer, thing, args, keywords, node)
    return inline(lowerer, thing, args, keywords, node)


def primitive(
    lowerer: ExpressionLowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """A call that stays a node; lists become tuples, and `out=` a store."""
    if function in (float, complex, int) and len(args) == 1 and isinstance(args[0], Const):
        if isinstance(args[0].value, str):
            return Const(function(args[0].value))
    operands = tuple(_plain(lowerer, operand, node) for operand in args)
    named = {key: _plain(lowerer, operand, node) for key, operand in keywords.items()}
    out = named.pop("out", None)
    count = function.nin if isinstance(function, np.ufunc) else OUT_AT.get(function)
    if count is not None and len(operands) == count + 1:
        *inputs, out = operands
        operands = tuple(inputs)
    result = lowerer.apply(function, operands, node, named)
    if function is bool:
        lowerer.context.booleans.add(result)
    if out is None or (isinstance(out, Const) and out.value is None):
        return result
    parts = known_elements(lowerer.context, out)
    target = parts[0] if parts else out
    if not isinstance(target, Value):
        raise lowerer.refuse(
            "BS111", "`out=` is not an array of the program's", node, "assign the result instead"
        )
    lowerer.builder.store(target, (Dots(),), result, loc=lowerer.loc(node))
    return target


def _plain(lowerer: ExpressionLowerer, operand: Operand, node: ast.AST) -> Operand:
    """A list display as the tuple of its items: what functions of NumPy make of both is the same."""
    if not isinstance(operand, Value) or operand not in lowerer.context.elements:
        return operand
    parts = lowerer.context.elements[operand]
    plain = tuple(_plain(lowerer, part, node) for part in parts)
    if operand not in lowerer.context.lists and all(a is b for a, b in zip(parts, plain, strict=True)):
        return operand
    return lowerer.make_tuple(plain, node)


def method(
    lowerer: ExpressionLowerer,
    base: Operand,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """`base.name(...)` on an array or number: the NumPy function of the same meaning."""
    loc = lowerer.loc(node)
    match name:
        case "fill" | "sort" if isinstance(base, Value):
            value = args[0] if name == "fill" else lowerer.apply(np.sort, (base,), node)
            lowerer.builder.store(base, (Dots(),), value, loc=loc)
            return Const(None)
        case "flatten":
            return lowerer.apply(np.copy, (lowerer.apply(np.ravel, (base,), node),), node)
        case "reshape" | "transpose" if len(args) > 1:
            return lowerer.apply(METHODS[name], (base, lowerer.make_tuple(args, node)), node, keywords)
        case "item" if args:
            pass
        case "_replace":
            return _replaced(lowerer, base, keywords, node)
        case _ if name in METHODS:
            return primitive(lowerer, METHODS[name], (base, *args), keywords, node)
        case _:
            pass
    if base in lowerer.context.lists:
        message = f"a list is changed by `.{name}`"
        remedy = "allocate an array with np.empty and fill it, or write the items of a tuple out"
        raise lowerer.refuse("BS109", message, node, remedy)
    message = f"the method `{name}` cannot be differentiated"
    raise lowerer.refuse("BS109", message, node.func, "use a NumPy function, an index or a loop")


def _replaced(lowerer: ExpressionLowerer, base: Operand, keywords: Keywords, node: ast.Call) -> Operand:
    """`point._replace(x=1.0)` of a namedtuple whose parts are known."""
    fields = lowerer.context.fields.get(base) if isinstance(base, Value) else None
    if fields is None or not isinstance(base, Value):
        remedy = "build the namedtuple anew from its fields"
        raise lowerer.refuse("BS109", "the method `_replace` needs a namedtuple made here", node, remedy)
    parts = dict(zip(fields, lowerer.context.elements[base], strict=True)) | dict(keywords)
    made = next(item for item in lowerer.builder.current.nodes if getattr(item, "result", None) is base)
    return _namedtuple(
        lowerer, getattr(made, "function", None), tuple(parts[name] for name in fields), {}, node
    )


def _namedtuple(
    lowerer: ExpressionLowerer, cls: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """A namedtuple, whose parts stay known."""
    names: tuple[str, ...] = cls._fields
    parts = dict(zip(names, args, strict=False)) | dict(keywords)
    for name, default in cls._field_defaults.items():
        parts.setdefault(name, wrap(default))
    if len(args) > len(names) or set(parts) != set(names):
        message = f"`{cls.__name__}` takes {', '.join(names)}"
        raise lowerer.refuse("BS113", message, node, "give each field once")
    items = tuple(parts[name] for name in names)
    result = lowerer.apply(cls, items, node)
    lowerer.context.elements[result] = items
    lowerer.context.fields[result] = names
    return result


def _special(thing: object) -> Special | None:
    """The meaning of a builtin that is not simply a node."""
    if is_range(thing):
        return _only_in_for
    try:
        return _SPECIAL.get(thing)
    except TypeError:
        return None


def _only_in_for(
    lowerer: ExpressionLowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    message = f"`{ast.unparse(node)}` is only understood as what a `for` loop runs over"
    raise lowerer.refuse("BS114", message, node, "write `for i in range(...):`")


def _print(
    lowerer: ExpressionLowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    message = "`print` has no effect in an adjoint"
    raise lowerer.refuse("BS115", message, node, "remove it, or print in the function that calls this one")


def _dynamic(
    lowerer: ExpressionLowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    message = f"`{ast.unparse(node.func)}` depends on Python objects that do not exist in compiled code"
    raise lowerer.refuse("BS115", message, node, "write it with arrays, numbers and plain functions")


def _len(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    parts = known_elements(lowerer.context, args[0]) if args else None
    if parts is not None and not (isinstance(args[0], Const) and args[0].name):
        return Const(len(parts))
    return primitive(lowerer, len, args, keywords, node)


def _sum(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    parts = known_elements(lowerer.context, args[0]) if args else None
    if parts is None:
        return primitive(lowerer, sum, args, keywords, node)
    total: Operand = args[1] if len(args) > 1 else keywords.get("start", Const(0))
    for k, part in enumerate(parts):
        bare = k == 0 and len(parts) > 1 and isinstance(total, Const) and total.value == 0
        total = part if bare else lowerer.apply(operator.add, (total, part), node)
    return total


def _extreme(function: Any) -> Special:
    def special(
        lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
    ) -> Operand:
        parts = known_elements(lowerer.context, args[0]) if len(args) == 1 else None
        if parts is not None and len(parts) == 1:
            return parts[0]
        return primitive(lowerer, function, parts or args, keywords, node)

    return special


def _sequence(as_list: bool) -> Special:
    def special(
        lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
    ) -> Operand:
        parts = known_elements(lowerer.context, args[0]) if args else ()
        if parts is None and isinstance(args[0], Value):
            return args[0] if not as_list else _dynamic(lowerer, args, keywords, node)
        return lowerer.make_tuple(parts or (), node, as_list)

    return special


def _shuffle(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """`np.random.shuffle(x)` stores a permutation of `x` in `x`."""
    if len(args) != 1 or keywords or not isinstance(args[0], Value):
        return primitive(lowerer, np.random.shuffle, args, keywords, node)
    permuted = lowerer.apply(np.random.permutation, args, node)
    lowerer.builder.store(args[0], (Dots(),), permuted, loc=lowerer.loc(node))
    return Const(None)


def _slice(
    _lowerer: ExpressionLowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call
) -> Operand:
    bounds = [None if isinstance(arg, Const) and arg.value is None else arg for arg in args]
    padded = [None, *bounds] if len(bounds) == 1 else bounds
    return Const(Slice(*padded))


def _divmod(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    quotient = lowerer.apply(operator.floordiv, args, node)
    return lowerer.make_tuple((quotient, lowerer.apply(operator.mod, args, node)), node)


def _pow(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    if len(args) != 2 or keywords:
        return _dynamic(lowerer, args, keywords, node)
    return lowerer.apply(operator.pow, args, node)


def _getattr(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    if len(args) == 2 and isinstance(args[1], Const) and isinstance(args[1].value, str):
        return lowerer.attribute(args[0], args[1].value, node)
    return _dynamic(lowerer, args, keywords, node)


def _partial(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    if not args:
        return _dynamic(lowerer, args, keywords, node)
    return Const(Bound(args[0], args[1:], keywords))


def _isinstance(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    if len(args) == 2 and all(isinstance(arg, Const) for arg in args):
        thing, kinds = (arg.value for arg in args if isinstance(arg, Const))
        return Const(isinstance(thing, kinds))
    return _dynamic(lowerer, args, keywords, node)


_SPECIAL: Mapping[object, Special] = {
    **dict.fromkeys((range, zip, enumerate, reversed, map, filter, iter, next), _only_in_for),
    **dict.fromkeys(
        (type, super, dict, set, frozenset, str, repr, hash, id, vars, open, input, eval, exec), _dynamic
    ),
    **dict.fromkeys((hasattr, setattr, sorted, globals, locals, object), _dynamic),
    print: _print,
    len: _len,
    sum: _sum,
    min: _extreme(min),
    max: _extreme(max),
    tuple: _sequence(False),
    list: _sequence(True),
    slice: _slice,
    np.random.shuffle: _shuffle,
    divmod: _divmod,
    pow: _pow,
    getattr: _getattr,
    isinstance: _isinstance,
    functools.partial: _partial,
}
