"""The transformations (`grad`, `vjp`, `jvp`, ...). Each is a few lines that make one `Transformed` object."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Unpack, overload

from backsweep import requests
from backsweep.api.later import Later
from backsweep.api.typed import CompileOptions, Decorator, Derivative, P, Positions, R, options_shown
from backsweep.boundary import boundary, public
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.explanation.explanation import Explanation
from backsweep.frontend.constructs.checkpoints import checkpoint
from backsweep.reading.callables import as_function
from backsweep.requests import Options
from backsweep.specialise.arguments import has_gradient
from backsweep.specialise.asked import (
    Function,
    Hooks,
    Names,
    at_least_one,
    chosen,
    gradient_class,
    hooks_of,
    named,
    options_of,
    python_of,
    record_of,
    shown_name,
)
from backsweep.specialise.build import Build
from backsweep.specialise.collect import Collecting
from backsweep.specialise.pullback import forward_and_pullback
from backsweep.specialise.pushforward import check_moved, check_tuples, pushed_forward
from backsweep.specialise.remembered import remembered
from backsweep.specialise.transformed import Transformed
from backsweep.tracebacks import hide, hiding


@overload
def grad(
    f: Callable[P, R],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    **options: Unpack[CompileOptions],
) -> Derivative[P, Any]: ...
@overload
def grad(
    f: None = None,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    **options: Unpack[CompileOptions],
) -> Decorator[Any]: ...
@options_shown
@public
def grad(
    f: Function | None = None,
    argnums: int | Sequence[int] | None = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    **options: Any,
) -> Any:
    """The gradient of a function that returns a float.

    Arguments:
        f: a Python function, lambda, closure or `@njit` function whose source can be read. Without `f`, `grad`
            returns a decorator.
        argnums: the position, or a tuple of positions, of the arguments to differentiate with respect to. The
            default is 0, the first argument.
        wrt: names instead of positions; give one or the other. A name is an argument or a variable that the
            function assigns. The gradient with respect to a variable is its adjoint right after the assignment.
            If the assignment is inside loops, the gradient has one more axis per loop: for `u` of shape (2,)
            within loops of 3 and 4 iterations it has shape (3, 4, 2), and it is zero for iterations that skip
            the assignment. `"u@14"` is the assignment in line 14; `"cell.u"` is the variable `u` of `cell`, a
            function that `f` calls; `"params.rate"` is the field or item `rate` of the argument `params`.
        has_aux: True says that `f` returns a pair (value, aux); the gradient then returns `(gradient, aux)`.
        hooks: a dictionary from names (as for `wrt`) to functions, which are compiled into the reverse sweep. Each
            function gets the adjoint of its variable, and its result replaces the adjoint; if it returns None,
            the adjoint stays. In a loop it runs once per iteration, the last iteration first. None in place of a
            function only observes the adjoint, for `collect`.
        collect: a dictionary. Each call from Python stores the adjoints of all variables in `hooks` there, in the
            form that `wrt` would return. If a name already holds an array, the call fills that array instead.
        options: how to compile. `jit=False` runs the emitted code as plain Python. `fastmath` (False), `cache` (True), `error_model` ("numpy") and `boundscheck` mean what they mean in `numba.njit`;
            the options of an `@njit` function are the defaults for its gradient. `parallel` runs loops of the
            gradient on all cores: those that come of a `prange` (None), of any loop (True), or none (False); a loop
            with iterations that are not shown to be independent runs on one (docs/how_to/cores.md). Subscripts of a plain function
            are checked and raise IndexError, as in Python, unless `boundscheck=False`; those of an `@njit`
            function are checked only if Numba checks them. With
            `debug_nan=True` the first adjoint (in forward mode, tangent) that is nan or infinite raises
            NotFiniteError, which names the line and the values that led to it. Where an adjoint (or tangent) is
            exactly zero, an infinite partial derivative contributes zero, unless `strong_zeros=False`. A compilation that takes longer than
            two seconds is told of on a terminal and in notebooks (logger `backsweep`), unless `progress=False`.
            `vector_math=False` has loops compute `np.exp`, `np.sin` and others for one element at a time
            (docs/vector_math.md).

    Returns:
        A function with `f`'s signature. For one position or name it returns one gradient, with the structure,
        shape and dtype of that argument. For a tuple of positions it returns a tuple, for a tuple of names a
        namedtuple (fields `u_14` and `cell_u` for `"u@14"` and `"cell.u"`). `gradient(*args, out=buffers)` adds
        the gradient to arrays of the same structure (or, by name, in a dictionary) and returns these.

    Raises:
        ArgumentError: an argument or variable is unknown, has no derivative, or is assigned in several lines.
        UnsupportedError: a construct or function has no derivative here. NotScalarError: the result is not a
        float. SourceError: the source cannot be read. TypingError: Numba cannot type the function. Each names
        file, line and remedy, at the first call for each set of argument types.

    The arguments are never changed.

    >>> import backsweep as bs
    >>> def square(x):
    ...     return x * x
    >>> bs.grad(square)(3.0)
    6.0
    >>> def neuron(x, w, b):
    ...     u = x * w
    ...     return max(u + b, 0.0)
    >>> bs.grad(neuron, wrt=("w", "u"))(3.0, 2.0, 1.0)
    Gradient(w=3.0, u=1.0)
    """
    return transform("grad", f, argnums, wrt, has_aux=has_aux, hooks=hooks, collect=collect, options=options)


@overload
def value_and_grad(
    f: Callable[P, R],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    return_intermediates: None = None,
    **options: Unpack[CompileOptions],
) -> Derivative[P, tuple[R, Any]]: ...
@overload
def value_and_grad(
    f: None = None,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    return_intermediates: None = None,
    **options: Unpack[CompileOptions],
) -> Decorator[tuple[Any, Any]]: ...
@overload
def value_and_grad(
    f: Callable[P, R],
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    return_intermediates: Names,
    **options: Unpack[CompileOptions],
) -> Derivative[P, tuple[R, Any, Any]]: ...
@overload
def value_and_grad(
    f: None = None,
    argnums: Positions = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    return_intermediates: Names,
    **options: Unpack[CompileOptions],
) -> Decorator[tuple[Any, Any, Any]]: ...
@options_shown
@public
def value_and_grad(
    f: Function | None = None,
    argnums: int | Sequence[int] | None = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    return_intermediates: Names | None = None,
    **options: Any,
) -> Any:
    """The value and the gradient of a function that returns a float, from one forward and one reverse sweep.

    Arguments and errors are those of `grad`. There is one more: `return_intermediates` is a name or a tuple of
    names, as for `wrt`, of variables whose values are returned as well.

    Returns:
        A function with `f`'s signature that returns `(value, gradient)`, or `((value, aux), gradient)` with
        `has_aux`. With `return_intermediates` the values of the variables are a third item: one value for one
        name, a namedtuple for several. In loops they have an axis per loop, as adjoints do (see `grad`).

    >>> import backsweep as bs
    >>> def square(x):
    ...     return x * x
    >>> bs.value_and_grad(square)(3.0)
    (9.0, 6.0)
    >>> def neuron(x, w):
    ...     u = x * w
    ...     return max(u, 0.0)
    >>> bs.value_and_grad(neuron, wrt="w", return_intermediates="u")(3.0, 2.0)
    (6.0, 3.0, 6.0)
    """
    return transform(
        "value_and_grad",
        f,
        argnums,
        wrt,
        has_aux=has_aux,
        hooks=hooks,
        collect=collect,
        values=return_intermediates,
        options=options,
    )


@hiding
def explain(transformed: Transformed, *args_or_types: Any) -> Explanation:
    """Explain for each value of a function how the reverse sweep gets it; the same as `transformed.explain(...)`.

    Arguments:
        transformed: what `grad` or `value_and_grad` returned.
        args_or_types: arguments as for a call, or Numba types. With arguments, the forward sweep runs once
            and its records are measured. Without any, the types of the latest call are used.

    Returns:
        An `Explanation`: `print` shows a table, `rows` has a row for each value.

    Raises:
        ArgumentError: the object is no transformed function; or it was never called and no arguments are given.

    >>> import backsweep as bs
    >>> def square(x):
    ...     y = x + 1.0
    ...     return y * y
    >>> (y,) = bs.explain(bs.grad(square), 3.0)["y"]
    >>> y.active, y.activity, y.state
    (True, 'by x', 'kept')
    """
    _check_transformed("explain", transformed)
    return transformed.explain(*args_or_types)


@hiding
def source(transformed: Transformed, *args_or_types: Any, optimize: str = "loops") -> str:
    """The emitted Python code of a transformed function; the same as `transformed.source(...)`.

    Arguments:
        transformed: what `grad` or any other transformation returned.
        args_or_types: arguments as for a call, or Numba types. Without any, the types of the latest call are
            used.
        optimize: "loops" is the code that is compiled; "readable" keeps array statements in array notation.

    Returns:
        The text of the module.

    Raises:
        ArgumentError: the object is no transformed function; or it was never called and no arguments are given.

    >>> import backsweep as bs
    >>> def square(x):
    ...     return x * x
    >>> print(bs.source(bs.grad(square), 3.0).splitlines()[-1].strip())
    return x_bar
    """
    _check_transformed("source", transformed)
    return transformed.source(*args_or_types, optimize=optimize)


def _check_transformed(wanted: str, thing: object) -> None:
    """Raise ArgumentError for anything but what a transformation returned."""
    if not isinstance(thing, Transformed):
        message = f"{wanted} takes a transformed function, and `{shown_name(thing)}` is not one"
        remedy = "pass what bs.grad or bs.value_and_grad returns."
        raise ArgumentError(Problem("BS503", message, remedy=remedy))


@overload
def vjp(
    f: Callable[P, R],
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    **options: Unpack[CompileOptions],
) -> Callable[P, Any]: ...
@overload
def vjp(
    f: Function,
    *args: Any,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    **options: Unpack[CompileOptions],
) -> Any: ...
@options_shown
@hiding
def vjp(
    f: Function,
    *args: Any,
    wrt: Names | None = None,
    has_aux: bool = False,
    hooks: Hooks | None = None,
    **options: Any,
) -> Any:
    """The value of a function and its pullback, at the given arguments.

    Arguments:
        f: as for `grad`, but the result may be a float, an array of floats, or a tuple of these.
        args: the arguments of `f`. Without any, `vjp` returns a function of them: `bs.vjp(f)(x)` is `bs.vjp(f, x)`.
        wrt: names of arguments and variables to return cotangents for, as for `grad`. The default is every
            argument made of floats or complex numbers.
        has_aux: True says that `f` returns a pair (y, aux); `vjp` then returns `(y, pullback, aux)`.
        hooks: as for `grad`.
        options: as for `grad`.

    Returns:
        `(y, pullback)`. `pullback(y_bar)` takes a cotangent with the structure and shape of `y` and returns the
        cotangents of the arguments, each with the structure, shape and dtype of its argument: one cotangent if
        there is one argument or `wrt` is one name, else a tuple. The forward sweep runs once, in `vjp`; the
        pullback may be called any number of times.

    Raises:
        As `grad`; and ArgumentError if the pullback gets a cotangent of another structure.

    >>> import backsweep as bs
    >>> def square(x):
    ...     return x * x
    >>> y, pullback = bs.vjp(square, 3.0)
    >>> y, pullback(1.0), pullback(10.0)
    (9.0, 6.0, 60.0)
    >>> y, pullback = bs.vjp(square)(3.0)
    >>> pullback(1.0)
    6.0
    """
    f = as_function(f)
    with boundary(f):
        requests.flag("has_aux", has_aux)
        if not args and inspect.signature(python_of(f)).parameters:
            if wrt is not None:
                at_least_one(f, named(f, None, wrt))
            hooks_of(f, hooks)
            options_of(f, options)
            return Later(vjp, "vjp", f, {"wrt": wrt, "has_aux": has_aux, "hooks": hooks, **options})
        pulled = _pulled(f, args, wrt, hooks, options, has_aux=has_aux)
    return forward_and_pullback(pulled, args)


def _pulled(
    f: Function,
    args: tuple[Any, ...],
    wrt: Names | None,
    hooks: Hooks | None,
    options: dict[str, Any],
    *,
    has_aux: bool,
) -> Transformed:
    """The sweeps of a function for the names in `wrt`, else for the arguments that are made of floats."""
    wanted = _differentiated(f, tuple(map(has_gradient, args)), wrt)
    single = isinstance(wrt, str) or (wrt is None and len(wanted) == 1)
    known = hooks_of(f, hooks)
    return transformed_for("vjp", f, wanted, single, options_of(f, options), known, has_aux=has_aux)


def at_cotangents(later: Later, args: tuple[Any, ...]) -> Transformed:
    """The sweeps that `vjp(f)` asks for, for arguments like these."""
    options = dict(later.options)
    wrt, has_aux, hooks = (options.pop(name) for name in ("wrt", "has_aux", "hooks"))
    with boundary(later.function):
        return _pulled(later.function, args, wrt, hooks, options, has_aux=has_aux)


def at_tangents(
    later: Later, *given: Any
) -> tuple[tuple[Any, ...], tuple[Any, ...], Callable[[tuple[Any, ...]], Transformed]]:
    """The primals and tangents of a call of `jvp(f)`, and what gives the tangent function for primals like these."""
    with boundary(later.function):
        check_tuples(*given)
    options = dict(later.options)
    wrt, has_aux = (options.pop(name) for name in ("wrt", "has_aux"))
    names = wrt if wrt is None else requests.names("wrt", wrt)

    def moved(primals: tuple[Any, ...]) -> Transformed:
        active = tuple(map(has_gradient, primals)) if wrt is None else ()
        with boundary(later.function):
            return _moved.anew(later.function, names, active, has_aux, **options)

    return tuple(given[0]), tuple(given[1]), moved


@overload
def jvp(
    f: Function,
    primals: None = None,
    tangents: None = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Unpack[CompileOptions],
) -> Callable[[tuple[Any, ...], tuple[Any, ...]], Any]: ...
@overload
def jvp(
    f: Function,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Unpack[CompileOptions],
) -> Any: ...
@options_shown
def jvp(
    f: Function,
    primals: tuple[Any, ...] | None = None,
    tangents: tuple[Any, ...] | None = None,
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The value of a function and its derivative along a direction of the arguments, by forward mode.

    Arguments:
        f: as for `grad`, but the result may be a float, an array of floats, or a tuple of these.
        primals: a tuple of the arguments of `f`. Without primals and tangents, `jvp` returns a function of them:
            `bs.jvp(f)(primals, tangents)` is `bs.jvp(f, primals, tangents)`.
        tangents: a tuple with one tangent for each argument that `wrt` names, of its structure and shape. In a
            tuple, items that hold no floats are ignored: for the argument `(2.0, 3)` pass `(1.0, None)`.
        wrt: names of the arguments that have a tangent. The default is every argument made of floats or complex
            numbers.
        has_aux: True says that `f` returns a pair (y, aux); `jvp` then returns `(y, y_dot, aux)`.
        options: as for `grad`.

    Returns:
        `(y, y_dot)`: the value and its tangent, which has the structure and shape of `y`. Whole numbers and
        truth values in `y` have the tangent zero.

    Raises:
        As `grad`; and ArgumentError if the number, structure or shape of the tangents is wrong.

    The cost is a small multiple of the function's own, for any number of arguments. Hooks change adjoints
    only: `jvp` returns the derivative of the function without them.

    >>> import backsweep as bs
    >>> def product(x, y):
    ...     return x * y
    >>> bs.jvp(product, (3.0, 2.0), (1.0, 10.0))
    (6.0, 32.0)
    >>> bs.jvp(product, (3.0, 2.0), (1.0,), wrt="x")
    (6.0, 2.0)
    >>> bs.jvp(product)((3.0, 2.0), (1.0, 10.0))
    (6.0, 32.0)
    """
    f = as_function(f)
    try:
        with boundary(f):
            requests.flag("has_aux", has_aux)
            if primals is None and tangents is None:
                if wrt is not None:
                    check_moved(python_of(f), at_least_one(f, named(f, None, requests.names("wrt", wrt))))
                options_of(f, options)
                return Later(_at_both, "jvp", f, {"wrt": wrt, "has_aux": has_aux, **options})
            check_tuples(primals, tangents)
            assert primals is not None
            assert tangents is not None
            active = tuple(map(has_gradient, primals)) if wrt is None else ()
            found = (
                _moved.anew if options or not isinstance(f, Hashable) else _moved
            )  # an option may be a set
            names = wrt if wrt is None else requests.names("wrt", wrt)
            moved = found(f, names, active, has_aux, **options)
        return pushed_forward(moved, primals, tangents)
    except BaseException as error:
        hide(error)
        raise


def _at_both(f: Function, *given: Any, **options: Any) -> Any:
    """`jvp` with the primals and tangents of a later call."""
    check_tuples(*given)
    primals, tangents = given
    return jvp(f, primals, tangents, **options)


@remembered(0)
def _moved(
    f: Function, wrt: Names | None, active: tuple[bool, ...], has_aux: bool, **options: Any
) -> Transformed:
    """The tangent of a function for the names in `wrt`, else for the arguments that are active."""
    wanted = _differentiated(f, active, wrt)
    check_moved(python_of(f), wanted)
    return transformed_for("jvp", f, wanted, False, options_of(f, options), has_aux=has_aux)


def _differentiated(f: Function, active: Sequence[bool], wrt: Names | None) -> tuple[str, ...]:
    """The names in `wrt`, or of all parameters that get an active argument; `*args` gets all from its position on."""
    if wrt is not None:
        return at_least_one(f, named(f, None, wrt))
    parameters = inspect.signature(python_of(f)).parameters
    return tuple(
        name
        for k, (name, parameter) in enumerate(parameters.items())
        if any(active[k:] if parameter.kind is parameter.VAR_POSITIONAL else active[k : k + 1])
    )


@remembered(1)
def transformed_for(
    mode: str,
    f: Function,
    wrt: tuple[str, ...],
    single: bool,
    options: Options,
    hooks: tuple[tuple[str, Function], ...] = (),
    *,
    has_aux: bool = False,
) -> Transformed:
    """The same transformed function for the same request, so that its compiled code is found again."""
    return Transformed(f, Build(f, mode, wrt, single, has_aux, None, options, hooks=hooks))


def transform(
    mode: str,
    f: Function | None,
    argnums: int | Sequence[int] | None,
    wrt: Names | None,
    *,
    has_aux: bool,
    options: dict[str, Any],
    hooks: Hooks | None = None,
    collect: dict[str, Any] | None = None,
    values: Names | None = None,
) -> Any:
    """The transformed function of a mode; without a function, a decorator."""
    if f is None:
        return functools.partial(
            transform,
            mode,
            argnums=argnums,
            wrt=wrt,
            has_aux=has_aux,
            hooks=hooks,
            collect=collect,
            options=options,
            values=values,
        )
    if isinstance(f, checkpoint):
        f = f.function
    assert f is not None
    f = as_function(f)
    requests.flag("has_aux", has_aux)
    requests.collect(collect)
    names, single = chosen(f, argnums, wrt)
    kept = () if values is None else named(f, None, values)
    kept_record = None if values is None or isinstance(values, str) else record_of("Intermediates", kept)
    build = Build(
        f,
        mode,
        names,
        single,
        has_aux,
        gradient_class(names, wrt),
        options_of(f, options),
        hooks=hooks_of(f, hooks),
        values=kept,
        values_record=kept_record,
    )
    if collect is None:
        return Transformed(f, build)
    return Collecting(f, build, tuple(hooks or ()), collect)
