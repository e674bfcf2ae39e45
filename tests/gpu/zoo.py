"""Run the zoo on Numba's simulator of a GPU, all loops as kernels where they may be: `python -m tests.gpu.zoo 10 3` runs the third tenth.

What is refused is counted by its code. A result that is not that of the CPU, and an error that is no refusal, is printed, and fails the run.
"""

from __future__ import annotations

import collections
import copy
import os
import sys
import traceback

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np

import backsweep as bs
from tests.gpu.simulated import leaves
from tests.zoo.case import Case

from tests.api.test_cores import NUMBERS  # isort: skip  # after the environment is set


def outcome(case: Case) -> str:
    """`right`, `wrong`, or the code of the refusal."""
    given = {"argnums": case.argnums}
    try:
        wanted = bs.value_and_grad(case.function, jit=False, **given)(*copy.deepcopy(case.args))
        found = bs.cuda(bs.value_and_grad(case.function, parallel=True, **given))(*copy.deepcopy(case.args))
    except bs.BacksweepError as error:
        return error.problems[0].code
    pairs = zip(leaves(found), leaves(wanted), strict=True)
    near = all(np.allclose(got, other, rtol=1e-9, atol=1e-11, equal_nan=True) for got, other in pairs)
    return "right" if near else "wrong"


def main(arguments: list[str]) -> None:
    """Run a share of the zoo, and count the outcomes."""
    shares, number = map(int, arguments)
    counted: collections.Counter[str] = collections.Counter()
    for case in NUMBERS[number - 1 :: shares]:
        try:
            found = outcome(case)
        except Exception:  # noqa: BLE001  whatever it is, it is a fault
            found = "fault"
            traceback.print_exc()
        counted[found] += 1
        if found in ("wrong", "fault", "BS155"):
            print(f"{found}: {case.name}", flush=True)
    print(dict(counted))
    sys.exit(bool(counted["wrong"] + counted["fault"] + counted["BS155"]))


if __name__ == "__main__":
    main(sys.argv[1:])
