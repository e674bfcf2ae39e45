"""Lists outside of the function whose items the run chooses: constant tables, which nothing in the program can change."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

import numpy as np

from backsweep.ir.nodes import Const

NUMBERS = (bool, int, float, complex, np.number, np.bool_)


def table(items: Sequence[Any], node: ast.AST) -> Const | None:
    """What stands for a list of numbers, or of rows of one length: an array or a tuple. None for any other list.

    The node is what the list is read as; its name becomes the array's. Rows become tuples, to which nothing is stored: the program
    has a copy of the list, and the user's would stay as it is.

    Examples:
    >>> table([0.5, 2], ast.Name("rates"))
    Const(value=array([0.5, 2. ]), name='rates')
    >>> table([[0, 1.5], (1.5, 3)], ast.Name("ranges")).value
    ((0.0, 1.5), (1.5, 3.0))
    >>> table([[0.5], [1.5, 2.0]], ast.Name("rows")) is None
    True
    """
    found = _alike(items)
    if not found:
        return None
    if not isinstance(found[0], NUMBERS):
        return Const(tuple(found))
    return Const(np.array(found), getattr(node, "id", getattr(node, "attr", "")))


def _alike(items: Sequence[Any]) -> list[Any] | None:
    """The items as values of one type; None if there is none."""
    if all(isinstance(item, NUMBERS) for item in items):
        kinds = {kind for kind in (bool, int, float, complex) for item in items if _is(item, kind)}
        if len(kinds) > 1 and bool in kinds:
            return None
        kind = next((kind for kind in (complex, float, int, bool) if kind in kinds), None)
        return None if kind is None else [kind(item) for item in items]
    if not all(isinstance(item, list | tuple) for item in items) or len(set(map(len, items))) > 1:
        return None
    columns = [_alike(column) for column in zip(*items, strict=True)]
    if not columns or any(column is None for column in columns):
        return None
    return list(zip(*columns, strict=True))


def _is(item: object, kind: type) -> bool:
    """Whether the number is one of Python's or NumPy's of this kind; whole numbers fit into 64 bits."""
    if kind is int:
        return np.asarray(item).dtype.kind == "i"
    return np.asarray(item).dtype.char == {bool: "?", float: "d", complex: "D"}[kind]
