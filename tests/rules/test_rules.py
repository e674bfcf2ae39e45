"""Every declared rule, checked from its own declaration: values, adjoints, edges, types, compiled form."""

from __future__ import annotations

import ast
import copy
import math
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
import pytest

from backsweep.diagnostics import UnsupportedError
from backsweep.rules import REGISTRY, Constant, Rule, lookup, match
from backsweep.rules.declare import Domain, Edge, FixedSample, Sample, read_late, rule
from backsweep.runtime.matrices.lu import (
    lu_determinant,
    lu_factors,
    lu_inverse,
    lu_slogdet,
    lu_solution,
    lu_solution_turned,
)
from tests.support.sampled import turning

read_late(every=True)
OWN = [declaration for declaration in REGISTRY if declaration.is_own]
BY_FACTORS = (lu_determinant, lu_factors, lu_inverse, lu_slogdet, lu_solution, lu_solution_turned)
"""Factors stand for their matrix, whose adjoint is theirs: differences of entries of factors are none of it (tests/runtime/test_factors.py)."""
RULES = [
    declaration
    for declaration in OWN
    if isinstance(declaration, Rule)
    and not declaration.of_complex
    and declaration.functions[0] not in BY_FACTORS
]
CONSTANTS = [declaration for declaration in OWN if isinstance(declaration, Constant) and declaration.samples]
ELEMENTWISE = [
    rule for rule in RULES if rule.elementwise and not any(isinstance(s, Sample) for s in rule.samples)
]
SCALAR_ONLY = {max, min, *(function for function in vars(math).values() if callable(function))}


def name_of(declaration: Rule | Constant) -> str:
    """How a test of the declaration is called."""
    return declaration.name


def draw(domain: Domain, rng: np.random.Generator, shape: tuple[int, ...] | None = None) -> Any:
    """An operand from its domain; `shape` makes an interval an array."""
    match domain:
        case FixedSample(value):
            return value
        case Sample(size, low, high, definite):
            entries = rng.uniform(low, high, size)
            return entries @ entries.T + len(entries) * np.eye(len(entries)) if definite else entries
        case (low, high):
            if isinstance(low, int) and low == high:
                return low
            entries = rng.uniform(low, high, () if shape is None else shape)
            return float(entries) if shape is None else entries


def operands_of(declaration: Rule | Constant, shape: tuple[int, ...] | None = None) -> list[Any]:
    """Operands for the declaration; the same in every run."""
    rng = np.random.default_rng(zlib.crc32(declaration.name.encode()))
    return [draw(domain, rng, shape) for domain in declaration.samples]


def places(rule_: Rule) -> list[int]:
    """The positions of the parameters that are differentiated and not bound to a literal."""
    wanted = [rule_.parameters.index(name) for name in rule_.differentiated]
    return [place for place in wanted if place not in rule_.literals]


def pull(rule_: Rule, operands: Sequence[Any], cotangent: Any) -> dict[int, Any]:
    """The adjoint of each differentiated parameter, by position, run as Python."""
    _, pullback, *_ = rule_.function(*operands)
    adjoints = pullback(*cotangent) if len(rule_.results) > 1 else pullback(cotangent)
    adjoints = adjoints if isinstance(adjoints, tuple) else (adjoints,)
    wanted = [rule_.parameters.index(name) for name in rule_.differentiated]
    found = dict(zip(wanted, adjoints, strict=True))
    return {place: found[place] for place in places(rule_)}


def parts(value: Any) -> tuple[Any, ...]:
    """The results of a function that has several, or its one result."""
    return tuple(value) if isinstance(value, tuple) else (value,)


def cotangent_of(value: Any, rng: np.random.Generator) -> Any:
    """A cotangent for a result, or one for each of several."""
    if isinstance(value, tuple):
        return tuple(cotangent_of(part, rng) for part in value)
    return rng.uniform(0.5, 1.5, np.shape(value)) if np.ndim(value) else 0.7


def slope(function: Callable[..., Any], operands: list[Any], place: int, direction: Any) -> Any:
    """The derivative of the function along a direction of one operand, by differences of fourth order."""

    def at(step: float) -> Any:
        moved = list(operands)
        moved[place] = moved[place] + step * direction
        return np.concatenate([np.ravel(part) for part in parts(function(*moved))])

    h = 1e-3
    return (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)


@pytest.mark.parametrize("rule_", RULES, ids=name_of)
def test_value(rule_: Rule) -> None:
    """The rule's primal is each of its functions."""
    operands = operands_of(rule_)
    value = rule_.function(*operands)[0]
    for function in rule_.functions:
        for got, wanted in zip(parts(function(*copy.deepcopy(operands))), parts(value), strict=True):
            np.testing.assert_allclose(np.asarray(got), wanted, rtol=1e-6)


@pytest.mark.parametrize("rule_", RULES, ids=name_of)
def test_adjoint(rule_: Rule) -> None:
    """The adjoints agree with differences along random directions, and the operands stay as they are."""
    operands = operands_of(rule_)
    before = copy.deepcopy(operands)
    rng = np.random.default_rng(1)
    value = rule_.function(*operands)[0]
    cotangent = cotangent_of(value, rng)
    weights = np.concatenate([np.ravel(part) for part in parts(cotangent)])
    adjoints = pull(rule_, operands, cotangent)
    for place, adjoint in adjoints.items():
        direction = rng.uniform(0.5, 1.5, np.shape(operands[place])) if np.ndim(operands[place]) else 1.0
        along = slope(rule_.functions[0], operands, place, direction)
        expected = np.sum(weights * along)
        got = 0.0 if adjoint is None else np.sum(adjoint * direction)
        np.testing.assert_allclose(got, expected, rtol=1e-7, atol=1e-8)
    for old, new in zip(before, operands, strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize(
    ("rule_", "edge"),
    [(rule_, edge) for rule_ in RULES for edge in rule_.edges],
    ids=lambda item: getattr(item, "name", ""),
)
def test_edge(rule_: Rule, edge: Edge) -> None:
    """At a nonsmooth point the adjoints are the declared ones."""
    with np.errstate(all="ignore"):
        _, pullback, *_ = rule_.function(*edge.operands)
        adjoints = pullback(1.0)
    adjoints = adjoints if isinstance(adjoints, tuple) else (adjoints,)
    for got, declared in zip(adjoints, edge.adjoints, strict=True):
        np.testing.assert_allclose(
            0.0 if got is None else got, 0.0 if declared is None else declared, atol=1e-12
        )


def arrays_allowed(rule_: Rule) -> bool:
    """Whether the rule is written with functions that take arrays."""
    called = {
        function
        for expression in (rule_.primal, *rule_.adjoints)
        if expression
        for function in calls(rule_, expression)
    }
    return (
        not called & SCALAR_ONLY and float not in called and not any(map(numba.extending.is_jitted, called))
    )


def calls(rule_: Rule, expression: ast.expr) -> list[Any]:
    """The functions that an expression of the rule calls."""
    nodes = [node.func for node in ast.walk(expression) if isinstance(node, ast.Call)]
    namespace = {**rule_.globals, "__builtins__": __builtins__}
    methods = [
        node for node in nodes if isinstance(node, ast.Attribute) and not isinstance(node.value, ast.Name)
    ]
    nodes = [
        node
        for node in nodes
        if node not in methods and ast.unparse(node).split(".")[0] in namespace_names(namespace)
    ]
    return [eval(compile(ast.Expression(node), "<rule>", "eval"), dict(namespace)) for node in nodes]


def namespace_names(namespace: dict[str, Any]) -> set[str]:
    """The global and builtin names that a rule may call."""
    return {*namespace, "abs", "float", "len", "max", "min"}


@pytest.mark.parametrize("rule_", [rule for rule in ELEMENTWISE if arrays_allowed(rule)], ids=name_of)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_broadcasts(rule_: Rule, dtype: str) -> None:
    """On arrays that broadcast the adjoints are those of the entries, in the arrays' type."""
    shapes = [(3,), (2, 3), (2, 1)]
    rng = np.random.default_rng(2)
    operands = [draw(domain, rng, shapes[k % 3]) for k, domain in enumerate(rule_.samples)]
    operands = [x.astype(dtype) if isinstance(x, np.ndarray) else x for x in operands]
    shape = np.broadcast_shapes(*[np.shape(x) for x in operands])
    cotangent = rng.uniform(0.5, 1.5, shape).astype(dtype)
    wide = rule_.function(*operands)[
        0
    ].dtype  # a few of SciPy's functions give double precision for any array
    adjoints = pull(rule_, operands, cotangent)
    spread = [np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else x for x in operands]
    for place, adjoint in adjoints.items():
        if adjoint is None:
            continue
        assert adjoint.dtype in (dtype, wide)
        assert np.broadcast_shapes(adjoint.shape, shape) == shape
        for index in np.ndindex(shape):
            entries = [float(x[index]) if isinstance(x, np.ndarray) else x for x in spread]
            single = pull(rule_, entries, float(cotangent[index]))[place]
            rtol = 1e-12 if dtype == "float64" else 1e-4
            np.testing.assert_allclose(np.broadcast_to(adjoint, shape)[index], single, rtol=rtol)


class Scalars(ast.NodeTransformer):
    """Writes `np.where` of scalars as the compiler does: as a conditional expression."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "np.where" and len(node.args) == 3:
            return ast.IfExp(node.args[0], node.args[1], node.args[2])
        return node


def scalar(rule_: Rule) -> bool:
    """Whether the adjoint is tested with scalars when compiled: Numba converts arrays only."""
    return rule_.elementwise and not isinstance(rule_.samples[0], Sample)


def compiled(rules: Sequence[Rule]) -> Callable[..., Any]:
    """One compiled function that computes the adjoints of all the rules from operands, results and cotangents."""
    lines, parameters, results = [], [], []
    namespace: dict[str, Any] = {}
    for number, rule_ in enumerate(rules):
        own = (*rule_.parameters, *rule_.results, *rule_.cotangents)
        parameters += [f"{name}_{number}" for name in own]
        for place, adjoint in enumerate(rule_.adjoints):
            if adjoint is None:
                continue
            tree = copy.deepcopy(adjoint)
            tree = Scalars().visit(tree) if scalar(rule_) or rule_.name in ("norm", "std") else tree
            for node in ast.walk(tree):
                if isinstance(node, ast.Name) and node.id in own:
                    node.id = f"{node.id}_{number}"
                elif isinstance(node, ast.Name):
                    namespace[node.id] = rule_.globals[node.id]
            results.append(f"adjoint_{number}_{place}")
            lines.append(f"    {results[-1]} = {ast.unparse(tree)}")
    text = (
        f"def run({', '.join(parameters)}):\n" + "\n".join(lines) + f"\n    return ({', '.join(results)},)\n"
    )
    exec(compile(text, "<rules>", "exec"), namespace)
    return numba.njit(error_model="numpy")(namespace["run"])


COMPILED = turning(96, RULES)
BATCH = 9


@pytest.mark.compiles
@pytest.mark.parametrize("start", range(0, len(COMPILED), BATCH))
def test_compiled(start: int) -> None:
    """Numba types the adjoints, and computes what Python computes."""
    rules = COMPILED[start : start + BATCH]
    arguments: list[Any] = []
    expected: list[Any] = []
    for rule_ in rules:
        operands = operands_of(rule_, (3,) if rule_.elementwise and not scalar(rule_) else None)
        value, pullback, *_ = rule_.function(*operands)
        cotangent = cotangent_of(value, np.random.default_rng(1))
        arguments += [*operands, *parts(value), *parts(cotangent)]
        adjoints = pullback(*parts(cotangent))
        adjoints = adjoints if isinstance(adjoints, tuple) else (adjoints,)
        expected += [(rule_.name, adjoint) for adjoint in adjoints if adjoint is not None]
    for got, (name, wanted) in zip(compiled(rules)(*arguments), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-12, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("rule_", RULES, ids=name_of)
def test_closed(rule_: Rule) -> None:
    """What an adjoint calls can be differentiated again: it has a rule, or source that Numba compiles."""
    for expression in rule_.adjoints:
        for function in calls(rule_, expression) if expression is not None else ():
            assert lookup(function) or numba.extending.is_jitted(function), function


@pytest.mark.parametrize("declaration", CONSTANTS, ids=name_of)
def test_constant(declaration: Constant) -> None:
    """Results of constants do not move with their operands."""
    operands = operands_of(declaration)
    moved = [x + 1e-9 if isinstance(x, float) else x for x in operands]
    for function in declaration.functions:
        np.testing.assert_array_equal(function(*operands), function(*moved))


def test_samples() -> None:
    """Every rule says where it is to be tested, and what it means."""
    for rule_ in RULES:
        assert len(rule_.samples) == len(rule_.parameters), rule_.name
        assert rule_.doc, rule_.name


def test_match() -> None:
    """Calls find the variant that is meant for them."""
    assert match(np.dot, (2, 1)).name == "matrix_vector"
    assert match(np.sum, (2, 0), ("axis",)).name == "sum_axis"
    assert match(np.power, (1, 0), (), (None, 2)).name == "power_two"
    assert match(np.power, (1, 0), (), (None, 2.5)).name == "power_constant"
    assert match(np.power, (1, 0), (), (None, None)).name == "power"
    assert match(np.zeros, (None,)).name == "fresh"
    assert match(np.dot, (3, 3)) is None
    assert match(test_match, (0,)) is None


def test_grammar() -> None:
    """A rule with a temporary is refused where the temporary is."""

    def two_steps(x):
        y = x + 1.0
        z = y + 1.0
        return z, lambda z_bar: z_bar

    with pytest.raises(UnsupportedError, match="one assignment") as caught:
        rule()(two_steps)
    assert caught.value.problems[0].loc is not None


def test_count_of_adjoints() -> None:
    """A rule with too few adjoints is refused."""

    def product(x, y):
        z = x * y
        return z, lambda z_bar: z_bar * y

    with pytest.raises(UnsupportedError, match="2 differentiated parameters and 1 adjoints"):
        rule()(product)
