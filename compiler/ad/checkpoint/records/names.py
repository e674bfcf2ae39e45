"""Names for the records of values that the user did not name."""

from __future__ import annotations

from backsweep.ir.nodes import (
    Apply,
    Const,
    Load,
    Node,
    Value,
)


def name_of_record(node: Node | None) -> str:
    """A name for the record of what the node computes: `y_i` for `y[i]`, `exp_d` for `exp(d)`; empty if none suggests itself."""
    match node:
        case Load(buffer=Value(name=name)) if name:
            words = [
                item.name if isinstance(item, Value) else str(item.value)
                for item in node.index
                if isinstance(item, Value | Const)
            ]
            return (
                "_".join([name, *words])
                if all(word.isidentifier() or word.isdigit() for word in words)
                else name
            )
        case Apply(operands=(first, *_)):
            called = getattr(node.function, "__name__", "")
            if getattr(node.function, "__module__", "") in ("_operator", "builtins"):
                return ""
            word = first.name if isinstance(first, Value) else ""
            return "_".join(part for part in (called, word) if part) if called.isidentifier() else ""
        case _:
            return ""
