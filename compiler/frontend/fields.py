"""Read the fields of dicts and slices, which emitted code alone may read as it may those of tuples."""

from __future__ import annotations

import ast

from backsweep.frontend.constructs.dicts import record_of_keys
from backsweep.frontend.context.lowerer import Lowerer
from backsweep.ir.nodes import Const, Operand, Slice
from backsweep.reading.names import wrap
from backsweep.store.text_files import is_emitted


def field_of_dict(lowerer: Lowerer, of: object, name: str) -> Operand | None:
    """Read an item of a dict as a field: only in emitted code, where a namedtuple stands for the dict."""
    source = lowerer.frame.source
    if not isinstance(of, dict) or source is None or not is_emitted(source.function):
        return None
    fields = dict(zip(record_of_keys(tuple(of))._fields, of.values(), strict=True))
    return wrap(fields[name]) if name in fields else None


def part_of(lowerer: Lowerer, of: Slice, name: str, node: ast.AST) -> Operand:
    """Read `s.start`, `s.stop` or `s.step`: a literal, or in texts of ours; in emitted code slice arguments have a number for each part."""
    source = lowerer.frame.source
    if name in ("start", "stop", "step"):
        part: Operand | None = getattr(of, name)
        is_ours = lowerer.frame.fixed is not None or (source is not None and is_emitted(source.function))
        if is_ours:
            return Const(None) if part is None else part
        if isinstance(part, Const) and isinstance(part.value, int):
            return part
    message = f"`{name}` of a slice is read: if it is left out, Python has None but Numba a number"
    raise lowerer.refuse("BS132", message, node, "pass the parts as numbers, and write x[start:stop:step]")
