"""What `jvp` runs: check that the tangents fit the arguments, then call the emitted tangent function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from backsweep.boundary import boundary, running
from backsweep.diagnostics import ArgumentError, Problem, naming_nan
from backsweep.dispatch.dispatchers import Specialising
from backsweep.reading.functions import read_source
from backsweep.specialise.arguments import (
    IndirectArgumentError,
    check_direct,
    given_for,
    naming_overlap,
    restorer,
)
from backsweep.specialise.asked import bound_to
from backsweep.specialise.fitting import TANGENT, described, fitted, form_of
from backsweep.specialise.transformed import Transformed
from backsweep.specialise.variants import Variants, runner
from backsweep.typing.infer import tangent_type

PLAIN = "dfDFlqi?"
"""Dtype characters of arrays that Numba takes without conversion."""


def check_tuples(*given: object) -> None:
    """Raise ArgumentError unless these are primals and tangents: two tuples."""
    if len(given) != 2:
        message = f"forward mode takes two tuples, `primals` and `tangents`, and got {len(given)} arguments"
        remedy = "write ((x, y), (x_dot, y_dot)): the arguments of the function, and a tangent for each."
        raise ArgumentError(Problem("BS410", message, remedy=remedy))
    for name, each in zip(("primals", "tangents"), given, strict=True):
        if not isinstance(each, tuple | list):
            message = f"`{name}` must be a tuple, not {described(each)}"
            if each is None:
                message = f"`{name}`, a tuple, is left out"
            raise ArgumentError(Problem("BS410", message, remedy=f"write ({name[:-1]},) for a single item."))


def check_moved(function: Callable[..., Any], names: Sequence[str]) -> None:
    """Raise ArgumentError for the name of a variable: its tangent follows from those of the arguments."""
    parameters = list(inspect.signature(function).parameters)
    for name in names:
        if name not in parameters:
            source = read_source(function)
            message = f"`{name}` is no argument of `{source.name}`, and forward mode takes arguments only"
            remedy = f"write a function of `{name}` that does what follows the assignment, or choose from {', '.join(parameters)}."
            raise ArgumentError(Problem("BS404", message, source.loc(source.node), remedy))


def pushed_forward(transformed: Transformed, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """Run the emitted tangent function: `(y, y_dot)`, or the product alone if the function is a gradient (`hvp`)."""
    transformed.refresh()
    together = transformed.companion(Together)
    if together.take(primals, tangents):
        try:
            with naming_overlap(transformed, primals, {}):
                return together.dispatcher(*primals, *tangents)
        except IndirectArgumentError:
            pass
    wrt = transformed.build.wrt
    bound_to(
        transformed.python, primals, {}
    )  # refuses a call that does not fit before its tangents are counted
    if len(tangents) != len(wrt):
        message = f"there are {len(tangents)} tangents for {len(wrt)} arguments: {', '.join(wrt)}"
        remedy = "give one tangent for each of these, or choose the arguments with wrt."
        if not wrt:
            message = f"there are {len(tangents)} tangents, and no argument that is made of floats"
            remedy = "pass floats (1.0 instead of 1) or arrays of floats."
        raise ArgumentError(Problem("BS410", message, remedy=remedy))
    special, given = transformed.special(*primals)
    emitted = special.emitted_for(given.args, given.kwargs)
    values = tuple(given_for("", value)[1] for value in special.with_defaults(*given.args, **given.kwargs))
    options = special.build.options
    run = runner(emitted, 0, options)
    with boundary(special.python):
        moved = [form_of(given.arguments[name]) for name in wrt]
        dots = [
            fitted(dot, form, f"of `{name}`", TANGENT)
            for name, form, dot in zip(wrt, moved, tangents, strict=True)
        ]
    with running(special.python), naming_nan(), naming_overlap(special, given.args, given.kwargs):
        found = run(*values, *dots)
    return like_the_gradient(special, found)


def like_the_gradient(transformed: Transformed, found: Any) -> Any:
    """A product with the Hessian in the structure of the gradient; any other result unchanged."""
    build, gradient = transformed.build, transformed.function
    if build.mode != "hvp" or not isinstance(gradient, Transformed):
        return found
    restore = restorer(build.forms, build.wrt, single=gradient.build.single)
    if restore is None:
        return found
    return (restore(found[0]), *found[1:]) if build.has_aux else restore(found)


class Together:
    """A fast path: call the emitted tangent with primals and tangents that need no conversion, at the cost of Numba's own call."""

    def __init__(self, transformed: Transformed) -> None:
        self.transformed = transformed
        parameters = transformed.parameters
        self.count = len(parameters) if transformed.is_direct and not transformed.takes_any_number else -1
        wrt = transformed.build.wrt
        self.moved = [k for name in wrt for k, parameter in enumerate(parameters) if parameter.name == name]
        self.python = _function_of(self.count + len(self.moved))
        self.dispatcher = Variants(self, Specialising(self))

    check_direct = staticmethod(check_direct)

    def take(self, primals: tuple[Any, ...], tangents: tuple[Any, ...]) -> bool:
        """Whether all primals are numbers and arrays, and each tangent has the type, shape and layout that it must have."""
        if len(primals) != self.count or len(tangents) != len(self.moved):
            return False
        for value in primals:
            if type(value) is np.ndarray:
                if value.dtype.char not in PLAIN:
                    return False
            elif type(value) not in (float, int, bool, complex):
                return False
        return all(_fits(primals[k], dot) for k, dot in zip(self.moved, tangents, strict=True))

    def dispatcher_for(self, arguments: tuple[Any, ...]) -> Any:
        """The dispatcher of the code for these types of primals and tangents."""
        return self.transformed.dispatcher_for(self.primals_of(arguments))

    def dispatcher_seeing(self, arguments: tuple[Any, ...], given: Sequence[Any]) -> Any:
        """The dispatcher of the code for a call with these primals and tangents."""
        return self.transformed.dispatcher_seeing(self.primals_of(arguments), given[: self.count])

    def progress(self, arguments: tuple[Any, ...]) -> AbstractContextManager[None]:
        """A context that tells the user of a long compilation."""
        return self.transformed.progress(arguments[: self.count])

    def primals_of(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The types of the primals; raises IndirectArgumentError unless the tangents have the types of these."""
        primals, dots = arguments[: self.count], arguments[self.count :]
        if dots != tuple(tangent_type(primals[k]) for k in self.moved):
            raise IndirectArgumentError
        return primals

    def assumed(self, error: ValueError) -> bool:
        """Whether the error says that a call does not meet what the code for its types assumes."""
        return self.transformed.assumed(error)


def _fits(primal: Any, dot: Any) -> bool:
    """Whether a tangent needs no conversion."""
    if type(primal) is not np.ndarray:
        return type(primal) is type(dot) and type(primal) in (float, complex)
    return (
        type(dot) is np.ndarray
        and dot.dtype is primal.dtype
        and dot.shape == primal.shape
        and bool(dot.flags.carray)
    )


def _function_of(count: int) -> Any:
    """A function of `count` arguments; a dispatcher reads its signature and never runs it."""

    def pushed(*_: Any) -> None:
        """Give the dispatcher a signature. Nothing runs this: the code comes from the dispatcher's owner."""

    kind = inspect.Parameter.POSITIONAL_ONLY
    parameters = [inspect.Parameter(f"argument_{k}", kind) for k in range(count)]
    vars(pushed)["__signature__"] = inspect.Signature(parameters)
    return pushed
