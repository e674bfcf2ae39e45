"""Say what derivative a caller asks for, split aux from the differentiated result, and check that this result fits."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backsweep.analysis.integers.affine import Affine, Dim
from backsweep.analysis.integers.extents import shapes_of
from backsweep.diagnostics import NotScalarError, Problem
from backsweep.ir.nodes import Apply, Function, Operand, Value, is_none
from backsweep.ir.typed import type_of
from backsweep.ir.types import NONE, Array, Other, Scalar, Tuple, Type

JACOBIANS = ("jacobian", "jacrev", "jacfwd", "hessian")
"""The modes of the functions that return all derivatives of a result that is no float."""
FORWARDS = ("jvp", "hvp", "jacfwd", "hessian")
"""The modes that write tangents, of the function or of its gradient."""
PRODUCTS = ("pushforwards", "pullbacks")
"""The modes of the functions that return its derivatives along many directions."""
WITHOUT_VALUE = ("grad", "hvp", *JACOBIANS, *PRODUCTS)
"""The modes of the functions that do not return what the function returns."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to derive: which results the emitted function returns, for which arguments.

    `mode` is "grad", "value_and_grad", "vjp", "jvp", "hvp" (the tangent of a gradient alone) or one of `JACOBIANS` and `PRODUCTS`; `wrt` are names of arguments; `single` says that one
    gradient is returned instead of a tuple of them; `record` is the namedtuple class to return them in, `new_list`
    makes the lists of array references; `optimize` is "loops", "readable" (array statements as they are) or "again" (the same, to be differentiated again). `values`
    are variables whose values are returned as well, in a `values_record`, or by itself if that is None;
    where adjoints and tangents are `watched`, one that is not finite raises; with `strong_zeros`, one that is
    zero contributes zero through a singular partial derivative. A Jacobian that is `symmetric` is the Hessian
    of a function whose derivatives are all Backsweep's own. `apart` says that the primal returns what is differentiated and, in
    a pair with it, what is returned for it.
    """

    mode: str
    wrt: tuple[str, ...]
    single: bool
    has_aux: bool = False
    record: type | None = None
    new_list: Any = list
    optimize: str = "loops"
    values: tuple[str, ...] = ()
    values_record: type | None = None
    watched: bool = False
    strong_zeros: bool = True
    symmetric: bool = False
    apart: bool = False

    @property
    def again(self) -> bool:
        """Whether the derivative is written to be differentiated again."""
        return self.optimize == "again"


@dataclass(frozen=True, slots=True)
class Parts:
    """What a program returns, taken apart: `primal` returns only what is differentiated."""

    primal: Function
    aux: Operand | None = None
    value: Operand | None = None
    """What is returned as its value, if another part of the program computes it."""


def parts_of_result(primal: Function, request: Request) -> Parts:
    """The program and what it returns besides; with `has_aux` it returns a pair, and that in a pair with the value if this is computed `apart`."""
    if not request.apart:
        return Parts(*_without_second(primal)) if request.has_aux else Parts(primal)
    found, value = _without_second(primal)
    if not request.has_aux:
        return Parts(found, None, value)
    valued, aux = _without_second(_returning(primal, value))
    return Parts(_without_second(found)[0], aux, valued.body.yields[0])


def _returning(primal: Function, result: Operand) -> Function:
    return dataclasses.replace(primal, body=dataclasses.replace(primal.body, yields=(result,)))


def _without_second(primal: Function) -> tuple[Function, Operand]:
    """The program that returns the first item of the pair that it returned, and the second item."""
    (result,) = primal.body.yields
    for node in primal.body.nodes:
        if isinstance(node, Apply) and node.result is result and isinstance(node.result.type, Tuple):
            if len(node.operands) == 2:
                return _returning(primal, node.operands[0]), node.operands[1]
    raise NotScalarError(
        Problem(
            "BS402",
            f"with has_aux, `{primal.name}` must return a pair (value, aux)",
            primal.loc,
            "return a tuple of two, or leave has_aux out.",
        )
    )


def check_result(primal: Function, request: Request) -> None:
    """Raise an error unless the result fits the request: a gradient needs a float scalar, a pullback floats."""
    (result,) = primal.body.yields
    type_ = type_of(result)
    if request.mode in ("vjp", *JACOBIANS, *PRODUCTS) or (
        isinstance(type_, Scalar) and type_.dtype.startswith("float")
    ):
        return
    nothing = is_none(result)
    words, remedy = type_text(NONE if nothing else type_)
    if () in primal.listed and isinstance(type_, Tuple):
        words, remedy = "a list", "return the float alone, or use bs.vjp with a list of cotangents."
    words += _shape_text(primal, result)
    message = f"`{primal.name}` returns {words}, and a gradient needs a float scalar"
    raise NotScalarError(Problem("BS401", message, primal.loc, remedy))


def _shape_text(primal: Function, result: Operand) -> str:
    """The shape of an array in terms of the arguments, to be added to a message; empty where it is not known so."""
    if not isinstance(result, Value) or not isinstance(result.type, Array) or not result.type.ndim:
        return ""
    extents = [_extent_text(extent, primal.body.parameters) for extent in shapes_of(primal).of(result)]
    return "" if None in extents else f" of shape ({', '.join(map(str, extents))}{',' * (len(extents) == 1)})"


def _extent_text(extent: Affine, parameters: Sequence[Value]) -> str | None:
    """An extent as the user would write it, `x.shape[0] + 1`; None where the arguments do not tell it."""
    terms = []
    for atom, coefficient in extent.terms.items():
        argument = atom.value if isinstance(atom, Dim) else atom
        if not isinstance(argument, Value) or argument not in parameters:
            return None
        name = f"{argument.name}.shape[{atom.axis}]" if isinstance(atom, Dim) else argument.name
        terms.append(name if coefficient == 1 else f"{coefficient} * {name}")
    if extent.const or not terms:
        terms.append(str(extent.const))
    return " + ".join(terms).replace("+ -", "- ")


def type_text(type_: Type | None) -> tuple[str, str]:
    """A type in the user's words, and what to return instead."""
    cotangent = "or use bs.vjp with a cotangent"
    match type_:
        case Scalar(dtype) if dtype.startswith("complex"):
            return "a complex number", f"return its real part or np.abs of it, {cotangent}."
        case Scalar(dtype):
            return (
                f"a scalar of type {dtype}",
                "return a float: int(...), //, comparisons and lengths have no derivative.",
            )
        case Array(dtype, ndim):
            shape = f"an array of {ndim} dimension{'s' if ndim != 1 else ''} ({dtype})"
            return shape, f"return its sum, np.sum(...), its mean, or one element, {cotangent}."
        case Tuple(items) if len(items) == 2:
            pair = (
                "return the float alone, or give has_aux=True if the second item is not to be differentiated"
            )
            return "a tuple of 2", f"{pair}, {cotangent}."
        case Tuple(items):
            return f"a tuple of {len(items)}", f"return the float alone, {cotangent}."
        case Other("none"):
            return (
                "None: no path reaches a `return` with a value",
                "end the function with `return` and the value.",
            )
        case _:
            return "no number", f"return a float, {cotangent}."
