"""One form of one kernel in a process of its own: agreement first, then times; prints a row as JSON."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np

import backsweep as bs
from benchmarks.arrays.catalogue import KERNELS
from benchmarks.arrays.kernel import Kernel
from benchmarks.measure import least_times
from benchmarks.problem import agree, directional, flat


def square(x):
    return x * x


def first_call(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[float, Any]:
    """Processor seconds of the first call beyond those of the second, which is compiled; and its result."""
    began = time.process_time()
    result = function(*args)
    first = time.process_time() - began
    began = time.process_time()
    function(*args)
    return first - (time.process_time() - began), result


def reached(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """The function and the compiled helpers that its text names, and theirs."""
    found = [function]
    for each in found:
        names = (each.__globals__.get(name) for name in each.__code__.co_names)
        helpers = [value.py_func for value in names if hasattr(value, "py_func")]
        found.extend(helper for helper in helpers if helper not in found)
    return found


def statements(function: Callable[..., Any]) -> int:
    """How many statements the function and its helpers have."""
    texts = [textwrap.dedent(inspect.getsource(each)) for each in reached(function)]
    return sum(isinstance(node, ast.stmt) for text in texts for node in ast.walk(ast.parse(text)))


def lines(text: str) -> int:
    """How many lines of a text are code."""
    return sum(bool(line.strip()) and not line.strip().startswith("#") for line in text.splitlines())


def check_along_differences(kernel: Kernel, primal: Callable[..., Any], gradient: Callable[..., Any]) -> None:
    """Compare the gradient of the tiny instance along random directions with differences. Raises AssertionError."""
    args = kernel.arguments("tiny")
    value, gradients = gradient(*args)
    agree(value, primal(*args), "the value, tiny")
    rng = np.random.default_rng(1)
    for _ in range(3):
        directions = {k: rng.normal(size=np.shape(args[k])) for k in kernel.argnums}

        def moved(step: float, along: dict[int, Any] = directions) -> float:
            return float(
                primal(*(arg + step * along[k] if k in along else arg for k, arg in enumerate(args)))
            )

        expected, error = directional(moved, step=1e-3)
        exact = float(flat(gradients) @ flat(tuple(directions.values())))
        agree(exact, expected, "differences, tiny", 1e-6 * abs(expected) + 10.0 * error)


def row(
    name: str, form: str, size: str, known: str, peers: list[str], threads: int, *, timed: bool
) -> dict[str, Any]:
    """Check and measure. The file `known` keeps the gradient of the form that ran first, for the others to agree with.

    With more than one thread, Numba runs both the primal and the gradient with `parallel=True`.
    """
    kernel = KERNELS[name]
    function = kernel.forms[form]
    args = kernel.arguments(size)
    options = {"parallel": True} if threads > 1 else {}
    primal = numba.njit(**options)(function)
    gradient = bs.value_and_grad(function, argnums=kernel.argnums, **options)
    first_call(numba.njit(square), (1.0,))
    first_call(bs.value_and_grad(square), (1.0,))
    primal_compile, value = first_call(primal, args)
    gradient_compile, (found, gradients) = first_call(gradient, args)
    agree(found, value, "the value")
    whole = flat(gradients)
    assert np.all(np.isfinite(whole)), "the gradient is not finite"
    first = Path(known)
    if first.exists():
        agree(whole, np.load(first), "the gradient of the other forms")
    check_along_differences(kernel, primal, gradient)
    if not first.exists():
        np.save(first, whole)
    beside, compiled = [], {}
    for peer in peers:
        own = importlib.import_module(f"benchmarks.arrays.{peer}_peer").value_and_grad(kernel, args)
        if own is not None:
            compiled[peer], (value, derivative) = first_call(own, args)
            agree(float(value), found, f"{peer}: the value")
            agree(flat(tuple(np.asarray(part) for part in derivative)), whole, f"{peer}: the gradient")
            beside.append(own)
    if not timed:
        return {"name": name, "form": form, "agrees": ["differences", *compiled]}
    times = least_times([primal, gradient, *beside], args)
    text = gradient.source(*args)
    return {
        "name": name,
        "form": form,
        "primal": times[0],
        "gradient": times[1],
        "ratio": times[1] / times[0],
        "primal_compile": primal_compile,
        "gradient_compile": gradient_compile,
        "compile_ratio": gradient_compile / primal_compile,
        "lines": lines(text),
        "statements": statements(function),
        "records": gradient.explain(*args).bytes,
        "peers": dict(zip(compiled, times[2:], strict=True)),
        "peers_compile": compiled,
    }


if __name__ == "__main__":
    print(json.dumps(row(**json.loads(sys.argv[1]))))
