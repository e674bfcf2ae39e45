"""The option that rewrites what emitted text is compared with."""

from __future__ import annotations

import os

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--update-golden` writes the expected texts; the run that does so fails, and CI refuses it."""
    parser.addoption("--update-golden", action="store_true", help="write the expected texts, then fail")


def pytest_configure(config: pytest.Config) -> None:
    """In CI an expected text is only ever compared."""
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError(
            "--update-golden is refused where CI is set: review the texts, then commit them"
        )
