"""Turn callables that are no functions, `functools.partial`, `@vectorize` functions and objects with `__call__`, into functions with a text."""

from __future__ import annotations

import functools
import hashlib
import inspect
import linecache
from types import BuiltinFunctionType, FunctionType
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from backsweep.dispatch.dispatchers import is_vectorised
from backsweep.dispatch.inference import is_overloaded
from backsweep.ir.operations import Kind, kind
from backsweep.prelude import meaning_of
from backsweep.reading.names import has_rule

_FUNCTIONS: WeakKeyDictionary[Any, FunctionType] = WeakKeyDictionary()
"""The function that stands for each object, as long as that lives; an attribute would be pickled with it."""
_OWN = ("backsweep.", "numba.", "numpy.")
"""The modules whose objects are not the user's."""
_WRITTEN_IN_C = ("math", "cmath", "_operator")
"""Those of Python's modules whose functions have no text."""


def as_function(f: Any) -> Any:
    """A bound method for an object of the user's that can be called, else `f` itself.

    For a `functools.partial` or a `@vectorize` function, it is a function that calls it; for a function that takes `**options`
    or that a decorator has put around another, a function of the parameters with names; for one that calls it within another library,
    the function itself; for one of NumPy, SciPy or `math` that is
    written in C, a function of the parameters without default.

    Examples:
    >>> import functools
    >>> def area(width, height):
    ...     return width * height
    >>> as_function(functools.partial(area, 2.0))(3.0)
    6.0
    """
    if hasattr(type(f), "bridged"):
        return f.bridged
    if _is_of_library(f) and (taken := _without_default(f)):
        return _calling(f, taken)
    if isinstance(f, functools.partial) or is_vectorised(f) or _takes_others(f):
        if f not in _FUNCTIONS:
            _FUNCTIONS[f] = _of_partial(f if isinstance(f, functools.partial) else functools.partial(f))
        return _FUNCTIONS[f]
    kind = type(f)
    if isinstance(f, type) or f"{kind.__module__}.".startswith(_OWN) or not _is_called(f):
        return f
    return f.__call__


def _is_of_library(f: Any) -> bool:
    """Whether it is a ufunc, a function of NumPy's that other arrays may take over, or one of Python's that is written in C: it has no text to read.

    Neither is the text read of a function of NumPy's or SciPy's that Numba has been told of, or of which the prelude says what it means.
    """
    if isinstance(f, np.ufunc):
        return True
    if isinstance(f, BuiltinFunctionType):
        is_computed = f.__module__ == "builtins" and has_rule(f) and kind(f) is not Kind.EXTENT
        return f.__module__ in _WRITTEN_IN_C or is_computed
    if isinstance(f, FunctionType):
        is_theirs = f"{f.__module__}.".startswith(("numpy.", "scipy."))
        return is_theirs and (is_overloaded(f) or meaning_of(f) is not None)
    return type(f) is type(np.sum)


def _without_default(f: Any) -> tuple[str, ...]:
    """The parameters that a function of a library has to be given; none if they are not known."""
    if isinstance(f, np.ufunc):
        return tuple("xyzuvw"[: f.nin]) if f.nin <= 6 else ()
    try:
        parameters = inspect.signature(f).parameters.values()
    except ValueError:
        return ()
    needed = [each for each in parameters if each.default is each.empty and each.kind is not each.VAR_KEYWORD]
    return tuple(each.name for each in needed) if all(map(_is_plain, needed)) else ()


def _is_plain(parameter: inspect.Parameter) -> bool:
    return parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)


@functools.cache
def _calling(f: Any, taken: tuple[str, ...]) -> FunctionType:
    """A function of these parameters that calls the function of a library."""
    names = ", ".join(taken)
    return written(
        f.__name__, f"def {f.__name__}({names}):\n    return _{f.__name__}({names})\n", {f"_{f.__name__}": f}
    )


def _is_called(f: Any) -> bool:
    """Whether calling the object runs `__call__`, a Python function of its class, and nothing else."""
    means = ("py_func", "only_from_python", "__wrapped__", "__code__")
    return inspect.isfunction(inspect.getattr_static(type(f), "__call__", None)) and not any(
        hasattr(f, name) for name in means
    )


def _takes_others(f: Any) -> bool:
    """Whether a function's own parameters are not those with names that it is called by."""
    if not (inspect.isfunction(f) or inspect.ismethod(f)):
        return False
    kinds = [each.kind for each in inspect.signature(f, follow_wrapped=False).parameters.values()]
    decorated = hasattr(f, "__wrapped__") and inspect.Parameter.VAR_POSITIONAL in kinds
    return decorated or inspect.Parameter.VAR_KEYWORD in kinds


def _of_partial(f: functools.partial[Any]) -> FunctionType:
    """A function of the parameters that a `partial` leaves open, which calls the function with all arguments.

    Around another function, a decorator's takes what that one has a default for by its name, and `**options` are those that are given.
    """
    inner = f.func if is_vectorised(f.func) or _takes_others(f.func) else as_function(f.func)
    name = getattr(inner, "__name__", "function")
    name = name if name.isidentifier() else "function"
    signature = inspect.signature(inner)
    space: dict[str, Any] = {f"_{name}": inner}
    given: list[str] = []
    taken: list[str] = []
    bound = signature.bind_partial(*f.args, **f.keywords).arguments
    starred = False
    is_around = inspect.isfunction(inner) and hasattr(inner, "__wrapped__")
    own = inspect.signature(inner, follow_wrapped=not is_around).parameters
    for parameter in signature.parameters.values():
        called = parameter.name
        if parameter.kind is parameter.VAR_POSITIONAL:
            fixed = bound.get(called, ())
            space.update({f"{called}_{k}": value for k, value in enumerate(fixed)})
            given += [f"{called}_{k}" for k in range(len(fixed))]
            starred = called not in f.keywords
            taken.append(f"*{called}")
            given.append(f"*{called}")
            continue
        if parameter.kind is parameter.VAR_KEYWORD:
            for option, value in bound.get(called, {}).items():
                space[f"_{option}"] = value
                given.append(f"{option}=_{option}")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            taken.append("*")
            starred = True
        is_optional = parameter.default is not parameter.empty and called not in own
        by_name = parameter.kind is parameter.KEYWORD_ONLY or is_optional
        given.append(f"{called}={called}" if by_name else called)
        if called in bound:
            space[called] = bound[called]
        else:
            default = "" if parameter.default is parameter.empty else f"=_default_{called}"
            if default:
                space[f"_default_{called}"] = parameter.default
            taken.append(f"{called}{default}")
    if taken[-1:] == ["*"]:
        taken.pop()
    text = f"def {name}({', '.join(taken)}):\n    return _{name}({', '.join(given)})\n"
    space["__name__"] = getattr(inner, "__module__", "__main__")
    made = written(name, text, space)
    if name not in bound:
        del space[name]
    made.__doc__ = getattr(inner, "__doc__", None)
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in signature.parameters.values()):
        vars(made)["takes_options"] = inner
    return made


def written(name: str, text: str, space: dict[str, Any], kind: str = "partial") -> FunctionType:
    """The function of this name that a text of ours defines; tracebacks show the text."""
    mark = hashlib.sha256(text.encode()).hexdigest()[:16]
    file = f"<{kind} of {name} {mark}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), space)  # noqa: S102  our own text
    made: FunctionType = space[name]
    return made
