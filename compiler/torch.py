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

from backsweep.api.flat import Flat, Levels, Positions, kind_of, sizes_of
from backsweep.api.typed import CompileOptions
from backsweep.bridge import Bridged, mapped, named, only_outside, wrong

Function = Callable[..., Any]
Tensor = Any  # PyTorch's own annotations are not read
Meta = tuple[tuple[int, ...], Any]
"""The shape and the dtype of a tensor."""
Promise = Callable[[Sequence[Meta]], list[Meta]]
"""What is returned for one example, by what is given."""

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

        def called(*args: Any, **kwargs: Any) -> Any:
            return self._called(args, kwargs)

        self._in_graph = torch.compiler.allow_in_graph(called)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._in_graph(*args, **kwargs)

    def _called(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args, kwargs = self.bound(args, kwargs)
        leaves, structure = named(args, kwargs)
        tensors = self._tensors(leaves)
        types = tuple((each.dtype, each.dim() > 0) for each in tensors)
        code = self.code(structure, [_kind(each) for each in tensors], types)
        if code not in self._calls:
            promise = _promise(code, self.result, args, kwargs)
            self._calls[code] = _Call(code, (), promise, is_promised=self.result is not None)
        found = _Applied.apply(self._calls[code], *tensors)
        return found[0] if code.single else code.form(found)

    def _tensors(self, leaves: Sequence[Any]) -> list[Tensor]:
        """The arguments as tensors. Numbers of Python have the widest dtype of the tensors, as in PyTorch's own functions."""
        given = [each for each in leaves if isinstance(each, torch.Tensor)]
        for each in given:
            self._check(each)
        widths = [each.dtype.to_real() for each in given if _is_moved(each)]
        wide = functools.reduce(torch.promote_types, widths) if widths else torch.get_default_dtype()
        tensors = []
        for each in leaves:
            if isinstance(each, torch.Tensor):
                tensors.append(each)
            elif isinstance(each, bool | int | np.ndarray | np.generic):
                tensors.append(torch.as_tensor(each))
            elif isinstance(each, float | complex):
                tensors.append(
                    torch.tensor(each, dtype=wide if isinstance(each, float) else wide.to_complex())
                )
            else:
                raise self.refuses(each)
        return tensors

    def _check(self, given: Tensor) -> None:
        """Raise ArgumentError for a tensor that is no array of NumPy's."""
        remedy = ".float()" if given.is_floating_point() else ".cfloat()"
        if given.layout is not torch.strided:
            kind, reason, remedy = str(given.layout), "has no array of all elements", ".to_dense()"
        elif given.dtype not in DTYPES:
            kind, reason = str(given.dtype), "NumPy does not compute with"
        else:
            return
        message = f"an argument of `{self.name}` is a tensor of {kind}, which {reason}"
        raise wrong(message, f"give it as {self.name}(x{remedy}).")


class _Call:
    """A call of a function, with the axes of examples in its arguments. PyTorch's compiler knows it by a number."""

    def __init__(self, code: Flat, levels: Levels, promise: Promise, *, is_promised: bool = False) -> None:
        self.code, self.levels, self.promise, self.is_promised = code, levels, promise, is_promised
        self.number = FIRST + len(CALLS)
        CALLS[self.number] = self
        self._kept: dict[Any, _Call] = {}

    def pulled(self, moved: Positions, felt: Positions) -> _Call:
        """The pullback, as `Flat` has it."""
        code = self.code.pulled(moved, felt)
        levels = tuple((*axes, *(0 for _ in felt)) for axes in self.levels)
        return self._kept_as(code, levels, lambda given: [given[k] for k in moved])

    def pushed(self, moved: Positions, felt: Positions) -> _Call:
        """The pushforward, as `Flat` has it."""
        code, count = self.code.pushed(moved, felt), len(self.code.args)
        levels = tuple((*axes, *(axes[k] for k in moved)) for axes in self.levels)

        def promise(given: Sequence[Meta]) -> list[Meta]:
            found = self.promise(given[:count])
            return [found[k] for k in felt]

        return self._kept_as(code, levels, promise)

    def batched(self, axes: tuple[int | None, ...]) -> _Call:
        """The call with one more axis of examples, before all others."""
        return self._kept_as(self.code, (axes, *self.levels), self.promise, is_promised=self.is_promised)

    def _kept_as(self, code: Flat, levels: Levels, promise: Promise, *, is_promised: bool = False) -> _Call:
        key = (code, levels)
        if key not in self._kept:
            self._kept[key] = _Call(code, levels, promise, is_promised=is_promised)
        return self._kept[key]

    def metas(self, args: Sequence[Tensor]) -> list[Meta]:
        """What it returns, with all axes of examples."""
        sizes = sizes_of(self.levels, [each.shape for each in args])
        own = [
            (tuple(each.shape[sum(axes[k] is not None for axes in self.levels) :]), each.dtype)
            for k, each in enumerate(args)
        ]
        return [((*sizes, *shape), dtype) for shape, dtype in self.promise(own)]


CALLS: dict[int, _Call] = {}
DTYPES = [
    *(torch.bool, torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32),
    *(torch.uint64, torch.float32, torch.float64, torch.complex64, torch.complex128),
]
"""What NumPy computes with."""
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
        answer: list[Tensor | None] = [None] * len(args)
        if moved and felt:
            pull = ctx.call.pulled(moved, felt)
            # The gradient of a complex number is the conjugate of that of Backsweep.
            found = _Applied.apply(pull, *args, *(torch.conj(cotangents[k]) for k in felt))
            for k, each in zip(moved, found, strict=True):
                alike = [at for at, axes in enumerate(levels) if axes[k] is None]
                answer[k] = torch.conj(each.sum(alike) if alike else each)
        return (None, *answer)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Tensor | None) -> tuple[Tensor | None, ...]:
        moved = tuple(k for k, each in enumerate(tangents) if each is not None)
        answer: list[Tensor | None] = [None] * ctx.count
        if moved and ctx.felt:
            push = ctx.call.pushed(moved, ctx.felt)
            found = _Applied.apply(push, *ctx.saved_tensors, *(tangents[k] for k in moved))
            for k, each in zip(ctx.felt, found, strict=True):
                answer[k] = each
        return tuple(answer)

    @staticmethod
    def vmap(_: Any, in_dims: tuple[int | None, ...], call: _Call, *args: Tensor) -> tuple[Any, Any]:
        axes = in_dims[1:]
        batched = call.batched(tuple(None if axis is None else 0 for axis in axes))
        moved = (
            each if axis is None else each.movedim(axis, 0) for each, axis in zip(args, axes, strict=True)
        )
        found = _Applied.apply(batched, *moved)
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
            message = f"PyTorch takes numbers and arrays, and `{call.code.name}` returns {each.dtype.name}"
            raise wrong(message, "return a number, an array, or a tuple of these.")
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


def _promise(code: Flat, result: Any, args: Any, kwargs: Any) -> Promise:
    """What the function returns, as the user says, or else for ones."""

    def promise(given: Sequence[Meta]) -> list[Meta]:
        if result is None:
            ones = code.examples((), [np.ones(shape, _of_numpy(dtype)) for shape, dtype in given])
            return [(each.shape, getattr(torch, each.dtype.name)) for each in ones]
        metas = iter([torch.empty(shape, dtype=dtype, device="meta") for shape, dtype in given])
        own, named = mapped(lambda _: next(metas), (args, kwargs))
        found = result(*own, **named) if callable(result) else result
        items = found if isinstance(found, tuple) else (found,)
        code.single, code.form = not isinstance(found, tuple), getattr(type(found), "_make", tuple)
        code.results = tuple(map(_kind, items))
        return [(tuple(each.shape), each.dtype) for each in items]

    return promise


def _is_moved(value: Tensor) -> bool:
    """Whether it has a derivative."""
    return bool(value.is_floating_point() or value.is_complex())


def _kind(value: Tensor) -> str:
    return kind_of(value.shape, _of_numpy(value.dtype))


def _of_numpy(dtype: Any) -> Any:
    """The dtype of NumPy, which has the same name. Tensors cannot be asked while PyTorch traces."""
    return np.dtype(str(dtype).removeprefix("torch."))
