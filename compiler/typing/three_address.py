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
from backsweep.ir.classes import same_lists
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

    Of a program that is not whole yet, an empty list may be filled by what is still to come.
    """
    name = clean(function.name)  # the name of a lambda is no identifier
    name += "_" if hasattr(builtins, name) else ""  # which the text may call
    scope = scope_of([function], tables=False)
    names = _unique_names(function, scope.taken())
    writer = _Writer(Forms(Expressions(names, Nested(), scope, methods=False), plain=True), names, [], [])
    writer.empty, writer.full = _empty_rows(function.body)
    writer.unassigned = _unassigned(function.body)
    if is_whole:
        writer.full |= _never_filled(function.body)
    arguments = [names[value] for value in function.body.parameters]
    head = [f"import {name} as {scope.module(name)}" for name in sorted(scope.modules)]
    head += [f"from {module} import {name}" for name, module in sorted(scope.imports.items())]
    writer.line(0, f"def {name}({', '.join(arguments)}):", function.loc)
    writer.block(function.body, 1)
    result = function.body.yields[0] if function.body.yields else Const(None)
    if not _ends(function.body):
        for row, item in writer.full.items():  # here, both have been assigned
            writer.line(1, f"{names[row]}.append({writer.spelled(item)})", row.loc)
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


def _unique_names(function: Function, taken: set[str]) -> dict[Value, str]:
    """A variable for every value: the value's name with a number; arguments keep their names.

    The results of a loop and the parameters of its condition use the variables that the loop carries.
    """
    names = {value: clean(value.name) for value in function.body.parameters}
    used = taken | set(names.values())

    def add(value: Value) -> None:
        number = len(names)
        while (name := f"{clean(value.name or 'part')}_{number}") in used:
            number += 1
        names[value] = name
        used.add(name)

    def share(parts: tuple[Value, ...], carried: tuple[Value, ...]) -> None:
        names.update((part, names[value]) for part, value in zip(parts, carried, strict=True))

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


def _empty_rows(body: Block) -> tuple[dict[Value, list[Value]], dict[Value, Operand]]:
    """What tells the types of lists that are empty at first, and are put into another list.

    For each list that is appended to where it is read from another list: the empty lists that it may be. For each empty list:
    an item of a list that may take its place. Numba types an empty list by what is appended to it under its own name.
    """
    nodes = list(walk(body))
    put = {each for node in nodes for each in _put(node)}
    empty = [
        node.result
        for node in nodes
        if isinstance(node, Apply) and node.function is list and not node.operands and node.result in put
    ]
    if not empty:
        return {}, {}
    read = {node.result for node in nodes if isinstance(node, Load)}
    rows = {node.buffer for node in nodes if isinstance(node, Append) and node.buffer in read}
    classes = same_lists(body)
    full = {
        classes.find(node.result): node.operands[0]
        for node in nodes
        if isinstance(node, Apply) and node.function is list and node.operands
    }
    items = {each: full[classes.find(each)] for each in empty if classes.find(each) in full}
    return {row: [each for each in empty if classes.find(row) is classes.find(each)] for row in rows}, items


def _never_filled(body: Block) -> dict[Value, Operand]:
    """For each list that is empty for good, and read all the same, as rows of a table may be: a number that it could hold."""
    nodes = list(walk(body))
    empty = [
        node.result
        for node in nodes
        if isinstance(node, Apply) and node.function is list and not node.operands
    ]
    read = [
        node.buffer for node in nodes if empty and isinstance(node, Load) and isinstance(node.buffer, Value)
    ]
    if not read:
        return {}
    classes = same_lists(body)
    asked = {classes.find(each) for each in read}
    filled = {classes.find(node.buffer) for node in nodes if isinstance(node, Append)}
    filled |= {classes.find(each) for node in nodes for each in results(node) if each not in empty}
    return {
        each: Const(0.0) for each in empty if classes.find(each) in asked and classes.find(each) not in filled
    }


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

    `empty` has the lists that have a row's type, of which nothing else tells it; `waiting`, what those hold that come after the line
    that tells it; `full`, what those could hold that are beside rows that are not empty.
    """

    forms: Forms
    names: dict[Value, str]
    text: list[str]
    locs: list[Loc]
    empty: dict[Value, list[Value]] = field(default_factory=dict)
    waiting: dict[Value, Operand] = field(default_factory=dict)
    full: dict[Value, Operand] = field(default_factory=dict)
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
            case _:
                statement: Statement = _statement(node)
                self.assigned |= {self.names[value] for value in results(node)}
                for made in self.forms.simple(statement):
                    self.line(depth, ast.unparse(ast.fix_missing_locations(made)), node.loc)
                if isinstance(node, Append):
                    for each in self.empty.get(node.buffer, ()):
                        if self.names[each] in self.assigned:
                            self.holds(each, node.value, depth, node.loc)
                        else:
                            self.waiting.setdefault(each, node.value)
                for each in results(node):
                    if each in self.waiting:
                        self.holds(each, self.waiting.pop(each), depth, node.loc)
                    if each in self.full and self.is_assigned(self.full[each]):
                        self.holds(each, self.full.pop(each), depth, node.loc)

    def is_assigned(self, operand: Operand) -> bool:
        """Whether an earlier line assigns the operand."""
        return not isinstance(operand, Value) or self.names[operand] in self.assigned

    def holds(self, row: Value, item: Operand, depth: int, loc: Loc) -> None:
        """Say what an empty list holds."""
        self.line(depth, f"{self.names[row]}.append({self.spelled(item)})", loc)

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
