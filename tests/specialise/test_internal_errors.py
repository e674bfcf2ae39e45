"""What is neither a refusal nor the program's own exception is told as a fault of ours; what the program raises passes."""

from __future__ import annotations

import inspect
import pickle
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import errors

import backsweep as bs
from backsweep.api import checking
from backsweep.dispatch.inference import RememberingInference
from backsweep.explanation import measure
from backsweep.inspect import trace
from backsweep.optimise import simplify
from backsweep.optimise.loops import sweep_fusion
from backsweep.specialise import pullback, transformed
from tests.support.counted import FAULTS

X = np.array([0.5, 1.5])


def fresh() -> Callable[..., Any]:
    """A function that nothing was emitted for."""

    def cost(x):
        s = 0.0
        for i in range(x.size):
            s += np.sin(x[i]) * s + x[i]
        return s

    return cost


def broken(*_: Any, **__: Any) -> Any:
    raise KeyError("a fault")


@pytest.fixture(autouse=True)
def empty_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was emitted before would not go through the passes."""
    monkeypatch.setenv("BACKSWEEP_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def broken_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways through the pipeline fail in a pass."""
    monkeypatch.setattr(simplify, "with_body", broken)


def looked_at(how: str) -> Callable[[Path], Any]:
    """One way to look at a gradient."""
    return lambda _: getattr(bs.grad(fresh()), how)(X)


DOORS: dict[str, Callable[[Path], Any]] = {
    "grad": lambda _: bs.grad(fresh())(X),
    "grad, plain": lambda _: bs.grad(fresh(), jit=False)(X),
    "value_and_grad": lambda _: bs.value_and_grad(fresh())(X),
    "by keyword": lambda _: bs.grad(fresh())(x=X),
    "vjp": lambda _: bs.vjp(fresh(), X),
    "jvp": lambda _: bs.jvp(fresh(), (X,), (X,)),
    "hvp": lambda _: bs.hvp(fresh())((X,), (X,)),
    "jacobian": lambda _: bs.jacobian(fresh())(X),
    "jacfwd": lambda _: bs.jacfwd(fresh())(X),
    "jacrev": lambda _: bs.jacrev(fresh())(X),
    "hessian": lambda _: bs.hessian(fresh())(X),
    "sparse hessian": lambda _: bs.hessian(fresh(), sparse=True)(X),
    "sparsity": lambda _: bs.sparsity(fresh())(X),
    "check_grads": lambda _: bs.check_grads(fresh(), (X,)),
    "source": looked_at("source"),
    "stages": looked_at("stages"),
    "explain": looked_at("explain"),
    "bs.source": lambda _: bs.source(bs.grad(fresh()), X),
    "readable source": lambda _: bs.grad(fresh()).source(X, optimize="readable"),
    "save": lambda folder: bs.grad(fresh()).save(folder / "saved.py", X),
    "a gradient of a gradient": lambda _: bs.grad(bs.grad(lambda x: x * x))(1.0),
    "in compiled code": lambda _: numba.njit(calling(bs.grad(fresh())))(X),
}


def calling(slope: Any) -> Callable[[Any], Any]:
    def caller(x):
        return slope(x) + 0.0

    return caller


@pytest.mark.provokes_faults
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.usefixtures("broken_pass")
def test_every_door_tells_a_fault(door: str, tmp_path: Path) -> None:
    with pytest.raises(bs.InternalError, match=r"KeyError: 'a fault'  \[BS155\]") as caught:
        DOORS[door](tmp_path)
    assert isinstance(caught.value.__cause__, KeyError)
    assert caught.value.stage.startswith("`")


@pytest.mark.provokes_faults
def test_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_fusion, "_next_loop", broken)
    before = len(FAULTS)
    with pytest.raises(bs.BacksweepError) as caught:
        bs.grad(fresh())(X)
    error, text = caught.value, str(caught.value)
    assert isinstance(error, bs.InternalError)
    assert FAULTS[before:] == [error]
    assert error.function == "cost"
    assert error.stage.startswith("`fuse_sweeps`, backsweep/optimise/loops/sweep_fusion.py:")
    assert "Backsweep failed on `cost` in `fuse_sweeps`" in text
    assert f"{Path(__file__).name}:" in text and "in cost" in text
    assert "array(float64, 1d, C)" in text and "Please report it" in text
    assert error.versions == {
        "backsweep": bs.__version__,
        "numba": numba.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }
    assert all(f"{package} {version}" in text for package, version in error.versions.items())
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.stage, again.versions) == (text, error.stage, error.versions)


@pytest.mark.provokes_faults
@pytest.mark.parametrize(
    ("module", "name", "call"),
    [
        (pullback, "fitted", lambda: bs.vjp(fresh(), X)[1](1.0)),
        (transformed, "prepared", lambda: bs.grad(fresh(), jit=False)(X)),
        (measure, "records", lambda: bs.grad(fresh()).explain(X)),
        (trace, "_traced", lambda: bs.trace(fresh())(X)),
        (checking, "leaves", lambda: bs.check_grads(fresh(), (X,))),
        (transformed, "read_source", lambda: bs.grad(fresh()).source(X)),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_faults_beside_the_passes(
    monkeypatch: pytest.MonkeyPatch, module: Any, name: str, call: Callable[[], Any]
) -> None:
    monkeypatch.setattr(module, name, broken)
    if name == "read_source":
        assert "BS155" in bs.grad(fresh())._repr_html_()
        return
    with pytest.raises(bs.InternalError, match="a fault"):
        call()


@pytest.mark.provokes_faults
@pytest.mark.parametrize(
    ("suffix", "call"),
    [
        ("_grad", lambda: bs.grad(fresh())(X)),
        ("_pullback", lambda: bs.vjp(fresh(), X)[1](1.0)),
        ("_jvp", lambda: bs.jvp(fresh(), (X,), (X,))),
        ("_hvp", lambda: bs.hvp(fresh())((X,), (X,))),
        ("_pushforwards", lambda: bs.sparsity(fresh())(X)),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_emitted_code_that_numba_does_not_compile(
    monkeypatch: pytest.MonkeyPatch, suffix: str, call: Callable[[], Any]
) -> None:
    whole = RememberingInference.run_pass

    def failing(self: Any, state: Any) -> bool:
        if f"{suffix}_" in state.func_id.func_name:
            raise errors.LoweringError("not this")
        return whole(self, state)

    monkeypatch.setattr(RememberingInference, "run_pass", failing)
    with pytest.raises(bs.InternalError, match="not this") as caught:
        call()
    assert "Numba's compilation of the emitted code" in caught.value.stage


def divides(x, k):
    return x[0] * (1.0 / (k - 1))


def reads(x, k):
    return x[k + 100]


def refuses(x, k):
    if k > 0:
        raise ValueError("not for me")
    return x[0]


@pytest.mark.parametrize("jit", [True, False], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("function", "kind"),
    [(divides, ZeroDivisionError), (reads, IndexError), (refuses, ValueError)],
    ids=lambda part: part.__name__,
)
def test_exceptions_of_the_program_pass(
    function: Callable[..., Any], kind: type[Exception], *, jit: bool
) -> None:
    options = {"jit": jit, "error_model": "python", "boundscheck": True}
    with pytest.raises(kind):
        bs.grad(function, **options)(X, 1)
    with pytest.raises(kind):
        bs.vjp(function, X, 1, **options)
    with pytest.raises(kind):
        bs.jvp(function, (X, 1), (X,), **options)


@pytest.mark.parametrize(
    ("function", "kind"), [(reads, IndexError), (refuses, ValueError)], ids=lambda part: part.__name__
)
def test_exceptions_of_the_program_pass_a_trace(function: Callable[..., Any], kind: type[Exception]) -> None:
    with pytest.raises(kind):
        bs.trace(function)(X, 1)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, MemoryError, DeprecationWarning])
def test_what_is_no_fault_passes(monkeypatch: pytest.MonkeyPatch, kind: type[BaseException]) -> None:
    def stopped(*_: Any) -> Any:
        raise kind

    monkeypatch.setattr(simplify, "with_body", stopped)
    with pytest.raises(kind):
        bs.grad(fresh())(X)


@pytest.mark.parametrize("jit", [False, True])
def test_a_call_that_does_not_fit_is_refused_and_a_type_error(jit: bool) -> None:
    slope = bs.grad(fresh(), jit=jit)
    for given, said in ((), "missing a required argument"), ((X, 1, 2, 3, 4), "too many positional"):
        with pytest.raises(TypeError, match=said) as caught:
            slope(*given)
        assert isinstance(caught.value, bs.ArgumentError)


def test_a_function_that_numba_cannot_type_is_refused_as_before() -> None:
    with pytest.raises(bs.TypingError):
        bs.grad(lambda x: x + "a")(1.0)


def test_what_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    """As many operations as Python's limit of recursion are no fault of ours; a higher limit helps."""
    terms = " + ".join(f"{k}.0 * x" for k in range(120))
    (tmp_path / "long.py").write_text(f"def summed(x):\n    return {terms}\n", encoding="utf-8")
    namespace: dict[str, Any] = {}
    text = (tmp_path / "long.py").read_text(encoding="utf-8")
    exec(compile(text, str(tmp_path / "long.py"), "exec"), namespace)
    summed, limit = namespace["summed"], sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(len(inspect.stack()) + 130)
        with pytest.raises(bs.UnsupportedError, match=r"more operations.* than Python's limit") as caught:
            bs.grad(summed, jit=False)(1.5)
    finally:
        sys.setrecursionlimit(limit)
    assert "sys.setrecursionlimit(" in str(caught.value)
    assert bs.grad(summed, jit=False)(1.5) == pytest.approx(sum(range(120)))
