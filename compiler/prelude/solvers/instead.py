"""Functions that have no derivative, each with what to write in its place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.integrate as sg
import scipy.optimize as so

from backsweep.prelude.declare import means, refuse

OF_THE_GRADIENT = "find the zero of the gradient with scipy.optimize.fsolve, whose solution has a derivative"
INSTEAD = {
    sg: {
        "nquad": "write it with dblquad or tplquad",
        "solve_bvp": "solve the equations of the collocation with scipy.optimize.fsolve",
    },
    so: {
        "toms748": "find the root with scipy.optimize.brentq",
        "linprog": "solve the constraints that hold as equations, with np.linalg.solve",
        **dict.fromkeys(
            ("minimize", "fmin", "fmin_bfgs", "fmin_cg", "fmin_l_bfgs_b", "fmin_powell"), OF_THE_GRADIENT
        ),
        "golden": "call scipy.optimize.minimize_scalar",
        **dict.fromkeys(("least_squares", "leastsq", "curve_fit"), OF_THE_GRADIENT),
    },
}


def _refused(name: str, remedy: str) -> Callable[..., Any]:
    """The meaning of a function that is refused."""

    def without_derivative(*args, **options):
        """Nothing: it is refused."""
        del args, options
        refuse(f"`{name}` has no derivative", remedy, "BS202")

    return without_derivative


for _home, _remedies in INSTEAD.items():
    for _name, _remedy in _remedies.items():
        means(getattr(_home, _name))(_refused(f"{_home.__name__}.{_name}", _remedy))
