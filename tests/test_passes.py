"""Every pass keeps the meaning of the program: the interpreter runs it before and after, on the zoo."""

import pytest

import backsweep as bs
from tests import passes, zoo
from tests.sampled import every
from tests.zoo.case import Case

CASES = every(25, zoo.load(), first=7)
"""Of all cases each twenty-fifth: the interpreter is slow, and a case has thirty passes."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_pass_changes_what_a_program_means(case: Case) -> None:
    transformed = (
        bs.value_and_grad(case.function, argnums=case.argnums, jit=False)
        if isinstance(case.function(*case.args), float)
        else None
    )
    if transformed is None:
        pytest.skip("the pullback's programs take what the forward sweep saves")
    with passes.watched() as steps:
        transformed.stages(*case.args)
    assert steps
    assert passes.changed_meaning(steps, case.args) == []
