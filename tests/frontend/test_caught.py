"""What `try ... except` tests before it happens must be tested once, of the right entries, and leave the loops as they were."""

from __future__ import annotations

import ast
import collections
import itertools
import math

import numpy as np
import pytest
import scipy.linalg

import backsweep as bs
from backsweep.frontend.rewriting.conditions import DOMAINS, KNOWN
from backsweep.frontend.rewriting.syntax import names


def drawn(x):
    try:
        y = 1.0 / (x - np.random.random())  # noqa: NPY002  it is what is tried here
    except ZeroDivisionError:
        y = 0.0
    return y


def of_the_upper_triangle(x, matrix):
    try:
        return np.sum(scipy.linalg.cholesky(matrix * x))
    except np.linalg.LinAlgError:
        return -x


def of_the_lower_triangle(x, matrix):
    try:
        return np.sum(scipy.linalg.cholesky(matrix * x, lower=True))
    except np.linalg.LinAlgError:
        return -x


def continued_in_the_else_of_a_loop(x):
    s = 0.0
    for i in range(3):
        try:
            k = 0
            while k < 2:
                k += 1
            else:  # noqa: PLW0120  it is what is tried here
                if i == 1:
                    continue
            s = s + x
        except ValueError:
            s = 0.0
    return s


def test_a_condition_with_an_effect_is_not_run_twice() -> None:
    with pytest.raises(bs.UnsupportedError, match=r"`np.random.random\(\)` is tested before it is used"):
        bs.grad(drawn, jit=False)(2.0)


def drawn_by_a_method(x, rng):
    try:
        y = 1.0 / (x - rng.random()) + rng.random()
    except ZeroDivisionError:
        y = 0.0
    return y * x


def test_a_method_is_called_once_and_in_turn() -> None:
    value, _ = bs.value_and_grad(drawn_by_a_method, argnums=0, jit=False)(2.0, np.random.default_rng(0))
    assert value == pytest.approx(drawn_by_a_method(2.0, np.random.default_rng(0)))


@pytest.mark.parametrize("function", [of_the_upper_triangle, of_the_lower_triangle])
@pytest.mark.parametrize("above", [0.5, 99.0])
@pytest.mark.parametrize("below", [0.5, 99.0])
def test_the_triangle_that_scipy_reads_decides(function, above: float, below: float) -> None:
    matrix = np.array([[2.0, above], [below, 1.0]])
    value, slope = bs.value_and_grad(function, jit=False)(1.5, matrix)
    assert value == pytest.approx(function(1.5, matrix))
    step = 1e-6
    change = function(1.5 + step, matrix) - function(1.5 - step, matrix)
    assert slope == pytest.approx(change / (2 * step), rel=1e-6)


def test_a_loop_with_an_else_that_leaves_the_loop_around() -> None:
    assert bs.value_and_grad(continued_in_the_else_of_a_loop, jit=False)(1.5) == (3.0, 2.0)


NUMBERS = [
    -math.inf,
    -2e308,
    -800.0,
    -172.5,
    -2.0,
    -1.5,
    -1.0,
    -0.3,
    -0.0,
    0.0,
    5e-3,
    0.5,
    1.0,
    1.5,
    2.0,
    171.6,
    171.7,
]
NUMBERS += [
    709.7,
    709.8,
    710.4,
    710.5,
    1023.9,
    1024.0,
    1e154,
    1e155,
    2.5e305,
    2.6e305,
    1e308,
    math.inf,
    math.nan,
]


def raised_by(function, *args) -> type[BaseException] | None:
    try:
        function(*args)
    except (ArithmeticError, ValueError) as error:
        return type(error)
    return None


@pytest.mark.parametrize("function", DOMAINS, ids=lambda each: f"{each.__module__}.{each.__name__}")
def test_functions_raise_where_they_are_tested_for(function) -> None:
    count = 2 if any("y" in names(test) for test, _ in DOMAINS[function]) else 1
    are_whole = function in (math.comb, math.perm, math.factorial)
    whole = {int(each) for each in NUMBERS if abs(each) < 200}
    for args in itertools.product(whole if are_whole else NUMBERS, repeat=count):
        if function is math.ldexp and not math.isfinite(args[1]):
            continue
        given = args if function is not math.ldexp else (args[0], int(max(-2000.0, min(args[1], 2000.0))))
        meant = {**KNOWN, **dict(zip("xy", given, strict=False))}
        tests = [test for test in DOMAINS[function] if count == 2 or "y" not in names(test[0])]
        found = (kind for test, kind in tests if eval(ast.unparse(test), meant))
        assert next(found, None) is raised_by(function, *given), given


LEAST = 0.25


def root_above(a, least=LEAST, *, sure=False):
    """A root, for numbers that it accepts."""
    assert a < 9.0
    if np.isnan(a) or a < least:
        raise ValueError("too small")
    if not sure and abs(a - 4.0) < 0.5:
        raise ArithmeticError("too near")
    b = a - least
    return np.sqrt(b + 1.0) * b


def of_a_function_that_tests_first(x, y):
    s = 0.0
    for i in range(3):
        try:
            s += root_above(x * i) * y + root_above(y * x, least=0.1, sure=i == 1)
        except ValueError:
            s += x * x * (i + 1.0)
        except (ArithmeticError, AssertionError):
            s += y
            if i == 2:
                return s * x
    return s


def raising_behind(a):
    b = a * a
    if b < 1.0:
        raise ValueError("too small")
    return b


def of_a_function_that_raises_behind(x):
    try:
        return raising_behind(x)
    except ValueError:
        return x


@pytest.mark.parametrize("x", [0.05, 0.5, 1.9, 2.1, 5.0])
@pytest.mark.parametrize("y", [0.01, 1.0, 2.0])
def test_what_a_function_tests_first_is_tested_before_its_call(x: float, y: float) -> None:
    value, slopes = bs.value_and_grad(of_a_function_that_tests_first, argnums=(0, 1), jit=False)(x, y)
    assert value == pytest.approx(of_a_function_that_tests_first(x, y))
    step = 1e-6
    for slope, (one, other) in zip(slopes, ((step, 0.0), (0.0, step)), strict=True):
        above = of_a_function_that_tests_first(x + one, y + other)
        below = of_a_function_that_tests_first(x - one, y - other)
        assert slope == pytest.approx((above - below) / (2 * step), rel=1e-6, abs=1e-8)


def test_a_function_that_raises_later_is_asked() -> None:
    f = of_a_function_that_raises_behind
    value, slope = bs.value_and_grad(f, jit=False)(1.5)
    assert value == pytest.approx(f(1.5))
    assert slope == pytest.approx((f(1.5 + 1e-6) - f(1.5 - 1e-6)) / 2e-6, rel=1e-6)


def keys(x, n):
    table = {0: x, 2: x * x}
    s = 0.0
    for k in range(n):
        try:
            s += table[k]
            del table[k - 2]
        except KeyError:
            table[k % 2] = x * k
    return s + sum(table.values())


def counts(x, n):
    missing = collections.defaultdict(float)
    counted = collections.Counter([1, 2, 2])
    kept, s = {1, 2}, x
    for k in range(n):
        try:
            missing[k] += x * counted[k]
            kept.remove(k)
            s = missing.pop(k + 1)
        except LookupError:
            s = x**k
    return s + sum(missing.values()) * len(kept)


def items(x, n):
    queue = collections.deque([x, x * x])
    stack = [x, 2.0 * x]
    s = 0.0
    while True:
        try:
            s += queue.popleft() * n
            s += stack.pop()
            s += stack[-1]
        except IndexError:
            break
    try:
        stack.append(x * [1, 5, n].index(4))
        stack[1] = 2.0
    except (ValueError, IndexError):
        s += x
    return s + sum(stack)


def entries(x, n):
    a = np.array([[x, 2.0 * x, 1.0], [3.0, x * x, x]])
    s = 0.0
    for i in range(n):
        for j in range(-4, n):
            try:
                s += a[i, j] * a[..., j][0] + a[None, :, : 1 + i % 2][0, i, 0]
                a[i, j - 1] = s
            except IndexError:
                s += x
    return s


def by_name(x, n):
    known = {"a": x, "b": x * x}
    s = 0.0
    for name in ("a", "b", "c"):
        try:
            s += known[name] * n
        except KeyError:
            s += x
    return s


def whatever(x, n):
    a = [x, x * x, 3.0]
    try:
        s = a[n]
    except Exception:  # noqa: BLE001  it is what is tried here
        s = sum([a[k] for k in range(3)])
    return s


@pytest.mark.parametrize("n", [0, 1, 2, 4])
@pytest.mark.parametrize("function", [keys, counts, items, entries, by_name, whatever])
def test_lookups_that_find_nothing(function, n: int) -> None:
    value, slope = bs.value_and_grad(function, argnums=0, jit=False)(1.5, n)
    assert value == pytest.approx(function(1.5, n))
    change = function(1.5 + 1e-6, n) - function(1.5 - 1e-6, n)
    assert slope == pytest.approx(change / 2e-6, rel=1e-5, abs=1e-6)


def taken_twice(x):
    a = [x]
    try:
        return a.pop() + a.pop()
    except IndexError:
        return x


def assigned_before(x):
    a, i = [x, 2.0], 0
    try:
        i, a[i] = 4, 3.0
    except IndexError:
        a[0] = x * x
    return a[0] + i


def changed_by_an_inner_function(x):
    d = 0.0

    def change():
        nonlocal d
        d = x
        return 1.0

    try:
        return change() + 1.0 / d
    except ZeroDivisionError:
        return -x


class Kept:
    def __init__(self):
        self.v = 0.0

    def get(self, x):
        self.v = x
        return 1.0


def changed_by_a_method(x):
    kept = Kept()
    try:
        return kept.get(x) + 1.0 / kept.v
    except ZeroDivisionError:
        return -x


@pytest.mark.parametrize(
    "function", [taken_twice, assigned_before, changed_by_an_inner_function, changed_by_a_method]
)
def test_what_a_statement_changes_before_it_looks_is_refused(function) -> None:
    with pytest.raises(bs.UnsupportedError, match="in one statement within `try`"):
        bs.grad(function, jit=False)(1.5)


def changing(a):
    a[0] += 1.0
    return a[0]


def changing_and_raising(a):
    a[0] += 1.0
    if a[0] > 9.0:
        raise ValueError("too large")
    return a[0]


def raising_in_between(a):
    b = a[0] * a[0]
    if b > 4.0:
        raise ValueError("too large")
    return b


def changed_before_the_call(x):
    a = np.array([x, 2.0])
    try:
        return changing(a) + raising_in_between(a)
    except ValueError:
        return -x


def changed_by_a_variable_before_the_call(x):
    a = np.array([x, 2.0])
    function = changing
    try:
        return function(a) + raising_in_between(a)
    except ValueError:
        return -x


def assigned_before_the_call(x):
    z = x
    try:
        return (z := 3.0 * x) + raising_behind(z)
    except ValueError:
        return -x


def computed_before_the_call(x):
    a = np.array([x, 2.0])
    try:
        return (a * 2.0)[0] + np.sum(-a * changing_and_raising(a))
    except ValueError:
        return -x


@pytest.mark.parametrize(
    "function",
    [
        changed_before_the_call,
        assigned_before_the_call,
        computed_before_the_call,
    ],
)
def test_a_call_stays_behind_what_changes_what_it_reads(function) -> None:
    with pytest.raises(bs.UnsupportedError, match="call it in a statement of its own"):
        bs.grad(function, jit=False)(1.5)


@pytest.mark.parametrize("x", [1.5, 0.5])
def test_a_call_of_an_unknown_function_is_made_first(x: float) -> None:
    f = changed_by_a_variable_before_the_call
    value, slope = bs.value_and_grad(f, jit=False)(x)
    assert value == pytest.approx(f(x))
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)


def one_of_several_again(x):
    try:
        try:
            y = [x, 2.0][int(x)] / x
        except Exception:  # noqa: TRY203  it is what is tried here
            raise
    except ZeroDivisionError:
        y = x
    return y


def again_in_a_try_of_its_own(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        try:
            raise
        except ValueError:
            y = 7.0 * x
    return y


@pytest.mark.parametrize("function", [one_of_several_again, again_in_a_try_of_its_own])
def test_what_is_raised_again_is_known_or_refused(function) -> None:
    with pytest.raises(bs.UnsupportedError, match=r"(?s)it is not known wh.*name the exception"):
        bs.grad(function, jit=False)(1.5)


class Level:
    """What is read and computed of a level may raise."""

    def __init__(self, of):
        self.of = of

    @property
    def root(self):
        if self.of < 0.0:
            raise ValueError("a negative level")
        return np.sqrt(self.of)

    @property
    def double(self):
        return 2.0 * self.of

    def __add__(self, other):
        if other < 0.0:
            raise ValueError("a negative level")
        return self.of + other

    def __bool__(self):
        if self.of < 0.0:
            raise ValueError("a negative level")
        return self.of > 1.0


def of_a_property(x):
    try:
        return Level(-x).root
    except ValueError:
        return x * x


def of_an_operator(x):
    try:
        return Level(x) + -x
    except ValueError:
        return x * x


def of_a_condition(x):
    try:
        y = x if Level(-x) else 2.0 * x
    except ValueError:
        y = x * x
    return y


def of_what_raises_nothing(x):
    level = Level(x)
    try:
        return level.double * level.of
    except ValueError:
        return x * x


@pytest.mark.parametrize("function", [of_a_property, of_an_operator, of_a_condition])
def test_properties_and_operators_that_raise_are_refused(function) -> None:
    """They raised past the handler."""
    with pytest.raises(bs.UnsupportedError, match="is called within `try`, and may raise what is caught"):
        bs.grad(function, jit=False)(1.5)


def test_properties_that_raise_nothing_are_taken_within_try() -> None:
    assert bs.value_and_grad(of_what_raises_nothing, jit=False)(1.5) == (4.5, 6.0)


def at_most_one(x):
    y = x * x
    if y > 1.0:
        raise ValueError("large")
    return y


def stored_outside(x):
    a = np.zeros(2)
    try:
        a[5] = at_most_one(x)
    except IndexError:
        return x
    return a[0]


def read_outside(x):
    a = np.zeros(2)
    try:
        a[5] += at_most_one(x)
    except ValueError:
        return x
    return a[0]


def outside_the_domain_first(x):
    a = np.zeros(2)
    try:
        a[5] = math.sqrt(-x)
    except IndexError:
        return x
    return a[0]


@pytest.mark.parametrize(
    ("function", "exception"),
    [(stored_outside, ValueError), (read_outside, IndexError), (outside_the_domain_first, ValueError)],
)
def test_what_comes_first_is_raised_and_no_handler_runs(function, exception) -> None:
    for each in (function, bs.grad(function, jit=False)):
        with pytest.raises(exception):
            each(2.0)


def perhaps_called_before(x):
    a = np.array([x, x])
    try:
        return (at_most_one(x) if x > 0.5 else x) * a[int(x)]
    except IndexError:
        return x


def condition_of_a_loop_with_else(x):
    a = np.array([x, 2.0 * x])
    k = 0
    try:
        while a[k] < 9.0:
            k += 1
        else:  # noqa: PLW0120  it is what is tried here
            k = 0
    except IndexError:
        return x
    return a[k]


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (perhaps_called_before, r"(?s)may raise what is not caught.*call it in a statement of its own"),
        (condition_of_a_loop_with_else, r"(?s)in each iteration.*write the loop without `else`"),
    ],
)
def test_what_cannot_be_tested_in_turn_is_refused(function, message: str) -> None:
    with pytest.raises(bs.UnsupportedError, match=message):
        bs.grad(function, jit=False)(0.6)


class Inverse:
    def __init__(self, of):
        self.of = of

    @property
    def value(self):
        return 1.0 / self.of

    def __getitem__(self, i):
        return [self.of, 2.0][i]


def divided_in_a_property(x):
    try:
        return Inverse(x).value
    except ZeroDivisionError:
        return x


def outside_in_an_operator(x):
    inverse = Inverse(x)
    try:
        return inverse[int(x)]
    except IndexError:
        return x


@pytest.mark.parametrize("function", [divided_in_a_property, outside_in_an_operator])
def test_what_operations_in_properties_and_operators_raise_is_refused(function) -> None:
    with pytest.raises(bs.UnsupportedError, match="is called within `try`, and may raise what is caught"):
        bs.grad(function, jit=False)(2.5)


def power_down(x, n):
    if n > 4:
        raise ValueError("too many")
    if n == 0:
        return x
    return x * power_down(x, n - 1)


def of_a_function_that_calls_itself(x, n):
    try:
        return power_down(x, n)
    except ValueError:
        return x


def test_a_function_that_calls_itself_and_raises_what_is_caught_is_refused() -> None:
    message = "`power_down` calls itself, and is called within `try`, which catches what it may raise"
    with pytest.raises(bs.UnsupportedError, match=message):
        bs.grad(of_a_function_that_calls_itself, argnums=0, jit=False)(1.5, 3)


def number_of_a_text(x, text):
    return x * float(text)


def test_a_text_that_is_no_number_is_refused() -> None:
    with pytest.raises(
        bs.UnsupportedError, match="raises ValueError: could not convert string to float: 'a'"
    ):
        bs.grad(number_of_a_text, argnums=0, jit=False)(1.5, "a")


def in_between(x):
    if x < 0.2:
        raise KeyError("low")
    assert x < 3.0
    return x + 1.0


def several_tests_at_the_start(x):
    level = Level(x)
    try:
        s = in_between(math.log(level.of))
    except AssertionError:
        s = level.of
    return s * x


@pytest.mark.parametrize("x", [1.5, 30.0])
def test_what_is_raised_first_is_shown_on_one_line(x: float) -> None:
    f = several_tests_at_the_start
    value, slope = bs.value_and_grad(f, jit=False)(x)
    assert value == pytest.approx(f(x))
    assert slope == pytest.approx((f(x + 1e-6) - f(x - 1e-6)) / 2e-6, rel=1e-6)
    assert "<class" not in bs.grad(f, jit=False).source(x)
