"""Each row of docs/language.md holds: its example is differentiated, or refused with the code that it names."""

from pathlib import Path

import pytest

from tests import language
from tests.ad.test_zoo import check_gradient, check_pullback, is_float_scalar, plain
from tests.language.page import page, refusal_of
from tests.language.row import Row
from tests.support.expected import compare
from tests.support.sampled import turning
from tests.zoo.case import Case

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
ROWS = language.load()
RUN = [row for row in ROWS if row.code is None]
REFUSED = [row for row in ROWS if row.code is not None]


def case_of(row: Row) -> Case:
    """The row's example as a case of the zoo."""
    return Case(row.function, row.args, row.argnums, row.name)


@pytest.mark.turns(8)
@pytest.mark.parametrize("row", RUN, ids=lambda row: row.name)
def test_differentiated_plain(row: Row) -> None:
    case = case_of(row)
    if is_float_scalar(plain(case)(*case.args)):
        check_gradient(case, jit=False)
    check_pullback(case, jit=False)


# The zoo compiles programs of every kind: here every twentieth row shows that the table's programs compile too.
@pytest.mark.compiles
@pytest.mark.parametrize("row", turning(96, RUN), ids=lambda row: row.name)
def test_differentiated_compiled(row: Row) -> None:
    case = case_of(row)
    check = check_gradient if is_float_scalar(plain(case)(*case.args)) else check_pullback
    check(case, jit=True)


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.name)
def test_refused(row: Row) -> None:
    problems = refusal_of(row).problems
    assert {problem.code for problem in problems} == {row.code}
    assert all(problem.remedy for problem in problems)


def test_names_are_unique() -> None:
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)


def test_page_is_up_to_date(request: pytest.FixtureRequest) -> None:
    compare(page(), PAGE, update=request.config.getoption("--update-golden"))
