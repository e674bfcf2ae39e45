"""Managers of `with` statements: objects of the user's with `__enter__` and `__exit__`."""

from __future__ import annotations

import ast

from backsweep.frontend.context.heap import found_in, virtual
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.scope import Inner
from backsweep.ir.nodes import Const
from backsweep.reading.control_flow import own_nodes
from backsweep.reading.functions import read_source

ALLOWED = (
    "move it outside the function; inside, objects of your own with `__enter__` and `__exit__` are allowed, "
    "`with bs.no_grad():`, and np.errstate with 'ignore' and 'warn'"
)
"""What helps where a manager cannot be entered."""


class Entering(ast.Expr):
    """A manager before it is entered: lowering asks whether its `__exit__` can run as a function that is not told what is raised."""

    item: ast.withitem
    in_try: bool


def check_manager(lowerer: Lowerer, node: Entering) -> None:
    """Refuse what is no object of the user's, and one whose `__exit__` catches exceptions, or looks at one that something else catches."""
    thing = virtual(lowerer.lower(node.value))
    methods = () if thing is None else (found_in(thing.cls, "__enter__"), found_in(thing.cls, "__exit__"))
    if not methods or None in methods:
        message = f"`with {ast.unparse(node.item)}` cannot be differentiated"
        raise lowerer.refuse("BS101", message, node, ALLOWED)
    left = methods[1].value if isinstance(methods[1], Const) else methods[1]
    text = left.node if isinstance(left, Inner) else read_source(left).node
    assert isinstance(text, ast.FunctionDef)
    returned = [each.value for each in own_nodes(text.body) if isinstance(each, ast.Return)]
    if not all(each is None or (isinstance(each, ast.Constant) and not each.value) for each in returned):
        message = (
            f"`__exit__` of `{ast.unparse(node.item.context_expr)}` may catch what is raised within `with`"
        )
        raise lowerer.refuse("BS101", message, node, "return nothing from `__exit__`, and catch it by `try`")
    named = text.args
    told = {each.arg for each in (*named.posonlyargs, *named.args)[1:]}
    told |= {each.arg for each in (named.vararg, named.kwarg) if each is not None}
    reads = any(isinstance(each, ast.Name) and each.id in told for each in own_nodes(text.body))
    if node.in_try and reads:
        message = "`__exit__` looks at what is raised within `with`, which a `try` around it catches"
        raise lowerer.refuse(
            "BS101", message, node, "let `__exit__` do the same whether something is raised or not"
        )
