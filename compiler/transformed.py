"""What a transformation returns: a callable, specialised for each signature, that Numba knows as its own.

`Specialising` is a Numba dispatcher whose code for a signature is what our pipeline emits for it. So
calls from Python, from the user's `@njit` functions and through other transformations are all
Numba's own calls, at Numba's cost.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import itertools
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import typeof_impl

from backsweep import pipeline
from backsweep.arguments import (
    Forms,
    IndirectArgumentError,
    check_active,
    check_direct,
    prepared,
    restorer,
    with_form,
)
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.emit import cache
from backsweep.emit.asking import RememberingCompiler
from backsweep.emit.dispatch import Specialising
from backsweep.emit.identity import content, contents, type_content
from backsweep.emit.kept import remember_module, remembered_module
from backsweep.emit.module import Module, emit_module
from backsweep.frontend.source import Source, read_source
from backsweep.frontend.types import bound_value, from_numba, plain, type_of_missing
from backsweep.inspect import measure
from backsweep.inspect.explain import Explanation
from backsweep.inspect.reasons import explanation
from backsweep.ir.nodes import Function, Value
from backsweep.ir.show import show
from backsweep.ir.types import Fixed, Scalar, Type
from backsweep.ir.walk import walk
from backsweep.pipeline import Request, Stages
from backsweep.runtime.tape import ReferenceList

NumbaType = Any  # Numba ships no annotations
_HASH = re.compile(r"_[0-9a-f]{16}")
_volatile = itertools.count()
"""Numbers for code that refers to objects of this process, which no other code may be taken for."""


@dataclass(frozen=True, slots=True)
class Options:
    """How emitted code is compiled; the meaning of each is Numba's."""

    jit: bool = True
    fastmath: bool = False
    parallel: bool = False
    cache: bool = True
    error_model: str = "numpy"
    boundscheck: bool = False

    def for_numba(self) -> dict[str, Any]:
        """The keywords of `numba.njit`."""
        return {
            "fastmath": self.fastmath,
            "parallel": self.parallel,
            "cache": self.cache,
            "error_model": self.error_model,
            "boundscheck": self.boundscheck or None,
        }


@dataclass(slots=True, eq=False)
class Emitted:
    """The code for one signature: its text, its functions, and the passes it went through.

    `lasting` says that the code means the same in every process, so that its machine code may be kept.
    """

    text: str
    names: tuple[str, ...]
    functions: dict[str, Callable[..., Any]]
    stages: Stages = field(default_factory=list)
    lasting: bool = True


class Transformed:
    """A transformed function. Call it, look at its `source`, or give it to another transformation."""

    def __init__(self, function: Callable[..., Any], build: Build) -> None:
        self.build = build
        self.function = function
        self.python = build.python
        functools.update_wrapper(self, self.python)
        self._emitted: dict[tuple[NumbaType, ...], Emitted] = {}
        self._latest: Emitted | None = None
        self._dispatcher = Specialising(self)
        self._special: dict[Forms, Transformed] = {}
        self._called = self
        self._signature = inspect.signature(self.python)
        kinds = {parameter.kind for parameter in self._signature.parameters.values()}
        self._direct = build.options.jit and inspect.Parameter.KEYWORD_ONLY not in kinds

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the emitted code returns for these arguments; compiled on the first call for their types."""
        if self._direct and not kwargs:
            try:
                return self._dispatcher(*args)
            except IndirectArgumentError:
                self._direct = False
        special, given = self.special(*args, **kwargs)
        self._called = special
        if special.build.options.jit:
            result = special._dispatcher(*given.args, **given.kwargs)
        else:
            result = special._run_plain(given.args, given.kwargs)
        return special.build.restored(result)

    check_direct = staticmethod(check_direct)

    def special(self, *args: Any, **kwargs: Any) -> tuple[Transformed, inspect.BoundArguments]:
        """The transformed function for what the arguments fix, and the call of it."""
        forms, given = prepared(self._signature, args, kwargs)
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
        signature = self._signature
        given = signature.bind(*args, **kwargs).arguments
        return self._for(
            tuple(
                numba.typeof(given[name]) if name in given else type_of_missing(parameter)
                for name, parameter in signature.parameters.items()
            )
        )

    def emitted_types(self, arguments: tuple[NumbaType, ...]) -> Emitted:
        """The code for these argument types."""
        return self._for(arguments)

    def python_for(self, arguments: tuple[NumbaType, ...]) -> Callable[..., Any]:
        """The emitted function for these argument types as plain Python, arrays in array notation."""
        emitted = self.build.emit(arguments, optimize="readable")
        return plain(emitted.functions[emitted.names[0]])

    def _for(self, arguments: tuple[NumbaType, ...]) -> Emitted:
        """The code for these argument types, emitted now if it is the first time."""
        if arguments not in self._emitted:
            self._emitted[arguments] = self.build.emit(arguments)
        self._latest = self._emitted[arguments]
        return self._latest

    def dispatcher_for(self, arguments: tuple[NumbaType, ...]) -> Any:
        """The Numba dispatcher of the code for these argument types."""
        emitted = self._for(arguments)
        return compiled(emitted, 0, self.build.options)

    def source(self, *args_or_types: Any, optimize: str = "loops") -> str:
        """The emitted Python for these arguments (or Numba types); without any, of the latest call.

        `optimize="readable"` shows array statements in array notation instead of the loops that are compiled.
        Raises ArgumentError if nothing was called yet and no arguments are given, or for another `optimize`.
        """
        if optimize not in ("loops", "readable"):
            message = f"there is no form {optimize!r} of the source"
            raise ArgumentError(Problem("BS502", message, remedy='choose "loops" or "readable".'))
        emitted = self._looked_at(args_or_types)
        if optimize == "loops":
            return emitted.text
        special, given = self._meant(args_or_types)
        return special.build.emit(special._types(given), optimize=optimize).text

    def stages(self, *args_or_types: Any) -> str:
        """The program after each pass, for these arguments (or Numba types); without any, of the latest call."""
        emitted = self._looked_at(args_or_types)
        if not emitted.stages:
            special, given = self._meant(args_or_types)
            emitted = special.build.emit(special._types(given), fresh=True)
        return pipeline.show_stages(emitted.stages)

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
        derived, source = self.build.derivation(arguments)
        records = measure.records(derived)
        counted: tuple[int, ...] | None = None
        if not args_or_types or any(isinstance(each, types.Type) for each in args_or_types):
            return explanation(derived, source, None)
        if records:
            run = self.build.byte_counter(derived, records, arguments)
            counted = run(*self.with_defaults(*args_or_types))
        return explanation(derived, source, dict(zip(records, counted or (), strict=True)))

    def save(self, path: str, *args_or_types: Any) -> None:
        """Write the emitted code to a module that needs NumPy and Numba only."""
        from backsweep.emit.standalone import standalone

        Path(path).write_text(standalone(self._looked_at(args_or_types).text), encoding="utf-8")

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
        return self._latest

    def _meant(self, args_or_types: Sequence[Any]) -> tuple[Transformed, tuple[Any, ...]]:
        """The transformed function for what the arguments fix, and the others; without any, of the latest call."""
        if not args_or_types or any(isinstance(each, types.Type) for each in args_or_types):
            return (self._called if not args_or_types else self), tuple(args_or_types)
        special, given = self.special(*args_or_types)
        return special, given.args

    def _types(self, args_or_types: Sequence[Any]) -> tuple[NumbaType, ...]:
        given = [each if isinstance(each, types.Type) else numba.typeof(each) for each in args_or_types]
        if not given and self._latest is not None:
            return next(key for key, emitted in self._emitted.items() if emitted is self._latest)
        parameters = list(inspect.signature(self.python).parameters.values())
        for parameter in parameters[len(given) :]:
            given.append(types.Omitted(parameter.default))
        return tuple(given)

    @property
    def _numba_type_(self) -> NumbaType:
        return types.Dispatcher(self._dispatcher)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """By name where a decorator left it in its module, else by what it was made from."""
        path: str = self.python.__qualname__
        here: Any = sys.modules.get(self.__module__)
        if functools.reduce(_member, path.split("."), here) is self:
            return path
        build = dataclasses.replace(self.build, record=None)
        return _rebuilt, (self.function, build, getattr(self.build.record, "_fields", None))

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __repr__(self) -> str:
        return f"<backsweep {self.build.mode} of {self.python.__name__}>"


def _member(owner: Any, name: str) -> Any:
    """The attribute of this name, or None."""
    return getattr(owner, name, None)


def _rebuilt(function: Callable[..., Any], build: Build, fields: tuple[str, ...] | None) -> Transformed:
    """A transformed function from its pickle; the class of its gradients, made at run time, from their names."""
    if fields is None:
        return Transformed(function, build)
    # its fields are known at run time only
    record = collections.namedtuple("Gradient", fields)  # type: ignore[misc]  # noqa: PYI024
    return Transformed(function, dataclasses.replace(build, record=record))


@typeof_impl.register(Transformed)
def _typeof_transformed(value: Transformed, _context: Any) -> NumbaType:
    return types.Dispatcher(value._dispatcher)


def compiled(emitted: Emitted, number: int, options: Options) -> Any:
    """The Numba dispatcher of one of the emitted functions."""
    function = emitted.functions[emitted.names[number]]
    if isinstance(function, Dispatcher):
        return function
    keywords = options.for_numba()
    cached = keywords["cache"] and emitted.lasting
    dispatcher = numba.njit(**{**keywords, "cache": cached}, pipeline_class=RememberingCompiler)(function)
    emitted.functions[emitted.names[number]] = dispatcher
    return dispatcher


@dataclass(frozen=True, eq=False)
class Build:
    """Everything that decides what is emitted for a signature; `forms` are those of the arguments it is for."""

    function: Callable[..., Any]
    mode: str
    wrt: tuple[str, ...]
    single: bool
    has_aux: bool
    record: type | None
    options: Options
    forms: Forms = ()

    def source_for(self, arguments: tuple[NumbaType, ...]) -> Source:
        """The source of the function; of a transformed one, the source emitted for these argument types."""
        if isinstance(self.function, Transformed):
            return read_source(self.function.fixing(self.forms).python_for(arguments))
        return read_source(self.function)

    def emit(
        self, arguments: tuple[NumbaType, ...], *, optimize: str = "loops", fresh: bool = False
    ) -> Emitted:
        """The emitted code for a signature, from the disk if it was emitted before (unless `fresh`)."""
        constants = self._constants(arguments)
        source = self.source_for(arguments)
        types_ = self._given(arguments, constants)
        untyped = pipeline.lowered(source, constants, types_, self._kinds(arguments))
        untyped = dataclasses.replace(
            untyped, name=_HASH.sub("", untyped.name).replace("<lambda>", "function")
        )
        check_active(self.wrt, self._kinds(arguments), source)
        docstring = self._docstring(source, untyped.name)
        references, given = contents(untyped), [type_content(type_) for type_ in arguments]
        lasting = references is not None and None not in given
        facts = repr((given if lasting else next(_volatile), self._facts(), optimize))
        told = "\n".join(told for told, _ in references or ())
        key = cache.digest(show(untyped), _statements(untyped), told, facts, docstring, cache.sources_mark())
        stages: Stages = []
        table = dict([*(references or ()), (str(content(ReferenceList)), ReferenceList)])
        module = remembered_module(key, table) if lasting and not fresh else None
        if module is None:
            module = self._written(untyped, types_, docstring, optimize, stages)
            if lasting:
                remember_module(key, module, table)
        called = _function_names(untyped.name, self.mode)
        loaded = cache.load(module.text, untyped.name, called, module.bindings, key)
        return Emitted(module.text, called, loaded, stages, lasting)

    def _written(
        self, untyped: Function, types_: list[NumbaType], docstring: str, optimize: str, stages: Stages
    ) -> Module:
        """The module for a program and the types of its parameters."""
        primal = pipeline.typed_primal(untyped, types_, stages)
        new_list = ReferenceList if self.mode == "vjp" and self.options.jit else list
        request = Request(self.mode, self.wrt, self.single, self.has_aux, self.record, new_list, optimize)
        names = list(inspect.signature(self.python).parameters)
        functions = pipeline.adjoint(primal, request, types_, stages)
        return emit_module([self._with_all_parameters(function, names) for function in functions], docstring)

    def derivation(self, arguments: tuple[NumbaType, ...]) -> tuple[pipeline.Derivation, Source]:
        """The sweeps for a signature with the facts behind them, and the source that they are for."""
        constants = self._constants(arguments)
        source = self.source_for(arguments)
        types_ = self._given(arguments, constants)
        untyped = pipeline.lowered(source, constants, types_, self._kinds(arguments))
        primal = pipeline.typed_primal(untyped, types_, [])
        request = Request(self.mode, self.wrt, self.single, self.has_aux)
        return pipeline.derive(primal, request), source

    def byte_counter(
        self, derived: pipeline.Derivation, records: Mapping[Value, Any], arguments: tuple[NumbaType, ...]
    ) -> Callable[..., Any]:
        """A function with the user's signature that runs the forward sweep and returns the bytes of its records."""
        types_ = self._given(arguments, self._constants(arguments))
        function = pipeline.finish(measure.byte_counter(derived, records), types_, "loops", [])
        function = self._with_all_parameters(function, list(inspect.signature(self.python).parameters))
        module = emit_module([function], f"The bytes that the forward sweep of `{function.name}` records.")
        name = function.name
        run: Callable[..., Any] = cache.load(module.text, name, (name,), module.bindings, "bytes")[name]
        if not self.options.jit:
            return run
        quick: Callable[..., Any] = numba.njit(error_model=self.options.error_model)(run)
        return quick

    def _kinds(self, arguments: tuple[NumbaType, ...]) -> dict[str, Type]:
        """Our types of the parameters, what is fixed of them included."""
        forms, names = dict(self.forms), inspect.signature(self.python).parameters
        return {
            name: with_form(from_numba(type_), forms.get(name))
            for name, type_ in zip(names, arguments, strict=True)
        }

    def _given(self, arguments: tuple[NumbaType, ...], constants: Mapping[str, object]) -> list[NumbaType]:
        """The types of the parameters that are not bound beforehand."""
        names = inspect.signature(self.python).parameters
        return [type_ for name, type_ in zip(names, arguments, strict=True) if name not in constants]

    @property
    def python(self) -> Callable[..., Any]:
        """The plain Python function whose signature the transformed one has."""
        function = self.function
        while isinstance(function, Transformed):
            function = function.function
        return plain(function)

    def _facts(self) -> tuple[Any, ...]:
        record = None if self.record is None else self.record.__name__
        return (
            self.mode,
            self.wrt,
            self.single,
            self.has_aux,
            record,
            self.options,
            np.__version__,
            numba.__version__,
        )

    def _constants(self, arguments: Sequence[NumbaType]) -> dict[str, object]:
        """Parameters that are bound when the code is emitted: functions, None, strings, defaults left out."""
        names = inspect.signature(self.python).parameters
        bound = {name: bound_value(type_) for name, type_ in zip(names, arguments, strict=True)}
        fixed = {name: form.value for name, form in self.forms if isinstance(form, Fixed)}
        return {name: value for name, found in bound.items() for value in found} | fixed

    def restored(self, result: Any) -> Any:
        """What the emitted function returned, its gradients in the structure of the arguments."""
        restore = restorer(self.forms, self.wrt, single=self.single)
        if restore is None or self.mode == "vjp":
            return result
        if self.mode == "value_and_grad":
            return result[0], restore(result[1])
        return (restore(result[0]), result[1]) if self.has_aux else restore(result)

    def _with_all_parameters(self, function: Function, names: Sequence[str]) -> Function:
        """The function with the user's whole signature, also where a parameter was bound beforehand."""
        if self.mode == "vjp" and function.name.endswith("_pullback"):
            return function
        present = {value.name: value for value in function.body.parameters}
        parameters = tuple(present.get(name) or Value(name, Scalar("int64"), function.loc) for name in names)
        return dataclasses.replace(function, body=dataclasses.replace(function.body, parameters=parameters))

    def _docstring(self, source: Source, name: str) -> str:
        place = source.loc(source.node)
        return (
            f"Adjoint of `{name}` ({_HASH.sub('', Path(place.file).stem)}.py:{place.line}) "
            f"with respect to {', '.join(self.wrt)}. Written by backsweep."
        )


def _function_names(name: str, mode: str) -> tuple[str, ...]:
    if mode == "vjp":
        return (f"{name}_forward", f"{name}_pullback")
    return (f"{name}_{mode}",)


def _statements(function: Function) -> str:
    """The user's statements that the program quotes."""
    return "\n".join(f"{node.loc.line}:{node.loc.statement}" for node in walk(function.body))
