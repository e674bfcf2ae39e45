"""Every gradient that a test or a random program gets from Python has its argument's very shape and dtype, or the call fails."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.specialise.transformed import Transformed
from tests.support.checking import is_active, leaves

GRADIENTS = {"grad", "value_and_grad"}
_call = Transformed.__call__


def check_gradients() -> None:
    """From now on in this process."""
    Transformed.__call__ = _checked  # type: ignore[method-assign]


def _checked(self: Transformed, *args: Any, **kwargs: Any) -> Any:
    """The result of the call; AssertionError where a gradient does not fit its argument."""
    result = _call(self, *args, **kwargs)
    build = self.build
    if build.mode not in GRADIENTS or "out" in kwargs:
        return result
    given = self._signature.bind(*args, **kwargs).arguments
    gradient = result[1] if build.mode == "value_and_grad" else result
    if build.mode == "grad" and build.has_aux:
        gradient = result[0]
    gradients = (gradient,) if build.single else gradient
    for name, each in zip(build.wrt, gradients, strict=True):
        if name in given:  # not a variable of the function
            assert_fits(each, given[name], f"gradient of {name}")
    return result


def assert_fits(gradient: Any, argument: Any, where: str) -> None:
    """The gradient of an array, and of each array in a tuple, has its shape and its dtype; of a part without floats it is 0."""
    if type(argument) is tuple and not any(map(is_active, leaves(argument))):
        assert gradient == 0.0, f"{where}: {gradient} instead of 0.0"
    elif type(argument) is tuple:
        assert isinstance(gradient, tuple), f"{where}: {type(gradient).__name__} instead of a tuple"
        assert len(gradient) == len(argument), f"{where}: {len(gradient)} entries instead of {len(argument)}"
        for k, (one, other) in enumerate(zip(gradient, argument, strict=True)):
            assert_fits(one, other, f"{where}[{k}]")
    elif type(argument) is np.ndarray and is_active(argument):
        assert np.shape(gradient) == argument.shape, (
            f"{where}: shape {np.shape(gradient)} instead of {argument.shape}"
        )
        assert np.asarray(gradient).dtype == argument.dtype, (
            f"{where}: dtype {np.asarray(gradient).dtype} instead of {argument.dtype}"
        )
