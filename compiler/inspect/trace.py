"""`trace`: run a function once and keep every variable with its value and its adjoint, to print and to draw."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backsweep import requests
from backsweep.boundary import boundary, public, running
from backsweep.diagnostics import ArgumentError, NotScalarError, Problem
from backsweep.frontend.context.taps import choice
from backsweep.inspect.picture.graph import Graph, graph_of
from backsweep.inspect.recording.backwards import check, go_back
from backsweep.inspect.recording.contributions import Contributions, contributions
from backsweep.inspect.recording.paths import Paths
from backsweep.inspect.recording.recorded import Entry, Recorded, differentiable
from backsweep.inspect.recording.run import run
from backsweep.inspect.recording.table import html_table, table
from backsweep.inspect.recording.variables import Traced, Variable, variables_of
from backsweep.ir.types import Scalar, Tuple
from backsweep.programs.request import type_text
from backsweep.reading.callables import as_function
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.sending.sent import Parts, Sent
from backsweep.specialise.asked import options_of, python_of
from backsweep.specialise.build import Build
from backsweep.specialise.fitting import standing_for
from backsweep.specialise.transformed import Transformed
from backsweep.tracebacks import hiding


@dataclass(frozen=True, eq=False)
class Trace(Traced):
    """One run of a function and its reverse sweep. `print` shows a table of the variables.

    `variables` lists them in the order of the run: arguments, assignments, writes to arrays, the result. `trace["u"]`
    is a tuple of those named `u`; `value` is what the function returned.
    """

    def __getitem__(self, name: str) -> tuple[Variable, ...]:
        """The variables with that name, one per assignment; KeyError if there is none."""
        found = tuple(each for each in self.variables if isinstance(name, str) and each.name == name)
        if not found:
            raise KeyError(name)
        return found

    def table(self, *, loops: int | str = "ends", depth: int | None = None) -> str:
        """The variables as a text table.

        Arguments:
            loops: "ends" shows the first and the last iteration of each loop, "all" every iteration. A number shows
                every iteration of that many nested loops, counted from the outside.
            depth: how many levels of calls to show; the default is all.

        Returns:
            The table: a line for each variable, with its line, value and adjoint.

        Raises:
            ArgumentError: `loops` or `depth` is something else.

        >>> import backsweep as bs
        >>> def square(x):
        ...     y = x * 2.0
        ...     return y * y
        >>> print(bs.trace(square)(3.0).table())
        square at x=3.0
        <BLANKLINE>
        line  variable  value  adjoint
           1  x         3      24
           2  y         6      12
           3  result    36     1
        """
        requests.count_or_none("depth", depth)
        return table(self, loops, depth)

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        """The table, in Jupyter."""
        return html_table(self)

    def contributions(self, name: str) -> Contributions:
        """The terms that add up to the adjoint of a variable.

        Arguments:
            name: a variable. If it was assigned several times, add the number of the assignment: `"s#0"` is the first.

        Returns:
            The terms and their sum; `print` shows them. For a number with few paths to the result there is one term per
            path, the product of the partial derivatives along it. Otherwise there is one term per use of the variable.

        Raises:
            ArgumentError: no variable has that name, or several have.

        >>> import backsweep as bs
        >>> def f(x):
        ...     return x * x + 3.0 * x
        >>> float(bs.trace(f)(2.0).contributions("x").total)
        7.0
        """
        return contributions(self, self.variable(name))

    def variable(self, name: str) -> Variable:
        """The one variable with a name, such as `"s"` or `"s#0"`.

        Raises:
            ArgumentError: no variable has that name, or several have.
        """
        requests.expect("name", name, "the name of a variable", fits=isinstance(name, str))
        base, _, number = name.partition("#")
        found = [each for each in self.variables if each.name == base and each.role != "element"]
        if not found:
            known = list(dict.fromkeys(each.name for each in self.variables if each.role != "element"))
            message = f"`{self.function}` has no variable `{base}` in this run"
            raise ArgumentError(Problem("BS522", message, remedy=choice(base, known)))
        if not number and len(found) > 1:
            message = f"`{base}` was assigned {len(found)} times in this run"
            remedy = f"say which one: `{base}#0` is the first, `{base}#{len(found) - 1}` the last."
            raise ArgumentError(Problem("BS522", message, remedy=remedy))
        if number and (not number.isdigit() or int(number) >= len(found)):
            message = f"`{base}` was assigned {len(found)} times in this run, and `#{number}` is none of them"
            remedy = f"count from `{base}#0` to `{base}#{len(found) - 1}`."
            raise ArgumentError(Problem("BS522", message, remedy=remedy))
        return found[int(number or 0)]

    def graph(
        self, *, fold: str | Sequence[str] = (), depth: int | None = None, loops: int | str = 0
    ) -> Graph:
        """The computation graph of the run, labelled with values, partial derivatives and adjoints.

        Arguments:
            fold: the name of a function, or a tuple of names; each call of it is drawn as one node.
            depth: how many levels of calls are drawn as open boxes; deeper calls are one node each. The default is all.
            loops: how many levels of nested loops are unrolled; other loops are one node each. Of a loop of more than
                eight iterations the first two and the last two are drawn, and those between are one node. "all" draws
                every iteration of every loop.

        Returns:
            A `Graph`: `str` is its DOT text; `svg`, `png` and `html` are pictures; `save` writes any of them.

        Raises:
            ArgumentError: `loops` or `depth` is something else, or the graph has too many nodes.

        >>> import backsweep as bs
        >>> def square(x):
        ...     return x * x
        >>> "6" in str(bs.trace(square)(3.0).graph())
        True
        """
        requests.count_or_none("depth", depth)
        return graph_of(self, requests.names("fold", fold), depth, loops)


@public
def trace(f: Callable[..., Any], *, cotangent: Any = None, **options: Any) -> Callable[..., Trace]:
    """Run a function once and show every variable with its value and its adjoint.

    Arguments:
        f: as for `grad`. All arguments made of floats are differentiated.
        cotangent: the cotangent of the result, with its structure and shape. It is needed if the result is not a
            float.
        options: as for `grad`. The run itself is plain NumPy, not compiled.

    Returns:
        A function with `f`'s signature that returns a `Trace`.

    Raises:
        At the call, what `grad` raises; NotScalarError if the result is not a float and no cotangent is given;
        ArgumentError if the run has too many operations.

    >>> import backsweep as bs
    >>> def neuron(x, w, b):
    ...     u = x * w
    ...     v = u + b
    ...     return max(v, 0.0)
    >>> print(bs.trace(neuron)(3.0, 2.0, 1.0))
    neuron at x=3.0, w=2.0, b=1.0
    <BLANKLINE>
    line  variable  value  adjoint
       1  x         3      2
       1  w         2      3
       1  b         1      1
       2  u         6      1
       3  v         7      1
       4  result    7      1
    """
    return Tracing(as_function(f), cotangent, options)


class Tracing(Sent):
    """What `trace` returns: each call runs the function and its reverse sweep. It can be pickled."""

    only_from_python = (
        "a trace can be made from Python only",
        "trace the whole function, and look at what it calls in the table",
    )
    """Why it cannot be called inside of what is differentiated, and what to write there instead."""

    def __init__(self, function: Callable[..., Any], cotangent: Any, options: dict[str, Any]) -> None:
        self._asked = (function, cotangent, options)
        self._python = python_of(function)
        self._cotangent = cotangent
        build = Build(function, "trace", (), False, False, None, options_of(function, options))
        self._transformed = Transformed(function, build)
        functools.update_wrapper(self, self._python)

    @hiding
    def __call__(self, *args: Any, **kwargs: Any) -> Trace:
        """The trace of a run with these arguments."""
        special, given = self._transformed.special(*args, **kwargs)
        types = special.argument_types(given)
        with compiling, boundary(self._python, types):
            program, active = special.build.traceable(types, check)
        names = inspect.signature(self._python).parameters
        values = dict(zip(names, special.with_defaults(*given.args, **given.kwargs), strict=True))
        recorded = run(program, [values[value.name] for value in program.body.parameters])
        is_list = () in program.listed and isinstance(recorded.result.type, Tuple)
        given_list = is_list and isinstance(self._cotangent, list)
        cotangent = standing_for(self._cotangent) if given_list else self._cotangent
        _check_result(recorded, cotangent)
        with running(
            self._python, types
        ):  # the user's hooks and pullbacks run here, and may raise errors of their own
            seed = 1.0 if cotangent is None else cotangent
            go_back(recorded, seed, active, strong_zeros=special.build.options.strong_zeros)
        with boundary(self._python, types):
            return _traced(recorded)

    def made_from(self) -> Parts:
        """What was asked for."""
        return Tracing, self._asked

    def __repr__(self) -> str:
        return f"<backsweep trace of {self._python.__name__}>"


def _check_result(recorded: Recorded, cotangent: Any) -> None:
    """Raise an error if the result is no float and has no cotangent, or if the cotangent does not fit the result."""
    result = recorded.result
    name = recorded.program.name
    if cotangent is None:
        if not isinstance(result.type, Scalar) or not result.type.dtype.startswith("float"):
            is_list = () in recorded.program.listed and isinstance(result.type, Tuple)
            what = "a list" if is_list else type_text(result.type)[0]
            message = f"`{name}` returns {what}, and a trace needs a float, or a cotangent"
            remedy = "pass a cotangent of the result: bs.trace(f, cotangent=...)(...)."
            raise NotScalarError(Problem("BS401", message, recorded.program.loc, remedy))
        return
    _check_cotangent(result, cotangent)


def _check_cotangent(entry: Entry, cotangent: Any) -> None:
    if entry.items is not None:
        if not isinstance(cotangent, tuple) or len(cotangent) != len(entry.items):
            message = f"the result is a tuple of {len(entry.items)}, and the cotangent is not"
            raise ArgumentError(
                Problem("BS407", message, remedy="give a tuple with a cotangent for each item.")
            )
        for item, part in zip(entry.items, cotangent, strict=True):
            _check_cotangent(item, part)
    elif differentiable(entry) and np.shape(cotangent) != np.shape(entry.value):
        message = (
            f"the result has shape {np.shape(entry.value)}, but the cotangent has shape {np.shape(cotangent)}"
        )
        raise ArgumentError(
            Problem("BS407", message, remedy="give a cotangent with the shape of the result.")
        )


def _traced(recorded: Recorded) -> Trace:
    """The trace of a run."""
    program, paths = recorded.program, Paths()
    found = variables_of(recorded, paths)
    return Trace(
        program.name, program.loc.file, program.loc.line, recorded.result.value, found, recorded, paths
    )
