"""Print a program in three-address form, with one node per line and one variable per value, for Numba to type."""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field
from typing import Any

from backsweep.diagnostics import Loc
from backsweep.emit.module import scope_of
from backsweep.emit.nest import Nested
from backsweep.emit.python import Forms
from backsweep.emit.statements import Define, Effect, Note, Statement
from backsweep.emit.suggested_names import clean
from backsweep.emit.syntax import Expressions
from backsweep.ir.classes import Classes, same_lists
from backsweep.ir.nodes import (
    Append,
    Apply,
    Block,
    Comment,
    Const,
    For,
    Function,
    Grow,
    If,
    Load,
    Node,
    Operand,
    Raise,
    Store,
    Undefined,
    Value,
    While,
)
from backsweep.ir.walk import blocks, merges, results, walk

NUMBER = "len(())"
"""A whole number that is not known: that of a literal may be another type."""


@dataclass(frozen=True, slots=True)
class ThreeAddress:
    """The three-address form of a function.

    It has the function's name and text, the variable of each value, the place of each line in the user's code, and the
    objects that the text refers to by name.
    """

    name: str
    text: str
    names: dict[Value, str]
    lines: dict[int, Loc]
    bindings: dict[str, Any]


def three_address(function: Function, *, is_whole: bool = True) -> ThreeAddress:
    """Print a function with every value in its own variable, without nesting, one node per line.

    Of a program that is not whole, an empty list may be filled by what is still to come.
    """
    name = clean(function.name)  # the name of a lambda is no identifier
    name += "_" if hasattr(builtins, name) else ""  # which the text may call
    scope = scope_of([function], tables=False)
    names = _unique_names(function, scope.taken())
    writer = _Writer(Forms(Expressions(names, Nested(), scope, methods=False), plain=True), names, [], [])
    writer.unassigned = _unassigned(function.body)
    empty, writer.counted = _empty_lists(function.body, writer.unassigned, is_whole=is_whole)
    arguments = [names[value] for value in function.body.parameters]
    head = [f"import {name} as {scope.module(name)}" for name in sorted(scope.modules)]
    head += [f"from {module} import {name}" for name, module in sorted(scope.imports.items())]
    writer.line(0, f"def {name}({', '.join(arguments)}):", function.loc)
    writer.block(function.body, 1)
    result = function.body.yields[0] if function.body.yields else Const(None)
    lists = same_lists(function.body) if empty else Classes()
    for row, likes in empty.items() if not _ends(function.body) else ():
        for like in likes:  # here, all of them are assigned
            is_list = isinstance(like, Value) and lists.find(like) is lists.find(row)
            writer.line(1, f"{names[row]}.append({writer.spelled(like)}{'[0]' * is_list})", row.loc)
    writer.line(1, "return" if _ends(function.body) else f"return {writer.spelled(result)}", function.loc)
    # A loop may carry what only a statement assigns that this round of lowering leaves out: a variable, but no line's.
    for variable in dict.fromkeys(names.values()):
        if variable not in writer.assigned and variable not in arguments:
            writer.line(1, f"{variable} = {variable}", function.loc)
    lines = dict(enumerate(writer.locs, start=len(head) + 1))
    bindings = dict(scope.bindings)
    return ThreeAddress(name, "\n".join([*head, *writer.text]) + "\n", names, lines, bindings)


def _is_undefined(operand: Operand) -> bool:
    return isinstance(operand, Const) and isinstance(operand.value, Undefined)


def _unassigned(body: Block) -> set[Operand]:
    """The values that branches and loops hand on, and nothing assigns: the statement that does is left out in this round."""
    groups = [group for node in walk(body) for group in merges(node)]
    merged = {value for group in groups for value in group if isinstance(value, Value)}
    made = {value for node in walk(body) if not blocks(node) for value in results(node)}
    made |= {node.body.parameters[0] for node in walk(body) if isinstance(node, For)}
    found: set[Operand] = {value for value in merged - made if value not in body.parameters}
    changes = True
    while changes:
        given = {
            target
            for group in groups
            for target in group
            if target in found
            and any(
                source is not target and not _is_undefined(source) and source not in found for source in group
            )
        }
        found -= given
        changes = bool(given)
    return found


NAMELESS = "part"
"""The variable of a value without a name: a part of an expression."""


def _unique_names(function: Function, taken: set[str]) -> dict[Value, str]:
    """A variable for every value: the value's name with a number; arguments keep their names.

    The results of a loop and the parameters of its condition use the variables that the loop carries.
    """
    names = {value: clean(value.name) for value in function.body.parameters if value.name}
    used = taken | set(names.values())

    def add(value: Value) -> None:
        number = len(names)
        while (name := f"{clean(value.name or NAMELESS)}_{number}") in used:
            number += 1
        names[value] = name
        used.add(name)

    def share(parts: tuple[Value, ...], carried: tuple[Value, ...]) -> None:
        names.update((part, names[value]) for part, value in zip(parts, carried, strict=True))

    for value in function.body.parameters:
        if not value.name:  # what the pullback of a custom derivative is given
            add(value)
    for node in walk(function.body):
        match node:
            case For(body=body):
                for value in body.parameters:
                    add(value)
                share(node.results, body.parameters[1:])
                continue
            case While(body=body, condition=condition):
                for value in body.parameters:
                    add(value)
                share(condition.parameters, body.parameters)
                share(node.results, body.parameters)
                continue
            case _:
                pass
        bound = tuple(value for block in blocks(node) for value in block.parameters)
        for value in (*results(node), *bound):
            add(value)
    return names


def _ends(block: Block) -> bool:
    """Whether the block ends by raising."""
    nodes = [node for node in block.nodes if not isinstance(node, Comment)]
    return bool(nodes) and isinstance(nodes[-1], Raise)


def _empty_lists(
    body: Block, unassigned: set[Operand], *, is_whole: bool
) -> tuple[dict[Value, tuple[Operand, ...]], set[Value]]:
    """What tells the types of lists that are empty where they are made, and the lists whose lengths are asked for.

    For each such list: what it could hold, or a list that may take its place, of which it could hold the first item. Numba types an
    empty list by what is appended to it under its own name: that is enough where this tells a type, as of tapes, which a tuple holds.
    """
    nodes = list(walk(body))
    empty = {
        node.result: None
        for node in nodes
        if isinstance(node, Apply) and node.function is list and not node.operands
    }
    if not empty:
        return {}, set()
    classes = same_lists(body)
    groups = {classes.find(each): _Group() for each in empty}
    items: set[Operand] = set()
    for node in nodes:
        made = node.result if isinstance(node, Apply | Load) else None
        holder = made if isinstance(node, Apply) else getattr(node, "buffer", None)
        for each in (each for each in _put(node) if isinstance(each, Value) and classes.find(each) in groups):
            groups[classes.find(each)].is_held = True
        group = groups.get(classes.find(holder)) if isinstance(holder, Value) else None
        if group is not None:
            group.items += _put(node)
            group.is_filled |= isinstance(node, Append)
            if made in empty:
                group.made.append(made)
            elif isinstance(node, Apply):
                group.others.append(node.result)
        if isinstance(made, Value) and (
            (isinstance(node, Load) and group is not None)
            or (isinstance(node, Apply) and not items.isdisjoint(node.operands))
        ):
            items.add(made)
    told = {each.buffer for each in nodes if isinstance(each, Append) and each.value not in items}
    found: dict[Value, tuple[Operand, ...]] = {}
    for group in groups.values():
        known = [each for each in group.items if not (_is_undefined(each) or each in unassigned)]
        first = [each for each in known if each not in items]
        if len(group.made) == 1 and not group.others and not group.is_held and (first or group.is_filled):
            continue
        unknown: list[Operand] = [Const(0.0)] if is_whole else []
        like = first or group.others[:1] or (known[:1] if group.is_filled else unknown)
        found.update((each, tuple(dict.fromkeys(like))) for each in group.made if each not in told)
    asked = (node.operands[0] for node in nodes if isinstance(node, Apply) and node.function is len)
    return found, {each for each in asked if isinstance(each, Value) and classes.find(each) in groups}


@dataclass(slots=True)
class _Group:
    """The values that may be one list: those made empty, others that are made, what is put into them, and what is done with them."""

    made: list[Value] = field(default_factory=list)
    others: list[Value] = field(default_factory=list)
    items: tuple[Operand, ...] = ()
    is_held: bool = False
    is_filled: bool = False


def _put(node: Node) -> tuple[Operand, ...]:
    """What a node puts into a list."""
    match node:
        case Append(value=value) | Store(value=value):
            return (value,)
        case Apply(function=function, operands=items) if function is list:
            return items
        case _:
            return ()


@dataclass(slots=True)
class _Writer:
    """Collects the lines and their places in the user's code.

    `counted` has the lists that may be empty where they are made, whose lengths are numbers whatever they hold.
    """

    forms: Forms
    names: dict[Value, str]
    text: list[str]
    locs: list[Loc]
    counted: set[Value] = field(default_factory=set)
    assigned: set[str] = field(default_factory=set)
    unassigned: set[Operand] = field(default_factory=set)

    def line(self, depth: int, text: str, loc: Loc) -> None:
        """Add a line."""
        self.text.append("    " * depth + text)
        self.locs.append(loc)

    def spelled(self, operand: Operand) -> str:
        """An operand as text."""
        return ast.unparse(self.forms.write.operand(operand))

    def block(self, block: Block, depth: int) -> None:
        """Write the nodes of a block, or `pass`."""
        for node in block.nodes:
            self.node(node, depth)

    def copies(self, targets: tuple[Value, ...], sources: tuple[Operand, ...], depth: int, loc: Loc) -> None:
        """Write parallel copies, through temporaries if a target is also a source."""
        pairs = [
            (self.names[target], self.spelled(source))
            for target, source in zip(targets, sources, strict=True)
            if not _is_undefined(source) and source not in self.unassigned
        ]
        written = {name for name, _ in pairs}
        self.assigned |= written
        if len(pairs) > 1 and any(source in written for _, source in pairs):
            for name, source in pairs:
                self.line(depth, f"{name}_copy = {source}", loc)
            pairs = [(name, f"{name}_copy") for name, _ in pairs]
        for name, source in pairs:
            self.line(depth, f"{name} = {source}", loc)

    def node(self, node: Node, depth: int) -> None:
        """Write one node."""
        match node:
            case Comment():
                pass
            case Raise() | Grow():
                # Types depend neither on a raise nor on growth, and Numba's inference refuses a raise in untyped code.
                self.line(depth, "pass", node.loc)
            case If():
                self.line(depth, f"if {self.spelled(node.condition)}:", node.loc)
                self.branch(node.then, node, depth + 1)
                self.line(depth, "else:", node.loc)
                self.branch(node.orelse, node, depth + 1)
            case For():
                index, *carried = node.body.parameters
                self.assigned.add(self.names[index])
                self.copies(tuple(carried), node.inits, depth, node.loc)
                space = ", ".join(map(self.spelled, (node.start, node.stop, node.step)))
                self.line(depth, f"for {self.names[index]} in range({space}):", node.loc)
                self.loop_body(node, tuple(carried), depth + 1)
            case While():
                parameters = node.body.parameters
                self.copies(parameters, node.inits, depth, node.loc)
                self.line(depth, "while True:", node.loc)
                self.block(node.condition, depth + 1)
                self.line(depth + 1, f"if not {self.spelled(node.condition.yields[0])}:", node.loc)
                self.line(depth + 2, "break", node.loc)
                self.loop_body(node, parameters, depth + 1)
            case Apply(result=result, function=function, operands=(Value() as counted,)) if (
                function is len and counted in self.counted
            ):
                self.assigned.add(self.names[result])
                self.line(depth, f"{self.names[result]} = {NUMBER}", node.loc)
            case _:
                statement: Statement = _statement(node)
                self.assigned |= {self.names[value] for value in results(node)}
                for made in self.forms.simple(statement):
                    self.line(depth, ast.unparse(ast.fix_missing_locations(made)), node.loc)

    def branch(self, block: Block, node: If, depth: int) -> None:
        """Write one side of an If."""
        self.block(block, depth)
        if not _ends(block):
            self.copies(node.results, block.yields, depth, node.loc)
        self.line(depth, "pass", node.loc)

    def loop_body(self, node: For | While, carried: tuple[Value, ...], depth: int) -> None:
        """Write a loop's body, its copies and its exit."""
        self.block(node.body, depth)
        leave = "" if node.exit is None else self.spelled(node.exit)
        if node.exit in carried:
            self.line(depth, f"{leave}_exit = {leave}", node.loc)
            leave += "_exit"
        if not _ends(node.body):
            self.copies(carried, node.body.yields, depth, node.loc)
        if leave:
            self.line(depth, f"if {leave}:", node.loc)
            self.line(depth + 1, "break", node.loc)
        self.line(depth, "pass", node.loc)


def _statement(node: Node) -> Statement:
    """A node without blocks as a statement."""
    match node:
        case If() | For() | While():
            raise TypeError(f"not a simple node: {node!r}")
        case Comment():
            return Note(node.text, node.loc)
    result = results(node)
    return Define(result[0], node, node.loc) if result else Effect(node, node.loc)  # type: ignore[arg-type]
