"""Stubs with which Numba types calls of a callee: functions of the same types that do nothing."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from backsweep.dispatch.inference import Typed
from backsweep.ir.nodes import Callee
from backsweep.ir.types import NONE, Array, Scalar, Tuple, Type


def stub(callee: Callee) -> Any:
    """A function with the callee's name and types, for Numba's type inference."""
    return _compiled(callee.name, len(callee.parameters), callee.result)


@functools.lru_cache(maxsize=256)
def _compiled(name: str, count: int, result: Type) -> Any:
    parameters = ", ".join(f"argument_{k}" for k in range(count))
    text = f"def {name}({parameters}):\n    return {_blank(result)}\n"
    namespace: dict[str, Any] = {"np": np}
    exec(compile(text, "<stub>", "exec"), namespace)  # noqa: S102  our own text
    return Typed(namespace[name])


def _blank(type_: Type) -> str:
    """Some value of the type, as text."""
    match type_:
        case Scalar("bool"):
            return "False"
        case Scalar("int64"):
            return "0"
        case Scalar("float64"):
            return "0.0"
        case Scalar("complex128"):
            return "0j"
        case Scalar(dtype):
            return f"np.{dtype}(0)"
        case Array(dtype, ndim):
            return f"np.empty({(0,) * ndim}, np.{'bool_' if dtype == 'bool' else dtype})"
        case Tuple(items):
            return "(" + "".join(f"{_blank(item)}, " for item in items) + ")"
        case _:
            assert type_ == NONE
            return "None"
