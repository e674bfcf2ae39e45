"""Variables that `wrt` asks for by name: lowering puts a tap where the program assigns such a variable."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backsweep.diagnostics import ArgumentError, Loc, Problem


@dataclass(slots=True, eq=False)
class Taps:
    """The `labels` of the variables to tap, the labels `found` in the program, and the lines of each variable `seen`.

    `hooks` are functions that see the adjoints of some variables, one after the other. A label is `u`, `u@14` for the
    assignment in line 14, or `cell.u` for the variable `u` of a called function `cell`.
    """

    labels: tuple[str, ...] = ()
    hooks: Mapping[str, Sequence[Callable[..., Any]]] = field(default_factory=dict)
    every: bool = False
    """Whether to tap all variables; then a variable whose value lowering knows keeps that value."""
    found: set[str] = field(default_factory=set)
    seen: dict[str, list[int]] = field(default_factory=dict)

    @property
    def asks(self) -> bool:
        """Whether any variable is to be tapped."""
        return self.every or bool(self.labels)

    def begin(self) -> None:
        """Forget what an earlier round of lowering found."""
        self.found.clear()
        self.seen.clear()

    def label_of(self, function: str, name: str, loc: Loc) -> str | None:
        """The label that asks for the assignment to `name` at `loc`, or None; `function` is "" in the differentiated function."""
        shown = f"{function}.{name}" if function else name
        lines = self.seen.setdefault(shown, [])
        if loc.line not in lines:
            lines.append(loc.line)
        if self.every:
            return shown
        for label in self.labels:
            if label in (shown, f"{shown}@{loc.line}"):
                self.found.add(label)
                return label
        return None

    def check(self, called: str, place: Loc, arguments: Sequence[str]) -> None:
        """Raise ArgumentError for a label that matches no assignment."""
        problems = [
            problem for label in self.labels if (problem := self._problem(label, called, place, arguments))
        ]
        if problems:
            raise ArgumentError(problems)

    def _problem(self, label: str, called: str, place: Loc, arguments: Sequence[str]) -> Problem | None:
        if label in self.found:
            return None
        name = label.split("@", maxsplit=1)[0]
        if name in self.seen:
            lines = " or ".join(f"{name}@{line}" for line in self.seen[name])
            return Problem(
                "BS404", f"`{called}` does not assign `{name}` in that line", place, f"write {lines}."
            )
        if label in arguments:  # as what to differentiate by it would need no tap
            message = f"`{label}` is an argument of `{called}`, and return_intermediates takes variables only"
            return Problem("BS404", message, place, "leave it out: you know its value.")
        remedy = choice(label, [*arguments, *self.seen])
        if "." in label and label.split(".", maxsplit=1)[0] in ("self", *arguments):
            remedy = "of an argument, fields that hold floats can be named. The object of a bound method is a constant: differentiate"
            remedy += ' the method of the class, as in bs.grad(Spring.energy, wrt="self.k")(spring, x).'
        return Problem("BS404", f"`{called}` has no argument or variable `{label}`", place, remedy)


def field_of(label: str) -> str:
    """The namedtuple field for a label: `u_14` for `u@14`."""
    return re.sub(r"\W", "_", label)


def choice(name: str, known: Sequence[str]) -> str:
    """The remedy for an unknown name."""
    near = difflib.get_close_matches(name, known, n=1)
    meant = f"did you mean `{near[0]}`? " if near else ""
    return f"{meant}choose from {', '.join(known) or 'none: it has no arguments'}."
