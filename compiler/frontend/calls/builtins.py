"""Builtins and library functions that need special lowering, with one function for each."""

from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.frontend.arrays.cells import make_cells
from backsweep.frontend.calls.closures import OF_CLOSURES
from backsweep.frontend.calls.library import library_call
from backsweep.frontend.calls.meanings import OF_MEANINGS
from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.constructs.checkpoints import checkpoint, checkpoint_inner, refuse_elsewhere
from backsweep.frontend.constructs.comprehensions import (
    a_number,
    all_items,
    any_or_all,
    by_key,
    holds_arrays,
    made_of_arrays,
    ordered,
    total_of,
)
from backsweep.frontend.constructs.custom import lower_hook
from backsweep.frontend.constructs.going_through import as_it_changes
from backsweep.frontend.constructs.iterate import check_whole, range_length
from backsweep.frontend.constructs.iterators import make_iterator
from backsweep.frontend.constructs.kinds import (
    UNKNOWN,
    asked_type,
    class_of,
    dtype_of,
    has_attribute,
    holds_array,
    is_instance,
    is_number_of_numpys,
    known_length,
    local_type,
)
from backsweep.frontend.constructs.lists import OF_HEAP, copied
from backsweep.frontend.constructs.namedtuples import replaced
from backsweep.frontend.constructs.questions import ANSWERED, ask_presence
from backsweep.frontend.constructs.special_methods import own_operator, special_method
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import Bound, Range, Zipped, known_elements, known_items
from backsweep.frontend.instances.dicts import default_dict, dict_of_arguments
from backsweep.ir.nodes import UNDEFINED, Const, Operand, Slice, Value, equals, is_none
from backsweep.ir.types import RANDOM, Array, Scalar
from backsweep.prelude.arrays import joins
from backsweep.prelude.declare import is_of_prelude
from backsweep.runtime.support.marks import checkpointed, hook
from backsweep.runtime.support.object_mode import formatted, warned


def _only_in_for(
    lowerer: Lowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    message = f"`{ast.unparse(node)}` makes an iterator, which cannot be kept"
    remedy = "write it where its items are taken, in `for ... in`, or within `list`, `sum`, `min`, `max`, `any`, `all`"
    raise lowerer.refuse("BS114", message, node, remedy)


def _zipped(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `zip` of a class of the prelude, whose lists have one length; the user's stands where its items are taken."""
    source = lowerer.frame.source
    if source is None or not is_of_prelude(source.function):
        return _only_in_for(lowerer, args, keywords, node)
    return Const(Zipped(args))


def _print(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Keep `print` as a node: only the forward sweep prints. What stands between its operands becomes part of a text."""
    options = {name: keywords.get(name, Const(None)) for name in ("sep", "end", "file")}
    between, end, _ = (option.value if isinstance(option, Const) else option for option in options.values())
    given = set(keywords) - {"flush"} - {name for name, option in options.items() if is_none(option)}
    if given - {"sep", "end"} or end not in (None, "\n") or not (between is None or isinstance(between, str)):
        message = "`print` writes whole lines to standard output in compiled code"
        raise lowerer.refuse("BS115", message, node, "print one text, as in print(f'{x} of {n}')")
    if between is not None and len(args) > 1:
        pattern = between.replace("{", "{{").replace("}", "}}").join(["{}"] * len(args))
        args = (lowerer.apply(formatted, (Const(pattern), lowerer.make_tuple(args, node)), node),)
    primitive(lowerer, print, args, {}, node)
    return Const(None)


def warning(lowerer: Lowerer, node: ast.Call) -> Operand:
    """Lower `warnings.warn("text", Category)`, which may be given a warning with its text instead."""
    given = dict(zip(("message", "category"), node.args, strict=False))
    given |= {each.arg: each.value for each in node.keywords if each.arg is not None}
    message = given.get("message", node)
    category = lowerer.lower(given["category"]) if "category" in given else Const(None)
    if isinstance(message, ast.Call) and len(message.args) == 1 and not message.keywords:
        made = lowerer.lower(message.func)
        if isinstance(made, Const) and isinstance(made.value, type) and issubclass(made.value, Warning):
            category, message = made, message.args[0]
    cls = UserWarning if is_none(category) else category.value if isinstance(category, Const) else None
    text = lowerer.text(message) or lowerer.lower(message)
    name = f"{getattr(cls, '__module__', '')}:{getattr(cls, '__qualname__', '')}"
    if not isinstance(cls, type) or not issubclass(cls, Warning) or "<locals>" in name:
        problem = "the class of this warning is not one that a module defines"
        raise lowerer.refuse("BS113", problem, node, 'write warnings.warn("text", RuntimeWarning)')
    if isinstance(text, Const) and not isinstance(text.value, str):
        raise lowerer.refuse("BS113", "this is no text of a warning", node, 'write warnings.warn("text")')
    lowerer.apply(warned, (text, Const(name)), node)
    return Const(None)


def _dynamic(lowerer: Lowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    name = ast.unparse(node.func)
    message = f"`{name}` depends on Python objects that do not exist in compiled code"
    remedy = _INSTEAD.get(name, "write it with arrays, numbers and plain functions")
    raise lowerer.refuse("BS115", message, node, remedy)


def _len(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    if args and isinstance(args[0], Const) and isinstance(args[0].value, Range):
        check_whole(lowerer, args[0].value.bounds, node)
        return primitive(lowerer, max, (range_length(lowerer, args[0].value, node), Const(0)), keywords, node)
    own = special_method(lowerer, args[0], "__len__") if args else None
    if own is not None:
        return lowerer.inline(own, args, {}, node)
    known = known_length(lowerer, args[0]) if args else None
    if known is None and args and isinstance(args[0], Const) and isinstance(args[0].value, set | frozenset):
        known = len(args[0].value)
    if known is not None:
        return Const(known)
    return primitive(lowerer, len, args, keywords, node)


def _sum(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    parts = known_elements(lowerer.context, args[0]) if args else None
    if parts is None and args and not set(keywords) - {"start"} and _has_rows(lowerer, args[0]):
        return total_of(lowerer, args[0], (*args[1:], keywords.get("start", Const(0)))[0], node)
    if (
        len(args) == 1
        and not keywords
        and args[0] in lowerer.context.growing
        and holds_arrays(lowerer, args[0], node)
    ):
        return lowerer.inline(joins.added_up, args, {}, node)
    start = (*args[1:], keywords.get("start"))[0]
    if parts is None and start is not None and len(args) < 3 and not set(keywords) - {"start"}:
        return lowerer.apply(operator.add, (start, primitive(lowerer, sum, args[:1], {}, node)), node)
    if parts is None:
        return primitive(lowerer, sum, args, keywords, node)
    total: Operand = args[1] if len(args) > 1 else keywords.get("start", Const(0))
    for k, part in enumerate(parts):
        own = own_operator(lowerer, ast.Add, total, part, node)
        if own is None and k == 0 and len(parts) > 1 and equals(total, 0):
            total = part
            continue
        total = lowerer.apply(operator.add, (total, part), node) if own is None else own
    return total


def _has_rows(lowerer: Lowerer, operand: Operand) -> bool:
    """Whether iterating over the operand gives other things than the numbers of an array or a list."""
    if isinstance(operand, Const):
        return isinstance(operand.value, Range)
    type_ = local_type(lowerer.context, operand)
    return isinstance(type_, Array) and type_.ndim > 1


def _extreme(function: Any) -> Special:
    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        parts = known_elements(lowerer.context, args[0]) if len(args) == 1 else None
        if keywords and not set(keywords) - {"key", "default"} and args:
            items = args[0] if len(args) == 1 else lowerer.make_tuple(args, node)
            key = keywords.get("key", Const(lambda item: item))
            return by_key(lowerer, items, key, function is max, keywords.get("default"), node)
        if parts is not None and len(parts) == 1:
            return parts[0]
        numbers = [
            each.value for each in parts or args if isinstance(each, Const) and type(each.value) is int
        ]
        if len(numbers) == len(parts or args) > 1:  # they may choose an item of a tuple
            return Const(function(numbers))
        return primitive(lowerer, function, parts or args, keywords, node)

    return special


def _sequence(as_list: bool) -> Special:
    def special(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
        parts = known_items(lowerer.context, args[0]) if args else ()
        if as_list and args and lowerer.context.is_list(args[0]):
            return copied(lowerer, args[0], node)
        if parts is None and args and not as_list:
            parts = _known_numbers(args[0])
        if parts is not None:
            return lowerer.make_tuple(parts, node, as_list)
        if len(args) > 1:
            raise lowerer.refuse(
                "BS113", f"`{ast.unparse(node.func)}` takes one iterable", node, "write (a, b)"
            )
        if isinstance(args[0], Value) and not as_list and not lowerer.context.is_list(args[0]):
            type_ = asked_type(lowerer, args[0], node)
            if isinstance(type_, Scalar):
                message = "`tuple` is given a number, which has no items"
                raise lowerer.refuse("BS113", message, node, "write (a,)")
            if not isinstance(type_, Array):
                return args[0]
        made = all_items(lowerer, args[0], node)
        if not as_list and isinstance(made, Value):
            lowerer.context.tuples.add(made)
        return made

    return special


def _known_numbers(operand: Operand) -> tuple[Operand, ...] | None:
    """The numbers of a short range that is known while compiling, as of axes."""
    if not isinstance(operand, Const) or not isinstance(operand.value, Range):
        return None
    bounds = [
        each.value
        for each in (operand.value.start, operand.value.stop, operand.value.step)
        if isinstance(each, Const) and type(each.value) is int and not each.name
    ]
    numbers = range(*bounds) if len(bounds) == 3 else None
    return None if numbers is None or len(numbers) > MOST_AXES else tuple(map(Const, numbers))


MOST_AXES = 8


def _statement(lowerer: Lowerer, _args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    """Refuse `operator.setitem(a, i, v)` and its like, which are statements."""
    message = f"`{ast.unparse(node.func)}` writes into its argument, which cannot be differentiated"
    raise lowerer.refuse("BS109", message, node, "write the statement, as in a[i] = v")


def _slice(_lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, _node: ast.Call) -> Operand:
    bounds = [None if is_none(arg) else arg for arg in args]
    padded = [None, *bounds] if len(bounds) == 1 else bounds
    return Const(Slice(*padded))


def _pow(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    if len(args) != 2 or keywords:
        return _dynamic(lowerer, args, keywords, node)
    return lowerer.apply(operator.pow, args, node)


def _getattr(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    if len(args) not in (2, 3) or not (isinstance(args[1], Const) and isinstance(args[1].value, str)):
        return _dynamic(lowerer, args, keywords, node)
    has = _hasattr(lowerer, args[:2], {}, node) if len(args) == 3 else Const(True)
    return lowerer.attribute(args[0], args[1].value, node) if equals(has, True) else args[2]


def _partial(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    if not args:
        return _dynamic(lowerer, args, keywords, node)
    return Const(Bound(args[0], args[1:], keywords))


def _isinstance(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    classes = _classes(lowerer, args[1]) if len(args) == 2 else None
    found = None if classes is None else is_instance(lowerer, args[0], classes)
    if found is None and classes is not None and asked_type(lowerer, args[0], node) is not UNKNOWN:
        found = is_instance(lowerer, args[0], classes)
        if found is None and any(issubclass(each, np.generic) for each in classes):
            message = (
                f"`{ast.unparse(node)}` tells NumPy's numbers from Python's, which are alike in compiled code"
            )
            raise lowerer.refuse(
                "BS115", message, node, "test for both, as in isinstance(x, (float, np.floating))"
            )
    return _unknown_kind(lowerer, node) if found is None else Const(found)


def _issubclass(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    one, several = (_classes(lowerer, each) for each in args) if len(args) == 2 else (None, None)
    if one is None or several is None or len(one) != 1:
        return _dynamic(lowerer, args, keywords, node)
    return Const(issubclass(one[0], several))


def _classes(lowerer: Lowerer, operand: Operand) -> tuple[type, ...] | None:
    """The class or classes in an argument of `isinstance` and `issubclass`; None if they are not known."""
    if isinstance(operand, Const) and isinstance(operand.value, type):
        return (operand.value,)
    parts = known_elements(lowerer.context, operand) or ()
    found = [part.value for part in parts if isinstance(part, Const) and isinstance(part.value, type)]
    return tuple(found) if parts and len(found) == len(parts) else None


def _type(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `type(x)` to the class of the value's type, with which programs convert numbers."""
    found = class_of(lowerer, args[0], node) if len(args) == 1 and not keywords else None
    return _dynamic(lowerer, args, keywords, node) if found is None else Const(found)


def _limits(function: Any) -> Special:
    """The special lowering of `np.finfo` and `np.iinfo`: their numbers are constants."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        operand = args[0] if len(args) == 1 and not keywords else UNDEFINED
        dtype = dtype_of(lowerer, operand, node)
        if dtype is None:
            return _dynamic(lowerer, args, keywords, node)
        return Const(function(dtype))

    return special


def _hasattr(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    name = args[1] if len(args) == 2 else None
    if not (isinstance(name, Const) and isinstance(name.value, str)):
        return _dynamic(lowerer, args, keywords, node)
    found = has_attribute(lowerer, args[0], name.value)
    ask_presence(lowerer, args[0], name.value, node)
    if found is None and asked_type(lowerer, args[0], node) is not UNKNOWN:
        found = has_attribute(lowerer, args[0], name.value)
    if found is not None and is_number_of_numpys(lowerer, args[0], name.value):
        message = (
            f"`{ast.unparse(node)}` tells NumPy's numbers from Python's, which are alike in compiled code"
        )
        raise lowerer.refuse("BS115", message, node, "ask np.ndim(x) == 0 whether x is a number")
    return _unknown_kind(lowerer, node) if found is None else Const(found)


def _unknown_kind(lowerer: Lowerer, node: ast.Call) -> Operand:
    message = f"`{ast.unparse(node)}` needs a type that is known only for arguments and constants"
    raise lowerer.refuse("BS115", message, node, "test an argument instead, or leave the test out")


def _array(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.array(items)`: of arrays it is their stack, and a list that grows is converted afterwards."""
    least = keywords.get("ndmin")
    if isinstance(least, Const) and least.value in _WITH_AXES:
        others = {name: operand for name, operand in keywords.items() if name != "ndmin"}
        is_number = not others and len(args) == 1 and isinstance(asked_type(lowerer, args[0], node), Scalar)
        made = args[0] if is_number else _array(lowerer, args, others, node)
        return library_call(lowerer, _WITH_AXES[least.value], (made,), {}, node)
    if _is_true(keywords.get("copy")):
        keywords = {name: operand for name, operand in keywords.items() if name != "copy"}
    dtype = (*args[1:], keywords.get("dtype", UNDEFINED))[0]
    is_plain = len(args) + len(keywords) == 1 + (dtype is not UNDEFINED)
    has_dtype = dtype is not UNDEFINED
    stacked = made_of_arrays(lowerer, args[0], node, asks=has_dtype) if args and is_plain else None
    if stacked is not None and dtype is not UNDEFINED:
        return library_call(lowerer, np.ndarray.astype, (stacked, dtype), {}, node)
    if stacked is not None:
        return stacked
    if len(args) == 1 and not keywords and _holds_numbers(lowerer, args[0], node):
        return library_call(lowerer, np.copy, args, {}, node)
    if isinstance(local_type(lowerer.context, args[0]) if args else None, Array):
        if len(args) == 1 and not keywords:
            return library_call(lowerer, np.copy, args, {}, node)
        if dtype is not UNDEFINED and len(args) + len(keywords) == 2:
            return library_call(lowerer, np.ndarray.astype, (args[0], dtype), {}, node)
    if dtype is not UNDEFINED and len(args) + len(keywords) == 2 and args[0] in lowerer.context.growing:
        made = primitive(lowerer, np.array, args[:1], {}, node)
        return library_call(lowerer, np.ndarray.astype, (made, dtype), {}, node)
    return library_call(lowerer, np.array, args, keywords, node)


_WITH_AXES: Mapping[object, Any] = {1: np.atleast_1d, 2: np.atleast_2d}
"""What gives an array at least so many axes, new ones in front."""


def _array_perhaps(function: Callable[..., Any]) -> Special:
    """Lower a call of `np.asarray` or its like: of a list or a tuple it is `np.array`."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        items = args[0] if args and isinstance(args[0], Value) else None
        if items is not None and (
            known_elements(lowerer.context, items) is not None or items in lowerer.context.growing
        ):
            return _array(lowerer, args, keywords, node)
        return library_call(lowerer, function, args, keywords, node)

    return special


def _is_true(operand: Operand | None) -> bool:
    """Whether an option is written as True."""
    return isinstance(operand, Const) and operand.value is True


def _size(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.size(a, axis)` to an extent."""
    axis = (*args[1:], keywords.get("axis", UNDEFINED))[0]
    if axis is UNDEFINED or not args or is_none(axis):
        return library_call(lowerer, np.size, args[:1], {}, node)
    return lowerer.builder.load(lowerer.apply(np.shape, args[:1], node), (axis,), loc=lowerer.loc(node))


def _holds_numbers(lowerer: Lowerer, operand: Operand, node: ast.AST) -> bool:
    """Whether the operand is an array, not a list or a tuple."""
    is_listed = lowerer.context.is_list(operand) or known_elements(lowerer.context, operand) is not None
    return (
        isinstance(operand, Value)
        and not is_listed
        and (holds_array(lowerer.context, operand) or isinstance(asked_type(lowerer, operand, node), Array))
    )


def _default_rng(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.random.default_rng(seed)`, which the forward sweep alone makes."""
    made = primitive(lowerer, np.random.default_rng, args, keywords, node)
    assert isinstance(made, Value)
    lowerer.context.types[made] = RANDOM
    return made


def _replace(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    return replaced(lowerer, args[0], keywords, node)


#: Remedies for builtins that need Python objects.
_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(("str", "repr", "format"), "leave formatting to the caller"),
    **dict.fromkeys(("input", "open"), "read it before the call, and pass it as an argument"),
    "type": "test isinstance(x, ...) or x.ndim of an argument",
    "dict": "use a namedtuple or a dataclass",
}

SPECIAL: Mapping[object, Special] = {
    **dict.fromkeys((enumerate, reversed, map, filter), _only_in_for),
    zip: _zipped,
    iter: make_iterator,
    np.nditer: make_cells,
    type: _type,
    np.array: _array,
    np.size: _size,
    np.asarray: _array_perhaps(np.asarray),
    np.asanyarray: _array_perhaps(np.asarray),
    np.ascontiguousarray: _array_perhaps(np.ascontiguousarray),
    **ANSWERED,
    np.finfo: _limits(np.finfo),
    np.iinfo: _limits(np.iinfo),
    **dict.fromkeys((super, str, repr, hash, id, vars, open, input, eval, exec), _dynamic),
    **dict.fromkeys((setattr, globals, locals, object), _dynamic),
    **dict.fromkeys((operator.setitem, operator.delitem), _statement),
    print: _print,
    dict: dict_of_arguments,
    collections.defaultdict: default_dict,
    len: _len,
    sum: _sum,
    min: _extreme(min),
    max: _extreme(max),
    a_number: a_number,
    as_it_changes: as_it_changes,
    any: any_or_all(is_any=True),
    all: any_or_all(is_any=False),
    sorted: ordered,
    tuple: _sequence(False),
    list: _sequence(True),
    slice: _slice,
    **OF_HEAP,
    **OF_MEANINGS,
    **OF_CLOSURES,
    np.random.default_rng: _default_rng,
    getattr: _getattr,
    pow: _pow,
    isinstance: _isinstance,
    issubclass: _issubclass,
    hasattr: _hasattr,
    dataclasses.replace: _replace,
    functools.partial: _partial,
    hook: lower_hook,
    checkpoint: checkpoint_inner,
    checkpointed: refuse_elsewhere,
}
