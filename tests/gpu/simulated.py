"""Run every program on Numba's simulator of a GPU, and write what differs from the CPU: `python -m tests.gpu.simulated`."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"

import numpy as np
from numba import cuda

import backsweep as bs
from backsweep.runtime.gpu import launch, numbers
from tests.gpu.programs import CASES, Case, decays, price, pulls, waves


def leaves(value: Any) -> list[Any]:
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [value]


def as_wanted(found: Any, wanted: Any) -> str:
    """What differs between two results; empty if nothing does."""
    for got, other in zip(leaves(found), leaves(wanted), strict=True):
        kinds, dtypes = {type(got), type(other)}, {np.asarray(got).dtype, np.asarray(other).dtype}
        if len(kinds) > 1 or len(dtypes) > 1:
            return f"{kinds}, {dtypes}"
        small = np.asarray(other).dtype == np.float32
        if not np.allclose(got, other, rtol=1e-5 if small else 1e-11, atol=1e-12, equal_nan=True):
            return f"{got} and {other}"
    return ""


def differing(case: Case) -> str:
    """What differs between the GPU and the CPU; empty if nothing does."""
    options = {} if case.parallel is None else {"parallel": case.parallel}
    on_cpu = bs.value_and_grad(case.function, wrt=case.wrt, jit=False)
    on_gpu = bs.cuda(bs.value_and_grad(case.function, wrt=case.wrt, **options))
    found = as_wanted(on_gpu(*case.args), on_cpu(*case.args))
    text = on_gpu.source()
    return found or "; ".join(f"no {part} in {text}" for part in case.holds if part not in text)


def arrays_on_the_gpu() -> str:
    """Arrays that lie on the GPU are read where they are, and so are strided ones; gradients lie there, too."""
    case = next(each for each in CASES if each.function is pulls)
    x, m, w = case.args
    wide = np.zeros((x.shape[0], 4))
    wide[:, ::2] = x
    on_gpu = bs.cuda(bs.value_and_grad(pulls, wrt=case.wrt))
    value, slopes = on_gpu(cuda.to_device(wide)[:, ::2], cuda.to_device(m), w)
    if any(isinstance(each, np.ndarray) for each in slopes):
        return f"on the host: {slopes}"
    on_cpu = bs.value_and_grad(pulls, wrt=case.wrt, jit=False)(x, m, w)
    return as_wanted((value, *(each.copy_to_host() for each in slopes)), (on_cpu[0], *on_cpu[1]))


def saved_module() -> str:
    """A module that is saved does without Backsweep."""
    case = next(each for each in CASES if each.function is decays)
    on_gpu = bs.cuda(bs.value_and_grad(decays, wrt=case.wrt))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "adjoint.py"
        on_gpu.save(str(path), *case.args)
        text = path.read_text(encoding="utf-8")
        spec = importlib.util.spec_from_file_location("adjoint", path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.THREADS = (
            1  # what the simulator's own `device=True` takes from other threads of a block is not there
        )
        found = module.decays_value_and_grad(*case.args)
    if "import backsweep" in text or "from backsweep" in text:
        return text
    value, slopes = on_gpu(*case.args)
    return as_wanted((float(found[0]), *found[1]), (value, *slopes))


def arguments_that_overlap() -> str:
    """What the function writes must be no memory of another argument, wherever the two lie."""

    def shifted(x: Any, y: Any) -> Any:
        for i in bs.prange(y.size):
            x[i + 1] = 2.0 * y[i]
        return x[x.size - 1] * x[1]

    on_gpu, both = bs.cuda(bs.grad(shifted, argnums=(0, 1))), np.arange(6.0)
    on_gpu(both[:3].copy(), both[:2])
    for array in (both, cuda.to_device(both)):
        try:
            on_gpu(array[:5], array[1:5])
        except bs.ArgumentError as error:
            if "BS416" not in str(error):
                return str(error)
        else:
            return f"nothing is said of {type(array)}"
    return ""


def error_of_a_thread() -> str:
    """Where a thread met an error, the CPU says which."""

    def share(x: Any, y: Any) -> Any:
        s = 0.0
        for i in bs.prange(x.size):
            if y[i] == 0.0:
                raise ValueError("a share of nothing")
            s += x[i] / y[i]
        return s

    on_gpu = bs.cuda(bs.grad(share))
    raised, launch.all_blocks = launch.all_blocks, lambda _done: -1  # type: ignore[attr-defined]
    try:
        on_gpu(np.ones(3), np.ones(3))
    except launch.KernelError as error:
        unknown = str(error)
    try:
        on_gpu(np.ones(3), np.zeros(3))
    except ValueError as error:
        return "" if str(error) == "a share of nothing" and "the CPU" in unknown else str(error)
    finally:
        launch.all_blocks = raised  # type: ignore[attr-defined]
    return "nothing was raised"


def row(w, x):
    return np.tanh(w @ x) * w[0]


def products() -> str:
    """Pullbacks and tangents, of arrays of NumPy and of arrays on the GPU, and gradients of products for the rows of a batch."""
    x, x_dot = np.linspace(0.1, 0.9, 4), np.linspace(1.0, -1.0, 4)
    y_bar = np.linspace(-1.0, 2.0, 10).reshape(5, 2), 0.3
    result, pullback = bs.vjp(waves, x, 0.7, 5, jit=False)
    wanted = (result, pullback(y_bar), bs.jvp(waves, (x, 0.7, 5), (x_dot, 0.2), jit=False))
    pulled, pushed = bs.cuda(bs.vjp(waves)), bs.cuda(bs.jvp(waves))
    got, back = pulled(x, 0.7, 5)
    wrong = as_wanted((got, back(y_bar), pushed((x, 0.7, 5), (x_dot, 0.2))), wanted)
    there, there_dot = cuda.to_device(x), cuda.to_device(x_dot)
    got, back = pulled(there, 0.7, 5)
    found = (got, back((cuda.to_device(y_bar[0]), 0.3)), pushed((there, 0.7, 5), (there_dot, 0.2)))
    if not all(hasattr(each, "copy_to_host") for each in (got[0], leaves(found[1])[0], leaves(found[2])[0])):
        return f"not on the GPU: {found}"
    here = [each.copy_to_host() if hasattr(each, "copy_to_host") else each for each in leaves(found)]
    text = str(pulled.source()) + str(pushed.source())
    slopes = bs.batch(bs.grad(row), (None, 0))
    rows = np.linspace(-1.0, 1.0, 15).reshape(5, 3)
    wrong = wrong or as_wanted(bs.cuda(slopes)(rows[1], rows), slopes(rows[1], rows))
    return (
        wrong
        or as_wanted(tuple(here), tuple(leaves(wanted)))
        or ("" if "waves_pullback_kernel" in text else text)
    )


def of_second_order() -> str:
    """Hessians and their products, and Jacobians."""
    given = 1.1, 0.2, 0.05, np.random.default_rng(1).standard_normal((7, 3))
    along = 1.0, 0.5
    pairs = [
        (bs.cuda(bs.hvp(price, (0, 1)))(given, along), bs.hvp(price, (0, 1), jit=False)(given, along)),
        (bs.cuda(bs.hessian(price, 1))(*given), bs.hessian(price, 1, jit=False)(*given)),
    ]
    for made in (bs.jacobian, bs.jacfwd):
        on_cpu = made(lambda x: waves(x, 0.7, 5)[0], jit=False)(np.linspace(0.1, 0.9, 4))
        pairs.append((bs.cuda(made(lambda x: waves(x, 0.7, 5)[0]))(np.linspace(0.1, 0.9, 4)), on_cpu))
    return "; ".join(found for got, wanted in pairs if (found := as_wanted(got, wanted)))


def explained() -> str:
    """For each loop, whether it is a kernel and how, or why not."""
    slopes = bs.cuda(bs.grad(price, (0, 1)))
    (loop,) = slopes.explain(1.1, 0.2, 0.05, np.ones((7, 3))).loops
    wanted = "blocks of threads add up `start_bar`, `sigma_bar`; each thread has `s_tape`, `exp_tape` in a workspace"
    found = [] if (loop.parallel, loop.device, loop.reason) == (True, "GPU", wanted) else [str(loop)]

    def unmarked(x: Any) -> Any:
        last = total = 0.0
        for i in range(x.size):
            last = 0.5 * last + x[i]
        for i in range(x.size):
            total += x[i] * last
        return total

    text = str(bs.cuda(bs.grad(unmarked, parallel=True)).explain(np.ones(3)))
    wanted = "runs on the host: an iteration needs what the one before it left in `last`."
    found += [] if wanted in text and "runs on the GPU: " in text else [text]
    batch = bs.cuda(bs.batch(bs.grad(row), (None, 0))).explain(np.ones(3), np.ones((5, 3)))
    return "; ".join(found + ([] if [each.device for each in batch.loops] == ["GPU"] else [str(batch)]))


def functions_of_numbers() -> str:
    """They are NumPy's, also where these are nan or infinite."""
    values = [0.0, -0.0, 0.3, -0.3, 0.5, 1.5, 2.5, -2.5, 7.9, -7.9, 1e300, np.inf, -np.inf, np.nan]
    pairs = [(np.float64(x), np.float64(y)) for x in values for y in values]
    wrong = []
    with np.errstate(all="ignore"):
        for name in set(numbers.__all__) - {"clip"}:
            of_numpy = getattr(np, name)
            for pair in pairs:
                given = pair[: getattr(of_numpy, "nin", 1)]
                if not np.allclose(
                    getattr(numbers, name)(*given), of_numpy(*given), rtol=1e-13, equal_nan=True
                ):
                    wrong.append((name, *given))
    return str(wrong) if wrong else ""


CHECKS: list[Callable[[], str]] = [
    arrays_on_the_gpu,
    arguments_that_overlap,
    products,
    saved_module,
    error_of_a_thread,
    of_second_order,
    explained,
    functions_of_numbers,
]


def main() -> None:
    tried = {case.function.__name__: (differing, (case,)) for case in CASES}
    tried |= {check.__name__: (check, ()) for check in CHECKS}
    found = {}
    for name, (check, given) in tried.items():
        try:
            found[name] = check(*given)
        except Exception:  # noqa: BLE001  the test reports it
            found[name] = traceback.format_exc()
    json.dump(found, sys.stdout)


if __name__ == "__main__":
    main()
