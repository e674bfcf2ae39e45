"""Functions that have no derivative, each with what to write in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.integrate as sg
import scipy.optimize as so

from backsweep.prelude.declare import means, refuse

OF_THE_GRADIENT = "find the zero of the gradient with scipy.optimize.fsolve, whose solution has a derivative"
OF_THE_SLOPE = "find the zero of the derivative with scipy.optimize.brentq, which has a derivative"
INSTEAD = {
    so.toms748: "find the root with scipy.optimize.brentq",
    sg.nquad: "write it with dblquad or tplquad",
    **dict.fromkeys(
        (so.minimize, so.fmin, so.fmin_bfgs, so.fmin_cg, so.fmin_l_bfgs_b, so.fmin_powell), OF_THE_GRADIENT
    ),
    **dict.fromkeys((so.minimize_scalar, so.fminbound, so.brent, so.golden), OF_THE_SLOPE),
    **dict.fromkeys((so.least_squares, so.leastsq, so.curve_fit), OF_THE_GRADIENT),
    so.linprog: "solve the constraints that hold as equations, with np.linalg.solve",
    sg.solve_bvp: "solve the equations of the collocation with scipy.optimize.fsolve",
}


def _refused(name: str, remedy: str) -> Callable[..., Any]:
    """The meaning of a function that is refused."""

    def without_derivative(*args: Any, **options: Any) -> Any:
        """Nothing: it is refused."""
        del args, options
        refuse(f"`{name}` has no derivative", remedy, "BS202")

    return without_derivative


for _function, _remedy in INSTEAD.items():
    _home = "integrate" if _function in (sg.nquad, sg.solve_bvp) else "optimize"
    means(_function)(_refused(f"scipy.{_home}.{_function.__name__}", _remedy))
