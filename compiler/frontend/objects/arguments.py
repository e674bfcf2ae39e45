"""The operands of a call by the names of SciPy's parameters, and the values of options among them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_object
from backsweep.ir.nodes import Operand


def by_name(
    lowerer: Lowerer, names: Sequence[str], args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Mapping[str, Operand]:
    """The operands by the names of SciPy's parameters."""
    text = ast.unparse(node.func)
    given = dict(zip(names, args, strict=False))
    wrong = [key for key in keywords if key not in names or key in given]
    if len(args) > len(names) or wrong:
        message = f"the call does not fit `{text}`, whose parameters are {', '.join(names)}"
        raise lowerer.refuse("BS113", message, node, "give each of its parameters once")
    return given | dict(keywords)


def required(lowerer: Lowerer, given: Mapping[str, Operand], names: Sequence[str], node: ast.Call) -> None:
    """Refuse a call in which one of these parameters has no operand."""
    missing = [each for each in names if each not in given]
    if missing:
        text = ast.unparse(node.func)
        message = f"`{text}` is given no `{missing[0]}`"
        raise lowerer.refuse("BS113", message, node, f"call it as {text}({', '.join(names)})")


def option(lowerer: Lowerer, given: Mapping[str, Operand], name: str, default: object, node: ast.Call) -> Any:
    """The value of an option, which must be known while compiling."""
    if name not in given:
        return default
    known = known_object(lowerer.context, given[name])
    if known is None:
        message = f"`{name}` of `{ast.unparse(node.func)}` is known only when the program runs"
        raise lowerer.refuse("BS115", message, node, "write it as a literal")
    return known[0]
