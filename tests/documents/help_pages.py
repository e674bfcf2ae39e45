"""The examples of docs/errors.md: each entry shows a program of `tests/errors` and the message that it fails with.

`python -m pytest tests/documents/test_docs.py --update-golden` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "errors"
CODE = re.compile(r"\[(BS\d{3})\]")


def with_examples(page: str) -> str:
    """The page with the example of each entry as it is now; words stay as they are."""
    head, *entries = re.split(r"(?m)^(?=### BS\d{3}$)", page)
    return head + "".join(map(_entry, entries))


def _entry(text: str) -> str:
    """One entry, and the headings that follow it."""
    words, *headings = re.split(r"(?m)^(?=## )", text)
    words = re.sub(r"\n```.*?\n```\n", "", words, flags=re.DOTALL).replace("\nfails with\n", "").rstrip()
    example = _example(words[4:9])
    return f"{words}\n{example}\n" + "".join(headings)


def _example(code: str) -> str:
    """The shortest program that fails with this code alone, and its message; nothing for a code without one."""
    found = [path for path in FOLDER.glob("*.txt") if set(CODE.findall(path.read_text("utf-8"))) == {code}]
    if not found:
        return ""
    message = min(found, key=lambda path: (len(path.with_suffix(".py").read_text("utf-8")), path.name))
    program, _, call = message.with_suffix(".py").read_text("utf-8").partition("def fail():\n")
    call, _, rest = call.partition("\n\n\n")
    body = re.sub(r"(?m)^    ", "", call).strip()
    parts = [program.strip(), rest.strip(), body]
    shown = "\n\n\n".join(part for part in parts if part)
    return f"\n```python\n{shown}\n```\n\nfails with\n\n```text\n{message.read_text('utf-8').strip()}\n```\n"
