"""The pullback that `vjp` returns: the values saved by the forward sweep, and the reverse sweep that reads them."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from backsweep.boundary import boundary, running
from backsweep.diagnostics import ArgumentError, Problem, naming_nan
from backsweep.specialise.arguments import naming_overlap, restorer
from backsweep.specialise.fitting import COTANGENT, Form, fitted, form_of
from backsweep.specialise.transformed import Signature, Transformed
from backsweep.specialise.variants import runner
from backsweep.tracebacks import hide


class Pullback:
    """Maps a cotangent of the result to cotangents of the arguments.

    It may be called any number of times, and pickled.
    """

    def __init__(
        self, special: Transformed, signature: Signature, saved: tuple[Any, ...], form: Form
    ) -> None:
        self._made_from = (special, signature, saved, form)
        self._saved = saved
        self._form = form
        self._function = special.python
        self._restore = restorer(special.build.forms, special.build.wrt, single=special.build.single)
        emitted = special.emitted_signature(signature)
        self._run = runner(emitted, 1, special.build.options)

    def __call__(self, y_bar: Any = ..., *others: Any) -> Any:
        """The cotangents of the arguments for the cotangent `y_bar` of the result.

        Arguments:
            y_bar: a cotangent with the structure and shape of the result; whole numbers in the result take any value.
            others: there are none: the cotangents of several results are one tuple.

        Returns:
            One cotangent if there is one argument or `wrt` is one name, else a tuple, each with the structure, shape
            and dtype of its argument.

        Raises:
            ArgumentError: `y_bar` has another structure or shape, or is left out.
        """
        try:
            _check_one(y_bar, others)
            with boundary(self._function):
                cotangent = fitted(y_bar, self._form, "y_bar", COTANGENT)
            with running(self._function), naming_nan():
                gradient = self._run(*self._saved, cotangent)
            with boundary(self._function):
                return gradient if self._restore is None else self._restore(gradient)
        except BaseException as error:
            hide(error)
            raise

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the function and the saved values. Unpickling finds the code in the cache, or emits it again."""
        return Pullback, self._made_from


def _check_one(y_bar: Any, others: tuple[Any, ...]) -> None:
    """Raise ArgumentError for a pullback that gets more than one cotangent, or none."""
    if y_bar is ... or others:
        count = "none" if y_bar is ... else 1 + len(others)
        message = f"a pullback takes one cotangent, with the structure of the result, and got {count}"
        remedy = "write pullback(y_bar); of a function that returns a tuple, pullback((y_bar, z_bar))."
        raise ArgumentError(Problem("BS407", message, remedy=remedy))


def forward_and_pullback(transformed: Transformed, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Run the forward sweep: the result and its pullback; with `has_aux`, aux as the third item."""
    special, given = transformed.special(*args)
    signature = special.signature_of(given)
    result, saved, type_ = _forward(special, signature, given)
    if special.build.has_aux:
        result, aux = result
        type_ = None if type_ is None else type_[0]
        return result, Pullback(special, signature, saved, form_of(result, type_)), aux
    return result, Pullback(special, signature, saved, form_of(result, type_))


def _forward(
    special: Transformed, signature: Signature, given: inspect.BoundArguments
) -> tuple[Any, tuple[Any, ...], Any]:
    """Run the forward sweep, and return the result, the saved values, and Numba's type of the result if it compiles."""
    emitted = special.emitted_signature(signature)
    is_compiled = special.build.options.jit
    run: Any = runner(emitted, 0, special.build.options)
    with (
        running(special.python, signature[0]),
        naming_overlap(special, given.args, given.kwargs),
    ):
        result, saved = run(*special.with_defaults(*given.args, **given.kwargs))
    signatures = run.nopython_signatures if is_compiled else ()
    return result, saved, signatures[-1].return_type[0] if signatures else None


def generators_around(pulled: Transformed, args: tuple[Any, ...]) -> tuple[np.random.Generator, ...]:
    """The generators of random numbers that a call with these arguments would read around the function."""
    special, given = pulled.special(*args)
    special.emitted_for(given.args, given.kwargs)
    found: dict[int, np.random.Generator] = {}
    waiting, known = [special], {special}
    while waiting:
        each = waiting.pop()
        for read in each.reads.values():
            now = read.look(read.name, None)
            if isinstance(now, np.random.Generator):
                found[id(now)] = now
        waiting += each.contains - known
        known |= each.contains
    return tuple(found.values())
