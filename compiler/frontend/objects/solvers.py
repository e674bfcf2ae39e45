"""Lower calls of SciPy's functions that take functions, to the text of ours that stands for them.

The function of the user's is known while compiling, and inlined in that text. Numba knows none of these functions of SciPy's,
so that they occur in plain Python functions alone.
"""

from __future__ import annotations

import ast
import inspect
import math
import sys
from collections.abc import Callable, Mapping
from typing import Any

from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Bound, known_elements
from backsweep.ir.nodes import Const, Operand, Value, is_none
from backsweep.reading.names import wrap
from backsweep.runtime.solvers import quadrature

Given = dict[str, Operand]
"""The operands of a call by the names of SciPy's parameters; what is left out has its default."""


def called(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower the call of a function of SciPy's that takes a function; None for other functions."""
    name = getattr(thing, "__name__", "")
    if not (getattr(thing, "__module__", None) or "").startswith(HOMES) or name not in WRITTEN:
        return None
    return WRITTEN[name](lowerer, _bound(lowerer, thing, args, keywords, node), node)


def _bound(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Given:
    signature = inspect.signature(thing)
    try:
        given = signature.bind(*args, **keywords).arguments
    except TypeError as error:
        message = f"`{ast.unparse(node.func)}`: {error}"
        raise lowerer.refuse(
            "BS113", message, node, "give the arguments that SciPy's function takes"
        ) from None
    return {
        name: given[name] if name in given else wrap(parameter.default, name)
        for name, parameter in signature.parameters.items()
        if name in given or parameter.default is not parameter.empty
    }


def _refuse_others(
    lowerer: Lowerer, thing: str, given: Given, node: ast.Call, instead: Mapping[str, str]
) -> None:
    """Refuse options that are given, for which `instead` says what to write."""
    for name, remedy in instead.items():
        operand = given.get(name)
        is_left_out = operand is None or (isinstance(operand, Const) and _is_nothing(operand.value))
        if not is_left_out:
            message = f"`{name}` of `{thing}` is not supported where the call is differentiated"
            raise lowerer.refuse("BS202", message, node, remedy)


def _is_nothing(value: object) -> bool:
    return value is None or value is False or (type(value) is int and value == 0)


def _more(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """The further arguments of the function, as a tuple whose parts are known."""
    more = given["args"]
    if isinstance(more, Const) and more.value is None:
        return lowerer.make_tuple((), node)
    if known_elements(lowerer.context, more) is None:
        return lowerer.make_tuple((more,), node)
    return more


def _quad(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.integrate.quad`."""
    remedies = {
        "weight": "write the weight as a factor of the function",
        "full_output": "take the two results, value and error",
        "complex_func": "integrate the real and the imaginary part",
    }
    _refuse_others(lowerer, "quad", given, node, remedies)
    points = given["points"]
    text = quadrature.RANGES if is_none(points) else {(0, 0): quadrature.with_points}
    options = (
        *(() if is_none(points) else (points,)),
        *(given[name] for name in ("epsabs", "epsrel", "limit")),
    )
    ends = (given["a"], given["b"])
    return _integral(lowerer, text, (given["func"], *ends, _more(lowerer, given, node)), options, node)


def _quad_vec(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.integrate.quad_vec`."""
    remedies = {
        "points": "add the integrals of the parts of the range",
        "quadrature": "leave the rule out",
        "full_output": "take the two results, value and error",
    }
    _refuse_others(lowerer, "quad_vec", given, node, remedies)
    norm = given["norm"].value if isinstance(given["norm"], Const) else None
    if norm not in NORMS:
        message = "`norm` of `quad_vec` is neither '2' nor 'max'"
        raise lowerer.refuse("BS202", message, node, "write it as one of these literals")
    options = (Const(NORMS[norm]), *(given[name] for name in ("epsabs", "epsrel", "limit")))
    ends = (given["a"], given["b"])
    text = quadrature.RANGES_OF_VECTORS
    return _integral(lowerer, text, (given["f"], *ends, _more(lowerer, given, node)), options, node)


def _integral(
    lowerer: Lowerer,
    texts: Mapping[tuple[int, int], Callable[..., Any]],
    what: tuple[Operand, Operand, Operand, Operand],
    options: tuple[Operand, ...],
    node: ast.Call,
) -> Operand:
    """Lower the integral of a function between two ends, and add what the ends contribute."""
    func, a, b, more = what
    signs = (_infinite(a), _infinite(b))
    if signs[0] == signs[1] != 0:
        return lowerer.make_tuple((Const(0.0), Const(0.0)), node)
    if signs[0] > 0 or signs[1] < 0:
        found = _integral(lowerer, texts, (func, b, a, more), options, node)
        return lowerer.inline(quadrature.turned, (found,), {}, node)
    if signs not in texts:
        message = "`points` of `quad` are given, and an infinite end"
        raise lowerer.refuse("BS202", message, node, "add the integrals of the parts of the range")
    beside = quadrature.vector_beside_end if texts is quadrature.RANGES_OF_VECTORS else quadrature.beside_end
    held = [_held(lowerer, end, node) for end in (a, b)]
    finite = [end for end, sign in zip(held, signs, strict=True) if sign == 0]
    found = lowerer.inline(texts[signs], (func, *finite, more, *options), {}, node)
    for end, start, change in ((a, held[0], quadrature.less), (b, held[1], quadrature.plus)):
        if not isinstance(end, Const):
            sliver = lowerer.inline(beside, (func, end, start, more), {}, node)
            found = lowerer.inline(change, (found, sliver), {}, node)
    return found


def _held(lowerer: Lowerer, end: Operand, node: ast.Call) -> Operand:
    """An end of a range, held constant."""
    if isinstance(end, Const) and isinstance(end.value, int | float):
        return Const(float(end.value))
    return lowerer.inline(quadrature.held, (end,), {}, node)


def _infinite(operand: Operand) -> int:
    """The sign of an end that is written as infinite; 0 for any other."""
    if isinstance(operand, Const) and isinstance(operand.value, float) and math.isinf(operand.value):
        return 1 if operand.value > 0.0 else -1
    return 0


def _repeated(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `dblquad` and `tplquad` to integrals of integrals."""
    own = sys.modules["scipy.integrate"]
    ends = ("gfun", "hfun", "qfun", "rfun")
    known = {name: _as_function(given[name]) for name in ends if name in given}
    inner = (Const(own.quad), Const(own.dblquad)) if "qfun" in given else (Const(own.quad),)  # type: ignore[attr-defined]
    text = quadrature.triple if "qfun" in given else quadrature.double
    operands = (*inner, given["func"], given["a"], given["b"], *known.values())
    options = (_more(lowerer, given, node), given["epsabs"], given["epsrel"])
    return lowerer.inline(text, (*operands, *options), {}, node)


def _as_function(end: Operand) -> Operand:
    """An end of an inner range as a function: it may be a number."""
    if isinstance(end, Value) or isinstance(end.value, int | float):
        return Const(Bound(Const(quadrature.always), (end,), {}))
    return end


HOMES = ("scipy.integrate", "scipy.optimize")
NORMS = {"2": quadrature.euclidean, "max": quadrature.largest}
WRITTEN: Mapping[str, Callable[[Lowerer, Given, ast.Call], Operand]] = {
    "quad": _quad,
    "quad_vec": _quad_vec,
    "dblquad": _repeated,
    "tplquad": _repeated,
}
