"""A hash of all that the machine code of a function depends on, equal in each process; or the word that there is none.

What is installed with a version (the standard library, NumPy, SciPy, Numba, llvmlite) and our own runtime count by name:
their versions, and a hash of our sources, belong to the mark of everything that is kept. Any other function counts by its
bytecode and by the values that it refers to, and so on down. A value that another process could not be sure to have too, such
as an object of an unknown class or an address, has no fingerprint, and what refers to it is not kept.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher
from numba.extending import _Intrinsic

TRUSTED = frozenset({*sys.stdlib_module_names, "numpy", "scipy", "numba", "llvmlite", "backsweep"}) - {
    "__main__"
}
"""The packages whose content follows from versions and from the hash of our sources."""
_PLAIN = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(Ellipsis),
    np.dtype,
    np.generic,
    range,
    slice,
)


class NoFingerprintError(Exception):
    """What a function refers to cannot be told from its text."""


def is_trusted(module: str | None) -> bool:
    """Whether the content of a module follows from versions."""
    return (module or "").partition(".")[0] in TRUSTED


def fingerprint(function: FunctionType, *values: Any) -> str | None:
    """The hash of a function, and of what else its machine code depends on; None if there is none."""
    found = hashlib.sha256()
    try:
        for part in _parts([*_of_function(function), *values], ()):
            found.update(f"{len(part)} ".encode() + part)
    except (NoFingerprintError, RecursionError):
        return None
    return found.hexdigest()


def _parts(value: Any, above: tuple[int, ...]) -> Iterator[bytes]:
    """What tells a value from others; `above` has the identities of what refers to it."""
    yield f"{type(value).__module__}.{type(value).__qualname__}".encode()
    if isinstance(value, _PLAIN):
        yield repr(value).encode()
        return
    if id(value) in above:
        yield f"the one {len(above) - above.index(id(value))} above".encode()
        return
    for part in _inner(value):
        yield from [part] if isinstance(part, bytes) else _parts(part, (*above, id(value)))


def _inner(value: Any) -> Iterable[Any]:
    """The values that a value consists of, and texts as bytes."""
    if isinstance(value, tuple | list):
        return [len(value), *value]
    if isinstance(value, dict):
        return [len(value), *value.items()]
    if isinstance(value, set | frozenset):
        if not all(isinstance(each, _PLAIN) for each in value):
            raise NoFingerprintError
        return sorted(map(repr, value))
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        return [value.dtype, value.shape, value.tobytes()]
    if isinstance(value, types.Type):
        return _of_type(value)
    if isinstance(value, FunctionType):
        if _is_found_by_name(value):
            return _place(value)
        if not is_trusted(
            value.__module__
        ):  # compiled code may call an overload of it that is defined elsewhere
            raise NoFingerprintError
        return _of_function(value)
    if isinstance(value, Dispatcher):
        own = [sorted(value.targetoptions.items()), sorted(value.locals.items())]
        return [*_of_function(value.py_func), *own]
    if isinstance(value, _Intrinsic):
        return [value._defn, bool(value._prefer_literal)]
    if isinstance(value, functools.partial):
        return [value.func, value.args, value.keywords]
    if isinstance(value, CodeType):
        return _of_code(value)
    if isinstance(value, ModuleType) and is_trusted(value.__name__):
        return [value.__name__.encode()]
    if isinstance(value, type | BuiltinFunctionType | np.ufunc) and _is_found_by_name(value):
        return _place(value)
    raise NoFingerprintError


def _of_type(type_: Any) -> list[Any]:
    """What tells one of Numba's types: its class and its key, unless that holds an address."""
    if isinstance(type_, types.Dispatcher):
        return [type_.dispatcher]
    if isinstance(type_, types.Function):
        return [type_.typing_key]
    if isinstance(type_, types.BoundFunction):
        return [type_.this, type_.typing_key]
    if isinstance(type_, types.Literal):
        return [type_.literal_value]
    if isinstance(type_, types.Module):
        return [type_.pymod]
    if not is_trusted(type(type_).__module__):
        raise NoFingerprintError
    key = type_.key
    if isinstance(key, str) and " at 0x" in key:
        raise NoFingerprintError
    return [key]


def _of_function(function: FunctionType) -> list[Any]:
    """What tells a function: its code, defaults, captured values, and the globals that it names if they are not fixed."""
    code = function.__code__
    try:
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
    except ValueError:  # a cell without content
        raise NoFingerprintError from None
    globals_: list[Any] = [function.__module__]
    module = sys.modules.get(function.__module__)
    if not (is_trusted(function.__module__) and module and function.__globals__ is vars(module)):
        names = sorted({name for each in _codes(code) for name in each.co_names} & set(function.__globals__))
        globals_ = [(name, function.__globals__[name]) for name in names]
    return [
        function.__qualname__,
        code,
        function.__defaults__,
        sorted((function.__kwdefaults__ or {}).items()),
        cells,
        globals_,
    ]


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A function's code and that of the functions within it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)


def _of_code(code: CodeType) -> list[Any]:
    """What tells a function's code: places in files do not count."""
    return [
        code.co_code,
        code.co_names,
        code.co_varnames,
        code.co_freevars,
        code.co_cellvars,
        code.co_flags,
        code.co_argcount,
        code.co_posonlyargcount,
        code.co_kwonlyargcount,
        code.co_consts,
        getattr(code, "co_exceptiontable", b""),
    ]


def _place(value: Any) -> tuple[str, str]:
    """The module and the name by which a value is found."""
    module = getattr(value, "__module__", None) or ("numpy" if isinstance(value, np.ufunc) else "builtins")
    return module, getattr(value, "__qualname__", value.__name__)


def _is_found_by_name(value: Any) -> bool:
    """Whether a trusted module has this very value under its name."""
    module, names = _place(value)
    found: Any = sys.modules.get(module) if is_trusted(module) else None
    for name in names.split("."):
        found = getattr(found, name, None)
    return found is value
