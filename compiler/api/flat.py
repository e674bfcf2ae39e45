"""Functions of numbers and arrays without structure, whose pushforwards and pullbacks are such functions again.

A library with derivatives of its own asks for these: what it calls is a number or an array at each place.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backsweep.api.batch import batch
from backsweep.api.gradients import grad, jvp
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.reading.callables import written

Function = Callable[..., Any]
Positions = tuple[int, ...]
Levels = tuple[tuple[int | None, ...], ...]
"""Axes of batches in batches, the outermost first: 0 for an argument with an axis of examples, None for one that they share."""
NUMBER, COMPLEX, ARRAY = "1.0", "(1.0 + 0.0j)", "np.ones_like({})"
"""What a value is, as the text of a cotangent for it that is nowhere zero."""


@dataclasses.dataclass(eq=False)
class Flat:
    """A function of `args`, which returns `results`.

    With `single`, what it returns is the result, else a tuple of these. `known` counts the arguments before those that a
    derivative is linear in, and `opposite` makes its transpose. `ahead` computes its results where that is cheaper than to
    call what `make` returns, and `is_ready` says that this runs as it is.
    """

    name: str
    make: Callable[[], Function]
    args: tuple[str, ...]
    results: tuple[str, ...]
    options: dict[str, Any]
    single: bool = False
    is_ready: bool = True
    known: int = 0
    opposite: Callable[[], Flat] | None = None
    ahead: Function | None = None
    _kept: dict[Any, Any] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def function(self) -> Function:
        """The function, for Backsweep to differentiate."""
        return self.make()

    def __call__(self, *given: Any) -> Any:
        """What the function returns for one example."""
        if self.ahead is not None:
            return self.ahead(*given)
        if self.is_ready:
            return self.function(*given)
        # A function in Python is compiled as that of a batch of one.
        one = self._batch(((0,) * len(given),), parallel=False)
        return first(one(*(np.asarray(each)[None] for each in given)))

    def examples(
        self, levels: Levels, given: Sequence[Any], shapes: Sequence[tuple[int, ...]], dtypes: Sequence[Any]
    ) -> list[Any]:
        """Results of these shapes, with all axes of examples: on all cores if they are compiled and not tangents, else one by one."""
        sizes = shapes[0][: len(levels)]
        if levels and 0 not in sizes and self.ahead is None and self.options.get("jit", True):
            found = self._items(self._batch(levels)(*(np.array(each)[()] for each in given)))
            for value, shape in zip(found, shapes, strict=True):
                self._check(np.shape(value), shape)
            return [np.asarray(value, dtype) for value, dtype in zip(found, dtypes, strict=True)]
        whole = [np.empty(shape, dtype) for shape, dtype in zip(shapes, dtypes, strict=True)]
        for index in np.ndindex(sizes):
            places = [
                tuple(at for at, level in zip(index, levels, strict=True) if level[k] is not None)
                for k in range(len(given))
            ]
            # Each example has a copy, which it may write to.
            values = self(*(each[at].copy() for each, at in zip(given, places, strict=True)))
            for into, value in zip(whole, self._items(values), strict=True):
                self._check(np.shape(value), into.shape[len(levels) :])
                into[index] = value
        return whole

    def pulled(self, moved: Positions, felt: Positions) -> Flat:
        """The pullback: from the arguments, and cotangents of the results `felt`, to those of the arguments `moved`."""
        if ("pulled", moved, felt) not in self._kept:
            self._kept["pulled", moved, felt] = Flat(
                f"{self.name}_pulled",
                lambda: grad(self._weighed(felt), moved, **self.options),
                (*self.args, *(self.results[k] for k in felt)),
                tuple(self.args[k] for k in moved),
                self.options,
                known=len(self.args),
                opposite=lambda: self.pushed(moved, felt),
            )
        kept: Flat = self._kept["pulled", moved, felt]
        return kept

    def pushed(self, moved: Positions, felt: Positions) -> Flat:
        """The pushforward: from the arguments, and tangents of the arguments `moved`, to those of the results `felt`."""
        count = len(self.args)
        names = tuple(f"a{k}" for k in moved)

        def ahead(*given: Any) -> tuple[Any, ...]:
            _, found = jvp(self.function, wrt=names, **self.options)(given[:count], given[count:])
            return tuple(self._items(found)[k] for k in felt)

        if ("pushed", moved, felt) not in self._kept:
            self._kept["pushed", moved, felt] = Flat(
                f"{self.name}_pushed",
                lambda: self._pulled_twice(moved, felt),
                (*self.args, *(self.args[k] for k in moved)),
                tuple(self.results[k] for k in felt),
                self.options,
                known=count,
                opposite=lambda: self.pulled(moved, felt),
                ahead=ahead,
            )
        kept: Flat = self._kept["pushed", moved, felt]
        return kept

    def _batch(self, levels: Levels, **options: Any) -> Function:
        """The function of batches in batches."""
        key = (levels, *options.items())
        if key not in self._kept:
            made = self.function
            for axes in reversed(levels):
                made = batch(made, axes, **{**self.options, **options})
            self._kept[key] = made
        kept: Function = self._kept[key]
        return kept

    def _items(self, value: Any) -> tuple[Any, ...]:
        return (value,) if self.single else value

    def _item(self, k: int) -> str:
        return "y" if self.single else f"y[{k}]"

    def _check(self, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        """Raise ArgumentError for a result of another shape than was promised."""
        if shape != wanted:
            message = f"a result of `{self.name}` has the shape {shape}, and {wanted} was promised"
            remedy = (
                "correct `result`; or give it, if the shapes depend on more than the shapes of arguments."
            )
            raise ArgumentError(Problem("BS156", message, remedy=remedy))

    def _weighed(self, felt: Positions) -> Function:
        """The sum of results, each times a weight. Its gradient is the pullback of the weights."""
        names = names_of(len(self.args) + len(felt))
        weights = names[len(self.args) :]
        terms = (f"np.real(np.sum({self._item(k)} * {each}))" for k, each in zip(felt, weights, strict=True))
        body = f"y = f({', '.join(names[: len(self.args)])})\n    return {' + '.join(terms)}"
        return with_text(f"{self.name}_weighed", len(names), body, f=self.function, np=np)

    def _pulled_twice(self, moved: Positions, felt: Positions) -> Function:
        """The pushforward as the pullback of the pullback, which is linear in the cotangents: unlike `jvp`, it has derivatives itself.

        The cotangents may have any values. Zeros would be strong.
        """
        count = len(self.args)
        weighed = self.pulled(moved, felt)._weighed(tuple(range(len(moved))))
        slope = grad(weighed, tuple(range(count, count + len(felt))), **self.options)
        names = names_of(count + len(moved))
        cotangents = (self.results[k].format(self._item(k)) for k in felt)
        given = ", ".join([*names[:count], *cotangents, *names[count:]])
        body = f"y = f({', '.join(names[:count])})\n    return g({given})"
        return with_text(f"{self.name}_pushed", len(names), body, f=self.function, g=slope, np=np)


def names_of(count: int) -> list[str]:
    """The names of the arguments."""
    return [f"a{k}" for k in range(count)]


def with_text(name: str, count: int, body: str, **space: Any) -> Function:
    """A function of so many arguments without structure."""
    text = f"def {name}({', '.join(names_of(count))}):\n    {body}\n"
    return written(name, text, space, "derivative")


def first(value: Any) -> Any:
    """The results for the first example."""
    if isinstance(value, tuple):
        return getattr(type(value), "_make", tuple)(each[0] for each in value)
    return value[0]
