"""Which expressions call generator functions."""

from __future__ import annotations

import ast
from types import ModuleType

from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner
from backsweep.ir.nodes import Const
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.functions import is_generator_function


def yields(definition: ast.AST) -> bool:
    """Whether a definition is that of a generator function."""
    own = own_nodes(definition.body) if isinstance(definition, ast.FunctionDef) else ()
    return any(isinstance(part, ast.Yield | ast.YieldFrom) for part in own)


def is_generator_call(lowerer: Lowerer, node: ast.expr) -> bool:
    """Whether an expression calls a generator function by its name, also one that the function defines."""
    match node:
        case ast.Call(func=ast.Name(id=name)):
            found = lowerer.find(name, lowerer.frame)
            thing = found.value if isinstance(found, Const) else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=attr)):
            found = lowerer.find(name, lowerer.frame)
            base = found.value if isinstance(found, Const) else None
            thing = getattr(base, attr, None) if isinstance(base, ModuleType) else None
        case _:
            return False
    return yields(thing.node) if isinstance(thing, Inner) else is_generator_function(thing)
