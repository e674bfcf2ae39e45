"""Variables of a random program that are asked for by name, and what their adjoints are."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.fuzz.complex_run import STEP, Run, complex_arguments, complex_step, names_in, on_complex
from tests.fuzz.program import Program

MOST = 4
"""So many variables are asked for at once."""
SAMPLES = 8
"""So many entries of each adjoint are compared."""
FACTOR = 3.0
"""What the hook from outside multiplies the adjoint with."""
FRESH = (ast.BinOp, ast.Call, ast.UnaryOp)
"""What makes an array in memory of its own, unless it calls one of `VIEWS`."""
VIEWS = ("h3(", "bs.stop_gradient(")

Labels = Mapping[tuple[int, str], str]
Place = tuple[int, ...]


@dataclass(frozen=True)
class Asked:
    """Some assignments of a program: `labels` by line and name; the adjoints of `names` are asked for, that of `hooked`
    is multiplied.
    """

    labels: Labels
    names: tuple[str, ...]
    hooked: str | None


def asked_of(program: Program) -> Asked:
    """Some assignments of floats, chosen by the program's seed."""
    labels = dict(_assignments(program))
    kinds: dict[str, set[bool]] = {}

    def note(label: str, _: Place, value: Any) -> Any:
        kinds.setdefault(label, set()).add(is_float(value))
        return value

    run_through(program, labels, note)
    # What never ran is taken for a float by its name
    floats = {
        key: label for key, label in labels.items() if kinds.get(label, {key[1].startswith("s")}) == {True}
    }
    rng = random.Random(program.seed)
    chosen = rng.sample(sorted(floats), min(len(floats), MOST + 1))
    hooked = floats[chosen.pop()] if len(chosen) > 1 and rng.random() < 0.5 else None
    return Asked(floats, tuple(floats[key] for key in chosen[:MOST]), hooked)


def is_float(value: Any) -> bool:
    """Whether it is a number or an array with an adjoint."""
    return not isinstance(value, tuple | list) and np.asarray(value).dtype.kind in "fc"


def run_through(program: Program, labels: Labels, visit: Any) -> complex:
    """Run the program for complex numbers once; what it returns."""
    function = on_complex(program, Run(visit), labels)
    return complex(function(*complex_arguments(program.args, program.argnums)))


def hooked_gradient(program: Program, asked: Asked) -> Any:
    """The gradient of the arguments, with the hook."""

    def visit(label: str, _: Place, value: Any) -> Any:
        return multiplied(value) if label == asked.hooked else value

    return complex_step(on_complex(program, Run(visit), asked.labels), program.args, program.argnums)[1]


def adjoint(
    program: Program, asked: Asked, label: str
) -> tuple[dict[Place, tuple[int, ...]], dict[Place, float]]:
    """The shapes that a variable had in each iteration that assigned it, and some entries of its adjoint."""
    shapes: dict[Place, tuple[int, ...]] = {}

    def note(met: str, place: Place, value: Any) -> Any:
        if met == label:
            shapes[place] = np.shape(value)
        return value

    run_through(program, asked.labels, note)
    every = [(place, entry) for place, shape in shapes.items() for entry in np.ndindex(shape)]
    chosen = random.Random(program.seed).sample(every, min(len(every), SAMPLES))
    return shapes, {
        (*place, *entry): _derivative(program, asked, label, place, entry) for place, entry in chosen
    }


def _derivative(program: Program, asked: Asked, label: str, place: Place, entry: Place) -> float:
    """The derivative by one entry of a variable, in one iteration."""

    def visit(met: str, now: Place, value: Any) -> Any:
        if met == asked.hooked:
            value = multiplied(value)
        if (met, now) != (label, place):
            return value
        if not entry and not np.shape(value):
            return value + STEP * 1j
        changed = value if value.dtype.kind == "c" else value.astype(complex)
        changed[entry] += STEP * 1j  # in place: other names of the memory see it
        return changed

    return run_through(program, asked.labels, visit).imag / STEP


def multiplied(value: Any) -> Any:
    """What a hook that multiplies the adjoint makes of a number or, in place, of an array."""
    if np.ndim(value) and value.dtype.kind == "c":
        value.imag *= FACTOR
        return value
    return value.real + 1j * FACTOR * value.imag


def _assignments(program: Program) -> Iterator[tuple[tuple[int, str], str]]:
    """The assignments that a label can stand for, by line and name: no others of one name have the same line."""
    tree = ast.parse(program.text)
    whole = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "program")
    found = list(_within(whole.body))
    bound = [
        node.id for node in ast.walk(whole) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    for line, name in found:
        alone = bound.count(name) == 1 and name not in program.parameters and line % 2 == 0
        yield (line, name), name if alone else f"{name}@{line}"


def _within(body: list[ast.stmt]) -> Iterator[tuple[int, str]]:
    """The assignments in a block; none of inner functions, nor of loops over tuples, which have no iterations."""
    for node in body:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                text = ast.unparse(value)
                if isinstance(value, FRESH) and not text.startswith(VIEWS):
                    yield node.lineno, name
            case ast.AugAssign(target=ast.Name(id=name)):
                yield node.lineno, name
            case ast.Assign(targets=[ast.Tuple()] as targets, value=ast.Call()):
                yield from ((node.lineno, name) for name in names_in(targets))
            case ast.If():
                yield from (*_within(node.body), *_within(node.orelse))
            case ast.While() | ast.With():
                yield from _within(node.body)
            case ast.For() if isinstance(node.iter, ast.Call):
                yield from _within(node.body)
            case _:
                pass
