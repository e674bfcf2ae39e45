"""A call of a package's function: the user's function that makes it, and what becomes of its derivative."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

from tests.replay.judging import Verdict, judge_call


@dataclass(frozen=True)
class Call:
    """A function of a distribution, by its path, its arguments by name, and those that are held constant."""

    distribution: str
    path: str
    given: dict[str, Any]
    held: tuple[str, ...] = ()
    overloaded: bool = False
    """Whether compiled code means an `@overload` of the function."""

    @property
    def label(self) -> str:
        """The function's path, and what is held constant of what a derivative might be asked of."""
        return self.path + (f" with {self.held[0]} constant" if self.held else "")

    @property
    def function(self) -> Any:
        """The package's own function."""
        module, _, name = self.path.rpartition(".")
        return getattr(importlib.import_module(module), name)

    def arguments(self) -> tuple[Any, ...]:
        """Those that are not held constant."""
        return tuple(value for name, value in self.given.items() if name not in self.held)


def is_installed(distribution: str) -> bool:
    """Whether the distribution is there."""
    try:
        importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def caller(call: Call, folder: Path) -> Any:
    """A user's function that makes the call, from a file in the folder."""
    module, _, name = call.path.rpartition(".")
    passed = [name for name in call.given if name not in call.held]
    arguments = ", ".join(name if name in passed else f"{name}_held" for name in call.given)
    text = [f"from {module} import {name} as called", ""]
    text += [f"def calling({', '.join(passed)}):", f"    return called({arguments})", ""]
    path = folder / f"{re.sub('[^a-zA-Z0-9]', '_', call.path)}.py"
    path.write_text("\n".join(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    for name in call.held:
        vars(made)[f"{name}_held"] = call.given[name]
    spec.loader.exec_module(made)
    return made.calling


def judge(call: Call, folder: Path, *, compiled: bool = False, jit: bool = False) -> Verdict:
    """What becomes of the derivative of the call, made in a plain function or, `compiled`, in an `@njit` function."""
    function: Any
    if call.overloaded or call.held or not isinstance(call.function, Dispatcher):
        function = caller(call, folder)
        function = numba.njit(function) if compiled else function
    else:
        function = call.function
    with np.errstate(all="ignore"):
        return judge_call(function, call.arguments(), jit=jit)
