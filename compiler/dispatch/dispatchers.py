"""Numba dispatchers whose code for each signature comes from Backsweep's pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numba.core import config, sigutils
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher, cpu_target

from backsweep.boundary import boundary
from backsweep.dispatch.inference import RememberingCompiler, Unliteral
from backsweep.runtime.support.compiling import compiling

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


class Specialising(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """The dispatcher of a transformed function (`owner`), which has an inner dispatcher for each signature."""

    def __init__(self, owner: Any) -> None:
        super().__init__(owner.python, targetoptions={"nopython": True})
        self.owner = owner

    def typeof_pyval(self, val: Any) -> Any:
        """Numba's type of an argument that is no number and no array; the owner refuses arguments that it does not accept."""
        self.owner.check_direct(val)
        return super().typeof_pyval(val)

    def compile(self, sig: Any) -> Any:
        """Compile a signature from the code that the pipeline emits, and return the entry point."""
        arguments, _ = sigutils.normalize_signature(sig)
        with compiling, boundary(self.owner.python, arguments):
            existing = self.overloads.get(tuple(arguments))
            if existing is not None:
                return existing.entry_point
            inner = self.owner.dispatcher_for(tuple(arguments))
            inner.compile(tuple(arguments))
            compiled = inner.overloads[tuple(arguments)]
            self.add_overload(compiled)
            return compiled.entry_point


class Called(Unliteral):
    """The dispatcher of an emitted function that others call."""

    def __init__(self, function: Any, options: Mapping[str, Any]) -> None:
        options = {"nopython": True, **options}
        super().__init__(function, targetoptions=options, pipeline_class=RememberingCompiler)
