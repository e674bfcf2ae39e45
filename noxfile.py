"""Sessions over Pythons and over the oldest and the newest packages: `nox`, `nox -s oldest`, `nox -s tests-3.13`.

A Python that is not installed is skipped. `.ci/run` is what a change has to pass; this is for releases.
"""

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
FEW = [
    "tests/documents/test_readme.py",
    "tests/emit",
    "tests/inspect/test_command.py",
    "tests/specialise",
    "tests/suite/test_import.py",
]
"""What shows whether these versions go together. The whole suite: `nox -s tests-3.13 -- tests`."""

nox.options.sessions = ["tests", "oldest", "bridges", "package"]
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The newest NumPy and Numba that this Python has."""
    session.install(".[test]")
    session.run("python", "-m", "pip", "list")
    session.run("pytest", *(session.posargs or FEW))


@nox.session(python="3.11")
def oldest(session: nox.Session) -> None:
    """The oldest versions that pyproject.toml allows."""
    session.install(".[test]", "numpy==1.26.*", "numba==0.67.*", "scipy==1.11.*", "astor==0.8.1")
    session.run("python", "-m", "pip", "list")
    session.run("pytest", *(session.posargs or FEW))


@nox.session(python="3.11")
def bridges(session: nox.Session) -> None:
    """Functions within other libraries, and the pages about them."""
    session.run("bash", ".ci/bridges", external=True)


@nox.session
def package(session: nox.Session) -> None:
    """The sdist, the wheel that is built from it, and that wheel in an environment with nothing else."""
    session.install("build", "twine")
    folder = session.create_tmp()
    session.run("python", "-m", "build", "--outdir", folder)
    session.run("sh", "-c", f"twine check --strict {folder}/*", external=True)
    session.run("sh", "-c", f"pip install {folder}/*.whl", external=True)
    session.chdir(folder)
    session.run("backsweep", "--version")
    session.run("backsweep", "demo")
