"""Which of many alike tests run: a fixed share, so that the suite stays within its time, or all where that is asked for.

`BACKSWEEP_TEST_EVERYTHING=1 pytest` runs every one, which takes hours rather than minutes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")
EVERYTHING = bool(os.environ.get("BACKSWEEP_TEST_EVERYTHING"))


def every(nth: int, items: Iterable[Item], first: int = 0) -> list[Item]:
    """Every nth of the items, from the one at `first`; all if everything is asked for."""
    return list(items) if EVERYTHING else list(items)[first::nth]
