"""Functions of notebook cells, in a kernel of its own: IPython compiles each statement of a cell by itself."""

from __future__ import annotations

import doctest
import linecache
import os
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

import backsweep as bs

LIMIT = 120
"""Seconds after which a cell is given up."""
CELLS = [
    (
        "a cell that imports and defines",
        (
            "import numpy as np\nimport backsweep as bs\n"
            "def f(x):\n    return np.sum(np.sin(x))\n"
            "print(bs.grad(f, jit=False)(np.zeros(2)))"
        ),
        "[1. 1.]",
    ),
    (
        "the function once more, another one",
        "def f(x):\n    return np.sum(np.sin(x)) * 3.0\nprint(bs.grad(f, jit=False)(np.zeros(2)))",
        "[3. 3.]",
    ),
    (
        "the same text as in the first cell, lines moved",
        "\n\ndef f(x):\n    return np.sum(np.sin(x))\nprint(bs.grad(f, jit=False)(np.zeros(2)))",
        "[1. 1.]",
    ),
    (
        "several functions, one after the import of the other's module",
        (
            "import math\ndef g(x):\n    return math.sin(h(x))\nimport cmath\ndef h(x):\n    return math.exp(x) - 1.0\n"
            "print(bs.grad(g, jit=False)(0.0))"
        ),
        "1.0",
    ),
    (
        "lambdas",
        (
            "import math\nslope = bs.grad(lambda x: math.sin(x), jit=False); print(slope(0.0))\n"
            "print([bs.grad(each, jit=False)(0.0) for each in (lambda x: math.sin(x), lambda x: math.exp(2.0 * x))])"
        ),
        "1.0\n[1.0, 2.0]",
    ),
    (
        "decorators",
        (
            "import math, numba\n@numba.njit\ndef g(x):\n    return math.sin(x)\n"
            "@bs.grad(jit=False)\ndef h(x):\n    return math.sin(x)\n"
            "class Model:\n    def cost(self, x):\n        return math.sin(x)\n"
            "print(bs.grad(g, jit=False)(0.0), h(0.0), bs.grad(Model().cost, jit=False)(0.0))"
        ),
        "1.0 1.0 1.0",
    ),
    (
        "an await beside the functions",
        (
            "import asyncio\nimport math\nawait asyncio.sleep(0)\ndef g(x):\n    return math.sin(x)\n"
            "print(bs.grad(g, jit=False)(0.0))"
        ),
        "1.0",
    ),
    (
        "definitions within statements",
        (
            "import math\nif True:\n    import math\n    def g(x):\n        return math.sin(x)\n"
            "for each in (lambda x: math.sin(x), g):\n    print(bs.grad(each, jit=False)(0.0))"
        ),
        "1.0\n1.0",
    ),
    (
        "%%time",
        "%%time\nimport math\ndef g(x):\n    return math.sin(x)\nprint(bs.grad(g, jit=False)(0.0))",
        "1.0",
    ),
    ("%time", "%time g = lambda x: math.sin(x)\nprint(bs.grad(g, jit=False)(0.0))", "1.0"),
    (
        "%%capture",
        "%%capture told\nimport math\ndef g(x):\n    return math.sin(x)\nprint(bs.grad(g, jit=False)(0.0))",
        "",
    ),
    ("what was captured", "print(told.stdout)", "1.0"),
    (
        "a future that later cells inherit",
        (
            "from __future__ import annotations\nimport math\ndef g(x: float) -> float:\n"
            "    def inner(y: float) -> float:\n        return math.sin(y)\n    return inner(x)\n"
            "print(bs.grad(g, jit=False)(0.0))"
        ),
        "1.0",
    ),
    (
        "under that future",
        (
            "def g(x: float) -> float:\n    def inner(y: float) -> float:\n        return math.sin(y)\n    return inner(x)\n"
            "print(bs.grad(g, jit=False)(0.0))"
        ),
        "1.0",
    ),
    (
        "another process has the text of the cell, which is in no file",
        (
            "import math, pickle, subprocess, sys\nfactor = 2.0\ndef g(x):\n    return math.sin(x) * factor\n"
            "class Model:\n    def cost(self, x):\n        return g(x)\n"
            "told = 'import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())(0.0))'\n"
            "for f in (g, lambda x: 2.0 * g(x)):\n    sent = pickle.dumps(bs.grad(f, jit=False))\n"
            "    print(subprocess.run([sys.executable, '-c', told], input=sent, capture_output=True).stdout.decode())\n"
            "print(Model.cost.__backsweep_text__.lines)"
        ),
        "2.0\n\n4.0\n\n('    def cost(self, x):', '        return g(x)')",
    ),
    (
        "a function without text is refused, and can be shown all the same",
        (
            "exec('def g(x):\\n    return x * x')\nslope = bs.grad(g)\n"
            "try:\n    slope(1.0)\nexcept bs.SourceError as error:\n    print(error)"
        ),
        "the source of `g` cannot be used",
    ),
    ("shown without text", "slope", "<backsweep grad of g>"),
]
"""What a cell is about, its text, and a part of what it writes."""


@pytest.fixture(scope="module")
def run_cell() -> Iterator[Callable[[str], str]]:
    """Runs a cell in a kernel that Jupyter starts; what it wrote, or the error that it raised."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    manager, client = start_new_kernel(kernel_name="python3", env=environment)

    def run(cell: str) -> str:
        words: list[str] = []

        def note(message: dict[str, Any]) -> None:
            content = message["content"]
            match message["header"]["msg_type"]:
                case "stream" if content["name"] == "stdout":
                    words.append(content["text"])
                case "execute_result":
                    words.extend(content["data"].values())
                case "error":
                    words.append(f"{content['ename']}: {content['evalue']}")
                case _:
                    pass

        client.execute_interactive(cell, timeout=LIMIT, output_hook=note)
        return "".join(words)

    yield run
    client.stop_channels()
    manager.shutdown_kernel(now=True)


@pytest.mark.turns(5)
def test_cells(run_cell: Callable[[str], str]) -> None:
    found = {about: run_cell(cell) for about, cell, _ in CELLS}
    wanted = {about: text for about, _, text in CELLS}
    assert {about: text for about, text in found.items() if wanted[about] not in text} == {}
    assert found["%%capture"] == ""


def test_a_cell_compiles_and_is_shown_beside_its_adjoint(run_cell: Callable[[str], str]) -> None:
    cell = "import math\nimport backsweep as bs\ndef g(x):\n    return math.sin(x)\nslope = bs.grad(g)\nprint(slope(0.0))\nslope"
    words = run_cell(cell)
    assert words.startswith("1.0")
    assert "math.cos(x)" in words and 'data-k="' in words


def session(texts: list[str], name: str, *, keep: bool) -> dict[str, Any]:
    """The names after statements were run one by one, as at a prompt, which keeps their texts or not."""
    names: dict[str, Any] = {"bs": bs, "__name__": "__main__"}
    for number, text in enumerate(texts):
        file = f"<{name}-{number}>"
        if keep:
            linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        exec(compile(text, file, "single"), names)
    return names


def test_a_prompt_that_keeps_its_texts() -> None:
    names = session(
        ["import math\n", "def f(x):\n    return math.sin(x)\n", "g = lambda x: math.sin(f(x))\n"],
        "python-input",
        keep=True,
    )
    assert bs.grad(names["f"], jit=False)(0.0) == 1.0
    assert bs.grad(names["g"], jit=False)(0.0) == 1.0


def test_a_prompt_that_keeps_none() -> None:
    names = session(["import math\n", "def f(x):\n    return math.sin(x)\n"], "stdin", keep=False)
    with pytest.raises(bs.SourceError, match="there is no text for '<stdin-1>'"):
        bs.grad(names["f"], jit=False)(0.0)


def test_another_text_under_the_same_name_is_refused() -> None:
    names = session(["def f(x):\n    return x * 2.0\n"], "changed", keep=True)
    file = "<changed-0>"
    linecache.cache[file] = (1, None, ["def f(x):\n", "    return x * 3.0\n"], file)
    with pytest.raises(bs.SourceError, match="is not what it was compiled from"):
        bs.grad(names["f"], jit=False)(0.0)


def test_doctest() -> None:
    module = ModuleType("words")
    module.__doc__ = """
    >>> import math, backsweep as bs
    >>> def f(x):
    ...     return math.sin(x)
    >>> bs.grad(f, jit=False)(0.0)
    1.0
    >>> bs.grad(lambda x: math.exp(math.sin(x)), jit=False)(0.0)
    1.0
    """
    assert doctest.testmod(module) == doctest.TestResults(failed=0, attempted=4)


class Printer:
    """What IPython hands over."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


@pytest.mark.turns(3)
@pytest.mark.parametrize("transformation", [bs.grad, bs.jacobian, bs.hessian], ids=lambda one: one.__name__)
def test_showing_never_raises(transformation: Callable[..., Any]) -> None:
    names = session(["def f(x):\n    return x * x < 3.0\n"], "shown", keep=False)
    slope, printer = transformation(names["f"]), Printer()
    slope._repr_pretty_(printer, False)
    assert f"<backsweep {slope.build.mode} of f>" in printer.written
    assert "there is no text" in slope._repr_html_()
