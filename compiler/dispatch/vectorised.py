"""Numba's dispatcher for functions of users, with vector mathematics."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numba.core import config, sigutils, typeinfer
from numba.core.caching import CompileResultCacheImpl, FunctionCache, NullCache
from numba.core.dispatcher import Dispatcher

from backsweep.dispatch.inference import VectorCompiler
from backsweep.runtime.machine_code.code_library import mark
from backsweep.runtime.machine_code.compiling import Compiled
from backsweep.runtime.machine_code.folder import folder
from backsweep.runtime.machine_code.kept import rebuilt
from backsweep.runtime.machine_code.linking import files_of


class Vectorised(Compiled):
    """The dispatcher of a user's function whose loops may call vector functions of the C library."""

    def __init__(
        self,
        py_func: Any,
        locals: Mapping[str, Any] | None = None,
        targetoptions: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(py_func, dict(locals or {}), dict(targetoptions or {}), VectorCompiler)

    def enable_caching(self) -> None:
        """Have Numba keep the machine code in files beside the function's, as `cache=True` asks."""
        self._cache = MarkedCache(self.py_func)


class LinkedResults(CompileResultCacheImpl):  # type: ignore[misc]  # Numba ships no annotations
    """What Numba's cache keeps of a result, with the names of our files that have what it calls."""

    def reduce(self, data: Any) -> Any:
        """Numba's hook for what is kept."""
        return files_of(data.library), super().reduce(data)

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Numba's hook for the result of what was kept; None, to compile anew, where our files are gone."""
        names, reduced = payload
        return rebuilt(names, reduced, (folder() or Path()) / "any", target_context)


class MarkedCache(FunctionCache):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's cache; machine code that calls vector functions is loaded only where they are."""

    _impl_class = LinkedResults

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        """Numba's hook: what the machine code for a signature depends on."""
        return (*super()._index_key(sig, codegen), mark(), LinkedResults.__name__)


def signatures_in(given: object) -> list[Any] | None:
    """The signatures that `njit` is given in place of a function; None if it is given none."""
    if isinstance(given, list):
        return given
    return [given] if sigutils.is_signature(given) else None


def vectorised(function: Any, signatures: list[Any], options: Mapping[str, Any]) -> Any:
    """The dispatcher of a Python function, or of the one within a dispatcher, whose options are then the defaults."""
    if isinstance(function, Dispatcher):
        cached = not isinstance(function._cache, NullCache)
        own = {**function.targetoptions, "locals": function.locals, "cache": cached}
        function, options = function.py_func, {**own, **options}
    assert inspect.isfunction(function)
    if config.DISABLE_JIT:
        return function
    kept = {"boundscheck": None, **options, "nopython": True}
    cache, types = kept.pop("cache", False), kept.pop("locals", {})
    dispatcher = Vectorised(function, types, kept)
    if cache:
        dispatcher.enable_caching()
    if signatures:
        with typeinfer.register_dispatcher(dispatcher):
            for signature in signatures:
                dispatcher.compile(signature)
        dispatcher.disable_compile()
    return dispatcher
