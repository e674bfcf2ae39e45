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

import numpy as np

from backsweep.frontend.constructs.kinds import asked_type
from backsweep.frontend.context.lowerer import Keywords, Lowerer
from backsweep.frontend.context.scope import Bound, known_elements
from backsweep.frontend.objects import closures
from backsweep.ir.nodes import Const, Operand, Value, is_none
from backsweep.ir.types import Array, Scalar
from backsweep.reading.names import wrap
from backsweep.runtime.solvers import odes, quadrature, roots, systems

Given = dict[str, Operand]
"""The operands of a call by the names of SciPy's parameters; what is left out has its default."""


Handler = Callable[[Lowerer, Given, ast.Call], Operand]
"""What lowers the call of one function."""


def called(
    lowerer: Lowerer, thing: Any, args: tuple[Operand, ...], keywords: Keywords, node: ast.Call
) -> Operand | None:
    """Lower the call of a function of SciPy's that takes a function; None for other functions."""
    name = getattr(thing, "__name__", "")
    if not (getattr(thing, "__module__", None) or "").startswith(HOMES):
        return None
    if name in INSTEAD:
        message = f"`{ast.unparse(node.func)}` has no derivative"
        raise lowerer.refuse("BS202", message, node, INSTEAD[name])
    if name not in WRITTEN:
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
        name: wrap(parameter.default, name) if name not in given else _as_operand(given[name])
        for name, parameter in signature.parameters.items()
        if name in given or parameter.default is not parameter.empty
    }


def _as_operand(given: Any) -> Operand:
    """What is given for a parameter; further keywords are a dict."""
    return Const(given) if isinstance(given, dict) else given


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
    return value is None or value is False or (type(value) in (int, float) and value == 0)


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
    texts: quadrature.Texts = quadrature.RANGES if is_none(points) else {(0, 0): quadrature.with_points}
    options = (
        *(() if is_none(points) else (points,)),
        *(given[name] for name in ("epsabs", "epsrel", "limit")),
    )
    ends = (given["a"], given["b"])
    return _integral(lowerer, texts, (given["func"], *ends, _more(lowerer, given, node)), options, node)


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
    texts: quadrature.Texts,
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
    inner = (Const(own.quad), Const(own.dblquad)) if "qfun" in given else (Const(own.quad),)
    text = quadrature.triple if "qfun" in given else quadrature.double
    operands = (*inner, given["func"], given["a"], given["b"], *known.values())
    options = (_more(lowerer, given, node), given["epsabs"], given["epsrel"])
    return lowerer.inline(text, (*operands, *options), {}, node)


def _as_function(end: Operand) -> Operand:
    """An end of an inner range as a function: it may be a number."""
    if isinstance(end, Value) or isinstance(end.value, int | float):
        return Const(Bound(Const(quadrature.always), (end,), {}))
    return end


def _bracketed(name: str, search: Callable[..., Any]) -> Handler:
    """What lowers a search between two ends."""

    def lower(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
        remedies = {"full_output": "call scipy.optimize.root_scalar", "disp": "leave it out"}
        _refuse_others(lowerer, name, {**given, "disp": _unless_true(given)}, node, remedies)
        options = tuple(given[each] for each in ("a", "b", "xtol", "rtol", "maxiter"))
        operands = (Const(search), given["f"], _more(lowerer, given, node), *options)
        return lowerer.inline(roots.root_of, operands, {}, node)

    return lower


def _unless_true(given: Given) -> Operand:
    """The option `disp`, as if True were its absence."""
    disp = given["disp"]
    return Const(None) if isinstance(disp, Const) and disp.value is True else Const("given")


def _newton(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.optimize.newton`."""
    remedies = {"full_output": "call scipy.optimize.root_scalar", "disp": "leave it out"}
    _refuse_others(lowerer, "newton", {**given, "disp": _unless_true(given)}, node, remedies)
    if isinstance(asked_type(lowerer, given["x0"], node), Array):
        message = "`newton` is given an array of starts"
        raise lowerer.refuse("BS202", message, node, "call it for each number, or call scipy.optimize.fsolve")
    more = _more(lowerer, given, node)
    search, options = _by_slopes(given, more)
    tolerances = tuple(given[each] for each in ("tol", "rtol", "maxiter"))
    operands = (Const(search), given["func"], more, *options, *tolerances)
    return lowerer.inline(roots.root_of, operands, {}, node)


def _by_slopes(given: Given, more: Operand) -> tuple[Callable[..., Any], tuple[Operand, ...]]:
    """Newton's search, or that by lines through two points, with its start."""
    if is_none(given["fprime"]):
        return roots.secant, (given["x0"], given["x1"])
    slope = Const(Bound(Const(roots.with_more), (given["fprime"], more), {}))
    curvature = given["fprime2"]
    if not is_none(curvature):
        curvature = Const(Bound(Const(roots.with_more), (curvature, more), {}))
    return roots.newton, (slope, curvature, given["x0"])


def _root_scalar(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.optimize.root_scalar`."""
    _refuse_others(lowerer, "root_scalar", given, node, {"options": "give xtol, rtol and maxiter themselves"})
    more = _more(lowerer, given, node)
    name = given["method"].value if isinstance(given["method"], Const) else ""
    is_given = {each: not is_none(given[each]) for each in ("bracket", "x0", "x1", "fprime", "fprime2")}
    if name is None:
        by_lines = not is_given["fprime"] and is_given["x1"]
        by_slopes = "secant" if by_lines else "halley" if is_given["fprime2"] else "newton"
        name = "brentq" if is_given["bracket"] else by_slopes
    ends = known_elements(lowerer.context, given["bracket"])
    if name in BRACKETED and ends is not None and len(ends) == 2:
        search, options = BRACKETED[name], tuple(ends)
        defaults = (Const(2e-12), Const(4.0 * EPS), Const(100))
    elif name in ("newton", "halley", "secant") and is_given["x0"]:
        if name == "secant":
            given = {**given, "fprime": Const(None)}
        elif not is_given["fprime"]:
            own = Const(Bound(Const(roots.own_slope), (given["f"],), {}))
            given = {**given, "fprime": own}
        if name == "newton":
            given = {**given, "fprime2": Const(None)}
        search, options = _by_slopes(given, more)
        defaults = (Const(1.48e-8), Const(0.0), Const(50))
    else:
        message = "`root_scalar` is supported with a `bracket` that is written out, or with `x0` for Newton's method"
        raise lowerer.refuse("BS202", message, node, "write root_scalar(f, bracket=(a, b))")
    tolerances = [
        default if is_none(given[each]) else given[each]
        for each, default in zip(("xtol", "rtol", "maxiter"), defaults, strict=True)
    ]
    return lowerer.inline(
        roots.results_of, (Const(search), given["f"], more, *options, *tolerances), {}, node
    )


def _fixed_point(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.optimize.fixed_point`."""
    method = given["method"].value if isinstance(given["method"], Const) else ""
    if method not in ("del2", "iteration"):
        message = "`method` of `fixed_point` is neither 'del2' nor 'iteration'"
        raise lowerer.refuse("BS202", message, node, "write it as one of these literals")
    more = _more(lowerer, given, node)
    options = (given["x0"], more, given["xtol"], given["maxiter"], Const(method == "del2"))
    return lowerer.inline(systems.fixed_point, (given["func"], *options), {}, node)


def _fsolve(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.optimize.fsolve`."""
    remedies = {
        "full_output": "call scipy.optimize.root",
        "band": "leave it out",
        "diag": "leave it out",
        "col_deriv": "leave it out",
    }
    _refuse_others(lowerer, "fsolve", given, node, remedies)
    options = (given["x0"], _more(lowerer, given, node), given["xtol"], given["factor"])
    return lowerer.inline(systems.fsolve, (given["func"], *options), {}, node)


def _root(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.optimize.root`."""
    remedies = {"options": "give tol itself", "callback": "leave it out"}
    _refuse_others(lowerer, "root", given, node, remedies)
    method = given["method"].value if isinstance(given["method"], Const) else ""
    if method not in ("hybr", "lm"):
        message = "`method` of `root` is neither 'hybr' nor 'lm'"
        raise lowerer.refuse("BS202", message, node, "leave it out")
    if isinstance(given["jac"], Const) and given["jac"].value is True:
        message = "`jac=True` of `root` says that the function returns its Jacobian, too"
        raise lowerer.refuse("BS202", message, node, "return the values alone: the Jacobian is derived")
    xtol = Const(1.49012e-8) if is_none(given["tol"]) else given["tol"]
    options = (given["x0"], _more(lowerer, given, node), xtol, Const(100.0))
    return lowerer.inline(systems.root, (given["fun"], *options), {}, node)


def _solve_ivp(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.integrate.solve_ivp`."""
    remedies = {
        "dense_output": "give the times in t_eval",
        "events": "find the time with brentq of a solution that ends there",
        "vectorized": "leave it out",
    }
    _refuse_others(lowerer, "solve_ivp", given, node, remedies)
    method = given["method"].value if isinstance(given["method"], Const) else ""
    if method not in METHODS:
        message = f"`solve_ivp` by the method {method!r} has no derivative"
        remedy = (
            "leave the method out, or write 'RK23'; for stiff equations, solve each implicit step with fsolve"
        )
        raise lowerer.refuse("BS202", message, node, remedy)
    options = {
        "rtol": Const(1e-3),
        "atol": Const(1e-6),
        "max_step": Const(math.inf),
        "first_step": Const(None),
    }
    more = given.get("options", Const({}))
    assert isinstance(more, Const)
    unknown = [name for name in more.value if name not in options]
    if unknown:
        message = f"`{unknown[0]}` of `solve_ivp` is not supported where the call is differentiated"
        raise lowerer.refuse("BS202", message, node, "leave it out")
    options |= more.value
    within, *table = METHODS[method]
    settings = (*table, *options.values())
    what = (given["fun"], given["t_span"], given["y0"], _more(lowerer, given, node))
    if is_none(given["t_eval"]):
        return lowerer.inline(odes.solve_ivp, (*what, *settings), {}, node)
    return lowerer.inline(odes.solve_ivp_at, (*what, given["t_eval"], within, *settings), {}, node)


def _odeint(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower `scipy.integrate.odeint`."""
    remedies = {
        **dict.fromkeys(("Dfun", "col_deriv", "ml", "mu", "printmessg", "ixpr"), "leave it out"),
        "full_output": "take the states alone",
        "tcrit": "integrate from each critical time to the next",
        **dict.fromkeys(("hmin", "mxstep", "mxhnil"), "leave it out"),
    }
    _refuse_others(lowerer, "odeint", given, node, remedies)
    func, first = given["func"], given["tfirst"]
    if not (isinstance(first, Const) and first.value):
        func = Const(Bound(Const(odes.in_turn), (func,), {}))
    tolerances = [Const(1.49012e-8) if is_none(given[name]) else given[name] for name in ("rtol", "atol")]
    hmax, h0 = given["hmax"], given["h0"]
    limits = (Const(math.inf) if _is_zero(hmax) else hmax, Const(None) if _is_zero(h0) else h0)
    _, *table = METHODS["RK45"]
    what = (func, given["y0"], given["t"], _more(lowerer, given, node))
    return lowerer.inline(odes.odeint, (*what, *table, *tolerances, *limits), {}, node)


def _is_zero(operand: Operand) -> bool:
    return isinstance(operand, Const) and operand.value == 0


def _derivative(transformation: str) -> Handler:
    """What lowers a mark that asks for a derivative."""
    return lambda lowerer, given, node: closures.derivative_of(
        lowerer, given["function"], transformation, node
    )


def _as_vector(lowerer: Lowerer, given: Given, node: ast.Call) -> Operand:
    """Lower the mark that asks for an array of one axis."""
    values = given["values"]
    if known_elements(lowerer.context, values) is not None or lowerer.context.is_list(values):
        return lowerer.call(Const(np.array), (values,), {}, node)
    type_ = asked_type(lowerer, values, node)
    if isinstance(type_, Scalar):
        return lowerer.call(Const(np.array), (lowerer.make_tuple((values,), node),), {}, node)
    is_vector = isinstance(type_, Array) and type_.ndim == 1
    return values if is_vector else lowerer.call(Const(np.ravel), (values,), {}, node)


METHODS = {
    "RK45": tuple(map(Const, (odes.WITHIN_45, odes.NODES_45, odes.STAGES_45, odes.ERROR_45, -1 / 5))),
    "RK23": tuple(map(Const, (odes.WITHIN_23, odes.NODES_23, odes.STAGES_23, odes.ERROR_23, -1 / 3))),
}
"""The tables of a method: within a step, nodes, stages, weights of the error, and the exponent of the error in a step's length."""
EPS = 2.220446049250313e-16
BRACKETED = {"brentq": roots.brentq, "brenth": roots.brenth, "bisect": roots.bisect, "ridder": roots.ridder}
"""The searches between two ends, by SciPy's names."""
OF_THE_GRADIENT = "find the zero of the gradient with scipy.optimize.fsolve, whose solution has a derivative"
OF_THE_SLOPE = "find the zero of the derivative with scipy.optimize.brentq, which has a derivative"
INSTEAD: Mapping[str, str] = {
    "toms748": "find the root with scipy.optimize.brentq",
    "nquad": "write it with dblquad or tplquad",
    **dict.fromkeys(
        ("minimize", "fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b", "fmin_powell"), OF_THE_GRADIENT
    ),
    **dict.fromkeys(("minimize_scalar", "fminbound", "brent", "golden"), OF_THE_SLOPE),
    **dict.fromkeys(("least_squares", "leastsq", "curve_fit"), OF_THE_GRADIENT),
    "linprog": "solve the constraints that hold as equations, with np.linalg.solve",
    "solve_bvp": "solve the equations of the collocation with scipy.optimize.fsolve",
}
"""What to write in place of functions that are not written out."""
HOMES = ("scipy.integrate", "scipy.optimize", "backsweep.runtime.solvers.marks")
NORMS = {"2": quadrature.euclidean, "max": quadrature.largest}
WRITTEN: Mapping[str, Handler] = {
    **{name: _bracketed(name, search) for name, search in BRACKETED.items()},
    "newton": _newton,
    "root_scalar": _root_scalar,
    "fixed_point": _fixed_point,
    "fsolve": _fsolve,
    "root": _root,
    "quad": _quad,
    "quad_vec": _quad_vec,
    "dblquad": _repeated,
    "tplquad": _repeated,
    "solve_ivp": _solve_ivp,
    "odeint": _odeint,
    "slope_of": _derivative("grad"),
    "matrix_of": _derivative("jacobian"),
    "curvature_of": _derivative("hessian"),
    "as_vector": _as_vector,
}
