"""Numba's lowering, in which sums of a reverse sweep have no order, and powers with a literal exponent are products.

Each pass of a loop waits for the addition of the pass before if the loop adds to a number, because floating-point addition
is not associative. The order of a user's own sums is theirs. What a reverse sweep adds to an adjoint has no order of its own:
with LLVM's flag `reassoc` on these additions, and on no other operation, several partial sums run side by side.

Numba compiles a function of its own for `x ** 2`, a loop over the bits of the exponent, once in each process. The products that it
would compute are the instructions here.
"""

from __future__ import annotations

import inspect
import operator
import re
from typing import Any

from numba.core import types
from numba.core.compiler_machinery import register_pass
from numba.core.lowering import Lower
from numba.core.typed_passes import NativeLowering

REVERSE_SWEEP = re.compile(r" *# (a )?reverse sweep\b")
"""The comment behind which `+=` adds to adjoints."""
EMITTED = "Written by backsweep"
"""What the first line of an emitted module says."""
_POWERS = (operator.pow, operator.ipow)
LARGEST = 64
"""The largest exponent whose products are written out; Numba's own loop gives the same, bit by bit."""
_ADDS = {operator.iadd: "fadd", operator.isub: "fsub"}


class Lowering(Lower):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's lowering; `+=` and `-=` of floats behind the comment may be reordered, and `x ** 2` is `x * x`."""

    def init(self) -> None:
        """Numba's hook before anything is lowered."""
        super().init()
        self.first = _first_line(self.func_ir.func_id.func)

    def lower_expr(self, resty: Any, expr: Any) -> Any:
        """Numba's hook for an expression."""
        done = _ADDS.get(expr.fn) if expr.op == "inplace_binop" and isinstance(resty, types.Float) else None
        if done is None or self.first is None or expr.loc.line < self.first:
            return super().lower_expr(resty, expr)
        block = self.builder.block
        before = len(block.instructions)
        result = super().lower_expr(resty, expr)
        for instruction in block.instructions[before:]:
            if instruction.opname == done:
                instruction.flags.append("reassoc")
        return result

    def lower_binop(self, resty: Any, expr: Any, op: Any) -> Any:
        """Numba's hook for a binary operator."""
        found = self._product(resty, expr) if op in _POWERS else None
        return super().lower_binop(resty, expr, op) if found is None else found

    def _product(self, resty: Any, expr: Any) -> Any:
        """The value of a power of a float whose exponent is a literal, a whole number; None of another."""
        exponent, of = self.typeof(expr.rhs.name), self.fndesc.calltypes[expr]
        if not isinstance(exponent, types.IntegerLiteral) or not 0 <= exponent.literal_value <= LARGEST:
            return None
        if not isinstance(of.return_type, types.Float) or of.args[0] != of.return_type:
            return None
        base = self.context.cast(
            self.builder, self.loadvar(expr.lhs.name), self.typeof(expr.lhs.name), of.args[0]
        )
        squares, rest, product = base, exponent.literal_value, base.type(1.0)
        while rest:
            if rest & 1:
                product = self.builder.fmul(product, squares)
            rest >>= 1
            if rest:
                squares = self.builder.fmul(squares, squares)
        return self.context.cast(self.builder, product, of.return_type, resty)


@register_pass(mutates_CFG=True, analysis_only=False)
class OwnLowering(NativeLowering):  # type: ignore[misc]  # Numba ships no annotations
    """Numba's lowering pass with this lowering."""

    _name = "backsweep_lowering"

    @property
    def lowering_class(self) -> type[Lowering]:
        """Numba's hook."""
        return Lowering


def _first_line(function: Any) -> int | None:
    """The line of the file at which the function's reverse sweep begins; None if it has none, or if it is a user's."""
    if EMITTED not in (function.__globals__.get("__doc__") or ""):
        return None
    try:
        lines, first = inspect.getsourcelines(function)
    except OSError:
        return None
    found = [number for number, line in enumerate(lines, first) if REVERSE_SWEEP.match(line)]
    return found[-1] if found else None
