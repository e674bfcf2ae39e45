"""What a gradient costs beside its function: times, compile times and the bytes of records."""

from __future__ import annotations

import gc
import importlib.metadata
import math
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numba
import numpy as np
from numba.core import errors

import backsweep as bs
from backsweep.boundary import boundary, running
from backsweep.inspect.audit.pairs import code_lines
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.runtime.machine_code.folder import CHOSEN
from backsweep.specialise.asked import OfFunction

LEAST_CALLS = 3
"""Each function is called at least so often, however long it takes."""


@dataclass(frozen=True)
class Costs:
    """Seconds of the shortest call, processor seconds of compiling, and bytes.

    `kept` are the bytes of all arrays that stay for the reverse sweep, the function's own among them; `records` those of the
    arrays that only this sweep needs.

    `primal_compile` is None if the primal is not compiled: Numba refuses it, for the reason in `refused`, or it was
    compiled before.
    """

    primal: float
    gradient: float
    primal_compile: float | None
    gradient_compile: float
    kept: int
    records: int | None
    lines: int
    refused: str = ""

    @property
    def ratio(self) -> float:
        """Value and gradient in calls of the primal."""
        return self.gradient / self.primal


class Calls:
    """Calls with the same arguments, whose arrays get their values back after each call."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.args = args
        self._kept = [(array, array.copy()) for array in _arrays(args) if array.flags.writeable]

    def run(self, function: Callable[..., Any], clock: Callable[[], float]) -> float:
        """The seconds that one call takes by this clock."""
        began = clock()
        function(*self.args)
        spent = clock() - began
        for array, values in self._kept:
            np.copyto(array, values)
        return spent

    def first(self, function: Callable[..., Any]) -> float:
        """Processor seconds of the first call beyond those of the second, which is compiled."""
        first = self.run(function, time.process_time)
        return max(first - self.run(function, time.process_time), 0.0)

    def least_times(self, functions: tuple[Callable[..., Any], ...], seconds: float) -> list[float]:
        """The least time of a call of each function. The calls take turns, so that noise affects all alike."""
        best = [math.inf] * len(functions)
        rounds, until = 0, time.perf_counter() + seconds * len(functions)
        gc.disable()
        try:
            while rounds < LEAST_CALLS or time.perf_counter() < until:
                for k, function in enumerate(functions):
                    best[k] = min(best[k], self.run(function, time.perf_counter))
                rounds += 1
        finally:
            gc.enable()
        return best


def costs(function: Callable[..., Any], gradient: Any, args: tuple[Any, ...], seconds: float) -> Costs:
    """Compile and time the function and its gradient, which takes turns with it for `seconds` each.

    Compile times are those of empty caches. Arrays among the arguments get their values back after each call, because
    a function may write into them.
    """
    calls = Calls(args)
    with _empty_cache():
        Calls((1.0,)).first(bs.value_and_grad(_square))
        Calls((1.0,)).first(numba.njit(_square))
        gradient_compile = calls.first(gradient)
        primal, primal_compile, refused = _compiled_primal(function, calls)
        primal_time, gradient_time = calls.least_times((primal, gradient), seconds)
        return Costs(
            primal_time,
            gradient_time,
            primal_compile,
            gradient_compile,
            kept(gradient, args),
            gradient.explain(*args).bytes,
            code_lines(gradient.source(*args)),
            refused,
        )


def kept(gradient: Any, args: tuple[Any, ...]) -> int:
    """The bytes of all arrays that a gradient keeps for its reverse sweep, records or not, when it is called with these arguments."""
    special, given = gradient._meant(args)
    signature = special._signature_for(given)
    with compiling, boundary(special.python, signature[0]):
        run = special.build.kept_counter(*signature)
    with running(special.python, signature[0]):
        return int(run(*special.with_defaults(*given)))


def table_lines(cost: Costs) -> Iterator[str]:
    """The lines of the table."""
    known = cost.primal_compile
    compiled = "as Python" if cost.refused else "compiled before" if known is None else f"{known:.2f} s"
    relative = "" if known is None else f"{cost.gradient_compile / known:.2f}"
    yield f"{'':20}{'one call':>14}{'compile':>18}"
    yield f"{'primal':20}{duration(cost.primal):>14}{compiled:>18}"
    yield f"{'value and gradient':20}{duration(cost.gradient):>14}{f'{cost.gradient_compile:.2f} s':>18}"
    yield f"{'ratio':20}{cost.ratio:14.2f}{relative:>18}".rstrip()
    yield f"{'kept':20}{f'{cost.kept:,} bytes':>14}"
    yield f"{'records':20}{'unknown' if cost.records is None else f'{cost.records:,} bytes':>14}"
    yield f"{'emitted':20}{f'{cost.lines} lines':>14}"
    if cost.refused:
        yield f"Numba does not compile the primal, so it was timed as Python runs it: {cost.refused}"


def saved(cost: Costs) -> dict[str, Any]:
    """The figures and the versions, to be saved as JSON."""
    versions = {name: importlib.metadata.version(name) for name in ("backsweep", "numba", "numpy")}
    return {**asdict(cost), "ratio": cost.ratio, "python": platform.python_version(), **versions}


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if seconds * factor >= 1.0:
            return f"{seconds * factor:.3f} {unit}"
    return f"{1e6 * seconds:.3f} us"


def _arrays(value: object) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays in an argument."""
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _arrays(item)


def _compiled_primal(
    function: Callable[..., Any], calls: Calls
) -> tuple[Callable[..., Any], float | None, str]:
    """The primal as Numba compiles it, processor seconds of compiling it, and why Numba refuses it if it does."""
    if isinstance(function, OfFunction):
        return function, None, ""
    python = getattr(function, "py_func", function)
    primal = numba.jit(**{"nopython": True, **getattr(function, "targetoptions", {})})(python)
    try:
        return primal, calls.first(primal), ""
    except errors.NumbaError as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return python, None, lines[min(1, len(lines) - 1)]  # the first line names a pass of Numba


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Use an empty cache folder, which is removed at the end."""
    before = os.environ.get(CHOSEN)
    with tempfile.TemporaryDirectory() as home:
        os.environ[CHOSEN] = home
        try:
            yield
        finally:
            os.environ.pop(CHOSEN)
            if before is not None:
                os.environ[CHOSEN] = before


def _square(x: float) -> float:
    """Compiled first, because the first function of a process also pays for loading the compilers."""
    return x * x
