"""Emitted text on disk: a real file for Numba's cache, tracebacks and debuggers, found again by its content.

A file's name and the name of every function in it carry the hash of the text, so that two processes
cannot take one another's code for their own. What does not have the text that its name promises is
written again. A module is there for as long as somebody holds its functions.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import linecache
import re
import sys
import weakref
from collections.abc import Mapping
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from backsweep import runtime
from backsweep.runtime.support import folder

MARK = "_[0-9a-f]{16}"
"""What `load` puts behind the names of emitted functions and files."""

MODULES = "backsweep_emitted_"
"""How the names of emitted modules begin."""


def sources_mark() -> str:
    """A hash of Backsweep's own sources, compiler and runtime: what they emit depends on every line of them."""
    return folder.sources_mark(Path(__file__).parents[1], *map(Path, runtime.__path__))


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


class Loaded:
    """An emitted module, there for as long as somebody holds this; `functions` are its own, by their plain names.

    `mark` is the hash that their names carry.
    """

    def __init__(self, module: ModuleType, functions: dict[str, Any], mark: str) -> None:
        self.module = module
        self.functions = functions
        self.mark = mark


_loaded: weakref.WeakValueDictionary[str, Loaded] = weakref.WeakValueDictionary()
"""The emitted modules that are there, by name."""


class _Text(SourceFileLoader):
    """Gives Python the text of an emitted module, also where its file is gone or could not be written."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        """The text: what tracebacks, debuggers and `read_source` ask for."""
        return self.text


def load(text: str, name: str, bindings: Mapping[str, Any], key: str) -> Loaded:
    """An emitted module, with objects that text cannot spell bound before it runs; the same for the same text.

    `key` hashes whatever else the code depends on (options, versions, runtime sources).
    """
    mark = digest(text, key)
    named = f"{MODULES}{name}_{mark}"
    found = _loaded.get(named)
    if found is not None:
        return found
    marked, functions = text, re.findall(r"^def (\w+)\(", text, re.MULTILINE)
    for function in functions:
        marked = re.sub(rf"\b{re.escape(function)}\b(?=\()", f"{function}_{mark}", marked)
    module = _run(marked, _written(marked, f"{name}_{mark}.py"), named, bindings)
    found = Loaded(module, {function: getattr(module, f"{function}_{mark}") for function in functions}, mark)
    _loaded[named] = found
    sys.modules[named] = module  # where pickles look for the classes of what it returns
    weakref.finalize(found, _forget, named, str(module.__file__)).atexit = False
    return found


def _forget(named: str, file: str) -> None:
    """Give back the memory of a module that nobody holds any more."""
    if named not in _loaded:
        sys.modules.pop(named, None)
        linecache.cache.pop(file, None)


def remembered(kind: str, key: str) -> str | None:
    """A text kept under a key, if it is there and whole."""
    kept_in = folder.folder()
    content = None if kept_in is None else folder.read(kept_in / f"{kind}_{key}.txt")
    try:
        mark, _, text = (content or b"").decode().partition("\n")
    except UnicodeDecodeError:
        return None
    return text if mark == digest(kind, key, text) else None


def remember(kind: str, key: str, text: str) -> None:
    """Keep a text under a key, if the disk has room for it."""
    kept_in = folder.folder()
    if kept_in is not None:
        with contextlib.suppress(OSError):
            folder.write(kept_in / f"{kind}_{key}.txt", f"{digest(kind, key, text)}\n{text}".encode())


def _written(text: str, name: str) -> Path:
    """The file with this text, written unless it is there already; where nothing can be written, just its name."""
    for kept_in in (folder.folder, folder.own_folder):
        found = kept_in()
        if found is None:
            continue
        if folder.read(found / name) == text.encode():
            return found / name
        with contextlib.suppress(OSError):  # the folder's disk is full, or became read-only
            folder.write(found / name, text.encode())
            return found / name
    return Path(name)


def _run(text: str, path: Path, named: str, bindings: Mapping[str, Any]) -> ModuleType:
    """The module of a text."""
    spec = importlib.util.spec_from_file_location(named, path, loader=_Text(named, str(path), text))
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(bindings)
    linecache.checkcache(str(path))
    exec(compile(text, str(path), "exec"), module.__dict__)  # noqa: S102  our own text
    return module
