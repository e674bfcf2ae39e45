"""Lower calls of the distributions of `scipy.stats`, also of frozen ones, to the text of ours that stands for them.

Numba knows none of these objects, so that they occur in plain Python functions alone.
"""

from __future__ import annotations

import ast
from typing import Any

from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Bound
from backsweep.frontend.objects.arguments import by_name, required
from backsweep.ir.nodes import Const, Operand
from backsweep.reading.names import wrap
from backsweep.runtime.statistics import table
from backsweep.runtime.statistics.located import moved, probability

ZERO, ONE = Const(0.0), Const(1.0)
REMEDY = "write its logarithm of the density out, with functions of scipy.special"


def _is_distribution(thing: Any) -> bool:
    """Whether the object is a distribution of `scipy.stats`, such as `norm`."""
    kind = type(thing)
    return kind.__module__.startswith("scipy.stats.") and kind.__name__.endswith("_gen")


def _is_frozen_object(thing: Any) -> bool:
    """Whether the object is a distribution with its parameters, such as `norm(0.0, 2.0)`, made outside of the function."""
    kind = type(thing)
    return (
        kind.__module__.startswith("scipy.stats.")
        and kind.__name__.endswith("_frozen")
        and hasattr(thing, "dist")
    )


def is_frozen(operand: Operand) -> bool:
    """Whether the operand is a distribution with its parameters that the function makes."""
    if not isinstance(operand, Const) or not isinstance(operand.value, Bound):
        return False
    function = operand.value.function
    return isinstance(function, Const) and _is_distribution(function.value)


def method_of_frozen(
    lowerer: Lowerer, frozen: Bound, name: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `norm(mu, sigma).logpdf(x)`."""
    assert isinstance(frozen.function, Const)
    return _method(
        lowerer, frozen.function.value, name, (*args, *frozen.args), {**frozen.keywords, **keywords}, node
    )


def called(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower the call of a distribution, or of a method of one; None for other functions."""
    if _is_distribution(thing):
        return _frozen(lowerer, thing, args, keywords, node)
    owner, name = getattr(thing, "__self__", None), getattr(thing, "__name__", "")
    if _is_distribution(owner):
        return _method(lowerer, owner, name, args, keywords, node)
    if not _is_frozen_object(owner):
        return None
    assert owner is not None
    given = tuple(wrap(each) for each in owner.args)
    named = {key: wrap(each) for key, each in owner.kwds.items()}
    return _method(lowerer, owner.dist, name, (*args, *given), {**named, **keywords}, node)


def _frozen(
    lowerer: Lowerer, distribution: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """A distribution with its parameters by their names, so that a branch may choose between two of one kind."""
    name = _name(distribution)
    if name in table.WHOLE:
        return Const(Bound(Const(distribution), args, keywords))
    scale = () if _is_discrete(name) else ("scale",)
    given = by_name(lowerer, (*_shapes(distribution), "loc", *scale), args, keywords, node)
    return Const(Bound(Const(distribution), (), {"loc": ZERO, **dict.fromkeys(scale, ONE), **given}))


def _name(distribution: Any) -> str:
    """What SciPy calls the distribution."""
    return getattr(distribution, "name", None) or type(distribution).__name__.removesuffix("_gen")


def _shapes(distribution: Any) -> tuple[str, ...]:
    """The names of its parameters besides place and scale."""
    return tuple(each.strip() for each in (distribution.shapes or "").split(",") if each.strip())


def _is_discrete(name: str) -> bool:
    return table.found(name, "logpmf") is not None


def _method(
    lowerer: Lowerer,
    distribution: Any,
    method: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> Operand:
    name = _name(distribution)
    text = ast.unparse(node.func)
    found = table.found(name, method)
    if method == "rvs":
        message = f"`{text}` draws random numbers, which it does outside of compiled code"
        raise lowerer.refuse(
            "BS202", message, node, "draw them with a generator, as in rng.normal(mu, sigma)"
        )
    if found is None:
        message = f"there is no derivative for `{text}` of scipy.stats"
        raise lowerer.refuse("BS202", message, node, REMEDY)
    standard: Operand = Const(found.base)
    for step in found.steps:
        standard = Const(Bound(Const(step), (standard,), {}))
    if name in table.WHOLE:
        return lowerer.call(standard, args, keywords, node)
    shapes, is_discrete = _shapes(distribution), _is_discrete(name)
    first = "q" if method in ("ppf", "isf") else "k" if is_discrete else "x"
    given = by_name(
        lowerer, (first, *shapes, "loc", *(() if is_discrete else ("scale",))), args, keywords, node
    )
    required(lowerer, given, (first, *shapes), node)
    x, own = given[first], tuple(given[each] for each in shapes)
    if first == "q":
        x = lowerer.inline(probability, (x,), {}, node)
    loc, scale = given.get("loc", ZERO), given.get("scale", ONE)
    if (not is_discrete and not _is(scale, 1)) or (not _is(loc, 0) and first == "q"):
        return lowerer.inline(table.PLACED[method], (standard, x, loc, scale, *own), {}, node)
    if not _is(loc, 0):
        return lowerer.inline(moved, (standard, x, loc, *own), {}, node)
    return lowerer.call(standard, (x, *own), {}, node)


def _is(operand: Operand, number: int) -> bool:
    """Whether the operand is this number, written down or left out."""
    return isinstance(operand, Const) and isinstance(operand.value, int | float) and operand.value == number
