"""Products with a cotangent in rules, as they are taken apart and written again."""

from __future__ import annotations

import ast
import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from backsweep.rules.expression import is_local, resolved
from backsweep.runtime.special import (
    CHOSEN,
    UNCHOSEN,
    before_length,
    before_root,
    lost_at_root,
    mutual_product,
    over_length,
    over_root,
    over_root_or_nan,
    strong_product,
    strong_quotient,
    touching,
    unchosen_sign,
    unchosen_slope,
)

OF_LENGTHS = (*CHOSEN, unchosen_slope, unchosen_sign)
"""Cotangents of functions that have a kink at zero."""
LENGTHS = (*OF_LENGTHS, *UNCHOSEN.values())
"""Those, and such tangents in a program that is differentiated again."""
HONEST = (
    *(*LENGTHS, before_root, before_length, lost_at_root, over_length, over_root, over_root_or_nan),
    *(strong_product, strong_quotient, mutual_product, touching),
)
"""What adjoints are written with. Where a cotangent in them is zero, nothing comes in: else it would be nan."""
PRODUCTS = (strong_product, mutual_product)
"""Those whose second factor may be a partial derivative."""
Factor = tuple[ast.expr, bool]
"""A factor of a product, and whether it divides."""


def joined(factors: Sequence[Factor]) -> ast.expr:
    """The product of factors, of which the first does not divide."""
    (first, divides), *others = factors
    found = ast.BinOp(ast.Constant(1.0), ast.Div(), first) if divides else first
    return functools.reduce(
        lambda product, factor: ast.BinOp(product, ast.Div() if factor[1] else ast.Mult(), factor[0]),
        others,
        found,
    )


def call_of(function: Callable[..., Any], *arguments: ast.expr) -> ast.Call:
    """A call of a function that the rule's own module does not name."""
    named: Any = function
    return ast.Call(ast.Constant(named), list(arguments), [])


def weak(node: ast.expr, names: Mapping[str, Any]) -> ast.expr:
    """An expression of a rule with products and quotients in place of those with strong zeros."""
    plain = {strong_product: ast.Mult(), strong_quotient: ast.Div()}

    class Weak(ast.NodeTransformer):
        def visit_Call(self, call: ast.Call) -> ast.expr:
            self.generic_visit(call)
            function = None if is_local(call.func, names) else resolved(call.func, names)
            return ast.BinOp(call.args[0], plain[function], call.args[1]) if function in plain else call

    found: ast.expr = Weak().visit(copy.deepcopy(node))
    return found
