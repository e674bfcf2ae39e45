"""Functions that call themselves, or one another: numbers, arrays, tuples, in place, with functions as arguments."""

import math

import numba
import numpy as np

from tests.zoo.case import case, matrix, vector


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


@case(0.7, 3)
@case(0.7, 0)
def power_by_recursion(x, n):
    return math.sin(power(x, n)) + x


@case(0.7, 5)
def itself(x, n):
    if n <= 1:
        return x
    return math.sin(itself(x, n - 1)) * itself(x * 0.5, n - 2)


def even(x, n):
    return 1.0 if n == 0 else x * odd(x, n - 1)


def odd(x, n):
    return x * x if n == 0 else math.cos(x) + even(x, n - 1)


@case(0.7, 4)
@case(0.7, 5)
def one_another(x, n):
    return even(x, n) + odd(2.0 * x, n)


@numba.njit
def halves(x, low, high):
    """The log of the sum of exponentials, by halves."""
    if high - low == 1:
        return x[low]
    middle = (low + high) // 2
    left, right = halves(x, low, middle), halves(x, middle, high)
    top = max(left, right)
    return top + math.log(math.exp(left - top) + math.exp(right - top))


@case(vector(7))
@case(vector(1))
def by_halves(x):
    return halves(x, 0, x.size)


def total(x):
    if x.size == 0:
        return 0.0
    if x.size == 1:
        return x[0] ** 2
    middle = x.size // 2
    return total(x[:middle]) * 0.5 + total(x[middle:]) + x[0] * x[-1]


@case(vector(6))
@case(vector(0))
@case(vector(12)[::2])
def of_slices(x):
    return total(x)


def extrema(x, k):
    """The smooth least and greatest, as a tuple."""
    if k == 0:
        return x[0], x[0] * x[0]
    low, high = extrema(x, k - 1)
    return low - 0.1 * math.tanh(low - x[k]), high + x[k] * low


@case(vector(5))
def pairs_returned(x):
    low, high = extrema(x, x.size - 1)
    return low * high


@case(vector(5))
def one_of_a_pair(x):
    return extrema(x, x.size - 1)[1]


def transform(x):
    """A Haar transform, as a fresh array."""
    n = x.size
    if n == 1:
        return x.copy()
    out = np.empty(n)
    half = n // 2
    means = np.empty(half)
    for k in range(half):
        means[k] = 0.5 * (x[2 * k] + x[2 * k + 1])
        out[half + k] = 0.5 * (x[2 * k] - x[2 * k + 1])
    out[:half] = transform(means)
    return out


@case(vector(8))
@case(vector(1))
def arrays_returned(x):
    y = transform(x)
    return np.sum(y * y * y)


@case(vector(8))
def array_result(x):
    return np.sin(transform(x))


def passed_through(x, n):
    """The argument itself where nothing is left to do."""
    if n == 0:
        return x
    return passed_through(np.sin(x) * 1.1, n - 1)


@case(vector(4), 3)
@case(vector(4), 0)
def argument_returned(x, n):
    return np.sum(passed_through(x, n) * x)


def smooth_in_place(u, n):
    """Gauss–Seidel sweeps over ever fewer points."""
    if n < 2:
        return
    for i in range(1, n):
        u[i] = 0.5 * u[i] + 0.5 * u[i - 1] * u[i]
    smooth_in_place(u, n - 1)
    u[0] = u[0] * u[n - 1]


@case(vector(5))
def in_place(x):
    u = 0.5 * x
    smooth_in_place(u, u.size)
    return np.sum(u * u)


@case(vector(5))
def argument_in_place(x):
    smooth_in_place(x, x.size)
    return x[0] * x[1] + x[4]


@case(vector(8))
def part_in_place(x):
    u = x * x
    for k in range(3):
        smooth_in_place(u[k : k + 4], 4)
    return np.sum(u)


def sort_range(a, low, high):
    """Quicksort of a range, in place."""
    if high - low < 2:
        return
    pivot, last = a[low], low
    for k in range(low + 1, high):
        if a[k] < pivot:
            last += 1
            a[last], a[k] = a[k], a[last]
    a[low], a[last] = a[last], a[low]
    sort_range(a, low, last)
    sort_range(a, last + 1, high)


@case(vector(7))
def quicksort(x):
    a = x.copy()
    sort_range(a, 0, a.size)
    weighted = 0.0
    for k in range(a.size):
        weighted += (k + 1) * a[k] ** 2
    return weighted


def counted(a, n):
    """What it returns and what it writes."""
    if n == 0:
        return a[0]
    a[n - 1] *= a[n]
    return a[n] + counted(a, n - 1)


@case(vector(4))
def written_and_returned(x):
    a = x.copy()
    s = counted(a, 3)
    return s * a[0] + a[2]


def simpson(f, a, b, fa, fm, fb, depth):
    middle = 0.5 * (a + b)
    left, right = f(0.5 * (a + middle)), f(0.5 * (middle + b))
    whole = (b - a) / 6.0 * (fa + 4.0 * fm + fb)
    halved = (b - a) / 12.0 * (fa + 4.0 * left + 2.0 * fm + 4.0 * right + fb)
    if depth == 0 or abs(halved - whole) < 1e-3:
        return halved
    return simpson(f, a, middle, fa, left, fm, depth - 1) + simpson(f, middle, b, fm, right, fb, depth - 1)


def bump(t):
    return math.exp(-t * t) * (1.0 + math.sin(5.0 * t))


@case(-1.0, 2.0)
def adaptive_quadrature(a, b):
    return simpson(bump, a, b, bump(a), bump(0.5 * (a + b)), bump(b), 6)


def with_defaults(x, n=3, *, rate=0.9, how=None):
    if n == 0:
        return x if how is None else x * x
    return rate * with_defaults(math.sin(x), n - 1, rate=rate, how=how)


@case(0.7, 0.8)
def defaults_and_keywords(x, rate):
    return with_defaults(x) + with_defaults(x, rate=rate) + with_defaults(x, 2, how="square")


def walked(state, n):
    x, (v, w) = state
    if n == 0:
        return x * v + w
    return walked((x + 0.1 * v, (v - 0.1 * x, w * x)), n - 1)


@case(0.7, 0.2)
def tuples_given(x, v):
    return walked((x, (v, 1.0)), 4)


@case(vector(3), 3)
def in_a_loop(x, n):
    s = 0.0
    for i in range(x.size):
        s += power(x[i], i + n) * power(s, 2)
    return s


@case(vector(3))
def in_a_branch(x):
    y = x[0]
    if y > 0.0:
        y = power(x[1], 3)
    else:
        y = power(x[2], 2)
    return y * y


@case(0.5, 3)
def in_a_while(x, n):
    y = x
    while n > 0:
        y = power(y + x, n)
        n -= 1
    return y


def ackermann_like(x, m, n):
    if m == 0:
        return x + n
    if n == 0:
        return ackermann_like(x, m - 1, 1)
    return 0.5 * ackermann_like(0.1 * ackermann_like(x, m, n - 1), m - 1, 2)


@case(0.7)
def nested_calls(x):
    return ackermann_like(x, 2, 2)


def determinant(a):
    """Laplace's expansion along the first row."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    s = 0.0
    for j in range(n):
        minor = np.empty((n - 1, n - 1))
        for r in range(1, n):
            for c in range(n - 1):
                minor[r - 1, c] = a[r, c if c < j else c + 1]
        s += (-1.0) ** j * a[0, j] * determinant(minor)
    return s


@case(matrix(4, 4))
def laplace(a):
    return determinant(a) ** 2


def fourier(z):
    n = z.size
    if n == 1:
        return z.copy()
    even_part, odd_part = fourier(z[::2]), fourier(z[1::2])
    out = np.empty(n, np.complex128)
    for k in range(n // 2):
        turned = np.exp(-2j * np.pi * k / n) * odd_part[k]
        out[k] = even_part[k] + turned
        out[k + n // 2] = even_part[k] - turned
    return out


@case(vector(8))
def fast_fourier(x):
    z = fourier(x + 0j)
    return np.sum(np.abs(z) ** 2 * np.arange(8))


@case(vector(3))
def spectrum_of_one_longer(x):
    z = fourier(np.concatenate((x, x[:1])) + 0j)
    return np.sum(np.abs(z) ** 2 * np.arange(z.size))


@case(np.float32(0.7), 3)
def single_precision(x, n):
    return power(x, n)


def with_a_product(x, n):
    s = 0.0
    if n > 0:
        y, s = with_a_product(x * x, n - 1)
        s += y[1]
    y = np.sin(x)
    return y, s + y[0] * y[1]


@case(vector(3), 2)
def array_read_before_it_is_returned(x, n):
    y, s = with_a_product(x, n)
    return y, s


@case(vector(3), vector(3, 5), 2)
def called_with_what_a_loop_hands_on(x, y, n):
    for _ in range(n):
        x, y = y, x
        x, y = y, x
    return x[n] * power(y[1], n)


@case(vector(5))
def a_pair_and_in_place(x):
    u = 0.5 * x
    smooth_in_place(u, u.size)
    low, high = extrema(u, u.size - 1)
    return low * high + np.sum(u)


@case(vector(5))
def stored_whole_afterwards(x):
    u = 0.5 * x
    w = x * 2.0
    y = np.sin(x)
    smooth_in_place(u, u.size)
    w[...] = y
    return np.sum(u * w)


@case(vector(5), 3)
def in_each_iteration(x, n):
    s = 0.0
    for k in range(n):
        u = x * (k + 1.0)
        s += counted(u, 4) * u[1]
    return s


def pair_counted(a, n):
    if n == 0:
        return 0.0, 1.0
    a[n - 1] = a[n - 1] * a[0] + 1.0
    low, high = pair_counted(a, n - 1)
    return a[n - 1] + low, high * a[0]


@case(vector(5), 3)
def pair_in_each_iteration(x, n):
    s = 0.0
    for k in range(n):
        u = x * (k + 1.0)
        low, high = pair_counted(u, 4)
        s += low * high * u[1]
    return s


def between(points, t):
    if len(points) == 1:
        return points[0]
    return between((1.0 - t) * points[:-1] + t * points[1:], t)


@case(matrix(4, 2))
def points_of_a_curve(points):
    curve = np.array([between(points, t) for t in np.linspace(0.0, 1.0, 5)])
    return np.sum(np.sqrt(np.sum(np.diff(curve, axis=0) ** 2, axis=1)))


def share_of_the_rest(x, n):
    if n == 0:
        return x
    try:
        y = 1.0 / (x * (n - 1))
    except ZeroDivisionError:
        y = 0.5 * x
    except LookupError:
        y = x
    return y * share_of_the_rest(x, n - 1)


@case(0.3, 1)
@case(0.3, 4)
def handlers_in_each_call(x, n):
    return share_of_the_rest(x, n)
