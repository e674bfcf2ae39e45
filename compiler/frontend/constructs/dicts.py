"""Dicts whose keys are known while compiling: displays, arguments, and what they are asked for.

Such a dict exists while compiling only, as a constant whose values are operands. As an argument it is a namedtuple with a field
for each key, because Numba knows namedtuples.
"""

from __future__ import annotations

import ast
import functools
import keyword
from collections import namedtuple
from typing import Any

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.names import wrap

#: The attribute of such a namedtuple class that holds the keys.
KEYS = "backsweep_keys"
LOOKUPS = ("get", "items", "keys", "values", "copy")
"""The methods that change nothing."""


@functools.lru_cache(maxsize=256)
def record_of_keys(keys: tuple[str, ...]) -> Any:
    """The namedtuple class that represents a dict with these keys, in this order."""
    plain = all(key.isidentifier() and not keyword.iskeyword(key) and key[0] != "_" for key in keys)
    fields = keys if plain else [f"item_{k}" for k in range(len(keys))]
    record = namedtuple("Items", fields, module="backsweep.records")  # type: ignore[misc]  # noqa: PYI024  its fields are known at run time only
    setattr(record, KEYS, keys)
    return record


def keys_of(record: object) -> tuple[str, ...] | None:
    """The keys of the dict that a namedtuple class represents; None for any other object."""
    found = getattr(record, KEYS, None)
    return found if isinstance(found, tuple) else None


def display(lowerer: Lowerer, node: ast.Dict) -> Operand:
    """Lower `{"a": x, **others}`; the keys must be known."""
    items: dict[Any, Operand] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        operand = lowerer.lower(value)
        if key is None:
            if not isinstance(operand, Const) or not isinstance(operand.value, dict):
                message = "`**` needs a dict whose keys are known before the program runs"
                raise lowerer.refuse("BS108", message, value, "write the keys out")
            items |= {name: wrap(thing) for name, thing in operand.value.items()}
            continue
        known = lowerer.lower(key)
        if not isinstance(known, Const) or not isinstance(known.value, str | int | bool | tuple):
            message = f"the key `{ast.unparse(key)}` of a dict is known only when the program runs"
            raise lowerer.refuse("BS102", message, key, "use an array, with numbers for keys")
        items[known.value] = operand
    return Const(items)


def union(left: Operand, right: Operand) -> Operand | None:
    """The items of two dicts, `d | e`; None where one of the operands is no dict."""
    items: dict[Any, Operand] = {}
    for operand in (left, right):
        if not isinstance(operand, Const) or not isinstance(operand.value, dict):
            return None
        items |= {name: wrap(thing) for name, thing in operand.value.items()}
    return Const(items)


def lookup(lowerer: Lowerer, base: Const, name: str, args: tuple[Operand, ...], node: ast.Call) -> Operand:
    """Lower a method of a dict that changes nothing: `get`, `items`, `keys`, `values`, `copy`."""
    things = {key: wrap(value) for key, value in base.value.items()}
    match name, args:
        case "get", (Const(value=key), *default) if len(default) <= 1:
            return things.get(key, default[0] if default else Const(None))
        case "items", ():
            pairs = (lowerer.make_tuple((wrap(key), value), node) for key, value in things.items())
            return lowerer.make_tuple(tuple(pairs), node)
        case "keys", ():
            return Const(tuple(things))
        case "values", ():
            return lowerer.make_tuple(tuple(things.values()), node)
        case "copy", ():
            return Const(dict(things))
        case _:
            message = f"`{ast.unparse(node)}` needs a key that is known before the program runs"
            raise lowerer.refuse("BS110", message, node, "use an array, with numbers for keys")
