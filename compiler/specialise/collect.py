"""Implement `collect=`: store the adjoints of hooked variables in the caller's dictionary."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from backsweep.specialise.accumulate import accumulated, with_gradient
from backsweep.specialise.build import Build
from backsweep.specialise.transformed import Transformed
from backsweep.tracebacks import hiding


class Collecting:
    """A gradient that, in each call, stores the adjoints of some variables in a dictionary."""

    only_from_python = (
        "a gradient with `collect=` fills a dictionary and can be called from Python only",
        "leave `collect` out and name the variables in wrt: then the gradient returns their adjoints",
    )
    """Why it cannot be called inside of what is differentiated, and what to write there instead."""

    def __init__(
        self, function: Callable[..., Any], build: Build, names: Sequence[str], store: dict[str, Any]
    ) -> None:
        self.build = build
        self.names = tuple(names)
        self.store = store
        wrt = (*build.wrt, *(name for name in self.names if name not in build.wrt))
        self.transformed = Transformed(
            function, dataclasses.replace(build, wrt=wrt, single=False, record=None)
        )

    @hiding
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the gradient, and store the adjoints in the dictionary."""
        if "out" in kwargs and all(each.name != "out" for each in self.transformed.parameters):
            out = kwargs.pop("out")
            return accumulated(self.build, self(*args, **kwargs), out)
        return with_gradient(self.build, self.transformed(*args, **kwargs), self._divided)

    def __getattr__(self, name: str) -> Any:
        """Attributes of the gradient itself, such as `source` and `stages`."""
        if name.startswith("_") or name == "transformed":
            raise AttributeError(name)  # during unpickling, the attributes are not set yet
        return getattr(self.transformed, name)

    def _divided(self, found: Any) -> Any:
        """Split a result: return the gradient that was asked for, and store the adjoints of observed variables in the dictionary."""
        by_name = dict(zip(self.transformed.build.wrt, found, strict=True))
        for name in self.names:
            kept = self.store.get(name)
            if isinstance(kept, np.ndarray):
                kept[...] = by_name[name]
            else:
                self.store[name] = by_name[name]
        gradients = tuple(by_name[name] for name in self.build.wrt)
        if self.build.single:
            return gradients[0]
        return gradients if self.build.record is None else self.build.record(*gradients)
