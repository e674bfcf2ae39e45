"""Numba dispatchers whose code for each signature comes from Backsweep's pipeline."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numba.core import config, sigutils, types
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher, OmittedArg
from numba.core.registry import CPUDispatcher, cpu_target
from numba.np.numpy_support import as_dtype
from numba.np.ufunc.dufunc import DUFunc

from backsweep.boundary import boundary
from backsweep.dispatch.inference import Unliteral, compiler
from backsweep.runtime.machine_code.compiling import Compiled, compiling
from backsweep.runtime.machine_code.kept import MachineCode
from backsweep.tracebacks import hiding

NumbaType = Any  # Numba ships no annotations
Conversion = Any  # NumPy's type of a number, a tuple of conversions, or None


def prepare() -> None:
    """Have Numba load its tables of functions now; this takes a third of a second and would delay the first call."""
    with compiling:
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def is_vectorised(thing: object) -> bool:
    """Whether the object is a `@vectorize` function."""
    return isinstance(thing, DUFunc)


def numba_checks(function: object) -> bool | None:
    """Whether Numba checks the subscripts of an `@njit` function: by NUMBA_BOUNDSCHECK, else by its options.

    None for any other function.
    """
    if isinstance(function, CFunc):
        return bool(config.BOUNDSCHECK)
    if not isinstance(function, Dispatcher) or isinstance(function, Specialising):
        return None
    if config.BOUNDSCHECK is not None:
        return bool(config.BOUNDSCHECK)
    options = function.targetoptions
    chosen = options.get("boundscheck")
    return bool(options.get("debug", False) if chosen is None else chosen)


def declared_kinds(function: object) -> Mapping[str, Any]:
    """NumPy's types of the variables of an `@njit` function that its option `locals` declares as numbers.

    An array keeps its items and its memory, whatever layout is declared.
    """
    declared = getattr(function, "locals", None) if isinstance(function, Dispatcher) else None
    kinds = {name: _kind_of_number(type_) for name, type_ in (declared or {}).items()}
    return {name: kind for name, kind in kinds.items() if kind is not None}


@dataclass(frozen=True, slots=True)
class Declared:
    """A signature of an `@njit` function: Numba's types, and what its arguments and its result are converted to.

    A conversion is NumPy's type of a number, a tuple of conversions, or None for what stays as it is.
    """

    signature: Any
    arguments: tuple[Conversion, ...]
    result: Conversion


def declared_signatures(function: object) -> tuple[Declared, ...]:
    """The signatures that an `@njit` function has been given; none where it is compiled for whatever it is called with."""
    if isinstance(function, CFunc):
        signature = function._sig
        return (
            Declared(signature, tuple(map(_conversion, signature.args)), _conversion(signature.return_type)),
        )
    if isinstance(function, CFunc):
        signature = function._sig
        return (
            Declared(signature, tuple(map(_conversion, signature.args)), _conversion(signature.return_type)),
        )
    if not isinstance(function, Dispatcher) or isinstance(function, Specialising) or function._can_compile:
        return ()
    return tuple(
        Declared(each, tuple(map(_conversion, each.args)), _conversion(each.return_type))
        for each in function.nopython_signatures
    )


def chosen_signature(
    declared: Sequence[Declared], arguments: Sequence[NumbaType], *, is_called_by_python: bool
) -> Declared | None:
    """The signature that Numba calls with arguments of these types; None if it refuses the call.

    Where several fit as well, compiled code takes the first, and Python gets an error.
    """
    signatures = [each.signature for each in declared]
    prepare()
    with compiling:
        try:
            found = cpu_target.typing_context.resolve_overload(
                "the call", signatures, tuple(arguments), {}, allow_ambiguous=not is_called_by_python
            )
        except TypeError:  # Numba's error for an ambiguous call
            return None
    return None if found is None else declared[signatures.index(found)]


def _conversion(type_: NumbaType) -> Conversion:
    """What a value is converted to that becomes one of this type."""
    if isinstance(type_, types.BaseTuple):
        items = tuple(map(_conversion, type_))
        return items if any(item is not None for item in items) else None
    return _kind_of_number(type_)


def _kind_of_number(type_: NumbaType) -> Any:
    """NumPy's type of a number; None for anything else."""
    return as_dtype(type_).type if isinstance(type_, types.Number | types.Boolean) else None


class Specialising(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """The dispatcher of a transformed function (`owner`), which has an inner dispatcher for each signature."""

    def __init__(self, owner: Any) -> None:
        super().__init__(owner.python, targetoptions={"nopython": True})
        self.owner = owner

    def typeof_pyval(self, val: Any) -> Any:
        """Numba's type of an argument that is no number and no array; the owner refuses arguments that it does not accept."""
        self.owner.check_direct(val)
        return super().typeof_pyval(val)

    @hiding
    def compile(self, sig: Any) -> Any:
        """Compile a signature from the code that the pipeline emits, and return the entry point."""
        arguments, _ = sigutils.normalize_signature(sig)
        return self.entry_point(tuple(arguments), lambda: self.owner.dispatcher_for(tuple(arguments)))

    def entry_point(self, arguments: tuple[NumbaType, ...], inner_for: Callable[[], Any]) -> Any:
        """The entry point for these types of arguments, from the code of an inner dispatcher if there is none yet."""
        with compiling, boundary(self.owner.python, arguments):
            existing = self.overloads.get(arguments)
            if existing is not None:
                return existing.entry_point
            inner = inner_for()
            inner.compile(arguments)
            compiled = inner.overloads[arguments]
            self.add_overload(compiled)
            return compiled.entry_point


class Assuming(Specialising):
    """A dispatcher for calls from Python: code for new types of arguments may assume what the extents of the call show."""

    def _compile_for_args(self, *args: Any, **_: Any) -> Any:
        """Numba's hook for a call with new types of arguments."""
        self._compilation_chain_init_hook()
        arguments = tuple(
            types.Omitted(each.value) if isinstance(each, OmittedArg) else self.typeof_pyval(each)
            for each in args
        )
        with compiling, self.owner.progress(arguments):
            return self.entry_point(arguments, lambda: self.owner.dispatcher_seeing(arguments, args))


class Called(Unliteral):
    """The dispatcher of an emitted function that others call."""

    def __init__(self, function: Any, options: Mapping[str, Any], *, vector_math: bool) -> None:
        options = {"nopython": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **options}
        super().__init__(function, targetoptions=options, pipeline_class=compiler(vector_math=vector_math))


def compile_for_host(
    functions: dict[str, Any], options: Mapping[str, Any], *, vector_math: bool, mark: str | None
) -> None:
    """Have the functions that a module for a GPU marks with `njit` compiled as ours are; with a mark, their machine code is kept on the disk."""
    for name, function in functions.items():
        if isinstance(function, CPUDispatcher) and not isinstance(function, Compiled):
            python = function.py_func
            made = Compiled(
                python,
                targetoptions={"nopython": True, "nogil": True, **options},
                pipeline_class=compiler(vector_math=vector_math),
            )
            if mark is not None:
                made._cache = MachineCode(name, functools.partial(str, mark))
            functions[name] = python.__globals__[python.__name__] = made
