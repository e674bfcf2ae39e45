"""Products of arrays: `einsum`, `tensordot`, `inner`, products of stacks of matrices and of several matrices."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numba.core import types
from numba.np.numpy_support import as_dtype
from numba.np.ufunc import array_exprs

from backsweep.runtime.overloads.forms import (
    is_array,
    is_none,
    literal,
    refused,
)
from backsweep.runtime.overloads.texts import INDICES, dtype_text, indented_loops, stands_for
from backsweep.runtime.support.marks import seen_as_view

OPERANDS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""The operands of `np.einsum`, by names that are no subscripts."""


@stands_for(np.einsum, seen_as_view=seen_as_view)
def einsum(
    subscripts,
    first,
    second=None,
    third=None,
    fourth=None,
    fifth=None,
    sixth=None,
    out=None,
    dtype=None,
    optimize=False,
):
    """Any sum of products, as products of matrices where it is one, else as loops over the named subscripts."""
    text = literal(subscripts)
    if not isinstance(text, str):
        raise refused(
            "the subscripts of `np.einsum` are no literal string",
            "write them at the call, as in np.einsum('ij,jk->ik', a, b).",
        )
    if not (is_none(out) and is_none(dtype)):
        raise refused(
            "`np.einsum` is supported without `out=` and `dtype=`", "assign and convert the result."
        )
    given = [each for each in (first, second, third, fourth, fifth, sixth) if not is_none(each)]
    names, result, stretched = _terms(text, [getattr(each, "ndim", 0) for each in given])
    kind = np.result_type(*(as_dtype(getattr(each, "dtype", each)) for each in given))
    once = not any(max(Counter(name).values(), default=0) > 1 for name in names)
    if len(names) == 2 and once and not stretched and kind.kind in "fc" and all(map(is_array, given)):
        operands = [_cast(name, each, kind) for name, each in zip(OPERANDS, given, strict=False)]
        product = _product(names[0], names[1], result, operands)
        if product is not None:
            wide = _where_extents_are_one(names, result, kind, as_columns=product.endswith(".T"))
            return f"{wide}return {product}"
    if len(names) == 1 and len(set(names[0])) == len(names[0]) == len(result):
        order = tuple(names[0].index(each) for each in result)
        return f"return {'first[...]' if order == tuple(range(len(order))) else _transposed('first', order)}"
    shared = "".join(
        each for each in dict.fromkeys("".join(names)) if sum(each in name for name in names) > 1
    )
    if (
        once
        and len(names) > 1
        and all(map(is_array, given))
        and (kept := shared.translate({ord(each): "" for each in stretched}))
    ):
        wide = _where_extents_are_one(names, result, kind, stretched=stretched)
        return f"{wide}{_sums(names, result, kind, [True] * len(given), stretched=stretched, checked=kept)}"
    sums = _sums(names, result, kind, [is_array(each) for each in given], stretched=stretched)
    if len(names) == 1 and result and set(names[0]) == set(result) and is_array(first):
        lines, _, value = sums.rpartition("return ")
        return f"{lines}return seen_as_view({value.strip()}, first)"
    return sums


def _terms(text: str, ndims: Sequence[int]) -> tuple[list[str], str, str]:
    """The subscripts of the operands and of the result, and those that stand for `...` in several operands."""
    left, arrow, result = text.replace(" ", "").partition("->")
    names = left.split(",")
    letters = Counter("".join(names).replace(".", ""))
    if not arrow:
        single = "".join(sorted(each for each, count in letters.items() if count == 1))
        result = f"{'...' * ('...' in left)}{single}"
    names, dots = _without_dots(text, names, ndims)
    if [len(name) for name in names] != list(ndims):
        raise refused(
            f"the subscripts {text!r} do not fit operands with {', '.join(map(str, ndims))} axes",
            "give each axis a letter.",
        )
    if dots and "..." not in result:
        raise refused(f"the result of {text!r} lacks the axes of `...`", "write `...` in the result, too.")
    result = result.replace("...", dots)
    if not set(result) <= {*letters, *dots} or len(set(result)) != len(result):
        raise refused(f"the result of {text!r} has a subscript twice, or one of no operand", "check it.")
    return names, result, "".join(each for each in dots if sum(each in name for name in names) > 1)


def _without_dots(text: str, names: Sequence[str], ndims: Sequence[int]) -> tuple[list[str], str]:
    """The subscripts with letters in place of `...`, the last of them for the last axes, and these letters."""
    free = [each for each in INDICES + INDICES.upper() if each not in text]
    counts = [ndim - len(name) + 3 if "..." in name else 0 for name, ndim in zip(names, ndims, strict=False)]
    if len(names) != len(ndims) or min(counts, default=0) < 0 or text.replace("...", "").count("."):
        raise refused(
            f"the subscripts {text!r} do not fit operands with {', '.join(map(str, ndims))} axes",
            "give each axis a letter, or the first ones `...`.",
        )
    dots = "".join(free[: max(counts, default=0)])
    filled = [
        name.replace("...", dots[len(dots) - count :]) for name, count in zip(names, counts, strict=True)
    ]
    return filled, dots


def _product(first: str, second: str, result: str, operands: Sequence[str]) -> str | None:
    """The product of two operands as one of matrices and vectors; None if it is none."""
    joined = [each for each in first if each in second and each not in result]
    left = [each for each in result if each in first and each not in second]
    right = [each for each in result if each in second and each not in first]
    if len(joined) + len(left) != len(first) or len(joined) + len(right) != len(second):
        return None
    if len(first) == len(second) == len(joined):
        other = _transposed(operands[1], tuple(second.index(each) for each in first))
        return f"np.sum({operands[0]} * {other})"
    if len(joined) != 1 or len(left) > 1 or len(right) > 1:
        return None
    a = operands[0] if first[-1] == joined[0] else f"{operands[0]}.T"
    b = operands[1] if second[0] == joined[0] else f"{operands[1]}.T"
    product = f"{a} @ {b}"
    return product if [*left, *right] == list(result) else f"({product}).T"


def _cast(array: str, type_, kind) -> str:
    """An array as one of another dtype: Numba multiplies matrices of one dtype."""
    return array if as_dtype(type_.dtype) == kind else f"{array}.astype({dtype_text(kind)})"


def _transposed(array: str, order: tuple[int, ...]) -> str:
    """An array with its axes in another order."""
    if order == tuple(range(len(order))):
        return array
    return f"{array}.T" if order == tuple(reversed(range(len(order)))) else f"np.transpose({array}, {order})"


def _extents(names: Sequence[str], operands: Sequence[str]) -> Mapping[str, list[str]]:
    """The extents that each subscript has, as text."""
    found: dict[str, list[str]] = {}
    for operand, name in zip(operands, names, strict=False):
        for axis, letter in enumerate(name):
            found.setdefault(letter, []).append(f"{operand}.shape[{axis}]")
    return found


def _checks(
    names: Sequence[str],
    operands: Sequence[str] = OPERANDS,
    stretched: str = "",
    checked: str = "",
    dots: str | None = None,
) -> str:
    """Statements that raise if the extents of one subscript differ; of one in `stretched`, they may be 1.

    Of the subscripts in `checked` the extents are known to be equal; those in `dots` stand for `...`.
    """
    lines = []
    dots = stretched if dots is None else dots
    for letter, (extent, *others) in _extents(names, operands).items():
        if letter in checked:
            continue
        if letter in stretched:
            lines.append(f"n{letter} = {extent}\n")
            extent = f"n{letter}"
        for other in others:
            words = f"the extents of {'...' if letter in dots else f'the subscript {letter}'} differ"
            test = f"{other} != {extent}"
            if letter in stretched:
                test += f" and {other} != 1"
                lines.append(f"if {extent} == 1:\n    {extent} = {other}\n")
            lines.append(f'if {test}:\n    raise ValueError("{words}")\n')
    return "".join(lines)


def _where_extents_are_one(
    names: Sequence[str], result: str, kind, *, as_columns: bool = False, stretched: str = ""
) -> str:
    """The statements for a call in which extents of one subscript differ: those of 1 broadcast, others raise."""
    shared = [letter for letter, extents in _extents(names, OPERANDS).items() if len(extents) > 1]
    tests = [
        f"{other} != {extent}"
        for letter, (extent, *others) in _extents(names, OPERANDS).items()
        if letter not in stretched
        for other in others
    ]
    if not tests:
        return ""
    whole = "".join(dict.fromkeys([*stretched, *shared]))
    sums = _sums(names, result, kind, [True] * len(names), stretched=whole, dots=stretched)
    if as_columns:
        lines, _, value = sums.rpartition("return ")
        sums = f"{lines}return np.asfortranarray({value})"
    inner = "".join(f"    {line}\n" for line in sums.splitlines())
    return f"if {' or '.join(tests)}:\n{inner}"


def _sums(
    names: Sequence[str],
    result: str,
    kind,
    arrays: Sequence[bool],
    operands: Sequence[str] = OPERANDS,
    before: str = "",
    stretched: str = "",
    checked: str = "",
    dots: str | None = None,
) -> str:
    """Loops over all subscripts, those of the result outside; an operand with extent 1 has one part for all of `stretched`."""
    extents = {**_extents(names, operands), **{each: [f"n{each}"] for each in stretched}}
    inner = [each for each in extents if each not in result]
    factors = [
        f"{operand}[{', '.join(_places(operand, name, stretched))}]" if of_array else operand
        for operand, name, of_array in zip(operands, names, arrays, strict=False)
    ]
    value = " * ".join(factors)
    zero = f"{dtype_text(kind)}(0)"
    lines = (before + _checks(names, operands, stretched, checked, dots)).splitlines()
    if not result:
        lines += [
            f"total = {zero}",
            *indented_loops({each: extents[each][0] for each in inner}, f"total += {value}"),
        ]
        return "\n".join([*lines, "return total"])
    shape = ", ".join(extents[each][0] for each in result)
    lines.append(f"sums = np.zeros(({shape},), {dtype_text(kind)})")
    target = f"sums[{', '.join(result)}]"
    bounds = {each: extents[each][0] for each in [*result, *inner]}
    lines += indented_loops(bounds, f"{target} {'+=' if inner else '='} {value}")
    return "\n".join([*lines, "return sums"])


def _places(operand: str, name: str, stretched: str) -> list[str]:
    """The subscripts of an operand."""
    return [
        f"min({letter}, {operand}.shape[{axis}] - 1)" if letter in stretched else letter
        for axis, letter in enumerate(name)
    ]


@stands_for(np.tensordot)
def tensordot(a, b, axes=2):
    """Sums of products over pairs of axes, as a product of matrices."""
    if not (is_array(a) and is_array(b)):
        return None
    given = literal(axes)
    if isinstance(given, int):
        pairs = (tuple(range(a.ndim - given, a.ndim)), tuple(range(given)))
    elif isinstance(given, tuple) and len(given) == 2:
        pairs = tuple((each,) if isinstance(each, int) else tuple(each) for each in given)  # type: ignore[assignment]
    else:
        raise refused(
            "the axes of `np.tensordot` are known only when the program runs",
            "write a number or two tuples, as in axes=((1,), (0,)).",
        )
    first = [range(a.ndim)[each] for each in pairs[0]]
    second = [range(b.ndim)[each] for each in pairs[1]]
    if len(first) != len(second):
        raise refused("`np.tensordot` joins axes in pairs", "name as many axes of one as of the other.")
    letters = iter(INDICES + INDICES.upper())
    names_a = {axis: next(letters) for axis in range(a.ndim)}
    names_b = {axis: next(letters) for axis in range(b.ndim)}
    names_b |= {two: names_a[one] for one, two in zip(first, second, strict=True)}
    left = [axis for axis in range(a.ndim) if axis not in first]
    right = [axis for axis in range(b.ndim) if axis not in second]
    names = ["".join(names_a.values()), "".join(names_b[axis] for axis in range(b.ndim))]
    result = "".join([*(names_a[axis] for axis in left), *(names_b[axis] for axis in right)])
    kind = np.result_type(as_dtype(a.dtype), as_dtype(b.dtype))
    checks = "".join(
        f"if a.shape[{one}] != b.shape[{two}]:\n    raise ValueError('shape-mismatch for sum')\n"
        for one, two in zip(first, second, strict=True)
    )
    if kind.kind not in "fc":
        return _sums(names, result, kind, [True, True], ("a_", "b_"), f"{checks}a_, b_ = a, b\n")
    whole = _product(names[0], names[1], result, (_cast("a", a, kind), _cast("b", b, kind)))
    if whole is not None:  # a product of matrices compares them itself
        return f"{checks if whole.startswith('np.sum') else ''}return {whole}"
    rows = _matrix(_cast("a", a, kind), "a", (*left, *first), len(left))
    columns = _matrix(_cast("b", b, kind), "b", (*second, *right), len(second))
    shape = [*(f"a.shape[{axis}]" for axis in left), *(f"b.shape[{axis}]" for axis in right)]
    product = f"{rows} @ {columns}"
    value = f"np.reshape({product}, ({', '.join(shape)},))" if shape else f"({product})[0, 0]"
    return f"{checks}return {value}"


def _matrix(cast: str, array: str, order: tuple[int, ...], split: int) -> str:
    """An array as a matrix: the first axes in this order join to rows, the others to columns."""
    extents = [
        [f"{array}.shape[{axis}]" for axis in axes] or ["1"] for axes in (order[:split], order[split:])
    ]
    moved = cast if order == tuple(range(len(order))) else f"np.transpose({cast}, {order})"
    shape = ", ".join(" * ".join(each) for each in extents)
    return f"np.reshape(np.ascontiguousarray({moved}), ({shape}))"


@stands_for(np.inner)
def inner(a, b):
    """Sums of products over the last axes."""
    if not (is_array(a) and is_array(b)):
        return "return a * b" if isinstance(a, types.Number) or isinstance(b, types.Number) else None
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def _keep_whole() -> None:
    """Have Numba keep calls of `np.matmul` and its kin whole: it takes each ufunc for one that works entry by entry."""
    is_ufunc = array_exprs._is_ufunc
    whole = [getattr(np, name, np.matmul) for name in ("matmul", "vecdot", "matvec", "vecmat")]
    array_exprs._is_ufunc = lambda function: is_ufunc(function) and function not in whole


_keep_whole()


@stands_for(np.matmul)
def matmul(a, b):
    """Products of matrices, vectors, and stacks of matrices."""
    if not (is_array(a) and is_array(b)):
        return None
    if a.ndim > 2 or b.ndim > 2:
        return _stacked(a, b)
    return tensordot(a, b, ((a.ndim - 1,), (max(b.ndim - 2, 0),)))


@stands_for(operator.matmul)
def matmul_operator(a, b):
    """Products of stacks of matrices, or of whole numbers; Numba has those of matrices and vectors of one kind of floats."""
    if not (is_array(a) and is_array(b)):
        return None
    if a.ndim > 2 or b.ndim > 2:
        return _stacked(a, b)
    if a.dtype == b.dtype and isinstance(a.dtype, types.Float | types.Complex):
        return None
    return matmul(a, b)


@stands_for(np.dot)
def dot(a, b, out=None):
    """Products of whole numbers, or with them; Numba has those of matrices and vectors of one kind of floats."""
    if not (is_array(a) and is_array(b)) or a.ndim > 2 or b.ndim > 2 or not is_none(out):
        return None
    return matmul_operator(a, b)


def _stacked(a, b) -> str:
    """The product of two operands of which one has more than two axes."""
    if min(a.ndim, b.ndim) == 1:
        if a.ndim == 1:
            return f"return np.matmul(np.expand_dims(a, 0), b)[{', '.join([':'] * (b.ndim - 2))}, 0]"
        return f"return np.matmul(a, np.expand_dims(b, 1))[{', '.join([':'] * (a.ndim - 1))}, 0]"
    lead = max(a.ndim, b.ndim) - 2
    lines: list[str] = []
    places: dict[str, list[str]] = {"a": [], "b": []}
    extents: list[str] = []
    for depth in range(lead):
        index = INDICES[depth]
        owners = [(name, type_.ndim - 2 - lead + depth) for name, type_ in (("a", a), ("b", b))]
        own = [f"{name}.shape[{axis}]" for name, axis in owners if axis >= 0]
        if len(own) == 2:
            lines.append(f"if {own[0]} != {own[1]} and {own[0]} != 1 and {own[1]} != 1:")
            lines.append('    raise ValueError("the stacks of matrices of np.matmul have different extents")')
        extents.append(f"max({own[0]}, {own[1]})" if len(own) == 2 else own[0])
        for name, axis in owners:
            if axis >= 0:
                places[name].append(f"min({index}, {name}.shape[{axis}] - 1)" if len(own) == 2 else index)
    kind = np.result_type(as_dtype(a.dtype), as_dtype(b.dtype))
    shape = [*extents, f"a.shape[{a.ndim - 2}]", f"b.shape[{b.ndim - 1}]"]
    lines.append(f"y = np.empty(({', '.join(shape)}), {dtype_text(kind)})")
    if kind.kind not in "fc":
        raise refused("products of stacks of matrices are for floats", "convert them: a.astype(np.float64).")
    lines[:0] = [
        f"{name} = {_cast(name, type_, kind)}"
        for name, type_ in (("a", a), ("b", b))
        if as_dtype(type_.dtype) != kind
    ]
    parts = [f"{name}[{', '.join(place)}]" if place else name for name, place in places.items()]
    bounds = {INDICES[depth]: extents[depth] for depth in range(lead)}
    target = f"y[{', '.join(bounds)}]"
    lines += indented_loops(bounds, f"{target} = np.dot({parts[0]}, {parts[1]})")
    return "\n".join([*lines, "return y"])


@stands_for(np.kron, first=True)
def kron(a, b):
    """Kronecker products of any ranks and kinds; Numba has matrices and vectors, and makes all numbers of the first one's kind."""
    if not (is_array(a) and is_array(b)):
        return "return a * b" if isinstance(a, types.Number) or isinstance(b, types.Number) else None
    if a.ndim == b.ndim == 2 and a.dtype == b.dtype and "A" not in a.layout + b.layout:
        return None
    ndim = max(a.ndim, b.ndim)
    of_a, of_b = (
        ["1"] * (ndim - each.ndim) + [f"{name}.shape[{axis}]" for axis in range(each.ndim)]
        for name, each in (("a", a), ("b", b))
    )
    rows = ", ".join(f"{extent}, 1" for extent in of_a)
    columns = ", ".join(f"1, {extent}" for extent in of_b)
    shape = ", ".join(f"{one} * {other}" for one, other in zip(of_a, of_b, strict=True))
    left, right = (f"np.reshape(np.ascontiguousarray({name})" for name in "ab")
    return f"return np.reshape({left}, ({rows})) * {right}, ({columns})), ({shape},))"
