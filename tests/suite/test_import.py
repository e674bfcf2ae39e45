"""`import backsweep` is quick: it loads Numba and what Numba is told of, and neither the compiler nor SciPy nor matplotlib."""

import subprocess
import sys

import backsweep as bs

LATER = (
    "backsweep.ad",
    "backsweep.api",
    "backsweep.frontend",
    "backsweep.inspect",
    "backsweep.ir",
    "backsweep.optimise",
    "backsweep.pipeline",
    "backsweep.rules",
    "backsweep.specialise",
    "astor",
    "IPython",
    "matplotlib",
    "pygments",
    "scipy.interpolate",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.sparse",
    "scipy.special",
    "sqlite3",
)
"""What an import must not load. Times are no test's business, but these modules are where it went."""


def loaded_by(program: str) -> set[str]:
    """The modules that a program loads."""
    text = f"{program}\nimport sys\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=True
    )
    return set(done.stdout.splitlines())


def test_what_an_import_does_not_load() -> None:
    loaded = loaded_by("import backsweep")
    assert {"numba", "backsweep.runtime.overloads"} <= loaded
    assert sorted(loaded & set(LATER)) == []


def test_the_compiler_is_loaded_by_the_first_name_that_needs_it() -> None:
    loaded = loaded_by("import backsweep as bs\nbs.grad")
    assert "backsweep.specialise.transformed" in loaded
    assert sorted(loaded & {"matplotlib", "scipy.special", "scipy.optimize", "IPython"}) == []


def test_dir_shows_the_public_names_only() -> None:
    assert set(dir(bs)) == {*bs.__all__, "__version__"}
    assert [name for name in dir(bs) if not hasattr(bs, name)] == []
    assert not hasattr(bs, "no_such_name")
