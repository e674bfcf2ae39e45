"""Imports inside a function, which are executed while compiling."""

from __future__ import annotations

import ast
import importlib
from collections.abc import Mapping

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand


def imported(lowerer: Lowerer, node: ast.Import | ast.ImportFrom) -> Mapping[str, Operand]:
    """What the statement imports, by the names that the function gives it."""
    found: dict[str, Operand] = {}
    try:
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module("." * node.level + (node.module or ""), _package(lowerer))
            return {each.asname or each.name: Const(getattr(module, each.name)) for each in node.names}
        for each in node.names:
            module = importlib.import_module(each.name)
            root = importlib.import_module(each.name.split(".")[0])
            found[each.asname or root.__name__] = Const(module if each.asname else root)
    except (ImportError, AttributeError) as error:
        remedy = "install the module, or leave the import out"
        raise lowerer.refuse("BS103", f"the import fails: {error}", node, remedy) from None
    return found


def _package(lowerer: Lowerer) -> str | None:
    """The package that relative imports start from."""
    source = lowerer.frame.source
    found = None if source is None else source.globals.get("__package__")
    return found if isinstance(found, str) else None
