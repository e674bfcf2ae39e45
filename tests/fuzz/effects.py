"""Random programs whose expressions have effects where Python comes to them on some paths only.

Variables are assigned, lists and arrays changed, and inner functions change what is around them: in arms of conditional
expressions, in operands of `and`, `or` and chained comparisons, in conditions of loops and assertions, in arguments.
"""

from __future__ import annotations

import random
import zlib

import numpy as np

from tests.fuzz.program import Line, Program, Statement, Suite

EFFECTS = "effects"
"""The name of the family."""
VARIABLES = ("w", "s", "t", "u")
INNER = """
def bump(v):
    nonlocal s
    s = s * 0.5 + v
    return s

def keep(k, v):
    seen[k] += v
    return seen[k] * 0.5

def add(v):
    items.append(v)
    return v + items[0]

def take():
    return items.pop() if len(items) > 1 else items[0]
"""


class Effects:
    """One program, drawn with these random numbers."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.loops = 0

    def number(self, depth: int) -> str:
        """An expression for a number."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.15:
            return rng.choice(
                [*VARIABLES, "x", "y", f"a[{rng.randrange(3)}]", f"{rng.uniform(0.2, 1.4):.2f}"]
            )
        inner = depth - 1
        match rng.randrange(11):
            case 0 | 1:
                return f"({self.number(inner)} {rng.choice('+-*')} {self.number(inner)})"
            case 2:
                return f"math.sin({self.number(inner)})"
            case 3 | 4:
                return f"({rng.choice(VARIABLES)} := math.sin({self.number(inner)}))"
            case 5 | 6:
                return f"({self.number(inner)} if {self.truth(inner)} else {self.number(inner)})"
            case 7:
                return f"bump(math.sin({self.number(inner)}))"
            case 8:
                return f"keep({rng.randrange(3)}, math.sin({self.number(inner)}))"
            case 9:
                return f"add(math.sin({self.number(inner)}))" if rng.random() < 0.6 else "take()"
            case _:
                return f"max({self.number(inner)}, {self.number(inner)})"

    def truth(self, depth: int) -> str:
        """An expression for a condition."""
        rng, inner = self.rng, depth - 1
        match rng.randrange(6 if depth > 0 else 1):
            case 0 | 1:
                return f"{self.number(inner)} {rng.choice('<>')} {self.number(inner)}"
            case 2:
                return f"{self.number(inner)} < {self.number(inner)} < {self.number(inner)}"
            case 3:
                return f"({self.truth(inner)} and {self.truth(inner)})"
            case 4:
                return f"({self.truth(inner)} or {self.truth(inner)})"
            case _:
                return f"not ({self.truth(inner)})"

    def statement(self, depth: int) -> Statement:
        """A statement, with others in it."""
        rng = self.rng
        match rng.randrange(8 if depth > 0 else 4):
            case 0 | 1:
                return Line(
                    f"{rng.choice(VARIABLES)} {rng.choice(['=', '=', '+='])} math.sin({self.number(3)})"
                )
            case 2:
                return Line(f"seen[{rng.randrange(3)}] = {self.number(2)} * 0.5")
            case 3:
                return Line(f"assert {self.truth(2)} or {self.truth(1)} or x > -100.0")
            case 4 | 5:
                arms = [(f"if {self.truth(2)}:", self.block(depth - 1))]
                if rng.random() < 0.4:
                    arms.append((f"elif {self.truth(2)}:", self.block(depth - 1)))
                if rng.random() < 0.6:
                    arms.append(("else:", self.block(depth - 1)))
                return Suite(tuple(arms))
            case 6:
                return Suite(
                    (
                        (
                            f"for v in a[:{rng.randint(1, 3)}]:",
                            (Line("t = t * 0.5 + v"), *self.block(depth - 1)),
                        ),
                    )
                )
            case _:
                self.loops += 1
                count = f"n{self.loops}"
                test = f"while ({count} := {count} + 1) < {rng.randint(2, 4)} and {self.truth(1)}:"
                first = Line(f"{count} = 0", keep=True)
                return Suite((("if True:", (first, Suite(((test, self.block(depth - 1)),)))),))

    def block(self, depth: int) -> tuple[Statement, ...]:
        """Some statements."""
        return tuple(self.statement(depth) for _ in range(self.rng.randint(1, 2)))


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(zlib.crc32(f"{EFFECTS} {seed}".encode()))
    drawn = np.random.default_rng(seed)
    made = Effects(rng)
    begin = [
        Line("w = x * y", keep=True),
        Line("s = x + 0.3", keep=True),
        Line("t = y * 0.7", keep=True),
        Line("u = 0.4", keep=True),
        Line("items = [x * 2.0, y]", keep=True),
        Line("seen = np.zeros(3)", keep=True),
    ]
    inner = [_inner(text) for text in INNER.strip().split("\n\n")]
    body = [made.statement(rng.choice((1, 1, 2))) for _ in range(rng.randint(1, 3))]
    end = Line("return s + 2.0 * w + 3.0 * t + 5.0 * u + np.sum(seen) + sum(items) * len(items)", keep=True)
    args = (float(drawn.uniform(0.2, 1.3)), float(drawn.uniform(0.2, 1.3)), drawn.uniform(0.2, 1.3, 3))
    return Program(seed, (), ("x", "y", "a"), args, (*begin, *inner, *body, end))


def _inner(text: str) -> Statement:
    """An inner function as a statement."""
    head, *lines = text.splitlines()
    return Suite(((head, tuple(Line(line.strip(), keep=True) for line in lines)),), keep=True)
