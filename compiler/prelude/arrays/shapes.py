"""Functions of NumPy that turn arrays, take them apart, and make them of functions, of lists and of places."""

from __future__ import annotations

from typing import Any

import numpy as np

from backsweep.prelude.arrays.choices import along, axes_of
from backsweep.prelude.declare import (
    as_array,
    computed,
    core,
    has_known_items,
    is_compiled,
    is_complex,
    is_known,
    means,
    refuse,
    unit_axes,
)
from backsweep.runtime.support.marks import seen_as_view

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _named(*places: tuple[Any, str]) -> list[Any]:
    """The functions of these names that this version of NumPy has."""
    return [getattr(module, name) for module, name in places if hasattr(module, name)]


@means(*_named((np, "matrix_transpose"), (np.linalg, "matrix_transpose")))
def matrix_transpose(x):
    """The last two axes are exchanged."""
    if np.ndim(x) < 2:
        refuse(
            "the last two axes are exchanged, but there are less than two",
            "give it a matrix, or a stack of matrices",
        )
    if x.ndim == 2:
        return np.transpose(x)
    return np.transpose(x, (*tuple(range(x.ndim - 2)), x.ndim - 1, x.ndim - 2))


@means(np.rot90)
def rot90(m, k=1, axes=(0, 1)):
    """Two axes turned by quarters; the core has that of the first two."""
    m = as_array(m)
    if len(axes) != 2 or not is_known(axes[0], axes[1]):
        refuse("`axes=` of `np.rot90` is known only when the program runs", "write two numbers")
    if axes[0] == 0 and axes[1] == 1:
        return core(np.rot90)(m) if is_known(k) and k == 1 else core(np.rot90)(m, k)
    if not is_known(k):
        refuse("`k` of `np.rot90` is known only when the program runs", "write a number")
    first, second = axes[0] % m.ndim, axes[1] % m.ndim
    if first == second:
        refuse("`np.rot90` is given the same axis twice", "name two axes")
    if k % 4 == 0:
        return m[...]
    if k % 4 == 1:
        return np.swapaxes(np.flip(m, second), first, second)
    return np.flip(np.flip(m, first) if k % 4 == 2 else np.swapaxes(m, first, second), second)


@means(np.broadcast_arrays)
def broadcast_arrays(*args):
    """Views of arrays in the shape that all of them broadcast to."""
    given = [as_array(each) for each in args]
    shape = np.broadcast_shapes(*[np.shape(each) for each in given])
    return tuple([np.broadcast_to(each, shape) for each in given])


@means(np.rollaxis)
def rollaxis(a, axis, start=0):
    """An axis goes before another one."""
    if not isinstance(a, np.ndarray) or not is_known(axis, start):
        refuse(
            "`np.rollaxis` takes an array, and axes that are known while compiling",
            "write the numbers, as in np.rollaxis(x, 2)",
        )
    return np.transpose(a, computed(_rolled)(a.ndim, axis, start))


def _rolled(ndim: int, axis: int, start: int) -> tuple[int, ...]:
    """The order of the axes: those of an array whose extents are all different say where each one went."""
    return tuple(each - 1 for each in np.rollaxis(np.empty(range(1, ndim + 1), bool), axis, start).shape)


@means(np.moveaxis)
def moveaxis(a, source, destination):
    """Axes go to other places; where the run decides on one, there is a branch for each that it may be."""
    if not isinstance(a, np.ndarray) or not (is_known(source) or is_known(destination)):
        return core(np.moveaxis)(a, source, destination)
    if is_known(source, destination):
        return np.transpose(a, computed(_moved)(a.ndim, source, destination))
    fixed = source if is_known(source) else destination
    axis = destination if is_known(source) else source
    if np.ndim(fixed) > 0 or np.ndim(axis) > 0 or not -a.ndim <= fixed < a.ndim:
        return core(np.moveaxis)(a, source, destination)
    for k in tuple(range(a.ndim)):
        if axis in (k, k - a.ndim):
            if is_known(source):
                return np.transpose(a, computed(_moved)(a.ndim, fixed, k))
            return np.transpose(a, computed(_moved)(a.ndim, k, fixed))
    raise ValueError("axis is out of bounds for this array")


def _moved(ndim: int, source, destination) -> tuple[int, ...]:
    """The order of the axes after some were moved, as `_rolled` finds it."""
    moved = np.moveaxis(np.empty(range(1, ndim + 1), bool), source, destination)
    return tuple(each - 1 for each in moved.shape)


@means(*_named((np, "unstack")))
def unstack(x, *, axis=0):
    """A list of the parts along an axis."""
    if not isinstance(x, np.ndarray) or not is_known(axis) or not -x.ndim <= axis < x.ndim:
        refuse(
            "`np.unstack` takes an array, and the number of an axis that it has",
            "write it, as in np.unstack(x, axis=1)",
        )
    parts = np.moveaxis(x, axis, 0)
    return [parts[k] for k in range(len(parts))]


@means(np.ix_)
def ix_(*args):
    """Vectors of positions, each along an axis of its own."""
    return tuple([_along(each, k, len(args)) for k, each in enumerate(args)])


def _along(given, axis, count):
    """Positions, or those where truths hold, along one of so many axes."""
    places = as_array(given)
    if np.ndim(places) != 1:
        refuse(
            "`np.ix_` takes vectors of positions, or of truths",
            "write np.ix_(np.array([0, 2]), np.array([1]))",
        )
    if places.dtype == bool:
        places = np.flatnonzero(places)
    return along(places, axis, count)


@means(np.einsum)
def einsum(*args, **options):
    """Subscripts as lists of numbers, each behind its operand, become letters."""
    if len(args) < 2 or isinstance(args[0], str) or not is_known(*args[1::2]):
        return core(np.einsum)(*args, **options)
    if len(args) % 2:
        text = computed(_lettered)(True, *args[1::2], args[-1])
        return core(np.einsum)(text, *args[:-1:2], **options)
    return core(np.einsum)(computed(_lettered)(False, *args[1::2]), *args[::2], **options)


def _lettered(is_last_of_result, *subscripts) -> str:
    """The text of subscripts that are numbers; the last ones may be those of the result."""
    *given, last = map(_letters, subscripts)
    return ",".join(given) + ("->" if is_last_of_result else ",") + last


def _letters(numbers) -> str:
    """The letters that stand for numbers, in their order."""
    return "".join("..." if each is ... else LETTERS[each] for each in numbers)


@means(np.real_if_close)
def real_if_close(a, tol=100):
    """Real numbers are these themselves; of complex ones, the run decides the type."""
    del tol
    if is_complex(a):
        refuse(
            "whether `np.real_if_close` gives real numbers is known only when the program runs",
            "take the real parts: np.real(z)",
        )
    return a


@means(np.frompyfunc)
def frompyfunc(func, /, nin, nout, **identity):
    """There are no objects of Python in compiled code."""
    del func, nin, nout, identity
    refuse(
        "`np.frompyfunc` makes a function whose results are objects of Python",
        "write np.vectorize(f, otypes=[float]), or [f(v) for v in x]",
    )


@means(np.fromfunction)
def fromfunction(function, shape, *, dtype=float, **options):
    """The function is called with the subscripts, as arrays."""
    if not has_known_items(shape) or dtype not in (float, np.float64, "float64", "d", int):
        refuse(
            "`np.fromfunction` takes a function and a tuple of extents; its subscripts are floats or whole",
            "write np.fromfunction(f, (n, m)), or f(*np.indices((n, m)))",
        )
    grid = np.indices(shape)
    return function(
        *[grid[k] if dtype is int else grid[k] * 1.0 for k in tuple(range(len(shape)))], **options
    )


@means(np.fromiter)
def fromiter(iter, dtype, count=-1, *, like=None):
    """An array of the items, or of the first so many."""
    del like
    found = np.array(iter if isinstance(iter, np.ndarray) else list(iter)).astype(dtype)
    if is_known(count) and count < 0:
        return found
    if count > found.size:
        raise ValueError("iterator too short")
    return found if count < 0 else found[:count]


@means(np.isin)
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    """Whether entries are among others; how they are looked for changes no result."""
    del kind
    found = core(np.isin)(element, test_elements, assume_unique)
    return ~found if invert else found


@means(np.nanargmax)
def nanargmax(a, axis=None, out=None, *, keepdims=False):
    """Where the largest entries are, of those that are numbers."""
    if out is None and axis is None and is_known(keepdims) and not keepdims and np.ndim(a) > 0:
        return core(np.nanargmax)(a)
    return np.argmax(_numbers_alone(np.asarray(a), axis, -np.inf), axis=axis, out=out, keepdims=keepdims)


@means(np.nanargmin)
def nanargmin(a, axis=None, out=None, *, keepdims=False):
    """Where the smallest entries are, of those that are numbers."""
    if out is None and axis is None and is_known(keepdims) and not keepdims and np.ndim(a) > 0:
        return core(np.nanargmin)(a)
    return np.argmin(_numbers_alone(np.asarray(a), axis, np.inf), axis=axis, out=out, keepdims=keepdims)


def _numbers_alone(a, axis, instead):
    """The array with another number in place of nan."""
    if a.ndim == 0:
        a = np.reshape(a, (1,))
    none = np.isnan(a)
    if np.any(np.all(none, axis=axis)):
        raise ValueError("All-NaN slice encountered")
    return np.where(none, instead, a)


@means(np.sort_complex)
def sort_complex(a):
    """The entries in order, as complex numbers."""
    a = np.asarray(a)
    if is_complex(a):
        return np.sort(a)
    return np.sort(a).astype(np.complex64 if a.dtype in (np.int8, np.uint8, np.int16, np.uint16) else complex)


if hasattr(np, "unique_all"):
    OF_ALL: Any = type(np.unique_all(np.zeros(1)))
    OF_COUNTS: Any = type(np.unique_counts(np.zeros(1)))
    OF_INVERSE: Any = type(np.unique_inverse(np.zeros(1)))

    @means(np.unique_all)
    def unique_all(x):
        """Distinct entries, their first places, the numbers of all entries, and how often each occurs."""
        found = np.unique(x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False)
        return OF_ALL(*found)

    @means(np.unique_counts)
    def unique_counts(x):
        """Distinct entries, and how often each occurs."""
        return OF_COUNTS(*np.unique(x, return_counts=True, equal_nan=False))

    @means(np.unique_inverse)
    def unique_inverse(x):
        """Distinct entries, and the numbers of all entries."""
        return OF_INVERSE(*np.unique(x, return_inverse=True, equal_nan=False))

    @means(np.unique_values)
    def unique_values(x):
        """Distinct entries."""
        return np.unique(x, return_counts=True, equal_nan=False)[0]


@means(np.fix)
def fix(x, out=None):
    """What `np.trunc` does."""
    return np.trunc(x) if out is None else np.trunc(x, out=out)


@means(np.nan_to_num)
def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """Without a copy, the array itself gets what is found."""
    if is_known(nan) and nan == 0.0 and posinf is None and neginf is None:
        found = core(np.nan_to_num)(x)
    else:
        found = core(np.nan_to_num)(x, nan=nan, posinf=posinf, neginf=neginf)
    if np.ndim(x) == 0 or copy:
        return found
    x[...] = found
    return x


@means(np.histogramdd)
def histogramdd(*args, **options):
    """There is an axis for each column."""
    del args, options
    refuse(
        "`np.histogramdd` makes an array with as many axes as its argument has columns",
        "write np.histogram2d(x, y, weights=w), or np.bincount(places, weights=w) of places that np.digitize finds",
        "BS109",
    )


@means(np.clip)
def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None):
    """The result has the dtype of the array and its bounds; Numba's has that of the array."""
    low, high = min if a_min is None else a_min, max if a_max is None else a_max
    a = as_array(a)
    if not is_compiled() and isinstance(a, np.ndarray):
        wanted = np.result_type(a, *[_promoting(each) for each in (low, high)])
        if wanted.name != np.result_type(a).name:
            a = a.astype(wanted.type)
    return core(np.clip)(a, low, high) if out is None else core(np.clip)(a, low, high, out)


def _promoting(bound):
    """What a bound adds to the promotion of NumPy's: Python's numbers, which compiled code cannot tell, add their kind."""
    if bound is None or isinstance(bound, bool):
        return False
    if np.ndim(bound) > 0:
        return bound
    return 0 if isinstance(bound, (int, np.integer)) else 0.0


@means(np.ndarray.item)
def item(self, *args):
    """An entry as a number: the only one, or that at a place."""
    places = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    if not isinstance(self, np.ndarray):
        return self
    if self.ndim == 0:
        return self[()]
    if len(places) == 0:
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self[(0,) * self.ndim]
    if len(places) == self.ndim:
        return self[places]
    if len(places) > 1:
        refuse(
            f"`item` is given {len(places)} subscripts of an array with {self.ndim} axes",
            "give it a subscript for each axis, or one position",
        )
    p = places[0] + self.size if places[0] < 0 else places[0]
    if p < 0 or p >= self.size:
        raise IndexError("index is out of bounds for the array")
    index: Any = ()
    for axis in tuple(range(self.ndim - 1, 0, -1)):
        index = (p % self.shape[axis], *index)
        p = p // self.shape[axis]
    return self[(p, *index)]


@means(np.ndarray.tolist)
def listed(self):
    """The entries in a list; those of a matrix in a list for each row."""
    if self.ndim == 0:
        return self[()]
    if self.ndim > 2:
        refuse(
            "`tolist` is supported for at most two axes",
            "index the array, or make a list of each matrix: [m.tolist() for m in a]",
        )
    return list(self) if self.ndim == 1 else [list(row) for row in self]


@means(np.generic.copy, np.generic.tolist, np.generic.take)
def number_itself(self, *more, **options):
    """What these methods of arrays give of a number of NumPy's."""
    del more, options
    return self


@means(np.generic.flatten)
def vector_of_number(self, order="C"):
    """The number in an array."""
    del order
    return np.array([self])


@means(np.generic.astype)
def converted_number(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The number in another kind."""
    del order, subok, copy
    if casting != "unsafe":
        refuse("`astype` is supported with `casting='unsafe'`", "ask np.can_cast before the call")
    return np.array([self]).astype(dtype)[0]


@means(np.ndarray.fill)
def fill(self, value) -> None:
    """All entries are the number."""
    self[...] = value


@means(np.ndarray.sort)
def sort(self, *more, **options) -> None:
    """The array holds its entries in order."""
    if is_complex(self):
        refuse(
            "`sort` of complex numbers has no derivative rule",
            "sort by real numbers: z[np.argsort(np.real(z))]",
            "BS202",
        )
    self[...] = np.sort(self, *more, **options)


@means(np.ndarray.partition)
def partition(self, *more, **options) -> None:
    """The array holds what `np.partition` gives."""
    self[...] = np.partition(self, *more, **options)


@means(np.ndarray.flatten)
def flatten(self, *order, **options):
    """A vector of its own."""
    return np.copy(np.ravel(self, *order, **options))


@means(np.ndarray.compress)
def compress(self, condition, *more, **options):
    """What `np.compress` takes."""
    return np.compress(condition, self, *more, **options)


@means(np.ndarray.conj, np.ndarray.conjugate)
def conj(self):
    """Real numbers are the array itself, of which Numba makes a copy."""
    return np.conj(self) if is_complex(self) else seen_as_view(np.conj(self), self)


@means(np.ndarray.copy)
def copied(self, order="C"):
    """A copy in rows or in columns."""
    if order not in ("C", "F"):
        refuse(
            f"`copy` is supported in the orders 'C' and 'F', and not in {order!r}",
            "write a.copy(), or a.copy('F')",
        )
    return np.asfortranarray(core(np.ndarray.copy)(self)) if order == "F" else core(np.ndarray.copy)(self)


@means(np.require)
def require(a, dtype=None, requirements=None, *, like=None):
    """The array with a dtype and a layout."""
    if like is not None:
        refuse("`np.require` is supported without `like=`", "leave it out")
    x = np.asarray(a) if dtype is None else np.asarray(a, dtype)
    if requirements is None:
        return x
    for each in requirements:
        if each in ("C", "CONTIGUOUS", "C_CONTIGUOUS"):
            x = np.ascontiguousarray(x)
        elif each in ("F", "FORTRAN", "F_CONTIGUOUS"):
            x = np.asfortranarray(x)
        elif each in ("O", "OWNDATA"):
            x = x.copy()
        elif each not in ("A", "ALIGNED", "E", "ENSUREARRAY", "W", "WRITEABLE"):
            refuse(
                f"`np.require` is supported for 'C', 'F', 'O', 'A', 'E' and 'W', and not for {each!r}",
                "name one of these",
            )
    return x


@means(np.ndarray.astype)
def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    """The array itself if it has the dtype and no copy is asked for."""
    del order, subok
    if casting != "unsafe":
        refuse(
            "`astype` is supported with `casting='unsafe'`",
            "ask np.can_cast before the call",
        )
    if not is_known(copy):
        refuse(
            "only the run decides whether `astype` copies",
            "write copy=True or copy=False, in a branch each",
            "BS109",
        )
    if not copy and np.result_type(self).name == np.result_type(dtype).name:
        return self
    return core(np.ndarray.astype)(self, dtype)


@means(np.squeeze, in_njit=True)
def squeeze(a, axis=None):
    """An array without axes of extent 1: those that are named, or those whose extents are 1 by the way in which the array is made."""
    a = as_array(a)
    if axis is not None:
        axes = axes_of("np.squeeze", axis, np.ndim(a))
        for k in axes:
            if np.shape(a)[k] != 1:
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return _without(a, axes)
    known = unit_axes(a)
    if True not in known and None in known and len(known) > 1:
        refuse(
            "`np.squeeze` without `axis=` takes away as many axes as the extents say, which only the run knows",
            "name the axes, as in np.squeeze(x, axis=1), or write x[:, 0]",
            "BS301",
        )
    for k, is_one in enumerate(known):
        # An axis of which nothing is known stays; where its extent turns out to be 1, NumPy would take it away, too.
        if is_one is None and np.shape(a)[k] == 1:
            raise ValueError(
                f"np.squeeze would take away axis {k}, too, whose extent is 1: name the axes, axis="
            )
    return _without(a, computed(_true_places)(known))


def _without(a, axes):
    """The array without axes of extent 1."""
    return a[tuple([0 if k in axes else slice(None) for k in tuple(range(np.ndim(a)))])] if axes else a


def _true_places(known: tuple[bool | None, ...]) -> tuple[int, ...]:
    """Where it is True."""
    return tuple(k for k, each in enumerate(known) if each)
