"""Calls of NumPy along axes, for which the runtime has overloads: values and types as NumPy has them, and derivatives."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.registry import cpu_target
from numba.np.numpy_support import as_dtype

import backsweep as bs
from backsweep.dispatch.inference import TypesAlone
from backsweep.prelude.declare import meaning_of
from backsweep.runtime.machine_code.compiling import compiling
from backsweep.typing.implementations import implementation, literal
from tests.frontend.test_library_calls import assert_derivatives
from tests.support.refused import refused
from tests.support.sampled import every, turn, turning

REDUCTIONS = (np.mean, np.var, np.std, np.max, np.min, np.prod, np.median, np.ptp, np.any, np.all)
OF_NUMBERS = (np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanprod, np.nanmedian)
POSITIONS = (np.argmax, np.argmin)
MAPS = (np.cumprod, np.sort, np.argsort, np.diff, np.flip)
REAL = {np.max, np.min, np.median, np.ptp, np.sort, np.argsort, *OF_NUMBERS, *POSITIONS}
"""The functions that are refused for complex numbers, or tested for real ones."""
SHAPES = ((5,), (1,), (3, 4), (1, 3), (2, 3, 4))
DTYPES = ("float64", "float32", "complex128", "int64", "bool")
LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "strided": lambda a: np.repeat(a, 2, axis=0)[::2],
}


def array(shape: tuple[int, ...], dtype: str, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(-2.0, 2.0, shape)
    if dtype == "bool":
        return drawn > 0.0
    if dtype == "int64":
        return rng.integers(-5, 6, shape)
    return (
        (drawn + 1j * rng.uniform(-2.0, 2.0, shape)).astype(dtype)
        if dtype == "complex128"
        else drawn.astype(dtype)
    )


def axes_of(ndim: int) -> Iterator[Any]:
    """Every axis by both of its numbers, and the tuples of several."""
    yield from range(-ndim, ndim)
    for count in range(2, ndim + 1):
        yield from itertools.combinations(range(ndim), count)


def typed(value: Any) -> Any:
    return literal(value) if isinstance(value, bool | int | str | tuple) else numba.typeof(value)


def assert_as_numpy(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """The call of a function that has a meaning, or the implementation for these arguments run as Python, against NumPy; with dtypes."""
    if meaning_of(function) is not None:
        _assert_meant(function, args, keywords)
        return
    given, named = tuple(map(typed, args)), {name: typed(value) for name, value in keywords.items()}
    found = implementation(function, given, named, None)
    assert found.dispatcher is not None, (function, keywords)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means of nothing
        expected = function(*args, **keywords)
        value = found.dispatcher.py_func(*args, **keywords)
    assert np.shape(value) == np.shape(expected)
    np.testing.assert_allclose(
        value, expected, rtol=1e-5 if np.asarray(expected).dtype == np.float32 else 1e-12
    )
    with compiling:
        context = TypesAlone(cpu_target.typing_context)
        result = context.resolve_function_type(context.resolve_value_type(function), given, named).return_type
    kind, wanted = as_dtype(getattr(result, "dtype", result)), np.asarray(expected).dtype
    assert (getattr(result, "ndim", 0), kind) == (np.ndim(expected), wanted), (function, keywords)


def _assert_meant(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    """The value of the call as it is lowered, and its dtype, are NumPy's."""

    first, *others = args

    def call(first):
        return function(first, *others, **keywords)

    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of means of nothing
        expected = function(*args, **keywords)
        value = bs.vjp(call, first, jit=False)[0]
    single = np.asarray(expected).dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(value, expected, rtol=1e-5 if single else 1e-12)
    assert (np.shape(value), np.asarray(value).dtype) == (np.shape(expected), np.asarray(expected).dtype)


@pytest.mark.turns(3)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", [*REDUCTIONS, *OF_NUMBERS], ids=lambda f: f.__name__)
def test_reductions_are_numpys(function, dtype):
    if (dtype == "complex128" and function in REAL) or (
        dtype == "bool" and function not in (np.any, np.all, np.mean)
    ):
        return
    if dtype == "int64" and function in OF_NUMBERS:
        return
    cases = [
        (shape, layout, axis, keepdims)
        for shape in SHAPES
        for layout in LAYOUTS
        for axis in axes_of(len(shape))
        for keepdims in (False, True)
        if keepdims or isinstance(axis, int) or len(axis) < len(shape)
    ]
    for shape, layout, axis, keepdims in every(28, cases, (turn() + len(dtype)) % 28):
        keywords = {"axis": axis, "keepdims": True} if keepdims else {"axis": axis}
        assert_as_numpy(function, (LAYOUTS[layout](array(shape, dtype)),), keywords)


@pytest.mark.parametrize("function", [np.var, np.std], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64"])
def test_degrees_of_freedom(function, dtype):
    for keywords in (
        {"ddof": 1},
        {"axis": 0, "ddof": 1},
        {"axis": (0, 1), "ddof": 2, "keepdims": True},
        {"axis": 0, "ddof": 4},
    ):
        assert_as_numpy(function, (array((3, 4), dtype),), keywords)


@pytest.mark.parametrize("function", POSITIONS, ids=lambda f: f.__name__)
def test_positions_keep_axes(function):
    for axis in range(-3, 3):
        assert_as_numpy(function, (array((2, 3, 4), "float64"),), {"axis": axis, "keepdims": True})


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
@pytest.mark.parametrize("function", MAPS, ids=lambda f: f.__name__)
def test_maps_are_numpys(function, dtype):
    for shape, layout in itertools.product(((3, 4), (1, 3), (2, 3, 4)), LAYOUTS):
        for axis in every(2, range(-len(shape), len(shape)), len(layout) % 2):
            assert_as_numpy(function, (LAYOUTS[layout](array(shape, dtype)),), {"axis": axis})


MATRIX = array((3, 4), "float64")
BLOCK = array((2, 3, 4), "float64")
MASK = array((3, 4), "bool", 5)
"""Its first column is all False."""
WEIGHTS = np.array([0.3, 0.9, 0.4, 1.2])
OTHERS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (np.sum, (MATRIX,), {"axis": 0, "keepdims": True}),
    (np.sum, (BLOCK,), {"axis": (0, 2), "keepdims": True}),
    (np.sum, (MATRIX,), {"keepdims": True}),
    (np.average, (MATRIX,), {"axis": 0}),
    (np.nanstd, (MATRIX,), {}),
    *((function, (MATRIX,), {"axis": ()}) for function in (np.sum, np.mean, np.average, np.max)),
    (np.average, (MATRIX,), {"axis": 1, "weights": WEIGHTS}),
    (np.average, (BLOCK,), {"axis": -1, "weights": WEIGHTS}),
    (np.average, (MATRIX,), {"axis": 1, "weights": np.abs(MATRIX)}),
    (np.average, (BLOCK,), {"axis": (0, 1), "weights": np.abs(BLOCK[:, :, 0])}),
    (np.average, (BLOCK,), {"axis": (2, 0), "weights": np.abs(BLOCK[:, 0].T)}),
    (np.linalg.norm, (MATRIX,), {"axis": 0}),
    (np.linalg.norm, (BLOCK,), {"axis": (0, 2)}),
    (np.linalg.norm, (BLOCK,), {"axis": 1, "keepdims": True}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": 1}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": 2}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": 3}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": 2.5}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": np.inf}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": -np.inf}),
    (np.linalg.norm, (np.zeros((3, 0)),), {"axis": 1, "ord": np.inf}),
    (np.linalg.norm, (MATRIX.astype("float32"),), {"axis": 1, "ord": 3}),
    (np.linalg.norm, (array((3, 4), "complex128"),), {"axis": 0}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": 0}),
    (np.linalg.norm, (MATRIX,), {"axis": 1, "ord": 0.0}),
    (np.linalg.norm, (MATRIX,), {"axis": (0, 1), "ord": 1}),
    (np.linalg.norm, (MATRIX,), {"axis": (1, 0), "ord": -1}),
    (np.linalg.norm, (BLOCK,), {"axis": (0, 2), "ord": 1, "keepdims": True}),
    (np.linalg.norm, (BLOCK,), {"axis": (2, 0), "ord": np.inf}),
    (np.linalg.norm, (BLOCK,), {"axis": (1, 2), "ord": -np.inf}),
    (np.linalg.norm, (BLOCK.astype("float32"),), {"axis": (1, 2), "ord": 1}),
    (np.linalg.norm, (BLOCK,), {"axis": (0, 1), "ord": "nuc"}),
    (np.linalg.norm, (BLOCK,), {"axis": (1, 2), "ord": 2, "keepdims": True}),
    (np.linalg.norm, (MATRIX,), {"axis": (0, 1), "ord": -2}),
    (np.linalg.norm, (BLOCK,), {}),
    (np.quantile, (MATRIX, 0.3), {"axis": 0}),
    (np.percentile, (BLOCK, 30.0), {"axis": (0, 1)}),
    (np.quantile, (MATRIX, np.array([0.3, 0.7])), {"axis": 0}),
    (np.percentile, (BLOCK, (25, 50.5)), {"axis": (0, 2)}),
    (np.percentile, (BLOCK, (25, 50.5)), {"axis": (0, 2), "keepdims": True}),
    (np.quantile, (MATRIX, np.array([0.3])), {"keepdims": True}),
    (np.nanquantile, (np.where(MASK, np.nan, MATRIX), 0.3), {"axis": 1, "keepdims": True}),
    (np.nanpercentile, (np.where(MASK, np.nan, MATRIX), 30), {"axis": 0}),
    (np.percentile, (MATRIX, 40), {"method": "lower"}),
    (np.percentile, (WEIGHTS, 40), {"method": "higher"}),
    (np.percentile, (MATRIX, 50), {"method": "nearest", "axis": 0}),
    (np.quantile, (MATRIX, 0.3), {"method": "midpoint", "axis": 1, "keepdims": True}),
    (np.quantile, (np.array([1.0, np.nan, 0.0]), 0.3), {"method": "lower"}),
    (np.quantile, (np.arange(7), 0.5), {"method": "midpoint"}),
    (np.average, (MATRIX,), {"axis": 1, "weights": (1, 2, 3, 4.5)}),
    (np.average, (WEIGHTS,), {"weights": (1, 2, 3, 4)}),
    (np.average, (MATRIX,), {"axis": 1, "weights": WEIGHTS, "keepdims": True}),
    *((function, (np.where(MASK, np.nan, MATRIX),), {"axis": 0}) for function in (np.nanvar, np.nanstd)),
    *((function, (np.where(MASK, np.nan, MATRIX),), {"ddof": 1}) for function in (np.nanvar, np.nanstd)),
    (np.nanvar, (np.where(MASK, np.nan, MATRIX),), {"axis": 1, "ddof": 2, "keepdims": True}),
    (np.nanstd, (np.where(MASK, np.nan, MATRIX).astype("float32"),), {"axis": 1, "ddof": 1}),
    (np.nanvar, (np.where(MASK, np.nan, BLOCK + 1j),), {"axis": (0, 1)}),
    (np.median, (MATRIX,), {"axis": None, "keepdims": True}),
    (np.diff, (MATRIX,), {"n": 2, "axis": 0}),
    (np.diff, (MATRIX,), {"n": 0, "axis": 0}),
    (np.diff, (MATRIX,), {"prepend": 0}),
    (np.diff, (MATRIX,), {"axis": 0, "prepend": 1.5, "append": MATRIX[:2], "n": 2}),
    (np.diff, (np.arange(4),), {"prepend": 0.5}),
    (np.diff, (np.arange(4),), {"append": 7}),
    (np.diff, (MATRIX.astype("float32"),), {"axis": 1, "prepend": 0}),
    (np.trapezoid, (MATRIX,), {"axis": 0}),
    (np.trapezoid, (MATRIX, WEIGHTS), {"axis": -1}),
    (np.trapezoid, (BLOCK,), {"axis": 1, "dx": 0.5}),
    (np.trapezoid, (BLOCK, BLOCK * BLOCK), {"axis": 0}),
    (np.trapezoid, (MATRIX.astype("float32"),), {"axis": 0}),
    (np.trapezoid, (np.arange(12).reshape(3, 4),), {"axis": 0}),
    (np.unwrap, (BLOCK * 5.0,), {"axis": 1}),
    (np.unwrap, (WEIGHTS * 9.0,), {"axis": 0, "period": 2.0}),
    (np.unwrap, (MATRIX * 5.0,), {"axis": 0, "discont": 4.0}),
    (np.nancumsum, (np.where(MASK, np.nan, MATRIX),), {"axis": 0}),
    (np.nancumprod, (np.where(MASK, np.nan, MATRIX),), {"axis": -1}),
    (np.nancumsum, (np.where(MASK, np.nan, MATRIX).astype("float32"),), {"axis": 1}),
    (np.flip, (BLOCK,), {"axis": (0, 2)}),
    (np.roll, (MATRIX, 1), {"axis": 1}),
    (np.roll, (MATRIX, -5), {"axis": 0}),
    (np.roll, (MATRIX, (1, 2)), {"axis": (0, 1)}),
    (np.roll, (np.zeros((0, 3)), 1), {"axis": 0}),
    (np.repeat, (MATRIX, 2), {"axis": 0}),
    (np.repeat, (BLOCK, 2), {"axis": -1}),
    (np.repeat, (MATRIX, np.array([1, 0, 2])), {"axis": 0}),
    (np.sort, (MATRIX,), {"axis": None}),
    (np.mean, (np.zeros((0, 3)),), {"axis": 1}),
    (np.max, (np.zeros((0, 3)),), {"axis": 1}),
    (np.mean, (np.zeros((2, 0)),), {"axis": 1}),
    (np.sum, (np.zeros((2, 0)),), {"axis": 1, "keepdims": True}),
]


@pytest.mark.parametrize("call", OTHERS, ids=lambda call: f"{call[0].__name__} {list(call[2])}")
def test_others_are_numpys(call):
    assert_as_numpy(*call)


OF_OPTIONS = (np.sum, np.prod, np.mean, np.var, np.std, np.max, np.min, np.any, np.all)
STARTED = (np.sum, np.prod, np.max, np.min)
"""The functions that have `initial=`."""


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("function", OF_OPTIONS, ids=lambda f: f.__name__)
def test_masks_and_starts_are_numpys(function, dtype):
    if (dtype == "complex128" and function in REAL) or (
        dtype == "bool" and function not in (np.any, np.all, np.sum, np.mean)
    ):
        return
    masks = {(3, 4): MASK, (2, 3, 4): MASK[:, :1], (5,): array((5,), "bool"), (0, 3): np.ones((0, 3), bool)}
    cases = [
        (shape, axis, keepdims, start)
        for shape in masks
        for axis in (None, 0, -1, tuple(range(len(shape)))[-2:])
        for keepdims in (False, True)
        for start in ({"where"}, {"where", "initial"}, {"initial"})
        if shape[0] or start != {"where"}
    ]
    for shape, axis, keepdims, start in every(31, cases, (turn() + len(dtype)) % 31):
        keywords = {"axis": axis, "keepdims": keepdims}
        if "where" in start:
            keywords["where"] = masks[shape]
        if function in STARTED and ("initial" in start or function in (np.max, np.min)):
            keywords["initial"] = 1.5 if len(shape) > 1 else 2
        layout = list(LAYOUTS.values())[len(shape) - 1]
        assert_as_numpy(function, (layout(array(shape, dtype)),), keywords)


OF_DTYPES = (np.sum, np.mean, np.prod, np.var, np.std, np.cumsum, np.cumprod, np.nansum, np.nanmean)
SCANS = (np.cumsum, np.cumprod)


@pytest.mark.parametrize("function", OF_DTYPES, ids=lambda f: f.__name__)
def test_dtypes_are_numpys(function):
    kinds = [np.float64, np.float32, np.dtype("float64"), "float64"]
    cases = [
        (given, kind, axis, keepdims)
        for given in ("float64", "float32", "int64", "bool")
        for kind in (*kinds, *([np.int64] if function in (np.sum, np.prod, *SCANS) else []))
        for axis in (None, 0, -1)
        for keepdims in ({}, {"keepdims": True})
        if not keepdims or function not in SCANS
        if function is not np.sum or keepdims
        if given != "int64" or function not in (np.nansum, np.nanmean)
    ]
    for given, kind, axis, keepdims in every(11, cases, turn() % 11):
        assert_as_numpy(function, (array((3, 4), given),), {"axis": axis, "dtype": kind, **keepdims})
    if function in (np.sum, np.mean, np.var):
        keywords = {"dtype": np.float64, "where": MASK, "axis": 1, "keepdims": True}
        assert_as_numpy(function, (array((3, 4), "float32"),), keywords)


@pytest.mark.parametrize("function", [np.var, np.std], ids=lambda f: f.__name__)
def test_a_narrow_dtype_is_for_sums_alone(function):
    a = 1e4 + array((3, 4), "float64")
    assert_as_numpy(function, (a,), {"dtype": np.float32, "axis": 1})
    assert_as_numpy(function, (a,), {"dtype": np.float32, "where": MASK})


SMOOTH: dict[str, Callable[[Any], Any]] = {
    "mean": lambda a: np.mean(a, axis=1),
    "mean, positional": lambda a: np.mean(a, 0),
    "mean, method": lambda a: a.mean(axis=-1, keepdims=True) * a,
    "mean of all, kept": lambda a: np.mean(a, axis=None, keepdims=True),
    "var": lambda a: np.var(a, ddof=1),
    "var, axis": lambda a: np.var(a, axis=0),
    "var, method": lambda a: a.var(axis=1, ddof=1),
    "std": lambda a: np.std(a, axis=1, ddof=1),
    "std, kept": lambda a: a / np.std(a, axis=0, keepdims=True),
    "sum, kept": lambda a: a / a.sum(axis=1, keepdims=True),
    "sum of both axes": lambda a: np.sum(a * a, axis=(0, 1)),
    "sum, axis None": lambda a: np.sum(a * a, axis=None),
    "sum, dtype": lambda a: np.sum(a * a, axis=0, dtype=np.float64),
    "prod": lambda a: np.prod(a, axis=1),
    "max, kept": lambda a: np.max(a, axis=0, keepdims=True) * a,
    "max, method": lambda a: a.max(axis=1),
    "min": lambda a: np.min(a, axis=-1),
    "amax": lambda a: np.amax(a, axis=0),
    "median": lambda a: np.median(a, axis=0),
    "ptp": lambda a: np.ptp(a, axis=1),
    "any": lambda a: np.any(a > 0.5, axis=1) * a[:, 0],
    "all": lambda a: np.all(a > -1.5, axis=0) * a[0],
    "argmax, kept": lambda a: np.argmax(a, axis=1, keepdims=True) * a,
    "nansum": lambda a: np.nansum(a, axis=0),
    "nanmean": lambda a: np.nanmean(a, axis=1),
    "nanmax": lambda a: np.nanmax(a, axis=1),
    "nanmedian": lambda a: np.nanmedian(a, axis=1),
    "quantile": lambda a: np.quantile(a, 0.3, axis=0),
    "norm": lambda a: np.linalg.norm(a, axis=1),
    "norm, kept": lambda a: a / np.linalg.norm(a, axis=1, keepdims=True),
    "norm of both axes": lambda a: np.linalg.norm(a, axis=(0, 1)),
    "norm, 1": lambda a: np.linalg.norm(a, ord=1, axis=1),
    "norm, 3": lambda a: np.linalg.norm(a, ord=3, axis=1),
    "norm, inf": lambda a: np.linalg.norm(a, ord=np.inf, axis=1),
    "average": lambda a: np.average(a, axis=0),
    "average, weights along": lambda a: np.average(a, axis=1, weights=a[0] + 3.0),
    "average, weights": lambda a: np.average(a, axis=1, weights=a * a),
    "cumsum": lambda a: np.cumsum(a, axis=1),
    "cumprod": lambda a: np.cumprod(a, axis=0),
    "cumprod, method": lambda a: a.cumprod(1),
    "diff": lambda a: np.diff(a, axis=0),
    "diff, twice": lambda a: np.diff(a, n=2, axis=1),
    "sort": lambda a: np.sort(a, axis=0),
    "argsort": lambda a: np.argsort(a, axis=1) * a,
    "flip": lambda a: np.flip(a, axis=0) * a,
    "roll": lambda a: np.roll(a, 1, axis=1) * a,
    "roll both": lambda a: np.roll(a, (1, -2), axis=(0, 1)) * a,
    "repeat": lambda a: np.repeat(a, 2, axis=0),
    "repeat, method": lambda a: a.repeat(2, axis=1),
    "sum, where": lambda a: np.sum(a * a, where=a > 0.5),
    "sum, masked and started": lambda a: np.sum(a, axis=1, where=MASK, keepdims=True, initial=2.0) * a,
    "sum, all by position": lambda a: np.sum(a, 0, None, None, True, a[0, 1], MASK),
    "mean, where": lambda a: np.mean(a, where=MASK),
    "mean, method, where": lambda a: a.mean(axis=1, where=a > -1.0),
    "var, where": lambda a: np.var(a, axis=1, ddof=1, where=MASK | (a > 0.0)),
    "std, where": lambda a: a.std(where=MASK, ddof=1),
    "var, correction": lambda a: np.var(a, axis=0, correction=1),
    "var, mean": lambda a: np.var(a, axis=0, mean=np.mean(a, axis=0, keepdims=True)),
    "prod, where": lambda a: np.prod(a, axis=0, where=MASK, initial=a[0, 0]),
    "max, initial": lambda a: a.max(axis=1, initial=a[0, 0]),
    "max, where": lambda a: np.max(a, where=MASK, initial=-np.inf),
    "min, where": lambda a: np.min(a, axis=0, where=MASK, initial=10.0),
    "any, where": lambda a: np.any(a > 0.5, axis=1, where=MASK) * a[:, 0],
    "all, where": lambda a: np.all(a > 0.5, axis=0, where=MASK) * a,
    "nanmean, where": lambda a: np.nanmean(a, axis=1, where=MASK | (a > 0.0)),
    "mean, dtype": lambda a: np.mean(a, axis=0, dtype=float),
    "var, dtype": lambda a: np.var(a, axis=0, ddof=1, dtype="float64"),
    "prod, dtype": lambda a: np.prod(a, dtype=np.float64),
    "cumsum, dtype": lambda a: np.cumsum(a, axis=0, dtype=float),
    "cumprod, dtype": lambda a: a.cumprod(axis=1, dtype=a.dtype),
    "sum, dtype by its name": lambda a: np.sum(a, dtype="d") * np.sum(a > 0.0, dtype=float),
    "trapezoid": lambda a: np.trapezoid(a, a[:, 0] ** 2, axis=0),
    "trapezoid, steps": lambda a: np.trapezoid(a, dx=a[0, 0], axis=1),
    "unwrap": lambda a: np.unwrap(5.0 * a, axis=0),
    "norm, columns": lambda a: np.linalg.norm(a, 1, axis=(0, 1)),
    "norm, rows": lambda a: np.linalg.norm(a, np.inf, axis=(0, 1)),
    "norm, singular values": lambda a: np.linalg.norm(a, "nuc", axis=(0, 1)),
    "diff, prepend": lambda a: np.diff(a, prepend=0),
    "diff, both ends": lambda a: np.diff(a, axis=0, prepend=a[0, 0], append=a[:1] * a[1:2]),
    "nancumsum": lambda a: np.nancumsum(np.where(MASK, a, np.nan), axis=1),
    "cumsum of all": lambda a: np.cumsum(a, axis=None),
    "nanvar": lambda a: np.nanvar(np.where(MASK, np.nan, a), axis=1),
    "nanstd, ddof": lambda a: np.nanstd(np.where(MASK & (a > 0.0), np.nan, a), axis=0, ddof=1),
    "nanquantile": lambda a: np.nanquantile(np.where(MASK, np.nan, a), 0.3, axis=1),
    "quantiles": lambda a: np.quantile(a, [0.25, 0.75], axis=0),
    "percentile, lower": lambda a: np.percentile(a, 40, method="lower", axis=1),
    "percentile, midpoint": lambda a: np.percentile(a, 40, method="midpoint"),
    "average, listed weights": lambda a: np.average(a, axis=1, weights=[1, 2, 3, 4.5]),
    "average, returned": lambda a: np.average(a, axis=1, weights=a[0] + 3.0, returned=True)[1],
    "average of all, returned": lambda a: np.average(a, weights=a * a, returned=True)[0] * a,
    "log of a sum of exponentials": lambda a: (
        np.log(np.sum(np.exp(a - a.max(axis=1, keepdims=True)), axis=1)) + a.max(axis=1)
    ),
    "softmax": lambda a: np.exp(a) / np.exp(a).sum(axis=1, keepdims=True),
    "standardised": lambda a: (a - a.mean(axis=0)) / a.std(axis=0),
}
OF_BLOCKS: dict[str, Callable[[Any], Any]] = {
    "mean": lambda a: np.mean(a, axis=(0, 2)),
    "var": lambda a: np.var(a, axis=(0, -1), keepdims=True),
    "sum": lambda a: np.sum(a * a, axis=(0, 2)),
    "sum, kept": lambda a: np.sum(a * a, axis=(0, 1), keepdims=True),
    "max": lambda a: np.max(a, axis=(0, 2)),
    "max, kept": lambda a: np.max(a, axis=1, keepdims=True) * a,
    "prod": lambda a: np.prod(a, axis=(1, 2)),
    "median": lambda a: np.median(a, axis=1),
    "norm": lambda a: np.linalg.norm(a, axis=(0, 2)),
    "cumsum": lambda a: np.cumsum(a, axis=1),
    "cumprod": lambda a: np.cumprod(a, axis=0),
    "sort": lambda a: np.sort(a) * a,
    "diff": lambda a: np.diff(a, axis=1),
    "flip": lambda a: np.flip(a, axis=(0, 2)) * a,
    "repeat": lambda a: np.repeat(a, 2, axis=1),
}
COMPILED = (
    "mean",
    "std, kept",
    "std, where",
    "sum, masked and started",
    "max, initial",
    "max, kept",
    "median",
    "cumprod",
    "roll",
    "softmax",
)


@pytest.mark.parametrize("name", turning(12, SMOOTH))
def test_derivatives(name):
    assert_derivatives(SMOOTH[name], (MATRIX,), jit=False)


@pytest.mark.parametrize("name", turning(12, OF_BLOCKS))
def test_derivatives_of_blocks(name):
    assert_derivatives(OF_BLOCKS[name], (BLOCK,), jit=False)


@pytest.mark.compiles
@pytest.mark.turns(11)
@pytest.mark.parametrize("name", COMPILED)
def test_compiled(name):
    assert_derivatives(SMOOTH[name], (np.asfortranarray(MATRIX),), jit=True)


@pytest.mark.parametrize("name", turning(30, SMOOTH))
def test_second_order(name):
    function = SMOOTH[name]
    bs.check_grads(bs.grad(lambda a: np.sum(np.sin(function(a))), jit=False), (MATRIX,))


@numba.njit
def in_compiled_code(a):
    scaled = a / a.std(axis=0, keepdims=True, ddof=1) + a.mean(1, keepdims=True)
    masked = a.mean(axis=1, where=a > 0.0)
    total = np.sum(scaled.max(axis=1) * np.median(a, axis=1) + masked)
    return total, np.any(a > 1.0, axis=0), a.sum(), a.mean()


@pytest.mark.compiles
@pytest.mark.turns(11)
def test_compiled_functions_of_the_user():
    total, some, plain, mean = in_compiled_code(MATRIX)
    expected = in_compiled_code.py_func(MATRIX)
    np.testing.assert_allclose((total, plain, mean), (expected[0], expected[2], expected[3]), rtol=1e-13)
    assert np.array_equal(some, expected[1])
    bs.check_grads(lambda a: in_compiled_code(a)[0], (MATRIX,))


def test_ties_share_evenly():
    a = np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])
    expected = np.array([[0.0, 0.5, 0.5], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(bs.grad(lambda a: np.sum(np.max(a, axis=1)), jit=False)(a), expected)
    lowest = np.array([[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    np.testing.assert_allclose(bs.grad(lambda a: np.sum(a.min(axis=1)), jit=False)(a), lowest)


def test_no_spread_has_no_slope():
    a = np.array([[2.0, 2.0], [1.0, 3.0]])
    found = bs.grad(lambda a: np.sum(np.std(a, axis=1)), jit=False)(a)
    np.testing.assert_allclose(found, [[0.0, 0.0], [-0.5, 0.5]])
    found = bs.grad(lambda a: np.sum(np.linalg.norm(a, axis=1)), jit=False)(
        np.array([[0.0, 0.0], [3.0, 4.0]])
    )
    np.testing.assert_allclose(found, [[0.0, 0.0], [0.6, 0.8]])


REFUSED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "where": (lambda a: np.nanvar(a, where=a > 0.0), "without `where=`"),
    "a mask that is none": (lambda a: np.sum(a, where=a), "is no array of truths"),
    "a mask of more axes": (lambda a: np.sum(a[0], where=a > 0.0), "has more axes than the array"),
    "a mask and no start": (lambda a: np.max(a, where=a > 0.0), "may be of nothing"),
    "a start of arrays": (lambda a: np.sum(a, initial=a), "starts with no number"),
    "ddof and correction": (lambda a: np.var(a, ddof=1, correction=1), "is given both"),
    "dtype": (lambda a: np.sum(np.mean(a, axis=0, dtype=int)), "with the dtype int64"),
    "narrow dtype": (lambda a: np.sum(np.prod(a, axis=0, dtype=np.int32)), "with the dtype int32"),
    "complex dtype": (lambda a: np.var(a, dtype=complex), "has no complex dtype"),
    "real dtype": (lambda a: np.mean(a * 1j, dtype=float), "the numbers are complex"),
    "axis at run time": (
        lambda a: np.sum(np.mean(a, axis=int(a[0, 0]))),
        "is known only when the program runs",
    ),
    "no such axis": (lambda a: np.sum(np.mean(a, axis=2)), "the array has 2 axes"),
    "ord": (lambda a: np.sum(np.linalg.norm(a, ord=3, axis=(0, 1))), "is not supported with this `ord`"),
    "method": (
        lambda a: np.sum(np.quantile(a, 0.3, axis=0, method="averaged_inverted_cdf")),
        "by this method",
    ),
    "ends of differences": (lambda a: np.sum(np.diff(a, prepend=a[0])), "neither a number nor an array"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_words(name):
    function, words = REFUSED[name]
    with refused(words, (bs.TypingError, bs.UnsupportedError)) as caught:
        bs.grad(function, jit=False)(MATRIX)
    assert "help: " in str(caught.value)


def test_masks_that_do_not_fit():
    with pytest.raises(ValueError, match=r"broadcast|shape"):
        bs.grad(lambda a: np.sum(a[:1], where=a > 0.0), jit=False)(MATRIX)


def test_what_a_mask_leaves_out_counts_nothing():
    a = np.array([[1.0, np.nan], [np.inf, 2.0]])
    for function in (np.sum, np.mean, np.var, np.prod):
        found = bs.grad(lambda a: function(a, where=np.isfinite(a)), jit=False)(a)  # noqa: B023
        assert np.array_equal(found == 0.0, [[False, True], [True, False]])
    assert bs.grad(lambda a: np.max(a, where=a < 0.0, initial=0.5), jit=False)(a).sum() == 0.0


@pytest.mark.parametrize(
    ("weights", "axis", "error"),
    [
        (np.ones(1), None, TypeError),
        (0.0 * WEIGHTS, None, ZeroDivisionError),
        (np.ones(2), 0, ValueError),
    ],
)
def test_weights_that_do_not_fit(weights, axis, error):
    def average(a, weights):
        return np.average(a, axis, weights)

    for function in (average, bs.grad(average, jit=False)):
        with pytest.raises(error):
            function(WEIGHTS, weights)


@pytest.mark.parametrize("axis", [(0, 5), (0, 0)])
def test_axes_that_do_not_fit(axis):
    with pytest.raises(bs.UnsupportedError, match="name each axis once"):
        bs.grad(lambda a: np.sum(np.sum(a * a, axis=axis)), jit=False)(MATRIX)


@pytest.mark.parametrize("function", [np.std, np.nanstd], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    "x", [np.full(3, 5.0), np.array([5.0]), np.array(5.0)], ids=["equal", "one", "no axis"]
)
def test_a_standard_deviation_of_zero_has_the_derivative_zero(function, x):
    value, gradient = bs.value_and_grad(lambda x: function(x) * 2.0, jit=False)(x)
    assert value == 0.0
    np.testing.assert_array_equal(gradient, np.zeros_like(x))
