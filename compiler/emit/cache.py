"""Emitted text on disk: a real file for Numba's cache, tracebacks and debuggers, found again by its content.

The folder is `$BACKSWEEP_CACHE_DIR`, else `backsweep` in the user's cache folder, else a temporary one.
A file's name and the name of every function in it carry the hash of the text, so that two processes
cannot take one another's code for their own. Files are written beside and moved into place; what
does not have the text that its name promises is written again.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import linecache
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from backsweep import runtime

MARK = "_[0-9a-f]{16}"
"""What `load` puts behind the names of emitted functions and files."""

MODULES = "backsweep_emitted_"
"""How the names of emitted modules begin."""


def folder() -> Path:
    """Where emitted modules are kept; made if it is not there, a temporary one if it cannot be written."""
    given = os.environ.get("BACKSWEEP_CACHE_DIR")
    base = (
        Path(given) if given else Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "backsweep"
    )
    try:
        base.mkdir(parents=True, exist_ok=True)
        if os.access(base, os.W_OK):
            return base
    except OSError:
        pass
    instead = _temporary()
    if given:
        _warn(base, instead)
    return instead


@functools.cache
def _warn(folder: Path, instead: Path) -> None:
    """Tell, once, that the folder which the user chose cannot be used."""
    message = f"the cache folder {folder} cannot be written; emitted code is kept in {instead}"
    warnings.warn(message, RuntimeWarning, stacklevel=2)


def _temporary() -> Path:
    """A folder of the user's own among the temporary ones; a fresh one where somebody else has that name."""
    user = os.getuid() if hasattr(os, "getuid") else None
    shared = Path(tempfile.gettempdir()) / f"backsweep-{'user' if user is None else user}"
    try:
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = shared.lstat()
        # Numba unpickles what it finds beside an emitted file: nobody else may have put it there.
        own = user is None or (found.st_uid == user and not found.st_mode & 0o022)
        if own and shared.is_dir() and not shared.is_symlink() and os.access(shared, os.W_OK):
            return shared
    except OSError:
        pass
    return _private()


@functools.cache
def _private() -> Path:
    """A fresh temporary folder for this process."""
    return Path(tempfile.mkdtemp(prefix="backsweep-"))


@functools.cache
def sources_mark() -> str:
    """A hash of Backsweep's own sources, compiler and runtime: what they emit depends on every line of them."""
    found = hashlib.sha256()
    for package in (Path(__file__).parents[1], *map(Path, runtime.__path__)):
        for path in sorted(package.rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()


def digest(*parts: str) -> str:
    """A short hash of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def without_mark(name: str) -> str:
    """The name without the hash that `load` gives emitted functions and files."""
    return re.sub(MARK, "", name)


def as_written(text: str, name: str) -> str:
    """A statement of the function of that name; where it is an emitted one, without the hash of its module."""
    mark = re.search(f"{MARK}$", name)
    return text.replace(mark.group(), "") if mark else text


def is_emitted(function: Any) -> bool:
    """Whether the function is one that was emitted."""
    return str(function.__module__).startswith(MODULES)


def load(text: str, name: str, bindings: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The functions of an emitted module, by their plain names; the module comes from its file.

    `key` hashes whatever else the code depends on (options, versions, runtime sources).
    """
    mark = digest(text, key)
    marked, functions = text, re.findall(r"^def (\w+)\(", text, re.MULTILINE)
    for function in functions:
        marked = re.sub(rf"\b{re.escape(function)}\b(?=\()", f"{function}_{mark}", marked)
    path = _written(marked, f"{name}_{mark}.py")
    module = _imported(path, f"{MODULES}{name}_{mark}", bindings)
    return {function: getattr(module, f"{function}_{mark}") for function in functions}


def remembered(kind: str, key: str) -> str | None:
    """A text kept under a key, if it is there and whole."""
    path = folder() / f"{kind}_{key}.txt"
    try:
        stored = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    mark, _, text = stored.partition("\n")
    return text if mark == digest(text) else None


def remember(kind: str, key: str, text: str) -> None:
    """Keep a text under a key, if the disk has room for it."""
    with contextlib.suppress(OSError):
        _write(folder() / f"{kind}_{key}.txt", f"{digest(text)}\n{text}")


def _written(text: str, name: str) -> Path:
    """The file with this text, written unless it is there already."""
    path = folder() / name
    try:
        if path.read_text(encoding="utf-8") == text:
            return path
    except (OSError, UnicodeDecodeError):
        pass
    try:
        _write(path, text)
    except OSError:  # the folder's disk is full, or became read-only
        path = _private() / name
        _write(path, text)
    return path


def _write(path: Path, text: str) -> None:
    """Write a file so that others see all of it or nothing."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


def _imported(path: Path, name: str, bindings: Mapping[str, Any]) -> ModuleType:
    """The module of a file, with objects that text cannot spell bound before it runs."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(bindings)
    linecache.checkcache(str(path))
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    sys.modules[name] = module
    exec(code, module.__dict__)  # noqa: S102  our own text, just compared with what was asked for
    return module
