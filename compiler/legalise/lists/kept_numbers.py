"""Refuse to store a float in a list of whole numbers: Python keeps it, but compiled code would round it.

In an `@njit` function it is rounded, as Numba does it.
"""

from __future__ import annotations

from backsweep.analysis.list_aliases import list_text
from backsweep.diagnostics import Problem, UnsupportedError
from backsweep.ir.nodes import Const, Store, Value
from backsweep.ir.types import List, Scalar


def refuse_rounding(store: Store) -> None:
    """Raise UnsupportedError for a store in a plain function that would round what is stored."""
    held, value = store.buffer.type, store.value
    if store.loc.checked is not None or not isinstance(held, List) or not isinstance(held.item, Scalar):
        return
    is_whole = held.item.dtype.startswith(("int", "uint", "bool"))
    if isinstance(value, Const):
        is_rounded = isinstance(value.value, float | complex)
    else:
        assert isinstance(value, Value)
        is_rounded = isinstance(value.type, Scalar) and value.type.dtype.startswith(("float", "complex"))
    if is_whole and is_rounded:
        message = (
            f"a float is stored in {list_text(store.buffer)}, whose items are whole numbers in compiled code"
        )
        remedy = "make its first items floats, as in `[0.0] * n` or `d[k] = 0.0`; `defaultdict(float)` in place of `defaultdict(int)`"
        raise UnsupportedError(Problem("BS109", message, store.loc, remedy))
