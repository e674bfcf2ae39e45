"""How many functions a test has compiled: three at most, unless it says why it needs more.

It is asked with `BACKSWEEP_TEST_COMPILATIONS=1`: tests that turn are not all marked yet.

Compiling takes most of the suite's time, and two or three functions show nearly always what ten do. What counts is each call that
has a function compiled, or its machine code read from the disk, for types that it was not yet compiled for. What the function
calls in its turn is part of it. Numba's own functions and Backsweep's kernels do not count: they are shared by all tests.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from numba.core import sigutils
from numba.core.dispatcher import Dispatcher

MOST = 3
ASKED = "BACKSWEEP_TEST_COMPILATIONS"
"""The environment variable that has tests fail which have more functions compiled."""
SHARED = ("numba.", "backsweep.runtime.")
"""The beginnings of the names of modules whose functions do not count."""
COMPILED: list[str] = []
"""The functions that count, in the order in which they were compiled in this process."""
_inside = threading.local()


def count_compilations() -> None:
    """Count the functions that are compiled, from now on in this process."""
    compile_ = Dispatcher.compile

    def counted(self: Any, sig: Any) -> Any:
        outermost = not getattr(_inside, "depth", 0)
        name = f"{self.py_func.__module__}.{self.py_func.__qualname__}"
        if outermost and not name.startswith(SHARED) and not _known(self, sig):
            COMPILED.append(name)
        _inside.depth = getattr(_inside, "depth", 0) + 1
        try:
            return compile_(self, sig)
        finally:
            _inside.depth -= 1

    Dispatcher.compile = counted


def _known(dispatcher: Any, sig: Any) -> bool:
    """Whether the function is compiled for these types already."""
    return sigutils.normalize_signature(sig)[0] in dispatcher.overloads


@contextmanager
def few_compiled(item: pytest.Item) -> Iterator[None]:
    """Fail at the end if more than `MOST` functions were compiled and the test has no mark `compiles_many` with the reason."""
    before = len(COMPILED)
    yield
    compiled = COMPILED[before:]
    mark = item.get_closest_marker("compiles_many")
    assert mark is None or (len(mark.args) == 1 and isinstance(mark.args[0], str)), (
        "compiles_many needs a reason"
    )
    if len(compiled) > MOST and mark is None and os.environ.get(ASKED) == "1":
        pytest.fail(
            f"the test had {len(compiled)} functions compiled, {', '.join(dict.fromkeys(compiled))}: run some of it plain, "
            "or give the reason by the mark `compiles_many` (tests/support/compilations.py)"
        )
