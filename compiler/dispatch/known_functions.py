"""Every public function, method and attribute that the installed Numba compiles, by the names that programs call them."""

from __future__ import annotations

import importlib
import sys
import weakref
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core.registry import cpu_target

from backsweep.dispatch.dispatchers import prepare
from backsweep.runtime.overloads.methods import METHODS
from backsweep.runtime.scipy.sight import meet

PREFIXES = {
    "builtins": "",
    "math": "math.",
    "cmath": "cmath.",
    "_operator": "operator.",
    "_functools": "functools.",
    "_heapq": "heapq.",
    "heapq": "heapq.",
    "random": "random.",
    "numpy": "np.",
    "numpy.fft": "np.fft.",
    "numpy.linalg": "np.linalg.",
    "numpy.random": "np.random.",
    "numpy.lib.stride_tricks": "np.lib.stride_tricks.",
    **{
        f"numpy.polynomial.{name}": f"np.polynomial.{name}."
        for name in ("polynomial", "chebyshev", "hermite", "hermite_e", "laguerre", "legendre")
    },
    "numpy.polynomial.polyutils": "np.polynomial.polyutils.",
}
"""The modules whose functions are listed; other packages have their own overloads, which only some installations have."""
OWNERS = {
    "Array": "ndarray",
    "BaseNamedTuple": "namedtuple",
    "BaseTuple": "tuple",
    "Boolean": "bool",
    "Bytes": "bytes",
    "CharSeq": "np.bytes_",
    "Complex": "complex",
    "DType": "np.dtype",
    "DictType": "dict",
    "EnumMember": "enum",
    "Float": "float",
    "Integer": "int",
    "List": "list",
    "ListType": "numba.typed.List",
    "MemoryView": "memoryview",
    "NPDatetime": "np.datetime64",
    "NPTimedelta": "np.timedelta64",
    "Number": "number",
    "NumPyRandomGeneratorType": "np.random.Generator",
    "RangeType": "range",
    "Set": "set",
    "SetType": "numba.typed.Set",
    "SliceType": "slice",
    "UnicodeCharSeq": "np.str_",
    "UnicodeType": "str",
}
"""Numba's classes of types, by what programs call objects of these types."""
LATE = {"numpy.fft": "fft", "scipy.special": "gamma", "scipy.linalg": "solve"}
"""The modules that Backsweep has Numba compile when it meets them, each with one of their functions."""
MET = {**LATE, "numpy": "tile", "numpy.linalg": "multi_dot"}
"""Those and NumPy's, of whose functions Numba is told when it first meets one."""
_RESOLVES = "resolve_"
DRAWING = "backsweep.runtime.support.object_mode"
"""The module that tells Numba of generators of random numbers; programs load it when they draw."""


def known_functions() -> tuple[str, ...]:
    """The names of what the installed Numba compiles, and of what Backsweep has it compile, in order.

    A method stands behind what its object is called, as in `ndarray.sum`. Names that begin with an underscore are left out.
    """
    for module, one in MET.items():
        meet(getattr(importlib.import_module(module), one))
    importlib.import_module(DRAWING)
    prepare()
    context = cpu_target.typing_context
    found = {f"ndarray.{name}" for name in METHODS}
    for key in tuple(context._globals):
        function = key() if isinstance(key, weakref.ref) else key
        found.update(_names(function))
    for type_, templates in context._attributes.items():
        owner = OWNERS.get(getattr(type_, "__name__", ""))
        if owner is not None:
            found.update(f"{owner}.{name}" for each in templates for name in _members(each))
    return tuple(sorted(found, key=lambda name: (name.lower(), name)))


def _names(function: Any) -> Iterator[str]:
    """How programs call a function; nothing if it belongs to none of the modules."""
    module, name = getattr(function, "__module__", None), getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if module is None and type(owner).__name__ == "Random":  # the generator of the module `random`
        module = "random"
    for late in LATE:
        if getattr(sys.modules[late], name, None) is function and module != "numpy":
            yield PREFIXES.get(late, f"{late}.") + name
            return
    if module in PREFIXES and not name.startswith("_"):
        yield _spelled(PREFIXES[module], name, function)
    elif getattr(numba, name, None) is function:
        yield f"numba.{name}"


def _spelled(prefix: str, name: str, function: Any) -> str:
    """The name that NumPy shows: not all of its functions are called as they call themselves."""
    shown = {"np.": np, "np.linalg.": np.linalg, "np.random.": np.random}.get(prefix)
    if isinstance(shown, ModuleType) and getattr(shown, name, None) != function:
        others = [other for other, value in vars(shown).items() if value is function]
        name = min(others, default=name)
    return prefix + name


def _members(template: Any) -> Iterator[str]:
    """The methods and attributes that one of Numba's templates has types for."""
    name = getattr(template, "_attr", None)
    names = (
        [name]
        if name
        else [each.removeprefix(_RESOLVES) for each in dir(template) if each.startswith(_RESOLVES)]
    )
    yield from (each for each in names if not each.startswith("_"))
