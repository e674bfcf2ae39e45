"""Sparse Jacobians and Hessians: against dense ones, the pattern against the entries, and how many products they take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix, hstack

import backsweep as bs
from backsweep.api import sparse
from examples.adbench import ba
from tests import zoo
from tests.ad.test_jvp import UNDETERMINED, names_of
from tests.api.test_derivatives import CUSTOMISED
from tests.support import checking
from tests.support.sampled import turning

RNG = np.random.default_rng(0)
X = RNG.uniform(0.5, 1.5, 12)
U = RNG.uniform(0.5, 1.5, (4, 5))


def chain(x):
    y = x * x - 1.0
    for i in range(x.size - 1):
        y[i] += np.sin(x[i + 1])
        y[i + 1] += x[i] * x[i]
    return y


def stencil(u):
    n, m = u.shape
    out = np.zeros((n, m))
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            out[i, j] = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - u[i, j] ** 3
    return out


def full_row(x):
    y = x * x
    y[0] = np.sum(x * x * x)
    return y


def arrow(x):
    y = x * x[0]
    y[0] = np.sum(x * x)
    return y


def sums(x):
    return np.cumsum(x * x)


def number(x):
    return x[0] * x[2] + np.sin(x[3])


def nothing(x):
    return np.ones(3)


def folded(x):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = x[i] * x[i - 1] if x[i] > 1.0 else x[i] ** 2
    return y


def last_of_swapped(x):
    a, b = x.copy(), 2.0 * x
    for _ in range(3):
        for j in range(1, a.size):
            b[j] = a[j - 1] * b[j]
        a, b = b, a
    return a[-2:] * a[1]


def rounded(x):
    return chain(x.astype(np.float32)).astype(np.float64)


def valley(x):
    total = 0.0
    for i in range(1, x.size):
        total += 100.0 * (x[i] - x[i - 1] ** 2) ** 2 + (1.0 - x[i - 1]) ** 2
    return total


def hub(x):
    total = 0.0
    for i in range(x.size):
        total += x[0] * x[i] ** 2
    return total


def shared(x, y):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 2 * y[i]
    return total


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of products of each call, while a test runs."""
    counts: list[int] = []
    for name in ("along", "across"):
        whole = getattr(sparse._Place, name)
        monkeypatch.setattr(
            sparse._Place,
            name,
            lambda self, seeds, whole=whole, **named: (
                counts.append(len(seeds)) or whole(self, seeds, **named)
            ),
        )
    return counts


CASES = [
    (chain, X, 34),
    (stencil, U, 30),
    (full_row, X, 23),
    (arrow, X, 34),
    (sums, X, 78),
    (last_of_swapped, X, 12),
    (number, X, 3),
    (nothing, X, 0),
    (chain, X[:1], 1),
]


@pytest.mark.parametrize(("function", "x", "entries"), CASES)
def test_jacobian(function: Any, x: Any, entries: int) -> None:
    given = x.copy()
    found = bs.jacobian(function, sparse=True, jit=False)(given)
    dense = bs.jacobian(function, jit=False)(x)
    np.testing.assert_array_equal(given, x)
    assert isinstance(found, csr_matrix)
    assert found.shape == (np.size(function(x)), x.size)
    assert found.has_sorted_indices
    np.testing.assert_allclose(found.toarray(), dense.reshape(found.shape), rtol=1e-12, atol=1e-15)
    assert found.nnz == entries


def test_compiled() -> None:
    x = RNG.uniform(0.5, 1.5, 300)
    found = bs.jacobian(chain, sparse=True)(x)
    assert found.nnz == 3 * 300 - 2
    np.testing.assert_allclose(found.toarray(), bs.jacobian(chain)(x), rtol=1e-12)


def test_empty_and_single_precision() -> None:
    assert bs.jacobian(sums, sparse=True, jit=False)(np.empty(0)).shape == (0, 0)
    found = bs.jacobian(chain, sparse=True, jit=False)(X.astype(np.float32))
    assert found.dtype == np.float32
    np.testing.assert_allclose(found.toarray(), bs.jacobian(chain, jit=False)(X), rtol=1e-5)


def test_few_products(counted: list[int]) -> None:
    x = RNG.uniform(0.5, 1.5, 256)
    pattern = bs.sparsity(chain, jit=False)(x)
    assert max(counted) <= 6
    assert sum(counted) <= 50
    counted.clear()
    found = bs.jacobian(chain, sparsity=pattern, jit=False)(x)
    assert sum(counted) == 4  # three colours, and one product that checks
    assert found.nnz == pattern.nnz


def test_rows_where_they_need_fewer_colours(counted: list[int]) -> None:
    x = RNG.uniform(0.5, 1.5, 100)
    found = bs.jacobian(full_row, sparse=True, jit=False)(x)
    assert found.nnz == 199
    assert sum(counted) < 100
    assert counted[-1] == 3


def test_the_pattern_is_that_of_the_branches_taken() -> None:
    low, high = np.full(4, 0.5), np.full(4, 1.5)
    jacobian = bs.jacobian(folded, sparse=True, jit=False)
    assert jacobian(low).nnz == 4
    assert jacobian(high).nnz == 8
    kept = bs.jacobian(folded, sparsity=bs.sparsity(folded, jit=False)(low), jit=False)
    np.testing.assert_array_equal(kept(low).toarray(), jacobian(low).toarray())
    with pytest.raises(bs.ArgumentError, match="entries where the given pattern has none"):
        kept(high)


def test_given_patterns() -> None:
    dense = bs.jacobian(chain, jit=False)(X)
    for pattern in (dense != 0.0, np.ones((12, 12)), csr_matrix(dense != 0.0).tocoo(), dense.tolist()):
        found = bs.jacobian(chain, sparsity=pattern, jit=False)(X)
        np.testing.assert_allclose(found.toarray(), dense, rtol=1e-12)
    kept = bs.jacobian(chain, sparsity=dense != 0.0, jit=False)
    kept(X)
    with pytest.raises(
        bs.ArgumentError, match=r"pattern has shape \(12, 12\), but the derivatives have shape \(4, 4\)"
    ):
        kept(X[:4])


def test_what_rounds_more_than_its_types_tell() -> None:
    dense = bs.jacobian(rounded, jit=False)(X)
    found = bs.jacobian(rounded, sparsity=dense != 0.0, jit=False)(X)
    np.testing.assert_allclose(found.toarray(), dense, rtol=1e-5)
    with pytest.raises(bs.ArgumentError, match="BS415"):
        bs.jacobian(rounded, sparsity=np.eye(12), jit=False)(X)


def test_what_hides_nan_is_computed_densely(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that finds too little is found out by the product that checks."""
    monkeypatch.setattr(
        sparse, "_refined", lambda _products, inputs, outputs, _few: csr_matrix(np.eye(inputs, outputs))
    )
    found = bs.jacobian(chain, sparse=True, jit=False)(X)
    np.testing.assert_allclose(found.toarray(), bs.jacobian(chain, jit=False)(X), rtol=1e-12)


@pytest.mark.parametrize(("function", "most"), [(valley, 4), (hub, 3)])
def test_hessian(function: Any, most: int, counted: list[int]) -> None:
    found = bs.hessian(function, sparse=True, jit=False)(X)
    assert counted[-1] <= most
    assert found.nnz == 34
    np.testing.assert_allclose(found.toarray(), bs.hessian(function, jit=False)(X), rtol=1e-12, atol=1e-13)
    lower = np.tril(found.toarray()) != 0.0
    again = bs.hessian(function, sparsity=lower, jit=False)(X)
    np.testing.assert_allclose(again.toarray(), found.toarray(), rtol=1e-12)


@pytest.mark.parametrize("function", CUSTOMISED)
def test_hessian_that_is_not_symmetric(function: Any) -> None:
    """A hook or a pullback makes it so: no entry is read at its mirror image's place, nor where the pattern is given."""
    wanted = bs.hessian(function, jit=False)(X)
    assert not np.allclose(wanted, wanted.T)
    checking.assert_close(bs.hessian(function, sparse=True, jit=False)(X).toarray(), wanted)
    for pattern in (wanted != 0.0, (wanted != 0.0) | (wanted.T != 0.0)):
        checking.assert_close(bs.hessian(function, sparsity=pattern, jit=False)(X).toarray(), wanted)


def test_hessian_where_there_is_no_second_derivative() -> None:
    """A power of a negative number: by its exponent it has no derivative, and is given that of its gradient."""

    def powers(x):
        return np.sum(x[1:] ** x[0])

    x = np.array([2.0, -1.5, -0.5, -3.0, -2.0])
    wanted = bs.jacfwd(bs.grad(powers, jit=False), jit=False)(x)
    assert not np.allclose(wanted, wanted.T)
    for given in ({"sparse": True}, {"sparsity": wanted != 0.0}):
        checking.assert_close(bs.hessian(powers, jit=False, **given)(x).toarray(), wanted)


def weighted_pair(pair):
    return pair[0] * pair[1]


def test_several_arguments() -> None:
    y = X[:4] + 1.0
    (xx, xy), (yx, yy) = bs.hessian(shared, (0, 1), sparse=True, jit=False)(X[:4], y)
    np.testing.assert_allclose(xx.toarray(), np.diag(2.0 * y), rtol=1e-12)
    np.testing.assert_allclose(xy.toarray(), np.diag(2.0 * X[:4]), rtol=1e-12)
    np.testing.assert_allclose(yx.toarray(), xy.toarray().T, rtol=1e-12)
    assert yy.nnz == 0


def test_several_names() -> None:
    y = X[:4] + 1.0
    found = bs.hessian(shared, wrt=("x", "y"), sparse=True, jit=False)(X[:4], y)
    np.testing.assert_allclose(found.x.y.toarray(), np.diag(2.0 * X[:4]), rtol=1e-12)
    np.testing.assert_allclose(found.y.x.toarray(), found.x.y.toarray().T, rtol=1e-12)
    assert bs.jacobian(shared, wrt=("x", "y"), sparse=True, jit=False)(X[:4], y)._fields == ("x", "y")
    assert bs.sparsity(shared, wrt=["y"], jit=False)(X[:4], y).y.shape == (1, 4)


@pytest.mark.parametrize("pair", [(X, 2.0), (1.0, 2.0)])
def test_a_tuple_is_refused(pair: Any) -> None:
    with pytest.raises(bs.ArgumentError, match="pass its items as separate arguments"):
        bs.jacobian(weighted_pair, sparse=True, jit=False)(pair)


@pytest.mark.parametrize("rotated", [True, False])
def test_bundle_adjustment(rotated: bool) -> None:
    """The whole Jacobian of the errors is the one that the example puts together from rows of each observation."""
    instance = ba.generate_instance(2, 3, 5)
    if not rotated:
        instance.cameras[:, :3] = 0.0
    parts = bs.jacobian(ba.objective, (0, 1, 2), sparse=True, jit=False)(*instance)
    np.testing.assert_allclose(
        hstack(parts).toarray(), ba.jacobian(instance).toarray(), rtol=1e-10, atol=1e-12
    )


def vector_cases() -> list[Any]:
    """Cases of the zoo, each function once."""
    return list({case.function: case for case in zoo.load() if case.name not in UNDETERMINED}.values())


@pytest.mark.parametrize("case", turning(180, vector_cases()), ids=lambda case: case.name)
def test_zoo(case: Any) -> None:
    """What is found by nan holds all entries that the tangents have."""
    wrt = names_of(case)
    try:
        dense = bs.jacfwd(case.function, wrt=wrt, jit=False)(*checking.clone(case.args))
    except bs.ArgumentError:
        return  # a structure that has no columns
    found = bs.jacobian(case.function, wrt=wrt, sparse=True, jit=False)(*checking.clone(case.args))
    if hasattr(dense, "_fields"):  # else the result is a tuple
        for part, whole in zip(found, dense, strict=True):
            np.testing.assert_allclose(part.toarray().ravel(), np.ravel(whole), rtol=1e-6, atol=1e-9)
