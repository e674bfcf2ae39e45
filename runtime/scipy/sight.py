"""Numba is told of SciPy's functions when it first meets one: SciPy's modules load slowly, and most programs call none.

Numba asks for the type of each object that a compiled function refers to, and first of all by its class. Here we are asked for ufuncs
and for Python functions, and have the modules register what they know, if the object is SciPy's.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import Any

import numpy as np
from numba.extending import typeof_impl

REGISTERING = {
    "scipy.special": tuple(
        f"backsweep.runtime.scipy.{each}"
        for each in ("elementwise", "functions", "sums_of_exponentials", "written_out")
    ),
    "scipy.linalg": ("backsweep.runtime.scipy.matrices",),
}
"""For a module of SciPy, the modules of ours that tell Numba of its functions, by `register()`."""


def meet(value: Any) -> None:
    """Register the functions of the module of SciPy that the object is from, unless that has been done."""
    for name in tuple(REGISTERING):
        if _is_from(value, name):
            for ours in REGISTERING.pop(name):
                importlib.import_module(ours).register()


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
