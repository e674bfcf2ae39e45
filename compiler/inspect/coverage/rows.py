"""Try the calls: each is differentiated by a rule or by an implementation, carries no derivative, or is refused."""

from __future__ import annotations

import contextlib
import enum
import io
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from backsweep.api.gradients import transformed_for
from backsweep.diagnostics import BacksweepError, InternalError
from backsweep.dispatch.known_functions import known_functions
from backsweep.frontend.context.rounds import Implementation
from backsweep.inspect.coverage.samples import Sample, function_of, sample_of
from backsweep.specialise.arguments import has_gradient
from backsweep.specialise.asked import options_of
from backsweep.specialise.pullback import forward_and_pullback

HERE = Path(__file__).parents[2]
"""The folder of the package, or of its compiler in a checkout, beside which the runtime is."""


class Kind(enum.Enum):
    """What becomes of a function's derivative; the value is what the page says."""

    RULE = "by rule"
    IMPLEMENTATION = "by its implementation"
    CONSTANT = "without derivative"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Row:
    """A function of Numba, the call that was tried, what became of it, and what is to be told of that."""

    family: str
    name: str
    text: str
    kind: Kind | None
    reason: str = ""


def rows(names: tuple[str, ...] | None = None) -> tuple[Row, ...]:
    """A row for each function that the installed Numba knows, or for each of the names."""
    return tuple(row_of(name) for name in names or known_functions())


def row_of(name: str) -> Row:
    """The row of a function; its kind is None if no call of it is known, or if the call fails without words."""
    sample = sample_of(name)
    if sample is None:
        return Row("", name, "", None, "there is no call of it in inspect/data/coverage.txt")
    if sample.reason:
        return Row(sample.family, name, "", Kind.REFUSED, sample.reason)
    kind, reason = tried(sample)
    return Row(sample.family, name, sample.text, kind, reason)


def tried(sample: Sample) -> tuple[Kind | None, str]:
    """What becomes of the call, and what is to be told of it: the problem, or where the implementation stands."""
    try:
        with _quietly():
            return _tried(sample.text)
    except InternalError as error:
        return None, error.problems[0].message
    except BacksweepError as error:
        problem = error.problems[0]
        message = problem.message.replace(str(HERE.parent / "runtime"), "backsweep/runtime")
        message = message.replace(str(HERE), "backsweep")  # places as in any installation
        message = re.sub(r" of \S*/(numba/\S+)", r" of \1", message)
        return Kind.REFUSED, f"{problem.code}: {message}"
    except Exception as error:  # noqa: BLE001  whatever it is, the page shows it and the test fails
        return None, f"{type(error).__name__}: {error}"


def _tried(text: str) -> tuple[Kind, str]:
    """What becomes of the call, if no error is raised."""
    function, args = function_of(text)
    extra = "" if varies(function, args) else "x"
    if extra:
        function, args = function_of(text, extra=extra)
    names = function.__code__.co_varnames[: len(args)]
    wanted = tuple(name for name, given in zip(names, args, strict=True) if has_gradient(given))
    transformed = transformed_for("vjp", function, wanted, False, options_of(function, {"jit": False}))
    (result, pull), special = forward_and_pullback(transformed, args), transformed.special(*args)[0]
    if extra or not any(np.any(np.nan_to_num(bar) != 0) for bar in _leaves(pull(_ones(result)))):
        return Kind.CONSTANT, ""
    looked_at = [
        found for library in special.build.libraries.values() for loc, found in library.looked_at.items()
        if loc.caller is None and loc not in library.refused
    ]  # fmt: skip
    return (Kind.IMPLEMENTATION, _home(looked_at[0])) if looked_at else (Kind.RULE, "")


def varies(function: Callable[..., Any], args: tuple[Any, ...]) -> bool:
    """Whether the arguments and the result hold floats, so that there may be a derivative."""
    try:
        result = function(*args)
    except (TypeError, NotImplementedError, ValueError):  # a function that only compiled code has
        return any(map(has_gradient, args))
    return any(map(has_gradient, args)) and any(_is_float(leaf) for leaf in _leaves(result))


def _is_float(leaf: Any) -> bool:
    return isinstance(leaf, float | complex | np.ndarray | np.generic) and np.asarray(leaf).dtype.kind in "fc"


def _leaves(tree: Any) -> list[Any]:
    """The numbers and arrays in a result."""
    return [leaf for item in tree for leaf in _leaves(item)] if isinstance(tree, tuple | list) else [tree]


def _ones(result: Any) -> Any:
    """A cotangent for a result, with another number in each place."""
    if isinstance(result, tuple | list):
        items = [_ones(item) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    if not _is_float(result):
        return result
    shape = np.shape(result)
    drawn = np.sin(1.0 + np.arange(np.size(result))).reshape(shape) + 1.5
    return drawn.astype(result.dtype) if isinstance(result, np.ndarray) else type(result)(drawn)


def _home(implementation: Implementation) -> str:
    """Whose implementation it is."""
    function = getattr(implementation.function, "py_func", implementation.function)
    module = str(getattr(function, "__module__", ""))
    return "Backsweep's" if module.startswith("backsweep.") else "Numba's"


@contextlib.contextmanager
def _quietly() -> Any:
    """A context without prints and warnings; afterwards, the generators of random numbers are in the state of before."""
    kept, drawn = random.getstate(), np.random.get_state()  # noqa: NPY002  the calls draw from it
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            random.setstate(kept)
            np.random.set_state(drawn)  # noqa: NPY002
