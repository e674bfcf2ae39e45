"""Jacobians, Hessians and Hessian-vector products, each a few lines over one `Transformed` object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from backsweep import requests
from backsweep.api import Names, chosen, grad, options_of, python_of, transform, transformed_for
from backsweep.boundary import public
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.pushforward import check_moved, check_tuples, pushed_forward
from backsweep.sparse import sparse_hessian, sparse_jacobian
from backsweep.transformed import Transformed

Function = Callable[..., Any]
Positions = int | Sequence[int] | None


@public
def hvp(
    f: Function,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Product:
    """The product of the Hessian of a function that returns a float with a direction of its arguments.

    Arguments:
        f: as for `grad`.
        argnums: position or positions of the arguments that the Hessian is of; the first unless given.
        wrt: the same by name; give one or the other.
        has_aux: `f` returns a pair (value, aux), and the product returns (product, aux).
        options: as for `grad`.

    Returns:
        A function `product(primals, tangents)` of a tuple of all arguments and a tuple of a tangent for
        each argument that the Hessian is of. It returns what `grad` would, the structure of the arguments;
        `product.source(*primals)` is the code that it runs. It is called from Python; in compiled code and inside of what is
        differentiated, the gradient of `np.sum(bs.grad(f)(x) * direction)` by `x` is the same product.

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
    gradient = grad(f, argnums, wrt=wrt, has_aux=has_aux, **options)
    names, _ = chosen(gradient, argnums, wrt)
    check_moved(python_of(gradient), names)
    moved = transformed_for("hvp", gradient, names, False, options_of(gradient, {}), has_aux=has_aux)
    return Product(moved)


class Product:
    """What `hvp` returns: call it with primals and tangents, or look at its `source`."""

    only_from_python = (
        "what `bs.hvp` returns is called from Python only",
        "take the gradient of np.sum(bs.grad(f)(x) * direction) by x: it is the same product",
    )
    """Why it cannot be called inside of what is differentiated, and what to write there instead."""

    def __init__(self, moved: Transformed) -> None:
        self._moved = moved

    def __call__(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
        """The product of the Hessian at the primals with the tangents."""
        check_tuples(primals, tangents)
        return pushed_forward(self._moved, primals, tangents)

    def source(self, *args_or_types: Any, optimize: str = "loops") -> str:
        """The emitted tangent of the gradient for these arguments of the function, as of any transformed function."""
        return self._moved.source(*args_or_types, optimize=optimize)


@public
def jacfwd(
    f: Function,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The Jacobian by forward mode: a tangent for each entry of an argument, in a loop of the emitted function.

    Arguments, results and errors are those of `jacobian`; the arguments differentiated by are numbers or arrays, the
    result may be a tuple of these.

    >>> import numpy as np, backsweep as bs
    >>> def scaled(x, s):
    ...     return x * s
    >>> bs.jacfwd(scaled, 1)(np.array([1.0, 2.0]), 3.0)
    array([1., 2.])
    """
    return transform("jacfwd", f, argnums, wrt, has_aux=has_aux, options=options)


@public
def jacrev(
    f: Function,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The Jacobian by reverse mode: one forward sweep, and a reverse sweep for each entry of the result.

    Arguments, results and errors are those of `jacobian`; the result is a number, an array or a tuple of numbers, the
    arguments may have any structure.

    >>> import numpy as np, backsweep as bs
    >>> def pair(x):
    ...     return np.array([x[0] * x[1], x[2]])
    >>> bs.jacrev(pair)(np.array([2.0, 3.0, 4.0]))
    array([[3., 2., 0.],
           [0., 0., 1.]])
    """
    return transform("jacrev", f, argnums, wrt, has_aux=has_aux, options=options)


@public
def jacobian(
    f: Function,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    sparse: bool = False,
    sparsity: Any = None,
    **options: Any,
) -> Any:
    """The Jacobian of a function that returns a float or an array of floats, by the mode that takes fewer sweeps.

    Arguments:
        f: as for `grad`, with a float, a float array or a tuple of floats as its result.
        argnums: position or positions of the arguments; the first unless given.
        wrt: the same by name; give one or the other. A variable of the function may be named where the result is a
            float.
        has_aux: `f` returns a pair (value, aux), and `(Jacobian, aux)` is returned; not with a sparse one.
        sparse: return a `scipy.sparse.csr_matrix` with a row for each entry of the result and a column for each of
            the argument, numbers or arrays both. Its pattern is found in each call (`bs.sparsity`), and columns, or
            rows, which share no entry are told apart by one tangent, or pullback.
        sparsity: the pattern, if it is known: a sparse matrix or an array of bools, for several arguments a tuple
            of these or one with all columns. It is checked in each call.
        options: as for `grad`.

    Returns:
        A function with `f`'s signature. For a result of shape S and an argument of shape T it returns an
        array of shape S + T (a float if both are numbers) of the argument's dtype; for several positions or names a
        tuple of them, of names a namedtuple. A tuple as the result gives a tuple of the items' derivatives; one as
        the argument gives derivatives of its structure.

    Raises:
        As `grad`; and ArgumentError for complex numbers, where both the result and an argument are tuples with
        arrays, for a pattern that lacks entries, and for a sparse one of a function with hooks.

    Like a gradient it may be called from compiled code, transformed again and pickled. Where both modes may be the
    shorter, the sizes decide in each call; a function with hooks or a pullback of its own has reverse mode only.

    >>> import numpy as np, backsweep as bs
    >>> def squares(x):
    ...     return x * x
    >>> bs.jacobian(squares)(np.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]])
    >>> bs.jacobian(squares, sparse=True)(np.array([1.0, 2.0])).nnz
    2
    """
    if requests.flag("sparse", sparse) or sparsity is not None:
        _refuse_aux(has_aux)
        return sparse_jacobian(f, argnums, wrt, sparsity, options)
    return transform("jacobian", f, argnums, wrt, has_aux=has_aux, options=options)


@public
def hessian(
    f: Function,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    sparse: bool = False,
    sparsity: Any = None,
    **options: Any,
) -> Any:
    """The Hessian of a function that returns a float: the emitted gradient's tangent for each entry, in a loop.

    Arguments:
        f: as for `grad`.
        argnums: position or positions of arguments that are floats, float arrays or tuples of floats; the first
            unless given.
        wrt: the same by name; give one or the other.
        has_aux: as for `jacobian`.
        sparse: as for `jacobian`; the Hessian's symmetry saves tangents.
        sparsity: as for `jacobian`.
        options: as for `grad`.

    Returns:
        A function with `f`'s signature. For an argument of shape S it returns an array of shape S + S; for
        several positions or names a tuple of tuples: `found[i][j]` has the shape of argument i, then that of j.

    Raises:
        As `grad` and `jacobian`.

    Each tangent is kept as a row, where the function has no hook, pullback or rule of the user's: its Hessian is symmetric,
    but for points at which it has no second derivative. With one of these it is the Jacobian of the gradient, by columns.

    >>> import numpy as np, backsweep as bs
    >>> def cost(x):
    ...     return x[0] * x[0] * x[1]
    >>> bs.hessian(cost)(np.array([3.0, 2.0]))
    array([[4., 6.],
           [6., 0.]])
    """
    gradient = grad(f, argnums, wrt=wrt, has_aux=has_aux, **options)
    if requests.flag("sparse", sparse) or sparsity is not None:
        _refuse_aux(has_aux)
        return sparse_hessian(gradient, argnums, wrt, sparsity)
    return transform("hessian", gradient, argnums, wrt, has_aux=has_aux, options={})


def _refuse_aux(has_aux: bool) -> None:
    """Raise ArgumentError for an aux beside a sparse matrix, which is put together from many runs."""
    if has_aux:
        message = "has_aux and a sparse matrix are asked for together"
        remedy = "leave has_aux out, and call the function for its aux."
        raise ArgumentError(Problem("BS405", message, remedy=remedy))
