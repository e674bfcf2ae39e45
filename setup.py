"""The packages: each folder in `compiler` is one of `backsweep`, each in `runtime` one of `backsweep.runtime`.

All else stands in pyproject.toml, which cannot rename the packages that it finds.
"""

from setuptools import find_packages, setup


def packages_in(folder: str, name: str) -> list[str]:
    """The package in the folder, and those within it, by the names that users import."""
    return [name, *(f"{name}.{inner}" for inner in find_packages(folder))]


setup(packages=packages_in("compiler", "backsweep") + packages_in("runtime", "backsweep.runtime"))
