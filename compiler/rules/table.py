"""The table of rules for the documentation: `python -m backsweep.rules.table > docs/rules.md`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from backsweep.prelude.declare import ROOMS, every_meaning
from backsweep.rules import REGISTRY, Constant, Rule
from backsweep.rules.declare import READ_LATE, read_late

HEAD = """# Derivative rules

Written by `python -m backsweep.rules.table` from the declarations in `compiler/rules/`; do not edit.

Each row is one rule: its functions, the primal, and the adjoint of each operand (0: always zero; –: not
differentiated). Rules leave it to the compiler to sum adjoints over broadcast axes, to accumulate them and to convert
them to the operand's type. The last table has points where the derivative does not exist, or where a formula easily
gives nan. The adjoints there are declared: finite if there is a subgradient, and split evenly at ties.
"""


def main() -> None:
    """Print the page."""
    print(render(), end="")


def render() -> str:
    """The page, the same bytes in any process."""
    read_late(every=True)
    return "\n".join([HEAD, *_rules(), "", *_meanings(), "", *_constants(), "", *_edges(), ""])


def _declared() -> list[Rule | Constant]:
    """All declarations; those of families that are read late stand last, in whatever order they were read."""
    places = {family: place for place, family in enumerate(READ_LATE, 1)}
    return sorted(
        REGISTRY,
        key=lambda each: places.get(each.function.__module__, 0) if isinstance(each, Rule) else 0,
    )


def _rules() -> Iterator[str]:
    """The table of the rules, a part for each family."""
    family = ""
    for declaration in _declared():
        if not isinstance(declaration, Rule) or not declaration.is_own:
            continue
        module = declaration.function.__module__.rpartition(".")[2]
        if module != family:
            family = module
            yield f"\n## {family.capitalize().replace('_', ' ')}\n"
            yield "| functions | meaning | primal | adjoints |"
            yield "| --- | --- | --- | --- |"
        cells = [
            _functions(declaration),
            " ".join(declaration.doc.split()),
            _primal(declaration),
            _adjoints(declaration),
        ]
        yield _row(cells)


def _meanings() -> Iterator[str]:
    """The table of functions that are said in terms of others."""
    yield "## In terms of other functions\n"
    yield "Of these `compiler/prelude/` says what they mean; their derivatives are those of its text. Options that it does not know are refused."
    yield ""
    yield "| functions | meaning |"
    yield "| --- | --- |"
    for function, meaning in sorted(every_meaning().items(), key=lambda pair: spelled(pair[0])):
        text = meaning.func if isinstance(meaning, partial) else meaning
        yield _row([f"`{spelled(function)}`", " ".join((text.__doc__ or "").split())])


def _constants() -> Iterator[str]:
    """The table of functions whose results carry no derivative."""
    yield "## Without derivative\n"
    yield "| functions | meaning |"
    yield "| --- | --- |"
    for declaration in _declared():
        if isinstance(declaration, Constant) and declaration.is_own:
            yield _row([_functions(declaration), " ".join(declaration.doc.split())])


def _edges() -> Iterator[str]:
    """The table of nonsmooth points with their declared answers, for a cotangent of one."""
    yield "## Nonsmooth points\n"
    yield "| function | at | adjoints |"
    yield "| --- | --- | --- |"
    for declaration in _declared():
        for edge in declaration.edges if isinstance(declaration, Rule) else ():
            answers = ["–" if adjoint is None else _number(adjoint) for adjoint in edge.adjoints]
            points = [_number(operand) for operand in edge.operands]
            yield _row([f"`{spelled(declaration.functions[0])}`", ", ".join(points), ", ".join(answers)])


def _row(cells: list[str]) -> str:
    """One line of a table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _functions(declaration: Rule | Constant) -> str:
    """The names of the functions that a declaration stands for."""
    return ", ".join(f"`{name}`" for name in dict.fromkeys(map(spelled, declaration.functions)))


def _primal(rule: Rule) -> str:
    """The primal, with what the operands must be for the rule to be chosen."""
    text = f"`{', '.join(rule.results)} = {ast.unparse(rule.primal)}`"
    conditions = [
        f"`{rule.parameters[place]}` = {choice}"
        if not callable(choice)
        else f"`{rule.parameters[place]}` a literal"
        for place, choice in rule.literals.items()
    ]
    if rule.ndim is not None:
        wanted = zip(rule.parameters, rule.ndim, strict=False)
        conditions += [f"`{name}` {ndim}-D" for name, ndim in wanted if ndim is not None]
    return f"{text}, {', '.join(conditions)}" if conditions else text


def _adjoints(rule: Rule) -> str:
    """The adjoint of each parameter."""
    parts = []
    for name, adjoint in zip(rule.differentiated, rule.adjoints, strict=True):
        if rule.parameters.index(name) in rule.literals:
            continue
        parts.append(f"`{name}_bar = {ast.unparse(adjoint)}`" if adjoint is not None else f"`{name}_bar` = 0")
    return "<br>".join(parts)


def _number(value: Any) -> str:
    """A number or array as the page shows it."""
    return str(value.tolist()) if isinstance(value, np.ndarray) else f"{value:g}"


def spelled(function: Any) -> str:
    """How the function is written in a program: `math.sin`, `np.linalg.solve`, `operator.add`, `abs`."""
    name: str = function.__name__
    for kind in (np.ndarray, np.ufunc, np.random.Generator):
        if getattr(kind, name, None) is function:
            return f"np.{'random.' if kind is np.random.Generator else ''}{kind.__name__}.{name}"
    for prefix in ("scipy.special", *(each for each in ROOMS if each != "numpy.random")):
        if getattr(sys.modules.get(prefix), name, None) is function:
            return f"{prefix}.{name}"
    for prefix, module in (("np.linalg", np.linalg), ("np.random", np.random), ("np", np)):
        if getattr(module, name, None) == function:
            return f"{prefix}.{name}"
    owner = getattr(function, "__self__", None)  # as of `itertools.chain.from_iterable`
    if isinstance(owner, type):
        return f"{spelled(owner)}.{name}"
    home = (getattr(function, "__module__", None) or "").lstrip("_")
    is_public = home != "builtins" and getattr(sys.modules.get(home), name, None) is function
    if not is_public or home.startswith("backsweep"):
        return name
    return f"{home}.{name}".replace("numpy.", "np.", 1)


if __name__ == "__main__":
    main()
