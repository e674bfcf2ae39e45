"""A function of NumPy as an operation of PyTensor, in Python and compiled in its Numba mode, with Backsweep's derivatives.

`import backsweep.pytensor` needs PyTensor 2.38 or newer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType, disconnected_type
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch.basic import numba_njit, register_funcify_and_cache_key

from backsweep.api.flat import ARRAY, Flat, Positions, kind_of, names_of, placed, with_text
from backsweep.api.typed import CompileOptions
from backsweep.bridge import Bridged, named, only_outside, wrong

Function = Callable[..., Any]
Variable = Any  # PyTensor's own annotations are not read

__all__ = ["op"]


@only_outside
def op(f: Function, *, result: Any = None, **options: Unpack[CompileOptions]) -> Function:
    """A function of PyTensor's variables that calls a function of NumPy or Numba, with the derivatives that Backsweep writes.

    Arguments:
        f: a function as for `bs.grad`, of numbers and arrays, tuples, dicts and dataclasses of these. It returns a number, an array, or a
            tuple of these, and must be pure.
        result: variables like those that it returns, for their shapes, or a function of such arguments that returns them, as
            in `result=lambda t, *others: t`. If it is left out, Numba is asked for the types, and shapes are unknown to PyTensor
            until they are computed.
        options: as for `grad`.

    Returns:
        A function of variables that returns a variable, or a tuple of these. `pytensor.grad`, `hessian`, `pushforward` and every
        mode take them. In Numba's mode, which PyMC and nutpie use, it is compiled with the rest of the graph.

    Raises:
        ArgumentError: what `f` takes or returns is none of the above, or is complex.
        What `f` and `bs.grad` raise.

    >>> import pytensor, pytensor.tensor as pt
    >>> from backsweep.pytensor import op
    >>> def root(a):
    ...     x = a
    ...     while abs(x * x - a) > 1e-6:
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> a = pt.dscalar("a")
    >>> float(pytensor.function([a], pytensor.grad(op(root)(a), a))(4.0).round(4))
    0.25
    """
    return _Function(f, result, dict(options))


class _Function(Bridged):
    """A function of PyTensor's variables."""

    library, items = "PyTensor", "numbers and arrays"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, kwargs = self.bound(args, kwargs)
        leaves, structure = named(args, kwargs)
        given = [self._variable(each) for each in leaves]
        kinds = [kind_of((0,) * each.type.ndim, np.dtype(each.type.dtype)) for each in given]
        code = self.code(structure, kinds, tuple((each.type.dtype, each.type.ndim) for each in given))
        found = code.typed([np.ones((1,) * each.type.ndim, each.type.dtype) for each in given])
        types = [pt.TensorType(dtype, shape=(None,) * ndim) for ndim, dtype in found]
        if self.result is not None:
            types = _with_shapes(self.name, types, self.promised(args, kwargs)[0])
        variables = Call(code, tuple(types))(*given, return_list=True)
        return variables[0] if code.single else code.form(variables)

    def _variable(self, given: Any) -> Variable:
        """An argument as a variable."""
        if isinstance(given, str) or callable(given):
            raise self.refuses(given)
        found = pt.as_tensor(given)
        if np.issubdtype(found.type.dtype, np.complexfloating):
            message = (
                f"an argument of `{self.name}` is complex, and PyTensor has no cotangents of complex numbers"
            )
            raise wrong(message, "give the real and the imaginary part.")
        return found


class Call(Op):  # type: ignore[misc]
    """A call of a function, by its code, with results of these types."""

    __props__ = ("code", "types")

    def __init__(self, code: Flat, types: tuple[Any, ...]) -> None:
        self.code, self.types = code, types

    def __str__(self) -> str:
        return f"backsweep {self.code.name}"

    def make_node(self, *inputs: Variable) -> Apply:
        """The call of variables."""
        return Apply(self, list(inputs), [each() for each in self.types])

    def perform(self, _: Apply, inputs: Sequence[Any], output_storage: Sequence[list[Any]]) -> None:
        """Call it for values."""
        found = self.code.examples((), list(map(np.asarray, inputs)))
        for type_, value, into in zip(self.types, found, output_storage, strict=True):
            into[0] = type_.filter(np.asarray(value, type_.dtype))

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Floats depend on floats."""
        return [[_is_moved(one) and _is_moved(other) for other in node.outputs] for one in node.inputs]

    def pullback(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], cotangents: Sequence[Variable]
    ) -> list[Variable]:
        """The cotangents of the inputs: a call of the pullback."""
        moved = tuple(k for k, each in enumerate(inputs) if _is_moved(each))
        felt = _felt(outputs, cotangents)
        if not (moved and felt):
            return [disconnected_type() for _ in inputs]
        pull = Call(self.code.pulled(moved, felt), tuple(inputs[k].type for k in moved))
        weights = [cotangents[k].astype(outputs[k].type.dtype) for k in felt]
        found = pull(*inputs, *weights, return_list=True)
        return placed(len(inputs), moved, found, disconnected_type)

    def pushforward(
        self, inputs: Sequence[Variable], outputs: Sequence[Variable], tangents: Sequence[Variable]
    ) -> list[Variable]:
        """The tangents of the outputs: a call of the pushforward."""
        moved = _felt(inputs, tangents)
        felt = tuple(k for k, each in enumerate(outputs) if _is_moved(each))
        if not (moved and felt):
            return [disconnected_type() for _ in outputs]
        push = Call(self.code.pushed(moved, felt), tuple(outputs[k].type for k in felt))
        along = [tangents[k].astype(inputs[k].type.dtype) for k in moved]
        found = push(*inputs, *along, return_list=True)
        return placed(len(outputs), felt, found, disconnected_type)

    # What PyTensor 2 calls.
    L_op = pullback

    def R_op(self, inputs: Sequence[Variable], eval_points: Sequence[Variable | None]) -> list[Variable]:
        """The tangents of the outputs, in PyTensor 2."""
        outputs = self(*inputs, return_list=True)
        found = self.pushforward(
            inputs, outputs, [disconnected_type() if each is None else each for each in eval_points]
        )
        return [None if isinstance(each.type, DisconnectedType) else each for each in found]


@register_funcify_and_cache_key(Call)  # type: ignore[untyped-decorator]
def _compiled(op: Call, node: Apply, **_: Any) -> tuple[Function, None]:
    """The call for PyTensor's Numba mode. PyTensor keeps no code of it in its files, since its name says not what it is of."""
    code, names = op.code, names_of(len(node.inputs))
    ranks = [each.type.ndim for each in node.inputs]
    given = [
        f"np.ascontiguousarray({name})" if rank else f"{name}[()]"
        for name, rank in zip(names, ranks, strict=True)
    ]
    assert code.results is not None
    items = ["y" if code.single else f"y[{k}]" for k in range(len(code.results))]
    inner = code.function
    if not code.known:  # compiled as that of a batch of one
        inner = code.of_one()
        given = [f"np.ascontiguousarray({name}).reshape((1,) + {name}.shape)" for name in names]
        items = [f"{item}[0]" for item in items]
    found = (
        item if kind == ARRAY else f"np.array({item})" for item, kind in zip(items, code.results, strict=True)
    )
    body = f"y = _f({', '.join(given)})\n    return {', '.join(found)}"
    return numba_njit(with_text(f"{code.name}_in_pytensor", len(names), body, _f=inner, np=np)), None


def _with_shapes(name: str, types: list[Any], given: Sequence[Any]) -> list[Any]:
    """The types of results, with the shapes of the variables that are given."""
    shapes = [pt.as_tensor(each).type.shape for each in given]
    for type_, shape in zip(types, shapes, strict=True):
        if len(shape) != type_.ndim:
            message = f"`result` has {len(shape)} axes for a result of `{name}`, which has {type_.ndim}"
            raise wrong(message, "correct `result`, or leave it out.")
    return [pt.TensorType(each.dtype, shape=shape) for each, shape in zip(types, shapes, strict=True)]


def _felt(values: Sequence[Variable], weights: Sequence[Variable]) -> Positions:
    """The values that have a tangent or cotangent."""
    return tuple(
        k
        for k, (each, weight) in enumerate(zip(values, weights, strict=True))
        if _is_moved(each) and not isinstance(weight.type, DisconnectedType)
    )


def _is_moved(value: Variable) -> bool:
    """Whether it has a derivative."""
    return bool(np.issubdtype(value.type.dtype, np.floating))
