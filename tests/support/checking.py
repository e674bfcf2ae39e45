"""Numeric checks that the tests share: derivatives by differences, and gradients compared with them.

The reference is central differences, taken in float64 and in plain Python, at five steps that halve, and
extrapolated to the limit (Richardson's scheme; tenth order at best). Each coordinate brings an estimate of
its own error, and `assert_gradient` allows for it; a reference that is itself poor fails the check instead of
loosening it. What this cannot see: a function that is not smooth within `FIRST_STEP` of the arguments.
Functions are always called on copies.
"""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.typed import List

Tree = Any
"""A float, an array, or a (nested) tuple, namedtuple or dataclass of them."""

FIRST_STEP = 2.0**-6
STEPS = 5
POOR = 1e-6
"""A reference whose own error estimate is larger than this (relative) is refused."""

TOLERANCE = {"float64": (1e-7, 1e-9), "float32": (2e-4, 2e-5)}
"""Relative and absolute tolerance by dtype; relative to the largest entry of the whole gradient."""


@dataclasses.dataclass(frozen=True)
class Reference:
    """A gradient by differences and, per leaf, the estimate of its error."""

    gradient: Tree
    errors: tuple[np.ndarray, ...]


def is_sequence(tree: Tree) -> bool:
    """Whether the tree has items: of Numba's own lists those of numbers, as arrays in them have no gradient."""
    if isinstance(tree, List):
        return all(isinstance(item, numbers.Number) for item in tree)
    return isinstance(tree, tuple | list)


def leaves(tree: Tree) -> tuple[Any, ...]:
    """The leaves of a tree in order: everything that is not a tuple, a list or a dataclass."""
    if is_sequence(tree):
        return tuple(leaf for item in tree for leaf in leaves(item))
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return tuple(leaf for field in dataclasses.fields(tree) for leaf in leaves(getattr(tree, field.name)))
    return (tree,)


def map_leaves(change: Callable[[Any], Any], tree: Tree) -> Tree:
    """The same structure with each leaf changed."""
    if is_sequence(tree):
        items = [map_leaves(change, item) for item in tree]
        if not isinstance(tree, tuple):
            return items if isinstance(tree, list) else _filled(tree.copy(), items)
        # results of SciPy's have names, too, but are not made of their items alone
        return tree._make(items) if hasattr(tree, "_make") else tuple(items)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        names = [field.name for field in dataclasses.fields(tree)]
        return dataclasses.replace(tree, **{name: map_leaves(change, getattr(tree, name)) for name in names})
    return change(tree)


def is_active(leaf: Any) -> bool:
    """Whether the leaf is a float or an array of floats."""
    if isinstance(leaf, np.ndarray):
        return bool(leaf.dtype.kind in "fc")
    return isinstance(leaf, float | complex | np.floating | np.complexfloating)


def is_complex(leaf: Any) -> bool:
    """Whether the leaf is a complex number or an array of them."""
    return np.asarray(leaf).dtype.kind == "c"


def _filled(made: Tree, items: list[Tree]) -> Tree:
    """A typed list with other items of its type, also where there are none."""
    made.clear()
    for item in items:  # Numba warns of a Python list that is taken whole
        made.append(item)
    return made


def clone(tree: Tree) -> Tree:
    """A copy with the same strides: a test of a strided argument must hand over a strided argument."""
    return map_leaves(lambda leaf: _clone_array(leaf) if isinstance(leaf, np.ndarray) else leaf, tree)


def _clone_array(array: np.ndarray) -> np.ndarray:
    """A copy of an array in memory of its own, gaps and negative strides included."""
    if array.size == 0:
        return np.empty_like(array)
    reaches = [(size - 1) * stride for size, stride in zip(array.shape, array.strides, strict=True)]
    offset = -sum(min(reach, 0) for reach in reaches)
    span = offset + sum(max(reach, 0) for reach in reaches) + array.itemsize
    memory = np.zeros(span, dtype=np.uint8)
    copied: np.ndarray = np.ndarray(array.shape, array.dtype, memory, offset, array.strides)
    copied[...] = array
    return copied


def widened(tree: Tree) -> Tree:
    """The tree in double precision: differences in float32 are too coarse to check anything."""

    def widen(leaf: Any) -> Any:
        if not is_active(leaf):
            return leaf
        wide = complex if is_complex(leaf) else float
        if isinstance(leaf, np.ndarray):
            return leaf if leaf.dtype == wide else leaf.astype(wide)
        return wide(leaf)

    return map_leaves(widen, clone(tree))


def cotangent_like(result: Tree, seed: int = 0) -> Tree:
    """A random cotangent of a result's structure; zero where the result carries no derivative."""
    rng = np.random.default_rng(seed)

    def draw(leaf: Any) -> Any:
        if not is_active(leaf):
            return np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else 0
        drawn = np.asarray(rng.uniform(0.5, 1.5, np.shape(leaf)))
        if is_complex(leaf):
            drawn = drawn + 1j * rng.uniform(0.5, 1.5, np.shape(leaf))
        return drawn.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else drawn.item()

    return map_leaves(draw, result)


def inner(first: Tree, second: Tree) -> float:
    """The real part of the product of two trees over their active leaves, summed exactly."""
    products: list[float] = []
    for a, b in zip(leaves(first), leaves(second), strict=True):
        if is_active(a):
            products += np.ravel(np.real(np.asarray(a) * np.asarray(b))).tolist()
    return math.fsum(products)


def _as_indices(argnums: int | Sequence[int]) -> tuple[int, ...]:
    """`argnums` as a tuple."""
    return (argnums,) if isinstance(argnums, int) else tuple(argnums)


def difference(along: Callable[[float], float], scale: float = 1.0) -> tuple[float, float]:
    """The derivative of `along` at 0 and the estimate of its error, by extrapolated central differences."""
    step = FIRST_STEP * scale
    best, error = math.nan, math.inf
    previous: list[float] = []
    for _ in range(STEPS):
        row = [(along(step) - along(-step)) / (2.0 * step)]
        for order, coarser in enumerate(previous, start=1):
            row.append(row[-1] + (row[-1] - coarser) / (4.0**order - 1.0))
            change = max(abs(row[-1] - row[-2]), abs(row[-1] - coarser))
            if change <= error:
                best, error = row[-1], change
        previous, step = row, 0.5 * step
    return best, error


Slope = Callable[[Callable[[float], float], float], tuple[float, float]]
"""Takes a function of a step, and a scale for steps; gives the derivative at 0 and the estimate of its error."""


def reference(
    function: Callable[..., Tree],
    args: tuple[Any, ...],
    argnums: int | Sequence[int],
    cotangent: Tree = None,
    slope_of: Slope = difference,
) -> Reference:
    """The gradient of `<cotangent, function(*args)>`, coordinate by coordinate, with error estimates."""
    base = list(widened(args))
    indices = _as_indices(argnums)
    weight = widened(cotangent_ones(function(*clone(tuple(base)))) if cotangent is None else cotangent)
    errors: list[np.ndarray] = []

    def partials(index: int, position: int, leaf: Any) -> Any:
        values = np.asarray(leaf, dtype=complex if is_complex(leaf) else float)
        found, doubt = np.zeros_like(values), np.zeros(values.shape)
        directions = [(1.0, 1.0), (1j, -1j)] if is_complex(leaf) else [(1.0, 1.0)]
        for coordinate in np.ndindex(values.shape):
            for direction, share in directions:

                def along(
                    step: float, coordinate: tuple[int, ...] = coordinate, direction: Any = direction
                ) -> float:
                    moved = _clone_array(values)  # views and copies of it depend on its strides
                    moved[coordinate] += step * direction
                    changed = list(clone(tuple(base)))
                    changed[index] = _with_leaf(
                        changed[index], position, moved if values.shape or _is_array(leaf) else moved.item()
                    )
                    return inner(weight, function(*changed))

                slope, error = slope_of(along, max(1.0, abs(values[coordinate])))
                found[coordinate] += share * slope
                doubt[coordinate] += error
        errors.append(doubt)
        return found if _is_array(leaf) else found.item()

    gradients = []
    for index in indices:
        counter = iter(range(len(leaves(base[index]))))

        def one(leaf: Any, index: int = index, counter: Any = counter) -> Any:
            position = next(counter)
            return partials(index, position, leaf) if is_active(leaf) else leaf

        gradients.append(map_leaves(one, base[index]))
    return Reference(gradients[0] if isinstance(argnums, int) else tuple(gradients), tuple(errors))


def reference_gradient(
    function: Callable[..., Tree], args: tuple[Any, ...], argnums: int | Sequence[int], cotangent: Tree = None
) -> Tree:
    """The gradient of `<cotangent, function(*args)>` by differences; a scalar's needs no cotangent."""
    return reference(function, args, argnums, cotangent).gradient


def cotangent_ones(result: Tree) -> Tree:
    """The cotangent 1 of a scalar result."""
    if np.ndim(result) != 0 or isinstance(result, tuple):
        raise TypeError(f"a reference gradient of a result of type {type(result).__name__} needs a cotangent")
    return 1.0


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, np.ndarray)


def _with_leaf(tree: Tree, position: int, value: Any) -> Tree:
    """The tree with one leaf replaced."""
    counter = iter(range(len(leaves(tree))))
    return map_leaves(lambda leaf: value if next(counter) == position else leaf, tree)


def assert_structure(got: Tree, like: Tree, where: str = "gradient") -> None:
    """The gradient has the structure, the shapes and the dtypes of what it is the gradient of."""
    if isinstance(like, tuple):
        assert isinstance(got, tuple), f"{where}: expected a tuple, got {type(got).__name__}"
        assert len(got) == len(like), f"{where}: {len(got)} entries instead of {len(like)}"
        assert not hasattr(like, "_fields") or isinstance(got, type(like)), (
            f"{where}: not a {type(like).__name__}"
        )
        for i, (g, a) in enumerate(zip(got, like, strict=True)):
            assert_structure(g, a, f"{where}[{i}]")
    elif dataclasses.is_dataclass(like):
        assert isinstance(got, type(like)), (
            f"{where}: expected {type(like).__name__}, got {type(got).__name__}"
        )
        for field in dataclasses.fields(like):
            assert_structure(getattr(got, field.name), getattr(like, field.name), f"{where}.{field.name}")
    elif isinstance(like, np.ndarray) and (like.ndim > 0 or isinstance(got, np.ndarray)):
        # some of SciPy's functions give arrays without axes, whose gradients are numbers
        assert isinstance(got, np.ndarray), f"{where}: expected an array, got {type(got).__name__}"
        assert got.shape == like.shape, f"{where}: shape {got.shape} instead of {like.shape}"
        if is_active(like):
            assert got.dtype == like.dtype, f"{where}: dtype {got.dtype} instead of {like.dtype}"
    elif is_active(like):
        kind = complex | np.complexfloating if is_complex(like) else float | np.floating
        assert isinstance(got, kind), f"{where}: expected {kind}, got {type(got).__name__}"


def assert_close(got: Tree, expected: Tree, errors: Sequence[np.ndarray] = (), like: Tree = None) -> None:
    """Each active leaf agrees within TOLERANCE (of the dtypes in `like`) plus the reference's own error."""
    pairs = [(g, e) for g, e in zip(leaves(got), leaves(expected), strict=True) if is_active(e)]
    kinds = [leaf for leaf in leaves(expected if like is None else like) if is_active(leaf)]
    largest = max((float(np.max(np.abs(e))) for _, e in pairs if np.size(e)), default=0.0)
    for number, ((g, e), kind) in enumerate(zip(pairs, kinds, strict=True)):
        name = str(np.asarray(kind).dtype)
        if any(np.asarray(other).dtype in (np.float32, np.complex64) for other in kinds):
            name = "float32"
        relative, absolute = TOLERANCE[name.replace("complex128", "float64")]
        doubt = errors[number] if errors else np.zeros(np.shape(e))
        assert np.all(doubt <= POOR * (1.0 + largest)), (
            f"leaf {number}: the reference itself is poor, {doubt}"
        )
        difference_ = np.abs(np.asarray(g, dtype=np.result_type(e)) - np.asarray(e))
        bad = ~(difference_ <= relative * largest + absolute + 10.0 * doubt)
        if np.any(bad):
            at = tuple(int(i) for i in np.argwhere(bad)[0])
            raise AssertionError(
                f"leaf {number}{list(at) if at else ''}: "
                f"got {np.asarray(g)[at]!r}, expected {np.asarray(e)[at]!r}"
                f"\n  got      {g!r}\n  expected {e!r}"
            )


def assert_gradient(
    got: Tree,
    function: Callable[..., Tree],
    args: tuple[Any, ...],
    argnums: int | Sequence[int],
    cotangent: Tree = None,
) -> None:
    """`got` is the gradient of `function` at `args`: structure, shapes, dtypes and numbers."""
    like = args[argnums] if isinstance(argnums, int) else tuple(args[i] for i in argnums)
    assert_structure(got, like)
    expected = reference(function, args, argnums, cotangent)
    assert_close(got, expected.gradient, expected.errors, like)


def assert_own(found: Any, *others: Any) -> None:
    """No array that was returned is memory of another, or of one of the others: whoever changes it changes nothing else."""
    arrays = [leaf for leaf in leaves((found,)) if _is_array(leaf)]
    given = [leaf for leaf in leaves(others) if _is_array(leaf)]
    for number, array in enumerate(arrays):
        for other in (*arrays[:number], *given):
            assert not np.shares_memory(array, other), f"array {number} of {found!r} is memory of {other!r}"


def assert_unchanged(before: tuple[Any, ...], after: tuple[Any, ...]) -> None:
    """The caller's arguments have not been written."""
    for number, (old, new) in enumerate(zip(leaves(before), leaves(after), strict=True)):
        same = (
            np.array_equal(old, new, equal_nan=is_active(old)) if _is_array(old) else old is new or old == new
        )
        assert same, f"argument leaf {number} was changed: {old!r} became {new!r}"
