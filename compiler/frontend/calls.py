"""Calls: methods of values, builtins with a meaning of their own, primitives; all else is inlined."""

from __future__ import annotations

import ast
import dataclasses
import functools
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from backsweep.frontend.derived import is_transformation, transformation
from backsweep.frontend.inlining import inline
from backsweep.frontend.iterate import make_range, range_length
from backsweep.frontend.kinds import has_attribute, is_instance
from backsweep.frontend.lists import change
from backsweep.frontend.making import make_dataclass, make_namedtuple, own_method, replaced
from backsweep.frontend.records import is_dataclass
from backsweep.frontend.resolve import (
    METHODS,
    has_rule,
    is_data,
    is_namedtuple,
    is_primitive,
    is_range,
    numba_type,
    wrap,
)
from backsweep.frontend.scope import Bound, Inner, KnownTuple, Range, known_elements
from backsweep.ir.nodes import Const, Dots, For, Operand, Slice, Value

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
        if isinstance(base, Value) or isinstance(base.value, np.ndarray | KnownTuple | tuple):
            args, keywords = arguments(lowerer, node)
            return method(lowerer, base, node.func.attr, args, keywords, node)
        if isinstance(base.value, str):
            return text_method(lowerer, base.value, node)
        if isinstance(base.value, list | dict | set | bytearray):
            return container_method(lowerer, base, node)
        function = lowerer.attribute(base, node.func.attr, node.func)
    else:
        function = lowerer.lower(node.func)
    args, keywords = arguments(lowerer, node)
    return call(lowerer, function, args, keywords, node)


def text_method(lowerer: ExpressionLowerer, text: str, node: ast.Call) -> Operand:
    """A method of a string that is known now, which is called now."""
    assert isinstance(node.func, ast.Attribute)
    function = lowerer.attribute(Const(text), node.func.attr, node.func)
    args, keywords = arguments(lowerer, node)
    known = [known_object(lowerer, operand) for operand in args]
    if keywords or not isinstance(function, Const) or any(item is None for item in known):
        message = f"`{ast.unparse(node)}` depends on what is only known when the program runs"
        raise lowerer.refuse("BS115", message, node, "leave texts to the caller")
    found: Any = function.value(*(item for (item,) in filter(None, known)))
    return wrap(found)


def container_method(lowerer: ExpressionLowerer, base: Const, node: ast.Call) -> Operand:
    """A method of a global list, dict or set: one that looks something up is called now, any other refused."""
    assert isinstance(node.func, ast.Attribute)
    kind, name = type(base.value).__name__, node.func.attr
    args, _ = arguments(lowerer, node)
    known = [known_object(lowerer, operand) for operand in args]
    if name not in ("get", "index", "count") or None in known:
        what = ast.unparse(node.func.value)
        message = (
            f"`.{name}` of `{what}`, a global {kind}, is called; compiled code sees such objects as they were"
        )
        remedy = "return what is to be kept, and change the object in the caller"
        raise lowerer.refuse("BS111", message, node, remedy)
    return wrap(getattr(base.value, name)(*(item for (item,) in filter(None, known))))


def known_object(lowerer: ExpressionLowerer, operand: Operand) -> tuple[Any] | None:
    """The object that an operand certainly is, tuples of known parts included; None if that is not known."""
    parts = known_elements(lowerer.context, operand)
    if parts is not None:
        items = [known_object(lowerer, part) for part in parts]
        return None if None in items else (tuple(item[0] for item in items if item is not None),)
    return (operand.value,) if isinstance(operand, Const) else None


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
    if is_transformation(thing):
        return transformation(lowerer, thing, args, keywords, node)
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
        return make_namedtuple(lowerer, thing, args, keywords, node)
    if is_dataclass(thing):
        return make_dataclass(lowerer, thing, args, keywords, node)
    return inline(lowerer, thing, args, keywords, node)


def primitive(
    lowerer: ExpressionLowerer, function: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
) -> Operand:
    """A call that stays a node; lists become tuples, and `out=` a store."""
    if function in (float, complex, int) and len(args) == 1 and isinstance(args[0], Const):
        if isinstance(args[0].value, str):
            return Const(function(args[0].value))
    module = getattr(function, "__module__", None) or ""
    if module.partition(".")[0] == "scipy" and not has_rule(function):
        message = f"`{ast.unparse(node.func) if isinstance(node, ast.Call) else module}` has no derivative rule, and Numba does not compile it"
        remedy = "write it with functions from docs/rules.md, or declare its derivative as a rule"
        raise lowerer.refuse("BS202", message, node, remedy)
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
    if base in lowerer.context.growing:
        assert isinstance(base, Value)
        return change(lowerer, base, name, args, node)
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
        case "index" | "count" if known_elements(lowerer.context, base) is not None:
            return _position_of(lowerer, base, name, args, node)
        case "_replace":
            return replaced(lowerer, base, keywords, node)
        case _ if isinstance(base, Value) and own_method(lowerer, base, name) is not None:
            return inline(lowerer, own_method(lowerer, base, name), (base, *args), keywords, node)
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


def _position_of(
    lowerer: ExpressionLowerer, base: Operand, name: str, args: tuple[Operand, ...], node: ast.Call
) -> Operand:
    """`items.index(x)` and `items.count(x)` where all of them are constants."""
    parts = known_elements(lowerer.context, base) or ()
    values = [part.value for part in (*parts, *args) if isinstance(part, Const)]
    if len(args) != 1 or len(values) != len(parts) + 1:
        message = f"`.{name}` looks for a value that is only known when the program runs"
        raise lowerer.refuse("BS109", message, node, "compare with each item in a loop")
    *items, wanted = values
    if name == "index" and wanted not in items:
        raise lowerer.refuse("BS110", f"{wanted!r} is not in the tuple", node, "check the items")
    return Const(items.index(wanted) if name == "index" else items.count(wanted))


def _special(thing: object) -> Special | None:
    """The meaning of a builtin that is not simply a node."""
    if is_range(thing):
        return make_range
    try:
        return _SPECIAL.get(thing)
    except TypeError:
        return None


def _only_in_for(
    lowerer: ExpressionLowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    name = ast.unparse(node.func)
    message = f"`{ast.unparse(node)}` makes an iterator, which cannot be differentiated"
    if name in ("zip", "enumerate", "reversed"):
        message = f"`{ast.unparse(node)}` is only understood as what a `for` loop runs over"
    remedy = "loop over a range or an array, and call the function in the loop's body"
    raise lowerer.refuse("BS114", message, node, remedy)


def _print(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """`print` stays where it is: the forward sweep prints, once."""
    primitive(lowerer, print, args, keywords, node)
    return Const(None)


def _dynamic(
    lowerer: ExpressionLowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    name = ast.unparse(node.func)
    message = f"`{name}` depends on Python objects that do not exist in compiled code"
    remedy = _INSTEAD.get(name, "write it with arrays, numbers and plain functions")
    raise lowerer.refuse("BS115", message, node, remedy)


def _len(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    if args and isinstance(args[0], Const) and isinstance(args[0].value, Range):
        return primitive(lowerer, max, (range_length(lowerer, args[0].value, node), Const(0)), keywords, node)
    if args and isinstance(args[0], Const) and isinstance(args[0].value, str):
        return Const(len(args[0].value))
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
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    classes = _classes(lowerer, args[1]) if len(args) == 2 else None
    found = None if classes is None else is_instance(lowerer, args[0], classes)
    return _unknown_kind(lowerer, node) if found is None else Const(found)


def _classes(lowerer: ExpressionLowerer, operand: Operand) -> tuple[type, ...] | None:
    """The class or classes that `isinstance` is given."""
    if isinstance(operand, Const) and isinstance(operand.value, type):
        return (operand.value,)
    parts = known_elements(lowerer.context, operand) or ()
    found = [part.value for part in parts if isinstance(part, Const) and isinstance(part.value, type)]
    return tuple(found) if parts and len(found) == len(parts) else None


def _hasattr(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    name = args[1] if len(args) == 2 else None
    if not (isinstance(name, Const) and isinstance(name.value, str)):
        return _dynamic(lowerer, args, keywords, node)
    found = has_attribute(lowerer, args[0], name.value)
    return _unknown_kind(lowerer, node) if found is None else Const(found)


def _unknown_kind(lowerer: ExpressionLowerer, node: ast.Call) -> Operand:
    message = f"`{ast.unparse(node)}` asks for a type that is only known of arguments and constants"
    raise lowerer.refuse("BS115", message, node, "ask it of an argument, or leave the question out")


def _reduce(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """`functools.reduce(function, items, initial)`: the calls one after the other, or a loop."""
    if keywords or not 2 <= len(args) <= 3:
        return _dynamic(lowerer, args, keywords, node)
    function, items = args[:2]
    parts = known_elements(lowerer.context, items)
    if parts is not None and (len(args) == 3 or parts):
        total, rest = (args[2], parts) if len(args) == 3 else (parts[0], parts[1:])
        for part in rest:
            total = call(lowerer, function, (total, part), {}, node)
        return total
    if len(args) == 2 or not isinstance(items, Value):
        message = "`reduce` needs an initial value here"
        raise lowerer.refuse("BS115", message, node, "give one: reduce(function, items, initial)")
    loc = lowerer.loc(node)
    stop = lowerer.apply(len, (items,), node)
    index, carried, result = (lowerer.builder.value(loc=loc) for _ in range(3))
    with lowerer.builder.block(index, carried) as block:
        item = lowerer.builder.load(items, (index,), loc=loc)
        block.yields = (call(lowerer, function, (carried, item), {}, node),)
    lowerer.builder.add(For(Const(0), stop, Const(1), (args[2],), block.finish(), (result,), loc))
    return result


def _replace(
    lowerer: ExpressionLowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    return replaced(lowerer, args[0], keywords, node)


#: What to write instead of builtins that look at Python objects.
_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("str", "repr", "format"), "leave formatting to the caller"),
    **dict.fromkeys(("input", "open"), "read it before the call, and pass it as an argument"),
    "type": "ask isinstance(x, ...) or x.ndim of an argument",
    "sorted": "use np.sort of an array",
    "dict": "use a namedtuple or a dataclass",
}

_SPECIAL: Mapping[object, Special] = {
    **dict.fromkeys((zip, enumerate, reversed, map, filter, iter, next), _only_in_for),
    **dict.fromkeys(
        (type, super, dict, set, frozenset, str, repr, hash, id, vars, open, input, eval, exec), _dynamic
    ),
    **dict.fromkeys((setattr, sorted, globals, locals, object), _dynamic),
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
    hasattr: _hasattr,
    functools.reduce: _reduce,
    dataclasses.replace: _replace,
    functools.partial: _partial,
}
