"""Machine code kept between processes: what Numba reads from a file is checked before it is unpickled.

Numba's own cache reads whatever its files hold. A damaged file crashes the process there, or is loaded as the code
of another function. So we keep the files ourselves, in Numba's two kinds: an index (`.nbi`) of the types that a function was
compiled for, and a file of machine code (`.nbc`) for each. Every file begins with a checksum over its name and what
follows; one that does not have it counts as not there.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
import platform
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult

from backsweep.runtime.machine_code import code_library, linking, pickles, turns
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.runtime.machine_code.folder import folder, look_up, write

UNREADABLE = (
    pickle.UnpicklingError,
    EOFError,
    AttributeError,
    ImportError,
    LookupError,
    ValueError,
    TypeError,
)
"""What unpickling may raise where a class that the pickle names is no longer there."""
_UNWRITABLE = (pickle.PicklingError, TypeError, AttributeError)
"""What pickling raises of constants that it cannot write, such as a generator among the globals of one of Numba's functions."""
_SAME_CODE = (
    "CACHE_DIR",
    "CACHE_LOCATOR_CLASSES",
    "COLOR_SCHEME",
    "CUDA_",
    "DEBUG_CACHE",
    "DEFAULT_NUM_THREADS",
    "DEVELOPER_MODE",
    "DISABLE_JIT",
    "DISABLE_PERFORMANCE_WARNINGS",
    "FULL_TRACEBACKS",
    "FUNCTION_CACHE_SIZE",
    "NUMBA_DEFAULT_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "SHOW_HELP",
    "THREADING_LAYER",
)
"""How the names of Numba's settings begin that machine code does not depend on. It may depend on any other."""


def versions() -> tuple[str, ...]:
    """The versions of the packages whose functions count by their names in what is kept."""
    import scipy  # loads none of its parts, and Numba's own imports do not wait for it

    return np.__version__, scipy.__version__, numba.__version__, llvmlite.__version__


def settings_mark() -> str:
    """A hash of all that machine code depends on beside its function: versions, vector functions, Numba's settings."""
    settings = sorted(
        (name, repr(value))
        for name, value in vars(config).items()
        if name.isupper() and not name.startswith(_SAME_CODE) and isinstance(value, bool | int | str | None)
    )
    place = (sys.version, platform.machine(), code_library.mark())
    return hashlib.sha256(repr((versions(), place, settings)).encode()).hexdigest()


@dataclass(slots=True)
class Count:
    """How many functions this process has read the machine code of, and of how many it has kept what it compiled."""

    found: int = 0
    kept: int = 0


COUNT = Count()


class MachineCode(_Cache):  # type: ignore[misc]  # Numba ships no annotations
    """The machine code of one function in our folder; `_cache` of its dispatcher.

    Arguments:
        name: a name for people.
        mark: tells the hash of all that the function's meaning depends on.
    """

    def __init__(self, name: str, mark: Callable[[], str]) -> None:
        self._name = name
        self._mark = mark

    @property
    def cache_path(self) -> str | None:
        """The folder, in Numba's statistics."""
        found = folder()
        return None if found is None else str(found)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Numba's result of compiling the function for these types, if it is kept and whole; else None.

        Where another process is compiling it, this waits for what that keeps.
        """
        index = self._index()
        target_context.refresh()
        if index is None:
            return None
        found = self._found(index, sig, target_context)
        if found is None and compiling.alone(turns.CODE, index.name):
            found = self._found(index, sig, target_context)
        COUNT.found += found is not None
        return found

    def _found(self, index: Path, sig: Any, target_context: Any) -> Any:
        """What an index leads to for these types; None if there is nothing."""
        asked = (sig, target_context.codegen().magic_tuple())
        for key, name in self._known(index).items():
            with contextlib.suppress(*UNREADABLE):
                if pickles.loads(key, sig) == asked:
                    return _loaded(index.with_name(name), sig, target_context)
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep Numba's result of compiling the function for these types, if the disk has room for it."""
        index = self._index()
        if index is not None:
            self._save(index, sig, data)
            compiling.done(index.name)

    def _save(self, index: Path, sig: Any, data: Any) -> None:
        """Keep a result, if it can be kept."""
        if (
            data.library.has_dynamic_globals
            or any(not each.can_cache for each in data.lifted)
            or pickles.classes_in(
                [data.signature.return_type]
            )  # results are of a class that the machine code holds
        ):
            return
        try:
            key = pickles.dumps((sig, data.codegen.magic_tuple()), sig)
            payload = pickles.dumps((linking.files_of(data.library), data._reduce()), sig)
        except _UNWRITABLE:
            return
        name = f"{index.stem}-{hashlib.sha256(payload).hexdigest()[:16]}.nbc"
        with contextlib.suppress(OSError):
            keep(index.with_name(name), payload)
            keep(index, pickle.dumps({**self._known(index), key: name}))
            COUNT.kept += 1
            if not pickles.classes_in(sig):  # else only a call of these classes can read it
                linking.note_kept(data.library, name)

    def _index(self) -> Path | None:
        """The path of the index, which names all that the code depends on by its hash."""
        found = folder()
        if found is None:
            return None
        mark = hashlib.sha256(f"{self._name} {self._mark()} {settings_mark()}".encode()).hexdigest()
        return found / f"{self._name[:80]}-{mark[:16]}.nbi"

    def _known(self, index: Path) -> dict[bytes, str]:
        """The names of the files of machine code, by the pickles of the types that they are for."""
        content = whole(index)
        if content is not None:
            with contextlib.suppress(*UNREADABLE):
                return dict(pickle.loads(content))  # noqa: S301  our own, checked
        return {}

    def enable(self) -> None:
        """It always is."""

    def disable(self) -> None:
        """It never is."""

    def flush(self) -> None:
        """Forget all that is kept of the function."""
        index = self._index()
        if index is not None:
            with contextlib.suppress(OSError):
                index.unlink(missing_ok=True)


def _loaded(path: Path, sig: Any, target_context: Any) -> Any:
    """The result of compiling that a file holds, with the machine code that it calls; None if one of the files is not whole."""
    if path.name in _LOADED:
        return _LOADED[path.name]
    payload = whole(path)
    if payload is None:
        return None
    names, reduced = pickles.loads(payload, sig)
    result = rebuilt(names, reduced, path, target_context)
    if result is None:
        return None
    if not pickles.classes_in(sig):
        linking.note_kept(result.library, path.name)
    return result


def rebuilt(names: Sequence[str], reduced: tuple[Any, ...], beside: Path, target_context: Any) -> Any:
    """The result of compiling of which `reduced` was kept, with what it calls, in files with these names; None if one is not whole."""
    needed = tuple(_needed(beside.with_name(name), target_context) for name in names)
    if None in needed:
        return None
    codegen = linking.LinkingCodegen(target_context.codegen(), linking.Linking)
    result = CompileResult._rebuild(target_context.subtarget(_internal_codegen=codegen), *reduced)
    result.library.needed = needed
    return result


def _needed(path: Path, target_context: Any) -> Any:
    """The library whose machine code a file has, which stays for the rest of the process; None if the file is not whole."""
    here = linking.library_of(path.name)
    if here is None:
        result = _loaded(path, (), target_context)
        if result is None:
            return None
        here, _LOADED[path.name] = result.library, result
    return here


_LOADED: dict[str, Any] = {}
"""The results that were loaded for others that call them, by the names of their files."""


def _checksum(path: Path, content: bytes) -> bytes:
    """The first line of a file of this name and content."""
    return hashlib.sha256(path.name.encode() + b"\0" + content).hexdigest().encode() + b"\n"


def keep(path: Path, content: bytes) -> None:
    """Write a file that says whether it is whole."""
    write(path, _checksum(path, content) + content)


def whole(path: Path) -> bytes | None:
    """What `keep` wrote; None if it is not there, or not what was written there."""
    found = look_up(path)
    if found is None:
        return None
    start = len(_checksum(path, b""))
    content = found[start:]
    return content if found[:start] == _checksum(path, content) else None
