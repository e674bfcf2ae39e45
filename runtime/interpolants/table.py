"""The texts by the modules that hold them, which are imported when a program needs one: with them comes `scipy.linalg`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def text(module: str, name: str) -> Callable[..., Any]:
    """The text of this name."""
    found: Callable[..., Any] = getattr(
        importlib.import_module(f"backsweep.runtime.interpolants.{module}"), name
    )
    return found
