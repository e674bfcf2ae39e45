"""Which programs a mode asks for, and the names of their functions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from backsweep.interprocedural.summaries import draws, without_prints
from backsweep.ir.nodes import Apply, Block, Function, Value
from backsweep.ir.typed import type_of
from backsweep.ir.types import FLOAT, Tuple
from backsweep.ir.walk import renewed, with_body
from backsweep.pipeline.passes import Stages, run
from backsweep.pipeline.primal import AGAIN
from backsweep.programs import sweeps
from backsweep.programs.jacobians import jacobian
from backsweep.programs.products import pullbacks, pushforwards
from backsweep.programs.request import JACOBIANS, WITHOUT_VALUE, Request


def pass_for(mode: str) -> Callable[..., list[Function]]:
    """The function that derives the programs of a mode from a typed primal."""
    writing = _writing(mode)

    def derived(
        primal: Function, request: Request, arguments: Sequence[Any], stages: Stages
    ) -> list[Function]:
        sided = run(AGAIN, primal, [])
        if sided is primal or mode in ("batch", "value"):
            pass
        elif mode in WITHOUT_VALUE and not request.has_aux and not request.values:
            primal = sided
        elif not request.values and not draws(primal):
            primal, request = _beside(sided, primal), dataclasses.replace(request, apart=True)
        return writing(primal, request, arguments, stages)

    return derived


def _beside(differentiated: Function, valued: Function) -> Function:
    """The program that returns the result of one, which is differentiated, and that of the other, which is the value, in a pair."""
    value = renewed(dataclasses.replace(without_prints(valued).body, parameters=()))
    results = (*differentiated.body.yields, *value.yields)
    pair = Value("", Tuple(tuple(type_of(each) or FLOAT for each in results)), valued.loc)
    nodes = (*differentiated.body.nodes, *value.nodes, Apply(pair, tuple, results, valued.loc))
    return with_body(valued, Block(differentiated.body.parameters, nodes, (pair,)))


def _writing(mode: str) -> Callable[..., list[Function]]:
    if mode in JACOBIANS:
        return jacobian
    if mode in ("jvp", "hvp"):
        return sweeps.tangent
    others = {
        "pushforwards": pushforwards,
        "pullbacks": pullbacks,
        "batch": sweeps.value,
        "value": sweeps.value,
    }
    return others.get(mode, sweeps.adjoint)


def title(mode: str) -> str:
    """What the code of a mode computes, for the first line of its module."""
    if mode in ("jacobian", "jacrev", "jacfwd"):
        return "Jacobian"
    words = {
        "jvp": "Tangent",
        "hvp": "Product with the Hessian",
        "hessian": "Hessian",
        "pushforwards": "Tangents",
        "pullbacks": "Adjoints",
        "batch": "Batch",
        "value": "Value",
    }
    return words.get(mode, "Adjoint")


def function_names(name: str, mode: str) -> tuple[str, ...]:
    """The names of the functions that are emitted for a mode."""
    if mode == "vjp":
        return (f"{name}_forward", f"{name}_pullback")
    return (f"{name}_{mode}",)
