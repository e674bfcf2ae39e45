"""Rules of the functions that make, copy and rearrange arrays, or multiply their entries in patterns."""

import numpy as np

from backsweep.rules.declare import FixedSample, Sample, constant, rule
from backsweep.runtime.broadcasting import aligned as aligned_to
from backsweep.runtime.broadcasting import stretched as stretched_to
from backsweep.runtime.broadcasting import sum_to as summed_to
from backsweep.runtime.gather import (
    repeat_pullback,
    repeats_pullback,
    sort_pullback,
    sort_rows_pullback,
    unique_pullback,
)
from backsweep.runtime.linalg import (
    correlate_pullback_left,
    correlate_pullback_right,
    diag_offset_pullback,
    diag_pullback,
    kron_pullback_left,
    kron_pullback_right,
)
from backsweep.runtime.memory import number_seen_as, seen_as
from backsweep.runtime.memory import overlap as overlapping
from backsweep.runtime.support.marks import length
from backsweep.runtime.support.marks import stop_gradient as stopped
from backsweep.runtime.support.object_mode import formatted
from backsweep.runtime.tangents import sort_rows_tangent, sort_tangent, unique_tangent
from backsweep.runtime.transforms.lines import doubled, placed

VECTOR = Sample((4,))
MATRIX = Sample((3, 4))
BLOCK = Sample((2, 3, 4))
NUMBER = (-2.0, 2.0)


def is_own_inverse(axes: object) -> bool:
    """Whether permuting by the literal axes twice changes nothing."""
    return isinstance(axes, tuple) and all(axes[axes[k]] == k for k in range(len(axes)))


def is_forward_cycle(axes: object) -> bool:
    """Whether three axes move one place to the front."""
    return axes == (1, 2, 0)


def is_backward_cycle(axes: object) -> bool:
    """Whether three axes move one place to the back."""
    return axes == (2, 0, 1)


@rule(np.copy, samples=[MATRIX], linear=("x",))
def copy(x):
    """Copy."""
    y = np.copy(x)
    return y, lambda y_bar: y_bar


@rule(np.asarray, np.ascontiguousarray, np.asfortranarray, samples=[MATRIX], linear=("x",))
def asarray(x):
    """The same array, perhaps in another layout."""
    y = np.asarray(x)
    return y, lambda y_bar: y_bar


@rule(np.full, static=["shape"], ndim=(None, 0), samples=[FixedSample((2, 3)), NUMBER], linear=("value",))
def full(shape, value):
    """Array of one number."""
    y = np.full(shape, value)
    return y, lambda y_bar: np.sum(y_bar)


@rule(
    np.full,
    static=["shape", "dtype"],
    ndim=(None, 0, None),
    samples=[FixedSample((2, 3)), NUMBER, FixedSample(np.float64)],
    linear=("value",),
)
def full_typed(shape, value, dtype):
    """Array of one number, of a given type."""
    y = np.full(shape, value, dtype)
    return y, lambda y_bar: np.sum(y_bar)


@rule(
    np.full_like,
    static=["like"],
    ndim=(None, 0),
    samples=[FixedSample(np.zeros((2, 3))), NUMBER],
    linear=("value",),
)
def full_like(like, value):
    """Array of one number with the shape and type of another array."""
    y = np.full_like(like, value)
    return y, lambda y_bar: np.sum(y_bar)


@rule(np.reshape, static=["shape"], samples=[MATRIX, FixedSample((2, 6))], linear=("x",))
def reshape(x, shape):
    """The same entries in another shape."""
    y = np.reshape(x, shape)
    return y, lambda y_bar: np.reshape(np.ascontiguousarray(y_bar), x.shape)


@rule(np.ravel, np.ndarray.flatten, samples=[MATRIX], linear=("x",))
def ravel(x):
    """The same entries in one dimension."""
    y = np.ravel(x)
    return y, lambda y_bar: np.reshape(np.ascontiguousarray(y_bar), x.shape)


@rule(np.transpose, samples=[MATRIX], linear=("x",))
def transpose(x):
    """Axes in reverse order."""
    y = np.transpose(x)
    return y, lambda y_bar: np.transpose(y_bar)


@rule(
    np.transpose,
    static=["axes"],
    constant={1: is_own_inverse},
    samples=[BLOCK, FixedSample((2, 1, 0))],
    linear=("x",),
)
def transpose_axes(x, axes):
    """Axes in another order that is its own inverse."""
    y = np.transpose(x, axes)
    return y, lambda y_bar: np.transpose(y_bar, axes)


@rule(
    np.transpose,
    static=["axes"],
    constant={1: is_forward_cycle},
    samples=[BLOCK, FixedSample((1, 2, 0))],
    linear=("x",),
)
def transpose_forward(x, axes):
    """Three axes moved one place to the front."""
    y = np.transpose(x, axes)
    return y, lambda y_bar: np.transpose(y_bar, (2, 0, 1))


@rule(
    np.transpose,
    static=["axes"],
    constant={1: is_backward_cycle},
    samples=[BLOCK, FixedSample((2, 0, 1))],
    linear=("x",),
)
def transpose_backward(x, axes):
    """Three axes moved one place to the back."""
    y = np.transpose(x, axes)
    return y, lambda y_bar: np.transpose(y_bar, (1, 2, 0))


@rule(np.swapaxes, static=["first", "second"], samples=[BLOCK, FixedSample(0), FixedSample(2)], linear=("x",))
def swapaxes(x, first, second):
    """Two axes exchanged."""
    y = np.swapaxes(x, first, second)
    return y, lambda y_bar: np.swapaxes(y_bar, first, second)


@rule(np.atleast_1d, np.atleast_2d, np.atleast_3d, samples=[BLOCK], linear=("x",))
def atleast(x):
    """Axes of length one added, up to one, two or three axes."""
    y = np.atleast_1d(x)
    return y, lambda y_bar: np.reshape(np.ascontiguousarray(y_bar), x.shape)


@rule(np.repeat, static=["count"], ndim=(None, 0), samples=[MATRIX, FixedSample(3)], linear=("x",))
def repeat(x, count):
    """Every entry a number of times."""
    y = np.repeat(x, count)
    return y, lambda y_bar: repeat_pullback(y_bar, x, count)


@rule(
    np.repeat,
    static=["counts"],
    ndim=(1, 1),
    samples=[Sample((4,)), FixedSample(np.array([1, 0, 2, 3]))],
    linear=("x",),
)
def repeat_each(x, counts):
    """Every entry repeated, each its own number of times."""
    y = np.repeat(x, counts)
    return y, lambda y_bar: repeats_pullback(y_bar, x, counts)


@rule(np.unique, samples=[MATRIX])
def unique(x):
    """Different entries in increasing order. Equal entries share the adjoint evenly."""
    y = np.unique(x)
    return (
        y,
        lambda y_bar: unique_pullback(y_bar, x, y),
        lambda x_dot: unique_tangent(x_dot, x, y),
    )


@rule(np.sort, ndim=(2,), samples=[MATRIX])
def sort_rows(x):
    """Entries of each row in increasing order."""
    y = np.sort(x)
    return (
        y,
        lambda y_bar: sort_rows_pullback(y_bar, x),
        lambda x_dot: sort_rows_tangent(x_dot, x),
    )


@rule(np.sort, ndim=(1,), samples=[VECTOR])
def sort(x):
    """Entries in increasing order."""
    y = np.sort(x)
    return (
        y,
        lambda y_bar: sort_pullback(y_bar, x),
        lambda x_dot: sort_tangent(x_dot, x),
    )


@rule(np.expand_dims, static=["axis"], samples=[MATRIX, FixedSample(1)], linear=("x",))
def expand_dims(x, axis):
    """One axis more, of length one."""
    y = np.expand_dims(x, axis)
    return y, lambda y_bar: np.reshape(np.ascontiguousarray(y_bar), x.shape)


@rule(np.broadcast_to, static=["shape"], samples=[VECTOR, FixedSample((3, 4))], linear=("x",))
def broadcast_to(x, shape):
    """Broadcast to a shape."""
    y = np.broadcast_to(x, shape)
    return y, lambda y_bar: summed_to(y_bar, x)


@rule(stretched_to, static=["shape"], samples=[VECTOR, FixedSample((3, 4))], linear=("x",))
def stretched(x, shape):
    """Broadcast to a shape; a copy if the shape changes."""
    y = stretched_to(x, shape)
    return y, lambda y_bar: summed_to(y_bar, x)


@rule(aligned_to, static=["like"], samples=[VECTOR, FixedSample(np.zeros((3, 4)))])
def aligned(x, like):
    """Stretch where another array is larger."""
    y = aligned_to(x, like)
    return (
        y,
        lambda y_bar: summed_to(y_bar, x),
        lambda x_dot: stretched_to(x_dot, y.shape),
    )


@rule(summed_to, static=["like"], samples=[MATRIX, FixedSample(np.zeros(4))], linear=("x",))
def sum_to(x, like):
    """Sum over the axes along which another array was broadcast."""
    y = summed_to(x, like)
    return y, lambda y_bar: np.ones_like(x) * y_bar


@rule(np.flip, np.flipud, samples=[VECTOR], ndim=(1,), linear=("x",))
def flip(x):
    """Entries in reverse order."""
    y = np.flip(x)
    return y, lambda y_bar: y_bar[::-1].copy()


@rule(np.flip, ndim=(2,), samples=[MATRIX], linear=("x",))
def flip_both(x):
    """Rows and columns in reverse order."""
    y = np.flip(x)
    return y, lambda y_bar: y_bar[::-1, ::-1].copy()


@rule(np.flipud, ndim=(2,), samples=[MATRIX], linear=("x",))
def flip_rows(x):
    """Rows in reverse order."""
    y = np.flipud(x)
    return y, lambda y_bar: y_bar[::-1].copy()


@rule(np.fliplr, ndim=(2,), samples=[MATRIX], linear=("x",))
def flip_columns(x):
    """Columns in reverse order."""
    y = np.fliplr(x)
    return y, lambda y_bar: y_bar[:, ::-1].copy()


@rule(np.flip, ndim=(3,), samples=[BLOCK], linear=("x",))
def flip_all(x):
    """All three axes in reverse order."""
    y = np.flip(x)
    return y, lambda y_bar: y_bar[::-1, ::-1, ::-1].copy()


@rule(np.flipud, ndim=(3,), samples=[BLOCK], linear=("x",))
def flip_first(x):
    """The first of three axes in reverse order."""
    y = np.flipud(x)
    return y, lambda y_bar: y_bar[::-1].copy()


@rule(np.fliplr, ndim=(3,), samples=[BLOCK], linear=("x",))
def flip_second(x):
    """The second of three axes in reverse order."""
    y = np.fliplr(x)
    return y, lambda y_bar: y_bar[:, ::-1].copy()


@rule(np.roll, static=["shift"], ndim=(None, 0), samples=[VECTOR, FixedSample(1)], linear=("x",))
def roll(x, shift):
    """Entries moved round."""
    y = np.roll(x, shift)
    return y, lambda y_bar: np.roll(y_bar, -shift)


@rule(
    placed,
    static=["axis", "length", "taken", "given"],
    samples=[MATRIX, FixedSample(1), FixedSample(5), FixedSample((1, 2)), FixedSample((0, 3))],
    linear=("x",),
)
def entries_of_lines(x, axis, length, taken, given):
    """Entries of each line at other places, among zeros. The adjoint takes them back."""
    y = placed(x, axis, length, taken, given)
    return y, lambda y_bar: placed(y_bar, axis, x.shape[axis], given, taken)


@rule(
    doubled,
    static=["axis", "length", "period"],
    samples=[MATRIX, FixedSample(1), FixedSample(5), FixedSample(5)],
    linear=("x",),
)
def halves_of_lines(x, axis, length, period):
    """Entries of each line twice, as transforms of conjugates need them. The adjoint has them twice, too."""
    y = doubled(x, axis, length, period)
    return y, lambda y_bar: doubled(y_bar, axis, x.shape[axis], period)


@rule(np.diag, ndim=(1,), samples=[VECTOR], linear=("x",))
def diag_matrix(x):
    """Matrix with a given diagonal."""
    y = np.diag(x)
    return y, lambda y_bar: np.diag(y_bar).copy()


@rule(np.diag, static=["k"], ndim=(1, None), samples=[VECTOR, FixedSample(1)], linear=("x",))
def diag_matrix_offset(x, k):
    """Matrix with a given diagonal above or below the main one."""
    y = np.diag(x, k)
    return y, lambda y_bar: np.diag(y_bar, k).copy()


@rule(np.diag, static=["k"], ndim=(2, None), samples=[MATRIX, FixedSample(-1)], linear=("x",))
def diag_vector_offset(x, k):
    """Diagonal of a matrix above or below the main one."""
    y = np.diag(x, k)
    return y, lambda y_bar: diag_offset_pullback(y_bar, x, k)


@rule(np.diag, ndim=(2,), samples=[MATRIX], linear=("x",))
def diag_vector(x):
    """Diagonal of a matrix."""
    y = np.diag(x)
    return y, lambda y_bar: diag_pullback(y_bar, x)


@rule(np.tril, static=["k"], ndim=(2, None), samples=[MATRIX, FixedSample(-1)], linear=("x",))
def tril(x, k=0):
    """Lower triangle, up to a diagonal."""
    y = np.tril(x, k)
    return y, lambda y_bar: np.tril(y_bar, k)


@rule(np.triu, static=["k"], ndim=(2, None), samples=[MATRIX, FixedSample(1)], linear=("x",))
def triu(x, k=0):
    """Upper triangle, from a diagonal."""
    y = np.triu(x, k)
    return y, lambda y_bar: np.triu(y_bar, k)


@rule(np.rot90, ndim=(2,), samples=[MATRIX], linear=("x",))
def rot90(x):
    """Matrix turned by a quarter."""
    y = np.rot90(x)
    return y, lambda y_bar: np.rot90(y_bar, 3)


@rule(np.rot90, static=["k"], ndim=(2, None), samples=[MATRIX, FixedSample(2)], linear=("x",))
def rot90_times(x, k):
    """Matrix turned by a number of quarters."""
    y = np.rot90(x, k)
    return y, lambda y_bar: np.rot90(y_bar, -k)


@rule(
    np.linspace,
    static=["num"],
    ndim=(0, 0, None),
    samples=[NUMBER, NUMBER, FixedSample(5)],
    linear=(("start", "stop"),),
)
def linspace(start, stop, num=50):
    """Numbers evenly spaced between two."""
    y = np.linspace(start, stop, num)
    return y, lambda y_bar: (
        np.sum(y_bar * np.linspace(1.0, 0.0, num)),
        np.sum(y_bar * np.linspace(0.0, 1.0, num)),
    )


@constant(np.arange)
def arange(stop):
    """Whole numbers from zero."""


@rule(np.arange, static=["stop"], samples=[NUMBER, FixedSample(4.0)])
def arange_from(start, stop):
    """Numbers one apart."""
    y = np.arange(start, stop)
    return (
        y,
        lambda y_bar: np.sum(y_bar),
        lambda start_dot: np.full_like(y, start_dot),
    )


@rule(np.arange, static=["stop"], samples=[NUMBER, FixedSample(8.0), (1.1, 1.2)])
def arange_by(start, stop, step):
    """Numbers evenly spaced."""
    y = np.arange(start, stop, step)
    return (
        y,
        lambda y_bar: (np.sum(y_bar), np.sum(y_bar * np.arange(y_bar.size))),
        lambda start_dot, step_dot: (np.full_like(y, start_dot), step_dot * np.arange(y.size)),
    )


@constant(
    np.zeros,
    np.ones,
    np.empty,
    np.zeros_like,
    np.ones_like,
    np.empty_like,
    np.eye,
    np.identity,
    np.ndindex,
    np.tri,
    np.indices,
)
def fresh(*operands):
    """Arrays whose entries depend on no number."""


@constant(np.shape, np.size, np.ndim, len, length, range, type, isinstance, slice, np.dtype)
def extent(*operands):
    """Shapes, lengths and types."""


@constant(
    np.random.rand,
    np.random.randn,
    np.random.random,
    np.random.randint,
    np.random.random_sample,
    np.random.seed,
    np.random.standard_normal,
    np.random.permutation,
    np.random.Generator.permutation,
    np.random.ranf,
    np.random.sample,
)
def random_numbers(*operands):
    """Random numbers whose distribution has no parameters."""


@constant(formatted)
def text(*operands):
    """Texts of f-strings that are printed or raised."""


@constant(overlapping)
def overlap(x, y):
    """Whether two arrays may share an element."""


@constant(seen_as, number_seen_as)
def seen_as_other_numbers(x, dtype):
    """The bits of numbers as numbers of another type."""


@constant(stopped)
def stop_gradient(x):
    """The operand itself, without derivative."""


@rule(np.correlate, ndim=(1, 1), samples=[VECTOR, Sample((2,))], linear=("x", "y"))
def correlate(x, y):
    """Sliding inner product of two vectors, at places where the shorter lies within the longer."""
    z = np.correlate(x, y)
    return z, lambda z_bar: (correlate_pullback_left(z_bar, x, y), correlate_pullback_right(z_bar, x, y))


@rule(np.cross, ndim=(1, 1), samples=[Sample((3,)), Sample((3,))], linear=("x", "y"))
def cross(x, y):
    """Cross product of two vectors of three entries; a third one that is left out is zero."""
    z = np.cross(x, y)
    return z, lambda z_bar: (np.cross(y, z_bar)[: x.size], np.cross(z_bar, x)[: y.size])


@rule(np.kron, ndim=(2, 2), samples=[Sample((2, 3)), Sample((3, 2))], linear=("x", "y"))
def kron(x, y):
    """Kronecker product of matrices."""
    z = np.kron(x, y)
    return z, lambda z_bar: (kron_pullback_left(z_bar, x, y), kron_pullback_right(z_bar, x, y))
