"""Lower `target op= value` of a variable, an attribute or an element."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Protocol

from backsweep.frontend import subscripts
from backsweep.frontend.arrays.from_lists import arrays_of_operands
from backsweep.frontend.constructs.custom import stopped
from backsweep.frontend.constructs.dicts import becomes_table
from backsweep.frontend.constructs.kinds import holds_array, local_type
from backsweep.frontend.constructs.lists import updated
from backsweep.frontend.constructs.special_methods import own_operator
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.frontend.context.operators import IN_PLACE
from backsweep.frontend.instances.lists import grown
from backsweep.frontend.instances.members import assign
from backsweep.ir.nodes import Const, Operand, Value
from backsweep.ir.types import Scalar
from backsweep.runtime.support.marks import changed_to

Bind = Callable[[Operand], object]
"""Binds a variable or an attribute to its operand."""


class Statements(Protocol):
    """What lowers statements, as far as updates need it."""

    @property
    def expressions(self) -> Lowerer:
        """What lowers expressions."""

    def bind(self, name: str, operand: Operand) -> None:
        """Bind a variable to its operand."""

    def bind_changed(self, name: str, operand: Operand, node: ast.AST) -> None:
        """Bind a variable to what it holds after it has changed in place."""


def augmented(statements: Statements, node: ast.AugAssign) -> None:
    """Lower `target op= value`; if the target is a variable, a later pass decides whether an array changes in place."""
    lowerer = statements.expressions
    match node.target:
        case ast.Name(id=name):
            old = lowerer.lower(ast.copy_location(ast.Name(name, ast.Load()), node.target))
            _in_place(
                lowerer,
                node,
                old,
                name,
                lambda own: statements.bind(name, own),
                lambda new: statements.bind_changed(name, new, node),
            )
        case ast.Subscript():
            subscripts.update(
                lowerer,
                node.target,
                node.op,
                node.value,
                node,
                lambda old, put: _in_place(lowerer, node, old, "", put, put),
            )
        case ast.Attribute(value=value, attr=name):
            base = lowerer.lower(value)
            old = lowerer.attribute(base, name, node.target)

            def put(new: Operand) -> None:
                if not assign(lowerer, base, name, new, node.target):
                    message = f"the attribute `{ast.unparse(node.target)}` is assigned"
                    remedy = "use a local variable, or an element of an array"
                    raise lowerer.refuse("BS111", message, node.target, remedy)

            _in_place(lowerer, node, old, name, put, put)


def _in_place(
    lowerer: Lowerer, node: ast.AugAssign, old: Operand, name: str, bind: Bind, update: Bind
) -> None:
    """Lower the update of what is `old` before, in place if that is an array."""
    more = lowerer.lower(node.value)
    if old in lowerer.context.tuples and isinstance(old, Value):
        bind(lowerer.binary(type(node.op), old, more, node))  # a tuple that has another name stays
        return
    if isinstance(node.op, ast.BitOr):
        becomes_table(lowerer.context, old)
    if grown(lowerer, old, node.op, more, node) or updated(lowerer, old, node.op, more, node):
        return
    own = own_operator(lowerer, type(node.op), old, more, node, in_place=True)
    if own is not None:
        bind(own)
        return
    old, more = arrays_of_operands(lowerer, old, more, node)
    if _becomes_array(lowerer, old, more):
        bind(lowerer.binary(type(node.op), old, more, node))
        return
    operands = (old, stopped(lowerer, more, node))
    function: Callable[..., object] = IN_PLACE[type(node.op)]
    if lowerer.context.stopped and not isinstance(node.op, ast.Add | ast.Sub):
        new = lowerer.binary(type(node.op), *operands, node)
        function, operands = changed_to, (old, stopped(lowerer, new, node))
    update(lowerer.apply(function, operands, node, name=name))


def _becomes_array(lowerer: Lowerer, old: Operand, more: Operand) -> bool:
    """Whether a number is updated by what is not known to be a number, as in `y = 0` and `y += x`: its name then means another thing."""
    if isinstance(old, Const) and type(old.value) in (int, float, complex):
        return not isinstance(local_type(lowerer.context, more), Scalar)
    return isinstance(local_type(lowerer.context, old), Scalar) and holds_array(lowerer.context, more)
