"""No gradient leaves with another shape than its argument: every call from Python in the suite is looked at."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from backsweep.specialise.transformed import Transformed
from tests import checking


def watch_shapes() -> None:
    """Compare the shapes of arguments and gradients in every call of a gradient from now on."""
    call = Transformed.__call__

    def watched(self: Transformed, *args: Any, **kwargs: Any) -> Any:
        result = call(self, *args, **kwargs)
        if self.build.mode in ("grad", "value_and_grad") and "out" not in kwargs:
            _compare(self, result, args, kwargs)
        return result

    Transformed.__call__ = watched  # type: ignore[method-assign]


def _compare(transformed: Transformed, result: Any, args: Any, kwargs: Any) -> None:
    """Raise AssertionError if the gradient for an array has not its shape."""
    build = transformed.build
    if build.mode == "value_and_grad":
        result = result[1]
    elif build.has_aux:
        result = result[0]
    bound = inspect.signature(transformed.python).bind(*args, **kwargs)
    bound.apply_defaults()
    for name, gradient in zip(build.wrt, (result,) if build.single else result, strict=True):
        if name not in bound.arguments:
            continue  # a variable
        pairs = zip(checking.leaves(bound.arguments[name]), checking.leaves(gradient), strict=False)
        for given, found in pairs:
            if type(given) is np.ndarray and type(found) is np.ndarray:
                assert found.shape == given.shape, (
                    f"the gradient for {name} has the shape {found.shape}, the argument {given.shape}"
                )
