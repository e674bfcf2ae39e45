"""Run every program on Numba's simulator of a GPU, and write what differs from the CPU: `python -m tests.gpu.simulated`."""

from __future__ import annotations

import json
import os
import sys
import traceback
from typing import Any

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np

import backsweep as bs
from tests.gpu.programs import CASES, Case


def leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [value]


def differing(case: Case) -> str:
    """What differs between the GPU and the CPU; empty if nothing does."""
    options = {} if case.parallel is None else {"parallel": case.parallel}
    on_cpu = bs.value_and_grad(case.function, wrt=case.wrt, jit=False)(*case.args)
    on_gpu = bs.cuda(bs.value_and_grad(case.function, wrt=case.wrt, **options))
    for got, wanted in zip(leaves(on_gpu(*case.args)), leaves(on_cpu), strict=True):
        small = np.asarray(wanted).dtype == np.float32
        if type(got) is not type(wanted) or np.asarray(got).dtype != np.asarray(wanted).dtype:
            return f"{type(got)} and {type(wanted)}, {np.asarray(got).dtype} and {np.asarray(wanted).dtype}"
        if not np.allclose(got, wanted, rtol=1e-5 if small else 1e-11, atol=1e-12):
            return f"{got} and {wanted}"
    text = on_gpu.source()
    return "; ".join(f"no {part} in {text}" for part in case.holds if part not in text)


def main() -> None:
    found = {}
    for case in CASES:
        try:
            found[case.function.__name__] = differing(case)
        except Exception:  # noqa: BLE001  the test reports it
            found[case.function.__name__] = traceback.format_exc()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
