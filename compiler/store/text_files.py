"""Write emitted text to real files, for Numba's cache, tracebacks and debuggers; a file is found by its content.

The names of a file and of every function in it contain the hash of the text, so that processes cannot confuse their
code. A file whose text does not match its hash is written again. A module exists as long as its functions are alive.
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
from backsweep.runtime.machine_code import folder
from backsweep.store.records import have_records_sent

MARK = "_[0-9a-f]{16}"
"""The pattern of the suffix that `load` gives the names of emitted functions and files."""

MODULES = "backsweep_emitted_"
"""The prefix of the names of emitted modules."""


def sources_mark() -> str:
    """A hash of the sources of Backsweep's compiler and runtime, because emitted code depends on all of them."""
    return folder.sources_mark(Path(__file__).parents[1], *map(Path, runtime.__path__))


def digest(*parts: str) -> str:
    """A short hash of texts."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def without_mark(name: str) -> str:
    """The name without the hash that `load` gives emitted functions and files."""
    return re.sub(MARK, "", name)


def as_written(text: str, name: str) -> str:
    """A statement of the function `name`; if the function was emitted, the hash of its module is removed."""
    mark = re.search(f"{MARK}$", name)
    return text.replace(mark.group(), "") if mark else text


def is_emitted(function: Any) -> bool:
    """Whether the function is emitted code."""
    return str(function.__module__).startswith(MODULES)


class Loaded:
    """An emitted module, which exists as long as this object is alive; `functions` are its functions, by plain name.

    `mark` is the hash in their full names.
    """

    def __init__(self, module: ModuleType, functions: dict[str, Any], mark: str) -> None:
        self.module = module
        self.functions = functions
        self.mark = mark


_loaded: weakref.WeakValueDictionary[str, Loaded] = weakref.WeakValueDictionary()
"""The emitted modules that exist, by name."""

_unused: list[tuple[str, str]] = []
"""The names and files of modules that nothing referred to when they were noted here."""


class _Text(SourceFileLoader):
    """Gives Python the text of an emitted module, even if its file is gone or could not be written."""

    def __init__(self, name: str, path: str, text: str) -> None:
        super().__init__(name, path)
        self.text = text

    def get_source(self, fullname: str) -> str:  # noqa: ARG002
        """The text: what tracebacks, debuggers and `read_source` ask for."""
        return self.text


def load(text: str, name: str, bindings: Mapping[str, Any], key: str) -> Loaded:
    """Load an emitted module, with `bindings` for objects that text cannot contain; equal texts share one module.

    `key` is a hash of everything else that the code depends on (options, versions, runtime sources).
    """
    mark = digest(text, key)
    named = f"{MODULES}{name}_{mark}"
    found = _loaded.get(named)
    if found is not None:
        return found
    free_modules()
    marked, functions = text, re.findall(r"^def (\w+)\(", text, re.MULTILINE)
    for function in functions:
        marked = re.sub(rf"\b{re.escape(function)}\b(?=[(\[])", f"{function}_{mark}", marked)
    module = _run(marked, _written(marked, f"{name}_{mark}.py"), named, bindings)
    found = Loaded(module, {function: getattr(module, f"{function}_{mark}") for function in functions}, mark)
    _loaded[named] = found
    sys.modules[named] = module  # pickle looks here for the classes of results
    weakref.finalize(found, _unused.append, (named, str(module.__file__))).atexit = False
    return found


def free_modules() -> None:
    """Free the modules that nothing refers to any more.

    A finalizer may run at any time, also while Python walks through its modules or the texts that it knows: it only notes
    what is free, and the next module that is loaded frees it.
    """
    while _unused:
        named, file = _unused.pop()
        if named not in _loaded:
            sys.modules.pop(named, None)
            linecache.cache.pop(file, None)


def remembered(kind: str, key: str) -> str | None:
    """The text that was kept under a key, or None if it is missing or damaged."""
    kept_in = folder.folder()
    content = None if kept_in is None else folder.look_up(kept_in / f"{kind}_{key}.txt")
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
    """The path of the file with this text, which is written unless it exists; a path only, if writing fails."""
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
    have_records_sent(module)
    return module
