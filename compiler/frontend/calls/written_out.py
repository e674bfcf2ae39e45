"""Calls of NumPy that Numba lacks and that take functions or options: the statements that they stand for are lowered."""

from __future__ import annotations

import ast
import itertools
import operator
from collections.abc import Mapping, Sequence

import numpy as np

from backsweep.frontend.calls.library import library_call
from backsweep.frontend.constructs.comprehensions import arrays_of_lists
from backsweep.frontend.constructs.kinds import asked_type, know_type, local_type
from backsweep.frontend.context.inner_text import for_each, run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Bound, known_elements
from backsweep.ir.nodes import UNDEFINED, Apply, Block, Const, For, Operand, Value, is_none
from backsweep.ir.types import Array, Scalar, is_float
from backsweep.ir.walk import blocks, merges, walk
from backsweep.runtime.overloads.curves import outside_is_given, outside_is_given_of_number, periodic


def interpolated(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.interp`: what lies outside, or how the points repeat, is written out."""
    args = arrays_of_lists(lowerer, np.interp, args, node)
    given = dict(zip(("x", "xp", "fp", "left", "right", "period"), args, strict=False)) | dict(keywords)
    given = {name: operand for name, operand in given.items() if not is_none(operand)}
    plain = tuple(given[name] for name in ("x", "xp", "fp") if name in given)
    type_ = local_type(lowerer.context, plain[0]) if plain else None
    if isinstance(type_, Array) and type_.ndim != 1:
        flat = lowerer.apply(np.ravel, plain[:1], node)
        rest = {name: operand for name, operand in given.items() if name != "x"}
        found = interpolated(lowerer, (flat,), rest, node)
        shape = lowerer.apply(np.shape, plain[:1], node)
        return lowerer.apply(np.reshape, (found, shape), node)
    if len(plain) < 3 or set(given) <= {"x", "xp", "fp"}:
        return library_call(lowerer, np.interp, plain if len(plain) == 3 else args, {}, node)
    if "period" in given:
        return lowerer.inline(periodic, (*plain, given["period"]), {}, node)
    values = plain[2]
    ends = [lowerer.builder.load(values, (Const(k),), loc=lowerer.loc(node)) for k in (0, -1)]
    outside = (given.get("left", ends[0]), given.get("right", ends[1]))
    is_array = isinstance(asked_type(lowerer, plain[0], node), Array)
    chosen = outside_is_given if is_array else outside_is_given_of_number
    return lowerer.inline(chosen, (*plain, *outside), {}, node)


def piecewise(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.piecewise(x, conditions, functions)`: each piece is computed where its condition holds, the last one wins."""
    conditions, functions = (
        known_elements(lowerer.context, arg) for arg in (*args[1:3], UNDEFINED, UNDEFINED)[:2]
    )
    is_right = len(args) >= 3 and conditions is not None and functions is not None
    type_ = asked_type(lowerer, args[0], node) if is_right else None
    if not isinstance(type_, Array) and not (isinstance(type_, Scalar) and is_float(type_)):
        message = "`np.piecewise` takes an array, and lists of conditions and of functions that are written out here"
        raise lowerer.refuse(
            "BS113", message, node, "write np.piecewise(x, [x < 0.0, x >= 0.0], [f, g]), or np.where"
        )
    assert conditions is not None
    assert functions is not None
    if len(functions) not in (len(conditions), len(conditions) + 1):
        message = f"`np.piecewise` has {len(conditions)} conditions and {len(functions)} functions"
        raise lowerer.refuse(
            "BS113", message, node, "give it a function for each condition, and perhaps one for the rest"
        )
    of_array = isinstance(type_, Array)
    hidden = {".x": args[0], ".zeros_like": Const(np.zeros_like)}
    hidden |= {f".more{k}": each for k, each in enumerate(args[3:])}
    hidden |= {f".named{name}": each for name, each in keywords.items()}
    more = "".join(
        [*(f", _more{k}" for k in range(len(args) - 3)), *(f", {name}=_named{name}" for name in keywords)]
    )
    lines = ["y = _zeros_like(_x)"] if of_array else ["y = _x * 0"]
    for k, condition in enumerate(conditions):
        hidden[f".c{k}"] = condition
    rest = (" | " if of_array else " or ").join(f"_c{k}" for k in range(len(conditions)))
    for k, function in enumerate(functions):
        hidden[f".f{k}"] = function
        where = f"_c{k}" if k < len(conditions) else f"~({rest})" if of_array else f"not ({rest})"
        is_called = isinstance(function, Const) and not isinstance(
            function.value, bool | int | float | np.ndarray
        )
        part = f"_x[{where}]" if of_array else "_x"
        value = f"_f{k}({part}{more})" if is_called else f"_f{k}"
        lines += [f"y[{where}] = {value}"] if of_array else [f"if {where}:", f"    y = {value}"]
    return run_text(lowerer, "piecewise", "\n".join([*lines, "return y"]), hidden, node)


def vectorize(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.vectorize(function, otypes=[float])` to a function of arrays; without `otypes`, all results are of one kind."""
    kinds = keywords.get("otypes", UNDEFINED)
    parts = known_elements(lowerer.context, kinds) or (kinds,)
    kind = parts[0].value if len(parts) == 1 and isinstance(parts[0], Const) else None
    convert = Const(float) if kind in FLOATS else Const(Bound(Const(of_one_kind), (), {}))
    if len(args) != 1 or set(keywords) - {"otypes"} or ("otypes" in keywords and kind not in FLOATS):
        message = "`np.vectorize` is supported of one function, with no options but `otypes` of floats"
        raise lowerer.refuse(
            "BS113", message, node, "write np.vectorize(f, otypes=[float]), or [f(v) for v in x]"
        )
    return Const(Bound(Const(over_entries), (convert, *args), {}))


def over_entries(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower the call of what `np.vectorize` gives: the function is called for each entry."""
    convert, function, *given = args
    kinds = [asked_type(lowerer, each, node) for each in given]
    ranks = {kind.ndim for kind in kinds if isinstance(kind, Array)}
    if keywords or not all(isinstance(kind, Array | Scalar) for kind in kinds) or len(ranks) > 1:
        message = "a function of `np.vectorize` takes numbers, and arrays of one shape"
        raise lowerer.refuse(
            "BS113", message, node, "bring the arrays to one shape first, as with np.broadcast_to"
        )
    asked = not (isinstance(convert, Const) and convert.value is float)
    if asked and any(isinstance(kind, Array | Scalar) and kind.dtype not in WIDE for kind in kinds):
        message = "`np.vectorize` without `otypes` is supported for numbers in double precision"
        raise lowerer.refuse("BS113", message, node, "say the type of the results: otypes=[float]")
    hidden: dict[str, Operand] = {".f": function, ".one": convert}
    hidden |= {f".a{k}": each for k, each in enumerate(given)}
    arrays = [k for k, kind in enumerate(kinds) if isinstance(kind, Array)]
    items = ", ".join(f"_item{k}(v{k})" if k in arrays else f"_a{k}" for k in range(len(given)))
    for k, kind in enumerate(kinds):
        if isinstance(kind, Array):
            hidden[f".item{k}"] = Const(Bound(Const(of_known_kind), (Const(kind.dtype),), {}))
    if not arrays:
        return run_text(lowerer, "entries", f"return _one(_f({items}))", hidden, node)
    hidden |= {
        ".array": Const(np.array),
        ".ravel": Const(np.ravel),
        ".zip": Const(zip),
        ".shape": Const(np.shape),
        ".size": Const(np.size),
    }
    hidden |= {".error": Const(ValueError), ".reshape": Const(np.reshape)}
    checks = [
        f"if _shape(_a{k}) != _shape(_a{arrays[0]}):\n    raise _error('the arrays have other shapes')"
        for k in arrays[1:]
    ]
    if asked:
        empty = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"
        checks.append(f"if _size(_a{arrays[0]}) == 0:\n    raise _error('{empty}')")
    flat = [f"_ravel(_a{k})" for k in arrays]
    loop = for_each([f"v{k}" for k in arrays], flat)
    found = f"_array([_one(_f({items})) {loop}])"
    text = "\n".join([*checks, f"return _reshape({found}, _shape(_a{arrays[0]}))"])
    return run_text(lowerer, "entries", text, hidden, node)


def of_known_kind(
    lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call
) -> Operand:
    """An entry of an array whose dtype is known, or a line, whose type is asked for."""
    *dtype, entry = args
    if dtype and isinstance(dtype[0], Const) and isinstance(entry, Value):
        return know_type(lowerer, entry, Scalar(dtype[0].value), node)
    asked_type(lowerer, entry, node)
    return entry


def along_axis(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.apply_along_axis(function, axis, array, ...)`: the function is called for each line of the array."""
    given = dict(zip(("func1d", "axis", "arr"), args, strict=False))
    given |= {name: each for name, each in keywords.items() if name in ("func1d", "axis", "arr")}
    named = {name: each for name, each in keywords.items() if name not in given}
    axis = given.get("axis")
    type_ = asked_type(lowerer, given["arr"], node) if len(given) == 3 else None
    number = axis.value if isinstance(axis, Const) and type(axis.value) is int else None
    if not isinstance(type_, Array) or number is None or not -type_.ndim <= number < type_.ndim:
        message = "`np.apply_along_axis` takes a function, the number of an axis, and an array that has it"
        raise lowerer.refuse("BS113", message, node, "write np.apply_along_axis(f, 0, x)")
    at, ndim = number % type_.ndim, type_.ndim
    more = dict(enumerate(args[3:]))
    hidden = {".f": given["func1d"], ".a": given["arr"], ".one": Const(Bound(Const(of_one_kind), (), {}))}
    hidden |= {f".x{k}": each for k, each in more.items()} | {
        f".y{name}": each for name, each in named.items()
    }
    rest = "".join([*(f", _x{k}" for k in more), *(f", {name}=_y{name}" for name in named)])
    others = [axis for axis in range(ndim) if axis != at]
    line = (
        "_a" if ndim == 1 else f"_a[{', '.join(':' if axis == at else f'i{axis}' for axis in range(ndim))}]"
    )
    if ndim == 1:
        return run_text(lowerer, "along", f"return _one(_f(_a{rest}))", hidden, node)
    loops = " ".join(f"for i{axis} in _range(_a.shape[{axis}])" for axis in others)
    empty = " or ".join(f"_a.shape[{axis}] == 0" for axis in others)
    text = f"""
if {empty}:
    raise _error('Cannot apply_along_axis when any iteration dimensions are 0')
return _array([_one(_f(_line({line}){rest})) {loops}])
"""
    hidden |= {".range": Const(range), ".error": Const(ValueError), ".array": Const(np.array)}
    hidden[".line"] = Const(of_known_kind)
    lines = run_text(lowerer, "along", text, hidden, node)
    kind = asked_type(lowerer, lines, node)
    if not isinstance(kind, Array) or kind.ndim > 2:
        message = "the function of `np.apply_along_axis` gives neither a number nor a vector"
        raise lowerer.refuse("BS113", message, node, "write the loop over the lines out")
    extents = [f"_a.shape[{axis}]" for axis in others] + ["_lines.shape[1]"] * (kind.ndim - 1)
    value = "_lines" if ndim == 2 else f"_reshape(_lines, ({', '.join(extents)}))"
    if kind.ndim == 2 and at != ndim - 1:
        value = f"_moveaxis({value}, {ndim - 1}, {at})"
    hidden = {
        ".a": given["arr"],
        ".lines": lines,
        ".reshape": Const(np.reshape),
        ".moveaxis": Const(np.moveaxis),
    }
    return run_text(lowerer, "lines", f"return {value}", hidden, node)


def over_axes(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower `np.apply_over_axes(function, array, axes)`: the function is called for one axis after the other, which stay."""
    given = dict(zip(("func", "a", "axes"), args, strict=False)) | dict(keywords)
    axes = known_elements(lowerer.context, given.get("axes", UNDEFINED)) or (given.get("axes", UNDEFINED),)
    numbers = [each.value for each in axes if isinstance(each, Const) and type(each.value) is int]
    value = given.get("a", UNDEFINED)
    type_ = asked_type(lowerer, value, node) if set(given) == {"func", "a", "axes"} else None
    if not isinstance(type_, Array) or len(numbers) != len(axes):
        message = "`np.apply_over_axes` takes a function, an array, and the numbers of axes"
        raise lowerer.refuse("BS113", message, node, "write np.apply_over_axes(np.sum, x, (0, 2))")
    for number in numbers:
        at = Const(number + type_.ndim if number < 0 else number)
        hidden = {".f": given["func"], ".a": value, ".at": at}
        found = run_text(lowerer, f"over axis {number}", "return _f(_a, _at)", hidden, node)
        kind = asked_type(lowerer, found, node)
        if isinstance(kind, Array) and kind.ndim == type_.ndim:
            value = found
        elif isinstance(kind, Array) and kind.ndim == type_.ndim - 1:
            hidden = {".x": found, ".at": at, ".expand_dims": Const(np.expand_dims)}
            value = run_text(lowerer, f"kept axis {number}", "return _expand_dims(_x, _at)", hidden, node)
        elif isinstance(kind, Scalar) and type_.ndim == 1:
            value = run_text(
                lowerer, "kept", "return _array([_x])", {".x": found, ".array": Const(np.array)}, node
            )
        else:
            message = "function is not returning an array of the correct shape"
            raise lowerer.refuse("BS113", message, node, "let it reduce one axis, or keep all")
    return value


FLOATS = (float, np.float64, "d", "float64")
"""What `otypes` has for numbers in double precision."""
WIDE = ("float64", "complex128", "int64", "bool")
"""The dtypes whose numbers are alike in NumPy, in Python and in compiled code."""


def of_one_kind(lowerer: Lowerer, args: tuple[Operand, ...], _keywords: Keywords, node: ast.Call) -> Operand:
    """A result of the function of `np.vectorize`, which is refused if only the run knows of which kind it is.

    NumPy takes the type of the first result for all: where that is whole, later results are cut.
    """
    (result,) = args
    if isinstance(result, Const) and type(result.value) in (int, float, bool):
        return result
    type_ = asked_type(lowerer, result, node)
    if not isinstance(type_, Scalar):
        return result
    kinds = _kinds_of(lowerer, result)
    if kinds - {""} and kinds != {type_.dtype}:
        known = " or ".join(sorted((kinds | {type_.dtype}) - {""}))
        message = f"the function gives results of several kinds ({known}), and NumPy takes that of the first for all"
        remedy = "let all results be floats: max(v, 0.0), 0.0 in place of 0; or write np.vectorize(f, otypes=[float])"
        raise lowerer.refuse("BS113", message, node, remedy)
    return result


def _kinds_of(lowerer: Lowerer, result: Operand) -> set[str]:
    """The dtypes that a number may have in Python, where compiled code has the widest of them; empty for one not known."""
    sources: dict[Operand, set[Operand]] = {}
    found: dict[Operand, set[str]] = {}
    for each in walk(Block((), tuple(lowerer.builder.current.nodes), ())):
        if isinstance(each, For):
            found[each.body.parameters[0]] = {"int64"}
        parameters = {value for inner in blocks(each) for value in inner.parameters}
        for group in merges(each):
            sources.update((value, set(group[1:])) for value in (group[0], *(parameters & set(group))))
            if isinstance(each, For) and _runs(each):
                sources[group[0]] = {group[-1]}
    found |= {value: set() for value in sources}
    changes = True
    while changes:
        changes = False
        for value, of in sources.items():
            kinds = set().union(*(_kinds(lowerer, each, found) for each in of))
            changes = changes or not kinds <= found[value]
            found[value] |= kinds
    return _kinds(lowerer, result, found)


SAME = (
    *(operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod, operator.pow),
    *(operator.iadd, operator.isub, operator.imul, operator.ifloordiv, operator.imod, operator.ipow),
)
"""The operators whose result is of the kind of its operands."""


def _runs(loop: For) -> bool:
    """Whether a loop has certainly an iteration."""
    known = [each.value for each in (loop.start, loop.stop, loop.step) if isinstance(each, Const)]
    return len(known) == 3 and loop.exit is None and len(range(*known)) > 0


def _kinds(lowerer: Lowerer, operand: Operand, found: Mapping[Operand, set[str]]) -> set[str]:
    """The same for a value, where those of branches and loops are `found` so far."""
    if operand is UNDEFINED:
        return set()
    if operand in found:
        return found[operand]
    made = lowerer.builder.made.get(operand) if isinstance(operand, Value) else None
    if isinstance(made, Apply) and made.function in (*SAME, max, min) and len(made.operands) > 1:
        parts = [_kinds(lowerer, each, found) for each in made.operands]
        if made.function in (max, min):
            return set().union(*parts)
        return {_common(each) for each in itertools.product(*parts)}
    type_ = local_type(lowerer.context, operand)
    return {type_.dtype} if isinstance(type_, Array | Scalar) else {""}


def _common(kinds: Sequence[str]) -> str:
    """The kind of what is computed of numbers of these kinds; one that is not known is real."""
    if "" in kinds:
        return "float64" if "float64" in kinds else ""
    return str(np.result_type(*kinds))
