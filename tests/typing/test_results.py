"""What is told of the shapes of library functions' results is so."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import backsweep as bs
from backsweep import runtime
from backsweep.analysis.integers.affine import Affine
from backsweep.analysis.integers.results import _by_signature
from backsweep.diagnostics import NOWHERE
from backsweep.ir.nodes import Apply, Const, Value
from backsweep.ir.operations import TABLE, Kind, Sharing, operation
from backsweep.ir.types import Array
from backsweep.runtime import decompositions, gather, interpolation, linalg, scans, tangents
from backsweep.runtime.matrices import cholesky
from tests.zoo.case import matrix, vector

SHAPED_LIKE = [each for each, known in TABLE.items() if known.shaped_like is not None]
FLAT = [np.ravel, *(each for each, known in TABLE.items() if known.kind is Kind.SCAN)]
VIEWS = [each for each, known in TABLE.items() if known.sharing is Sharing.ALWAYS]
MORE: dict[Any, tuple[Any, ...]] = {
    np.broadcast_to: ((4, 2, 3),),
    np.expand_dims: (0,),
    np.swapaxes: (0, 1),
}
"""What views are given after the array."""
MODULES = (scans, gather, linalg, decompositions, interpolation, tangents, cholesky)
SQUARE = matrix(3, 3) + 3.0 * np.eye(3)
SYMMETRIC = SQUARE @ SQUARE.T
COMPLEX = matrix(4, 3) + 1j * np.fliplr(matrix(4, 3))
HERMITIAN = COMPLEX.conj().T @ COMPLEX + 3.0 * np.eye(3)
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "products_of_others": (matrix(2, 3),),
    "first_among": (np.array([[False, True], [True, False]]),),
    "last_among": (np.array([[False, True], [True, False]]),),
    "cumprod_pullback": (vector(4), vector(4)),
    "cumsum_pullback": (vector(6), matrix(2, 3)),
    "sort_pullback": (vector(4), vector(4)),
    "median_pullback": (1.0, matrix(2, 3)),
    "repeat_pullback": (vector(12), matrix(2, 3), 2),
    "sort_rows_pullback": (matrix(2, 3), matrix(2, 3)),
    "unique_pullback": (vector(2), np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0])),
    "repeats_pullback": (vector(3), vector(2), np.array([1, 2])),
    "quantile_pullback": (1.0, vector(4), 0.3),
    "quantile_slope": (vector(4), 0.3),
    "bincount_pullback": (vector(3), np.array([0, 2, 1, 1])),
    "cofactors": (SQUARE,),
    "cofactors_along": (SQUARE, SQUARE),
    "small_cofactors": (SQUARE,),
    "small_inverse": (SQUARE,),
    "small_solution": (SQUARE, vector(3)),
    "small_solutions": (SQUARE, matrix(3, 2)),
    "cholesky_pullback": (SQUARE, np.linalg.cholesky(SQUARE @ SQUARE.T)),
    "eigvalsh_pullback": (vector(3), SQUARE),
    "eigvals_pullback": (vector(3), SYMMETRIC, np.linalg.eigvals(SYMMETRIC)),
    "eig_pullback": (vector(3), SYMMETRIC, *np.linalg.eig(SYMMETRIC)),
    "order_alike": (vector(3), vector(3)),
    "roots_pullback": (vector(2), np.array([1.0, -3.0, 2.0]), np.array([2.0, 1.0])),
    "roots_tangent": (vector(3), np.array([1.0, -3.0, 2.0]), np.array([2.0, 1.0])),
    "polar_factor": (SQUARE,),
    "polar_factor_along": (SQUARE, SQUARE),
    "kron_pullback_left": (matrix(4, 9), matrix(2, 3), matrix(2, 3)),
    "kron_pullback_right": (matrix(4, 9), matrix(2, 3), matrix(2, 3)),
    "diag_pullback": (vector(2), matrix(2, 3)),
    "diag_offset_pullback": (vector(2), matrix(2, 3), 1),
    "correlate_pullback_left": (vector(3), vector(5), vector(3)),
    "correlate_pullback_right": (vector(3), vector(5), vector(3)),
    "norm_order_pullback": (1.0, vector(4), 2.0, 3.0),
    "eigh_pullback": (vector(3), SQUARE, *np.linalg.eigh(SYMMETRIC)),
    "eigh_pullback_of_complex": (vector(3), HERMITIAN, *np.linalg.eigh(HERMITIAN)),
    "eigvalsh_pullback_of_complex": (vector(3), HERMITIAN),
    "norm_direction": (vector(4), 2.0, 3.0),
    "norm_direction_of_complex": (vector(4) + 1.0j, 2.0, 3.0),
    "qr_pullback": (*np.linalg.qr(matrix(4, 3)), matrix(4, 3), *np.linalg.qr(matrix(4, 3))),
    "pinv_pullback": (matrix(3, 4), matrix(4, 3), np.linalg.pinv(matrix(4, 3))),
    "interp_slopes": (vector(4), vector(4), np.arange(3.0), vector(3)),
    "interp_pullback_points": (vector(4), vector(4), vector(4), np.arange(3.0), vector(3)),
    "interp_pullback_values": (vector(4), vector(4), vector(4), np.arange(3.0), vector(3)),
    "lower_mirrored": (SQUARE,),
    "lower_only": (SQUARE,),
    "triangle": (SQUARE, True, False),
    "triangular_solution": (SQUARE, matrix(3, 2), True, False),
    "cholesky_pullback_along": (*[SQUARE] * 3, np.linalg.cholesky(SQUARE @ SQUARE.T)),
    "cholesky_pullback_against": (*[SQUARE] * 3, np.linalg.cholesky(SQUARE @ SQUARE.T)),
    "cholesky_tangent": (SQUARE, np.linalg.cholesky(SQUARE @ SQUARE.T)),
    "cumprod_tangent": (vector(4), vector(4)),
    "sort_tangent": (vector(4), vector(4)),
    "sort_rows_tangent": (matrix(2, 3), matrix(2, 3)),
    "unique_tangent": (vector(3), np.array([1.0, 2.0, 1.0]), np.array([1.0, 2.0])),
    "interp_tangent_points": (vector(3), vector(4), vector(4), np.arange(3.0), vector(3)),
    "pinv_tangent": (matrix(4, 3), matrix(4, 3), np.linalg.pinv(matrix(4, 3))),
    "hermitian": (HERMITIAN,),
    "cholesky_pullback_of_complex": (HERMITIAN, np.linalg.cholesky(HERMITIAN)),
    "cholesky_tangent_of_complex": (HERMITIAN, np.linalg.cholesky(HERMITIAN)),
    "qr_pullback_of_complex": (*np.linalg.qr(COMPLEX), COMPLEX, *np.linalg.qr(COMPLEX)),
    "pinv_pullback_of_complex": (np.linalg.pinv(COMPLEX), COMPLEX, np.linalg.pinv(COMPLEX)),
}
GIVEN: dict[Any, tuple[Any, ...]] = {
    np.full_like: (matrix(2, 3), 1.0),
    np.roll: (matrix(2, 3), 2),
    np.partition: (matrix(2, 3), 1),
    np.argpartition: (matrix(2, 3), 1),
    np.searchsorted: (np.arange(4.0), matrix(2, 3)),
    np.interp: (matrix(2, 3), np.arange(3.0), np.arange(3.0)),
    np.linalg.solve: (SQUARE, matrix(3, 2)),
    np.linalg.inv: (SQUARE,),
    np.linalg.cholesky: (SQUARE @ SQUARE.T,),
    runtime.broadcasting.sum_to: (matrix(2, 3), matrix(1, 3)),
}


def kernels() -> list[Callable[..., Any]]:
    """The kernels that tell whose shape their result has."""
    found = [each for module in MODULES for each in vars(module).values() if hasattr(each, "declared")]
    return list(dict.fromkeys(each for each in found if operation(each).shaped_like is not None))


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.__name__)
def test_a_kernel_returns_the_shape_that_it_tells(kernel: Any) -> None:
    arguments = ARGUMENTS[kernel.__name__]
    assert len(arguments) == len(inspect.signature(getattr(kernel, "py_func", kernel)).parameters)
    assert kernel(*arguments).shape == np.shape(arguments[operation(kernel).shaped_like])


@pytest.mark.parametrize(
    "function", [*SHAPED_LIKE, runtime.broadcasting.sum_to], ids=lambda function: function.__name__
)
def test_a_function_returns_the_shape_of_an_operand(function: Any) -> None:
    arguments = GIVEN.get(function, (matrix(2, 3),))
    assert function(*arguments).shape == np.shape(arguments[operation(function).shaped_like])


@pytest.mark.parametrize(
    "function", sorted(FLAT, key=lambda each: each.__name__), ids=lambda function: function.__name__
)
def test_a_vector_keeps_its_shape(function: Any) -> None:
    assert function(vector(4)).shape == (4,)


SIGNED: dict[str, tuple[tuple[Any, ...], dict[str, Any]]] = {
    "outer": ((vector(2), vector(3)), {}),
    "kron of matrices": ((matrix(2, 3), matrix(4, 5)), {}),
    "kron": ((vector(2), vector(3)), {}),
    "repeat": ((vector(4), 3), {}),
    "append": ((vector(4), vector(2)), {}),
    "swapaxes": ((matrix(2, 3), 0, 1), {}),
    "swapaxes back": ((matrix(2, 3), 1, 0), {}),
    "rot90": ((matrix(2, 3),), {}),
    "rot90 three times": ((matrix(2, 3), 3), {}),
    "eigh": ((SYMMETRIC,), {}),
    "eig": ((SYMMETRIC,), {}),
    "eigvalsh": ((SYMMETRIC,), {}),
    "eigvals": ((SYMMETRIC,), {}),
    "qr": ((matrix(4, 3),), {}),
    "qr of a wide one": ((matrix(2, 3),), {}),
    "svd": ((matrix(2, 3),), {}),
    "svd in full": ((matrix(4, 3), True), {}),
    "svd reduced": ((matrix(4, 3), False), {}),
    "svd reduced by name": ((matrix(2, 3),), {"full_matrices": False}),
    "pinv": ((matrix(2, 3),), {}),
    "lstsq": ((matrix(4, 3), vector(4)), {"rcond": None}),
    "lstsq of several": ((matrix(4, 3), matrix(4, 2), 1e-9), {}),
}


@pytest.mark.parametrize(("name", "given"), SIGNED.items(), ids=list(SIGNED))
def test_results_have_the_shapes_of_the_signature(name: str, given: Any) -> None:
    args, keywords = given
    called, *_ = name.split()
    function = getattr(np, called, None) or getattr(np.linalg, called)
    shapes: dict[Any, Any] = {}

    def operand(thing: Any) -> Any:
        if not isinstance(thing, np.ndarray):
            return Const(thing)
        value = Value("", Array("float64", thing.ndim), NOWHERE)
        shapes[value] = tuple(map(Affine, thing.shape))
        return value

    named = tuple((key, operand(each)) for key, each in keywords.items())
    call = Apply(Value("", None, NOWHERE), function, tuple(map(operand, args)), NOWHERE, named)
    found = _by_signature(
        call,
        shapes.get,
        lambda count: Affine(count.value) if type(count.value) is int else None,
        lambda length: length.const >= 0,
    )
    results = function(*args, **keywords)
    results = (results,) if isinstance(results, np.ndarray) else tuple(results)
    assert found is not None
    assert len(found) == len(results)
    for shape, result in zip(found, results, strict=True):
        assert shape is None or tuple(each.const for each in shape) == np.shape(result)


@pytest.mark.parametrize("function", VIEWS, ids=lambda function: function.__name__)
def test_a_view_shares_memory(function: Any) -> None:
    array = matrix(2, 3) + 1j
    assert np.shares_memory(function(array, *MORE.get(function, ())), array)


@pytest.mark.parametrize(
    "function",
    [each for each, known in TABLE.items() if known.is_fresh and known.kind is not Kind.NEW],
    ids=lambda function: function.__name__,
)
def test_fresh_memory_is_shared_with_nothing(function: Any) -> None:
    array = matrix(2, 3)
    assert not np.shares_memory(function(*GIVEN.get(function, (array,))), array)


@pytest.mark.compiles
def test_two_results_are_two_arrays() -> None:
    @bs.custom_vjp
    def trace_of_product(a, b):
        return np.sum(a * b)

    def forward(a, b):
        return np.sum(a * b), a

    def backward(a, y_bar):
        return np.linalg.inv(a), np.linalg.inv(a)

    trace_of_product.defvjp(forward, backward)

    def f(a, b):
        return trace_of_product(a, b)

    found = bs.grad(f, argnums=(0, 1))(SQUARE, SQUARE)
    assert not np.shares_memory(*found)
    np.testing.assert_allclose(found[1], np.linalg.inv(SQUARE))
