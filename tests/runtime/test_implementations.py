"""Implementations of library functions are compiled once for a machine: fingerprints, and what later processes find on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

from backsweep.runtime.machine_code import implementations
from backsweep.runtime.machine_code.fingerprints import fingerprint
from backsweep.runtime.machine_code.linking import exports
from backsweep.runtime.scipy.sums_of_exponentials import log_of_sums

INVERSE = """
import numba
import numpy as np
import backsweep as bs
from backsweep.runtime.machine_code.implementations import Implementation

made = []
compile_ = Implementation.compile

def noted(self, sig):
    result = compile_(self, sig)
    made.append((self.py_func.__name__, sum(self._cache_hits.values())))
    return result

Implementation.compile = noted

def f(a):
    return {factor} * np.sum(np.linalg.inv(a))

{before}
gradient, point = bs.grad(f), np.array([[2.0, 1.0], [1.0, 3.0]])
print((gradient(point) / {factor}).round(6).tolist())
print(round(numba.njit(lambda a: gradient(a)[0, 1])(point) / {factor}, 6))  # Numba copies what it links
print([bool(hits) for name, hits in made if name == "inv_impl"])
"""
FOREIGN = """
from numba.extending import overload

@overload(np.trace)
def trace(a, offset=0):
    return None
"""


def run(folder: Path, factor: float, before: str = "") -> list[str]:
    """What a fresh process prints that differentiates a function which calls an implementation of Numba's."""
    environment = {**os.environ, "BACKSWEEP_CACHE_DIR": str(folder / "kept")}
    script = folder / "script.py"
    script.write_text(INVERSE.format(before=before, factor=factor), encoding="utf-8")
    command = [sys.executable, str(script)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=300)
    return done.stdout.splitlines()


@pytest.mark.turns(9)
@pytest.mark.compiles_many("it is what other processes compile")
def test_later_processes_link_what_the_first_compiled(tmp_path: Path) -> None:
    first, second = run(tmp_path, 1.0), run(tmp_path, -1.0)
    assert first[:2] == second[:2]
    assert first[1] in first[0]
    assert "True" not in first[2]
    assert "False" not in second[2]
    assert "True" in second[2]
    for file in (tmp_path / "kept").glob("*inv_impl*.nbc"):
        file.write_bytes(file.read_bytes()[:-7])  # damaged
    assert run(tmp_path, 1.0)[:2] == first[:2]  # the code of the first process called it there


@pytest.mark.turns(9)
def test_a_kernel_has_no_second_copy_of_what_it_calls() -> None:
    assert np.allclose(log_of_sums(np.zeros((2, 3)), 0), np.log(2.0))
    (compiled,) = log_of_sums.overloads.values()
    called = {name for each in compiled.library.needed for name in exports(each)}
    assert called
    assert called.isdisjoint(exports(compiled.library))


@pytest.mark.compiles_many("it is what other processes compile")
def test_nothing_is_kept_where_a_script_implements_numpys_functions(tmp_path: Path) -> None:
    run(tmp_path, 1.0, FOREIGN)
    assert not list((tmp_path / "kept").glob("numba.*"))


def test_fingerprints_follow_what_a_function_refers_to() -> None:
    def made(captured: Any, default: Any = 1.0) -> Any:
        def function(x: Any, y: Any = default) -> Any:
            return np.sin(x) * captured + y

        return function

    kinds: list[Any] = [
        2.0,
        -0.0,
        0.0,
        2,
        np.float32(2.0),
        "2.0",
        (2.0,),
        [2.0],
        None,
        np.arange(3.0),
        np.sin,
    ]
    kinds += [numba.types.float64, numba.types.literal(3), {"a": 1}, frozenset({"a", "b"}), np.dtype("f4")]
    kinds += [numba.njit(made(3.0)), numba.njit(error_model="numpy")(made(3.0)), numba.njit(made(4.0))]
    prints = [fingerprint(made(kind)) for kind in kinds]
    assert None not in prints
    assert len(set(prints)) == len(kinds)
    assert prints == [fingerprint(made(kind)) for kind in kinds]
    assert fingerprint(made(2.0, 2.0)) != prints[0]
    assert fingerprint(made(2.0), {"fastmath": True}) != prints[0]


def test_what_other_processes_may_not_have_has_no_fingerprint() -> None:
    def made(captured: Any) -> Any:
        return lambda x: captured(x) + 1.0

    def plain(x: float) -> float:
        return x

    for captured in (
        object(),
        (each for each in "ab"),
        plain,
        sys.modules[__name__],
        test_later_processes_link_what_the_first_compiled,
    ):
        assert fingerprint(made(captured)) is None


def test_fingerprints_are_the_same_in_each_process(tmp_path: Path) -> None:
    text = (
        "import numba.np.linalg as n, numba\n"
        "from backsweep.runtime.machine_code.fingerprints import fingerprint\n"
        "a = numba.float64[:, ::1]\n"
        "print(fingerprint(n.inv_impl(a)), fingerprint(n.dot_2_impl('np.dot', a, a) if hasattr(n, 'dot_2_impl') else n.inv_impl(a)))\n"
    )
    found = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", text]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=300
        )
        found.add(done.stdout)
    assert len(found) == 1
    assert "None" not in found.pop()


def test_numbers_of_functions_are_those_of_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = implementations._numbers()
    here = [next(numbers) for _ in range(3)]
    assert here == [here[0], here[0] + 1, here[0] + 2]
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert abs(next(numbers) - here[0]) > 3
