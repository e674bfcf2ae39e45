"""All problems, by name, in the order of the table."""

from __future__ import annotations

from benchmarks import adbench, finance, linear, named, particles, second, softmax, stencils, weather
from benchmarks.problem import Problem

PROBLEMS: dict[str, Problem] = {
    problem.name: problem
    for family in (adbench, stencils, weather, linear, particles, softmax, finance, second, named)
    for problem in family.PROBLEMS
}
