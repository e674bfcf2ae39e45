"""The transformations (`grad`, `vjp`, `jvp`, ...). Each is a few lines that make one `Transformed` object."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from backsweep import requests
from backsweep.arguments import has_gradient
from backsweep.boundary import boundary, public
from backsweep.build import Build, Options
from backsweep.collect import Collecting
from backsweep.diagnostics import ArgumentError, Problem, SourceError, UnsupportedError
from backsweep.frontend.scope import assigned_names
from backsweep.frontend.source import read_source, unwrap
from backsweep.frontend.taps import choice, field_of
from backsweep.frontend.types import compile_options, compiles, plain
from backsweep.inspect.explain import Explanation
from backsweep.pullback import forward_and_pullback
from backsweep.pushforward import check_moved, check_tuples, pushed_forward
from backsweep.remembered import remembered
from backsweep.transformed import Transformed, record_class

Function = Callable[..., Any]
Names = str | Sequence[str]
Hooks = Mapping[str, Function | None]
"""From the name of a variable to its hook, a function of the adjoint; None only observes the adjoint."""


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
            function that `f` calls.
        has_aux: True says that `f` returns a pair (value, aux); the gradient then returns `(gradient, aux)`.
        hooks: a dictionary from names (as for `wrt`) to functions, which are compiled into the reverse sweep. Each
            function gets the adjoint of its variable, and its result replaces the adjoint; if it returns None,
            the adjoint stays. In a loop it runs once per iteration, the last iteration first. None in place of a
            function only observes the adjoint, for `collect`.
        collect: a dictionary. Each call from Python stores the adjoints of all variables in `hooks` there, in the
            form that `wrt` would return. If a name already holds an array, the call fills that array instead.
        options: how to compile. `jit=False` runs the emitted code as plain Python. `fastmath` (False), `parallel`
            (False), `cache` (True), `error_model` ("numpy") and `boundscheck` mean what they mean in `numba.njit`;
            the options of an `@njit` function are the defaults for its gradient. Subscripts of a plain function
            are checked and raise IndexError, as in Python, unless `boundscheck=False`; those of an `@njit`
            function are checked only if Numba checks them. With
            `debug_nan=True` the first adjoint (in forward mode, tangent) that is nan or infinite raises
            NotFiniteError, which names the line and the values that led to it.

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
        message = f"{wanted} takes a transformed function, and `{_called(thing)}` is not one"
        remedy = "pass what bs.grad or bs.value_and_grad returns."
        raise ArgumentError(Problem("BS503", message, remedy=remedy))


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
        args: the arguments of `f`.
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
    """
    with boundary(f):
        requests.flag("has_aux", has_aux)
        wanted = _differentiated(f, tuple(map(has_gradient, args)), wrt)
        single = isinstance(wrt, str) or (wrt is None and len(wanted) == 1)
        known = hooks_of(f, hooks)
        pulled = transformed_for("vjp", f, wanted, single, options_of(f, options), known, has_aux=has_aux)
    return forward_and_pullback(pulled, args)


def jvp(
    f: Function,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    *,
    wrt: Names | None = None,
    has_aux: bool = False,
    **options: Any,
) -> Any:
    """The value of a function and its derivative along a direction of the arguments, by forward mode.

    Arguments:
        f: as for `grad`, but the result may be a float, an array of floats, or a tuple of these.
        primals: a tuple of the arguments of `f`.
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
    """
    with boundary(f):
        requests.flag("has_aux", has_aux)
        check_tuples(primals, tangents)
        active = tuple(map(has_gradient, primals)) if wrt is None else ()
        found = _moved.anew if options or not isinstance(f, Hashable) else _moved  # an option may be a set
        names = wrt if wrt is None else requests.names("wrt", wrt)
        moved = found(f, names, active, has_aux, **options)
    return pushed_forward(moved, primals, tangents)


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
        return _some(f, _names(f, None, wrt))
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
    requests.flag("has_aux", has_aux)
    requests.collect(collect)
    names, single = chosen(f, argnums, wrt)
    kept = () if values is None else _names(f, None, values)
    kept_record = None if values is None or isinstance(values, str) else _record("Intermediates", kept)
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


def hooks_of(f: Function, hooks: Hooks | None) -> tuple[tuple[str, Function], ...]:
    """The hooks that replace adjoints, by name; raises ArgumentError for a name that is not there."""
    given = requests.hooks(hooks)
    _names(f, None, tuple(given))
    for name, function in given.items():
        if not (function is None or callable(function)):
            message = f"the hook of `{name}` is {function!r}, which cannot be called"
            raise ArgumentError(
                Problem("BS405", message, remedy="give a function of the adjoint, or None to observe it.")
            )
    return tuple((name, function) for name, function in given.items() if function is not None)


def chosen(
    f: Function, argnums: int | Sequence[int] | None, wrt: Names | None
) -> tuple[tuple[str, ...], bool]:
    """The names of what to differentiate with respect to, and whether that is one instead of a tuple."""
    single = isinstance(wrt, str) if wrt is not None else not isinstance(argnums, Sequence)
    return _some(f, _names(f, argnums, wrt)), single


def _some(f: Function, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names, of which there is at least one."""
    if not names:
        called = _called(python_of(f))
        remedy = f"name an argument of `{called}`, or a variable."
        raise ArgumentError(
            Problem("BS404", "there is nothing to differentiate with respect to", remedy=remedy)
        )
    return names


def gradient_class(names: tuple[str, ...], wrt: Names | None) -> type | None:
    """The namedtuple of what is found for several names; None where one is given, or positions."""
    return None if wrt is None or isinstance(wrt, str) else _record("Gradient", names)


def _record(called: str, names: tuple[str, ...]) -> type:
    """The namedtuple that results with these names are returned in."""
    return record_class(called, tuple(map(field_of, names)))


def python_of(f: Function) -> Function:
    """The plain Python function behind a function, dispatcher or transformed function."""
    while isinstance(f, Transformed):
        f = f.function
    if isinstance(f, staticmethod | classmethod):
        kind, name = type(f).__name__, f.__name__
        message = f"`{name}` is a {kind} object from the body of its class, not a function"
        remedy = f"differentiate Class.{name} after the class, or write @{kind} above the transformation."
        raise SourceError(Problem("BS001", message, remedy=remedy))
    python = plain(f)
    unwrap(python)  # what has no Python source is refused here, by name
    for parameter in inspect.signature(python).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            source = read_source(python)
            message = f"`{source.name}` takes `**{parameter.name}`, and compiled code cannot take arbitrary keyword arguments"
            place = source.loc(source.node.args.kwarg or source.node)
            raise UnsupportedError(Problem("BS108", message, place, "replace it by parameters with names."))
    return python


def parameter_names(python: Function) -> list[str]:
    """The names of a function's parameters, in order."""
    return list(inspect.signature(python).parameters)


def _names(f: Function, argnums: int | Sequence[int] | None, wrt: Names | None) -> tuple[str, ...]:
    """The names of what to differentiate with respect to; raises ArgumentError for one that is not there."""
    python = python_of(f)
    parameters = parameter_names(python)
    called = _called(python)
    if argnums is not None and wrt is not None:
        raise ArgumentError(
            Problem("BS405", "both argnums and wrt are given", remedy="give positions or names, not both.")
        )
    _check_kinds(called, parameters, argnums, wrt)
    if wrt is not None:
        names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(Problem("BS404", f"`{name}` is named twice", remedy="name it once."))
            if name not in parameters and not _is_variable(f, name):
                raise ArgumentError(
                    Problem(
                        "BS404",
                        f"`{called}` has no argument or variable `{name}`",
                        remedy=choice(name, [*parameters, *_variables(f)]),
                    )
                )
        return names
    positions = (0,) if argnums is None else tuple(argnums) if isinstance(argnums, Sequence) else (argnums,)
    for position in positions:
        if not -len(parameters) <= position < len(parameters):
            raise ArgumentError(
                Problem(
                    "BS404",
                    f"`{called}` has no argument at position {position}",
                    remedy=f"it has {len(parameters)}: {', '.join(parameters)}.",
                )
            )
    found = tuple(parameters[position] for position in positions)
    for name in found:
        if found.count(name) > 1:
            message = f"argnums={argnums!r} gives the position of `{name}` twice"
            raise ArgumentError(Problem("BS404", message, remedy="give it once."))
    return found


def _called(thing: Any) -> str:
    """What a function is called in a message."""
    return str(getattr(thing, "__name__", repr(thing)))


def _is_variable(f: Function, name: str) -> bool:
    """Whether the name may be a variable's: one with a place (`u@14`, `cell.u`) is looked for in the first call."""
    return "@" in name or "." in name or isinstance(f, Transformed) or name in _variables(f)


def _variables(f: Function) -> list[str]:
    """The variables that a function assigns, in order."""
    if isinstance(f, Transformed):
        return []
    python = python_of(f)
    node = read_source(python).node
    assigned = assigned_names(node.body) if isinstance(node, ast.FunctionDef) else {}
    return [name for name in assigned if name not in parameter_names(python)]


def _check_kinds(
    called: str, parameters: Sequence[str], argnums: int | Sequence[int] | None, wrt: Names | None
) -> None:
    """Raise ArgumentError if `argnums` holds anything but whole numbers, or `wrt` anything but names."""
    positions = argnums if isinstance(argnums, tuple | list) else () if argnums is None else (argnums,)
    names = wrt if isinstance(wrt, tuple | list) else () if wrt is None else (wrt,)
    shown = ", ".join(parameters)
    for position in positions:
        if not requests.is_whole(position):
            remedy = (
                f"give names as wrt={argnums!r}." if isinstance(position, str) else "give a whole number."
            )
            message = f"argnums={argnums!r} is not the position of an argument of `{called}`, nor a tuple of positions"
            raise ArgumentError(Problem("BS404", message, remedy=remedy))
    for name in names:
        if not isinstance(name, str):
            message = f"wrt={wrt!r} is not the name of an argument of `{called}`, nor a tuple of names"
            remedy = f"its arguments are {shown}; give positions as argnums={wrt!r}."
            raise ArgumentError(Problem("BS404", message, remedy=remedy))


def options_of(f: Function, given: dict[str, Any]) -> Options:
    """The options given, else those of an `@njit` function, else the defaults."""
    known = set(Options.__dataclass_fields__)
    for name in given:
        if name not in known:
            raise ArgumentError(
                Problem(
                    "BS406", f"there is no option `{name}`", remedy=f"choose from {', '.join(sorted(known))}."
                )
            )
    if isinstance(f, Transformed):
        inherited = {name: getattr(f.build.options, name) for name in known}
    else:
        inherited = {name: value for name, value in compile_options(f).items() if name in known}
    options = {name: requests.option(name, value) for name, value in {**inherited, **given}.items()}
    found = Options(**options)
    return found if compiles() else dataclasses.replace(found, jit=False)
