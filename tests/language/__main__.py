"""`python -m tests.language > docs/language.md` writes the page anew."""

from tests.language.page import page

print(page(), end="")
