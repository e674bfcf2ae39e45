"""The option that rewrites what emitted text is compared with; and no test may meet a fault of Backsweep's own, or hang."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from backsweep import tracebacks
from tests.support import quick
from tests.support.compilations import count_compilations, few_compiled
from tests.support.counted import FAULTS, count_faults
from tests.support.gradients_checked import check_gradients
from tests.support.limits import limited
from tests.support.sampled import WHOLE, names_nothing, waiting


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes the expected texts; the run that does so fails, and CI refuses it."""
    parser.addoption("--update-golden", action="store_true", help="write the expected texts, then fail")


def pytest_configure(config: pytest.Config) -> None:
    """In CI an expected text is only ever compared; everywhere, faults are counted and shapes of gradients checked."""
    count_faults()
    count_compilations()
    check_gradients()
    os.environ.setdefault(tracebacks.CHOSEN, "full")
    os.environ.setdefault(WHOLE, str(int(names_nothing(config))))
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError(
            "--update-golden is refused where CI is set: review the texts, then commit them"
        )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose turn it is not, and mark those of the quick run: a share of a share has its turns, too."""
    left_out = set(waiting(items))
    if left_out:
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [item for item in items if item not in left_out]
    quick.choose(items)


def pytest_collection_finish() -> None:
    """Have the garbage collector look less often, and not at what is there by now: this took a tenth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 10, 20)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Fail a test in which an InternalError was made, whatever became of it, unless it provokes one; end one that hangs."""
    before = len(FAULTS)
    with (
        nullcontext() if item.config.getoption("usepdb") else limited(),
        quick.nothing_compiled() if quick.is_plain(item) else nullcontext(),
        few_compiled(item),
    ):
        result = yield
    if len(FAULTS) > before and item.get_closest_marker("provokes_faults") is None:
        raise FAULTS[before]
    return result
