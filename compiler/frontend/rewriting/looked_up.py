"""What tests, before it happens, whether a subscript or a method of a container raises."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable

import numpy as np

from backsweep.prelude.containers import lookups
from backsweep.reading.origins import constant

LOOKUPS: tuple[tuple[Callable[..., bool], type[BaseException]], ...] = (
    (lookups.raises_key_error, KeyError),
    (lookups.raises_index_error, IndexError),
    (lookups.raises_value_error, ValueError),
)
"""What asks whether a subscript or a method of a container raises, and what it raises."""
LOOKING = frozenset({"pop", "popleft", "popitem", "remove", "index"})
"""The methods of containers that raise if there is no such item."""
CHANGING = {"fill", "partition", "put", "resize", "setfield", "setflags", "sort"}
"""The methods of arrays that change them."""
PURE = (frozenset(dir(np.ndarray)) - CHANGING) | {"count", "get", "index", "items", "keys", "values"}
"""The methods that leave everything as it is."""


def tests_of_lookup(node: ast.AST) -> list[tuple[ast.expr, type[BaseException]]]:
    """The tests of a subscript, or of a method of a container, that may find nothing."""
    match node:
        case ast.Subscript(value=thing, slice=index, ctx=context):
            outside = [
                _asked(lookups.is_outside, thing, constant(axis), place) for axis, place in _places(index)
            ]
            found: list[tuple[ast.expr, type[BaseException]]] = (
                [(_any(outside), IndexError)] if outside else []
            )
            if isinstance(context, ast.Store) or isinstance(index, ast.Slice):
                return found
            method = lookups.DELETED if isinstance(context, ast.Del) else lookups.ITEM
            return [(_asked(lookups.raises_key_error, thing, constant(method), index), KeyError), *found]
        case ast.Call(func=ast.Attribute(value=thing, attr=method), args=args, keywords=[]) if (
            method in LOOKING
        ):
            return [(_asked(test, thing, constant(method), *args), exception) for test, exception in LOOKUPS]
        case _:
            return []


def _asked(test: Callable[..., bool], thing: ast.expr, *args: ast.expr) -> ast.expr:
    """The call of a test of a container."""
    return ast.Call(constant(test), [loaded(thing), *copy.deepcopy(args)], [])


def _places(index: ast.expr) -> list[tuple[int, ast.expr]]:
    """The subscripts that are no slices, each with the number of its axis, which counts from the last one behind `...`."""
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    items = [each for each in items if not (isinstance(each, ast.Constant) and each.value is None)]
    rest = next(
        (k for k, each in enumerate(items) if isinstance(each, ast.Constant) and each.value is ...),
        len(items),
    )
    axes = [*range(rest), *range(rest + 1 - len(items), 0)]
    items = items[:rest] + items[rest + 1 :]
    return [(axis, each) for axis, each in zip(axes, items, strict=False) if not isinstance(each, ast.Slice)]


def _any(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)


def names(node: ast.AST) -> set[str]:
    """The variables that a piece of syntax reads or assigns."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def loaded(target: ast.expr) -> ast.expr:
    """A copy of an expression that may be a target, as one that is read."""
    read = copy.deepcopy(target)
    if isinstance(read, ast.Name | ast.Subscript | ast.Attribute):
        read.ctx = ast.Load()
    return read
