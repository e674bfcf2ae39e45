"""A limit of time for what may never end. Nothing is measured: what is far over the limit hangs."""

from __future__ import annotations

import faulthandler
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = float(os.environ.get("BACKSWEEP_TEST_LIMIT", "900"))
"""So long a single test may take: more than any takes beside other work on a slow machine."""
STDERR = os.dup(sys.__stderr__.fileno()) if sys.__stderr__ is not None else -1
"""Where tracebacks go, whatever pytest captures while a test runs."""


@contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """End this process, with the tracebacks of its threads, if what is within does not end in time.

    A signal would not do: Python runs its handlers between two instructions of its own, and there is none while machine
    code runs. The watchdog is a thread of C's, which needs no lock of Python's. A worker of pytest-xdist that it ends is
    told as the failure of that test, and another worker takes its place.
    """
    faulthandler.dump_traceback_later(seconds, exit=True, file=STDERR if STDERR >= 0 else sys.stderr)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()
