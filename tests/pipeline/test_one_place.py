"""A function of a library is taught in one place: the prelude says what it means, or a rule has its derivative, or typing its type.

Other files that name functions stand in the table below, with how many they name and why. The numbers may only get smaller: what
is added there belongs into the prelude. Functions that are the core language's own (`CORE`) may stand anywhere.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import scipy

ROOT = Path(__file__).parents[2] / "compiler"
TEACH = ("prelude", "rules", "typing")
CORE = frozenset(
    [
        "shape",
        "size",
        "ndim",
        "empty",
        "zeros",
        "ones",
        "full",
        "empty_like",
        "zeros_like",
        "ones_like",
        "full_like",
        "copy",
        "astype",
        "sum",
        "where",
        "reshape",
        "transpose",
        "ravel",
        "expand_dims",
        "broadcast_to",
    ]
)
"""Memory and its extents, other views of it, sums, and choices."""
NAMED: dict[str, dict[str, int]] = {
    "arrays are made of lists, and lists of arrays are known while compiling, before the prelude runs": {
        "frontend/arrays/from_lists.py": 8,
        "frontend/calls/builtins.py": 7,
        "frontend/calls/meanings.py": 1,
        "frontend/constructs/comprehensions.py": 4,
        "frontend/subscripts.py": 2,
        "legalise/lists/growable_arrays.py": 4,
        "reading/own_classes.py": 2,
    },
    "methods and attributes of arrays, `out=` and questions about kinds have no text in the prelude yet": {
        "frontend/arrays/extents.py": 2,
        "frontend/constructs/kinds.py": 11,
        "frontend/constructs/questions.py": 3,
        "frontend/rewriting/conditions.py": 7,
        "frontend/rewriting/rewritten.py": 1,
        "legalise/paths/optional_values.py": 2,
        "reading/names.py": 3,
    },
    "the compiler writes such calls out in the core language: what they mean depends on types that only typing finds": {
        "legalise/arrays/complex_conversions.py": 3,
        "legalise/arrays/complex_views.py": 2,
        "legalise/arrays/without_axes.py": 10,
        "legalise/contiguous.py": 3,
        "legalise/library/chosen_slopes.py": 1,
        "legalise/library/concatenate.py": 10,
        "legalise/library/expand.py": 18,
        "legalise/library/gather_scatter.py": 2,
        "legalise/library/number_arguments.py": 23,
        "legalise/library/squared_roots.py": 15,
        "legalise/normalise.py": 2,
    },
    "derivatives of the compiler's own: slopes at zeros and ties, and what adjoints are made of": {
        "ad/adjoints.py": 1,
        "ad/composites.py": 1,
        "ad/finite_checks.py": 1,
        "ad/tangent_rules.py": 1,
        "ad/zeros/guards.py": 7,
        "ad/zeros/lengths.py": 7,
        "ad/zeros/movers.py": 2,
        "ad/zeros/ranges.py": 1,
        "ad/zeros/roots.py": 3,
        "ad/zeros/squares.py": 4,
        "ad/zeros/touching.py": 17,
    },
    "facts of functions, by which passes decide: what they write, how long their results are": {
        "analysis/integers/affine.py": 2,
        "analysis/integers/bounds.py": 1,
        "analysis/integers/extents.py": 2,
        "analysis/integers/narrow.py": 2,
        "analysis/integers/results.py": 4,
        "analysis/integers/small.py": 4,
        "analysis/order/places.py": 1,
        "interprocedural/summaries.py": 1,
        "ir/operations.py": 24,
    },
    "loops in place of arrays, and other implementations of the same numbers": {
        "gpu/numbers.py": 12,
        "optimise/arrays/elements.py": 4,
        "optimise/arrays/fusion.py": 1,
        "optimise/arrays/lower.py": 1,
        "optimise/arrays/nests.py": 1,
        "optimise/arrays/roots.py": 1,
        "optimise/arrays/small_matrices.py": 5,
        "optimise/simplify.py": 1,
        "programs/own_memory.py": 1,
    },
    "how calls are spelled and shown": {
        "emit/suggested_names.py": 2,
        "emit/syntax.py": 14,
        "inspect/recording/backwards.py": 1,
        "inspect/recording/contributions.py": 1,
    },
    "the compiler itself passes them as functions": {
        "api/flat.py": 1,
        "jax.py": 1,
        "pytensor.py": 1,
    },
}
"""By the reason why files name functions: the files, and how many functions each names."""


def test_functions_are_taught_in_one_place() -> None:
    wanted = {name: count for files in NAMED.values() for name, count in files.items()}
    found = {
        path.relative_to(ROOT).as_posix(): names
        for path in sorted(ROOT.rglob("*.py"))
        if path.relative_to(ROOT).parts[0] not in TEACH and (names := set(named_functions(path)))
    }
    for name, names in found.items():
        allowed = wanted.get(name, 0)
        assert len(names) <= allowed, (
            f"{name} names {sorted(names)}: say what a function means in compiler/prelude"
        )
    fewer = {
        name: len(found.get(name, ())) for name, count in wanted.items() if len(found.get(name, ())) < count
    }
    assert not fewer, "these files name fewer functions now: write the smaller numbers into the table"


def named_functions(path: Path) -> Iterator[str]:
    """The functions that a file names without calling them: it asks whether a call is one of them, or makes a call of one."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and id(node) not in called:
            thing = _named(node)
            if callable(thing) and not isinstance(thing, type | ModuleType) and thing.__name__ not in CORE:
                yield ast.unparse(node)


def _named(node: ast.expr) -> Any:
    """What an expression like `np.linalg.inv` names; None for other expressions."""
    if isinstance(node, ast.Name):
        return {"np": np, "scipy": scipy}.get(node.id)
    if not isinstance(node, ast.Attribute):
        return None
    owner = _named(node.value)
    if isinstance(owner, ModuleType) and owner.__name__.partition(".")[0] == "scipy":
        importlib.import_module(owner.__name__)
    return None if owner is None else getattr(owner, node.attr, None)
