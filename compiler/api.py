"""The transformations, each a few lines over one `Transformed` object."""

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
"""Functions of adjoints by the names of variables; None where one is only observed."""


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
        f: a Python function, lambda, closure or `@njit` dispatcher whose source can be read; without
            it, a decorator is returned.
        argnums: position or positions of the arguments to differentiate; the first unless given.
        wrt: names instead of positions, of arguments or of variables that the function assigns. A
            variable stands for the value at that moment, whatever is done to it later. One in a loop
            has an entry for each iteration, an axis for each loop; zeros where an iteration does not
            get there. `"u@14"` is the assignment in line 14, `"cell.u"` that in a function `cell`
            which is called.
        has_aux: `f` returns a pair (value, aux), and `(gradient, aux)` is returned.
        hooks: functions by the names of arguments or variables, named as for `wrt`: each sees the adjoint of its
            variable in the reverse sweep (in loops that of each iteration, last first), and what it returns
            replaces it; None leaves it as it is. They are compiled into the reverse sweep, as `bs.hook` is. None
            instead of a function only observes, for `collect`.
        collect: a dictionary of the caller's. Each call, which is from Python, leaves in it the adjoints of all
            variables in `hooks`, as `wrt` would give them; an array that lies under a name is filled instead.
        options: `jit`, `fastmath`, `parallel`, `cache`, `error_model`, `boundscheck`; those of an
            `@njit` function are taken over unless given. Subscripts of plain functions are checked, and raise
            IndexError as in Python, unless `boundscheck=False`; those of `@njit` functions as Numba does. With `debug_nan=True` the first adjoint (tangent, in
            forward mode) that is nan or infinite raises NotFiniteError, which tells the line and the values that it
            came from.

    Returns:
        A function with `f`'s signature. One position or name gives one gradient, of the structure,
        shape and dtype of that argument; a tuple gives a tuple, with the names as fields for `wrt`
        (`u_14`, `cell_u`).

    Raises:
        ArgumentError: an unknown or inactive argument or variable, or one that is assigned at several
        places. UnsupportedError: a construct or function
        that has no derivative. NotScalarError: the result is not a float. SourceError: no source.
        TypingError: Numba cannot type the function. All with file, line and remedy, on the first
        call for a signature.

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
    """The value and the gradient of a function that returns a float, from one pair of sweeps.

    Arguments and errors are those of `grad`, and `return_intermediates`: names of variables, as for `wrt`, whose
    values are wanted as well. Returns a function with `f`'s signature that returns `(value, gradient)`, or
    `((value, aux), gradient)` with `has_aux`; with `return_intermediates` the values come third: one, or a namedtuple
    for several. In loops they have an entry for each iteration, as adjoints have.

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
    """How the reverse sweep of a gradient gets each value that it reads: `transformed.explain(*args_or_types)`.

    Arguments:
        transformed: what `grad` or `value_and_grad` returned.
        args_or_types: arguments, as for a call, or Numba types. With arguments the forward sweep is run
            once and its records are measured.

    Returns:
        An `Explanation`: `print` shows a table, `rows` has a row for each value.

    Raises:
        ArgumentError: not a transformed function, or no arguments and it was never called.

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
    """The emitted Python of a transformed function: `transformed.source(*args_or_types)`.

    Arguments:
        transformed: what `grad` or any other transformation returned.
        args_or_types: arguments, as for a call, or Numba types; none for the code of the latest call.
        optimize: "loops", what is compiled, or "readable", array statements in array notation.

    Returns:
        The text of the module.

    Raises:
        ArgumentError: not a transformed function, or no arguments and it was never called.

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
        message = f"{wanted} takes a transformed function, and `{_called(thing)}` is none"
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
    """The value of a function and its pullback at the given arguments.

    Arguments:
        f: as for `grad`, with any float result: scalar, array or tuple of them.
        args: the arguments of `f`.
        wrt: names of the arguments and variables to pull back to, as for `grad`; all arguments that
            have gradients unless given.
        has_aux: `f` returns a pair (y, aux), and aux is returned after the pullback.
        hooks: as for `grad`.
        options: as for `grad`.

    Returns:
        `(y, pullback)`. `pullback(y_bar)` takes a cotangent of `y`'s structure and shape and returns
        the cotangents of the arguments, one or a tuple as for `grad`. It may be called any number
        of times and never runs the forward sweep again.

    Raises:
        As `grad`; and ArgumentError when the pullback is given a cotangent of another structure.

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
    """The value of a function and its derivative along a direction of the arguments (forward mode).

    Arguments:
        f: as for `grad`, with any float result: scalar, array or tuple of them.
        primals: the arguments of `f`.
        tangents: the direction: for each argument that `wrt` names a tangent of its structure and shape. Items of
            tuples that hold no floats have no tangent; anything may stand for one.
        wrt: names of the arguments that move; all that have gradients unless given.
        has_aux: `f` returns a pair (y, aux), and `(y, y_dot, aux)` is returned.
        options: as for `grad`.

    Returns:
        `(y, y_dot)`: the value, and its derivative along the direction, of `y`'s structure and shape.
        Parts of `y` that are no floats have the tangent zero.

    Raises:
        As `grad`; and ArgumentError for tangents of another number, structure or shape.

    The cost is a small multiple of the function's own, whatever the number of arguments. Hooks change adjoints, and no
    tangents: the derivative is that of the function without them.

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
            raise ArgumentError(Problem("BS405", message, remedy="give a function of the adjoint, or None."))
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
        message = f"`{name}` is a {kind} object, as it stands in the body of its class, and no function yet"
        remedy = (
            f"differentiate Class.{name}, outside of the class; or write @{kind} above the transformation."
        )
        raise SourceError(Problem("BS001", message, remedy=remedy))
    python = plain(f)
    unwrap(python)  # what has no Python source is refused here, by name
    for parameter in inspect.signature(python).parameters.values():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            source = read_source(python)
            message = f"`{source.name}` takes `**{parameter.name}`, which compiled code cannot be given"
            place = source.loc(source.node.args.kwarg or source.node)
            raise UnsupportedError(Problem("BS108", message, place, "give each parameter a name of its own."))
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
            message = (
                f"argnums={argnums!r} is no position, or tuple of positions, of the arguments of `{called}`"
            )
            raise ArgumentError(Problem("BS404", message, remedy=remedy))
    for name in names:
        if not isinstance(name, str):
            message = f"wrt={wrt!r} is no name, or tuple of names, of arguments of `{called}`"
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
