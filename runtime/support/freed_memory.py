"""Keep memory that programs free, up to a bound, for the next arrays.

The C library gives freed blocks of megabytes back to the system, and gets them again page by page when the next call makes
its arrays: this costs more than most loops over them. Here it is asked to keep as many megabytes as `BACKSWEEP_KEEP_MEMORY`
says (256), in the whole process. It is not asked where that is 0, where the user has set a rule of malloc's in the
environment, or where the C library is not glibc.

Source: the GNU C library's manual, "Malloc tunable parameters".
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings

VARIABLE = "BACKSWEEP_KEEP_MEMORY"
"""The environment variable: megabytes of freed memory that the process keeps; 0 leaves it to the C library."""
MEGABYTES = 256.0
LARGEST = 2**25
"""Larger blocks are always given back: glibc's bound."""
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_RULES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TOP_PAD_")


def _bound() -> int:
    """The bytes to keep."""
    given = os.environ.get(VARIABLE, "")
    try:
        found = float(given or MEGABYTES)
    except ValueError:
        found = -1.0
    if not 0.0 <= found < 2**11:
        message = (
            f"{VARIABLE}={given!r} is not a number of megabytes below 2048; the bound is {MEGABYTES:.0f}"
        )
        warnings.warn(message, RuntimeWarning, stacklevel=2)
        found = MEGABYTES
    return int(found * 2**20)


def _keep() -> bool:
    """Whether the C library was asked, and does it."""
    own = any(rule in os.environ for rule in _RULES) or "glibc.malloc" in os.environ.get("GLIBC_TUNABLES", "")
    bound = _bound()
    if not sys.platform.startswith("linux") or own or bound == 0:
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    asked = ((_MMAP_THRESHOLD, LARGEST), (_TRIM_THRESHOLD, bound))
    return all(library.mallopt(rule, value) == 1 for rule, value in asked)


KEPT = _keep()
"""Whether freed memory is kept; the C library is asked when this module is imported."""
