"""Functions that Numba cannot compile, called from machine code: Python runs them, and the result has a declared type."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.ccallback import CFunc
from numba.core.dispatcher import Dispatcher

from backsweep.runtime.support.object_mode import BY_PYTHON, GENERATOR, formatted, warned

ADDRESS: type = vars(ctypes)["_CFuncPtr"]
"""The class of the functions of `ctypes`."""
NumbaType = Any  # Numba ships no annotations

_CALL = """
def called(*args):
    with objmode(found=result_type):
        found = run(*args)
    return found
"""


class PythonCall:
    """A function that only Python runs, which compiled code calls, too; `like` is a result with its type."""

    declared = {"need": "nothing"}  # noqa: RUF012  what the compiler asks of each runtime function

    def __init__(self, function: Callable[..., Any], like: Any, name: str | None = None) -> None:
        self.function = function
        self.like = like
        own = str(getattr(function, "__name__", type(function).__name__)).replace("<lambda>", "function")
        self.__name__ = name or own
        self.__doc__ = getattr(function, "__doc__", None)
        self.__module__ = ""  # it has no name by which another module could import it
        self._result_type = _type_of(like)

    def __call__(self, *args: Any) -> Any:
        """Run the function, and convert its result to the declared type."""
        return self._converted(self.function(*args), self.like)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what it was made of, without what is compiled."""
        return PythonCall, (self.function, self.like, self.__name__)

    def _converted(self, found: Any, like: Any) -> Any:
        """The result in the declared type; raises TypeError where it has another structure or rank."""
        if isinstance(like, tuple):
            if not isinstance(found, tuple) or len(found) != len(like):
                raise TypeError(
                    f"`{self.__name__}` returns no tuple of {len(like)}, as `result` says it does"
                )
            return tuple(self._converted(*pair) for pair in zip(found, like, strict=True))
        array, wanted = np.asarray(found), np.asarray(like)
        if array.ndim != wanted.ndim or not np.can_cast(array.dtype, wanted.dtype, "same_kind"):
            what = f"an array of {array.dtype} with {array.ndim} axes, but `result` is one of {wanted.dtype} with {wanted.ndim}"
            raise TypeError(f"`{self.__name__}` returns {what}")
        if wanted.ndim == 0:
            return type(like)(array[()])
        return np.ascontiguousarray(array, dtype=wanted.dtype)

    @property
    def _numba_type_(self) -> NumbaType:
        """Numba's type of it: that of a function of any number of arguments which enters Python."""
        return numba.typeof(self._compiled)

    @functools.cached_property
    def _compiled(self) -> Any:
        """The function that machine code calls, which enters Python."""
        namespace: dict[str, Any] = {
            "objmode": numba.objmode,
            "result_type": self._result_type,
            "run": self.__call__,
        }
        exec(_CALL, namespace)  # noqa: S102  our own text
        made = numba.njit(namespace["called"])
        made.returns = self._result_type  # so that its type is known before it is compiled
        return made


class GeneratorRead(PythonCall):
    """A read of a generator of random numbers that a function has around it: the generator that is there at this time."""

    def __init__(self, look: Callable[[], Any], name: str) -> None:
        super().__init__(look, np.random.default_rng(0), f"{name}_around")

    def __call__(self) -> Any:
        """The generator itself, so that what is drawn advances its state."""
        found = self.function()
        if not isinstance(found, np.random.Generator):
            raise TypeError(
                f"`{self.__name__.removesuffix('_around')}` is no longer a generator of random numbers"
            )
        return found


def _type_of(like: Any) -> NumbaType:
    """Numba's type of a result: arrays are contiguous."""
    if isinstance(like, tuple):
        return types.BaseTuple.from_types(tuple(map(_type_of, like)))
    if isinstance(like, np.ndarray):
        return types.Array(numba.from_dtype(like.dtype), like.ndim, "C")
    return numba.typeof(like)


class ForeignCall:
    """A function of `ctypes`, which has no hash: machine code calls it by its address."""

    declared = {"need": "nothing"}  # noqa: RUF012  what the compiler asks of each runtime function

    def __init__(self, function: Any) -> None:
        self.function = function
        self.__name__ = str(getattr(function, "__name__", "function"))  # one made of an address has none
        self.__module__ = ""  # it has no name by which another module could import it

    def __call__(self, *args: Any) -> Any:
        """Call it through `ctypes`."""
        return self.function(*args)

    @property
    def _numba_type_(self) -> NumbaType:
        """Numba's type of it: that of a function which calls the address."""
        return numba.typeof(self._compiled)

    @functools.cached_property
    def _compiled(self) -> Any:
        function = self.function

        @numba.njit
        def called(*args: Any) -> Any:
            return function(*args)

        return called


def may_release_lock(module: ModuleType, text: str, arguments: Iterable[NumbaType]) -> bool:
    """Whether code runs without Python's lock: it calls nothing that Python runs, draws from no generator, and starts no threads.

    Numba's draws do not lock the generator, which several threads may share; not every layer of Numba's threads can be
    entered by two threads.
    """
    for thing in vars(module).values():
        if isinstance(thing, PythonCall) or thing is formatted or thing is warned:
            return False
        if isinstance(thing, Dispatcher) and thing.targetoptions.get("parallel"):
            return False
    draws = any(f".{name}(" in text for name in ("default_rng", *BY_PYTHON))
    return not draws and not any(str(GENERATOR) in str(type_) for type_ in arguments)


_FOREIGN: dict[int, ForeignCall] = {}
"""By the identity of the functions, which stay alive here."""


def with_hash(thing: Any) -> Any:
    """The object itself; for a function of `ctypes`, the one that stands for it."""
    if not isinstance(thing, ADDRESS):
        return thing
    return _FOREIGN.setdefault(id(thing), ForeignCall(thing))


def is_opaque(thing: object) -> bool:
    """Whether compiled code calls the object without its text: Python runs it, or it is a function of `ctypes` or a `numba.cfunc`."""
    return isinstance(thing, PythonCall | ForeignCall | CFunc)


def is_cfunc(thing: object) -> bool:
    """Whether it is a `numba.cfunc`, whose Python text is known besides its address."""
    return isinstance(thing, CFunc)
