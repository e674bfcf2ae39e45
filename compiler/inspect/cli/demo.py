"""The demo: fit the Lotka-Volterra equations to hare and lynx pelts, with adjoints and with finite differences."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

import backsweep as bs
from backsweep.display.terminal import code
from backsweep.inspect.audit.findings import medians
from backsweep.inspect.cli.lotka_volterra import misfit, trajectory

Floats = NDArray[np.float64]

NAMES = ("alpha", "beta", "gamma", "delta", "u(1900)", "v(1900)")
RATES_TO_START_FROM = (0.4, 0.02, 0.6, 0.02)
STEPS_PER_YEAR = 50
ITERATIONS_PER_LINE = 5
CALLS = 1001
"""How often each function is timed."""
LINES = 10
"""How many lines of the adjoint are shown."""


class Pelts(NamedTuple):
    """The records: years, and thousands of pelts of each kind."""

    year: Floats
    hare: Floats
    lynx: Floats


@dataclass(slots=True)
class Fit:
    """One run of the optimizer: its solution and its cost."""

    log_p: Floats
    value: float
    evaluations: int
    seconds: float


@dataclass(slots=True)
class Counted:
    """An objective that counts its evaluations and remembers the least value."""

    function: Callable[..., Any]
    evaluations: int = 0
    least: float = field(default=float("inf"))

    def __call__(self, *args: Any) -> Any:
        """The function's result: a value, or a value and its gradient."""
        result = self.function(*args)
        self.evaluations += 1
        self.least = min(self.least, result[0] if isinstance(result, tuple) else result)
        return result


def read_pelts() -> Pelts:
    """The Hudson's Bay Company's pelts of 1900 to 1920, shipped with the package."""
    text = resources.files("backsweep.inspect").joinpath("data/hudson_bay.csv").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    table = np.array([[float(word) for word in line.split(",")] for line in lines[1:]])
    return Pelts(*(np.ascontiguousarray(column) for column in table.T))


def start(pelts: Pelts) -> Floats:
    """The initial guess of both fits: the logarithms of rough rates and of the first year's counts."""
    return np.asarray(np.log([*RATES_TO_START_FROM, pelts.hare[0], pelts.lynx[0]]), dtype=np.float64)


def fit(function: Callable[..., Any], pelts: Pelts, *, with_gradient: bool) -> Fit:
    """Minimise by L-BFGS-B and print progress. Without a gradient the optimizer takes finite differences."""
    objective = Counted(function)
    iterations = 0

    def report(_: Floats) -> None:
        nonlocal iterations
        iterations += 1
        if iterations % ITERATIONS_PER_LINE == 0:
            print(f"  iteration {iterations:3d}   misfit {objective.least:12.8f}", flush=True)

    began = time.perf_counter()
    found = minimize(
        objective,
        start(pelts),
        args=(pelts.hare, pelts.lynx, STEPS_PER_YEAR),
        jac=with_gradient,
        method="L-BFGS-B",
        callback=report,
        options={"maxiter": 500, "ftol": 1e-14, "gtol": 1e-8},
    )
    seconds = time.perf_counter() - began
    return Fit(np.asarray(found.x), float(found.fun), objective.evaluations, seconds)


def comparison(adjoint: Fit, differences: Fit) -> Iterator[str]:
    """The lines of a table that compares the two fits."""
    yield f"  {'':16}{'adjoint':>14}{'differences':>14}"
    for name, by_adjoint, by_differences in zip(
        NAMES, np.exp(adjoint.log_p), np.exp(differences.log_p), strict=True
    ):
        yield f"  {name:16}{by_adjoint:14.6f}{by_differences:14.6f}"
    yield f"  {'misfit':16}{adjoint.value:14.10f}{differences.value:14.10f}"
    yield f"  {'evaluations':16}{adjoint.evaluations:14d}{differences.evaluations:14d}"
    yield f"  {'milliseconds':16}{1e3 * adjoint.seconds:14.2f}{1e3 * differences.seconds:14.2f}"


def save_plot(pelts: Pelts, log_p: Floats, path: Path) -> Path | None:
    """Draw the records and the fitted curves. Returns the path of the picture, or None if there is no matplotlib."""
    # Imported here, because it is no requirement; the canvas is made by hand, so that the user's choice of a
    # backend stays untouched.
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    years = pelts.year.size - 1
    states = trajectory(log_p, years, STEPS_PER_YEAR)
    times = pelts.year[0] + np.arange(states.shape[0]) / STEPS_PER_YEAR
    figure = Figure(figsize=(8.0, 4.5), layout="constrained")
    axes = figure.add_subplot()
    for column, name, counts, colour in ((0, "hare", pelts.hare, "C0"), (1, "lynx", pelts.lynx, "C1")):
        axes.plot(times, states[:, column], color=colour, label=f"{name}, fitted")
        axes.plot(pelts.year, counts, "o", color=colour, label=f"{name}, pelts")
    axes.set_xticks(pelts.year[::5])
    axes.set_xlabel("year")
    axes.set_ylabel("pelts, thousands")
    axes.set_title("Hudson's Bay Company: Lotka-Volterra fitted with Backsweep")
    axes.legend()
    FigureCanvasAgg(figure).print_figure(str(path), dpi=120)
    return path.resolve()


def run(output: Path) -> int:
    """Fit both ways, print the solutions and their costs, save the adjoint and the plot, and show some lines of the first."""
    pelts = read_pelts()
    arguments = (start(pelts), pelts.hare, pelts.lynx, STEPS_PER_YEAR)
    print(f"Hudson's Bay Company pelts, {pelts.year[0]:.0f} to {pelts.year[-1]:.0f}: {pelts.year.size} years")
    print(
        f"Model: Lotka-Volterra, {STEPS_PER_YEAR} Runge-Kutta steps a year, six parameters\n"
        "Fit: L-BFGS-B minimises the squared log residuals\n"
    )

    value_and_gradient = bs.value_and_grad(misfit)
    began = time.perf_counter()
    misfit(*arguments)
    between = time.perf_counter()
    value_and_gradient(*arguments)
    first, second = between - began, time.perf_counter() - between
    print(
        f"first call, with compiling or loading from the cache: function {first:.1f} s, gradient {second:.1f} s"
    )
    print("fit with the adjoint")
    by_adjoint = fit(value_and_gradient, pelts, with_gradient=True)
    print("fit with finite differences of the compiled function")
    by_differences = fit(misfit, pelts, with_gradient=False)

    print("\nresults of the two fits")
    print("\n".join(comparison(by_adjoint, by_differences)))
    function_time, gradient_time = medians((misfit, value_and_gradient), arguments, CALLS)
    print(f"\none evaluation, the median of {CALLS}: function {function_time:.1f} us, ", end="")
    print(
        f"value and gradient {gradient_time:.1f} us, ratio {gradient_time / function_time:.2f}; "
        f"finite differences take {arguments[0].size + 1} functions"
    )
    adjoint = output.with_name("backsweep_demo_adjoint.py")
    value_and_gradient.save(str(adjoint), *arguments)
    print(f"\nthe adjoint, from its reverse sweep on ({adjoint.name} has all of it)\n")
    print(code(excerpt(adjoint.read_text(encoding="utf-8")), sys.stdout))
    picture = save_plot(pelts, by_adjoint.log_p, output)
    missing = (
        'matplotlib is not installed; `pip install "backsweep[plot]"` gets it, and the demo draws the fit'
    )
    print(f"\nadjoint: {adjoint.resolve()}\nplot:    {picture or missing}\n\n{NEXT}")
    return 0


NEXT = """\
what to try next
  backsweep show file.py:function --args "np.ones(3), 0.7"    the adjoint of a function of your own
  backsweep check file.py:function --args "np.ones(3), 0.7"   compare it with finite differences
  backsweep --help                                            the other commands"""


def excerpt(text: str) -> str:
    """The first lines of the reverse sweep."""
    lines = text.splitlines()
    begins = next(k for k, line in enumerate(lines) if line.strip() == "# reverse sweep")
    return "\n".join([*lines[begins : begins + LINES], "    ..."])
