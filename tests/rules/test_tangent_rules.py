"""Every declared rule's tangent, checked from its own declaration: against its adjoint and against differences."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep.rules import Rule
from backsweep.rules.declare import Sample
from tests.rules.test_rules import RULES, cotangent_of, name_of, operands_of, parts, pull, slope
from tests.support import checking
from tests.support.sampled import every, turning

WITHOUT = [
    rule_
    for rule_ in RULES
    if not (rule_.linear or rule_.terms or rule_.elementwise)
    and np.ndim(rule_.function(*operands_of(rule_))[0]) > 0
]
"""Rules whose tangent neither follows nor is spelled out."""


def test_every_rule_has_a_tangent() -> None:
    assert [rule_.name for rule_ in WITHOUT] == []


def written(rule_: Rule, operands: list[Any], folder: Path) -> tuple[Callable[..., Any], list[str]]:
    """A function that calls the rule's function, and its parameters: what is static and no array is a literal."""
    names, arguments = [], []
    for place, (name, operand) in enumerate(zip(rule_.parameters, operands, strict=True)):
        if isinstance(operand, np.ndarray) or (name not in rule_.static and place not in rule_.literals):
            names.append(name)
            arguments.append(name)
        else:
            arguments.append(f"np.{operand.__name__}" if isinstance(operand, type) else repr(operand))
    call = f"FUNCTION({', '.join(arguments)})"
    if rule_.name == "astype":
        call = "x.astype(np.float64)"
    number = RULES.index(rule_)
    path = folder / f"{rule_.name}.py"
    path.write_text(
        "import numpy as np\nfrom tests.rules.test_rules import RULES\n\n"
        f"FUNCTION = RULES[{number}].functions[0]\n\n\n"
        f"def {rule_.name}({', '.join(names)}):\n    return {call}\n"
    )
    spec = importlib.util.spec_from_file_location(f"tangent_of_{rule_.name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, rule_.name), names


def wide(rule_: Rule) -> list[Any]:
    """Operands for the rule, arrays where the function works entry by entry on arrays only."""
    only_arrays = rule_.name in ("nan_to_num", "where")
    return operands_of(rule_, (3,) if only_arrays else None)


@pytest.mark.parametrize("rule_", turning(5, [each for each in RULES if each.differentiated]), ids=name_of)
def test_tangent(rule_: Rule, tmp_path: Path) -> None:
    """The tangent's product with a cotangent is the adjoint's with the tangent, and the slope by differences."""
    operands = wide(rule_)
    function, names = written(rule_, operands, tmp_path)
    given = dict(zip(rule_.parameters, operands, strict=True))
    value = rule_.function(*operands)[0]
    rng = np.random.default_rng(1)
    cotangent = cotangent_of(value, rng)
    adjoints = pull(rule_, operands, cotangent)
    moving = [
        name for name in rule_.differentiated if rule_.parameters.index(name) in adjoints and name in names
    ]
    dots = {name: checking.cotangent_like(given[name], k) for k, name in enumerate(moving)}
    got, got_dot = bs.jvp(
        function, tuple(given[name] for name in names), tuple(dots.values()), wrt=tuple(moving), jit=False
    )
    checking.assert_structure(got_dot, got, "tangent")
    product = float(
        np.sum([np.sum(np.real(a * b)) for a, b in zip(parts(cotangent), parts(got_dot), strict=True)])
    )
    pulled = 0.0
    for name in moving:
        adjoint = adjoints[rule_.parameters.index(name)]
        pulled += 0.0 if adjoint is None else float(np.sum(np.real(adjoint * dots[name])))
    np.testing.assert_allclose(product, pulled, rtol=1e-10, atol=1e-12)
    found: Any = 0.0
    for name in moving:
        found = found + slope(rule_.functions[0], operands, rule_.parameters.index(name), dots[name])
    flat = np.concatenate([np.ravel(part) for part in parts(got_dot)])
    np.testing.assert_allclose(flat, found + np.zeros_like(flat), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("shape", [(4, 3), (3, 4), (3, 3)])
@pytest.mark.parametrize("name", ["svd", "qr", "pinv"])
def test_decompositions_of_every_shape(name: str, shape: tuple[int, int]) -> None:
    """Full where a rule's own sample is reduced; the rule's tangent is the transpose of its adjoint."""
    (rule_,) = (each for each in RULES if each.name == name)
    rng = np.random.default_rng(2)
    value, pullback, tangent = rule_.function(rng.uniform(0.2, 1.2, shape))
    bars = tuple(rng.uniform(-1.0, 1.0, part.shape) for part in parts(value))
    x_dot = rng.uniform(-1.0, 1.0, shape)
    forward = sum(np.sum(bar * dot) for bar, dot in zip(bars, parts(tangent(x_dot)), strict=True))
    np.testing.assert_allclose(forward, np.sum(pullback(*bars) * x_dot), rtol=1e-10)


# Every eighth: the precision is that of the functions that a tangent is written with
@pytest.mark.parametrize(
    "rule_",
    every(8, (rule_ for rule_ in RULES if any(isinstance(s, Sample) for s in rule_.samples))),
    ids=name_of,
)
def test_single_precision(rule_: Rule, tmp_path: Path) -> None:
    """In single precision the tangent has the type of the result, and agrees with that in double precision."""
    operands = wide(rule_)
    function, names = written(rule_, operands, tmp_path)
    given = dict(zip(rule_.parameters, operands, strict=True))
    moving = tuple(name for name in rule_.differentiated if name in names)
    dots = tuple(checking.cotangent_like(given[name], k) for k, name in enumerate(moving))

    def single(operand: Any) -> Any:
        return operand.astype(np.float32) if checking.is_active(operand) and np.ndim(operand) else operand

    _, wanted = bs.jvp(function, tuple(given[name] for name in names), dots, wrt=moving, jit=False)
    narrow = tuple(single(given[name]) for name in names)
    got, got_dot = bs.jvp(function, narrow, tuple(map(single, dots)), wrt=moving, jit=False)
    for part, part_dot, exact in zip(parts(got), parts(got_dot), parts(wanted), strict=True):
        if np.ndim(part):
            assert np.asarray(part_dot).dtype == np.asarray(part).dtype
        np.testing.assert_allclose(part_dot, exact, rtol=2e-3, atol=2e-3)
