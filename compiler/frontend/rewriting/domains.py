"""The domains of library functions that raise outside of them, as tests of their arguments."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

import numpy as np
import scipy.linalg

from backsweep.runtime.linalg import is_not_positive_definite, is_singular

FACTORISED = {
    np.linalg.cholesky: is_not_positive_definite,
    scipy.linalg.cholesky: is_not_positive_definite,
    scipy.linalg.cho_factor: is_not_positive_definite,
    np.linalg.inv: is_singular,
    np.linalg.solve: is_singular,
    scipy.linalg.inv: is_singular,
    scipy.linalg.solve: is_singular,
}
"""Functions that raise LinAlgError, each with the test of its first argument."""
UPPER = (scipy.linalg.cholesky, scipy.linalg.cho_factor)
"""Those that read the upper triangle, unless `lower=True` is written; the test reads the lower one."""
DOMAINS: dict[object, Callable[[ast.expr], ast.expr]] = {}
"""Functions of `math`, each with the test of an argument outside its domain."""


def _domain(operator: ast.cmpop, bound: float, *functions: object, size: bool = False) -> None:
    def test(argument: ast.expr) -> ast.expr:
        tested = ast.Call(ast.Name("abs", ast.Load()), [argument], []) if size else argument
        return ast.Compare(tested, [operator], [ast.Constant(bound)])

    DOMAINS.update(dict.fromkeys(functions, test))


_domain(ast.Lt(), 0.0, math.sqrt)
_domain(ast.LtE(), 0.0, math.log, math.log2, math.log10)
_domain(ast.LtE(), -1.0, math.log1p)
_domain(ast.Lt(), 1.0, math.acosh)
_domain(ast.Gt(), 1.0, math.acos, math.asin, size=True)
_domain(ast.GtE(), 1.0, math.atanh, size=True)


class RefusedError(Exception):
    """A `try` that cannot be written as branches: a message, the place, and what to write instead."""

    def __init__(self, message: str, place: ast.AST, remedy: str) -> None:
        super().__init__(message)
        self.why = (message, place, remedy)


def is_true(call: ast.Call, name: str) -> bool:
    """Whether an argument is written by its name, as True, or behind the matrix."""
    named = next((each.value for each in call.keywords if each.arg == name), None)
    found = call.args[1] if named is None and len(call.args) > 1 else named
    if found is not None and not isinstance(found, ast.Constant):
        message = f"`{name}=` decides which triangle is tested, and is known only when the program runs"
        raise RefusedError(message, call, f"write {name}=True or {name}=False")
    return found is not None and bool(found.value)
