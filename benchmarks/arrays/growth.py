"""Times of one kernel at growing sizes, for the plots: prints them as JSON."""

from __future__ import annotations

import importlib
import json
import math
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numba
import numpy as np

import backsweep as bs
from benchmarks.arrays.catalogue import KERNELS
from benchmarks.measure import least_times

SERIES: dict[str, tuple[tuple[int, ...], ...]] = {
    "jacobi_2d": tuple((n, 10) for n in (16, 32, 64, 128, 256, 512)),
    "atax": tuple((n, n) for n in (32, 64, 128, 256, 512, 1024)),
    "mixture": tuple((n, 10, 5) for n in (10, 30, 100, 300, 1000, 3000)),
}
"""What `instance` gets, from small to large, for three kernels: a stencil, products, a likelihood."""


def times(name: str, peers: Sequence[str]) -> Iterator[dict[str, Any]]:
    """For each size, the number of entries of all arrays, and the seconds of a call of each function."""
    kernel = KERNELS[name]
    function = kernel.forms["arrays"]
    primal, gradient = numba.njit(function), bs.value_and_grad(function, argnums=kernel.argnums)
    for size in SERIES[name]:
        args = kernel.instance(*size)
        functions = {"primal": primal, "gradient": gradient}
        for peer in peers:
            own = importlib.import_module(f"benchmarks.arrays.{peer}_peer").value_and_grad(kernel, args)
            if own is not None:
                functions[peer] = own
        entries = sum(math.prod(np.shape(arg)) for arg in args if np.ndim(arg))
        yield {
            "entries": entries,
            **dict(zip(functions, least_times([*functions.values()], args), strict=True)),
        }


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    print(json.dumps(list(times(asked["name"], asked["peers"]))))
