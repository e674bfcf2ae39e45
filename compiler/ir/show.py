"""Print IR as text, compact and deterministic, for tests and for `stages()`."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.ir.nodes import (
    ZERO,
    Append,
    Apply,
    Block,
    Comment,
    Dots,
    For,
    Function,
    Grow,
    If,
    Index,
    Load,
    NewAxis,
    Node,
    Operand,
    Raise,
    Slice,
    Store,
    Undefined,
    Value,
    View,
    While,
)
from backsweep.ir.types import Array, Fixed, List, Other, Scalar, Tuple, Type


def show(function: Function) -> str:
    """The whole function as text."""
    printer = _Printer()
    parameters = ", ".join(printer.define(value) for value in function.body.parameters)
    together = f" together={function.together}" if function.together else ""
    together += " catches" if function.catches else ""
    lines = [f"function {function.name}({parameters}){together}:", *printer.block(function.body, "return")]
    return "\n".join(lines)


def show_type(type_: Type) -> str:
    """The type as short text: `float64`, `float64[2,C]`, `(int64, float64)`."""
    match type_:
        case Scalar(dtype):
            return dtype
        case Array(dtype, ndim, layout):
            return f"{dtype}[{ndim},{layout}]"
        case Tuple(items):
            return "(" + ", ".join(map(show_type, items)) + ")"
        case List(item):
            return f"[{show_type(item)}]"
        case Other(text):
            return text
        case Fixed(value):
            return repr(value)


def name_of(thing: Any) -> str:
    """The name of a function or class as the user would write it, with the usual short names of modules."""
    is_numpys = type(thing).__module__ == "numpy" or getattr(thing, "__objclass__", None) is np.ndarray
    module = getattr(thing, "__module__", None) or ("numpy" if is_numpys else "")
    name = getattr(thing, "__qualname__", None) or getattr(thing, "__name__", None)
    if name is None:
        return repr(thing)
    return f"{_SHORT.get(module, f'{module}.')}{name}"


_SHORT = {"numpy": "np.", "_operator": "", "builtins": "", "operator": "", "backsweep.ir.nodes": "", "": ""}
"""The prefix of a function's name, by module; for any other module, the prefix is the module's name."""


class _Printer:
    """Gives every value a unique name: the user's name, with a number if another value has it."""

    def __init__(self) -> None:
        self.names: dict[Value, str] = {}
        self.taken: dict[str, int] = {}
        self.unnamed = 0

    def define(self, value: Value) -> str:
        """The definition of a value: its name, and its type if that is known."""
        if value.name:
            count = self.taken.get(value.name, 0)
            self.taken[value.name] = count + 1
            self.names[value] = value.name if count == 0 else f"{value.name}.{count}"
        else:
            self.names[value] = f"%{self.unnamed}"
            self.unnamed += 1
        shown = self.names[value]
        if value.role is not None:
            shown = f"{value.role.value} {shown}"
        return shown if value.type is None else f"{shown}: {show_type(value.type)}"

    def define_all(self, values: tuple[Value, ...]) -> str:
        """The definitions of several values, separated by commas."""
        return ", ".join(map(self.define, values))

    def operand(self, operand: Operand) -> str:
        """The text of an operand."""
        if isinstance(operand, Value):
            return self.names.get(operand, f"?{operand.name}")
        if operand.name:
            return operand.name
        if operand is ZERO:
            return "zero"
        value = operand.value
        if isinstance(value, Undefined):
            return "undefined"
        if isinstance(value, int | float | complex | str | tuple | bytes | np.generic) or value is None:
            return repr(value)
        return name_of(value) if hasattr(value, "__name__") else f"<{type(value).__name__}>"

    def operands(self, operands: tuple[Operand, ...]) -> str:
        """The text of several operands, separated by commas."""
        return ", ".join(map(self.operand, operands))

    def index(self, index: Index) -> str:
        """The text of an index between brackets."""
        parts: list[str] = []
        for item in index:
            match item:
                case Slice(start, stop, step):
                    text = ":".join("" if part is None else self.operand(part) for part in (start, stop))
                    parts.append(text if step is None else f"{text}:{self.operand(step)}")
                case NewAxis():
                    parts.append("None")
                case Dots():
                    parts.append("...")
                case _:
                    parts.append(self.operand(item))
        return ", ".join(parts)

    def block(self, block: Block, word: str = "yield") -> list[str]:
        """The lines of a block, indented, its yields last."""
        lines = [line for node in block.nodes for line in self.node(node)]
        if block.yields:
            lines.append(f"{word} {self.operands(block.yields)}")
        return ["    " + line for line in lines or ["pass"]]

    def node(self, node: Node) -> list[str]:
        """The lines of a node."""
        match node:
            case Apply():
                arguments = [self.operand(operand) for operand in node.operands]
                arguments += [f"{key}={self.operand(operand)}" for key, operand in node.keywords]
                return [f"{self.define(node.result)} = {name_of(node.function)}({', '.join(arguments)})"]
            case Load() | View():
                word = "load" if isinstance(node, Load) else "view"
                read = f"{self.operand(node.buffer)}[{self.index(node.index)}]"
                return [f"{self.define(node.result)} = {word} {read}"]
            case Store():
                sign = "+=" if node.accumulate else "="
                target = f"{self.operand(node.buffer)}[{self.index(node.index)}]"
                return [f"store {target} {sign} {self.operand(node.value)}"]
            case Append():
                return [f"append {self.operand(node.buffer)}, {self.operand(node.value)}"]
            case Grow():
                return [f"{name_of(node.function)} {self.operand(node.buffer)}, {self.operand(node.count)}"]
            case If() | For() | While():
                return self.region(node)
            case Raise():
                word = "raise local" if node.local else "raise"
                return [f"{word} {self.operand(node.exception)}({self.operands(node.arguments)})"]
            case Comment():
                return [f"# {node.text}"]

    def region(self, node: If | For | While) -> list[str]:
        """The lines of a node that holds blocks; its results are named last, as the blocks are read first."""
        lines: list[str] = []
        match node:
            case If():
                lines.append(f"if {self.operand(node.condition)}:")
                lines += self.block(node.then)
                lines += (
                    ["else:", *self.block(node.orelse)] if node.orelse.nodes or node.orelse.yields else []
                )
            case For():
                bounds = self.operands((node.start, node.stop, node.step))
                inits = self.operands(node.inits)
                body = node.body.parameters
                carried = self.define_all(body[1:]) if body[1:] else ""
                steps = "prange" if node.parallel else "range"
                head = f"for {self.define(body[0])} in {steps}({bounds})"
                lines.append(f"{head} with {carried} = {inits}:" if carried else f"{head}:")
                lines += self.block(node.body)
            case While():
                inits = self.operands(node.inits)
                carried = self.define_all(node.condition.parameters)
                lines.append(f"while with {carried} = {inits}:" if carried else "while:")
                lines += self.block(node.condition, "test")
                carried = self.define_all(node.body.parameters)
                lines.append(f"do with {carried}:" if carried else "do:")
                lines += self.block(node.body)
        if not isinstance(node, If) and node.checkpoint is not None:
            mark = node.checkpoint
            sizes = self.operands((mark.slots, mark.memory, mark.block))
            lines.append(f"    checkpoint {mark.name} keeps {mark.kept.name.lower()} ({sizes})")
        if not isinstance(node, If) and node.exit is not None:
            lines.append(f"    exit {self.operand(node.exit)}")
        if node.results:
            lines.append(f"-> {self.define_all(node.results)}")
        return lines
