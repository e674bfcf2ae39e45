"""Functions of NumPy within PyTorch: their derivatives are those that PyTorch finds for the same formulas."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

import backsweep as bs

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
from torch.autograd import gradcheck, gradgradcheck  # noqa: E402

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of PyTorch's compiler, as it is imported
    import backsweep.torch as in_torch

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated")

X = torch.tensor([0.3, -0.8, 1.1], dtype=torch.float64)
W = torch.tensor(0.5, dtype=torch.float64)
MANY = torch.stack([X, 2.0 * X])


def wave(x, k, w):
    """Sums in place, a count, and a number."""
    h, t, out = 0.0, 0, np.zeros(x.size)
    while t < x.size:
        h = np.sin(w * h + x[t])
        out[t] = k * h
        t += 1
    return out, x.size, h


def ripple(x, w):
    return np.sum(np.sin(w * x) * x)


def same(x, w):
    return torch.sum(torch.sin(w * x) * x)


def size(z, w):
    return np.abs(z * w) ** 2 + (z * z).imag


WAVE = in_torch.function(wave, jit=False)
RIPPLE = in_torch.function(ripple, jit=False)


def needed(*given: Any) -> Any:
    return tuple(each.clone().requires_grad_() for each in given)


def of_batch(f: Any) -> Any:
    return lambda x, w: torch.vmap(f, (0, None))(x, w).square().sum()


TRANSFORMS: dict[str, tuple[Any, Any]] = {
    "grad": (lambda f: torch.func.grad(f, (0, 1)), X),
    "jvp": (lambda f: lambda x, w: torch.func.jvp(f, (x, w), (x, w)), X),
    "forward over reverse": (lambda f: torch.func.hessian(f, (0, 1)), X),
    "reverse over reverse": (lambda f: torch.func.jacrev(torch.func.jacrev(f)), X),
    "forward over forward": (lambda f: torch.func.jacfwd(torch.func.jacfwd(f)), X),
    "batch of gradients": (lambda f: torch.vmap(torch.func.grad(f, (0, 1)), (0, None)), MANY),
    "gradient of a batch": (lambda f: torch.func.grad(of_batch(f), (0, 1)), MANY),
    "batch of batches": (lambda f: torch.vmap(torch.vmap(f, (None, 0)), (0, None)), MANY),
    "hessian of a batch": (lambda f: torch.func.hessian(of_batch(f), 1), MANY),
}


@pytest.mark.turns(3)
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_transformations(transform: str) -> None:
    of_function, x = TRANSFORMS[transform]
    w = torch.stack([W, 2.0 * W]) if transform == "batch of batches" else W
    torch.testing.assert_close(of_function(RIPPLE)(x, w), of_function(same)(x, w))


def test_differences_to_second_order() -> None:
    given = needed(X, W)
    assert gradcheck(lambda x, w: WAVE(x, 2, w)[::2], given)
    assert gradcheck(RIPPLE, given, check_forward_ad=True)
    assert gradgradcheck(RIPPLE, given)
    strided = torch.arange(6.0, dtype=torch.float64)[::2]
    assert gradcheck(RIPPLE, needed(strided, W))


@pytest.mark.turns(3)
@pytest.mark.turns(3)
def test_batches_of_cotangents() -> None:
    """By the older `vmap` of `torch.autograd`."""
    x, w = needed(MANY, W)

    def f(x: Any, w: Any, each: Any = RIPPLE) -> Any:
        return torch.vmap(each, (0, None))(x, w) * x[:, 0]

    assert gradcheck(
        f, (x, w), check_batched_grad=True, check_forward_ad=True, check_batched_forward_grad=True
    )
    found = torch.autograd.functional.hessian(lambda x: f(x, w).sum(), x, vectorize=True)
    torch.testing.assert_close(found, torch.autograd.functional.hessian(lambda x: f(x, w, same).sum(), x))


def test_it_travels_with_a_model() -> None:
    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.f = RIPPLE

    model = Model()
    found = pickle.loads(pickle.dumps(model.f))
    assert found(X, W) == copy.deepcopy(model).f(X, W) == RIPPLE(X, W)


def test_complex_numbers() -> None:
    given = needed(
        torch.tensor(0.3 + 0.8j, dtype=torch.cdouble), torch.tensor(1.0 - 0.5j, dtype=torch.cdouble)
    )
    fn = in_torch.function(size, jit=False)
    assert gradcheck(fn, given)
    assert gradgradcheck(fn, given)


class Pair(NamedTuple):
    """Two results."""

    total: Any
    count: Any


def test_arguments_and_results_of_parts() -> None:
    def energy(parameters, x, factor=2.0):
        first, second = parameters["pair"]
        return Pair(np.sum(first * x) * parameters["rate"] * factor + second, x.size)

    fn = in_torch.function(energy, jit=False)
    rate, first = needed(torch.tensor(3.0, dtype=torch.float64), X)
    found = fn({"rate": rate, "pair": (first, 4.0)}, x=X)
    assert isinstance(found, Pair)
    assert found.count.item() == 3
    found.total.backward()
    torch.testing.assert_close(first.grad, 6.0 * X)
    torch.testing.assert_close(rate.grad, 2.0 * X @ X)


def test_precision() -> None:
    (x,) = needed(X.float())
    value = RIPPLE(x, 0.5)
    value.backward()
    assert (value.dtype, x.grad.dtype) == (torch.float32, torch.float32)
    assert WAVE(x, 2, 0.5)[0].dtype == torch.float64
    narrow = in_torch.function(wave, result=lambda x, k, w: (x, torch.tensor(1), x[0]), jit=False)
    (y, count, h) = narrow(x, 2, 0.5)
    assert (y.dtype, count.dtype, h.dtype) == (torch.float32, torch.int64, torch.float32)
    with torch.no_grad():
        assert not RIPPLE(x, 0.5).requires_grad


def test_what_is_given_stays() -> None:
    def written(x, y):
        x[0] += y
        return x

    x = X.clone()
    found = in_torch.function(written, jit=False)(x, 1.0)
    found[1] = 7.0
    assert x.tolist() == X.tolist()


def test_what_pytorch_does_not_hand_on() -> None:
    with pytest.raises(bs.ArgumentError, match="is given an object of type str"):
        RIPPLE("x", W)
    with pytest.raises(bs.ArgumentError, match="which NumPy does not compute with"):
        RIPPLE(X.half(), W)
    with pytest.raises(TypeError, match="missing a required argument: 'w'"):
        RIPPLE(X)
    with pytest.raises(bs.ArgumentError, match="calls a function of that process"):
        torch.ops.backsweep.call([X, W], in_torch.FIRST - 1)
    with pytest.raises(bs.ArgumentError, match=r"torch.sparse_coo, which .*\n.* as ripple\(x.to_dense\(\)\)"):
        RIPPLE(X.to_sparse(), W)
    with pytest.raises(bs.ArgumentError, match=r"tensor of torch[.]float8_e4m3fn"):
        RIPPLE(X.to(torch.float8_e4m3fn), W)
    with pytest.raises(bs.ArgumentError, match="returns more than a number, an array, or a tuple of these"):
        in_torch.function(lambda x: (x, (x, x)), jit=False)(X)
    with pytest.raises(bs.ArgumentError, match="and `function` returns str32"):
        in_torch.function(lambda x: "x", jit=False)(X)
    with pytest.raises(bs.ArgumentError, match=r"has the shape \(3,\), and \(2,\) was promised"):
        in_torch.function(wave, result=torch.empty(2), jit=False)(X, 1, W)


@pytest.mark.turns(3)
def test_compiled_by_pytorch() -> None:
    def model(f: Any) -> Any:
        return lambda x, w: f(x, w) * torch.sin(w) + torch.vmap(f, (0, None))(torch.stack([x, -x]), w).sum()

    theirs, ours = needed(X, W), needed(X, W)
    model(same)(*theirs).backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.compile(model(RIPPLE), fullgraph=True, backend="aot_eager")(*ours).backward()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one.grad, other.grad)


@pytest.mark.turns(3)
def test_compiled_functions_share_the_memory_of_tensors() -> None:
    x = X.clone()
    fn = in_torch.function(numba.njit(ripple))
    torch.testing.assert_close(torch.func.grad(fn)(x, W), torch.func.grad(same)(x, W))
    (call,) = [
        each for each in in_torch.CALLS.values() if each.code.name == "ripple" and not each.code.is_ready
    ]
    seen = []
    call.code._kept[((0, 0),), ("parallel", False)] = lambda *given: (seen.append(given), np.zeros(1))[1]
    fn(x, W)
    assert np.shares_memory(seen[0][0], x.numpy())


def test_within_a_numpy_program() -> None:
    """What docs/how_to/networks_within.md says."""

    def net(w, seen):
        return torch.tanh(w @ seen)

    def back(w, seen, y_bar):
        given = torch.from_numpy(w).requires_grad_(), torch.from_numpy(seen).requires_grad_()
        found = torch.autograd.grad(net(*given), given, torch.tensor(y_bar, dtype=torch.float64))
        return tuple(each.numpy() for each in found)

    ahead = bs.pure_python(
        lambda w, seen: float(net(torch.from_numpy(w), torch.from_numpy(seen))), result=0.0
    )
    pulled = bs.pure_python(back, result=(np.zeros(1), np.zeros(1)))

    def forward(w, seen):
        return ahead(w, seen), (w, seen)

    def backward(kept, y_bar):
        return pulled(*kept, y_bar)

    @bs.custom_vjp
    def layer(w, seen):
        return ahead(w, seen)

    layer.defvjp(forward, backward)

    def program(w):
        seen = np.ones(3)
        for k in range(3):
            seen[k] = seen[k] * layer(w, seen)
        return np.sum(seen)

    (w,) = needed(X)
    seen = torch.ones(3, dtype=torch.float64)
    for k in range(3):
        seen = torch.where(torch.arange(3) == k, seen * net(w, seen), seen)
    seen.sum().backward()
    np.testing.assert_allclose(bs.grad(program, jit=False)(X.numpy()), w.grad.numpy(), rtol=1e-12)
