"""`@means` says which library function an ordinary Python function stands for.

Such a function has the signature of the library's. The compiler lowers it as it lowers the user's functions: what is known while
compiling (the rank of an array, the length of a list that is written out, None, an option) decides its branches and unrolls its loops, so
that `if`, `for` and `isinstance` are enough to say what a call means. Where there is no meaning, it calls `refuse`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import itertools
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])
ROOMS = {
    "builtins": "containers",
    "collections": "containers",
    "numpy.fft": "transforms",
    "numpy.poly": "polynomials",
    "numpy.polynomial": "polynomials",
    "numpy.random": "draws",
    "scipy.fft": "transforms",
    "scipy.integrate": "solvers",
    "scipy.interpolate": "interpolants",
    "scipy.linalg": "matrices",
    "scipy.ndimage": "images",
    "scipy.optimize": "solvers",
    "scipy.signal": "signals",
    "scipy.spatial": "statistics",
    "scipy.special": "special",
    "scipy.stats": "statistics",
}
"""The rooms of packages that load slowly, which are read when a program calls one of their functions: how the full names of these begin."""
_unread = dict(ROOMS)
_MEANINGS: dict[Any, Callable[..., Any]] = {}
IN_NJIT: dict[Any, None] = {}
"""The functions of NumPy that users' own `@njit` functions call by their meanings, too, where Numba lacks them, or lacks calls of them."""
_OBJECTS: dict[type, tuple[Callable[[Any], Any], tuple[str, ...]]] = {}
AXES: Any = ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5))
"""The axes of an array, by their number, each of which is known while compiling."""
RUN_EARLY = ("scipy.constants", "scipy.interpolate")
"""The packages whose functions of constants are run while compiling."""
OF_ARRAYS = ("numpy.fft", "scipy.fft", "scipy.linalg", "scipy.special")
"""The packages whose functions take lists for arrays, and options that change no result."""
IGNORED = (
    *("overwrite_", "check_finite", "lapack_driver", "lwork", "driver"),
    *("workers", "plan", "xp", "device"),
)
"""What memory SciPy may spoil, which happens nowhere here; whether it looks for nan, which leads to nan; which of LAPACK's ways it takes;
and who computes."""


def means(*functions: Any, in_njit: bool = False) -> Callable[[Function], Function]:
    """Say that calls of these functions mean the decorated one; of a class, that its objects stand for those of the library's class.

    With `in_njit`, users' own `@njit` functions call it, too, where Numba has nothing for the arguments. It writes into none of them.
    """
    if in_njit:
        IN_NJIT.update(dict.fromkeys(functions))

    def enter(function: Function) -> Function:
        _MEANINGS.update(dict.fromkeys(functions, function))
        if isinstance(function, type):
            function.__library__ = functions[0]  # type: ignore[attr-defined]
        return function

    return enter


def meaning_of(function: Any) -> Callable[..., Any] | None:
    """The function that says what a library function means; None if there is none."""
    _room_of(function)
    try:
        return _MEANINGS.get(function)
    except TypeError:  # it has no hash
        return None


def is_of_arrays(function: Any) -> bool:
    """Whether it is a function of a package whose functions take lists for arrays."""
    return _home_of(function).startswith(OF_ARRAYS)


@functools.cache
def parameters_of(function: Any) -> Mapping[str, inspect.Parameter | None]:
    """The parameters that a meaning has, by the library's names and in its order, and those that change no result, of which it has none."""
    own = dict(inspect.signature(_MEANINGS[function]).parameters)
    if not is_of_arrays(function) or isinstance(function, np.ufunc):
        return own
    theirs = inspect.signature(function).parameters
    if not own:  # it refuses whatever is given
        return dict.fromkeys(theirs)
    array = own.pop(next(iter(own)))  # one meaning serves functions that call it differently
    own = {next(iter(theirs)): array, **own}
    named = [name for name in theirs if name in own or name.startswith(IGNORED)]
    return {name: own.get(name) for name in (*named, *own)}


def looked_at(
    function: Any, args: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """The arguments of a call that its meaning looks at: all but those that change no result."""
    places = parameters_of(function)
    idle = {name for name, each in places.items() if each is None}
    own = {name: each.name for name, each in places.items() if each is not None}
    named = itertools.zip_longest(args, list(places)[: len(args)])
    return (
        tuple(each for each, name in named if name not in idle),
        {own.get(name, name): each for name, each in keywords.items() if name not in idle},
    )


def _room_of(thing: Any) -> None:
    """Read the room of the package that a function or a class is from; that of NumPy itself is by its name."""
    home = f"{_home_of(thing)}.{getattr(thing, '__name__', None)}"
    _read([each for each in _unread if home.startswith(each)])


def is_of_prelude(function: Any) -> bool:
    """Whether the text of a function stands for a call of the user's, at whose place it is."""
    return _home_of(function).startswith(__name__.rpartition(".")[0])


def stands_for(kind: type, reads: Sequence[str]) -> Callable[[Function], Function]:
    """Say that the decorated function gives the prelude's object for an object of a library's class, or why there is none.

    It runs while compiling, for objects that a program finds around the function; it may look at what it `reads` alone, so that
    one that changes is seen.
    """

    def enter(function: Function) -> Function:
        _OBJECTS[kind] = (function, tuple(reads))
        return function

    return enter


def object_of(thing: Any) -> tuple[Callable[[Any], Any], tuple[str, ...]] | None:
    """What gives the prelude's object for an object of a library's, and the attributes that it reads; None if there is nothing."""
    order = type(thing).__mro__
    for each in order:
        _room_of(each)
    return next((_OBJECTS[each] for each in order if each in _OBJECTS), None)


def is_run_early(function: Any) -> bool:
    """Whether a library's function of constants is run while compiling, as what makes an interpolant, or tells the mass of an electron, is."""
    return _home_of(function).startswith(RUN_EARLY)


def every_meaning() -> Mapping[Any, Callable[..., Any]]:
    """The functions that have a meaning, each with what says it."""
    _read(list(_unread))
    return _MEANINGS


def meanings_of(package: str) -> Mapping[Any, Callable[..., Any]]:
    """The functions of a package that have a meaning, each with what says it; of NumPy's, those that are marked `in_njit`."""
    _read([each for each in _unread if package.startswith(each)])
    own = [each for each in IN_NJIT if (_home_of(each) or "numpy") == package] or [
        each
        for each in _MEANINGS
        if callable(each) and not isinstance(each, type) and _home_of(each).startswith(package)
    ]
    return {each: _MEANINGS[each] for each in own}


def _home_of(thing: Any) -> str:
    """The module that a function or a class is from, by its own account; a ufunc has none."""
    if (
        isinstance(thing, np.ufunc)
        and getattr(sys.modules.get("scipy.special"), thing.__name__, None) is thing
    ):
        return "scipy.special"
    return getattr(thing, "__module__", None) or ""


def _read(packages: Sequence[str]) -> None:
    """Read the rooms of these packages."""
    for package in packages:
        importlib.import_module(f"{__package__}.{_unread.pop(package)}")


def core(function: Function) -> Function:
    """The library's function itself, of which a rule or Numba says what it is; calls of it have no meaning here."""
    return function


def overloaded(function: Function, message: str, remedy: str) -> Function:
    """This function of ours, for which the text of an overload stands: the call is refused for types that this refuses."""
    del message, remedy
    return function


def early(function: Function, *args: Any) -> Any:
    """The result of a function; where all that it is given is known, it runs while compiling."""
    return function(*args)


def of_one_kind(result: Any) -> Any:
    """A result of a function that is called for each entry. It is refused if only the run knows of which kind it is."""
    return result


def of_kind(dtype: Any, entry: Any) -> Any:
    """An entry of an array of this dtype."""
    del dtype
    return entry


def has_known_items(thing: Any) -> bool:
    """Whether a thing is a list or a tuple that is written out: its length is known, and a loop over it is unrolled."""
    return isinstance(thing, list | tuple)


def grows(thing: Any) -> bool:
    """Whether a thing is a list to which the run appends: how long it is, only the run knows."""
    return isinstance(thing, list)


def layout(a: Any) -> str:
    """The order in memory that the type of an array tells: "C" for rows, "F" for columns, "A" for neither."""
    return "C" if a.flags.c_contiguous else "F" if a.flags.f_contiguous else "A"


def unit_axes(a: Any) -> tuple[bool | None, ...]:
    """For each axis of an array whether its extent is 1 by the way in which the array is made; None if only the run knows."""
    return tuple(extent == 1 for extent in np.shape(a))


def axes_of_items(items: Any) -> int:
    """How many axes the arrays have that a list is filled with: 0 for numbers, 1 for lists of numbers, -1 for anything else."""
    return int(np.ndim(items[0]))


def with_places(items: Any) -> Any:
    """What has a length, and items by number: an array or a list itself, the list of what anything else goes through."""
    return items if isinstance(items, list | np.ndarray) else list(items)


def has_array(*things: Any) -> bool:
    """Whether one of these is an array."""
    return any(isinstance(each, np.ndarray) for each in things)


def is_complex(x: Any) -> bool:
    """Whether a number or an array is complex."""
    return np.iscomplexobj(x)


def is_looped(items: list[Any]) -> bool:
    """Whether the call is within a loop over this list, which must not get longer or shorter."""
    del items
    return False


def is_known(*things: Any) -> bool:
    """Whether these are known while compiling: numbers, strings, None, constant arrays, functions."""
    del things
    return True


def is_compiled() -> bool:
    """Whether the user's function that calls is compiled by Numba, which has functions of its own."""
    return False


def in_order(function: Any, *args: Any, **keywords: Any) -> tuple[Any, ...]:
    """The arguments of a call, those left out too, in the order in which a library's function has them; lists become arrays."""
    bound = inspect.signature(function).bind(*args, **keywords)
    bound.apply_defaults()
    return tuple(bound.arguments.values())


def computed(function: Function) -> Function:
    """This function of ours, which is called while compiling: the call is refused where its arguments are not known."""
    return function


def as_array(items: Any) -> Any:
    """The array of a list or a tuple; anything else as it is."""
    return np.array(items) if grows(items) or has_known_items(items) else items


def as_floats(x: Any) -> Any:
    """An array of numbers that are not whole, of what the user gives as one: an array, a list, a number."""
    x = np.asarray(x)
    return x * 1.0 if x.dtype.kind in "iub" else x


def as_real(x: Any) -> Any:
    """The same with the axes that the user gives, so that a number stays one."""
    x = as_array(x)
    return x * 1.0 if np.asarray(x).dtype.kind in "iub" else x


def only_propagating(nan_policy: Any) -> None:
    """Refuse other ways with nan than SciPy's default."""
    if nan_policy != "propagate":
        refuse(
            "`nan_policy` is supported as 'propagate'", "leave out what is nan first, as in x[~np.isnan(x)]"
        )


def refuse(message: str, remedy: str, code: str = "BS113") -> NoReturn:
    """Refuse the user's call with this error. Only the compiler runs it, on a path that it takes."""
    raise TypeError(code, message, remedy)
