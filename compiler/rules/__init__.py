"""The derivative rules: importing this package registers every family."""

from backsweep.rules import arithmetic, arrays, complex_numbers, elementwise, linalg, reductions, special
from backsweep.rules.declare import REGISTRY, Constant, Rule, lookup, match, rule

__all__ = [
    "REGISTRY",
    "Constant",
    "Rule",
    "arithmetic",
    "arrays",
    "complex_numbers",
    "elementwise",
    "linalg",
    "lookup",
    "match",
    "reductions",
    "rule",
    "special",
]
