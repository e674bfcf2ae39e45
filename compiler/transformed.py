"""What a transformation returns: a callable, specialised for each signature, that Numba knows as its own.

`Specialising` is a Numba dispatcher whose code for a signature is what our pipeline emits for it. So
calls from Python, from the user's `@njit` functions and through other transformations are all
Numba's own calls, at Numba's cost.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import html
import inspect
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import errors, types
from numba.extending import typeof_impl

from backsweep import pipeline, requests
from backsweep.accumulate import accumulated
from backsweep.arguments import (
    Forms,
    IndirectArgumentError,
    check_direct,
    has_own_arrays,
    prepared,
)
from backsweep.boundary import boundary, running
from backsweep.build import Build, Emitted, compiled
from backsweep.diagnostics import ArgumentError, BacksweepError, Problem, adjoints_told
from backsweep.emit.dispatch import Specialising
from backsweep.frontend.source import Source, read_source
from backsweep.frontend.twins import twin
from backsweep.frontend.types import plain, type_of_missing
from backsweep.inspect import measure, side_by_side
from backsweep.inspect.explain import Explanation
from backsweep.inspect.reasons import explanation
from backsweep.runtime.compiling import compiling

NumbaType = Any  # Numba ships no annotations
Made = TypeVar("Made")
_writing: list[Transformed] = []
"""The functions whose code is being written, each for the one before it; under the lock `compiling`."""


class Transformed:
    """A transformed function. Call it, look at its `source`, or give it to another transformation."""

    def __init__(self, function: Callable[..., Any], build: Build) -> None:
        self.build = build
        self.function = function
        self.python = build.python
        functools.update_wrapper(self, self.python)
        self._emitted: dict[tuple[NumbaType, ...], Emitted] = {}
        self._readable: dict[tuple[NumbaType, ...], Emitted] = {}
        self._returned: dict[tuple[NumbaType, ...], NumbaType] = {}
        self._latest: tuple[NumbaType, ...] | None = None
        self._dispatcher = Specialising(self)
        self._special: dict[Forms, Transformed] = {}
        self._called = self
        self._signature = inspect.signature(self.python)
        self.parameters = list(self._signature.parameters.values())
        kinds = {parameter.kind for parameter in self.parameters}
        plain = inspect.Parameter.KEYWORD_ONLY not in kinds and not build.options.debug_nan
        self.is_direct = build.options.jit and plain
        self.takes_any_number = inspect.Parameter.VAR_POSITIONAL in kinds
        self._direct = self.is_direct
        self._beside: dict[Callable[[Transformed], Any], Any] = {}
        self._handles: list[HookHandle] = []
        self._first_hooks = build.hooks
        self._users: weakref.WeakSet[Transformed] = weakref.WeakSet()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the emitted code returns for these arguments; compiled on the first call for their types."""
        if self._direct and not kwargs and not has_own_arrays(args):
            try:
                return self._dispatcher(*args)
            except (
                IndirectArgumentError,
                errors.NumbaTypeError,
                errors.NumbaValueError,
            ):  # what Numba has no type for is refused below
                self._direct = False
        if "out" in kwargs and "out" not in self._signature.parameters:
            out = kwargs.pop("out")
            return accumulated(self.build, self(*args, **kwargs), out)
        if self.build.options.debug_nan:
            with adjoints_told():
                return self._called_with(args, kwargs)
        return self._called_with(args, kwargs)

    def _called_with(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """What the code for what the arguments fix returns."""
        special, given = self.special(*args, **kwargs)
        self._called = special
        if special.build.options.jit:
            result = special._dispatcher(*given.args, **given.kwargs)
        else:
            result = special._run_plain(given.args, given.kwargs)
        with boundary(self.python):
            return special.build.restored(result)

    def add_hook(self, name: str, fn: Callable[..., Any]) -> HookHandle:
        """Have `fn` see the adjoint of a variable in all calls from now on, until the handle's `remove()`.

        All that is made of this function has the hook as well: its source, what other transformations make of it,
        before or afterwards, and compiled code that is to call it. A hook of a Hessian is its gradient's.

        Arguments:
            name: an argument or a variable of the function, named as for `wrt`.
            fn: what `hooks` takes: what it returns replaces the adjoint; None leaves it as it is. Of several hooks of
                one variable, each sees what the one before it returned.

        Returns:
            A handle, whose `remove()` takes the hook away.

        Raises ArgumentError for a name that is not there.

        Compiled code that already calls this gradient keeps what it was compiled with.

        >>> import backsweep as bs
        >>> def square(x):
        ...     return x * x
        >>> slope = bs.grad(square)
        >>> handle = slope.add_hook("x", lambda adjoint: 2.0 * adjoint)
        >>> slope(3.0)
        12.0
        >>> handle.remove()
        >>> slope(3.0)
        6.0
        """
        from backsweep.api import hooks_of

        hooked = self.function if self.build.mode == "hessian" else self
        assert isinstance(hooked, Transformed)
        requests.expect("name", name, "the name of an argument or a variable", fits=isinstance(name, str))
        hooks_of(hooked.function, {name: fn})
        handle = HookHandle(hooked, name, fn)
        hooked._handles.append(handle)
        hooked._apply_hooks()
        return handle

    def _apply_hooks(self) -> None:
        """Go by the hooks of the handles, after those that the function was made with."""
        hooks = (*self._first_hooks, *((handle.name, handle.fn) for handle in self._handles))
        with compiling, boundary(self.python):
            for each in (self, *self._special.values()):
                each.build = dataclasses.replace(each.build, hooks=hooks)
                each._forget()

    def _forget(self) -> None:
        """Have the code emitted anew when it is asked for, and all code that this one's was written into."""
        for kept in (self._emitted, self._readable, self._returned, self._beside):
            kept.clear()
        self._dispatcher = Specialising(self)
        users, self._users = self._users, weakref.WeakSet()
        for user in users:
            user._forget()

    check_direct = staticmethod(check_direct)

    def beside(self, made: Callable[[Transformed], Made]) -> Made:
        """What `made` makes of this function, once for all calls."""
        if made not in self._beside:
            self._beside[made] = made(self)
        found: Made = self._beside[made]
        return found

    def special(self, *args: Any, **kwargs: Any) -> tuple[Transformed, inspect.BoundArguments]:
        """The transformed function for what the arguments fix, and the call of it."""
        bound = self._signature.bind(*args, **kwargs)
        with boundary(self.python):
            forms, given = prepared(self._signature, bound)
            return self.fixing(forms), given

    def fixing(self, forms: Forms) -> Transformed:
        """The transformed function for arguments of these forms."""
        if not forms:
            return self
        if forms not in self._special:
            self._special[forms] = Transformed(self.function, dataclasses.replace(self.build, forms=forms))
        return self._special[forms]

    def _run_plain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run the emitted source as plain Python (for a debugger)."""
        emitted = self.emitted_for(args, kwargs)
        return emitted.functions[emitted.names[0]](*self.with_defaults(*args, **kwargs))

    def with_defaults(self, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """A value for each parameter, the default where none is given."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def emitted_for(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Emitted:
        """The code for these arguments, which are such as Numba takes."""
        return self._for(self.argument_types(self._signature.bind(*args, **kwargs)))

    def emitted_types(self, arguments: tuple[NumbaType, ...]) -> Emitted:
        """The code for these argument types."""
        return self._for(arguments)

    def python_for(self, arguments: tuple[NumbaType, ...]) -> Callable[..., Any]:
        """The emitted function for these argument types as plain Python, arrays in array notation."""
        emitted = self._readable_for(arguments)
        return plain(emitted.functions[emitted.names[0]])

    def customised(self, arguments: tuple[NumbaType, ...]) -> bool:
        """Whether a derivative within the code for these argument types is what the user says."""
        return self._readable_for(arguments).customised

    def returned(self, arguments: tuple[NumbaType, ...]) -> NumbaType:
        """Numba's type of the result for arguments of these types; nothing is compiled."""
        if arguments not in self._returned:
            self._returned[arguments] = twin(self.python_for(arguments), {}).returned(arguments)
        return self._returned[arguments]

    def _readable_for(self, arguments: tuple[NumbaType, ...]) -> Emitted:
        """The code for these argument types with arrays in array notation."""
        return self._known(self._readable, arguments, "readable")

    def _for(self, arguments: tuple[NumbaType, ...]) -> Emitted:
        """The code for these argument types."""
        with compiling:
            emitted = self._known(self._emitted, arguments, "loops")
            self._latest = arguments
        return emitted

    def _known(
        self, known: dict[tuple[NumbaType, ...], Emitted], arguments: tuple[NumbaType, ...], optimize: str
    ) -> Emitted:
        """The code for these argument types, emitted now if it is the first time."""
        with compiling, boundary(self.python, arguments):
            self._users.update(_writing[-1:])
            if arguments not in known:
                _writing.append(self)
                try:
                    known[arguments] = self.build.emit(arguments, optimize=optimize)
                finally:
                    _writing.pop()
            return known[arguments]

    def dispatcher_for(self, arguments: tuple[NumbaType, ...]) -> Any:
        """The Numba dispatcher of the code for these argument types."""
        emitted = self._for(arguments)
        return compiled(emitted, 0, self.build.options)

    def source(self, *args_or_types: Any, optimize: str = "loops") -> str:
        """The emitted Python for these arguments (or Numba types); without any, of the latest call.

        `optimize="readable"` shows array statements in array notation instead of the loops that are compiled.
        Raises ArgumentError if nothing was called yet and no arguments are given, or for another `optimize`.
        """
        if not isinstance(optimize, str) or optimize not in ("loops", "readable"):
            message = f"there is no form {requests.shown(optimize)} of the source"
            raise ArgumentError(Problem("BS502", message, remedy='choose "loops" or "readable".'))
        emitted = self._looked_at(args_or_types)
        if optimize == "loops":
            return emitted.text
        special, given = self._meant(args_or_types)
        arguments = special._types(given)
        with compiling, boundary(self.python, arguments):
            return special.build.emit(arguments, optimize=optimize).text

    def stages(self, *args_or_types: Any) -> str:
        """The program after each pass, for these arguments (or Numba types); without any, of the latest call."""
        self._looked_at(args_or_types)
        special, given = self._meant(args_or_types)
        arguments = special._types(given)
        stages: pipeline.Stages = []
        with compiling, boundary(self.python, arguments):
            special.build.emit(arguments, stages=stages)
        return pipeline.show_stages(stages)

    def explain(self, *args_or_types: Any) -> Explanation:
        """How the reverse sweep gets each value of the function that it reads; without arguments, of the latest call.

        Arguments:
            args_or_types: arguments, as for a call, or Numba types. With arguments the forward sweep is run
                once and its records are measured.

        Returns:
            An `Explanation`: `print` shows a table, `rows` has a row for each value.

        Raises ArgumentError if nothing was called yet and no arguments are given; else as a call does.

        >>> import backsweep as bs
        >>> def power(x, n):
        ...     y = x
        ...     for i in range(n):
        ...         y = y * x
        ...     return y
        >>> explanation = bs.grad(power).explain(2.0, 100)
        >>> explanation["y"][1].state, explanation["y"][1].reason, explanation.bytes
        ('stored', 'the next iteration replaces it', 800)
        """
        special, given = self._meant(args_or_types)
        if special is not self:
            return special.explain(*given)
        self._looked_at(args_or_types)
        arguments = self._types(args_or_types)
        with compiling, boundary(self.python, arguments):
            derived, source = self.build.derivation(arguments)
            records = measure.records(derived)
            if not args_or_types or any(isinstance(each, types.Type) for each in args_or_types):
                return explanation(derived, source, None)
            if not records:
                return explanation(derived, source, {})
            run = self.build.byte_counter(derived, records, arguments)
        with running(self.python, arguments):
            counted = run(*self.with_defaults(*args_or_types))
        return explanation(derived, source, dict(zip(records, counted, strict=True)))

    def save(self, path: str, *args_or_types: Any) -> None:
        """Write the emitted code to a module that needs NumPy and Numba only."""
        from backsweep.emit.standalone import standalone

        emitted = self._looked_at(args_or_types)
        with boundary(self.python):
            text = standalone(emitted.text)
        Path(path).write_text(text, encoding="utf-8")

    def _looked_at(self, args_or_types: Sequence[Any]) -> Emitted:
        special, args_or_types = self._meant(args_or_types)
        if special is not self:
            return special._looked_at(args_or_types)
        if args_or_types or self._latest is None:
            if not args_or_types and inspect.signature(self.python).parameters:
                raise ArgumentError(
                    Problem(
                        "BS501",
                        "nothing to show yet: the code depends on the types of the arguments",
                        remedy="call the function first, or pass example arguments (or Numba types) here.",
                    )
                )
            return self._for(self._types(args_or_types))
        return self._for(self._latest)

    def _meant(self, args_or_types: Sequence[Any]) -> tuple[Transformed, tuple[Any, ...]]:
        """The transformed function for what the arguments fix, and the others; without any, of the latest call."""
        if not args_or_types or any(isinstance(each, types.Type) for each in args_or_types):
            return (self._called if not args_or_types else self), tuple(args_or_types)
        special, given = self.special(*args_or_types)
        return special, given.args

    def _types(self, args_or_types: Sequence[Any]) -> tuple[NumbaType, ...]:
        given = [each if isinstance(each, types.Type) else numba.typeof(each) for each in args_or_types]
        if not given and self._latest is not None:
            return self._latest
        parameters = list(inspect.signature(self.python).parameters.values())
        for parameter in parameters[len(given) :]:
            given.append(types.Omitted(parameter.default))
        return tuple(given)

    def argument_types(self, given: inspect.BoundArguments) -> tuple[NumbaType, ...]:
        """Numba's types of the arguments of a call, which are such as Numba takes."""
        return tuple(
            numba.typeof(given.arguments[name]) if name in given.arguments else type_of_missing(parameter)
            for name, parameter in self._signature.parameters.items()
        )

    @property
    def _numba_type_(self) -> NumbaType:
        return types.Dispatcher(self._dispatcher)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By name where a decorator left it in its module, else by what it was made from."""
        path: str = self.python.__qualname__
        here: Any = sys.modules.get(self.__module__)
        if functools.reduce(_member, path.split("."), here) is self:
            return path
        build = dataclasses.replace(self.build, record=None, values_record=None)
        records = (self.build.record, self.build.values_record)
        return _rebuilt, (self.function, build, *(getattr(record, "_fields", None) for record in records))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def _repr_html_(self) -> str:
        """The function beside the code of the latest call, in Jupyter."""
        try:
            source, text = self._pair()
        except BacksweepError as error:
            return f"<pre>{html.escape(repr(self))}\n{html.escape(str(error))}</pre>"
        return side_by_side.as_html(source, text, f"{self.build.mode}, as emitted")

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The same as text, in IPython."""
        try:
            printer.text(repr(self) if cycle else side_by_side.as_text(*self._pair()))
        except BacksweepError as error:
            printer.text(f"{self!r}\n{error}")

    def _pair(self) -> tuple[Source, str | None]:
        """The source of the function, and what was emitted for the latest call."""
        called = self._called
        with compiling, boundary(self.python, called._latest):
            if called._latest is None:
                return read_source(self.python), None
            return called.build.source_for(called._latest), called._for(called._latest).text

    def __repr__(self) -> str:
        return f"<backsweep {self.build.mode} of {self.python.__name__}>"


class HookHandle:
    """A hook that was added to a gradient; `remove()` takes it away again."""

    def __init__(self, transformed: Transformed, name: str, fn: Callable[..., Any]) -> None:
        self.name = name
        self.fn = fn
        self._transformed = transformed

    def remove(self) -> None:
        """Take the hook away; once is enough."""
        handles = self._transformed._handles
        if self in handles:
            handles.remove(self)
            self._transformed._apply_hooks()


def _member(owner: Any, name: str) -> Any:
    """The attribute of this name, or None."""
    return getattr(owner, name, None)


def _rebuilt(
    function: Callable[..., Any],
    build: Build,
    gradients: tuple[str, ...] | None,
    values: tuple[str, ...] | None,
) -> Transformed:
    """A transformed function from its pickle; the classes of what it returns, made at run time, from their names."""
    record = None if gradients is None else record_class("Gradient", gradients)
    values_record = None if values is None else record_class("Intermediates", values)
    return Transformed(function, dataclasses.replace(build, record=record, values_record=values_record))


@functools.lru_cache(maxsize=256)
def record_class(called: str, fields: tuple[str, ...]) -> type:
    """The namedtuple with these fields, which are known at run time only; the same for the same."""
    return collections.namedtuple(called, fields)  # noqa: PYI024


@typeof_impl.register(Transformed)
def _typeof_transformed(value: Transformed, _context: Any) -> NumbaType:
    return types.Dispatcher(value._dispatcher)
