"""`python -m tests.zoo [words]`: is the zoo fit for use?

Each function whose name holds one of the words is compiled by Numba and agrees with plain Python, and
differences find its derivative without doubt. It is slow (Numba compiles everything), so it is run when the
zoo changes.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from tests import zoo
from tests.support import checking
from tests.support.numba_twin import njit_twin
from tests.zoo.case import Case


def fault(case: Case, twins: dict[Any, Any]) -> str:
    """What is wrong with a case, "" if nothing."""
    plain = getattr(case.function, "py_func", case.function)
    try:
        expected = plain(*case.args)
        if case.function not in twins:
            twins[case.function] = njit_twin(case.function)
        got = twins[case.function](*case.args)
        for one, other in zip(checking.leaves(got), checking.leaves(expected), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-12)
    except (NumbaError, ArithmeticError, AssertionError, TypeError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    found = checking.reference(plain, case.args, case.argnums, checking.cotangent_like(expected))
    active = [leaf for leaf in checking.leaves(found.gradient) if checking.is_active(leaf)]
    largest = max((float(np.max(np.abs(leaf))) for leaf in active if np.size(leaf)), default=0.0)
    doubt = max((float(np.max(error)) for error in found.errors if error.size), default=0.0)
    return f"differences are in doubt by {doubt:.1e}" if doubt > 1e-8 * (1.0 + largest) else ""


def main(words: list[str]) -> int:
    """Check the chosen cases, tell the faults, and return how many there were."""
    twins: dict[Any, Any] = {}
    chosen = [case for case in zoo.load() if not words or any(word in case.name for word in words)]
    faults = [(case.name, text) for case in chosen if (text := fault(case, twins))]
    for name, text in faults:
        print(f"{name}: {text}")
    print(
        f"{len(chosen)} cases of {len({case.function for case in chosen})} functions, {len(faults)} at fault"
    )
    return len(faults)


if __name__ == "__main__":
    sys.exit(min(main(sys.argv[1:]), 1))
