"""`try ... except`: what is caught is tested for before it happens."""

import math

import numpy as np

from tests.zoo.case import case, vector


@case(2.0)
@case(0.4)
def quotient(x):
    try:
        y = 1.0 / max(x - 1.0, 0.0)
    except ZeroDivisionError:
        y = 3.0 - 2.0 * x
    return y * y


@case(1.5, np.array([[2.0, 0.5], [0.5, 1.0]]))
@case(1.5, np.array([[2.0, 3.0], [3.0, 1.0]]))
def log_likelihood(scale, covariance):
    try:
        factor = np.linalg.cholesky(covariance * scale)
    except np.linalg.LinAlgError:
        return -10.0 * scale
    return np.sum(np.log(np.diag(factor)))


@case(np.array([[2.0, 0.5], [0.3, 1.0]]), vector(2))
@case(np.array([[1.0, 2.0], [2.0, 4.0]]), vector(2), wrt=1)
def solution(a, b):
    try:
        return np.sum(np.linalg.solve(a, b))
    except Exception:
        return b[0] * b[1]


@case(1.5, 5)
def raised_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        try:
            if i == 2:
                raise ValueError("skip")
            s += x**i
        except ValueError:
            s += x * 100.0
        else:
            s += x
    return s


@case(2.0)
@case(-2.0)
def outside_the_domain(x):
    try:
        return math.sqrt(x) + math.log(x)
    except ValueError:
        return 2.0 * x


@case(1.5, 9)
def left_in_many_ways(x, n):
    total = 0.0
    for k in range(n):
        try:
            for j in range(5):
                if j + k == 5:
                    raise RuntimeError("five")
                if k == 3:
                    break
                total += x * j
            if k == 6:
                break
            if k == 1:
                continue
            total += x / (k - 2)
        except (ZeroDivisionError, RuntimeError):
            total += 7.0 * x
        total += x
    return total


@case(2.0)
@case(0.5)
@case(4.0)
def several_handlers(x):
    try:
        assert x > 1.0
        z = x / max(x - 2.5, 0.0) + 1 / (x - 3.0)
    except ZeroDivisionError:
        z = x
    except AssertionError:
        z = x * x
    except Exception:
        z = 0.0
    else:
        z = z * 3.0
    finally:
        w = 1.0
    return z * w


@case(2.5, vector(3))
@case(0.5, vector(3))
@case(2.5, -vector(3))
def on_one_side_only(x, a):
    try:
        y = x / max(2.0 - x, 0.0) if a[0] > 0.0 else x
    except ZeroDivisionError:
        y = 9.0 * x
    return y * x


@case(2.0)
def written_before_it_fails(x):
    r = np.zeros(3)
    try:
        for i in range(3):
            r[i] = x / (2 - i)
    except ZeroDivisionError:
        r[2] = x * x
    return np.sum(r)


@case(2.0, vector(3))
def arrays_do_not_raise(x, a):
    try:
        b = a / x
        b /= a
        c = x / a
    except ZeroDivisionError:
        return x
    return np.sum(b * c)


@case(1.5)
@case(2.5)
def within_another(x):
    try:
        try:
            y = x / max(x - 2.0, 0.0)
        except ValueError:
            y = 0.0
        y = y + 1.0
    except ZeroDivisionError:
        y = x * 3.0
    return y


@case(1.5, 4)
@case(1.5, 2)
def left_through_finally(x, n):
    """A `finally` block runs behind what is returned, however the block is left."""
    s, k = x, 0
    for i in range(3 * n):
        try:
            s *= 1.1
            if i == 1:
                continue
            if i == n:
                break
            if n == 2 and i == 0:
                return s * s + k
            for j in range(3):
                if j == 1:
                    break
                s += x / (j - n + 4)
        except ZeroDivisionError:
            s *= 2.0
        finally:
            s -= 0.1 * x
            k += 1
    return s * k


@case(0.7)
def raised_through_finally(x):
    """A `finally` block runs before a handler around it, whoever raises."""
    s, y = x, 1.0
    for k in range(4):
        try:
            try:
                if k == 1:
                    raise KeyError("k")
                s += x
                if k == 2:
                    raise ValueError("two")
            except KeyError:
                s += 10.0 * x
                raise ValueError("again") from None
            finally:
                y = y * 2.0 + x
        except ValueError:
            s += y * y
    return s


def reciprocal(v):
    try:
        return (1.0 / v,)
    except ZeroDivisionError:
        return None


@case(0.7)
def certainly_none(x):
    """What a call gives that is known to be caught, beside one that may be."""
    s = 0.0
    for v in (x, 0.0):
        found = reciprocal(v)
        if found is None:
            s += 3.0 * x
        else:
            s += found[0]
    return s
