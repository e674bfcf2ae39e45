"""A function of NumPy as a function of PyTorch: an operator that runs machine code on the tensors' memory, with Backsweep's derivatives.

`import backsweep.torch` needs the extra `torch`.

The derivatives of a call are calls again, of pullbacks and pushforwards, so that there are derivatives of any order. What runs is one
operator of PyTorch, which tells its compiler the shapes of results.
"""

from __future__ import annotations

import functools
import secrets
from collections.abc import Callable, Sequence
from typing import Any, Unpack

import numpy as np
import torch

from backsweep.api.flat import Flat, kind_of, placed, sharing, sizes_of
from backsweep.api.typed import CompileOptions
from backsweep.bridge import Bridged, Call, Meta, mapped, named, no_result, only_outside, wrong

Function = Callable[..., Any]
Tensor = Any  # PyTorch's own annotations are not read

__all__ = ["function"]


@only_outside
def function(f: Function, *, result: Any = None, **options: Unpack[CompileOptions]) -> Function:
    """A function of PyTorch that calls a function of NumPy or Numba, with the derivatives that Backsweep writes.

    Arguments:
        f: a function as for `bs.grad`, of numbers and arrays, tuples, dicts and dataclasses of these. It returns a number, an array, or a
            tuple of these, and must be pure.
        result: what it returns, as a tensor (of the device "meta", say) or a tuple of these, or a function of such arguments
            that returns it. Results get these dtypes. If it is left out, `torch.compile` and `vmap` of no examples call `f` with
            ones: give it where `f` cannot take ones, takes long, or where numbers in the arguments decide the shapes.
        options: as for `grad`. `parallel=False` runs the examples of a `vmap` on one core.

    Returns:
        A function of `f`'s arguments, in which arrays are tensors. `backward()`, `torch.autograd`, `torch.func` (`grad`, `vjp`,
        `jvp`, `vmap`, `hessian`) and `torch.compile` take it, in any order and any number of times.

    Raises:
        ArgumentError: what `f` takes or returns is none of the above, or has another shape than `result` says.
        What `f` and `bs.grad` raise.

    `f` runs on the processor, on the memory of the tensors if that is contiguous, and never changes it. Tensors of other devices
    are brought over, and results back. A reverse sweep runs `f` again.

    >>> import torch
    >>> import backsweep.torch as in_torch
    >>> def root(a):
    ...     x = a
    ...     while abs(x * x - a) > 1e-6:
    ...         x = 0.5 * (x + a / x)
    ...     return x
    >>> a = torch.tensor(4.0, requires_grad=True)
    >>> in_torch.function(root)(a).backward()
    >>> a.grad
    tensor(0.2500)
    """
    return _Function(f, result, dict(options))


class _Function(Bridged):
    """A function of tensors."""

    library, items = "PyTorch", "numbers and tensors"

    def __init__(self, f: Function, result: Any, options: dict[str, Any]) -> None:
        super().__init__(f, result, options)
        self._calls: dict[Flat, _Call] = {}
        self._in_graph = torch.compiler.allow_in_graph(lambda *args, **kwargs: self._called(args, kwargs))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._in_graph(*args, **kwargs)

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = self.bound(args, kwargs)
        leaves, structure = named(args, kwargs)
        tensors = self._tensors(leaves)
        types = tuple((each.dtype, each.dim() > 0) for each in tensors)
        code = self.code(structure, [_kind(each) for each in tensors], types)
        if code not in self._calls:
            make = _on_ones if self.result is None else self._as_said
            promise = functools.partial(make, code, (args, kwargs))
            self._calls[code] = _Call(code, (), promise, self.result is not None)
        found = _Applied.apply(self._calls[code], *tensors)
        return found[0] if code.single else code.form(found)

    def _tensors(self, leaves: Sequence[Any]) -> list[Tensor]:
        """The arguments as tensors. Numbers of Python have the widest dtype of the tensors, as in PyTorch's own functions."""
        given = [self._checked(each) for each in leaves if isinstance(each, torch.Tensor)]
        widths = [each.dtype.to_real() for each in given if _is_moved(each)]
        wide = functools.reduce(torch.promote_types, widths) if widths else torch.get_default_dtype()
        return [self._tensor(each, wide) for each in leaves]

    def _tensor(self, given: Any, wide: Any) -> Tensor:
        if isinstance(given, torch.Tensor | bool | int | np.ndarray | np.generic):
            return torch.as_tensor(given)
        if isinstance(given, float | complex):
            return torch.tensor(given, dtype=wide if isinstance(given, float) else wide.to_complex())
        raise self.refuses(given)

    def _checked(self, given: Tensor) -> Tensor:
        """The tensor; raises ArgumentError if it is no array of NumPy's."""
        if given.layout is not torch.strided:
            kind, reason, remedy = str(given.layout), "has no array of all elements", ".to_dense()"
        elif str(given.dtype).removeprefix("torch.") not in KNOWN:
            kind, reason = str(given.dtype), "NumPy does not compute with"
            remedy = ".float()" if given.is_floating_point() else ".cfloat()"
        else:
            return given
        message = f"an argument of `{self.name}` is a tensor of {kind}, which {reason}"
        raise wrong(message, f"give it as {self.name}(x{remedy}).")

    def _as_said(self, code: Flat, structure: Any, given: Sequence[Meta]) -> list[Meta]:
        """What `result` says that the function returns."""
        metas = iter([torch.empty(shape, dtype=dtype, device="meta") for shape, dtype in given])
        items, form = self.promised(*mapped(lambda _: next(metas), structure))
        code.single, code.form, code.results = form is None, form or tuple, tuple(map(_kind, items))
        return [(tuple(each.shape), each.dtype) for each in items]


class _Call(Call):
    """A call that PyTorch's compiler knows by a number."""

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.number = FIRST + len(CALLS)
        CALLS[self.number] = self


CALLS: dict[int, _Call] = {}
KNOWN = {"bool", "complex64", "complex128", "float32", "float64"}
KNOWN |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
"""The dtypes that NumPy computes with."""
FIRST = secrets.randbits(61)
"""The number of the first call. It is another one in each process: PyTorch keeps compiled graphs on the disk, with these numbers."""


class _Applied(torch.autograd.Function):  # type: ignore[misc]
    """A call with its derivatives."""

    @staticmethod
    def forward(call: _Call, *args: Tensor) -> tuple[Tensor, ...]:
        return tuple(torch.ops.backsweep.call(list(args), call.number))

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: tuple[Tensor, ...]) -> None:
        ctx.call, *args = inputs
        ctx.felt = tuple(k for k, each in enumerate(output) if _is_moved(each))
        ctx.count = len(output)
        ctx.mark_non_differentiable(*(each for each in output if not _is_moved(each)))
        ctx.save_for_backward(*args)
        ctx.save_for_forward(*args)
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
        args, levels = ctx.saved_tensors, ctx.call.levels
        moved = tuple(k for k, needed in enumerate(ctx.needs_input_grad[1:]) if needed)
        felt = tuple(k for k, each in enumerate(cotangents) if each is not None)
        if not (moved and felt):
            return (None,) * (1 + len(args))
        # The gradient of a complex number is the conjugate of that of Backsweep.
        weights = (torch.conj(cotangents[k]) for k in felt)
        found = _Applied.apply(ctx.call.pulled(moved, felt), *args, *weights)
        shared = [sharing(levels, k) for k in moved]
        sums = [each.sum(alike) if alike else each for each, alike in zip(found, shared, strict=True)]
        return (None, *placed(len(args), moved, list(map(torch.conj, sums))))

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Tensor | None) -> tuple[Tensor | None, ...]:
        moved = tuple(k for k, each in enumerate(tangents) if each is not None)
        if not (moved and ctx.felt):
            return tuple(placed(ctx.count, (), ()))
        push = ctx.call.pushed(moved, ctx.felt)
        found = _Applied.apply(push, *ctx.saved_tensors, *(tangents[k] for k in moved))
        return tuple(placed(ctx.count, ctx.felt, found))

    @staticmethod
    def vmap(_: Any, in_dims: tuple[int | None, ...], call: _Call, *args: Tensor) -> tuple[Any, Any]:
        axes = in_dims[1:]
        batched = call.batched(tuple(None if axis is None else 0 for axis in axes))
        pairs = zip(args, axes, strict=True)
        found = _Applied.apply(batched, *(x if axis is None else x.movedim(axis, 0) for x, axis in pairs))
        return found, (0,) * len(found)


def _numbered(number: int) -> _Call:
    """The call of a number in a graph."""
    if number not in CALLS:
        message = "a graph that another process made calls a function of that process"
        raise wrong(message, "make the graph here: torch.export.export(model, args).")
    return CALLS[number]


def _run(args: list[Tensor], number: int) -> list[Tensor]:
    """What the operator does."""
    call = _numbered(number)
    given = [each.detach().cpu().resolve_conj().resolve_neg().contiguous().numpy() for each in args]
    shapes = dtypes = None
    if call.is_promised or 0 in sizes_of(call.levels, [each.shape for each in given]):
        metas = call.metas(args)
        shapes, dtypes = [shape for shape, _ in metas], [_of_numpy(dtype) for _, dtype in metas]
    found = call.code.examples(call.levels, given, shapes, dtypes)
    tensors = []
    for each in found:
        if not hasattr(torch, each.dtype.name):
            raise no_result("PyTorch", call.code.name, each.dtype.name)
        own = np.array(each, order="C", copy=call.code.is_ready or None)
        tensors.append(torch.from_numpy(own).to(args[0].device))
    return tensors


def _shapes(args: list[Tensor], number: int) -> list[Tensor]:
    """What PyTorch's compiler asks for: tensors without numbers."""
    return [args[0].new_empty(shape, dtype=dtype) for shape, dtype in _numbered(number).metas(args)]


def _run_batched(args: list[Tensor], number: int) -> list[Tensor]:
    """What the operator does for batches of the `vmap` that `vectorize`, `is_grads_batched` and `gradcheck` use, one level at a time."""
    levels = range(torch._C._vmapmode_increment_nesting(), 0, -1)
    torch._C._vmapmode_decrement_nesting()
    for level in levels:
        # A tensor that has no examples there is expanded to as many as one asks for.
        twice = [[torch._remove_batch_dim(each, level, count, 0) for count in (1, 2)] for each in args]
        axes = tuple(0 if one.shape == other.shape else None for one, other in twice)
        if any(axis == 0 for axis in axes):
            break
    given = [each if axis is None else one for each, axis, (one, _) in zip(args, axes, twice, strict=True)]
    found = torch.ops.backsweep.call(given, _numbered(number).batched(axes).number)
    return [torch._add_batch_dim(each, 0, level) for each in found]


OPERATORS = torch.library.Library("backsweep", "DEF")
OPERATORS.define("call(Tensor[] args, int number) -> Tensor[]")
OPERATORS.impl("call", _run, "CompositeExplicitAutograd")
OPERATORS.impl("call", _run_batched, "Batched")
torch.library.register_fake("backsweep::call", _shapes, lib=OPERATORS)


def _on_ones(code: Flat, _: Any, given: Sequence[Meta]) -> list[Meta]:
    """What the function returns for ones."""
    found = code.examples((), [np.ones(shape, _of_numpy(dtype)) for shape, dtype in given])
    return [(each.shape, getattr(torch, each.dtype.name)) for each in found]


def _is_moved(value: Tensor) -> bool:
    """Whether it has a derivative."""
    return bool(value.is_floating_point() or value.is_complex())


def _kind(value: Tensor) -> str:
    return kind_of(value.shape, _of_numpy(value.dtype))


def _of_numpy(dtype: Any) -> Any:
    """The dtype of NumPy, which has the same name. Tensors cannot be asked while PyTorch traces."""
    return np.dtype(str(dtype).removeprefix("torch."))
