"""What the examples print: the time of an objective beside that of its derivative."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def milliseconds(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """The least time of ten calls, once compiled."""
    function(*arguments)
    times = []
    for _ in range(10):
        began = time.perf_counter()
        function(*arguments)
        times.append(time.perf_counter() - began)
    return 1e3 * min(times)


def report(
    name: str, objective: Callable[..., Any], derivative: Callable[..., Any], arguments: tuple[Any, ...]
) -> None:
    """Print both times and their ratio."""
    primal, adjoint = milliseconds(objective, arguments), milliseconds(derivative, arguments)
    print(f"{name}: objective {primal:.2f} ms, derivative {adjoint:.2f} ms, ratio {adjoint / primal:.2f}")
