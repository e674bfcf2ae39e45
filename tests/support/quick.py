"""Tests that compile nothing: the modules that have them, what sees to it, and the share that `pytest -m quick` runs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher
from numba.core.registry import CPUDispatcher

from backsweep.runtime.machine_code.compiling import Compiled
from tests.support.sampled import turning

SHARES: Mapping[str, int] = {
    "test_axes": 8,
    "test_bounds": 2,
    "test_checkpoints": 4,
    "test_closure": 4,
    "test_cut": 1,
    "test_derivatives": 6,
    "test_distribute": 1,
    "test_distributions": 16,
    "test_eigenvalues": 12,
    "test_emit": 2,
    "test_errors": 4,
    "test_expand": 2,
    "test_fourier": 4,
    "test_fuzz": 7,
    "test_golden": 2,
    "test_graph": 1,
    "test_jvp": 4,
    "test_language": 7,
    "test_layers": 1,
    "test_library_calls": 7,
    "test_limits_at_points": 12,
    "test_lower": 2,
    "test_modes": 12,
    "test_numpy_forms": 7,
    "test_odes": 12,
    "test_operations": 1,
    "test_order": 1,
    "test_parameters": 16,
    "test_pass_files": 4,
    "test_passes": 2,
    "test_quadrature": 12,
    "test_results": 1,
    "test_right_or_refused": 2,
    "test_root": 4,
    "test_roots": 12,
    "test_roundtrip": 2,
    "test_rules": 2,
    "test_scipy_linalg": 6,
    "test_singular": 1,
    "test_special_names": 12,
    "test_stacks": 12,
    "test_strong_zeros": 5,
    "test_subscripts": 1,
    "test_tangent_rules": 2,
    "test_unfit": 2,
    "test_unite": 1,
    "test_unpacking": 1,
    "test_zoo": 10,
}
"""The modules whose tests compile nothing, but for those marked `compiles` and those whose parameter `jit` is true. Of each
test's cases the quick run has every nth: of those with the mark `turns(3)` every nth of a third, so 3 does not divide n there, or
the turns would meet a third of the cases only."""

TO_TYPE = "ol__getattr_raise_attr_exc."
"""The function that Numba compiles even to type a call: what raises if `getattr` finds nothing."""


def is_plain(item: pytest.Item) -> bool:
    """Whether a test has to do without machine code."""
    if _module(item) not in SHARES or item.get_closest_marker("compiles") is not None:
        return False
    return not (
        isinstance(item, pytest.Function) and hasattr(item, "callspec") and item.callspec.params.get("jit")
    )


def choose(items: Iterable[pytest.Item]) -> None:
    """Mark those of the tests that the quick run has: other cases of a test with each turn."""
    cases: dict[tuple[str, str], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if is_plain(item):
            cases[_module(item), _function(item)].append(item)
    for (module, _), alike in cases.items():
        for item in turning(min(SHARES[module], len(alike)), alike):
            item.add_marker(pytest.mark.quick)


@contextmanager
def functions_as_python(package: str = "") -> Iterator[None]:
    """Run functions that Numba compiles as Python where Python calls them: those of a package, or all.

    Backsweep's own kernels are among them.
    """
    call = Dispatcher.__call__

    def call_plain(self: Any, *args: Any, **kwargs: Any) -> Any:
        own = type(self) in (CPUDispatcher, Compiled)  # not what is made of a transformed function
        plain = own and (self.py_func.__module__ or "").startswith(package)
        return self.py_func(*args, **kwargs) if plain else call(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(Dispatcher, "__call__", call_plain, raising=False)
        yield


@contextmanager
def nothing_compiled() -> Iterator[None]:
    """Run such functions as Python; fail at the end if one was compiled, or read from a file, all the same.

    Typing compiles nothing: `TypedLibrary` has a `compile` of its own.
    """
    compiled: list[str] = []
    compile_ = Dispatcher.compile

    def compile_noted(self: Any, sig: Any) -> Any:
        if not self.py_func.__qualname__.startswith(TO_TYPE):
            compiled.append(f"{self.py_func.__module__}.{self.py_func.__qualname__}")
        return compile_(self, sig)

    with functions_as_python(), pytest.MonkeyPatch.context() as changed:
        changed.setattr(Dispatcher, "compile", compile_noted)
        yield
    if compiled:
        names = ", ".join(dict.fromkeys(compiled))
        pytest.fail(
            f"the test compiled {names}: run it plain, or mark it `compiles` (tests/support/quick.py)"
        )


def _module(item: pytest.Item) -> str:
    return Path(item.location[0]).stem


def _function(item: pytest.Item) -> str:
    return getattr(item, "originalname", None) or item.name
