"""How a function of an eval is called and timed."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def floats(values: Any) -> np.ndarray:
    """Nested lists of JSON as an array of double precision."""
    return np.array(values, dtype=np.float64)


def listed(values: Any) -> Any:
    """An array as nested lists."""
    return values.tolist()


@dataclass(frozen=True)
class Function:
    """A function of an eval: its arguments are made of the input, and the output of its result."""

    call: Callable[..., Any]
    arguments: Callable[[Any], tuple[Any, ...]]
    output: Callable[[Any], Any] = float

    def timed(self, given: Any) -> dict[str, Any]:
        """The output, and the time of each run. The first call, which compiles, is told apart from the runs as `prepare`."""
        runs, seconds = (1, 0.0)
        if isinstance(given, dict):
            runs, seconds = given.get("min_runs", 1), given.get("min_seconds", 0.0)
        began = time.perf_counter_ns()
        arguments = self.arguments(given)
        result = self.call(*arguments)
        timings = [{"name": "prepare", "nanoseconds": time.perf_counter_ns() - began}]
        spent = 0
        while len(timings) <= runs or spent < 1e9 * seconds:
            began = time.perf_counter_ns()
            result = self.call(*arguments)
            took = time.perf_counter_ns() - began
            timings.append({"name": "evaluate", "nanoseconds": took})
            spent += took
        return {"output": self.output(result), "timings": timings}
