"""Objects of NumPy's classes of polynomials, which are called: `np.poly1d(c)(x)` is `np.polyval(c, x)`."""

from __future__ import annotations

import ast
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre, polynomial

from backsweep.frontend.constructs.comprehensions import as_array
from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer, Special
from backsweep.frontend.context.scope import Bound
from backsweep.ir.nodes import Const, Operand
from backsweep.ir.types import Array

VALUES: Mapping[Any, Any] = {
    np.poly1d: np.polyval,
    polynomial.Polynomial: polynomial.polyval,
    chebyshev.Chebyshev: chebyshev.chebval,
    legendre.Legendre: legendre.legval,
    hermite.Hermite: hermite.hermval,
    hermite_e.HermiteE: hermite_e.hermeval,
    laguerre.Laguerre: laguerre.lagval,
}
"""The classes, each with the function that gives the values of their objects."""


def made_of_coefficients(made: Any) -> Special:
    """What lowers the call of a class: to a function of points, which exists while compiling."""

    def special(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
        if len(args) != 1 or keywords:
            message = f"`{ast.unparse(node.func)}` is supported with coefficients alone"
            remedy = "scale the argument where it is called, and make coefficients of zeros with np.poly"
            raise lowerer.refuse("BS113", message, node, remedy)
        type_ = asked_type(lowerer, args[0], node)
        vector = args[0] if isinstance(type_, Array) else as_array(lowerer, args[0], node)
        return Const(Bound(Const(values_of), (Const(made), vector), {}))

    return special


def values_of(lowerer: Lowerer, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call) -> Operand:
    """Lower the call of an object: its values at a point or at the points of an array."""
    made, coefficients, *points = args
    assert isinstance(made, Const)
    if len(points) != 1 or keywords or (isinstance(points[0], Const) and isinstance(points[0].value, Bound)):
        message = "a polynomial is called with one point, or with an array of them"
        raise lowerer.refuse("BS113", message, node, "write p(x)")
    order = (coefficients, points[0]) if made.value is np.poly1d else (points[0], coefficients)
    return lowerer.call(Const(VALUES[made.value]), order, {}, node)


def coefficients_of(lowerer: Lowerer, base: Operand, name: str, node: ast.AST) -> Operand | None:
    """The coefficients of an object, as floats; None for what is no such object. Other attributes are refused."""
    found = base.value if isinstance(base, Const) else None
    function = found.function if isinstance(found, Bound) else None
    if not isinstance(found, Bound) or not isinstance(function, Const) or function.value is not values_of:
        return None
    made, vector = found.args
    assert isinstance(made, Const)
    if name == "coef" and made.value is not np.poly1d:
        return lowerer.apply(operator.mul, (vector, Const(1.0)), node)
    message = f"the attribute `{name}` of a polynomial cannot be differentiated"
    remedy = "call a function of the coefficients, as np.polyder(c), np.polymul(a, b), polynomial.polyder(c)"
    raise lowerer.refuse("BS109", message, node, remedy)


def of_an_object(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand:
    """Lower the call of an object of one of the classes that was made outside."""
    made = type(thing)
    vector = Const(np.asarray(thing.coef, np.float64 if thing.coef.dtype.kind in "iu" else None))
    if made is not np.poly1d and len(args) == 1:
        offset, scale = thing.mapparms()
        if (offset, scale) != (0.0, 1.0):
            scaled = lowerer.apply(operator.mul, (args[0], Const(float(scale))), node)
            args = (lowerer.apply(operator.add, (scaled, Const(float(offset))), node),)
    return values_of(lowerer, (Const(made), vector, *args), keywords, node)


SERIES: Mapping[object, Special] = {
    **{made: made_of_coefficients(made) for made in VALUES},
    values_of: values_of,
}
"""The classes, each with what lowers its calls, and what lowers calls of their objects."""
