"""`python -m tests.packages > docs/packages.md` writes the page anew."""

from tests.packages.page import page

print(page(), end="")
