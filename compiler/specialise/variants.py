"""Choose, for each call from Python, among codes that assume different relations between extents: one whose relations hold.

The code checks its assumptions first. Where they do not hold, the call is tried with the other code that there is,
then with new code for its own relations; beyond `MOST` of these, with the code that assumes nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from backsweep.analysis.integers.relations import Relations
from backsweep.boundary import boundary
from backsweep.dispatch.dispatchers import Assuming, Specialising, compile_for_host
from backsweep.pipeline.passes import Stages
from backsweep.requests import Options
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.specialise.build import Emitted, compiled

MOST = 4
MOST_SIZES = 2
"""How many of them may assume the sizes of small matrices; the others serve all sizes."""


class Variants:
    """The code of a transformed function (`owner`) for different relations, the one that was used last first."""

    def __init__(self, owner: Any, general: Specialising) -> None:
        self._owner = owner
        self._general = general
        self.first = Assuming(owner)
        self._others: tuple[Assuming, ...] = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the code whose assumptions the arguments meet."""
        try:
            return self.first(*args, **kwargs)
        except ValueError as error:
            if not self._owner.assumed(error):
                raise
        return self.elsewhere(args, kwargs)

    def elsewhere(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
        """Run other code than the first."""
        for dispatcher in self._others:
            try:
                result = dispatcher(*args, **kwargs)
            except ValueError as error:
                if not self._owner.assumed(error):
                    raise
            else:
                self._use_first(dispatcher)
                return result
        if len(self._others) + 1 == MOST:
            return self._general(*args, **kwargs)
        made = Assuming(self._owner)
        result = made(*args, **kwargs)
        self._use_first(made)
        return result

    def _use_first(self, dispatcher: Assuming) -> None:
        """Try this code first in the next call."""
        self._others = (self.first, *(each for each in self._others if each is not dispatcher))
        self.first = dispatcher

    def __len__(self) -> int:
        return len(self._others) + 1


def runner(emitted: Emitted, number: int, options: Options) -> Callable[..., Any]:
    """One of the emitted functions as calls run it: its machine code, or Python's (for a debugger)."""
    if options.jit:
        return compiled(emitted, number, options)  # type: ignore[no-any-return]
    function = emitted.functions[emitted.names[number]]
    return function if options.error_model == "python" else functools.partial(_as_compiled, function)


def compile_loops(emitted: Emitted, options: Options) -> None:
    """Have the loops that the host runs between kernels of a GPU compiled with these options."""
    keywords = {
        **options.for_numba(),
        "parallel": False,
        **({"boundscheck": True} if emitted.checked else {}),
    }
    mark = emitted.loaded.mark if options.cache and emitted.lasting else None
    compile_for_host(emitted.functions, keywords, vector_math=options.vector_math, mark=mark)


def _as_compiled(function: Callable[..., Any], *args: Any) -> Any:
    """Call an emitted function as Python with NumPy's numbers, whose quotients by zero are infinite, as those of machine code are.

    What it returns are Python's numbers again, as those of machine code are.
    """
    return _of_python(function(*map(_of_numpy, args)))


def _of_numpy(value: Any) -> Any:
    """NumPy's number for one of Python's, also within tuples."""
    if type(value) is float:
        return np.float64(value)
    if type(value) is complex:
        return np.complex128(value)
    if isinstance(value, tuple):
        parts = map(_of_numpy, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _of_python(value: Any) -> Any:
    """Python's number for one of NumPy's in double precision, also within tuples."""
    if type(value) is np.float64:
        return float(value)
    if type(value) is np.complex128:
        return complex(value)
    if isinstance(value, tuple):
        parts = map(_of_python, value)
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def stages_of(special: Any, signature: tuple[Any, Relations], optimize: str = "loops") -> Stages:
    """The passes for these types and relations, each with its program."""
    stages: Stages = []
    with compiling, boundary(special.python, signature[0]):
        special.build.emit(*signature, optimize=optimize, stages=stages)
    return stages
