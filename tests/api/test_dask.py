"""Sums over chunks of data on Dask: those of all data at once, and no chunk is lost with a worker."""

from __future__ import annotations

import functools
import os
import pickle
import signal
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import backsweep as bs

dask = pytest.importorskip("dask", reason="Dask is not installed")
import dask.array as da  # noqa: E402
import dask.bag as db  # noqa: E402

from backsweep import dask as on_dask  # noqa: E402

RNG = np.random.default_rng(3)
X = RNG.uniform(0.0, 4.0, 90)
Y = 2.0 * np.exp(-1.1 * X) + RNG.normal(0.0, 0.1, 90)
P = np.array([1.0, 0.8])
DATA = ("x", "y")


def misfit(p, x, y, scale=1.0, power=2):
    return np.sum(((y - p[0] * np.exp(-p[1] * x)) / scale) ** power)


def thirds(values: Any) -> list[Any]:
    return np.split(values, 3)


FORMS: dict[str, Any] = {
    "arrays of other chunks": (da.from_array(X, chunks=40), da.from_array(Y, chunks=25)),
    "bags": (db.from_sequence(X.tolist(), npartitions=3), db.from_sequence(Y.tolist(), npartitions=3)),
    "lists of arrays": (thirds(X), thirds(Y)),
    "lists of delayed values": ([dask.delayed(each) for each in thirds(X)], thirds(Y)),
    "lists of loaders": ([lambda k=k: thirds(X)[k] for k in range(3)], thirds(Y)),
    "many chunks": (np.split(X, 45), np.split(Y, 45)),
}


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.mark.parametrize("form", FORMS)
def test_the_sum_is_that_of_all_data(form: str) -> None:
    both = on_dask.value_and_grad(misfit, over=DATA, jit=False)
    value, gradient = both(P, *FORMS[form])
    wanted, slope = bs.value_and_grad(misfit, jit=False)(P, X, Y)
    assert value == pytest.approx(wanted)
    assert gradient == pytest.approx(slope)


def test_partitions_of_frames() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frames = pytest.importorskip("dask.dataframe", reason="Dask's dataframes are not installed")
    data = frames.from_pandas(pandas.DataFrame({"x": X, "y": Y}), npartitions=3)
    both = on_dask.value_and_grad(misfit, over=DATA, jit=False)
    assert both(P, data["x"], data["y"])[0] == pytest.approx(misfit(P, X, Y))


def test_rows_of_matrices_stay_whole() -> None:
    def squares(p, rows):
        return np.sum((rows @ p) ** 2)

    rows = RNG.normal(size=(12, 2))
    both = on_dask.value_and_grad(squares, over="rows", jit=False)
    assert both(P, da.from_array(rows, chunks=(5, 1)))[1] == pytest.approx(2.0 * rows.T @ (rows @ P))


def test_named_arguments_and_gradients() -> None:
    both = on_dask.value_and_grad(misfit, DATA, wrt=("p", "scale"), jit=False)
    value, gradient = both(P, power=4, scale=0.5, x=thirds(X), y=thirds(Y))
    wanted, slopes = bs.value_and_grad(misfit, wrt=("p", "scale"), jit=False)(P, X, Y, 0.5, 4)
    assert value == pytest.approx(wanted)
    assert gradient.p == pytest.approx(slopes.p)
    assert gradient.scale == pytest.approx(slopes.scale)
    again = pickle.loads(pickle.dumps(both))
    assert again(P, power=4, scale=0.5, x=thirds(X), y=thirds(Y))[0] == pytest.approx(wanted)
    assert repr(again) == "<backsweep sum of `misfit` over x, y>"


def test_newton_with_products_of_the_hessian() -> None:
    both = on_dask.value_and_grad(misfit, DATA, jit=False)
    product = on_dask.hvp(misfit, DATA, jit=False)
    data = (thirds(X), thirds(Y))
    direction = np.array([0.3, -1.0])
    wanted = bs.hvp(misfit, jit=False)((P, X, Y), (direction,))
    assert product((P, *data), (direction,)) == pytest.approx(wanted)
    found = minimize(
        both,
        P,
        data,
        jac=True,
        method="Newton-CG",
        hessp=lambda p, v, *chunks: product((p, *chunks), (v,)),
    )
    gradient = bs.grad(misfit, jit=False)(found.x, X, Y)
    assert gradient == pytest.approx(np.zeros(2), abs=1e-3)


def moments(p, x, y):
    return np.array([np.sum(y - p[0] * np.exp(-p[1] * x)), np.sum(x * (y - p[0] * np.exp(-p[1] * x)))])


def test_products_with_the_jacobian() -> None:
    data, direction, weights = (thirds(X), thirds(Y)), np.array([0.3, -0.2]), np.array([1.5, 0.5])
    value, tangent = on_dask.jvp(moments, over=DATA, jit=False)((P, *data), (direction,))
    wanted = bs.jvp(moments, (P, X, Y), (direction,), wrt="p", jit=False)
    np.testing.assert_allclose([value, tangent], wanted)
    value, pullback = on_dask.vjp(moments, over=DATA, jit=False)(P, *data)
    again, pulled = bs.vjp(moments, P, X, Y, wrt="p", jit=False)
    np.testing.assert_allclose(value, again)
    for scale in (1.0, 2.0):
        np.testing.assert_allclose(pullback(scale * weights), pulled(scale * weights))


def test_no_more_than_one_chunk_is_held() -> None:
    alive, most = [0], [0]

    def load(k: int) -> Any:
        chunk = X[2 * k : 2 * k + 2].copy()
        alive[0] += 1
        most[0] = max(most[0], alive[0])
        weakref.finalize(chunk, lambda: alive.__setitem__(0, alive[0] - 1))
        return chunk

    both = on_dask.value_and_grad(lambda p, x: np.sum((p[0] * x) ** 2), over="x", jit=False)
    value, _ = both(P, [functools.partial(load, k) for k in range(45)])
    assert value == pytest.approx(np.sum(X**2))
    assert most[0] <= 2


@pytest.mark.parametrize(
    ("over", "data", "message"),
    [
        ("z", None, "`misfit` has no argument `z`"),
        ("p", None, "`p` is data in chunks, and has no gradient"),
        ((), None, "there is nothing to sum over"),
        (DATA, (thirds(X), 3.0), "`y` is no data in chunks but float"),
        (DATA, (thirds(X), [Y]), "the numbers of chunks differ, or are zero: 3 in `x`, 1 in `y`"),
        (DATA, ([], []), "the numbers of chunks differ, or are zero: 0 in `x`, 0 in `y`"),
    ],
)
def test_what_is_refused(over: Any, data: Any, message: str) -> None:
    with pytest.raises(bs.ArgumentError, match="BS404") as caught:
        on_dask.value_and_grad(misfit, over, jit=False)(P, *data)
    assert message in str(caught.value)


def loaded(folder: Path, k: int, mark: Path) -> Any:
    """A chunk; the worker that loads the second one first dies of it."""
    if k == 1 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return np.load(folder / f"{k}.npy")


@pytest.mark.turns(3)
@pytest.mark.filterwarnings("ignore")
def test_a_worker_that_dies_costs_its_chunks_again(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask's clusters are not installed")
    for k, each in enumerate(thirds(X)):
        np.save(tmp_path / f"{k}.npy", each)
    mark = tmp_path / "died"
    settings = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(scheduler=None),
        distributed.LocalCluster(**settings) as cluster,
        distributed.Client(cluster),
    ):
        chunks = [dask.delayed(loaded)(tmp_path, k, mark) for k in range(3)]
        both = on_dask.value_and_grad(misfit, DATA, jit=False)
        value, gradient = both(P, chunks, thirds(Y))
    assert mark.exists()
    assert value == pytest.approx(misfit(P, X, Y))
    assert gradient == pytest.approx(bs.grad(misfit, jit=False)(P, X, Y))
