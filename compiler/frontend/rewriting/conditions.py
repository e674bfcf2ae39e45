"""What tests, before it happens, whether a subscript, a method of a container, or a function of Python's or of a library raises."""

from __future__ import annotations

import ast
import builtins
import cmath
import copy
import math
import operator
from collections.abc import Callable

import numpy as np
import scipy.linalg

from backsweep.frontend.rewriting.syntax import loaded, meant, names
from backsweep.prelude.containers import lookups
from backsweep.prelude.python import domains
from backsweep.reading.origins import constant
from backsweep.runtime.linalg import is_not_positive_definite, is_singular

Tests = list[tuple[ast.expr, type[BaseException]]]
"""What makes a part of a text raise, and which exception that is."""
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
OPERATORS: dict[object, ast.operator] = {
    divmod: ast.FloorDiv(),
    pow: ast.Pow(),
    operator.pow: ast.Pow(),
    operator.truediv: ast.Div(),
    operator.floordiv: ast.FloorDiv(),
    operator.mod: ast.Mod(),
}
"""Functions that raise what an operator does."""
DOMAINS: dict[object, Tests] = {}
"""Functions of Python's that raise, each with the tests of its arguments, which are `x` and `y` in them."""


def _raises(exception: type[BaseException], test: str, *functions: str) -> None:
    for name in functions:
        module, _, own = name.rpartition(".")
        function = getattr({"": builtins, "math": math, "cmath": cmath}[module], own, None)
        if function is not None:  # Python 3.10 lacks some
            DOMAINS.setdefault(function, []).append((ast.parse(test, mode="eval").body, exception))


_raises(ValueError, "x < 0.0", "math.sqrt")
_raises(ValueError, "x <= 0.0", "math.log", "math.log2", "math.log10")
_raises(ValueError, "y <= 0.0", "math.log")
_raises(ZeroDivisionError, "y == 1.0", "math.log")
_raises(ValueError, "x <= -1.0", "math.log1p")
_raises(ValueError, "x < 1.0", "math.acosh")
_raises(ValueError, "abs(x) > 1.0", "math.acos", "math.asin")
_raises(ValueError, "abs(x) >= 1.0", "math.atanh")
_raises(ValueError, "abs(x) == inf", "math.sin", "math.cos", "math.tan")
_raises(ValueError, "x == 0.0", "cmath.log", "cmath.log10")
_raises(ValueError, "is_pole(x) or x == -inf", "math.gamma")
_raises(ValueError, "is_pole(x)", "math.lgamma")
_raises(ValueError, "is_never_left(x, y)", "math.fmod")
_raises(ValueError, "has_no_power(x, y)", "math.pow")
_raises(ValueError, "x < 0", "math.factorial", "math.comb", "math.perm")
_raises(ValueError, "y < 0", "math.comb", "math.perm")
_raises(ValueError, "is_no_integer(x)", "int", "round", "math.floor", "math.ceil", "math.trunc")
_raises(ValueError, "is_no_float(x)", "float")
_raises(OverflowError, "is_infinite(x)", "int", "round", "math.floor", "math.ceil", "math.trunc")
_raises(OverflowError, "709.782712893384 < x < inf", "math.exp", "math.expm1")
_raises(OverflowError, "1024.0 <= x < inf", "math.exp2")
_raises(OverflowError, "710.4758600739439 < abs(x) < inf", "math.cosh", "math.sinh")
_raises(OverflowError, "171.6243769563027 < x < inf", "math.gamma")
_raises(OverflowError, "2.55634e305 < x < inf", "math.lgamma")
_raises(OverflowError, "power_overflows(x, y)", "math.pow")
_raises(OverflowError, "is_scaled_too_far(x, y)", "math.ldexp")
KNOWN = {**vars(builtins), "inf": math.inf, **vars(domains)}
"""What the other names in these tests mean."""


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


def tests_of_domain(function: object, node: ast.Call) -> Tests:
    """The tests of what one of these functions is given; `round` to digits, and `int` of digits, raise nothing that is tested for."""
    if len(node.args) > 1 and function in (round, int):
        return []
    given = dict(zip("xy", node.args, strict=False))
    return [
        (meant(test, given, KNOWN.get, node), exception)
        for test, exception in DOMAINS[function]
        if names(test) & {"x", "y"} <= given.keys()
    ]


def tests_of_lookup(node: ast.AST) -> Tests:
    """The tests of a subscript, or of a method of a container, that may find nothing."""
    match node:
        case ast.Subscript(value=thing, slice=index, ctx=context):
            outside = [
                _asked(lookups.is_outside, thing, constant(axis), place) for axis, place in _places(index)
            ]
            found: Tests = [(_any(outside), IndexError)] if outside else []
            if isinstance(context, ast.Store) or any(isinstance(part, ast.Slice) for part in ast.walk(index)):
                return found  # what is assigned needs no key, and no key is a slice
            method = lookups.DELETED if isinstance(context, ast.Del) else lookups.ITEM
            return [(_asked(lookups.raises_key_error, thing, constant(method), index), KeyError), *found]
        case ast.Call(func=ast.Attribute(value=thing, attr=method), args=args, keywords=[]) if (
            method in LOOKING
        ):
            return [(_asked(test, thing, constant(method), *args), exception) for test, exception in LOOKUPS]
        case ast.Attribute(value=thing, attr=name, ctx=ast.Load() | ast.Store() as context):
            test = lookups.lacks if isinstance(context, ast.Load) else lookups.is_without
            return [(_asked(test, thing, constant(name)), AttributeError)]
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
