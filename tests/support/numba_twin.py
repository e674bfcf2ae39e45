"""A function compiled by Numba together with the plain functions it calls, which Numba would refuse."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numba
from numba.core.dispatcher import Dispatcher


def njit_twin(function: Callable[..., Any], seen: dict[int, Any] | None = None) -> Any:
    """`function` compiled; plain Python functions among its globals and closure cells are compiled too."""
    seen = {} if seen is None else seen
    if isinstance(function, Dispatcher):
        return function
    if not isinstance(function, types.FunctionType):
        raise TypeError(f"{function!r} is not a Python function")
    if id(function) in seen:
        return seen[id(function)]
    scope = dict(function.__globals__)
    cells = tuple(types.CellType() for _ in function.__closure__ or ())
    code = function.__code__
    copied = types.FunctionType(code, scope, function.__name__, function.__defaults__, cells or None)
    copied.__kwdefaults__ = function.__kwdefaults__
    copied.__module__ = function.__module__
    seen[id(function)] = compiled = numba.njit(copied)

    def twin(value: Any) -> Any:
        return njit_twin(value, seen) if isinstance(value, types.FunctionType) else value

    for name in _names(code) & scope.keys():
        scope[name] = twin(scope[name])
    for cell, original in zip(cells, function.__closure__ or (), strict=True):
        cell.cell_contents = twin(original.cell_contents)
    return compiled


def _names(code: types.CodeType) -> set[str]:
    """The global names that the code and the functions inside it read."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found
