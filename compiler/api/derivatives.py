"""Jacobians, Hessians and Hessian-vector products. Each is a few lines that make one `Transformed` object."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack, cast, overload

from backsweep import requests
from backsweep.api.gradients import grad, transform, transformed_for
from backsweep.api.sparse import sparse_hessian, sparse_jacobian
from backsweep.api.typed import CompileOptions, Derivative, P, options_shown
from backsweep.boundary import public
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.specialise.asked import Names, chosen, options_of, python_of
from backsweep.specialise.pushforward import check_moved, check_tuples, pushed_forward
from backsweep.specialise.transformed import Transformed
from backsweep.tracebacks import hide, hiding

Function = Callable[..., Any]
Positions = int | Sequence[int] | None


@overload
def hvp(
    f: Function,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Unpack[CompileOptions],
) -> Product: ...
@overload
def hvp(
    f: Function,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    argnums: Positions = None,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Unpack[CompileOptions],
) -> Any: ...
@options_shown
@hiding
def hvp(
    f: Function,
    *given: Any,
    argnums: Positions = None,
    primals: tuple[Any, ...] | None = None,
    tangents: tuple[Any, ...] | None = None,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The product of the Hessian of a function that returns a float with a direction of its arguments.

    Arguments:
        f: as for `grad`.
        given: `argnums`, or primals and tangents, without their names: `bs.hvp(f, primals, tangents)` is
            `bs.hvp(f)(primals, tangents)`.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to. The
            default is 0.
        primals: a tuple of all arguments. Without primals and tangents, `hvp` returns a function of them.
        tangents: a tuple with one tangent for each argument in `argnums` or `wrt`.
        wrt: names of arguments instead of positions; give one or the other.
        has_aux: True says that `f` returns a pair (value, aux); the product is then `(product, aux)`.
        options: as for `grad`.

    Returns:
        A function `product(primals, tangents)`; with primals and tangents, what it returns. `primals` is a tuple of
        all arguments; `tangents` is a tuple with one tangent for each argument in `argnums` or `wrt`, of its structure
        and shape. The result has the form of the gradient, as from `grad`. `product.source(*primals)` shows the code.

    Raises:
        As `grad` and `jvp`.

    The product is forward mode over the gradient: it costs a small multiple of the gradient, for any number of
    entries. It can be called from Python only. In compiled code, and in a function that is differentiated, use
    the gradient of `np.sum(bs.grad(f)(x) * direction)` with respect to `x`, which is the same product.

    Source: Pearlmutter, Fast exact multiplication by the Hessian (1994).

    >>> import backsweep as bs
    >>> def cost(x, y):
    ...     return x * x * y
    >>> bs.hvp(cost)((3.0, 2.0), (1.0,))
    4.0
    >>> bs.hvp(cost, (0, 1))((3.0, 2.0), (1.0, 0.0))
    (4.0, 6.0)
    >>> bs.hvp(cost, (3.0, 2.0), (1.0,))
    4.0
    """
    if len(given) == 1 and tangents is None and primals is None and argnums is None:
        (argnums,), given = given, ()
    product = _product(f, argnums, wrt=wrt, has_aux=has_aux, **options)
    if primals is None and tangents is None:
        return product(*given) if given else product
    return product(*given, *((tangents,) if given and primals is None else (primals, tangents)))


@public
def _product(
    f: Function, argnums: Positions, *, wrt: Names | None, has_aux: bool, **options: Unpack[CompileOptions]
) -> Product:
    """The function that multiplies with the Hessian."""
    _refuse_none(f)
    gradient = grad(f, argnums, wrt=wrt, has_aux=has_aux, **options)
    names, _ = chosen(gradient, argnums, wrt)
    check_moved(python_of(gradient), names)
    moved = transformed_for("hvp", gradient, names, False, options_of(gradient, {}), has_aux=has_aux)
    return Product(moved)


class Product:
    """What `hvp` returns: call it with primals and tangents, or show its code with `source`."""

    only_from_python = (
        "what `bs.hvp` returns can be called from Python only",
        "take the gradient of np.sum(bs.grad(f)(x) * direction) with respect to x: it is the same product",
    )
    """Why it cannot be called inside of what is differentiated, and what to write there instead."""

    def __init__(self, moved: Transformed) -> None:
        self.moved = moved

    def __call__(
        self,
        primals: tuple[Any, ...] | None = None,
        tangents: tuple[Any, ...] | None = None,
        *others: Any,
    ) -> Any:
        """The Hessian at the primals, multiplied by the tangents."""
        try:
            check_tuples(primals, tangents, *others)
            assert primals is not None
            assert tangents is not None
            return pushed_forward(self.moved, primals, tangents)
        except BaseException as error:
            hide(error)
            raise

    @property
    def python(self) -> Callable[..., Any]:
        """The plain function that it is of."""
        return self.moved.python

    def __repr__(self) -> str:
        return f"<backsweep hvp of {self.python.__name__}>"

    def source(self, *args_or_types: Any, optimize: str = "loops") -> str:
        """The emitted code for these arguments of the function (or Numba types): the tangent of the gradient."""
        return self.moved.source(*args_or_types, optimize=optimize)


@options_shown
@public
def jacfwd(
    f: Callable[P, Any],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Unpack[CompileOptions],
) -> Derivative[P, Any]:
    """The Jacobian by forward mode: one tangent for each entry of the arguments, in a loop of the emitted code.

    Arguments, results and errors are as for `jacobian`. The arguments to differentiate with respect to are numbers or
    arrays; the result is a number, an array, or a tuple of these.

    >>> import numpy as np, backsweep as bs
    >>> def scaled(x, s):
    ...     return x * s
    >>> bs.jacfwd(scaled, 1)(np.array([1.0, 2.0]), 3.0)
    array([1., 2.])
    """
    made: Any = transform("jacfwd", f, argnums, wrt, has_aux=has_aux, options={**options})
    return cast("Derivative[P, Any]", made)


@options_shown
@public
def jacrev(
    f: Callable[P, Any],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Unpack[CompileOptions],
) -> Derivative[P, Any]:
    """The Jacobian by reverse mode: one forward sweep, and one reverse sweep for each entry of the result.

    Arguments, results and errors are as for `jacobian`. The result is a number, an array, or a tuple of numbers; the
    arguments may have any structure that `grad` takes.

    >>> import numpy as np, backsweep as bs
    >>> def pair(x):
    ...     return np.array([x[0] * x[1], x[2]])
    >>> bs.jacrev(pair)(np.array([2.0, 3.0, 4.0]))
    array([[3., 2., 0.],
           [0., 0., 1.]])
    """
    made: Any = transform("jacrev", f, argnums, wrt, has_aux=has_aux, options={**options})
    return cast("Derivative[P, Any]", made)


@options_shown
@public
def jacobian(
    f: Callable[P, Any],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    sparse: bool = False,
    sparsity: Any = None,
    **options: Unpack[CompileOptions],
) -> Derivative[P, Any]:
    """The Jacobian of a function, by forward or reverse mode, whichever takes fewer sweeps.

    Arguments:
        f: as for `grad`, but the result may be a float, an array of floats, or a tuple of floats.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to. The
            default is 0.
        wrt: names instead of positions; give one or the other. If the result is a float, a name may be a variable
            of the function.
        has_aux: True says that `f` returns a pair (value, aux); the result is then `(Jacobian, aux)`. It cannot
            be combined with a sparse Jacobian.
        sparse: True returns a `scipy.sparse.csr_matrix` with a row for each entry of the result and a column for
            each entry of the argument. Result and argument are numbers or arrays. Each call finds the pattern
            first, as `bs.sparsity` does, and then computes several columns (or rows) by one sweep.
        sparsity: the pattern, if it is known: a sparse matrix or an array of bools. For several arguments give a
            tuple of patterns, or one pattern with the columns of all. Each call checks it.
        options: as for `grad`.

    Returns:
        A function with `f`'s signature. For a result of shape (m,) and an argument of shape (n, k) it returns an
        array of shape (m, n, k) with the argument's dtype; for two numbers, a float. For a tuple of positions it
        returns a tuple, for a tuple of names a namedtuple. If the result of `f` or the argument is a tuple, the
        derivatives are a tuple with as many items.

    Raises:
        As `grad`; and ArgumentError for complex numbers, if result and argument are both tuples that hold
        arrays, if a given pattern lacks entries, and for a sparse Jacobian of a function with hooks.

    The result can be called from compiled code, differentiated again and pickled. If the types of the arguments do
    not decide which mode takes fewer sweeps, each call decides by the sizes. A function with hooks or a
    `custom_vjp` has reverse mode only.

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
        found: Any = sparse_jacobian(f, argnums, wrt, sparsity, options)
        return cast("Derivative[P, Any]", found)
    made: Any = transform("jacobian", f, argnums, wrt, has_aux=has_aux, options={**options})
    return cast("Derivative[P, Any]", made)


@options_shown
@public
def hessian(
    f: Callable[P, Any],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    sparse: bool = False,
    sparsity: Any = None,
    **options: Unpack[CompileOptions],
) -> Derivative[P, Any]:
    """The Hessian of a function that returns a float: one tangent of the gradient for each entry, in a loop.

    Arguments:
        f: as for `grad`.
        argnums: the position, or a tuple of positions, of arguments that are floats, arrays of floats, or tuples
            of floats. The default is 0.
        wrt: names of arguments instead of positions; give one or the other.
        has_aux: as for `jacobian`.
        sparse: as for `jacobian`. The symmetry of the Hessian often saves tangents.
        sparsity: as for `jacobian`.
        options: as for `grad`.

    Returns:
        A function with `f`'s signature. For an argument of shape (n,) it returns an array of shape (n, n). For
        several positions or names it returns a tuple of tuples: for arguments of shapes (n,) and (k,),
        `found[0][1]` has shape (n, k).

    Raises:
        As `grad` and `jacobian`.

    A Hessian is symmetric, except at points where `f` has no second derivative. So each tangent is stored as a row,
    which is contiguous in memory. With a hook, a `custom_vjp` or a rule of your own the matrix need not be
    symmetric; it is then the Jacobian of the gradient, and each tangent is a column.

    >>> import numpy as np, backsweep as bs
    >>> def cost(x):
    ...     return x[0] * x[0] * x[1]
    >>> bs.hessian(cost)(np.array([3.0, 2.0]))
    array([[4., 6.],
           [6., 0.]])
    """
    _refuse_none(f)
    gradient = grad(f, argnums, wrt=wrt, has_aux=has_aux, **options)
    if requests.flag("sparse", sparse) or sparsity is not None:
        _refuse_aux(has_aux)
        found: Any = sparse_hessian(gradient, argnums, wrt, sparsity)
        return cast("Derivative[P, Any]", found)
    made: Any = transform("hessian", gradient, argnums, wrt, has_aux=has_aux, options={})
    return cast("Derivative[P, Any]", made)


def _refuse_none(f: object) -> None:
    """Refuse None in place of the function: of `grad` it makes a decorator, and of its derivatives nothing."""
    if f is None:
        python_of(f)  # type: ignore[arg-type]


def _refuse_aux(has_aux: bool) -> None:
    """Raise ArgumentError for `has_aux` with a sparse matrix: many runs of the function make it, each with its own aux."""
    if has_aux:
        message = "has_aux cannot be combined with a sparse matrix"
        remedy = "leave has_aux out, and call the function itself for aux."
        raise ArgumentError(Problem("BS405", message, remedy=remedy))
