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
from backsweep.reading.callables import as_function, written
from backsweep.specialise.asked import python_of, shown_name

Function = Callable[..., Any]
Positions = tuple[int, ...]
Levels = tuple[tuple[int | None, ...], ...]
"""Axes of batches in batches, the outermost first: 0 for an argument with an axis of examples, None for one that they share."""
NUMBER, COMPLEX, ARRAY = "1.0", "(1.0 + 0.0j)", "np.ones_like({})"
"""What a value is, as the text of a cotangent for it that is nowhere zero."""


@dataclasses.dataclass(eq=False, repr=False)
class Flat:
    """A function of `args`, which returns `results`.

    With `single`, what it returns is the result, else a tuple of these, which `form` makes of them; with no `results`, the
    first call finds this out. `known` counts the arguments before those that a
    derivative is linear in, and `opposite` makes its transpose. `ahead` computes its results where that is cheaper than to
    call what `make` returns, and `is_ready` says that this runs as it is.
    """

    name: str
    make: Callable[[], Function]
    args: tuple[str, ...]
    results: tuple[str, ...] | None
    options: dict[str, Any]
    single: bool = False
    form: Function = tuple
    is_ready: bool = True
    known: int = 0
    opposite: Callable[[], Flat] | None = None
    ahead: Function | None = None
    _kept: dict[Any, Any] = dataclasses.field(default_factory=dict)

    def __repr__(self) -> str:
        return self.name

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
        return first(self.name, self.of_one()(*(np.asarray(each)[None] for each in given)))

    def of_one(self) -> Any:
        """The function of a batch of one, as which a function in Python is compiled. It does not write to what it is given."""
        return self._batch(((0,) * len(self.args),), parallel=False)

    def examples(
        self,
        levels: Levels,
        given: Sequence[Any],
        shapes: Sequence[tuple[int, ...]] | None = None,
        dtypes: Sequence[Any] | None = None,
    ) -> list[Any]:
        """Results of these shapes, with all axes of examples: on all cores if they are compiled and not tangents, else one by one.

        Without shapes they are what they are.
        """
        sizes = sizes_of(levels, [each.shape for each in given])
        # Numba has types of their own for arrays that cannot be written.
        given = [each if each.flags.writeable else each.copy() for each in given]
        if levels and 0 not in sizes and self.ahead is None and self.options.get("jit", True):
            found: Sequence[Any] = self._items(self._batch(levels)(*(each[()] for each in given)), levels)
        else:
            found = self._one_by_one(levels, sizes, given, shapes)
        for value, shape in zip(found, shapes or (), strict=bool(shapes)):
            self._check(np.shape(value), shape)
        if dtypes is None:
            return list(map(np.asarray, found))
        return [np.asarray(value, dtype) for value, dtype in zip(found, dtypes, strict=True)]

    def _one_by_one(
        self, levels: Levels, sizes: tuple[int, ...], given: Sequence[Any], shapes: Any
    ) -> Sequence[Any]:
        """The results of examples in turn. Each has a copy of its arguments, if it may write to them."""
        rows = []
        for index in np.ndindex(sizes):
            places = [
                tuple(at for at, level in zip(index, levels, strict=True) if level[k] is not None)
                for k in range(len(given))
            ]
            own = [each[at] for each, at in zip(given, places, strict=True)]
            writes = self.is_ready and not self.known
            rows.append(self._items(self(*(each.copy() if writes else each for each in own))))
            for value, first_one in zip(rows[-1], rows[0], strict=True):
                self._check(np.shape(value), np.shape(first_one))
        if not levels:
            return rows[0]
        if not rows:
            assert shapes is not None
            return [np.empty(shape) for shape in shapes]
        columns = [np.stack(column) for column in zip(*rows, strict=True)]
        return [each.reshape(sizes + each.shape[1:]) for each in columns]

    def typed(self, given: Sequence[Any]) -> list[tuple[int, str]]:
        """The numbers of axes and the dtypes of the results for arguments of these types. Nothing is run."""
        one = self.of_one()
        special, bound = one.special(*(np.asarray(each)[None] for each in given))
        type_ = special.returned(special.argument_types(bound))
        types = getattr(type_, "types", (type_,))
        if not all(hasattr(each, "ndim") for each in types):
            raise _nested(self.name)
        found = [(each.ndim - 1, each.dtype.name) for each in types]
        self.single = not hasattr(type_, "types")
        self.form = getattr(getattr(type_, "instance_class", None), "_make", tuple)
        self.results = tuple(kind_of((0,) * ndim, np.dtype(dtype)) for ndim, dtype in found)
        return found

    def pulled(self, moved: Positions, felt: Positions) -> Flat:
        """The pullback: from the arguments, and cotangents of the results `felt`, to those of the arguments `moved`."""
        assert self.results is not None
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
        assert self.results is not None

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

    def _batch(self, levels: Levels, **options: Any) -> Any:
        """The function of batches in batches."""
        key = (levels, *options.items())
        if key not in self._kept:
            made = self.function
            for axes in reversed(levels):
                made = batch(made, axes, **{**self.options, **options})
            self._kept[key] = made
        return self._kept[key]

    def _items(self, value: Any, levels: Levels = ()) -> tuple[Any, ...]:
        """What the function returned as a tuple; the first time says what it returns, if that is not known."""
        items = _items_of(self.name, value)
        if self.results is None:
            self.single, self.form = not isinstance(value, tuple), getattr(type(value), "_make", tuple)
            self.results = tuple(
                kind_of(np.shape(each)[len(levels) :], np.asarray(each).dtype) for each in items
            )
        return items

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
        assert self.results is not None
        weighed = self.pulled(moved, felt)._weighed(tuple(range(len(moved))))
        slope = grad(weighed, tuple(range(count, count + len(felt))), **self.options)
        names = names_of(count + len(moved))
        cotangents = (self.results[k].format(self._item(k)) for k in felt)
        given = ", ".join([*names[:count], *cotangents, *names[count:]])
        body = f"y = f({', '.join(names[:count])})\n    return g({given})"
        return with_text(f"{self.name}_pushed", len(names), body, f=self.function, g=slope, np=np)


def sizes_of(levels: Levels, shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The number of examples of each level, from the shapes of the arguments."""
    found = []
    for at, level in enumerate(levels):
        k = next(k for k, axis in enumerate(level) if axis is not None)
        found.append(shapes[k][sum(outer[k] is not None for outer in levels[:at])])
    return tuple(found)


def with_tangents(levels: Levels, moved: Positions) -> Levels:
    """The axes of a pushforward: tangents have those of their arguments."""
    return tuple((*axes, *(axes[k] for k in moved)) for axes in levels)


def with_cotangents(levels: Levels, count: int) -> Levels:
    """The axes of a pullback of so many results, each of which has all axes of examples."""
    return tuple((*axes, *(0,) * count) for axes in levels)


def sharing(levels: Levels, k: int) -> Positions:
    """The levels whose examples share argument k."""
    return tuple(at for at, axes in enumerate(levels) if axes[k] is None)


def shape_of_one(levels: Levels, k: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The shape of one example of argument k."""
    return tuple(shape[len(levels) - len(sharing(levels, k)) :])


def placed(
    count: int, places: Positions, values: Sequence[Any], missing: Function | None = None
) -> list[Any]:
    """So many values, of which some are given."""
    found = dict(zip(places, values, strict=True))
    return [found[k] if k in found else missing and missing() for k in range(count)]


def plain_name(f: Function) -> str:
    """The name of a function, for one that calls it."""
    name = shown_name(python_of(f))
    return name if name.isidentifier() else "function"


def kind_of(shape: Sequence[Any], dtype: Any) -> str:
    """What a value is, for its derivatives."""
    if len(shape):
        return ARRAY
    return COMPLEX if np.issubdtype(dtype, np.complexfloating) else NUMBER


def names_of(count: int) -> list[str]:
    """The names of the arguments."""
    return [f"a{k}" for k in range(count)]


def with_text(name: str, count: int, body: str, **space: Any) -> Function:
    """A function of so many arguments without structure."""
    text = f"def {name}({', '.join(names_of(count))}):\n    {body}\n"
    return written(name, text, space, "derivative")


def vector_of(f: Function, further: int, chosen: str | None = None) -> Function:
    """A function of a vector and further arguments that returns an array of one axis, whatever `f` returns.

    `chosen` is the text of what `f` gets of these.
    """
    f = as_function(f)
    text = f"return np.array(_f({chosen or ', '.join(names_of(1 + further))})).ravel()"
    return with_text(plain_name(f), 1 + further, text, _f=f, np=np)


def first(name: str, value: Any) -> Any:
    """The results of the function `name` for the first example."""
    items = tuple(each[0] for each in _items_of(name, value))
    return getattr(type(value), "_make", tuple)(items) if isinstance(value, tuple) else items[0]


def _items_of(name: str, value: Any) -> tuple[Any, ...]:
    """What a function returned, as a tuple of numbers and arrays."""
    items = value if isinstance(value, tuple) else (value,)
    if any(isinstance(each, tuple | dict) or each is None for each in items):
        raise _nested(name)
    return items


def _nested(name: str) -> ArgumentError:
    message = f"`{name}` returns more than a number, an array, or a tuple of these"
    return ArgumentError(Problem("BS156", message, remedy="return a tuple without tuples and dicts in it."))
