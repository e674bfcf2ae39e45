"""Functions of the zoo that travel by value: the same text is emitted of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

import backsweep as bs
from backsweep.sending import by_value
from backsweep.sending.sent import received
from tests.support.sampled import turning
from tests.zoo import load
from tests.zoo.case import Case

CASES = turning(90, load())


@pytest.fixture(autouse=True, scope="module")
def _by_value() -> Iterator[None]:
    """No other process finds the zoo, as those know who use cloudpickle for modules of their own."""
    library = by_value._library()
    modules = [sys.modules[name] for name in {case.function.__module__ for case in CASES}]
    for module in modules:
        library.register_pickle_by_value(module)
    yield
    for module in modules:
        library.unregister_pickle_by_value(module)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_same_text_is_emitted(case: Case) -> None:
    slope = bs.grad(case.function, case.argnums)
    make, (content, classes) = slope.__reduce__()
    assert make is received
    sent = received(content, classes)
    assert getattr(sent.function, "py_func", sent.function) is not case.function
    try:
        expected = slope.source(*case.args)
    except bs.NotScalarError:
        slope, sent = (bs.jacobian(each.function, case.argnums) for each in (slope, sent))
        expected = slope.source(*case.args)
    assert sent.source(*case.args) == expected
