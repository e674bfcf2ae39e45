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


class TooLarge(Exception):  # noqa: N818
    """What the functions below raise."""


def lowered(a):
    for _ in range(3):
        a = a - 0.3
        if a < 0.0:
            raise ValueError("negative")
    return a


def plus_one(a):
    return 1.0 + lowered(a)


def both(a):
    b = lowered(a)
    if b > 9.0:
        raise TooLarge(b)
    return b, np.array([b, b * b])


def checked(a):
    b = 2.0 * a
    if b < 0.0:
        raise ValueError(f"{b:.2f}")


@case(0.7)
@case(2.3)
def raised_by_helpers(x):
    """Functions that raise later, also through others, in the middle of what is computed."""
    s = 0.0
    for k in range(5):
        try:
            s += x * lowered(x - 0.1 * k) + plus_one(x - 0.2 * k) / x
            first, second = both(x * 5.0 - k)
            s += first * second[1]
        except (ValueError, TooLarge):
            s += 2.0 * x * k
        else:
            s *= 1.1
        finally:
            s += 0.1
    return s


@case(0.7)
def raised_by_inner_functions(x):
    """Functions of the function itself: what they raise, and what they divide by."""

    def reciprocal(v):
        return 1.0 / v

    def looked_up(key, known):
        if key not in known:
            raise KeyError(key)
        return known[key]

    s = 0.0
    for v in (x, 0.0, 2.0 * x):
        try:
            s += reciprocal(v)
        except ZeroDivisionError:
            s += 3.0 * x
    for key in ("a", "b"):
        try:
            s += looked_up(key, {"a": x * x})
        except KeyError:
            s += 7.0 * x
    try:
        checked(x)
        checked(-x)
    except ValueError:
        s *= x
    return s


class Account:
    """Refuses to be overdrawn."""

    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        left = self.balance - amount
        if left < 0.0:
            raise ValueError("overdrawn")
        self.balance = left
        return left

    def withdraw_twice(self, amount):
        return self.withdraw(amount) + self.withdraw(amount * amount)


@case(0.7)
def raised_by_methods(x):
    """A method, one that calls it, and what they have changed when they raise."""
    account, s = Account(3.0 * x), 0.0
    for amount in (x, 1.2):
        try:
            s += account.withdraw(amount)
        except ValueError:
            s -= amount * amount
        try:
            s += account.withdraw_twice(0.5 * amount)
        except ValueError:
            break
    return s * account.balance


@case(0.7)
def helpers_raise_through_finally(x):
    """A `finally` block runs before a handler around it, whoever raises."""
    s, y = x, 1.0
    for k in range(4):
        try:
            try:
                if k == 1:
                    raise KeyError("k")
                s += lowered(x * 2.0 - k)
            except KeyError:
                s += 10.0 * x
                raise ValueError("again") from None
            finally:
                y = y * 2.0 + x
        except ValueError:
            s += y * y
    return s


@case(0.7)
def certain_to_raise(x):
    """Calls of which it is known that they raise."""
    try:
        s = lowered(-1.0)
    except ValueError:
        s = x
    try:
        s = lowered(0.5) * 0.0 + s
    except Exception:
        s = s * x * x
    return s


class TooWide(TooLarge):
    """A kind of it."""


def in_bounds(a):
    if a < 0.5:
        a = a * 2.0
        if a < 0.3:
            raise ValueError("small")
        return a
    b = a * a
    if b > 4.0:
        raise TooWide("large")
    return b


def one_more(a):
    b = in_bounds(a) + 1.0
    if b > 3.0:
        raise TooLarge
    return b * b


def filled(a, x):
    for i in range(a.size):
        a[i] = a[i] * x + i
        if a[i] > 2.0:
            raise ValueError("large")
    return a.sum()


@case(0.7)
def handlers_for_one_call(x):
    """Each exception of one call has a handler of its own; some raise again, and a `try` around them catches it."""
    s = 0.0
    for k in range(6):
        try:
            s += np.sin(one_more(x * k * 0.5)) * x
        except ValueError:
            s += 3.0 * x
        except TooLarge:
            s += x**3
        try:
            try:
                s += one_more(x * k * 0.5)
            except ValueError as problem:
                raise KeyError("small") from problem
            finally:
                s += x
        except KeyError:
            s += x * x
        except TooWide:
            s += x**3
        except TooLarge:
            s += x**4
    return s


@case(np.array([0.3, 0.4, 0.9, 1.2]), 0.7)
def raised_after_stores(a, x):
    """What a function has stored stays when it raises."""
    a, s = a.copy(), 0.0
    for k in range(4):
        try:
            s += filled(a, x * k)
        except ValueError:
            s += a[1] * a[2]
        else:
            s *= 2.0
    return s + (a**2).sum()


class Positive:
    """Refuses other numbers."""

    def __init__(self, a):
        self.a = a
        if self.a < 0.2:
            raise ValueError("small")


class Scaled(Positive):
    """A product."""

    def __init__(self, a, b=1.0):
        super().__init__(a)
        self.b = a * b

    def value(self):
        return self.a * self.b


@case(0.7)
def raised_while_objects_are_made(x):
    """`__init__` raises, that of a base class too."""
    s = 0.0
    for k in range(4):
        try:
            scaled = Scaled(x * k, x)
            s += scaled.value()
        except ValueError:
            s += x
    return s


def squared_below_one(x):
    if x > 1.0:
        raise ValueError(x)
    return x * x


def twice_squared(x):
    first = squared_below_one(x)
    return first + squared_below_one(0.5 * x)


def four_times_squared(x):
    return 2.0 * twice_squared(x)


@case(0.7)
@case(1.4)
@case(2.4)
def raised_two_calls_further_in(x):
    try:
        y = four_times_squared(x)
    except ValueError:
        y = 3.0 * x
    else:
        y += 1.0
    finally:
        x += 1.0
    return x * y


@case(1.5, 0)
@case(6.0, 0)
@case(6.0, 2)
def of_a_chain_of_comparisons(x, n):
    """What comes third is not computed where the first comparison does not hold."""
    try:
        return x if 5.0 < x < 1.0 / n else 2.0 * x
    except ZeroDivisionError:
        return 3.0 * x


@case(1.5, 0)
@case(1.5, 1)
@case(1.5, 2)
def of_powers_and_remainders(x, n):
    try:
        whole, rest = divmod(x, n)
        return whole + rest + x * (n - 2.0) ** -2
    except ZeroDivisionError:
        return 4.0 * x


@case(1.5, 0)
@case(1.5, 1)
@case(1.5, 2)
def looked_up_before_it_divides(x, n):
    """The lookup comes first, and only the `try` around catches it."""
    table = {1: x, 2: x * x}
    try:
        try:
            y = table[n] + 1.0 / (n * (n - 2))
        except ZeroDivisionError:
            y = 2.0 * x
    except KeyError:
        y = 3.0 * x
    return y


class Misfit(Exception):
    """An exception of the program's own."""


class Excess(Misfit):
    """One of these."""


def below_two(x):
    y = x * x
    if y > 4.0:
        raise Excess
    return y


@case(1.5)
@case(2.5)
def raised_again_as_what_it_is(x):
    try:
        try:
            y = below_two(x)
        except (Misfit, KeyError):
            y = 1.0
            raise
        finally:
            y = 3.0 * x
    except Excess:
        y *= 5.0 * x
    except Misfit:
        y *= 7.0 * x
    return y


def raised_again(x, k):
    try:
        if k == 0:
            raise KeyError(k)
        return x / (k - 1)
    except LookupError:
        raise


@case(1.5)
def raised_again_by_a_function(x):
    s = 0.0
    for k in range(3):
        try:
            s += raised_again(x, k)
        except KeyError:
            s += 10.0 * x
        except ZeroDivisionError:
            s += x * x
    return s


class Mixture:
    __slots__ = ("_logarithms", "parts", "temperature")

    def __init__(self, temperature, parts):
        self.temperature = temperature
        self.parts = parts

    def logarithms(self):
        try:
            return self._logarithms
        except AttributeError:
            pass
        self._logarithms = [math.log(part) for part in self.parts]
        return self._logarithms

    def energy(self):
        s = 0.0
        for part, logarithm in zip(self.parts, self.logarithms(), strict=True):
            s += part * logarithm
        return s * self.temperature + (5.0 if hasattr(self, "_logarithms") else 0.0)


def labelled(x):
    try:
        x.name = "label"
    except AttributeError:
        return 3.0 * x
    return x


@case(0.3, 2.0)
def attributes_that_are_not_there_yet(x, t):
    mixture = Mixture(t, [x, 1.0 - x])
    s = 0.0 if hasattr(mixture, "_logarithms") else mixture.energy()
    return s * mixture.energy() + mixture.logarithms()[0]


@case(vector(3), 2.0)
def attributes_of_arrays_and_numbers(x, t):
    try:
        n = x.size * 1.0
        n += x.nothing
    except AttributeError:
        n = 2.0
    s = 0.0
    for v in x:
        try:
            s += v.real + v.nothing
        except AttributeError:
            s += v * v
    return np.sum(labelled(x) ** 2) * n + s * labelled(t)
