"""The zoo: small functions that Numba compiles, each a way in which differentiation could go wrong.

Primal functions are written as users write them, without annotations. `load()` returns every case.
"""

from __future__ import annotations

import importlib
import pkgutil

from tests.zoo.case import REGISTRY, Case


def load() -> tuple[Case, ...]:
    """Every case of every module here, in the order of the modules' names."""
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        if module != "__main__":
            importlib.import_module(f"{__name__}.{module}")
    return tuple(REGISTRY)
