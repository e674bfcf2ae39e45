"""Faults of Backsweep's own, counted: tests that accept any refusal would accept an `InternalError`, too."""

from __future__ import annotations

from typing import Any

from backsweep import boundary

FAULTS: list[Exception] = []
"""Every InternalError that was made in this process, since they are counted."""


def count_faults() -> None:
    """Count each InternalError from now on."""
    make = boundary.internal_error

    def counted(*args: Any) -> Exception:
        FAULTS.append(make(*args))
        return FAULTS[-1]

    boundary.internal_error = counted
