"""Keep what Numba infers of calls of library functions on the disk: the types of their results.

A question about types infers those within NumPy's functions that Numba writes in Python, and within those that they call,
in each process anew: half the time that the text of a derivative takes.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core import types

from backsweep.runtime.machine_code import pickles
from backsweep.runtime.machine_code.folder import folder
from backsweep.runtime.machine_code.implementations import mark
from backsweep.runtime.machine_code.kept import UNREADABLE, keep, settings_mark, whole

_DATA = (types.Number, types.Boolean, types.Array, types.NoneType, types.UnicodeType)


def type_of_call(
    function: FunctionType, arguments: tuple[Any, ...], infer: Callable[[], Any], sources: str
) -> Any:
    """The type of the result of a function for arguments of these types: as it was kept, or else as `infer` finds it.

    `sources` is the hash of the sources of what infers.
    """
    found, kept_in = mark(function, arguments), folder()
    if found is None or kept_in is None:
        return infer()
    digest = hashlib.sha256(f"{found} {sources} {settings_mark()}".encode()).hexdigest()
    path = kept_in / f"type_{digest[:16]}.nbi"
    stored = whole(path)
    if stored is not None:
        with contextlib.suppress(*UNREADABLE):
            return pickles.loads(stored, arguments)
    inferred = infer()
    if _is_data(inferred):
        with contextlib.suppress(OSError):
            keep(path, pickles.dumps(inferred, arguments))
    return inferred


def _is_data(type_: Any) -> bool:
    """Whether values of the type are numbers, arrays, texts, and plain tuples and lists of such."""
    if isinstance(type_, types.Tuple | types.UniTuple):
        return all(map(_is_data, type_))
    if isinstance(type_, types.List | types.Optional):
        return _is_data(type_.dtype if isinstance(type_, types.List) else type_.type)
    return isinstance(type_, _DATA)
