"""Methods of arrays with arguments that Numba's own methods lack: `a.mean(axis=1)` is `np.mean(a, axis=1)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numba.core import types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate
from numba.extending import infer_getattr, lower_builtin

FUNCTIONS: Mapping[str, Any] = {
    name: getattr(np, name)
    for name in (
        "sum",
        "mean",
        "var",
        "std",
        "prod",
        "max",
        "min",
        "any",
        "all",
        "argmax",
        "argmin",
        "cumsum",
        "cumprod",
        "repeat",
        "squeeze",
        "swapaxes",
    )
}
"""The methods, each with the function of the same meaning."""


def _called(name: str) -> type[AbstractTemplate]:
    """The template of a method whose signatures are those of the function."""
    function, key = FUNCTIONS[name], f"array.{name}"

    class Method(AbstractTemplate):  # type: ignore[misc]  # Numba ships no annotations
        """Types the method as the function."""

        prefer_literal = True

        def generic(self, args, kws):
            known = self.context.resolve_value_type(function)
            found = self.context.resolve_function_type(known, (self.this, *args), kws)
            return None if found is None else found.as_method()

    Method.key, Method.stands_for = key, function

    @lower_builtin(key, types.Array, types.VarArg(types.Any))
    def lowered(context, builder, sig, args):
        known = context.typing_context.resolve_value_type(function)
        plain = known.get_call_type(context.typing_context, sig.args, {})
        call = context.get_function(known, plain)
        context.add_linking_libs(getattr(call, "libs", ()))
        return call(builder, args)

    return Method


METHODS = {name: _called(name) for name in FUNCTIONS}


@infer_getattr
class Methods(AttributeTemplate):  # type: ignore[misc]  # Numba ships no annotations
    """The methods of arrays; it is asked before Numba's own, as it is for processors alone."""

    key = types.Array
    metadata = {"target": "cpu"}  # noqa: RUF012  as Numba reads it

    def generic_resolve(self, typ, attr: str):
        """The type of a method of arrays."""
        return types.BoundFunction(METHODS[attr], typ) if attr in METHODS else None
