"""The ordinary differential equations of `scipy.integrate`."""

from __future__ import annotations

import functools
import math

import scipy.integrate as sg

from backsweep.prelude.declare import early, means, refuse
from backsweep.prelude.solvers.options import left_out, more
from backsweep.runtime.solvers import odes


@means(sg.solve_ivp)
def solve_ivp(
    fun,
    t_span,
    y0,
    method="RK45",
    t_eval=None,
    dense_output=False,
    events=None,
    vectorized=False,
    args=None,
    **options,
):
    """The states at the ends of steps, or at given times."""
    left_out(
        "solve_ivp",
        ("dense_output", dense_output, "give the times in t_eval"),
        ("events", events, "find the time with brentq of a solution that ends there"),
        ("vectorized", vectorized, "leave it out"),
    )
    if method not in ("RK45", "RK23"):
        refuse(
            f"`solve_ivp` by the method {method!r} has no derivative",
            "leave the method out, or write 'RK23'; for stiff equations, solve each implicit step with fsolve",
            "BS202",
        )
    for name in options:
        if name not in ("rtol", "atol", "max_step", "first_step"):
            refuse(
                f"`{name}` of `solve_ivp` is not supported where the call is differentiated",
                "leave it out",
                "BS202",
            )
    within, *table = early(_table, method)
    settings = (
        *table,
        options.get("rtol", 1e-3),
        options.get("atol", 1e-6),
        options.get("max_step", math.inf),
        options.get("first_step"),
    )
    if t_eval is None:
        return odes.solve_ivp(fun, t_span, y0, more(args), *settings)
    return odes.solve_ivp_at(fun, t_span, y0, more(args), t_eval, within, *settings)


def _table(method: str):
    """Of a method: within a step, nodes, stages, weights of the error, and the exponent of the error in a step's length."""
    if method == "RK23":
        return odes.WITHIN_23, odes.NODES_23, odes.STAGES_23, odes.ERROR_23, -1 / 3
    return odes.WITHIN_45, odes.NODES_45, odes.STAGES_45, odes.ERROR_45, -1 / 5


@means(sg.odeint)
def odeint(
    func,
    y0,
    t,
    args=(),
    Dfun=None,
    col_deriv=0,
    full_output=0,
    ml=None,
    mu=None,
    rtol=None,
    atol=None,
    tcrit=None,
    h0=0.0,
    hmax=0.0,
    hmin=0.0,
    ixpr=0,
    mxstep=0,
    mxhnil=0,
    mxordn=12,
    mxords=5,
    printmessg=0,
    tfirst=False,
):
    """The states at given times, in rows."""
    del mxordn, mxords
    left_out(
        "odeint",
        ("Dfun", Dfun, "leave it out"),
        ("col_deriv", col_deriv, "leave it out"),
        ("ml", ml, "leave it out"),
        ("mu", mu, "leave it out"),
        ("printmessg", printmessg, "leave it out"),
        ("ixpr", ixpr, "leave it out"),
        ("full_output", full_output, "take the states alone"),
        ("tcrit", tcrit, "integrate from each critical time to the next"),
        ("hmin", hmin, "leave it out"),
        ("mxstep", mxstep, "leave it out"),
        ("mxhnil", mxhnil, "leave it out"),
    )
    _, *table = early(_table, "RK45")
    slopes = func if tfirst else functools.partial(odes.in_turn, func)
    settings = (
        *table,
        1.49012e-8 if rtol is None else rtol,
        1.49012e-8 if atol is None else atol,
        math.inf if hmax == 0.0 else hmax,
        None if h0 == 0.0 else h0,
    )
    return odes.odeint(slopes, y0, t, more(args), *settings)
