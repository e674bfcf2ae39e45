"""Subscripts out of bounds: the program raises IndexError, and so must its gradient."""

from __future__ import annotations

from tests.fuzz.program import Line, Statement, Suite
from tests.fuzz.typed.scope import Scope


def beyond(scope: Scope) -> list[Statement]:
    """One read or store beyond an array's end."""
    rng = scope.rng
    i, total = scope.fresh("i"), scope.fresh("s")
    far = rng.choice(["1", "1", "2", "10 ** 6"])
    choice = rng.choice(
        [
            (f"for {i} in range(x.shape[0] + {far}):", f"{total} += x[{i}] ** 2"),
            (f"for {i} in range(x.size):", f"{total} += x[{i}] * y[{i} + {far}]"),
            (f"for {i} in range(x.size):", f"{total} += x[{i} - x.size - {far}]"),
            (f"for {i} in range(x.size + {far}):", f"x[{i}] = {total} * 0.5"),
            (f"for {i} in range(3):", f"{total} += c[{i} + 3 - {rng.randrange(3)}, 0] * x[{i}]"),
            (f"for {i} in range(3):", f"{total} += x[m[{i}] + 5] * x[0]"),
            ("if n >= 0:", f"{total} += x[n + 5 + {far}] * y[0]"),
            ("if n >= 0:", f"{total} += x[x.size] * y[0]"),
            (f"for {i} in range(c.shape[1]):", f"{total} += c[{i}, 0]"),
        ]
    )
    scope.run(f"{total} = 0.0")
    return [Line(f"{total} = 0.0"), Suite(((choice[0], (Line(choice[1], keep=True),)),), keep=True)]
