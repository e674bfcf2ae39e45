"""One random call as a program: a text with blanks, filled in; fixed by the seed."""

from __future__ import annotations

import random
import re
import zlib

from tests.fuzz.calls.forms import ALONG_AXES, ARRANGED, ENTRY_BY_ENTRY, PRODUCTS, STORED
from tests.fuzz.calls.operands import Operands
from tests.fuzz.program import Line, Program

CALLS = "calls"
HEADER = '"""A random call."""\n\nimport numpy as np\nimport scipy.linalg\nimport scipy.special\nimport scipy.stats\n'
GROUPS = (ENTRY_BY_ENTRY, ALONG_AXES, ARRANGED, PRODUCTS, STORED)
ONE_OF = re.compile(r"\{([^{}]*)\}")
BLANK = re.compile(r"<(\w+)(!?)>")


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(zlib.crc32(f"{CALLS} {seed}".encode()))
    group = rng.choice(GROUPS)
    text, made = rng.choice(group), Operands(rng)
    while ONE_OF.search(text):
        text = ONE_OF.sub(lambda found: rng.choice(found[1].split("|")), text, count=1)
    if group is STORED:
        text = f"{text}; target = <X!>"
    text = BLANK.sub(lambda found: made.blank(found[1], is_array=bool(found[2])), text)
    body = [Line(f"return {text}")]
    if group is STORED:
        statement, _, target = text.partition("; target = ")
        body = [Line(f"t = {target} * 1.0"), Line(statement), Line("return t")]
    names = tuple(f"x{k}" for k in range(len(made.args)))
    header = "\n".join([HEADER, *made.around, ""])
    return Program(
        seed, (), names, tuple(made.args), tuple(body), "several", header=header, forms=tuple(made.forms)
    )
