"""Write checks into the program for subscripts not proved in bounds, divisors that may be zero, exponents that may be negative, and unpacked lengths."""

from __future__ import annotations

import ast
import dataclasses
import operator
from collections.abc import Callable, Mapping, Sequence

from backsweep.analysis.integers.affine import Affine, Atom, Constraint, Dim, literal
from backsweep.analysis.integers.bounds import Checks, find_checks
from backsweep.analysis.integers.extents import shapes_of
from backsweep.analysis.integers.failures import (
    Access,
    Check,
    Failure,
    Length,
    Positions,
    is_other_side,
    is_whole_power,
)
from backsweep.diagnostics import Problem, Problems, UnsupportedError
from backsweep.ir.build import Builder
from backsweep.ir.nodes import Apply, Block, Const, Function, If, Node, Operand, Raise, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import BOOL, INT, Tuple
from backsweep.ir.walk import map_blocks, walk, with_body, with_nodes
from backsweep.runtime.gather import any_outside
from backsweep.runtime.support.marks import expect_length

NO, YES = Block((), (), (Const(False),)), Block((), (), (Const(True),))


def check_subscripts(function: Function) -> Function:
    """The typed program, which raises where Python does: before it reads or writes out of bounds, or divides by zero."""
    if not any(
        node.loc.is_checked or node.loc.by_zero or _expected(node) is not None for node in walk(function.body)
    ):
        return function
    _refuse_lengths(function)
    _refuse_negative_powers(function)
    checks = find_checks(function, shapes_of(function))
    return with_body(function, _checked(function.body, checks))


def _checked(block: Block, checks: Checks) -> Block:
    """The block with its own checks and those of the blocks within."""
    found = checks.get(block, {})
    builder = Builder()
    for number, node in enumerate(block.nodes):
        for check in found.get(number, ()):
            _write(builder, check)
        if _expected(node) is None:
            builder.add(map_blocks(node, lambda inner: _checked(inner, checks)))
    return with_nodes(block, builder.current.nodes)


def _expected(node: Node) -> int | None:
    """The number of variables that the node's operand is unpacked to; None for any other node."""
    return literal(node.operands[1]) if isinstance(node, Apply) and node.function is expect_length else None


def _refuse_lengths(function: Function) -> None:
    """Raise UnsupportedError for tuples that are unpacked to more or fewer variables than they have items."""
    problems = Problems()
    for node in walk(function.body):
        wanted = _expected(node)
        type_ = type_of(node.operands[0]) if isinstance(node, Apply) and wanted is not None else None
        if isinstance(type_, Tuple) and len(type_.items) != wanted:
            message = f"{len(type_.items)} values are unpacked to {wanted} variables"
            problem = Problem("BS118", message, node.loc, "give each variable one value")
            problems.add(UnsupportedError, problem)
    problems.report()


def _refuse_negative_powers(function: Function) -> None:
    """Raise UnsupportedError for whole numbers with an exponent that is known to be negative."""
    problems = Problems()
    for node in walk(function.body):
        if not is_whole_power(node) or not isinstance(node, Apply) or not node.loc.is_checked:
            continue
        exponent = literal(node.operands[1])
        if exponent is not None and exponent < 0:
            message = f"a whole number has the exponent {exponent}: compiled code computes the whole number 0"
            remedy = f"convert it, as in float(n) ** {exponent}, or write a float, as in 2.0 ** {exponent}"
            problem = Problem("BS115", message, node.loc, remedy)
            problems.add(UnsupportedError, problem)
    problems.report()


def _write(builder: Builder, check: Check) -> None:
    """Add `if ...: raise IndexError(...)`."""
    builder.loc = check.node.loc
    writer = _Writer(builder, {atom: _atom(builder, atom, check) for atom in check.atoms})
    wrong = writer.all(check.common, check.ways)
    error, message = _error(check.node)
    stopping = Raise(Const(error), (Const(message),), builder.loc, local=True)
    builder.add(If(wrong, Block((), (stopping,), ()), Block((), (), ()), (), builder.loc))


def _atom(builder: Builder, atom: Atom, check: Check) -> Operand:
    """The operand of the program that stands for an atom."""
    if atom in check.names:
        return check.names[atom]
    match atom:
        case Dim(value, axis):
            return builder.extent(value, axis)
        case Length(buffer, _):
            return builder.apply(len, buffer, type=INT)
        case _:
            assert isinstance(atom, Value)
            return atom


@dataclasses.dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the condition of a check; `known` is what the program has for each atom."""

    builder: Builder
    known: Mapping[Atom, Operand]

    def all(self, common: Failure, ways: Sequence[Constraint | Positions]) -> Operand:
        """`a and b and (c or d)`."""
        if not common:
            return self.any(ways)
        first, *others = common
        return self.joined(self.compared(first), lambda: self.all(tuple(others), ways), NO)

    def any(self, ways: Sequence[Constraint | Positions]) -> Operand:
        """`c or d`; `x != 2` for `x > 2 or x < 2`."""
        first, *others = ways
        if others and is_other_side(first, others[0]):
            assert isinstance(first, Constraint)
            wrong: Operand = self.unequal(first.affine + 1)
            return self.joined(wrong, lambda: self.any(others[1:]), YES) if others[1:] else wrong
        if isinstance(first, Positions):
            wrong = self.builder.apply(any_outside, first.array, self.sum(first.extent), type=BOOL)
        else:
            wrong = self.compared(first)
        return self.joined(wrong, lambda: self.any(others), YES) if others else wrong

    def joined(self, first: Operand, rest: Callable[[], Operand], otherwise: Block) -> Operand:
        """Join two conditions by a branch: the second is evaluated only if the first does not decide."""
        with self.builder.block() as block:
            block.yields = (rest(),)
        sides = (block.finish(), otherwise) if otherwise is NO else (otherwise, block.finish())
        result = self.builder.value("", BOOL)
        self.builder.add(If(first, *sides, (result,), self.builder.loc))
        return result

    def compared(self, constraint: Constraint) -> Operand:
        """Write a constraint as a comparison, with terms moved so that no minus sign is needed."""
        affine, const = constraint.affine, constraint.affine.const
        if constraint.equal:
            rest = Affine(0, affine.terms)
            return self.test(operator.eq, *((-rest, Affine(const)) if const > 0 else (rest, Affine(-const))))
        more = Affine(0, {atom: times for atom, times in affine.terms.items() if times > 0})
        less = Affine(0, {atom: -times for atom, times in affine.terms.items() if times < 0})
        values = Affine(0, {atom: times for atom, times in less.terms.items() if isinstance(atom, Value)})
        if not more.terms and const == -1 and values.terms and values != less:  # before the first position
            return self.test(operator.lt, values, values - less)
        if not less.terms:
            return (
                self.test(operator.gt, more, Affine(-const - 1))
                if const
                else self.test(operator.ge, more, Affine())
            )
        if not more.terms:
            return self.test(operator.lt, less, Affine(const + 1))
        more, less = more + max(const, 0), less + max(-const - 1, 0)
        if any(isinstance(atom, Value) for atom in more.terms):
            return self.test(operator.gt if const < 0 else operator.ge, more, less)
        return self.test(operator.lt if const < 0 else operator.le, less, more)

    def unequal(self, affine: Affine) -> Operand:
        """The comparison that holds if the expression is not zero."""
        more = Affine(max(affine.const, 0), {atom: n for atom, n in affine.terms.items() if n > 0})
        less = Affine(max(-affine.const, 0), {atom: -n for atom, n in affine.terms.items() if n < 0})
        return self.test(operator.ne, *((more, less) if more.terms else (less, more)))

    def test(self, function: object, left: Affine, right: Affine) -> Operand:
        """A comparison of two expressions."""
        return self.builder.apply(function, self.sum(left), self.sum(right), type=BOOL)

    def sum(self, affine: Affine) -> Operand:
        """The expression's value."""
        total: Operand | None = None
        for atom, times in affine.terms.items():
            term = self.known[atom]
            if abs(times) != 1:
                term = self.builder.apply(operator.mul, Const(abs(times)), term, type=INT)
            if total is None:
                total = term if times > 0 else self.builder.apply(operator.neg, term, type=INT)
            else:
                function = operator.add if times > 0 else operator.sub
                total = self.builder.apply(function, total, term, type=INT)
        if total is None:
            return Const(affine.const)
        if affine.const:
            function = operator.add if affine.const > 0 else operator.sub
            total = self.builder.apply(function, total, Const(abs(affine.const)), type=INT)
        return total


def _error(node: Access | Apply) -> tuple[type[Exception], str]:
    """The class of the error, and its message."""
    if not isinstance(node, Apply):
        return IndexError, f"{_spelled(node)} is out of bounds"
    if is_whole_power(node):
        return ValueError, "a whole number has a negative exponent: convert it, as in float(n) ** k"
    if node.function is expect_length:
        return ValueError, f"{_expected(node)} values are expected to unpack, and there are more or fewer"
    return (
        ZeroDivisionError,
        "integer modulo by zero" if node.function is operator.mod else "integer division by zero",
    )


def _spelled(node: Access) -> str:
    """The subscript as the user wrote it."""
    text = node.loc.text[node.loc.column : node.loc.end_column]
    try:
        (statement,) = ast.parse(text).body
    except (SyntaxError, ValueError):
        statement = ast.Pass()
    match statement:
        case ast.Expr(ast.Subscript() | ast.Call()):
            return text
        case ast.AugAssign(target=ast.Subscript() as target):
            return ast.unparse(target)
        case _:
            name = node.buffer.name if isinstance(node.buffer, Value) else ""
            return f"a subscript of {name}" if name else "a subscript"
