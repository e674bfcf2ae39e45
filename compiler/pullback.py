"""What `vjp` hands back: the saved part of the forward sweep, and the reverse sweep over it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from backsweep.arguments import restorer
from backsweep.boundary import boundary, running
from backsweep.build import compiled
from backsweep.diagnostics import adjoints_told
from backsweep.fitting import COTANGENT, fitted, form_of
from backsweep.transformed import Transformed


class Pullback:
    """Maps a cotangent of the result to cotangents of the arguments; may be called any number of times."""

    def __init__(
        self,
        function: Callable[..., Any],
        run: Callable[..., Any],
        saved: tuple[Any, ...],
        result: Any,
        restore: Callable[[Any], Any] | None,
    ) -> None:
        self._function = function
        self._run = run
        self._restore = restore
        self._saved = saved
        self._form = form_of(result)

    def __call__(self, y_bar: Any) -> Any:
        """The cotangents of the arguments for the cotangent `y_bar` of the result."""
        with boundary(self._function):
            cotangent = fitted(y_bar, self._form, "y_bar", COTANGENT)
        with running(self._function), adjoints_told():
            gradient = self._run(*self._saved, cotangent)
        with boundary(self._function):
            return gradient if self._restore is None else self._restore(gradient)


def forward_and_pullback(transformed: Transformed, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run the forward sweep: the result and the pullback over what was saved; with `has_aux` aux as well."""
    special, given = transformed.special(*args)
    restore = restorer(special.build.forms, special.build.wrt, single=special.build.single)
    result, saved, pull = _forward(special, given)
    if special.build.has_aux:
        result, aux = result
        return result, Pullback(special.python, pull, saved, result, restore), aux
    return result, Pullback(special.python, pull, saved, result, restore)


def _forward(
    special: Transformed, given: inspect.BoundArguments
) -> tuple[Any, tuple[Any, ...], Callable[..., Any]]:
    """Run the forward sweep: the result, what was saved, and the emitted pullback."""
    emitted, options = special.emitted_for(given.args, given.kwargs), special.build.options
    if options.jit:
        result, saved = special(*given.args, **given.kwargs)
        return result, saved, compiled(emitted, 1, options)
    forward, pull = (emitted.functions[name] for name in emitted.names)
    result, saved = forward(*special.with_defaults(*given.args, **given.kwargs))
    return result, saved, pull
