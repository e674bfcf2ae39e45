"""Say what is being compiled if it takes longer than two seconds, and at the end how long it took."""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

LOGGER = logging.getLogger("backsweep")
PATIENCE = 2.0
"""A compilation that takes longer than this many seconds is reported."""
VARIABLE = "BACKSWEEP_PROGRESS"
"""The environment variable that asks for these lines (1), in pipes too, or for none (0)."""
_telling: list[str] = []
"""The compilation that is reported now; those within it are not reported. Guarded by the lock `compiling`."""


@contextmanager
def reported(what: str) -> Iterator[None]:
    """Report the work within if it takes long. The caller holds the lock `compiling`."""
    if _telling or not _is_wanted():
        yield
        return
    began, said = time.monotonic(), threading.Event()

    def say() -> None:
        said.set()
        _say(f"compiling {what} ...")

    timer = threading.Timer(PATIENCE, say)
    timer.daemon = True
    _telling.append(what)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _telling.clear()
        if said.is_set():
            _say(f"{what}: {time.monotonic() - began:.1f} s")


def _is_wanted() -> bool:
    """Whether these lines are wanted: in a terminal, in a notebook, or because the environment asks for them."""
    asked = os.environ.get(VARIABLE, "")
    if asked:
        return asked != "0"
    if LOGGER.level > logging.INFO or LOGGER.disabled:
        return False
    if LOGGER.isEnabledFor(logging.INFO) and LOGGER.hasHandlers():
        return True
    return _in_notebook() or (sys.stderr is not None and sys.stderr.isatty())


def _in_notebook() -> bool:
    """Whether the process runs the cells of a notebook: importing its libraries is not enough."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def _say(text: str) -> None:
    """Log the line; to the standard error where logging is not set up for it."""
    if LOGGER.isEnabledFor(logging.INFO) and LOGGER.hasHandlers():
        LOGGER.info("%s", text)
    elif sys.stderr is not None:
        print(f"backsweep: {text}", file=sys.stderr, flush=True)  # noqa: T201  the user's terminal
