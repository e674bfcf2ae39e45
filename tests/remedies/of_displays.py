"""Remedies of refused traces, graphs and explanations: what to ask for instead, and what it shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import backsweep as bs
from tests.remedies import answers

ONES = np.ones(3)


def square(x):
    return x * x


def doubled(x):
    return 2.0 * x


def total_of_one(x):
    u = x * x
    return u * x


@answers("trace_of_a_number", 9.0)
def trace_called() -> Any:
    return bs.trace(square)(3.0).value


@answers("explain_of_a_plain_function", True)
def explain_of_a_gradient() -> Any:
    return "square" in str(bs.explain(bs.grad(square), 2.0)) and "square" in str(
        bs.explain(bs.value_and_grad(square), 2.0)
    )


@answers("graph_file_ending", True)
@answers("graph_without_graphviz", True)
def graph_as_a_page() -> Any:
    graph = bs.trace(square)(3.0).graph()
    graph.save("graph.html")
    graph.save("graph.dot")
    return "<" in Path("graph.html").read_text() and "digraph" in Path("graph.dot").read_text()


def repeated_power(x, n):
    y = x
    for _ in range(n):
        y = y * x
    return y


@answers("graph_too_large", True)
def folded_graph() -> Any:
    return len(bs.trace(repeated_power)(1.0, 6000).graph(loops=0, depth=1).edges) < 20


@answers("nothing_to_show", True)
def source_for_arguments() -> Any:
    slope = bs.grad(square, jit=False)
    shown = slope.source(1.0)
    slope(1.0)
    return shown == slope.source()


@answers("trace_of_an_array", [2.0, 4.0])
def trace_with_a_cotangent() -> Any:
    return bs.trace(doubled, cotangent=np.array([1.0, 2.0]))(np.ones(2)).variable("x").adjoint


@answers("trace_of_large_numbers", 7.0)
def trace_of_smaller_numbers() -> Any:
    return bs.trace(lambda x, seed: x * (seed % 10))(0.5, 7).variable("x").adjoint


def running(x):
    y = x.copy()
    for i in range(1, len(y)):
        last = y[i] * y[i - 1]
        y[i] = last
    return np.sum(y)


@answers("trace_of_memory", 1.0)
def contributions_of_what_is_stored() -> Any:
    return bs.trace(running)(ONES).contributions("last#1").total


@answers("trace_of_several_times", 4.0)
def one_of_several() -> Any:
    return bs.trace(repeated_power)(2.0, 2).contributions("y#0").total


@answers("trace_table_form", True)
def forms_of_tables() -> Any:
    trace = bs.trace(repeated_power)(2.0, 2)
    return all("adjoint" in trace.table(loops=each) for each in ("ends", "all", 1))


@answers("trace_too_long", 2.0)
def trace_with_fewer_iterations() -> Any:
    return bs.trace(repeated_power)(1.0, 1).contributions("x").total


@answers("trace_without_variable", 1.0)
def variable_that_it_has() -> Any:
    return bs.trace(total_of_one)(1.0).contributions("u").total


@answers("unknown_form", True)
def forms_of_text() -> Any:
    return all("square_grad" in bs.grad(square).source(1.0, optimize=each) for each in ("loops", "readable"))
