"""`python -m benchmarks.first.child NAME WHO`: the first value and gradient of a program, in this process.

Prints one line of JSON: the seconds until it is there, without the import, and where they go.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import event

import backsweep as bs
from benchmarks.first.programs import PROGRAMS


def ours(name: str) -> dict[str, Any]:
    """The first value and gradient of Backsweep, and the seconds of it that LLVM takes."""
    transformed, args = _prepared(name)
    spent: list[float] = []
    began = time.perf_counter()
    with event.install_timer("numba:llvm_lock", spent.append):
        result = transformed(*args)
    return {"seconds": time.perf_counter() - began, "llvm": sum(spent), "result": flat(result)}


def text(name: str) -> dict[str, Any]:
    """The text of the derivative alone."""
    transformed, args = _prepared(name)
    began = time.perf_counter()
    transformed.source(*args)
    return {"seconds": time.perf_counter() - began}


def _prepared(name: str) -> tuple[Any, tuple[Any, ...]]:
    """The transformed function and its arguments; Numba has loaded what it always needs."""
    started(1.0)
    program = PROGRAMS[name]
    return bs.value_and_grad(program.function), program.arguments(np.random.default_rng(0))


@numba.njit
def started(x: float) -> float:
    """Something to compile."""
    return x + 1.0


def primal(name: str) -> dict[str, Any]:
    """The first call of Numba's own compilation of the primal."""
    started(1.0)
    program = PROGRAMS[name]
    args = program.arguments(np.random.default_rng(0))
    began = time.perf_counter()
    numba.njit(program.function)(*args)
    return {"seconds": time.perf_counter() - began}


def of_jax(name: str) -> dict[str, Any]:
    """The first value and gradient of JAX."""
    import jax

    from benchmarks.first import jax_forms

    jax.jit(lambda x: x + 1.0)(1.0)
    args = PROGRAMS[name].arguments(np.random.default_rng(0))
    began = time.perf_counter()
    value, gradient = jax.block_until_ready(jax.jit(jax.value_and_grad(getattr(jax_forms, name)))(*args))
    return {"seconds": time.perf_counter() - began, "result": flat((value, gradient))}


def flat(result: Any) -> list[float]:
    """All numbers of a result."""
    if isinstance(result, tuple | list):
        return [number for each in result for number in flat(each)]
    if isinstance(result, dict):
        return [number for key in sorted(result) for number in flat(result[key])]
    return [float(each) for each in np.ravel(result)]


WHO: dict[str, Callable[[str], dict[str, Any]]] = {
    "ours": ours,
    "text": text,
    "primal": primal,
    "jax": of_jax,
}


if __name__ == "__main__":
    print(json.dumps(WHO[sys.argv[2]](sys.argv[1])))
