"""What `jvp` runs: the emitted tangent, with tangents that fit the arguments."""

from __future__ import annotations

from typing import Any

from backsweep.arguments import taken_apart
from backsweep.build import compiled
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.fitting import TANGENT, fitted, form_of, told
from backsweep.transformed import Transformed


def check_tuples(primals: object, tangents: object) -> None:
    """Raise ArgumentError unless arguments and tangents come as tuples."""
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            message = f"`{name}` must be a tuple, not {told(given)}"
            raise ArgumentError(Problem("BS410", message, remedy=f"write ({name[:-1]},) for a single one."))


def pushed_forward(
    transformed: Transformed, primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, ...]:
    """The result for the arguments and its tangent for theirs; with `has_aux` aux as well."""
    wrt = transformed.build.wrt
    if len(tangents) != len(wrt):
        message = f"there are {len(tangents)} tangents for {len(wrt)} arguments: {', '.join(wrt)}"
        remedy = "give a tangent for each argument that moves, or name these with wrt."
        raise ArgumentError(Problem("BS410", message, remedy=remedy))
    special, given = transformed.special(*primals)
    emitted = special.emitted_for(given.args, given.kwargs)
    values = tuple(taken_apart("", value)[1] for value in special.with_defaults(*given.args, **given.kwargs))
    options = special.build.options
    run = compiled(emitted, 0, options) if options.jit else emitted.functions[emitted.names[0]]
    moved = [form_of(given.arguments[name]) for name in wrt]
    dots = [
        fitted(dot, form, f"of `{name}`", TANGENT)
        for name, form, dot in zip(wrt, moved, tangents, strict=True)
    ]
    found: tuple[Any, ...] = run(*values, *dots)
    return found
