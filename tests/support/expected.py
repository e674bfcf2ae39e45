"""Texts kept in files beside the tests: compared, or written anew on request."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest


def compare(text: str, path: Path, *, update: bool) -> None:
    """Fails with a diff where the file holds another text; with `update`, writes it and fails as well."""
    stored = path.read_text(encoding="utf-8") if path.exists() else ""
    if text == stored:
        return
    shown = "".join(
        difflib.unified_diff(
            stored.splitlines(keepends=True), text.splitlines(keepends=True), f"{path.name} (stored)", "now"
        )
    )
    if update:
        path.write_text(text, encoding="utf-8")
        pytest.fail(f"{path.name} was written; review it, then run again\n{shown}")
    pytest.fail(f"{path.name} differs (--update-golden writes it)\n{shown}")


def orphans(folder: Path, suffix: str, stems: set[str]) -> list[str]:
    """Files of the folder with this suffix that belong to no test."""
    return sorted(p.name for p in folder.glob(f"*{suffix}") if p.name.removesuffix(suffix) not in stems)
