"""Jacobians, Hessians and Hessian-vector products: `jvp` and `vjp` with many seeds in one compiled call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from backsweep.api import Names, chosen, grad, has_gradient, options_of, transformed_for
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.pullback import saved_for
from backsweep.pushforward import check_tuples, pushed_forward, ready
from backsweep.runtime import seeds
from backsweep.transformed import Transformed

Function = Callable[..., Any]
Positions = int | Sequence[int] | None
Part = Callable[[str, tuple[Any, ...], Mapping[str, Any]], Any]
"""The derivative with respect to one argument, by its name, at the arguments of a call."""


def hvp(f: Function, argnums: Positions = None, *, wrt: Names | None = None, **options: Any) -> Function:
    """The product of the Hessian of a function that returns a float with a direction of its arguments.

    Arguments:
        f: as for `grad`.
        argnums: position or positions of the arguments that the Hessian is of; the first unless given.
        wrt: the same by name; give one or the other.
        options: as for `grad`.

    Returns:
        A function `product(primals, tangents)` of a tuple of all arguments and a tuple of a tangent for
        each argument that the Hessian is of. It returns what `grad` would, the structure of the arguments.

    Raises:
        As `grad` and `jvp`.

    It is forward mode over the gradient: a small multiple of its cost, whatever the number of entries.

    >>> import backsweep as bs
    >>> def cost(x, y):
    ...     return x * x * y
    >>> bs.hvp(cost)((3.0, 2.0), (1.0,))
    4.0
    >>> bs.hvp(cost, (0, 1))((3.0, 2.0), (1.0, 0.0))
    (4.0, 6.0)
    """
    names, _ = chosen(f, argnums, wrt)
    gradient = grad(f, argnums, wrt=wrt, **options)
    moved = transformed_for("jvp", gradient, names, False, options_of(gradient, {}))

    def product(primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        check_tuples(primals, tangents)
        return pushed_forward(moved, primals, tangents)[1]

    return product


def jacfwd(f: Function, argnums: Positions = None, *, wrt: Names | None = None, **options: Any) -> Function:
    """The Jacobian by forward mode: a run of the tangent for each entry of an argument, in one compiled call.

    Arguments, results and errors are those of `jacobian`.

    >>> import numpy as np, backsweep as bs
    >>> def scaled(x, s):
    ...     return x * s
    >>> bs.jacfwd(scaled, 1)(np.array([1.0, 2.0]), 3.0)
    array([1., 2.])
    """
    return _assembled(f, argnums, wrt, _by_columns(f, options))


def jacrev(f: Function, argnums: Positions = None, *, wrt: Names | None = None, **options: Any) -> Function:
    """The Jacobian by reverse mode: one forward sweep, and a reverse sweep for each entry of the result.

    Arguments, results and errors are those of `jacobian`.

    >>> import numpy as np, backsweep as bs
    >>> def pair(x):
    ...     return np.array([x[0] * x[1], x[2]])
    >>> bs.jacrev(pair)(np.array([2.0, 3.0, 4.0]))
    array([[3., 2., 0.],
           [0., 0., 1.]])
    """
    return _assembled(f, argnums, wrt, _by_rows(f, options))


def jacobian(f: Function, argnums: Positions = None, *, wrt: Names | None = None, **options: Any) -> Function:
    """The Jacobian of a function that returns a float or an array of floats, by the mode that takes fewer sweeps.

    Arguments:
        f: as for `grad`, with a float or a float array as its result.
        argnums: position or positions of arguments that are floats or float arrays; the first unless given.
        wrt: the same by name; give one or the other.
        options: as for `grad`.

    Returns:
        A function with `f`'s signature. For a result of shape S and an argument of shape T it returns an
        array of shape S + T (a float if both are numbers); for several positions or names a tuple of them.

    Raises:
        As `grad`; and ArgumentError for a result or argument that is neither number nor array.

    >>> import numpy as np, backsweep as bs
    >>> def squares(x):
    ...     return x * x
    >>> bs.jacobian(squares)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    """
    forwards, backwards = _by_columns(f, options), _by_rows(f, options)

    def part(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        moved = transformed_for("jvp", f, (name,), False, options_of(f, options))
        run, values, given = ready(moved, args, kwargs)
        x = _checked(name, given[name])
        y, _ = run(*values, np.zeros_like(x) if np.ndim(x) else type(x)(0.0))
        return (forwards if np.size(x) <= np.size(y) else backwards)(name, args, kwargs)

    return _assembled(f, argnums, wrt, part)


def hessian(f: Function, argnums: Positions = None, *, wrt: Names | None = None, **options: Any) -> Function:
    """The Hessian of a function that returns a float: a Hessian-vector product for each entry, in one compiled call.

    Arguments:
        f: as for `grad`.
        argnums: position or positions of arguments that are floats or float arrays; the first unless given.
        wrt: the same by name; give one or the other.
        options: as for `grad`.

    Returns:
        A function with `f`'s signature. For an argument of shape S it returns an array of shape S + S; for
        several positions or names a tuple of tuples: `found[i][j]` has the shape of argument i, then that of j.

    Raises:
        As `grad`; and ArgumentError for an argument that is neither number nor array.

    >>> import numpy as np, backsweep as bs
    >>> def cost(x):
    ...     return x[0] * x[0] * x[1]
    >>> bs.hessian(cost)(np.array([3.0, 2.0]))
    array([[4., 6.],
           [6., 0.]])
    """
    names, single = chosen(f, argnums, wrt)
    parts = [jacfwd(grad(f, wrt=name, **options), wrt=name if single else names) for name in names]

    def found(*args: Any, **kwargs: Any) -> Any:
        blocks = tuple(part(*args, **kwargs) for part in parts)
        return blocks[0] if single else blocks

    return found


def _assembled(f: Function, argnums: Positions, wrt: Names | None, part: Part) -> Function:
    """A function that returns the derivatives with respect to the arguments asked for."""
    names, single = chosen(f, argnums, wrt)

    def found(*args: Any, **kwargs: Any) -> Any:
        parts = tuple(part(name, args, kwargs) for name in names)
        return parts[0] if single else parts

    return found


def _by_columns(f: Function, options: Mapping[str, Any]) -> Part:
    """The derivative with respect to one argument, from tangents."""

    def part(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        moved = transformed_for("jvp", f, (name,), False, options_of(f, dict(options)))
        run, values, given = ready(moved, args, kwargs)
        x = _checked(name, given[name])
        if not np.ndim(x) and not isinstance(x, np.ndarray):
            y, y_dot = run(*values, type(x)(1.0))
            _check_result(y, f)
            return y_dot
        y, _ = run(*values, np.zeros_like(x, order="C"))
        _check_result(y, f)
        if not isinstance(y, np.ndarray):
            return _called(moved, seeds.slopes)(run, values, x)
        return _called(moved, seeds.columns)(run, values, x).reshape(y.shape + x.shape)

    return part


def _by_rows(f: Function, options: Mapping[str, Any]) -> Part:
    """The derivative with respect to one argument, from a pullback."""

    def part(name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        pulled = transformed_for("vjp", f, (name,), True, options_of(f, dict(options)))
        y, saved, pull, given = saved_for(pulled, args, kwargs)
        x = _checked(name, given[name])
        _check_result(y, f)
        if not isinstance(y, np.ndarray):
            return pull(*saved, type(y)(1.0))
        if not isinstance(x, np.ndarray):
            return _called(pulled, seeds.entries)(pull, saved, y)
        return _called(pulled, seeds.rows)(pull, saved, y, x).reshape(y.shape + x.shape)

    return part


def _called(transformed: Transformed, driver: Any) -> Function:
    """The driver, compiled if what it calls is."""
    run: Function = driver if transformed.build.options.jit else driver.py_func
    return run


def _checked(name: str, x: Any) -> Any:
    """The argument, which must be a float or an array of floats."""
    if isinstance(x, tuple) or not has_gradient(x):
        message = f"a Jacobian is of numbers and arrays, and the argument `{name}` is a {type(x).__name__}"
        raise ArgumentError(
            Problem("BS412", message, remedy="pass floats or an array of floats, or use bs.jvp.")
        )
    return x


def _check_result(y: Any, f: Function) -> None:
    if isinstance(y, tuple) or not has_gradient(y):
        called = getattr(f, "__name__", repr(f))
        message = f"a Jacobian is of numbers and arrays, and `{called}` returns a {type(y).__name__}"
        raise ArgumentError(
            Problem("BS412", message, remedy="return a float or an array of floats, or use bs.vjp.")
        )
