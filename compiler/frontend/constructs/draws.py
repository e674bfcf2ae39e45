"""Draw random numbers: the value and each derivative draw what the function draws, once, in the forward sweep.

Where parameters of a distribution are no literals, its numbers are written as a function of them and of numbers of a
distribution without parameters, as NumPy computes them: `loc + scale * rng.standard_normal()`. So they have derivatives.
"""

from __future__ import annotations

import ast
import inspect
import operator
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.inner_text import run_text
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import known_elements
from backsweep.ir.nodes import Const, Dots, Operand, Value, is_none
from backsweep.ir.types import Array, Scalar, Tuple, Type
from backsweep.runtime.support.object_mode import BY_PYTHON, DRAWS


@dataclass(frozen=True, slots=True)
class Family:
    """A distribution: its `numbers` as a function of its parameters and of what `draw` draws; `wrong` is what NumPy refuses."""

    draw: str
    numbers: str
    wrong: Mapping[str, str]


_SCALE = {"_scale < 0.0": "scale < 0"}
FAMILIES = {
    "normal": Family("standard_normal({0})", "_loc + _scale * z", _SCALE),
    "uniform": Family("random({0})", "_low + (_high - _low) * z", {"_high - _low < 0.0": "high - low < 0"}),
    "exponential": Family("standard_exponential({0})", "_scale * z", _SCALE),
    "gamma": Family("standard_gamma(_shape{1})", "_scale * z", _SCALE),
    "laplace": Family("laplace(0.0, 1.0{1})", "_loc + _scale * z", _SCALE),
    "logistic": Family("logistic(0.0, 1.0{1})", "_loc + _scale * z", _SCALE),
    "gumbel": Family("gumbel(0.0, 1.0{1})", "_loc + _scale * z", _SCALE),
    "lognormal": Family("standard_normal({0})", "_exp(_mean + _sigma * z)", {"_sigma < 0.0": "sigma < 0"}),
    "rayleigh": Family("rayleigh(1.0{1})", "_scale * z", _SCALE),
    "weibull": Family("standard_exponential({0})", "z ** (1.0 / _a)", {"_a <= 0.0": "a <= 0"}),
    "pareto": Family("standard_exponential({0})", "_expm1(z / _a)", {"_a <= 0.0": "a <= 0"}),
    "power": Family("standard_exponential({0})", "(-_expm1(-z)) ** (1.0 / _a)", {"_a <= 0.0": "a <= 0"}),
}
"""By the names of methods. Of those that `gamma` has, `shape` stays a parameter of what is drawn."""
OF_STATE = (
    "normal",
    "uniform",
    "exponential",
    "gamma",
    "laplace",
    "logistic",
    "gumbel",
    "lognormal",
    "rayleigh",
)
"""The functions of `np.random` that are written so, too."""
OF_ENTRIES = (
    "beta",
    "binomial",
    "chisquare",
    "f",
    "geometric",
    "negative_binomial",
    "pareto",
    "poisson",
    "power",
    "triangular",
    "weibull",
)
"""Other functions of `np.random` that draw a number for each entry of an array."""
FUNCTIONS: dict[str, Operand] = {
    ".exp": Const(np.exp),
    ".expm1": Const(np.expm1),
    ".any": Const(np.any),
    ".error": Const(ValueError),
    ".extents": Const(np.shape),
    ".widened": Const(np.broadcast_to),
    ".array": Const(np.array),
    ".ravel": Const(np.ravel),
    ".reshape": Const(np.reshape),
    ".range": Const(range),
    ".len": Const(len),
}
"""The functions that the texts call."""


def drawn(
    lowerer: Lowerer, base: Operand, name: str, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower `rng.normal(...)` of a generator of random numbers."""
    function: Any = getattr(np.random.Generator, name, None)
    if name == "permutation" and len(args) == 1 and "axis" in keywords and len(keywords) == 1:
        extent = lowerer.apply(
            operator.getitem, (lowerer.apply(np.shape, args, node), keywords["axis"]), node
        )
        order = lowerer.apply(np.random.Generator.permutation, (base, extent), node)
        return lowerer.call(Const(np.take), (*args, order), keywords, node)
    if name in ("permutation", "shuffle") and len(args) == 1 and not keywords:
        if name == "permutation" and known_elements(lowerer.context, args[0]) is not None:
            args = (lowerer.call(Const(np.array), args, {}, node),)
        is_array = isinstance(asked_type(lowerer, args[0], node), Array)
        if is_array and (name == "permutation" or isinstance(args[0], Value)):
            loc = lowerer.loc(node)
            count = lowerer.apply(len, args, node)
            order = lowerer.apply(np.random.Generator.permutation, (base, count), node)
            moved = lowerer.builder.load(args[0], (order,), loc=loc)
            if name == "permutation":
                return moved
            assert isinstance(args[0], Value)
            lowerer.builder.store(args[0], (Dots(),), moved, loc=loc)
            return Const(None)
    if function not in DRAWS:
        message = f"the method `{name}` of a generator cannot be differentiated"
        remedy = "draw numbers of a distribution, as in rng.standard_normal(n), or draw before the call"
        raise lowerer.refuse("BS109", message, node.func, remedy)
    given = _bound(lowerer, inspect.signature(function), name, (base, *args), keywords, node)
    match name:
        case "permutation" if not isinstance(asked_type(lowerer, given["x"], node), Scalar):
            message = "`permutation` is given more than an array and an axis by its name"
            raise lowerer.refuse(
                "BS113", message, node, "write rng.permutation(x), or rng.permutation(x, axis=1)"
            )
        case "choice":
            return _chosen(lowerer, base, given, node)
        case "permuted":
            return _permuted(lowerer, base, given, node)
        case "multivariate_normal" if isinstance(given["mean"], Value):
            return _shifted(lowerer, base, given, node)
        case "integers" if is_none(given.get("high", Const(None))):
            given = {**given, "low": Const(0), "high": given["low"]}
            return lowerer.apply(function, (base, given.pop("low"), given.pop("high")), node, _named(given))
    found = written(lowerer, {".rng": base}, "_rng.", name, given, node)
    if found is not None:
        return found
    if name in BY_PYTHON:
        return lowerer.apply(function, (base, *given.values()), node)
    if name == "integers" and not all(_is_number(lowerer, given[key], node) for key in ("low", "high")):
        message = "`integers` is given arrays of bounds, of which Numba draws nothing"
        raise lowerer.refuse(
            "BS113", message, node, "draw each in a loop, as in rng.integers(low[i], high[i])"
        )
    return lowerer.apply(function, (base, *args), node, keywords)


def drawn_of_state(name: str) -> Any:
    """The special lowering of a function of `np.random`, which draws from a generator of its own."""
    function = getattr(np.random, name)
    signature = inspect.signature(getattr(np.random.Generator, name))
    parameters = [each for each in signature.parameters.values() if each.name != "self"]
    signature = signature.replace(parameters=parameters)

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        given = _bound(lowerer, signature, name, args, keywords, node)
        hidden: dict[str, Operand] = {".random": Const(np.random)}
        found = written(lowerer, hidden, "_random.", name, given, node, is_of_state=True)
        return lowerer.apply(function, args, node, keywords) if found is None else found

    return special


def _bound(
    lowerer: Lowerer,
    signature: inspect.Signature,
    name: str,
    args: tuple[Operand, ...],
    keywords: Keywords,
    node: ast.Call,
) -> dict[str, Operand]:
    """What the call gives, by the names of NumPy's parameters, with the defaults of the others."""
    try:
        bound = signature.bind(*args, **keywords)
    except TypeError as error:
        message = f"`{name}`: {error}"
        raise lowerer.refuse("BS113", message, node, "give it the arguments that it takes in NumPy") from None
    bound.apply_defaults()
    found = {
        key: each if isinstance(each, Value | Const) else Const(each) for key, each in bound.arguments.items()
    }
    found.pop("self", None)
    for key, each in found.items():
        if key not in ("size", "axis") and known_elements(lowerer.context, each) is not None:
            found[key] = lowerer.call(Const(np.array), (each,), {}, node)
    return found


def _named(given: Mapping[str, Operand]) -> dict[str, Operand]:
    """Keywords without those that are None."""
    return {key: each for key, each in given.items() if not is_none(each)}


def written(
    lowerer: Lowerer,
    hidden: Mapping[str, Operand],
    prefix: str,
    name: str,
    given: Mapping[str, Operand],
    node: ast.Call,
    *,
    is_of_state: bool = False,
) -> Operand | None:
    """The numbers of a distribution whose parameters are computed, as a function of them; None for any other call."""
    size = given.get("size", Const(None))
    parameters = {key: each for key, each in given.items() if key not in ("size", "dtype", "out", "method")}
    computed = {key: each for key, each in parameters.items() if isinstance(_data(each), Value | Const)}
    if not any(_is_computed(each) for each in parameters.values()) or len(computed) < len(parameters):
        return None
    kinds = {key: asked_type(lowerer, each, node) for key, each in parameters.items()}
    arrays = [key for key, kind in kinds.items() if isinstance(kind, Array)]
    family = FAMILIES.get(name) if name in OF_STATE or not is_of_state else None
    if not all(isinstance(kind, Array | Scalar) for kind in kinds.values()) or (
        family is None and not arrays
    ):
        return None
    if family is None and name in (*_OF_VECTORS, "integers"):
        return None
    extents, lines = _extents(lowerer, arrays, size, node)
    names = {**FUNCTIONS, **hidden, **{f".{key}": each for key, each in parameters.items()}, ".size": size}
    if family is None:
        lines += _of_entries(prefix, name, kinds, extents, "return ")
        return run_text(lowerer, name, "\n".join(lines), names, node)
    if name == "gamma" and "shape" in arrays:
        lines += _of_entries(prefix, "standard_gamma", {"shape": kinds["shape"]}, extents, "z = ")
    else:
        lines.append("z = " + prefix + family.draw.format(extents, extents and f", {extents}"))
    lines = [*_checks(lowerer, family, arrays), *lines, f"return {family.numbers}"]
    if not is_none(size):  # NumPy raises an error for a parameter that does not fit
        for key in arrays:
            lines[-1] = re.sub(rf"(?<!\w)_{key}\b", f"_widened(_{key}, extents)", lines[-1])
    return run_text(lowerer, name, "\n".join(lines), names, node)


_OF_VECTORS = ("choice", "permuted", "multinomial", "dirichlet", "multivariate_normal", "permutation")
"""The methods with parameters that are arrays already."""


def _is_computed(operand: Operand) -> bool:
    """Whether a parameter is no number that stands in the text."""
    return isinstance(operand, Value) or isinstance(operand.value, np.ndarray)


def _is_number(lowerer: Lowerer, operand: Operand, node: ast.Call) -> bool:
    return not isinstance(asked_type(lowerer, operand, node), Array)


def _data(operand: Operand) -> Operand | None:
    """The operand, if it may be a number or an array."""
    if isinstance(operand, Value) or isinstance(operand.value, int | float | np.number | np.ndarray):
        return operand
    return None


def _checks(lowerer: Lowerer, family: Family, arrays: list[str]) -> list[str]:
    """The statements that raise what NumPy raises; compiled code of the user's has Numba's functions, which raise nothing."""
    source = lowerer.frame.source
    if source is not None and source.jitted:
        return []
    lines = []
    for condition, message in family.wrong.items():
        is_array = any(f"_{key}" in condition for key in arrays)
        lines.append(f"if _any({condition}):" if is_array else f"if {condition}:")
        lines.append(f"    raise _error({message!r})")
    return lines


def _extents(lowerer: Lowerer, arrays: list[str], size: Operand, node: ast.Call) -> tuple[str, list[str]]:
    """The name of the shape of what is drawn, empty for a number, and the statements that find it."""
    if is_none(size):
        whole = " + ".join(f"_{key}" for key in arrays)
        return ("extents", [f"extents = _extents({whole})"]) if arrays else ("", [])
    if not arrays:
        return "_size", []
    is_tuple = known_elements(lowerer.context, size) is not None or isinstance(
        asked_type(lowerer, size, node), Tuple
    )
    lines = ["extents = _size" if is_tuple else "extents = (_size,)"]
    return "extents", lines


def _of_entries(prefix: str, name: str, kinds: Mapping[str, Type], extents: str, to: str) -> list[str]:
    """The statements that draw a number for each entry of parameters that are arrays, in NumPy's order."""
    arrays = [key for key, kind in kinds.items() if isinstance(kind, Array)]
    lines = [f"of_{key} = _ravel(_widened(_{key}, {extents}))" for key in arrays]
    passed = ", ".join(f"of_{key}[k]" if key in arrays else f"_{key}" for key in kinds)
    drawn_ = f"_array([{prefix}{name}({passed}) for k in _range(_len(of_{arrays[0]}))])"
    return [*lines, f"{to}_reshape({drawn_}, {extents})"]


def _chosen(lowerer: Lowerer, base: Operand, given: dict[str, Operand], node: ast.Call) -> Operand:
    """Lower `rng.choice(a, ...)`: of an array, its entries at drawn places."""
    source = given.pop("a")
    axis = given.pop("axis")
    if not (isinstance(axis, Const) and axis.value == 0):
        remedy = "draw places first: x[:, rng.choice(x.shape[1], size)]"
        raise lowerer.refuse("BS113", "`choice` is given an axis", node, remedy)
    is_array = isinstance(asked_type(lowerer, source, node), Array)
    count = lowerer.apply(len, (source,), node) if is_array else source
    shuffle = given.pop("shuffle")
    given |= {} if isinstance(shuffle, Const) and shuffle.value is True else {"shuffle": shuffle}
    if isinstance(given["replace"], Const) and given["replace"].value is True:
        given.pop("replace")
    places = lowerer.apply(np.random.Generator.choice, (base, count), node, _named(given))
    return lowerer.builder.load(source, (places,), loc=lowerer.loc(node)) if is_array else places


def _permuted(lowerer: Lowerer, base: Operand, given: dict[str, Operand], node: ast.Call) -> Operand:
    """Lower `rng.permuted(x, axis)`, which takes the entries of a flat `x` at permuted places."""
    if not is_none(given["out"]):
        raise lowerer.refuse("BS113", "`permuted` is given `out`", node, "write x[...] = rng.permuted(x)")
    hidden = {
        **FUNCTIONS,
        ".x": given["x"],
        ".axis": given["axis"],
        ".rng": base,
        ".arange": Const(np.arange),
        ".permuted": Const(np.random.Generator.permuted),
        ".size": Const(np.size),
    }
    whole = "_reshape(_arange(_size(_x)), _extents(_x))"
    axis = "" if is_none(given["axis"]) else ", axis=_axis"
    text = (
        f"places = _permuted(_rng, {whole}{axis})\nreturn _reshape(_ravel(_x)[_ravel(places)], _extents(_x))"
    )
    return run_text(lowerer, "permuted", text, hidden, node)


def _shifted(lowerer: Lowerer, base: Operand, given: dict[str, Operand], node: ast.Call) -> Operand:
    """Lower `rng.multivariate_normal(mean, cov, size)` to the mean and what is drawn around zero."""
    mean = given.pop("mean")
    around = lowerer.apply(np.zeros, (lowerer.apply(len, (mean,), node),), node)
    options = {"check_valid": "warn", "tol": 1e-8, "method": "svd"}
    for name, usual in options.items():
        option = given.pop(name)
        if not (isinstance(option, Const) and option.value == usual):
            given[name] = option
    moved = lowerer.apply(
        np.random.Generator.multivariate_normal, (base, around, given.pop("cov")), node, _named(given)
    )
    return lowerer.apply(operator.add, (mean, moved), node)
