"""How Sphinx builds the site: `sphinx-build -W --keep-going -j 2 docs build/site` after `pip install ".[docs]"`.

The Markdown pages are read by MyST-NB. Every `{code-cell}` is run at the build, and what it shows is kept in
build/notebooks until the page changes. Remove that folder after a change of the package.
"""

from __future__ import annotations

import os
import re
import sys
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sphinx.util import logging

import backsweep

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

project = "Backsweep"
author = "Backsweep developers"
copyright = "Backsweep developers"  # noqa: A001  Sphinx's own name for it
version = release = backsweep.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "pictures_of_pages",
]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]

# -- Pages ------------------------------------------------------------------------------------------
myst_enable_extensions = ["colon_fence", "dollarmath", "deflist"]
myst_heading_anchors = 3
# Entries of reference pages share headings, to which nothing links.
suppress_warnings = ["myst.xref_ambiguous"]

# -- Cells ------------------------------------------------------------------------------------------
nb_execution_mode = "cache"
nb_execution_cache_path = str(HERE.parent / "build" / "notebooks")
nb_execution_raise_on_error = True
nb_execution_timeout = 150
nb_execution_show_tb = True
# "compiling ..." after two seconds, which the reader of a page need not see.
nb_output_stderr = "remove"
nb_merge_streams = True
os.environ.setdefault("MATPLOTLIBRC", str(HERE / "matplotlibrc"))
os.environ.setdefault("NUMBA_NUM_THREADS", "1")
# Cells call `python -m backsweep` as a reader would, whose environment is active.
os.environ["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))

# -- Reference --------------------------------------------------------------------------------------
autodoc_member_order = "bysource"
autodoc_mock_imports = ["casadi", "pytensor", "torch"]  # too large for what a page says of a function
autodoc_typehints = "none"  # the docstrings say what arguments are
default_role = "code"  # `x` in a docstring
napoleon_custom_sections = ["Raises"]  # several errors in one paragraph
napoleon_use_param = False
napoleon_use_rtype = False

# -- Other projects' pages --------------------------------------------------------------------------
INVENTORIES = {
    "python": "https://docs.python.org/3/",
    "numpy": "https://numpy.org/doc/stable/",
    "scipy": "https://docs.scipy.org/doc/scipy/",
    "numba": "https://numba.readthedocs.io/en/stable/",
}
intersphinx_timeout = 5


def reachable(address: str) -> bool:
    """Whether the inventory can be read now. A build without network leaves these links out instead of failing."""
    try:
        with urllib.request.urlopen(f"{address}objects.inv", timeout=intersphinx_timeout) as answer:  # noqa: S310
            return bool(answer.read(16).startswith(b"# Sphinx"))
    except OSError as reason:
        logging.getLogger(__name__).info("no links to %s: %s", address, reason)
        return False


intersphinx_mapping = {name: (address, None) for name, address in INVENTORIES.items() if reachable(address)}

# -- Looks ------------------------------------------------------------------------------------------
html_theme = "furo"
html_title = "Backsweep"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "monokai"

OUTSIDE = re.compile(r"\]\((?:\.\./)+(?:README\.md|examples/adbench/|tests/[^)]*|benchmarks/[^)]*)\)")


def rewritten(_app: Sphinx, name: str, text: list[str]) -> None:
    """Links that lead out of the site, which a reader of the repository can follow, become plain text."""
    up = "../" * name.count("/")
    text[0] = text[0].replace(f"]({up}../README.md)", f"]({up}index.md)")
    text[0] = re.sub(rf"\]\({up}decisions/\)", f"]({up}decisions/index.md)", text[0])
    text[0] = re.sub(r"\[([^\]]+)" + OUTSIDE.pattern, r"\1", text[0])


def setup(app: Sphinx) -> dict[str, Any]:
    """What Sphinx asks of each extension, and of this file."""
    app.connect("source-read", rewritten)
    return {"parallel_read_safe": True}
