"""Implementations of library functions, compiled once for a machine.

Numba writes most of NumPy's functions, and we write more, as Python functions that it compiles for the types of a call: in each
process anew, since its cache is for functions that users decorate. Most of the time of a first gradient goes there. While
our code is compiled, the dispatchers that Numba makes of such implementations are ours: their machine code is kept beside that
of our kernels, under a fingerprint of the implementation, and linked in later processes.
"""

from __future__ import annotations

import functools
import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba.core.bytecode import FunctionIdentity
from numba.core.caching import NullCache
from numba.core.compiler import Flags
from numba.core.registry import CPUDispatcher
from numba.core.typing import templates

from backsweep.runtime.machine_code.code_library import linking
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.runtime.machine_code.fingerprints import fingerprint, is_trusted
from backsweep.runtime.machine_code.folder import package_mark, runtime_mark
from backsweep.runtime.machine_code.kept import MachineCode


class Implementation(CPUDispatcher):  # type: ignore[misc]  # Numba ships no annotations
    """The dispatcher of an implementation; its machine code comes from the disk where it is there."""

    def compile(self, sig: Any) -> Any:
        """The entry point for a signature. The options that Numba takes over from the caller are part of the fingerprint."""
        flags = Flags()
        self._compiler.targetdescr.options.parse_as_flags(flags, self.targetoptions)
        flags = self._compiler._customize_flags(flags)
        found = mark(self.py_func, self.targetoptions, flags.summary())
        if found is None:
            self._cache = NullCache()
        else:
            name = f"{self.py_func.__module__}.{self.py_func.__name__}".replace("<lambda>", "lambda")
            self._cache = MachineCode(name, functools.partial(str, found))
        return super().compile(sig)


def mark(function: FunctionType, *values: Any) -> str | None:
    """A text of all that Numba's work on a function depends on, given these values, beside its settings; None if that is not known."""
    foreign, found = _foreign_mark(), fingerprint(function, *values)
    return None if found is None or foreign is None else f"{found} {foreign} {runtime_mark()}"


def _decorator(template: Any) -> Any:
    """What makes a dispatcher of an implementation: Numba's `jit`, whose dispatcher becomes one of ours while we compile."""
    theirs = _THEIRS(template)

    def decorate(**options: Any) -> Any:
        def dispatcher(function: Any) -> Any:
            made = theirs(**options)(function)
            if type(made) is not CPUDispatcher or not compiling.is_under_way:
                return made
            pipeline = linking(made._compiler.pipeline_class)
            return Implementation(function, made.locals, made.targetoptions, pipeline_class=pipeline)

        return dispatcher

    return decorate


_OVERLOADS = templates._OverloadFunctionTemplate
_THEIRS = _OVERLOADS._get_jit_decorator
_seen: list[int] = [0, 0]
_authors: set[str] = set()


def _foreign_mark() -> str | None:
    """A hash of the packages, of those that are not trusted, that implement what trusted code may call; None if one has none.

    They decide what the machine code of a trusted implementation is, too. The text of a script says too little: it imports others.
    """
    registry = templates.builtin_registry
    for number, table in enumerate((registry.globals, registry.attributes)):
        for entry in table[_seen[number] :]:
            _authors.update(_foreign_authors(*entry) if number == 0 else _foreign_authors(entry.key, entry))
        _seen[number] = len(table)
    marks = [package_mark(each) for each in sorted(_authors)]
    return None if None in marks else " ".join(map(str, marks))


def _foreign_authors(key: Any, made: Any) -> set[str]:
    """The packages that are not trusted and that write a template of a trusted function, or of a method of a trusted type."""
    if not is_trusted(getattr(key, "__module__", None) or type(key).__module__):
        return set()
    written = [getattr(each, "_overload_func", None) or each for each in getattr(made, "templates", (made,))]
    return {module.partition(".")[0] for module in map(_module, written) if not is_trusted(module)}


def _module(written: Any) -> str:
    """The module of a template or function; some of Numba's are made of text and name none, but its file."""
    file = getattr(getattr(written, "__code__", None), "co_filename", "")
    return written.__module__ or (numba.__name__ if Path(file).is_relative_to(*numba.__path__) else "")


def _numbers() -> Iterator[int]:
    """Numbers of functions for Numba's names of machine code, which no other process uses.

    Numba counts from one in each process. Two functions of one name from two processes could have one number, and linking
    takes functions of equal names for one.
    """
    process, numbers = 0, itertools.count()
    while True:
        if process != os.getpid():  # a forked process goes on with numbers of its own
            process, numbers = os.getpid(), itertools.count(random.SystemRandom().getrandbits(48) << 16)
        yield next(numbers)


_OVERLOADS._get_jit_decorator = _decorator
FunctionIdentity._unique_ids = _numbers()
