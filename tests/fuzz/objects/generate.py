"""Random programs of containers and objects: a few subjects each, expressions with effects, every value that Python would see."""

from __future__ import annotations

import random
import re
import zlib
from collections.abc import Sequence

import numpy as np

from tests.fuzz.objects.classes import classes, constant
from tests.fuzz.objects.templates import ALWAYS, SUBJECTS, Subject
from tests.fuzz.program import HEADER, Line, Program, Statement, Suite

OBJECTS = "objects"
"""The name of the family."""
HOLE = re.compile(r"<([a-z])>")
WITH_IMPORTS = HEADER.replace("import math\n", "import dataclasses\nimport math\nimport typing\n")
LEAVES = {"n": ("x", "y", "s", "t", "a[1]"), "k": ("0", "1", "2"), "t": ("s < t", "x > 0.5"), "o": ("p", "q")}
"""What stands for each kind where expressions end."""


class Objects:
    """One program, drawn with these random numbers."""

    def __init__(self, rng: random.Random, subjects: Sequence[Subject]) -> None:
        self.rng = rng
        self.kinds = {
            "n": [text for each in subjects for text in each.numbers],
            "k": [text for each in subjects for text in each.wholes],
            "t": [text for each in subjects for text in each.truths],
            "o": [text for each in subjects for text in each.objects],
        }
        special = [text for each in subjects[1:] for text in each.numbers]
        self.kinds["n"] += special  # what the program is about comes twice as often
        self.statements = [text for each in subjects for text in each.statements]
        self.statements += [text for each in subjects[1:] for text in each.statements] * 2

    def filled(self, text: str, depth: int) -> str:
        """The text with its holes filled."""

        def fill(hole: re.Match[str]) -> str:
            kind = hole.group(1)
            if kind == "c":
                return constant(self.rng)
            if kind == "l":
                return self.rng.choice(("'a'", "'b'", "'c'"))
            if depth <= 0 or self.rng.random() < 0.3:
                return self.rng.choice(LEAVES[kind])
            return self.filled(self.rng.choice(self.kinds[kind]), depth - 1)

        return HOLE.sub(fill, text)

    def statement(self, depth: int) -> list[Statement]:
        """Some statements, of which compound ones hold others."""
        rng = self.rng
        choice = rng.random()
        if depth > 0 and choice < 0.12:
            arms = [(f"if {self.filled('<t>', 2)}:", self.block(depth - 1))]
            if rng.random() < 0.6:
                arms.append(("else:", self.block(depth - 1)))
            return [Suite(tuple(arms))]
        if depth > 0 and choice < 0.22:
            return [Suite(((f"for k in range({rng.randint(1, 3)}):", self.block(depth - 1)),))]
        return parsed(self.filled(rng.choice(self.statements), rng.choice((1, 2, 2, 3))))

    def block(self, depth: int) -> tuple[Statement, ...]:
        """One or two statements."""
        return tuple(each for _ in range(self.rng.randint(1, 2)) for each in self.statement(depth))


def parsed(text: str, *, keep: bool = False) -> list[Statement]:
    """Indented text as statements."""
    found: list[Statement] = []
    lines = text.split("\n")
    while lines:
        head = lines.pop(0)
        if not head.endswith(":"):
            found.append(Line(head, keep))
            continue
        inside = []
        while lines and lines[0].startswith("    "):
            inside.append(lines.pop(0)[4:])
        arm = (head, tuple(parsed("\n".join(inside), keep=keep)))
        if head.startswith(("else", "elif", "except", "finally")) and isinstance(found[-1], Suite):
            found[-1] = Suite((*found[-1].arms, arm), keep)
        else:
            found.append(Suite((arm,), keep))
    return found


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(zlib.crc32(f"{OBJECTS} {seed}".encode()))
    drawn = np.random.default_rng(seed)
    names = rng.sample([*SUBJECTS, *["classes"] * 6], rng.choice((1, 1, 2)))
    subjects, helpers = [ALWAYS], ()
    for name in dict.fromkeys(names):
        if name == "classes":
            helpers, subject = classes(rng)
            subjects.append(subject)
        else:
            subjects.append(SUBJECTS[name])
    made = Objects(rng, subjects)
    begin = [
        each
        for subject in subjects
        for text in subject.begin
        for each in parsed(made.filled(text, 0), keep=True)
    ]
    inner = [
        each
        for subject in subjects
        for text in subject.inner
        for each in parsed(made.filled(text, 0), keep=True)
    ]
    body = [each for _ in range(rng.randint(2, 4)) for each in made.statement(rng.choice((0, 1, 1, 2)))]
    end = Line(f"return {' + '.join(text for subject in subjects for text in subject.end)}", keep=True)
    args = (float(drawn.uniform(0.2, 1.3)), float(drawn.uniform(0.2, 1.3)), drawn.uniform(0.2, 1.3, 4))
    return Program(seed, helpers, ("x", "y", "a"), args, (*begin, *inner, *body, end), header=WITH_IMPORTS)
