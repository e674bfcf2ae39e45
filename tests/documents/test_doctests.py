"""The examples in the package's docstrings, run as written, in the package that is installed."""

import doctest
import importlib
import pkgutil

import pytest

import backsweep
from backsweep.rules import REGISTRY
from backsweep.rules.declare import read_late

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(backsweep.__path__, "backsweep.")
    if not module.name.endswith("__main__")
)
NEEDS = {"backsweep.casadi": "casadi", "backsweep.pytensor": "pytensor", "backsweep.torch": "torch"}
"""What is not in the extra `test`."""


@pytest.mark.compiles_many("examples run as their readers run them")
@pytest.mark.parametrize("name", ["backsweep", *MODULES])
def test_examples_of(name: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed")
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    read_late(every=True)
    rules = list(REGISTRY)
    runner = doctest.DocTestRunner(optionflags=options)
    for docstring in doctest.DocTestFinder().find(importlib.import_module(name)):
        if (
            docstring.examples
        ):  # before each, the runner asks of every file that was ever read whether it has changed
            runner.run(docstring)
    REGISTRY[:] = rules  # a rule that an example declares is no rule of the product
    assert runner.summarize().failed == 0
