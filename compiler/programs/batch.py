"""Write the function that calls another for each example of a batch: a loop over the examples that may run on all cores."""

from __future__ import annotations

import inspect
import operator
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from backsweep.analysis.integers.affine import Affine, Dim
from backsweep.analysis.integers.extents import shapes_of
from backsweep.diagnostics import ArgumentError, Problem
from backsweep.ir.nodes import Apply, Const, Function, Operand, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import NONE, Array, Scalar, Tuple, Type
from backsweep.ir.walk import walk
from backsweep.programs.primal import unused
from backsweep.requests import Axes, AxesOf
from backsweep.store import text_files
from backsweep.typing.infer import from_numba, to_numba

_numbers: weakref.WeakKeyDictionary[Callable[..., Any], int] = weakref.WeakKeyDictionary()
"""Numbers of functions: texts that differ in nothing but the function are files of their own, alike in each process."""


def elements(
    names: Sequence[str], types: Sequence[Any], axes: Axes, constants: Collection[str]
) -> tuple[Any, ...]:
    """Numba's types of an example's arguments; ArgumentError for an argument without the axis."""
    along = axes.of(names)
    return tuple(
        type_ if name in constants else to_numba(_element(from_numba(type_), along[name], name))
        for name, type_ in zip(names, types, strict=True)
    )


def _of_items(axis: AxesOf, type_: Tuple) -> tuple[AxesOf, ...]:
    """The axes of the items of a tuple: those that are given for each, or the one for all."""
    return axis if isinstance(axis, tuple) else (axis,) * len(type_.items)


def _part(text: str, type_: Tuple, k: int) -> str:
    """The text of an item of a tuple, or of what a namedtuple stands for."""
    return f"{text}.{type_.names[k]}" if type_.names else f"{text}[{k}]"


def _element(type_: Type, axis: AxesOf, name: str) -> Type:
    """The type of an example."""
    if axis is None:
        return type_
    if isinstance(type_, Tuple):
        each = _of_items(axis, type_)
        if len(each) == len(type_.items):
            parts = (
                _element(item, one, _part(name, type_, k))
                for k, (item, one) in enumerate(zip(type_.items, each, strict=True))
            )
            return Tuple(tuple(parts), type_.names, type_.cls)
    if not isinstance(type_, Array) or not isinstance(axis, int) or not -type_.ndim <= axis < type_.ndim:
        what = f"an array with {type_.ndim} axes" if isinstance(type_, Array) else "no array"
        message = f"in_axes has {axis!r} for `{name}`, which is {what}"
        remedy = "give the axis of its examples, or None if all examples share it, as in in_axes=(0, None)."
        raise ArgumentError(Problem("BS417", message, remedy=remedy))
    if type_.ndim == 1:
        return Scalar(type_.dtype)
    in_rows = type_.layout == "C" and axis % type_.ndim == 0
    return Array(type_.dtype, type_.ndim - 1, "C" if in_rows else "A")


def batched(
    function: Callable[..., Any],
    names: Sequence[str],
    types: Sequence[Any],
    axes: Axes,
    constants: Collection[str],
    primal_for: Callable[[tuple[Any, ...]], Function],
) -> Callable[..., Any]:
    """The function of a batch, for arguments of these types; `primal_for` gives the program of the function for an example's types."""
    primal = primal_for(elements(names, types, axes, constants))
    parameters = inspect.signature(function).parameters.values()
    text = _Text(names, types, axes, constants, primal, {each.name: _passed(each) for each in parameters})
    name, lines = text.name, "\n    ".join(text.lines())
    module = f'"""Batch of `{name}`. Written by backsweep."""\n'
    module += f"import numpy as {text.np}\nfrom numba import {_imported('prange', text.prange)}\n\n\n"
    module += f"def {name}({', '.join(names)}):\n    {lines}\n"
    bindings = {text.each: function, **text.classes}
    loaded = text_files.load(module, name, bindings, str(_numbers.setdefault(function, len(_numbers))))
    found: Callable[..., Any] = loaded.functions[name]
    found.__dict__["loaded"] = loaded  # the module lives as long as its function
    return found


def _passed(parameter: inspect.Parameter) -> str:
    """What stands before an argument in a call."""
    if parameter.kind is parameter.VAR_POSITIONAL:
        return "*"
    return f"{parameter.name}=" if parameter.kind is parameter.KEYWORD_ONLY else ""


def _imported(name: str, word: str) -> str:
    return name if name == word else f"{name} as {word}"


class _Text:
    """Writes the text for one set of types."""

    def __init__(
        self,
        names: Sequence[str],
        types: Sequence[Any],
        axes: Axes,
        constants: Collection[str],
        primal: Function,
        passed: Mapping[str, str],
    ) -> None:
        self.names, self.axes, self.primal = names, axes.of(names), primal
        self.name = text_files.without_mark(primal.name).replace("<lambda>", "function")
        self.types = {
            name: from_numba(type_) for name, type_ in zip(names, types, strict=True) if name not in constants
        }
        self.results = axes.results
        self.passed = passed
        self.classes: dict[str, Any] = {}
        words = ("np", "prange", "each", "k", "count", "out", "example", "first")
        self.np, self.prange, self.each, self.k, self.count, self.out, self.example, self.first = (
            unused(word, names) for word in words
        )
        self.made = {node.result: node for node in walk(primal.body) if isinstance(node, Apply)}
        self.stores: list[str] = []
        self.checks: list[str] = []
        self.spaces: list[str] = []
        self.peels = False

    def lines(self) -> list[str]:
        """The body of the function."""
        sizes = [
            size for name, type_ in self.types.items() for size in self._sizes(name, type_, self.axes[name])
        ]
        if not sizes:
            message = "in_axes is None for every argument"
            raise ArgumentError(
                Problem("BS417", message, remedy="name the axis of the examples for one at least.")
            )
        found = [f"{self.count} = {sizes[0]}"]
        for size in sizes[1:]:
            told = f"'{size} is another number of examples than {sizes[0]}'"
            found += [f"if {size} != {self.count}:", f"    raise ValueError({told})"]
        (whole,) = self.primal.body.yields
        several = isinstance(type_of(whole), Tuple)
        returned = self._result(whole, self.out, self.example, self.results)
        if self.peels:
            found += [
                f"if {self.count} == 0:",
                "    raise ValueError('a batch without an example has no shape')",
            ]
            found.append(f"{self.first} = {self._call('0')}")
        found += self.spaces
        found.append(f"for {self.k} in {self.prange}({self.count}):")
        call = self._call(self.k)
        if several or self.checks:
            within = [f"{self.example} = {call}", *self.checks, *self.stores]
            found += [f"    {each}" for each in within]
        else:
            found += [f"    {each.replace(f'= {self.example}', f'= {call}')}" for each in self.stores]
        return [*found, f"return {returned}"]

    def _sizes(self, text: str, type_: Type, axis: AxesOf) -> Iterator[str]:
        """The numbers of examples that the arrays of an argument have."""
        if axis is None:
            return
        if isinstance(type_, Tuple):
            for k, (item, own) in enumerate(zip(type_.items, _of_items(axis, type_), strict=True)):
                yield from self._sizes(_part(text, type_, k), item, own)
        elif isinstance(type_, Array) and isinstance(axis, int):
            yield f"{text}.shape[{axis % type_.ndim}]"

    def _call(self, k: str) -> str:
        """The call for an example."""
        given = [
            self.passed.get(name, "") + self._example(name, self.types.get(name), self.axes[name], k)
            for name in self.names
        ]
        return f"{self.each}({', '.join(given)})"

    def _example(self, text: str, type_: Type | None, axis: AxesOf, k: str) -> str:
        """An argument of an example."""
        if isinstance(type_, Tuple):
            parts = [
                self._example(_part(text, type_, n), item, own, k)
                for n, (item, own) in enumerate(zip(type_.items, _of_items(axis, type_), strict=True))
            ]
            return self._tuple(type_, parts)
        if axis is None or type_ is None:
            return "None" if type_ == NONE else text
        assert isinstance(type_, Array)
        assert isinstance(axis, int)
        return f"{text}[{':, ' * (axis % type_.ndim)}{k}]"

    def _result(self, operand: Operand, name: str, source: str, axis: Any) -> str:
        """What the function returns for a result of the examples; notes the memory and the stores that it needs."""
        type_ = type_of(operand)
        if isinstance(type_, Tuple):
            items = self._items(operand, type_)
            if isinstance(axis, tuple) and len(axis) != len(items):
                message = (
                    f"out_axes has {len(axis)} entries, and `{self.name}` returns a tuple of {len(items)}"
                )
                raise ArgumentError(
                    Problem("BS417", message, remedy="give an axis for each, or one for all.")
                )
            parts = [
                self._result(
                    item, f"{name}_{k}", f"{source}[{k}]", axis[k] if isinstance(axis, tuple) else axis
                )
                for k, item in enumerate(items)
            ]
            return self._tuple(type_, parts)
        if isinstance(axis, tuple):
            message = "out_axes is a tuple where one number or array is returned"
            raise ArgumentError(
                Problem("BS417", message, remedy="give the axis of the examples in it, as in out_axes=0.")
            )
        if not isinstance(type_, Scalar | Array):
            message = f"`{self.name}` returns what is neither a number nor an array, nor a tuple of these"
            raise ArgumentError(Problem("BS417", message, self.primal.loc, "return numbers and arrays."))
        extents = self._extents(operand, type_, source) if isinstance(type_, Array) else []
        ndim = len(extents) + 1
        if not -ndim <= axis < ndim:
            message = f"out_axes has {axis}, and the results of all examples have {ndim} axes together"
            remedy = "give the axis of the examples in the results, as in out_axes=0."
            raise ArgumentError(Problem("BS417", message, remedy=remedy))
        place = axis % ndim
        shape = [*extents[:place], self.count, *extents[place:]]
        dtype = f"{self.np}.{'bool_' if type_.dtype == 'bool' else type_.dtype}"
        self.spaces.append(f"{name} = {self.np}.empty(({', '.join(shape)},), {dtype})")
        self.stores.append(f"{name}[{':, ' * place}{self.k}] = {source}")
        return name

    def _tuple(self, type_: Tuple, parts: Sequence[str]) -> str:
        """A tuple of these parts, or an object of its class."""
        if type_.cls is None:
            return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
        taken = [name for name, cls in self.classes.items() if cls is not type_.cls]
        name = unused(type_.cls.__name__, (*self.names, *taken))
        self.classes[name] = type_.cls
        return f"{name}({', '.join(parts)})"

    def _items(self, whole: Operand, type_: Tuple) -> Sequence[Operand]:
        """The items of a result that is a tuple."""
        node = self.made.get(whole) if isinstance(whole, Value) else None
        if (
            node is not None
            and node.function is not operator.getitem
            and len(node.operands) == len(type_.items)
        ):
            return node.operands
        return [Value("", item, self.primal.loc) for item in type_.items]

    def _extents(self, operand: Operand, type_: Array, source: str) -> list[str]:
        """The extents of a result that is an array, by those of the arguments, or of the first example."""
        found: list[str | None] = [None] * type_.ndim
        if isinstance(operand, Value) and operand in self.made | dict.fromkeys(self.primal.body.parameters):
            found = [self._extent(extent) for extent in shapes_of(self.primal).of(operand)]
        if None not in found:
            return [str(each) for each in found]
        self.peels = True
        first = source.replace(self.example, self.first, 1)
        others = [
            f"{source}.shape[{k}] != {first}.shape[{k}]" for k, extent in enumerate(found) if extent is None
        ]
        self.checks += [
            f"if {' or '.join(others)}:",
            f"    raise ValueError('{self.name} returns arrays of different shapes for the examples of a batch')",
        ]
        return [f"{first}.shape[{k}]" for k in range(type_.ndim)]

    def _extent(self, extent: Affine) -> str | None:
        """An extent by those of arguments; None where they do not tell it."""
        terms = [str(extent.const)] if extent.const or not extent.terms else []
        for atom, coefficient in extent.terms.items():
            argument = self._argument(atom.value if isinstance(atom, Dim) else atom)
            if argument is None or isinstance(argument[1], Tuple):
                return None
            name, type_, axis = argument
            if isinstance(atom, Dim):
                assert isinstance(type_, Array)
                own = atom.axis
                if isinstance(axis, int):
                    own += own >= axis % type_.ndim
                terms.append(f"{coefficient} * {name}.shape[{own}]")
            elif axis is None:
                terms.append(f"{coefficient} * {name}")
            else:
                return None
        return " + ".join(each.removeprefix("1 * ") for each in terms)

    def _argument(self, value: object) -> tuple[str, Type, AxesOf] | None:
        """The text, the type in the batch, and the axis of an argument, or of an item of one; None for any other value."""
        if not isinstance(value, Value):
            return None
        if value in self.primal.body.parameters:
            type_ = self.types.get(value.name)
            return None if type_ is None else (value.name, type_, self.axes.get(value.name))
        node = self.made.get(value)
        if node is None or node.function is not operator.getitem:
            return None
        whole, position = self._argument(node.operands[0]), node.operands[1]
        if whole is None or not isinstance(position, Const):
            return None
        text, of, axes = whole
        if not isinstance(of, Tuple):
            return None
        k = position.value
        return _part(text, of, k), of.items[k], _of_items(axes, of)[k]
