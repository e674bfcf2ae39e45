"""A program that must be refused, and the words of the error.

Its whole text shows the user's line, which in a table of programs has the words beside the program: it always has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import backsweep as bs


@contextmanager
def refused(
    words: str,
    kind: type[bs.BacksweepError] | tuple[type[bs.BacksweepError], ...] = bs.UnsupportedError,
) -> Iterator[pytest.ExceptionInfo[bs.BacksweepError]]:
    """The code within raises such an error, whose message or remedy has these words, a regular expression."""
    with pytest.raises(kind) as found:
        yield found
    texts = [f"{each.code} {each.message}: {each.remedy}" for each in found.value.problems]
    assert any(re.search(words, each) for each in texts), texts
