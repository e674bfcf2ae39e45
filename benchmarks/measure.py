"""Times, bytes and compilations of one problem."""

from __future__ import annotations

import ast
import gc
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba

from benchmarks.problem import Problem, check

TAPE = re.compile(r"_tape(_\d+)?$")
LEAST_TIME, LEAST_CALLS = 1.0, 5
"""Each function is called at least so often and for so many seconds; the least time counts."""


def least_times(functions: list[Callable[..., Any]], args: tuple[Any, ...]) -> list[float]:
    """The least time of a call of each function, in seconds, the calls taking turns: noise strikes all alike."""
    for function in functions:
        function(*args)
    best = [math.inf] * len(functions)
    gc.disable()
    try:
        began, rounds = time.perf_counter(), 0
        while rounds < LEAST_CALLS or time.perf_counter() - began < LEAST_TIME * len(functions):
            for k, function in enumerate(functions):
                start = time.perf_counter()
                function(*args)
                best[k] = min(best[k], time.perf_counter() - start)
            rounds += 1
    finally:
        gc.enable()
    return best


class _Weigher(ast.NodeTransformer):
    """Makes an emitted function return the bytes of its tapes instead of its result."""

    def __init__(self) -> None:
        self.tapes: dict[str, None] = {}

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        for target in node.targets:
            if isinstance(target, ast.Name) and TAPE.search(target.id):
                self.tapes[target.id] = None
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        weighed = " + ".join(f"{name}.nbytes" for name in self.tapes) or "0"
        return ast.copy_location(ast.parse(f"return {weighed}").body[0], node)


def tape_bytes(source: str, args: tuple[Any, ...]) -> int:
    """The bytes that the emitted function's tapes hold for these arguments: it is run, and its tapes are asked."""
    weigher = _Weigher()
    tree = ast.fix_missing_locations(weigher.visit(ast.parse(source)))
    if not weigher.tapes:
        return 0
    names: dict[str, Any] = {"__name__": "weighed"}
    exec(compile(tree, "<weighed>", "exec"), names)  # our own emitted text
    function = next(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    return int(numba.njit(error_model="numpy")(names[function])(*args))


def compile_times(name: str) -> tuple[float, float]:
    """Seconds until the gradient's first result in a new process: with empty caches, and with what that left."""
    with tempfile.TemporaryDirectory() as home:
        places = {"BACKSWEEP_CACHE_DIR": f"{home}/emitted", "NUMBA_CACHE_DIR": f"{home}/numba"}
        root = str(Path(__file__).parents[1])
        command = [sys.executable, "-m", "benchmarks.first_call", name]
        cold, warm = (
            float(
                subprocess.run(
                    command,
                    cwd=root,
                    env={**os.environ, **places},
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout
            )
            for _ in range(2)
        )
    return cold, warm


def measure(problem: Problem, size: str) -> dict[str, Any]:
    """One row of the table: checked first, then timed."""
    args = problem.instance(size)
    transformed = problem.transformed()
    derivative = problem.own_derivative or transformed
    checked = check(problem, derivative, size)
    functions = [problem.primal, derivative, *([problem.hand] if problem.hand else [])]
    primal, gradient, *hand = least_times(functions, args)
    given = problem.gradient_args(args)
    cold, warm = compile_times(problem.name)
    return {
        "name": problem.name,
        "primal": primal,
        "gradient": gradient,
        "ratio": gradient / primal,
        "hand": hand[0] if hand else None,
        "tape": tape_bytes(transformed.source(*given), given),
        "cold": cold,
        "warm": warm,
        "checked": checked,
    }
