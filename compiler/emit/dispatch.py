"""A Numba dispatcher that gets its code for each signature from us, and Numba's own cache files made anew where damaged."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from typing import Any

from numba.core import sigutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher, cpu_target

from backsweep.boundary import boundary
from backsweep.emit.asking import RememberingCompiler, Unliteral

NumbaType = Any  # Numba ships no annotations

compiling = global_compiler_lock
"""Held while code is emitted, loaded or compiled: Numba's own lock, since Numba asks us and we ask Numba, and a
second lock could be taken in the other order."""
_DAMAGED = (pickle.UnpicklingError, EOFError, AttributeError, ImportError, LookupError, ValueError, TypeError)
"""What reading a damaged file of Numba's cache may raise: a pickle's errors, from its first byte to its last."""


def prepare() -> None:
    """Have Numba read its own tables of functions, which takes it a third of a second and would delay the first call."""
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()


class Specialising(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """The dispatcher of a transformed function, its `owner`, which has a dispatcher of its own for each signature."""

    def __init__(self, owner: Any) -> None:
        super().__init__(owner.python, targetoptions={"nopython": True})
        self.owner = owner

    def typeof_pyval(self, val: Any) -> Any:
        """Numba's type of an argument that is no number and no array; its owner says which it takes."""
        self.owner.check_direct(val)
        return super().typeof_pyval(val)

    def compile(self, sig: Any) -> Any:
        """The entry point for a signature, compiled by Numba from what the pipeline emits."""
        arguments, _ = sigutils.normalize_signature(sig)
        with compiling, boundary(self.owner.python, arguments):
            existing = self.overloads.get(tuple(arguments))
            if existing is not None:
                return existing.entry_point
            compiled = _compile(self.owner.dispatcher_for(tuple(arguments)), tuple(arguments))
            self.add_overload(compiled)
            return compiled.entry_point


class Called(Unliteral):
    """The dispatcher of an emitted function that others call."""

    def __init__(self, function: Any, options: Mapping[str, Any]) -> None:
        options = {"nopython": True, **options}
        super().__init__(function, targetoptions=options, pipeline_class=RememberingCompiler)


def _compile(inner: Any, arguments: tuple[NumbaType, ...]) -> Any:
    """Numba's result for a signature, from its files if they are whole.

    Damaged files are made anew; where files cannot be written (the disk is full), it goes without.
    """
    try:
        inner.compile(arguments)
        if arguments in inner.overloads:
            return inner.overloads[arguments]
    except OSError:
        _go_without_files(inner)
    except _DAMAGED:
        pass  # it comes again below if no file was to blame
    for dispatcher in (inner, *_kernels()):
        try:
            dispatcher._cache.flush()
        except OSError:
            _go_without_files(inner)
    inner.compile(arguments)
    return inner.overloads[arguments]


def _go_without_files(inner: Any) -> None:
    """Neither read nor write files of machine code any more."""
    for dispatcher in (inner, *_kernels()):
        dispatcher._cache.disable()


def _kernels() -> list[Any]:
    """The compiled functions of the runtime, whose files an emitted function may read."""
    modules = [module for name, module in list(sys.modules.items()) if name.startswith("backsweep.runtime.")]
    found = [each for module in modules for each in vars(module).values() if isinstance(each, Dispatcher)]
    return list(dict.fromkeys(found))
