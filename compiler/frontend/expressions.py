"""Lower expressions to nodes: names, operators, comparisons, conditionals, tuples, attributes."""

from __future__ import annotations

import ast
import difflib
import operator
from collections.abc import Callable, Mapping
from enum import Flag
from typing import Any, TypeGuard

import numpy as np

from backsweep.diagnostics import Loc, UnsupportedError
from backsweep.frontend import subscripts
from backsweep.frontend.arrays import spreading
from backsweep.frontend.arrays.from_lists import arrays_of_operands
from backsweep.frontend.arrays.lookups import is_held
from backsweep.frontend.branches import Fork, chosen, is_same_function
from backsweep.frontend.calls import callables as calls
from backsweep.frontend.calls.inlining import inline
from backsweep.frontend.calls.library import library_call
from backsweep.frontend.constructs import lists
from backsweep.frontend.constructs.comprehensions import comprehension
from backsweep.frontend.constructs.custom import stopped
from backsweep.frontend.constructs.dicts import become_tables, becomes_table
from backsweep.frontend.constructs.going_through import items_of
from backsweep.frontend.constructs.iterate import check_whole, names_axis
from backsweep.frontend.constructs.kinds import asked_items, asked_type, is_given, known_attribute, named_item
from backsweep.frontend.constructs.namedtuples import class_attribute, own_property
from backsweep.frontend.constructs.questions import ask_identity, compared_kinds
from backsweep.frontend.constructs.special_methods import SIGNS, own_operator, special_method
from backsweep.frontend.context import counted
from backsweep.frontend.context.heap import Virtual
from backsweep.frontend.context.lowerer import IN_ITS_BRANCH, Keywords, Lowerer, is_generator
from backsweep.frontend.context.operators import BINARY, COMPARE, UNARY
from backsweep.frontend.context.scope import (
    Bound,
    Clash,
    Inner,
    Iterator,
    KnownTuple,
    Range,
    holds_values,
    is_class,
    is_refused,
    is_static,
    is_undefined,
    kind_of,
    known_elements,
    known_items,
    known_object,
    refusal,
)
from backsweep.frontend.fields import field_of_dict, part_of
from backsweep.frontend.generators.partial import held_among
from backsweep.frontend.instances import dicts, members
from backsweep.frontend.instances import lists as object_lists
from backsweep.frontend.instances.items import compared, is_one_object
from backsweep.frontend.instances.joining import holds_objects
from backsweep.frontend.instances.of_libraries import made_known
from backsweep.frontend.own_classes import attribute_of, computed_plainly, of_flags, refuse_own_operators
from backsweep.frontend.rewriting.texts import known_text, makes_text, text_of
from backsweep.ir.nodes import UNDEFINED, Const, Member, Operand, Slice, Value, equals, is_none
from backsweep.ir.types import Array, Scalar
from backsweep.prelude.arrays.shapes import matrix_transpose
from backsweep.prelude.language import memory
from backsweep.reading.names import ATTRIBUTES, METHODS, attribute, is_data, wrap
from backsweep.reading.outside import Read
from backsweep.runtime.lists.sequences import is_in_array, is_in_range
from backsweep.runtime.plain.orders import taken

TRUE, FALSE = Const(True), Const(False)
WORD = 63
LARGEST_EXPONENT = 10_000


class ExpressionLowerer(Lowerer):
    """Lowers expressions of one function; `lower` appends nodes to the builder and returns the operand."""

    def lower(self, node: ast.expr) -> Operand:
        """The operand that stands for the expression's value."""
        match node:
            case ast.Constant(value=value):
                return UNDEFINED if value is UNDEFINED.value else Const(value)
            case ast.Name():
                return computed_plainly(self, self.name(node), node)
            case ast.JoinedStr() | ast.BinOp() | ast.Call() if makes_text(self, node):
                return known_text(self, node)
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(type(op), self.lower(left), self.lower(right), node)
            case ast.UnaryOp():
                return self.unary(node)
            case ast.BoolOp(op=op, values=values):
                return self.bool_op(isinstance(op, ast.And), values, node, self.lower)
            case ast.Compare():
                return self.compare(self.lower(node.left), node.ops, node.comparators, node)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.choose(
                    self.test(test), lambda: self.lower(body), lambda: self.lower(orelse), self.loc(node)
                )
            case ast.Tuple(elts=items) | ast.List(elts=items) if any(
                isinstance(item, ast.Starred) for item in items
            ):
                return spreading.display(self, items, node)
            case ast.Tuple(elts=items) | ast.List(elts=items):
                return self.make_tuple(tuple(self.spread(items)), node, isinstance(node, ast.List))
            case ast.Dict() | ast.DictComp():
                return dicts.dict_of(self, node)
            case ast.Set() | ast.SetComp():
                return dicts.set_of(self, node)
            case ast.ListComp():
                return comprehension(self, node)
            case ast.Attribute():
                return computed_plainly(self, attribute_of(self, node, self.name), node)
            case ast.Subscript():
                return computed_plainly(self, subscripts.read(self, node), node)
            case ast.Call():
                return calls.lower_call(self, node)
            case ast.Lambda():
                return Const(Inner(node, self.frame, self.defaults(node.args)))
            case ast.NamedExpr(target=target, value=value):
                return self.bind(target.id, self.lower(value))
            case _:
                raise self.unsupported(node)

    def text(self, node: ast.expr) -> Operand | None:
        """Lower a text that is printed or raised; None for an expression that makes no text."""
        return text_of(self, node)

    def call(
        self, function: Operand, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
    ) -> Operand:
        """Lower a call of an operand, and return the operand for its result."""
        return calls.call(self, function, args, keywords, node)

    def inline(
        self, function: object, args: tuple[Operand, ...], keywords: Keywords, node: ast.AST
    ) -> Operand:
        """Inline a Python function, and return the operand for its result."""
        return inline(self, function, args, keywords, node)

    def unsupported(self, node: ast.expr) -> UnsupportedError:
        """The error for an unsupported kind of expression."""
        remedies: Mapping[type[ast.AST], tuple[str, str]] = {
            ast.GeneratorExp: (
                "a generator expression as a value",
                "make it a list, [... for ...], or write it within `sum`, `min`, `max`, `any`, `all` or `sorted`",
            ),
            ast.Yield: ("`yield`", "store the values in an array and return that"),
            ast.YieldFrom: ("`yield from`", "store the values in an array and return that"),
            ast.Await: ("`await`", "write a plain function"),
            ast.Starred: ("a starred expression here", "write the items out"),
        }
        what, remedy = remedies.get(
            type(node), (f"`{ast.unparse(node)}`", "write it with arrays and numbers")
        )
        return self.refuse("BS102", f"{what} cannot be differentiated", node, remedy)

    def name(self, node: ast.Name) -> Operand:
        """The operand of a name: a local, a variable of an enclosing function, a global or a builtin."""
        found = self.find(node.id, self.frame)
        if found is None:
            known = {name for scope in (self.frame.env, *self.frame.scopes) for name in scope}
            near = difflib.get_close_matches(node.id, known, n=1)
            remedy = "import or define it before the function is differentiated"
            remedy = f"did you mean `{near[0]}`? Otherwise {remedy}" if near else remedy
            raise self.refuse("BS103", f"the name `{node.id}` is not defined", node, remedy)
        if isinstance(found, Const) and isinstance(found.value, Read):
            return self.generator(found.value, node)
        self.check_path(found, f"`{node.id}`", node)
        if isinstance(found, Const) and isinstance(found.value, Iterator):
            message = f"`{node.id}` is an iterator, and is used as a value"
            raise self.refuse("BS114", message, node, "loop over it in a `for`, or call `next` of it")
        if is_undefined(found) and not node.id.startswith("."):
            message = f"`{node.id}` is read before it is assigned"
            raise self.refuse("BS105", message, node, f"assign `{node.id}` on every path before this line")
        return found

    def binary(self, op: type[ast.operator], left: Operand, right: Operand, node: ast.AST) -> Operand:
        """Lower a binary operator; tuples with known parts and strings are joined and repeated while compiling."""
        left, right = made_known(self, left, node), made_known(self, right, node)
        refuse_own_operators(self, (left, right), node)
        if (flags := of_flags(BINARY[op], left, right)) is not None:
            return flags
        if (own := own_operator(self, op, left, right, node)) is not None:
            return own
        if (joined := object_lists.combined(self, op, left, right, node)) is not None:
            return joined
        if op is ast.BitOr and (union := dicts.union(self, left, right, node)) is not None:
            return union
        left, right = arrays_of_operands(self, left, right, node)
        one, other = known_elements(self.context, left), known_elements(self.context, right)
        listed = {operand for operand in (left, right) if operand in self.context.lists}
        if op is ast.Add and one is not None and other is not None and len(listed) in (0, 2):
            return self.make_tuple(one + other, node, as_list=bool(listed))
        is_tuple = bool(self.context.tuples & {left, right})
        if op is ast.Add and (is_tuple or (self.context.is_list(left) and self.context.is_list(right))):
            whole = lists.joined(self, (left, right), node)
            self.context.tuples |= {whole} if is_tuple else set()
            return whole
        for items, count in ((left, right), (right, left)) if op is ast.Mult else ():
            if self.context.is_list(items) and not self.context.is_list(count):
                many = lists.repeated_list(self, items, count, node)
                self.context.tuples |= {many} if is_tuple else set()
                return many
        if op is ast.Mult and one is not None and _is_int(right) and not listed:
            return self.make_tuple(one * right.value, node)
        if op is ast.Mult and other is not None and _is_int(left) and not listed:
            return self.make_tuple(other * left.value, node)
        if op in (ast.Add, ast.Mult, ast.Mod) and _is_text(left) and isinstance(right, Const):
            try:
                text: Any = BINARY[op](left.value, right.value)
            except (TypeError, ValueError, KeyError) as error:
                message = f"`{ast.unparse(node)}` fails: {error}"
                raise self.refuse(
                    "BS157",
                    message,
                    node,
                    "join strings with strings, and repeat a string a whole number of times",
                ) from None
            return Const(text)
        if op is ast.Pow and _is_int(left) and _is_int(right) and 0 < right.value < LARGEST_EXPONENT:
            power = left.value**right.value
            if power.bit_length() > WORD:
                return Const(power)  # which Numba rejects as too large; its own `**` would wrap around
        is_counted = self.frame.fixed is not None or self.frame.counts or _counts_axes(self, node)
        is_folded = op in (ast.Add, ast.Sub) or (op in (ast.Mod, ast.FloorDiv) and not equals(right, 0))
        if is_folded and _is_int(left) and _is_int(right) and is_counted:
            number: Any = BINARY[op](left.value, right.value)
            return Const(number)
        if op is ast.MatMult and isinstance(node, ast.expr):
            return library_call(self, BINARY[op], (left, right), {}, node)
        return self.apply(BINARY[op], (left, right), node)

    def unary(self, node: ast.UnaryOp) -> Operand:
        """Lower a sign, `not` or `~`; an operator on a literal is evaluated while compiling."""
        operand = self.test(node.operand) if isinstance(node.op, ast.Not) else self.lower(node.operand)
        if (
            isinstance(operand, Const)
            and isinstance(operand.thing, bool | int | float | complex | Flag)
            and not operand.name
        ):
            return wrap(UNARY[type(node.op)](operand.thing))
        if isinstance(node.op, ast.Not):
            return self.negated(operand, node)
        operand = made_known(self, operand, node)
        if (own := special_method(self, operand, SIGNS[type(node.op)])) is not None:
            return self.inline(own, (operand,), {}, node)
        return self.apply(UNARY[type(node.op)], (operand,), node)

    def test(self, node: ast.expr) -> Operand:
        """Lower a condition: each operand of `and`, `or` and `not` is one, too, whatever it is."""
        if isinstance(node, ast.BoolOp):
            return self.bool_op(isinstance(node.op, ast.And), node.values, node, self.test)
        found = lists.filled(self, self.lower(node), node)
        if isinstance(found, Const) and isinstance(found.value, np.ndarray) and found.value.size != 1:
            message = f"an array of {found.value.size} entries is no condition"
            raise self.refuse("BS102", message, node, "use np.any(...) or np.all(...) of it")
        return found

    def bool_op(
        self, is_and: bool, values: list[ast.expr], node: ast.expr, lower: Callable[[ast.expr], Operand]
    ) -> Operand:
        """Lower `and` and `or`, which evaluate the other operands only if the first does not decide."""
        first = lower(values[0])
        if len(values) == 1:
            return first
        if isinstance(first, Const) and not isinstance(first.value, np.ndarray | Virtual):
            return self.bool_op(is_and, values[1:], node, lower) if bool(first.value) is is_and else first

        def rest() -> Operand:
            return self.bool_op(is_and, values[1:], node, lower)

        return self.decide(first, is_and, rest, node)

    def decide(self, first: Operand, is_and: bool, rest: Callable[[], Operand], node: ast.AST) -> Operand:
        """Lower `first and rest` or `first or rest`."""
        decided: Operand = first
        if first in self.context.booleans:
            decided = FALSE if is_and else TRUE
        loc = self.loc(node)
        condition = lists.filled(self, first, node)
        if is_and:
            return self.choose(condition, rest, lambda: decided, loc)
        return self.choose(condition, lambda: decided, rest, loc)

    def compare(
        self, left: Operand, ops: list[ast.cmpop], others: list[ast.expr], node: ast.Compare
    ) -> Operand:
        """Lower a comparison; in a chain each operand is evaluated at most once, and only if needed."""
        among = others[0]
        if isinstance(ops[0], ast.In | ast.NotIn) and isinstance(among, ast.Set):
            among = ast.copy_location(ast.Tuple(among.elts, ast.Load()), among)
        searched = held_among(self, left, among) if isinstance(ops[0], ast.In | ast.NotIn) else None
        if searched is not None and len(ops) == 1:
            return searched if isinstance(ops[0], ast.In) else self.negated(searched, node)
        right = self.lower(among)
        first = self.comparison(left, ops[0], right, node)
        if len(ops) == 1:
            return first
        if isinstance(first, Const):
            return self.compare(right, ops[1:], others[1:], node) if first.value else first
        return self.decide(first, True, lambda: self.compare(right, ops[1:], others[1:], node), node)

    def comparison(self, left: Operand, op: ast.cmpop, right: Operand, node: ast.Compare) -> Operand:
        """Lower one comparison; between compile-time objects it is decided while compiling."""
        if (own := own_operator(self, type(op), left, right, node)) is not None:
            return own
        if (of_objects := compared(self, left, op, right, node)) is not None:
            return of_objects
        is_equality = isinstance(op, ast.Eq | ast.NotEq)
        if is_equality and any(isinstance(getattr(side, "value", 0), Slice) for side in (left, right)):
            message = "a slice is compared: for a part that is left out, Python has None but Numba a number"
            raise self.refuse("BS132", message, node, "pass the parts as numbers, and compare those")
        if is_equality and any(
            isinstance(side, Const) and isinstance(side.value, dict) and holds_values(side, self.frame)
            for side in (left, right)
        ):
            message = "a dict is compared whose values are known only when the program runs"
            raise self.refuse("BS102", message, node, "compare its values, as in p['k'] == q['k']")
        decided = self.decided_objects(left, op, right)
        if decided is None:
            decided = compared_kinds(self, left, op, right, node)
        if decided is not None:
            return Const(decided)
        if isinstance(op, ast.In | ast.NotIn):
            return self.membership(left, isinstance(op, ast.In), right, node)
        if isinstance(op, ast.Is | ast.IsNot):
            one, other = (left, right) if isinstance(left, Value) else (right, left)
            if is_none(other) and (one in self.context.present or is_given(self, one, node)):
                return Const(isinstance(op, ast.IsNot))
            if one is other:
                return Const(isinstance(op, ast.Is))
            ask_identity(self, one, other, node)
        of_lists = lists.compared(self, left, op, right, node)
        if of_lists is not None:
            return self.negated(of_lists, node) if isinstance(op, ast.NotEq) else of_lists
        operands = arrays_of_operands(self, left, right, node)
        result = self.apply(COMPARE[type(op)], operands, node)
        self.context.booleans.add(result)
        return result

    def membership(self, item: Operand, is_in: bool, among: Operand, node: ast.Compare) -> Operand:
        """Lower `item in (a, b)` to comparisons with each part in order, until one is equal; an object's class may say what it holds."""
        if (own := special_method(self, among, "__contains__")) is not None:
            held = lists.filled(self, self.inline(own, (among, item), {}, node), node)
            return held if is_in else self.negated(held, node)
        becomes_table(self.context, among)
        if isinstance(item, Value) and (answering := dicts.named(self, among, node)) is not None:
            return self.membership(item, is_in, answering, node)
        among = items_of(self, among, node, is_ordered=False)
        if isinstance(among, Const) and isinstance(among.value, Range):
            found_in = self.in_range(item, among.value, node)
            return found_in if is_in else self.negated(found_in, node)
        parts = known_elements(self.context, among)
        if parts is None and self.context.is_list(among):
            found_in = lists.held_in(self, item, among, node)
            return found_in if is_in else self.negated(found_in, node)
        if parts is None:
            searched = self.searched(item, among, node)
            if isinstance(searched, Value):
                self.context.booleans.add(searched)
            return searched if is_in else self.negated(searched, node)

        def found(rest: tuple[Operand, ...]) -> Operand:
            if not rest:
                return FALSE
            one = is_one_object(self, rest[0], item, node)
            first = TRUE if one else self.comparison(rest[0], ast.Eq(), item, node)
            if isinstance(first, Const):
                return TRUE if first.value else found(rest[1:])
            return self.decide(first, False, lambda: found(rest[1:]), node) if rest[1:] else first

        result = found(parts)
        if is_in:
            return result
        return self.negated(result, node)

    def in_range(self, item: Operand, numbers: Range, node: ast.Compare) -> Operand:
        """Lower `item in range(start, stop, step)`: to comparisons if the step is known and the item is real."""
        check_whole(self, numbers.bounds, node)
        has_step = isinstance(numbers.step, Const) and isinstance(numbers.step.value, int)
        type_ = asked_type(self, item, node) if has_step and isinstance(item, Value) else None
        if has_step and not (isinstance(type_, Scalar) and type_.dtype.startswith("complex")):
            return counted.is_in_range(self, item, numbers, node)
        found = inline(self, is_in_range, (item, numbers.start, numbers.stop, numbers.step), {}, node)
        if isinstance(found, Value):
            self.context.booleans.add(found)
        return found

    def searched(self, item: Operand, among: Operand, node: ast.Compare) -> Operand:
        """Lower `item in array`."""
        is_array = isinstance(among, Const) and isinstance(among.value, np.ndarray)
        if is_array or (isinstance(among, Value) and isinstance(asked_type(self, among, node), Array)):
            return inline(self, is_in_array, (item, among), {}, node)
        if isinstance(among, Const) and isinstance(among.value, dict | set | frozenset):
            held = is_held(self, item, among.value, node)
            if held is not None:
                return held
        message = "`in` searches something other than a tuple, a list, a range or an array"
        raise self.refuse("BS107", message, node, "search a tuple, as in `k in (1, 3)`")

    def negated(self, operand: Operand, node: ast.AST) -> Operand:
        """Lower `not operand`."""
        operand = lists.filled(self, operand, node)
        if isinstance(operand, Const) and not isinstance(operand.value, np.ndarray):
            return Const(not operand.value)
        result = self.apply(operator.not_, (operand,), node)
        self.context.booleans.add(result)
        return result

    def decided_objects(self, left: Operand, op: ast.cmpop, right: Operand) -> bool | None:
        """The outcome of a comparison of constants, or of tuples of constants; None if only the run decides it."""
        if isinstance(left, Const) and isinstance(right, Const):
            return self.decided(left.thing, op, right.thing)
        one, other = (known_object(self.context, side) for side in (left, right))
        if one is None or other is None or isinstance(op, ast.Is | ast.IsNot):
            return None
        return self.decided(one[0], op, other[0])

    def decided(self, left: object, op: ast.cmpop, right: object) -> bool | None:
        """The outcome of a comparison of constants, or None if it is only known when the program runs."""
        if isinstance(op, ast.Is):
            return left is right
        if isinstance(op, ast.IsNot):
            return left is not right
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            return None
        try:
            if isinstance(op, ast.In | ast.NotIn):
                return bool(left in right) is isinstance(op, ast.In)  # type: ignore[operator]
            return bool(COMPARE[type(op)](left, right))
        except (TypeError, ValueError):
            return None

    def choose(
        self, condition: Operand, then: Callable[[], Operand], orelse: Callable[[], Operand], loc: Loc
    ) -> Operand:
        """Lower `then() if condition else orelse()`; if the condition is known, only one side is lowered."""
        if isinstance(condition, Const) and not isinstance(condition.value, np.ndarray):
            return then() if condition.value else orelse()
        sides: list[Operand] = []
        arms = (lambda: sides.append(then()), lambda: sides.append(orelse()))
        fork = Fork(self.context, self.frame, condition, arms, loc)
        first, second = sides
        fork.meet()
        if refused := [each for each in sides if is_refused(each)]:
            fork.close()
            return refused[0]
        become_tables(self.context, first, second)
        is_function = is_same_function(first, second)
        are_objects = holds_objects(first) and holds_objects(second)
        whole: Operand = fork.join.operand("", first, second) if are_objects else Const(None)
        are_objects &= not (isinstance(whole, Const) and isinstance(whole.value, Clash))
        for operand in () if is_function or are_objects else (first, second):
            if is_static(operand):
                kind = kind_of(operand)
                message = f"a conditional expression chooses between {kind}s while the program runs"
                raise refusal("BS104", message, loc, IN_ITS_BRANCH[kind])
        if not are_objects:
            whole = chosen(first, second, "", fork.result) if is_function else fork.result("", first, second)
        fork.close()
        if isinstance(whole, Value) and all(
            side in self.context.booleans or _is_bool(side) for side in (first, second)
        ):
            self.context.booleans.add(whole)
        return whole

    def spread(self, items: list[ast.expr]) -> list[Operand]:
        """The items of a display or call; starred items are unpacked."""
        made: list[Operand] = []
        for item in items:
            if not isinstance(item, ast.Starred):
                made.append(self.lower(item))
                continue
            starred = spreading.opened(self, item.value)
            opened = known_items(self.context, starred)
            if opened is None:
                opened = asked_items(self, starred, item)
            if opened is None:
                message = f"the length of `{ast.unparse(item.value)}` is not known before the program runs"
                raise self.refuse("BS108", message, item, "write the items out, as in f(x[0], x[1])")
            made += opened
        return made

    def make_tuple(self, items: tuple[Operand, ...], node: ast.AST, as_list: bool = False) -> Operand:
        """Make a tuple whose parts stay known; a tuple that holds functions exists only while compiling."""
        for item in items:
            becomes_table(self.context, item)
            self.check_exists(item, node)
        if as_list and (any(map(holds_objects, items)) or object_lists.holds_objects_at(self, node)):
            return object_lists.new_list(self, items, node)
        if any(is_static(item) for item in items) or (items and all(map(is_class, items))):
            return Const(KnownTuple(items, self.loc(node) if as_list else None))
        if as_list:
            items = tuple(stopped(self, item, node) for item in items)
            if self.loc(node) in self.context.expansions.changing:
                return lists.new_list(self, items, node)
        result = self.builder.apply(list if as_list else tuple, *items, loc=self.loc(node))
        self.context.made_lists[result] = self.loc(node)
        self.context.elements[result] = items
        self.context.present.add(result)
        if as_list:
            self.context.lists[result] = self.loc(node)
        return result

    def attribute(self, base: Operand, name: str, node: ast.AST) -> Operand:
        """Read `base.name`: of a module or class while compiling, of a value while the program runs."""
        if isinstance(base, Member):
            base = Const(base.thing)
        if (of_object := members.attribute(self, base, name, node)) is not None:
            return of_object
        if isinstance(base, Const) and isinstance(base.value, Slice):
            return part_of(self, base.value, name, node)
        if isinstance(base, Const) and isinstance(base.value, Range) and name in ("start", "stop", "step"):
            number: Operand = getattr(base.value, name)
            return number
        if isinstance(base, Const) and not isinstance(base.value, np.ndarray | KnownTuple):
            if (field := field_of_dict(self, base.value, name)) is not None:
                return field
            found = attribute(base.value, name)
            if isinstance(base.value, dict) and found is not None and self.frame.fixed is None:
                becomes_table(self.context, base)
                if (answering := dicts.named(self, base, node)) is not None:
                    return self.attribute(answering, name, node)
            if found is None:
                what = getattr(base.value, "__name__", type(base.value).__name__)
                near = difflib.get_close_matches(name, dir(base.value), n=1)
                remedy = f"did you mean `{near[0]}`?" if near else "check the spelling"
                if type(base.value) is dict:
                    remedy = "of an argument whose class is derived from dict, the items are passed alone: pass it as an argument of its own"
                raise self.refuse("BS109", f"`{what}` has no attribute `{name}`", node, remedy)
            read = self.context.outside.note_attribute(self.frame.source, base.value, name)
            return self.generator(read, node) if read is not None and is_generator(found) else found
        if isinstance(base, Const) and isinstance(base.value, np.ndarray):
            if name in ("ndim", "dtype") or (name in ("size", "shape") and self.frame.fixed is not None):
                return Const(
                    getattr(base.value, name)
                )  # in texts of ours; the user's read better as they are
        if isinstance(base, Value) and name in self.context.fields.get(base, ()):
            return self.context.elements[base][self.context.fields[base].index(name)]
        computed = own_property(self, base, name) if isinstance(base, Value) else None
        if computed is not None:
            return self.inline(computed, (base,), {}, node)
        of_class = class_attribute(self, base, name) if isinstance(base, Value) else None
        if of_class is not None:
            return of_class
        known = named_item(self, base, name, node)
        if known is None and isinstance(base, Value):
            known = known_attribute(self, base, name, node)
        if known is not None:
            return known
        if name == "__getitem__":
            return Const(Bound(Const(taken), (base,), {}))
        if name == "mT" and isinstance(node, ast.expr):
            return self.inline(matrix_transpose, (base,), {}, node)
        if name in ATTRIBUTES:
            return self.apply(ATTRIBUTES[name], (base,), node)
        if name == "strides":
            return self.inline(memory.strides, (base,), {}, node)
        if name == "flags":
            return self.inline(memory.flags, (base,), {}, node)
        if name in METHODS or name in ("flat", "data", "base", "ctypes"):
            message = f"the attribute `{name}` cannot be differentiated"
            raise self.refuse("BS109", message, node, "index the array, or call a NumPy function of it")
        added = calls.added_member(self, base, name, None, node) if isinstance(node, ast.expr) else None
        return self.apply(getattr, (base, Const(name)), node) if added is None else added

    def defaults(self, arguments: ast.arguments) -> dict[str, Operand]:
        """The default values of an inner function, evaluated where it is defined."""
        found: dict[str, Operand] = {}
        positional = [*arguments.posonlyargs, *arguments.args]
        first = len(positional) - len(arguments.defaults)
        pairs = list(zip(positional[first:], arguments.defaults, strict=True))
        named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        for argument, value in [*pairs, *((name, default) for name, default in named if default is not None)]:
            found[argument.arg] = self.lower(value)
        return found


def _counts_axes(lowerer: Lowerer, node: ast.AST) -> bool:
    """Whether it computes with a number of axes, of which further ones are made: `x.ndim - 1`."""
    return isinstance(node, ast.BinOp) and (
        any(isinstance(each, ast.Attribute) and each.attr == "ndim" for each in (node.left, node.right))
        or names_axis(lowerer, node)
    )


def _is_int(operand: Operand) -> TypeGuard[Const]:
    return isinstance(operand, Const) and isinstance(operand.value, int)


def _is_text(operand: Operand) -> TypeGuard[Const]:
    return isinstance(operand, Const) and isinstance(operand.value, str)


def _is_bool(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, bool) and is_data(operand.value)
