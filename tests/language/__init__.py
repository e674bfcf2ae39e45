"""The language, construct by construct: what is differentiated and what is refused. It is the source of docs/language.md.

Each module is a section of the page, in the order below; its docstring is the section's heading and introduction.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from tests.language.row import REGISTRY, Row

SECTIONS = (
    "assignments",
    "control",
    "iteration",
    "functions",
    "tuples",
    "options",
    "numbers",
    "objects",
    "containers",
    "texts",
    "library",
    "numpy_forms",
    "errors_raised",
)


def sections() -> dict[ModuleType, list[Row]]:
    """The modules in the order of the page, with their rows."""
    modules = [importlib.import_module(f"{__name__}.{name}") for name in SECTIONS]
    return {
        module: [row for row in REGISTRY if row.function.__module__ == module.__name__] for module in modules
    }


def load() -> list[Row]:
    """Every row."""
    return [row for rows in sections().values() for row in rows]
