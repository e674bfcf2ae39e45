"""Numba is told of SciPy's functions when it first meets one: SciPy's modules load slowly, and most programs call none.

Numba asks for the type of each object that a compiled function refers to, and first of all by its class. Here we are asked for ufuncs,
for Python functions and for objects of classes that Numba does not know, as the transforms of `scipy.fft` are, and have the modules register
what they know, if the object is SciPy's.

Some programs know functions of SciPy by their addresses alone: before Numba knew `scipy.special`, packages took these from
`scipy.special.cython_special`, and called them by objects of their own with Numba's `WrapperAddressProtocol`, or by `ctypes`.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.core.registry import cpu_target
from numba.core.types import WrapperAddressProtocol, float64
from numba.extending import typeof_impl

from backsweep.runtime.support.python_calls import ADDRESS

REGISTERING = {
    "scipy.special": (
        "backsweep.runtime.scipy.elementwise",
        "backsweep.runtime.scipy.functions",
        "backsweep.runtime.special_functions.voigt",
    ),
    "scipy.linalg": (),
    "numpy.fft": (),
    "scipy.fft": (),
    "scipy.integrate": (),
    "scipy.ndimage": (),
    "scipy.optimize": (),
    "scipy.signal": (),
    "scipy.spatial.distance": (),
    "scipy.stats": (),
    "numpy": (),
    "numpy.linalg": (),
}
"""For a module of SciPy or NumPy, the modules of ours that tell Numba of its functions: by `register()`, or when they are imported."""
ALSO_TOLD: list[Callable[[str], None]] = []
"""What is called with the name of a module then, and tells Numba of the functions that it does not know yet."""


def meet(value: Any) -> None:
    """Register the functions of the module of SciPy that the object is from, unless that has been done."""
    for name in tuple(REGISTERING):
        if _is_from(value, name):
            known = REGISTERING.pop(name)
            for module in map(importlib.import_module, known):
                if hasattr(module, "register"):
                    module.register()
            for each in ALSO_TOLD:
                each(name)
            cpu_target.typing_context.refresh()
            cpu_target.target_context.refresh()


def _is_from(value: Any, module: str) -> bool:
    """Whether the object is one that a module of SciPy offers; it is not if the program has not imported that."""
    loaded = sys.modules.get(module)
    name = getattr(value, "__name__", "")
    return loaded is not None and getattr(loaded, name, None) is value


def _have_numba_ask(kind: type) -> None:
    """Be asked for the types of objects of this class, and answer as before."""
    before = typeof_impl.dispatch(kind)

    @typeof_impl.register(kind)
    def met(value: Any, context: Any) -> Any:
        meet(value)
        return before(value, context)


_have_numba_ask(np.ufunc)
_have_numba_ask(types.FunctionType)
_have_numba_ask(object)


def at_address(thing: object) -> Any:
    """The ufunc of `scipy.special` that an object calls for doubles, by its address; None if it is none."""
    if "scipy.special.cython_special" not in sys.modules:
        return None
    return _by_address().get(_called(thing))


def _called(thing: object) -> tuple[int, int]:
    """The address that an object calls, and with how many doubles; zeros if it calls none, or for other types."""
    if isinstance(thing, WrapperAddressProtocol):
        signature = thing.signature()
        if all(kind == float64 for kind in (signature.return_type, *signature.args)):
            return thing.__wrapper_address__(), len(signature.args)
    if isinstance(thing, ADDRESS):
        given: Any = thing
        kinds = (given.restype, *(given.argtypes or ()))
        if all(kind is ctypes.c_double for kind in kinds):
            return ctypes.cast(given, ctypes.c_void_p).value or 0, len(kinds) - 1
    return 0, 0


@functools.cache
def _by_address() -> Mapping[tuple[int, int], Any]:
    """The ufuncs by their address and the number of operands."""
    symbols = importlib.import_module("backsweep.runtime.scipy.symbols")
    known = importlib.import_module("backsweep.runtime.scipy.elementwise").ufuncs()
    return {(symbols.address_of(key), ufunc.nin): ufunc for ufunc, key in known.items()}
