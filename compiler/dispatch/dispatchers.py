"""Numba dispatchers whose code for each signature comes from Backsweep's pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numba.core import config, sigutils, types
from numba.core.dispatcher import Dispatcher, OmittedArg
from numba.core.registry import CPUDispatcher, cpu_target
from numba.np.numpy_support import as_dtype

from backsweep.boundary import boundary
from backsweep.dispatch.inference import Unliteral, compiler
from backsweep.runtime.support.compiling import compiling
from backsweep.tracebacks import hiding

NumbaType = Any  # Numba ships no annotations


def prepare() -> None:
    """Have Numba load its tables of functions now; this takes a third of a second and would delay the first call."""
    with compiling:
        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()


def numba_checks(function: object) -> bool | None:
    """Whether Numba checks the subscripts of an `@njit` function: by NUMBA_BOUNDSCHECK, else by its options.

    None for any other function.
    """
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


def declared_signature(function: object) -> tuple[tuple[Any, ...], Any] | None:
    """NumPy's types of the arguments and of the result of an `@njit` function that has been given one signature.

    Numba converts what it is given. None stands for what is not a number; with several signatures, arguments choose one.
    """
    if not isinstance(function, Dispatcher) or isinstance(function, Specialising) or function._can_compile:
        return None
    if len(function.nopython_signatures) != 1:
        return None
    (signature,) = function.nopython_signatures
    return tuple(map(_kind_of_number, signature.args)), _kind_of_number(signature.return_type)


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
        options = {"nopython": True, **options}
        super().__init__(function, targetoptions=options, pipeline_class=compiler(vector_math=vector_math))
