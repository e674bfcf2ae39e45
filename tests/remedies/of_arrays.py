"""Remedies of refused arrays, functions of arrays, and functions of libraries."""

from __future__ import annotations

import numpy as np
from numba import njit
from numba.extending import overload
from numba.typed import List
from scipy.special import gammainc

import backsweep as bs
from tests.remedies import mends

X = np.array([0.3, 1.0, 0.6])
M = np.array([[0.3, 1.0, 0.6], [2.0, 0.5, 0.1], [0.7, 0.4, 1.5]])


@mends("checkpointed_other_name", X, 3)
def written_into(x, n):
    y = x.copy()
    first = y
    for _ in bs.checkpointed(range(n), slots=3):
        y[0] = 2.0 * y[1]
        y[...] = y[::-1].copy()
    return first.sum() + y[0]


@mends("checkpointed_other_name", X, 3)
def begun_with_a_copy(x, n):
    y = x.copy()
    first = y.copy()
    for _ in bs.checkpointed(range(n), slots=3):
        y[0] = 2.0 * y[1]
        y = y[::-1].copy()
    return first.sum() * y.sum()


@mends("checkpointed_carried_list", X, 3)
def arrays_exchanged(x, n):
    one, other = x.copy(), 2.0 * x
    for _ in bs.checkpointed(range(n), slots=3):
        one, other = other * x, one
    return np.sum(one * other)


@mends("checkpointed_condition_that_writes", X)
def written_at_the_end(x):
    y = x.copy()
    y[0] = 1.0
    while bs.checkpointed(y[0] < 5.0, slots=3):
        y[1] = y[1] * y[0]
        y[0] += 1.0
    return y.sum()


@mends("checkpointed_elsewhere", 1.1, 3)
@mends("checkpointed_without_slots", 1.1, 3)
def in_the_head_of_the_loop(x, n):
    for _ in bs.checkpointed(range(n), slots=10):
        x = x * x
    for _ in bs.checkpointed(range(n), memory="1 GiB"):
        x = x * x
    return x


@mends("checkpointed_amount", 1.1, 3)
def amounts(x, n):
    for _ in bs.checkpointed(range(n), memory=1000):
        x = x * x
    return x


@mends("broadcast_written_later", X)
def broadcast_and_copied(x):
    y = 2.0 * x
    rows = np.broadcast_to(y, (2, 3)).copy()
    y[0] = 3.0 * y[1]
    return np.sum(rows * rows) + y[0]


@mends("checkpointed_random", 2.0, X, 3)
def drawn_before(x, draws, n):
    for k in bs.checkpointed(range(n), slots=3):
        x = x + draws[k] * x
    return x


def squared(x):
    return x * x


@mends("checkpoint_of_a_number", 2.0)
def checkpoint_of_a_function(x):
    return bs.checkpoint(squared)(x)


TABLE = np.array([1.0, 2.0, 0.5])


@mends("complex_sort", X)
def sorted_parts(x):
    return np.sum(np.sort(x) * np.sort(x[::-1] ** 2)[::-1])


@mends("element_seen_as_view", X)
def elements_exchanged(x):
    x[0], x[1] = x[1], x[0]
    return x[0] * x[0] + x[1]


@mends("extended_precision", np.array(np.ones(3, np.longdouble), dtype=np.float64))
@mends("half_precision", np.ones(3, np.float16).astype(np.float32))
def another_precision(x):
    return np.sum(x * x)


WIDE = np.ones(3, np.longdouble).astype(np.float64)


@mends("extended_precision_inside", X)
@mends("half_precision_inside", X)
def another_precision_inside(x):
    return np.sum(x.astype(np.float32).astype(np.float64) * WIDE)


@mends("half_precision_in_a_tuple", (np.ones(3, np.float16).astype(np.float32), 1.0))
def another_precision_in_a_tuple(pair):
    return np.sum(pair[0]) * pair[1]


@mends("function_without_rule", M @ M.T)
@mends("tuple_without_rule", M @ M.T)
def eigenvalues_of_the_rules(a):
    return np.linalg.eigvalsh(a)[0]


@mends("global_generator", 1.0)
def generator_made(x):
    rng = np.random.default_rng(3)
    return x * rng.standard_normal()


@mends("imaginary_reference", np.array([1.0 + 2.0j, 3.0 - 1.0j]), True)
def array_chosen(z, first):
    w = z * 1.0
    z = 2.0 * z
    z[0] = w[1]
    chosen = z if first else w
    copied = z.imag.copy() if first else w.imag.copy()
    return np.sum(chosen.imag) + np.sum(copied * copied)


@mends("in_place_of_another_kind", X, np.array([1, 2, 3]))
def made_anew(x, counts):
    weights = counts.copy()
    weights = weights * 0.5
    return np.sum(weights * x)


@mends("in_place_of_another_kind", X, np.array([1, 2, 3]))
def converted_first(x, counts):
    weights = counts.astype(np.float64)
    weights *= 0.5
    return np.sum(weights * x)


@mends("part_of_whole_numbers", 0.5, np.array([[1, 2], [3, 4]]))
def part_made_anew(x, counts):
    first = counts[0] * x
    return np.sum(first) * x


@mends("taken_from_whole_numbers", 0.5, np.array([1, 2]))
def taken_anew(x, counts):
    rest = counts.astype(np.float64)
    rest -= x
    return np.sum(rest) * np.sum(counts - x)


@njit
def poked(v, x):
    a = v.copy()
    a[...] = v * x
    return a


@mends("intrinsic_that_writes", X, 2.0)
def array_that_is_returned(v, x):
    return np.sum(poked(v, x) ** 2)


@mends("list_given_is_written", X, (np.zeros(3), np.ones(3)))
def tuple_of_arrays(x, rows):
    rows[0][1] = x[0]
    return rows[0][1] * x[1]


@mends("list_given_is_written", X, List([np.zeros(2), np.ones(2)]))
def copied_item(x, rows):
    a = rows[0].copy()
    a[1] = x[0]
    return a[1] * x[1] + rows[1][0] * x[2]


MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


@mends("masked_array", MASKED.filled(0.0), ~np.ma.getmaskarray(MASKED))
def filled(x, kept):
    return np.sum(x[kept] ** 2) * np.sum(x + 1.0)


@mends("newaxis_beside_index_array", np.stack((M, 2.0 * M)), np.array([0, 2]))
def separate_subscript(a, index):
    return np.sum(a[:, index, 0][:, :, None] * a[0, 0])


@mends("store_at_newaxis", M, np.array([0, 2]))
def store_without_the_axis(a, index):
    b = a * 1.0
    b[index] = a[index[::-1]] ** 2
    return np.sum(b**2)


@mends("histogram_of_columns", X)
def counts_of_pairs(w):
    places = np.digitize(M[:, 0], np.array([0.5])) * 2 + np.digitize(M[:, 1], np.array([0.5]))
    both = np.histogram2d(M[:, 0], M[:, 1], bins=2, weights=w)[0]
    return both[0, 0] * np.sum(np.bincount(places, weights=w) ** 2)


@mends("shape_assigned", X)
def reshaped(x):
    y = (x * x).reshape(1, 3)
    return np.sum(y[0]) * y[0, 1]


@mends("parameter_without_formula", 0.7)
def share_of_a_constant(x):
    return gammainc(bs.stop_gradient(1.5), 2.0 * x)


def scale(x):
    return x


@overload(scale)
def compiled_scale(x):
    def scale_impl(x):
        return 3.0 * x

    return scale_impl


@njit
def tripled(x):
    return 3.0 * x


@mends("overloaded", 2.0)
def compiled_function_called(x):
    return tripled(x) * x


@mends("stopped_memory", X)
def copy_stopped(x):
    y = x * 2.0
    weights = bs.stop_gradient(TABLE.copy())
    y[0] = x[1]
    return np.sum(weights * y)


@mends("stored_too_many_axes", X, np.ones((2, 2)), np.array([0, 2]))
def part_that_fits(x, y, index):
    z = x.copy()
    z[index] = y[1]
    return np.sum(z * z)


@mends("attribute_of_memory", X, X.flags.c_contiguous)
def asked_before(x, is_contiguous):
    if is_contiguous:
        return np.sum(x * x)
    return np.sum(x)


@mends("ufunc_method", X, np.array([0, 2, 2]))
def combined_in_a_loop(weights, bins):
    total = np.ones(4)
    for k in range(bins.size):
        total[bins[k]] = np.arctan2(total[bins[k]], weights[k])
    return np.sum(total * total)


@mends("unknown_method", X)
def function_of_numpy(x):
    return np.sum(np.sort(x)[:2] ** 2)


@mends("view_or_copy", M)
@mends("view_or_copy_of_argument", M.T)
def copied_first(a):
    b = 2.0 * a
    flat = b.T.copy().reshape(9)
    flat[0] = 3.0
    return np.sum(flat * flat)


@mends("view_or_copy_of_argument", M.T)
def contiguous_first(a):
    flat = np.ascontiguousarray(a).copy().reshape(9)
    a[0, 0] = flat[1]
    return np.sum(flat * flat) * a[0, 0]


@mends("ufunc_method_by_parts", np.arange(1.0, 6.0), np.array([0, 2]), np.array([2, 5]))
def sums_in_a_loop(x, start, stop):
    y = np.empty(start.size)
    for k in range(start.size):
        y[k] = np.hypot.reduce(x[start[k] : stop[k]])
    return np.sum(y**2)


@mends("ufunc_method_along_two", M)
def one_axis_at_a_time(a):
    return np.hypot.reduce(np.hypot.reduce(a, axis=1), axis=0) ** 2


@mends("masked_inside", X)
def numbers_and_mask(x):
    mask = x > 0.8
    return np.sum(np.where(mask, 0.0, x)) * np.sum(x[~mask])


@mends("product_in_place", np.array([[0.3, 1.0], [0.6, 0.2]]), np.array([[0.5, 0.1], [0.2, 0.7]]))
def product_stored(x, y):
    z = x * y
    z[...] = z @ y
    return np.sum(z)


@mends("attribute_of_number", X)
def asked_for_its_axes(x):
    return x[0] if np.ndim(x[0]) == 0 else x[1]


@mends("bits_as_floats", X)
def root_by_arithmetic(x):
    fractions, exponents = np.frexp(x)
    return np.sum(1.0 / np.sqrt(np.ldexp(fractions, exponents)))


@mends("written_as_view", np.ones(4))
def copy_turned(x):
    y = x.copy()
    z = y.view(np.complex128).copy()
    z[0] = z[0] * 1j
    return y[0] * z[1].real


@mends("number_of_either_kind", 1.5, np.array([100], np.int8), 1)
def times_a_number_of_pythons(x, counts, n):
    return x * np.sum(counts * int(n))


@mends("number_of_either_kind", 1.5, np.array([100], np.int8), 2)
def times_a_number_of_numpys(x, counts, n):
    return x * np.sum(counts * np.int64(n))
