"""Decide how a call is lowered: a method, a builtin with special lowering, a primitive; any other function is inlined."""

from __future__ import annotations

import ast
import functools
import operator
import warnings
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from backsweep.dispatch.dispatchers import is_vectorised
from backsweep.dispatch.inference import is_overloaded
from backsweep.frontend.arrays.from_lists import as_array
from backsweep.frontend.arrays.memory import view
from backsweep.frontend.arrays.spreading import spread_to, spread_whole
from backsweep.frontend.calls.builtins import SPECIAL, warning
from backsweep.frontend.calls.closures import Late, settled
from backsweep.frontend.calls.derived import is_transformation, transformation
from backsweep.frontend.calls.inlining import inline
from backsweep.frontend.calls.intrinsics import check_cfunc, intrinsic_call
from backsweep.frontend.calls.library import expanded, library_call
from backsweep.frontend.calls.primitives import primitive
from backsweep.frontend.constructs.checkpoints import checkpoint, lower_checkpoint
from backsweep.frontend.constructs.comprehensions import consumed, taken_apart
from backsweep.frontend.constructs.custom import custom_vjp, lower_custom
from backsweep.frontend.constructs.dicts import becomes_table
from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.iterate import make_range
from backsweep.frontend.constructs.kinds import asked_type, local_type
from backsweep.frontend.constructs.lists import CHANGES, change
from backsweep.frontend.constructs.namedtuples import (
    is_static_method,
    make_dataclass,
    make_namedtuple,
    own_method,
    replaced,
)
from backsweep.frontend.constructs.special_methods import special_method
from backsweep.frontend.context.calls_in_try import caught, is_caught
from backsweep.frontend.context.dataclasses import is_dataclass
from backsweep.frontend.context.heap import Virtual, found_in
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special, is_generator
from backsweep.frontend.context.scope import Bound, Cell, Inner, KnownTuple, known_elements, known_object
from backsweep.frontend.generators.arguments import handed
from backsweep.frontend.generators.partial import next_of, some_of
from backsweep.frontend.instances import dicts
from backsweep.frontend.instances.calls import called as of_instances
from backsweep.frontend.instances.early import designed
from backsweep.frontend.instances.lists import changes_known, is_object_list, note_list
from backsweep.frontend.instances.lists import method as list_method
from backsweep.frontend.instances.making import make_object
from backsweep.frontend.instances.of_libraries import called as of_libraries
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import RANDOM, Array, Other, Scalar
from backsweep.prelude import meaning_of
from backsweep.prelude.declare import is_of_arrays, is_of_prelude, looked_at
from backsweep.reading.functions import has_text
from backsweep.reading.names import (
    METHODS,
    has_rule,
    is_data,
    is_literal_request,
    is_namedtuple,
    is_primitive,
    is_range,
    is_typed_dict,
    is_typed_list,
    wrap,
)
from backsweep.runtime.scipy.sight import at_address
from backsweep.runtime.support.object_mode import DRAWS
from backsweep.runtime.support.python_calls import PythonCall, is_cfunc, with_hash
from backsweep.typing.generalised import Called, is_generalised
from backsweep.typing.implementations import intrinsic_name, is_itself
from backsweep.typing.members import member
from backsweep.typing.own_implementations import inner_text
from backsweep.typing.straight_text import with_text

PLAIN = {"copy": 0, "astype": 1}
"""Methods of arrays that are the library's own functions where they are given so much."""


def lower_call(lowerer: Lowerer, node: ast.Call) -> Operand:
    """The operand for a call's result; of a call within `try` that says what it raises, in a tuple."""
    return lower_plain_call(lowerer, node) if not is_caught(node) else caught(lowerer, node, lower_plain_call)


def lower_plain_call(lowerer: Lowerer, node: ast.Call) -> Operand:
    """The operand for a call's result."""
    if isinstance(node.func, ast.Attribute):
        base = lowerer.lower(node.func.value)
        if isinstance(base, Const) and isinstance(base.value, Cell):
            if node.func.attr in ("item", "take"):  # of an array without axes, both give its number
                return base.value.value
            base = lowerer.runtime(base, node)
        if base in lowerer.context.dtypes and node.func.attr == "type":
            args, keywords = arguments(lowerer, node)
            return call(lowerer, lowerer.attribute(base, "type", node.func), args, keywords, node)
        if isinstance(base, Value) or isinstance(base.value, np.ndarray | KnownTuple | tuple):
            is_extension = node.func.attr == "extend" and len(node.args) == 1
            items = taken_apart(lowerer, node.args[0]) if is_extension else None
            args, keywords = arguments(lowerer, node, None if items is None else (items,))
            return method(lowerer, base, node.func.attr, args, keywords, node)
        if isinstance(base.value, str):
            return text_method(lowerer, base.value, node)
        if isinstance(base.value, list | dict | set | bytearray):
            return container_method(lowerer, base, node)
        if is_generator(base) and not _is_compiled(lowerer):
            args, keywords = arguments(lowerer, node)
            return method(lowerer, lowerer.runtime(base, node), node.func.attr, args, keywords, node)
        if isinstance(base.value, np.random.Generator | np.random.RandomState):
            is_old = isinstance(base.value, np.random.RandomState)
            what = "a `RandomState`" if is_old else "a generator that an `@njit` function reads around it"
            message = f"`{ast.unparse(node.func.value)}` is {what}, for which Numba has no code"
            remedy = (
                "pass a generator, np.random.default_rng(seed), as an argument, or make it in the function"
            )
            raise lowerer.refuse("BS106", message, node, remedy)
        if is_object_list(base):
            args, keywords = arguments(lowerer, node)
            return list_method(lowerer, base, node.func.attr, args, keywords, node)
        function = lowerer.attribute(base, node.func.attr, node.func)
    else:
        function = lowerer.lower(node.func)
    if isinstance(function, Const):  # what takes its arguments otherwise than as operands
        if function.value is next and node.args:
            return next_of(lowerer, node)
        for taken_by in (some_of, consumed, dicts.dict_of_pairs):
            if (made := taken_by(lowerer, function.value, node)) is not None:
                return made
        if function.value is print:
            return printed(lowerer, node)
        if function.value is warnings.warn:
            return warning(lowerer, node)
    if (spread_result := spread_whole(lowerer, function, node)) is not None:
        return spread_result
    spread = handed(lowerer, function, node) or spread_to(lowerer, function, node)
    apart = spread is None and bool(node.args or node.keywords) and has_meaning(function)
    if apart and not any(isinstance(each, ast.Starred) for each in node.args):
        spread = [lowered_apart(lowerer, each) for each in node.args]
    args, keywords = arguments(lowerer, node, spread, lowered_apart if apart else None)
    return call(lowerer, function, args, keywords, node)


def lowered_apart(lowerer: Lowerer, node: ast.expr) -> Operand:
    """An argument of a function that goes through it: a generator is the list of its items."""
    found = taken_apart(lowerer, node)
    return lowerer.lower(node) if found is None else found


def has_meaning(function: Operand) -> bool:
    """Whether a function, a method or a class is one of the prelude's, or stands for one; it goes through what it is given."""
    thing = function.value if isinstance(function, Const) else None
    while isinstance(thing, Bound) and isinstance(thing.function, Const):
        thing = thing.function.value
    return is_of_prelude(thing) or meaning_of(thing) is not None


def printed(lowerer: Lowerer, node: ast.Call) -> Operand:
    """Lower `print(...)`, whose texts are formatted when it runs."""
    given: list[Operand] = []
    for arg in node.args:
        text = lowerer.text(arg)
        given += lowerer.spread([arg]) if text is None else [text]
    _, keywords = arguments(lowerer, ast.Call(node.func, [], node.keywords))
    return call(lowerer, Const(print), tuple(given), keywords, node)


def text_method(lowerer: Lowerer, text: str, node: ast.Call) -> Operand:
    """Call a method of a known string while compiling."""
    assert isinstance(node.func, ast.Attribute)
    function = lowerer.attribute(Const(text), node.func.attr, node.func)
    args, keywords = arguments(lowerer, node)
    known = [known_object(lowerer.context, operand) for operand in args]
    message = f"`{ast.unparse(node)}` depends on a value that is known only when the program runs"
    is_unknown = any(item is None or isinstance(item[0], Virtual) for item in known)
    try:
        if isinstance(function, Const) and not keywords and not is_unknown:
            return wrap(function.value(*(item for (item,) in filter(None, known))))
    except (TypeError, ValueError, LookupError) as error:
        message = f"`{ast.unparse(node)}` raises {type(error).__name__}: {error}"
    raise lowerer.refuse("BS115", message, node, "leave strings to the caller")


def container_method(lowerer: Lowerer, base: Const, node: ast.Call) -> Operand:
    """Call a lookup method of a list, dict or set that exists while compiling; refuse any other method."""
    assert isinstance(node.func, ast.Attribute)
    kind, name = type(base.value).__name__, node.func.attr
    args, named = arguments(lowerer, node)
    own = found_in(type(base.value), name)
    if isinstance(own, FunctionType) and has_text(own):  # of a class derived from dict
        return inline(lowerer, own, (base, *args), named, node)
    if isinstance(base.value, dict) and not hasattr(dict, name):
        what = ast.unparse(node.func.value)
        message = f"`{what}` is a dict, which has no method `{name}`: of an argument whose class is derived from dict, the items are passed alone"
        raise lowerer.refuse("BS109", message, node, "read its items, and pass further numbers as arguments")
    if isinstance(base.value, dict) and name in dicts.LOOKUPS:
        return dicts.lookup(lowerer, base, name, args, node)
    if isinstance(base.value, dict) and name in dicts.CHANGES:
        becomes_table(lowerer.context, base, args[0] if args else None)
    known = [known_object(lowerer.context, operand) for operand in args]
    if name not in ("get", "index", "count") or None in known:
        what = ast.unparse(node.func.value)
        message = f"`.{name}` of `{what}`, a global {kind}, is called, but compiled code treats globals as constants"
        remedy = "return the value, and change the object in the caller"
        if not base.name and isinstance(base.value, dict):
            message = f"`.{name}` of `{what}` is called, but a dict changes only where it is made, under one name, by literal or whole keys"
            remedy = "make another dict, as in `{**d, 'k': x}`"
        raise lowerer.refuse("BS111", message, node, remedy)
    return wrap(getattr(base.value, name)(*(item for (item,) in filter(None, known))))


def arguments(
    lowerer: Lowerer,
    node: ast.Call,
    spread: Sequence[Operand] | None = None,
    lowered: Callable[[Lowerer, ast.expr], Operand] | None = None,
) -> tuple[tuple[Operand, ...], dict[str, Operand]]:
    """The positional and keyword operands of the call, lowered in Python's order of evaluation.

    `spread` are the former if they are lowered; `lowered` lowers the latter.
    """
    args = tuple(lowerer.spread(node.args) if spread is None else spread)
    keywords: dict[str, Operand] = {}
    for keyword in node.keywords:
        operand = lowerer.lower(keyword.value) if lowered is None else lowered(lowerer, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = operand
            continue
        known = dicts.known_pairs(lowerer, operand, node)
        if known is None:
            message = "`**` needs keywords that are known before the program runs"
            raise lowerer.refuse("BS108", message, keyword.value, "write the keywords out")
        for key, thing in known.items():
            if key in keywords:
                message = f"the keyword `{key}` is given twice"
                raise lowerer.refuse("BS113", message, keyword.value, "give each keyword once")
            keywords[key] = thing
    return args, keywords


def call(
    lowerer: Lowerer,
    function: Operand,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """Lower a call of a compile-time object: a primitive stays a node, a Python function is inlined."""
    lowerer.check_path(function, f"`{ast.unparse(node.func)}`", node)
    own = special_method(lowerer, function, "__call__")
    if own is not None:
        return inline(lowerer, own, (function, *args), keywords, node)
    if isinstance(function, Value) or is_data(function.value) or isinstance(function.value, KnownTuple):
        what = ast.unparse(node.func)
        type_ = local_type(lowerer.context, function)
        if isinstance(type_, Other) and type_.text.startswith("FunctionType["):
            message = (
                f"`{what}` is a function of which compiled code knows the address alone, and not the text"
            )
            remedy = "pass the Python or `@njit` function itself, each in a parameter of its own"
            raise lowerer.refuse("BS112", message, node.func, remedy)
        message = f"`{what}` is called, but it is not known to be a function while compiling"
        raise lowerer.refuse(
            "BS112", message, node.func, "call a function by its name, or pass it as an argument"
        )
    thing = with_hash(function.value)
    if isinstance(thing, functools._lru_cache_wrapper) and meaning_of(thing) is None:
        thing = with_hash(thing.__wrapped__)  # it remembers results, and changes none
    if hasattr(type(thing), "bridged"):  # here no other library is needed
        return call(lowerer, wrap(thing.bridged), args, keywords, node)
    if isinstance(thing, Inner):
        return inline(lowerer, thing, args, keywords, node)
    if isinstance(thing, Late):
        return call(lowerer, settled(lowerer, thing, node), args, keywords, node)
    if isinstance(thing, Bound):
        return call(lowerer, thing.function, thing.args + args, {**thing.keywords, **keywords}, node)
    if hasattr(thing, "only_from_python"):
        message, remedy = thing.only_from_python
        raise lowerer.refuse("BS119", message, node, remedy)
    if is_transformation(thing):
        return transformation(lowerer, thing, args, keywords, node)
    if isinstance(thing, custom_vjp):
        return lower_custom(lowerer, thing, args, keywords, node)
    if isinstance(thing, checkpoint):
        marked = thing.function
        return lower_checkpoint(
            lowerer, marked, lambda: lowerer.call(Const(marked), args, keywords, node), node
        )
    if is_typed_list(thing):
        return typed_list(lowerer, thing, args, keywords, node)
    if is_typed_dict(thing):  # the types of what it holds are those of what is put in
        return call(lowerer, Const(dict), (), {}, node)
    if (made := of_instances(lowerer, thing, args, keywords, node)) is not None:
        return made
    special = _special(thing)
    if special is not None:
        return special(lowerer, args, keywords, node)
    if (made := of_libraries(lowerer, thing, args, keywords, node)) is not None:
        return made
    if (meaning := meaning_of(thing)) is not None:
        if is_of_arrays(thing):
            args, keywords = looked_at(thing, _with_arrays(lowerer, args, node), keywords)
        known = designed(lowerer, thing, args, keywords, node) if isinstance(thing, FunctionType) else None
        return call(lowerer, Const(meaning), args, keywords, node) if known is None else known
    if isinstance(thing, functools.partial):
        bound = tuple(wrap(value) for value in thing.args) + args
        named = {key: wrap(value) for key, value in thing.keywords.items()} | dict(keywords)
        return call(lowerer, Const(thing.func), bound, named, node)
    if (getattr(thing, "__module__", None) or "").startswith("scipy."):  # which makes arrays of lists
        args = _with_arrays(lowerer, args, node)
    owner = getattr(thing, "__self__", None)
    if isinstance(owner, np.ufunc):
        meaning = meaning_of(getattr(np.ufunc, thing.__name__))
        return call(lowerer, Const(meaning), (Const(owner), *args), keywords, node)
    by_address = None if has_rule(thing) else at_address(function.value)
    if by_address is not None:  # a function of SciPy that the program knows by its address
        doubles = tuple(lowerer.apply(np.float64, (operand,), node) for operand in args)
        return library_call(lowerer, by_address, doubles, keywords, node)
    if intrinsic := intrinsic_name(thing):
        return intrinsic_call(lowerer, thing, intrinsic, args, keywords, node)
    if is_cfunc(thing) and not has_rule(thing):
        check_cfunc(lowerer, thing, args, keywords, node)
        return inline(lowerer, thing, args, keywords, node)
    text = inner_text(thing)
    if text is not None:
        return inline(lowerer, text, args, keywords, node)
    if is_primitive(thing):
        result = library_call(lowerer, thing, args, keywords, node)
        return _taken_apart(lowerer, result, thing.like, node) if isinstance(thing, PythonCall) else result
    if (new := make_object(lowerer, thing, args, keywords, node)) is not None:
        return new
    if is_namedtuple(thing):
        return make_namedtuple(lowerer, thing, args, keywords, node)
    if is_dataclass(thing):
        return make_dataclass(lowerer, thing, args, keywords, node)
    if is_vectorised(thing):
        return expanded(lowerer, thing, args, keywords, node, is_sure=True) or _refused_ufunc(lowerer, node)
    if is_generalised(thing):
        called = thing if _is_compiled(lowerer) else Called(thing)
        found = expanded(lowerer, called, args, keywords, node, is_sure=True)
        if found is not None:
            return found
        message = f"`{ast.unparse(node.func)}` is a `@guvectorize` function, which cannot be differentiated"
        remedy = (
            "write the loop over the leading axes in an `@njit` function, which calls a function of one row"
        )
        raise lowerer.refuse("BS117", message, node, remedy)
    if isinstance(thing, FunctionType) and _is_replaced(lowerer, thing):
        return _replaced(lowerer, thing, args, keywords, node)
    return inline(lowerer, thing, args, keywords, node)


def _with_arrays(lowerer: Lowerer, args: tuple[Operand, ...], node: ast.Call) -> tuple[Operand, ...]:
    """The arguments, with arrays for lists."""
    return tuple(as_array(lowerer, arg, node) if arg in lowerer.context.lists else arg for arg in args)


def _taken_apart(lowerer: Lowerer, found: Operand, like: Any, node: ast.Call) -> Operand:
    """What Python returns, whose structure is declared, as a tuple of known length."""
    if not isinstance(like, tuple):
        return found
    items = (lowerer.apply(operator.getitem, (found, Const(k)), node) for k in range(len(like)))
    return lowerer.make_tuple(
        tuple(_taken_apart(lowerer, item, each, node) for item, each in zip(items, like, strict=True)), node
    )


def typed_list(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `typed.List(items)` and `typed.List.empty_list(float64)`, which stand for lists."""
    if getattr(thing, "__name__", "") != "empty_list":
        return call(lowerer, Const(list), args, keywords, node)
    kind = args[0] if len(args) == 1 and not keywords else None
    if not isinstance(kind, Const) or kind.value is not np.float64:
        message = (
            "a typed list is made for items other than float64, to which Numba converts what is appended"
        )
        raise lowerer.refuse("BS112", message, node, "write [], and append numbers of one type")
    return lowerer.make_tuple((), node, as_list=True)


def _is_replaced(lowerer: Lowerer, function: FunctionType) -> bool:
    """Whether a call means what an `@overload` puts in the function's place.

    In compiled code it does; in a plain function, only if the text of the function itself cannot be read.
    """
    if not is_overloaded(function) or is_itself(function):
        return False
    return _is_compiled(lowerer) or not has_text(function)


def _refused_ufunc(lowerer: Lowerer, node: ast.Call) -> Operand:
    """Refuse a call of a `@vectorize` function whose text cannot be lowered in its place."""
    message = f"`{ast.unparse(node.func)}` is a `@vectorize` function, and cannot be differentiated for these arguments"
    raise lowerer.refuse(
        "BS117",
        message,
        node,
        "call it with one to four numbers or arrays, or more numbers, without keywords",
    )


def _replaced(
    lowerer: Lowerer, function: FunctionType, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower a call of what an `@overload` puts in a function's place."""
    found = expanded(lowerer, function, args, keywords, node, is_sure=True)
    if found is not None:
        return found
    own = None if _is_compiled(lowerer) or has_text(function) else with_text(function)
    if own is not None and lowerer.loc(node) not in lowerer.context.expansions.library.refused:
        return inline(
            lowerer, own, args, keywords, node
        )  # in Python, where Numba has nothing for these types
    called = ast.unparse(node.func)
    message = f"in compiled code `{called}` is what an `@overload` puts in its place, and not its own body"
    remedy = (
        f"call an `@njit` function that does what the `@overload` does, or give `{called}` a derivative rule"
    )
    raise lowerer.refuse("BS166", message, node, remedy)


def method(
    lowerer: Lowerer,
    base: Operand,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    """Lower `base.name(...)` on an array or number to the NumPy function with the same meaning."""
    if local_type(lowerer.context, base) == RANDOM:
        function = getattr(np.random.Generator, name, None)
        if (meaning := meaning_of(function)) is not None:
            return call(lowerer, Const(meaning), (base, *args), keywords, node)
        if function in DRAWS:
            return primitive(lowerer, function, (base, *args), keywords, node)
        message = f"the method `{name}` of a generator cannot be differentiated"
        remedy = "draw numbers of a distribution, as in rng.standard_normal(n), or draw before the call"
        raise lowerer.refuse("BS109", message, node.func, remedy)
    if isinstance(base, Value) and (own := own_method(lowerer, base, name)) is not None:
        given = args if is_static_method(lowerer, base, name) else (base, *args)
        return inline(lowerer, own, given, keywords, node)
    if lowerer.context.is_list(base) and (name in CHANGES or base in lowerer.context.growing):
        if name == "extend":
            args = tuple(items_of(lowerer, each, node) for each in args)
        for each in args:
            note_list(lowerer, base, each, node)
        return change(lowerer, base, name, args, keywords, node)
    if name in CHANGES:
        changes_known(base)
    if name == "view" and (seen := view(lowerer, base, args, keywords, node)) is not None:
        return seen
    meaning = meaning_of(getattr(np.ndarray, name, None))
    of_number = meaning_of(getattr(np.generic, name, None))
    if of_number is not None and isinstance(local_type(lowerer.context, base), Scalar):
        return call(lowerer, Const(of_number), (base, *args), keywords, node)
    is_plain = len(args) + len(keywords) == PLAIN.get(name)
    if meaning is not None and not is_plain and isinstance(asked_type(lowerer, base, node), Array):
        return call(lowerer, Const(meaning), (base, *args), keywords, node)
    match name:
        case "reshape" | "transpose" if len(args) > 1:
            shaped = (base, lowerer.make_tuple(args, node))
            return library_call(lowerer, METHODS[name], shaped, keywords, node)
        case "transpose" if args and isinstance(args[0], Const) and isinstance(args[0].value, int):
            return library_call(lowerer, np.transpose, (base, Const((args[0].value,))), keywords, node)
        case "item" if args:
            pass
        case "index" | "count" if known_elements(lowerer.context, base) is not None:
            return _position_of(lowerer, base, name, args, node)
        case "_asdict" if not args and base in lowerer.context.fields:
            names, parts = lowerer.context.fields[base], lowerer.context.elements[base]
            return Const(dict(zip(names, parts, strict=True)))
        case "_replace":
            return replaced(lowerer, base, keywords, node)
        case _ if name in METHODS and meaning_of(METHODS[name]) is not None:
            return call(lowerer, Const(METHODS[name]), (base, *args), keywords, node)
        case _ if name in METHODS:
            return library_call(lowerer, METHODS[name], (base, *args), keywords, node)
        case _:
            pass
    added = added_member(lowerer, base, name, (args, keywords), node)
    if added is not None:
        return added
    if name in ("append", "extend", "insert"):
        message = f"`.{name}` is called of something that is no list on every path"
        remedy = "begin with an empty list, items = [], and ask len(items) == 0 where it may be missing"
        raise lowerer.refuse("BS109", message, node.func, remedy)
    message = f"the method `{name}` cannot be differentiated"
    raise lowerer.refuse("BS109", message, node.func, "use a NumPy function, an index or a loop")


def added_member(
    lowerer: Lowerer,
    base: Operand,
    name: str,
    called: tuple[tuple[Operand, ...], Keywords] | None,
    node: ast.expr,
) -> Operand | None:
    """The operand for an attribute, or a method that is `called`, which a package gives to a type of Numba's; None for others."""
    added = member(name, is_method=called is not None) if _is_compiled(lowerer) else None
    if added is None:
        return None
    args, keywords = called or ((), {})
    return expanded(lowerer, added, (base, *args), keywords, node, is_sure=True)


def _is_compiled(lowerer: Lowerer) -> bool:
    """Whether the function that is lowered is an `@njit` function, for which Numba knows more than Python."""
    return lowerer.frame.source is not None and lowerer.frame.source.jitted


def _position_of(
    lowerer: Lowerer, base: Operand, name: str, args: tuple[Operand, ...], node: ast.Call
) -> Operand:
    """Evaluate `items.index(x)` or `items.count(x)` while compiling; of a tuple, refuse operands that are not constants."""
    parts = known_elements(lowerer.context, base) or ()
    values = [part.value for part in (*parts, *args) if isinstance(part, Const)]
    if len(args) != 1 or len(values) != len(parts) + 1:
        if lowerer.context.is_list(base):
            return change(lowerer, base, name, args, {}, node)
        message = f"`.{name}` looks for a value that is known only when the program runs"
        raise lowerer.refuse("BS109", message, node, "compare with each item in a loop")
    *items, wanted = values
    if name == "index" and wanted not in items:
        raise lowerer.refuse("BS110", f"{wanted!r} is not in the tuple", node, "check the items")
    return Const(items.index(wanted) if name == "index" else items.count(wanted))


def _parallel_range(
    lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `prange(...)`: a range whose loop may run on all cores, unless Numba compiles the function for one."""
    source = lowerer.frame.source
    return make_range(lowerer, args, keywords, node, parallel=source is None or source.parallel)


def _special(thing: object) -> Special | None:
    """The function that lowers a builtin with special lowering; None for any other object."""
    if is_range(thing):
        return make_range if thing is range else _parallel_range
    if is_literal_request(thing):
        return lambda _lowerer, args, _keywords, _node: args[0]
    try:
        return SPECIAL.get(thing)
    except TypeError:
        return None
