"""Remedies of refused statements and expressions."""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
import math
from enum import IntEnum
from typing import NamedTuple

import numba
import numpy as np
from numba.typed import List

import backsweep as bs
from tests.remedies import mends

X = np.array([0.3, 1.0, 0.6])


class Pair(NamedTuple):
    x: float
    y: float


@dataclasses.dataclass
class Box:
    content: float


@mends("attribute_assigned", 2.0)
def last_in_a_variable(x):
    last = x
    return last * x


@mends("attribute_assigned", 2.0)
def last_in_an_element(x):
    state = np.zeros(1)
    state[0] = x
    return state[0] * x


@mends("builtin_function", X)
def size_in_a_function(x):
    def size(y):
        return len(y)

    return size(x) * x[0]


def scaled(x, factor):
    return x * factor


@mends("call_does_not_fit", 2.0)
def call_that_fits(x):
    return scaled(x, x) + scaled(x, factor=2.0)


@mends("called_number", 2.0)
def function_passed(x):
    def called(f, y):
        return f(y + 1.0)

    return called(math.sin, x)


@mends("callee_unsupported", 2.0)
@mends("several_at_once", 2.0)
def tested_before(x):
    y = 0.0
    if x != 0.0:
        y = 1.0 / x
    return y + x


@mends("callee_without_source", 2.0)
def size_written(x):
    return x * np.ones(1).itemsize


@mends("condition_never_returns", 1.5)
def condition_that_returns(x):
    def stop(s):
        if s < 0.0:
            raise ValueError("no", s)
        return s > 4.0

    s = x
    while not stop(s):
        s += x
    return s


@mends("coroutine", 1.0)
@mends("generator", 1.0)
def values_in_an_array(x):
    powers = np.empty(2)
    powers[0] = x
    powers[1] = x * x
    return powers


@mends("dataclass_result", 1.0)
def fields_as_a_tuple(x):
    return x, x * x


@mends("dataclass_result", 1.0)
def fields_as_a_namedtuple(x):
    return Pair(x, x * x)


SCALES = {"metre": 1.0, "mile": 1609.344}


@mends("dict_key", 1.0)
def key_that_it_has(x):
    return x * SCALES["mile"]


@mends("failing_import", 1.0)
def import_that_works(x):
    import math

    return math.sin(x)


@mends("float_in_whole_list", X)
def floats_from_the_first(x):
    total = [0.0] * 3
    for k in range(x.size):
        total[k % 3] += x[k]
    return x[0] * total[1]


@mends("function_by_branch", 1.0)
@mends("function_by_path", -1.0)
def called_in_each_branch(x):
    return math.sin(x) if x > 0.0 else math.cos(x)


COARSE = [1.0, 0.5]


@mends("list_by_path", 2.0)
def copy_chosen(x):
    coefficients = [*COARSE] if x > 1.0 else [1.0, 0.5, 0.25]
    return sum(c * x for c in coefficients)


@mends("type_by_path", 2.0)
def sides_in_a_list(x):
    sides = [x * k + 1.0 for k in range(3)]
    width, height, depth = sides
    return x * width * height * depth


@mends("generator_expression", X)
def squares_in_a_list(x):
    squares = [value * value for value in x]
    return sum(squares)


@mends("generator_expression", X)
def squares_within(x):
    return sum(value * value for value in x) * max(value * value for value in x)


WEIGHTS = (0.5, 2.0, 1.0)
TABLE = np.array([0.5, 2.0, 1.0])


@mends("global_list", X)
def weights_in_a_tuple(x):
    return WEIGHTS[1] * x[0] + np.sum(TABLE * x)


@mends("global_list_changed", 2.0)
def value_returned(x):
    return x * x, x


@mends("exit_that_catches", 2.0)
def caught_by_try(x):
    try:
        with Halved(x) as halved:
            y = 1.0 / halved.value
    except ZeroDivisionError:
        y = 0.0
    return y * halved.value


@mends("exit_told_what_is_raised", 2.0)
def exit_without_question(x):
    halved = Halved(x)
    try:
        with halved:
            y = 1.0 / x
    except ZeroDivisionError:
        y = 0.0
    return y * halved.value


@mends("text_method_raises", 1.5)
@mends("text_of_keys", 1.5)
def text_left_to_the_caller(x):
    return x * len("a b")


@mends("slice_of_floats", 1.5)
def slice_of_whole_numbers(x):
    kept = [x, 3.0 * x, 2.0 * x]
    return kept[0:2][1]


@mends("ordered_dict_method", 1.5)
def ordered_by_pop(x):
    d = {1: x, 2: x * x}
    d[1] = d.pop(1)
    return sum(d.values()) - d[1]


@mends("recursion_with_format", 5.3, 0)
def recursion_with_literal(x, steps):
    if steps > 100:
        raise ValueError("after too many steps")
    if x > 1.0:
        return x * recursion_with_literal(0.5 * x, steps + 1)
    return x * x


@mends("global_assigned", 2.0, 3)
def global_as_argument(x, count):
    count += 1
    return count * x


@mends("global_written", 2.0, np.zeros(3))
def array_passed(x, log):
    log[0] = x
    return x * log[0]


@mends("global_written", 2.0)
def array_copied(x):
    log = TABLE.copy()
    log[0] = x
    return x * np.sum(log)


@mends("integer_result", 2.7)
def float_returned(x):
    return x * int(x)


@mends("item_deleted", 1.0)
def item_left_out(x):
    items = [x * x]
    return items[0]


@mends("item_set_by_call", X, 2.0)
def item_set(v, x):
    a = v.copy()
    a[1] = x
    return np.sum(a * a)


@mends("kept_iterator", X)
def mapped_where_it_is_taken(x):
    total = 0.0
    for sine in map(np.sin, x):
        total += sine
    return total + sum(map(np.sin, x)) * max(map(np.sin, x))


def _with_options(x, **options):
    return x * options["scale"]


@mends("keyword_parameters", 1.0)
def options_given_before(x):
    return functools.partial(_with_options, scale=2.0)(x)


@mends("keyword_parameters", 1.0, 2.0)
def parameters_with_names(x, scale):
    return x * scale


@mends("list_entry_replaced", X, List([np.zeros(3), np.ones(3)]))
def entries_of_a_new_list(x, given):
    rows = [row.copy() for row in given]
    rows[0] = x
    return np.sum(rows[0] * rows[1])


@mends("list_item_grows", X)
def copy_of_an_item(x):
    groups = [[x[k]] for k in range(x.size)]
    first = groups[0][:]
    groups[0] = [x[1]]
    first.append(x[2])
    return first[1] * groups[0][0]


@mends("list_item_grows", X)
def item_where_it_is(x):
    groups = [[x[k]] for k in range(x.size)]
    groups[0].append(x[2])
    first = groups[0][1]
    groups[0] = [x[1]]
    return first * groups[0][0]


@mends("list_of_texts", X)
def without_names(x):
    return np.sum(x), [v * v for v in x]


@mends("list_of_tuples_returned", X)
def two_lists(x):
    counts, rows = [], []
    for i in range(3):
        counts.append(i)
        rows.append(x * i)
    return counts, rows


@mends("list_of_tuples", X)
def pairs_with_an_axis(x):
    found = np.empty((3, 2))
    for i in range(3):
        found[i, 0] = x[i]
        found[i, 1] = x[i] * i
    return found[2, 0] * found[1, 1]


@mends("list_returned", X)
def array_of_the_list(x):
    return np.array([[value, value * value] for value in x])


@mends("list_with_two_names", 0.7)
def copied_list(x):
    values, others = [x], [x * x, 1.0]
    chosen = values[:] if len(values) > len(others) else others[:]
    for _ in range(3):
        chosen.append(x)
    return chosen[-1] * others[0]


@mends("match_statement", 2.0, 1)
@mends("match_statement", 2.0, 5)
def literals_matched(x, k):
    match k:
        case 1 | 2:
            return x * x
        case _:
            return 3.0 * x


class Kept:
    def __init__(self, x):
        self.x = x
        self.square = None

    def squared(self):
        if self.square is None:
            self.square = self.x**2
        return self.square


@mends("attribute_of_some_paths", 1.5)
def attribute_that_may_be_none(x):
    kept = Kept(x)
    return sum(kept.squared() for _ in range(3))


class Scheme(IntEnum):
    EULER = 1
    HEUN = 2


@mends("member_known_to_the_run", 1.5, 2)
def value_of_a_member_compared(x, order):
    return x**order if order == Scheme.HEUN.value else 2.0 * x


@mends("membership", 1.5, 3, np.array([1, 3, 5]))
def searched(x, k, known):
    y = x * x if k in (1, 3) else x
    return y * x if k in known and k in range(5) else y


@mends("module_as_value", 1.0)
def called_of_a_module(x):
    return x * math.sin(x) * math.pi


@mends("ndindex", np.array([[0.3, 1.0], [0.6, 0.2]]))
def indices_named(x):
    s = 0.0
    for i, j in np.ndindex(x.shape):
        s += x[i, j] ** 2
    return s


@mends("nditer", X, X)
def looped_over_a_range(x, y):
    s = 0.0
    for i in range(x.size):
        s += x[i] * y[i]
    return s


@mends("never_returns", 2.0)
def returns_or_raises(x):
    if x > 0.0:
        return x * x
    raise ValueError("not positive")


@mends("none_on_a_path", X)
def branched_on_none(x):
    pair = (0.0, 0.0)
    previous = None
    for value in x:
        if previous is not None:
            pair = (previous, value)
        previous = value
    return pair[0] * pair[1]


@mends("nothing_returned", 2.0)
def ended_with_return(x):
    y = x * x
    return y + x


class Crate:
    def __init__(self, content):
        self.content = content


@mends("object_by_path", 2.0)
def content_by_path(x):
    one, other = Crate(x), Crate(1.0)
    if x > 1.0:
        one.content = x * x
    else:
        other.content = x * x
    return one.content


@mends("object_count", 2.0)
def crates_of_a_literal_number(x):
    made = []
    for k in range(3):
        made.append(Crate(x * k))
    return sum(crate.content for crate in made)


@mends("chosen_dict_written", 2.0, 6)
def forces_in_an_array(x, n):
    forces = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 3.0])
    for k in range(n):
        if k in (2, 5):
            forces[k] += x
    return forces[5] * x


@mends("own_class", 2.0)
def content_of_a_crate(x):
    return Crate(x * x).content


@mends("own_class", 2.0)
def content_of_a_dataclass(x):
    return Box(x * x).content * Pair(x, 1.0).x * (x, 2.0)[1]


@mends("part_of_a_slice", np.arange(1.0, 5.0), 1)
def slice_where_it_is_used(x, start):
    return np.sum(x[start:-1] ** 2)


@mends("power_too_large", 1.0)
def large_float(x):
    return x * -1e36


@mends("raise_again", 1.0)
def raised_anew(x):
    if x < 0.0:
        raise ValueError("negative")
    return x * x


@mends("range_as_value", 2.0)
def array_of_a_range(x):
    return x * np.arange(3)


@mends("range_never_returns", 1.5)
def range_of_what_returns(x):
    def count(y):
        return 3 if y > 0.0 else 0

    s = x
    for _ in range(count(x)):
        s += x
    return s


@mends("range_of_a_float", 1.5, 3.4, X)
def rounded_range(x, n, known):
    s = 0.0
    for _ in range(int(n)):
        s += x * x
    for i in range(len(known)):
        s *= known[i]
    return s


def multiplied(x, y, k):
    if k == 0:
        return y
    return x * multiplied(x, y, k - 1)


@mends("recursion", 2.0, 3)
def recursion_at_module_level(x, n):
    return multiplied(x, 1.0, n)


def parabola(t, k):
    return k * t * t


def halved(f, k, a, b, n):
    if n == 0:
        return 0.5 * (b - a) * (f(a, k) + f(b, k))
    c = 0.5 * (a + b)
    return halved(f, k, a, c, n - 1) + halved(f, k, c, b, n - 1)


def rest_of(x, k):
    if k >= len(x):
        return 1.0
    return np.sin(x[k]) * rest_of(x, k + 1)


@mends("recursion_that_counts_up", X)
def rest_at_module_level(x):
    return rest_of(x, 0)


@mends("recursion_that_counts_up", X)
def rest_of_three(x):
    def rest(k):
        if k >= 3:
            return 1.0
        return np.sin(x[k]) * rest(k + 1)

    return rest(0)


@mends("recursion_of_a_lambda", 2.0)
def recursion_with_a_function(k):
    return halved(parabola, k, 0.0, 1.0, 3)


def counted_down(x, n):
    if n == 0:
        return x, 1.0
    return counted_down(0.5 * x, n - 1)


@mends("recursion_of_words", 2.0)
def recursion_of_tuples(x):
    y, kind = counted_down(x, 2)
    return y * y if kind == 1.0 else y


def blend(a, first, second, n):
    if n == 0:
        return a[first] * a[second]
    a[first] *= a[second + 1]
    return blend(a, first, second, n - 1)


@mends("recursion_overlapping", X)
@mends("checkpoint_overlapping", X)
def ranges_as_numbers(x):
    a = 2.0 * x
    return blend(a, 0, 1, 2)


def noisy(x, draws, n):
    if n == 0:
        return x
    return draws[n] * noisy(x, draws, n - 1)


@mends("random_state_made", X)
def drawn_by_a_generator(x):
    rng = np.random.default_rng(3)
    return x[rng.integers(0, 3)] * rng.normal()


@mends("recursion_random", 2.0, X)
def draws_passed(x, draws):
    return noisy(x, draws, 2)


def same(a, n):
    if n == 0:
        return a.copy()
    return same(a, n - 1)


@mends("recursion_returning_its_argument", X)
def copy_returned(x):
    a = 2.0 * x
    b = same(a, 2)
    b[0] = 2.0 * a[1]
    return a[0] * b[1] * b[0]


def halves(a, n):
    if n == 0:
        return a
    return halves(0.5 * a, n - 1)


@mends("recursion_without_gradient", X)
def written_outside(x):
    a = x * x
    s = halves(a, 2)[0]
    return s * np.sum(a)


@mends("returns_class", 1.0)
@mends("returns_function", 1.0)
def numbers_returned(x):
    def adder(y):
        return x + y

    return x * x, adder(2.0 * x)


@mends("slice_by_path", X, True)
def numbers_chosen(x, first):
    start, stop = (0, 2) if first else (1, 3)
    return np.sum(x[start:stop] ** 2)


@mends("slice_returned", X)
def limits_returned(x):
    def limits():
        return 0, 2

    start, stop = limits()
    return x[start:stop] ** 2


@mends("sometimes_none", X)
def number_in_place_of_none(x):
    best, history = None, []
    for value in x:
        history.append(0.0 if best is None else best)
        if best is None or value > best:
            best = value * value
    return best * history[-1]


@mends("text_operator", X, "abc")
def texts_joined(x, label):
    name = label + "-" + 2 * label
    return np.sum(x) if name == "abc-abcabc" else 0.0


@mends("tuple_index", 1.0)
def index_checked(x):
    pair = (x, x * x)
    return pair[1]


@mends("tuple_item_assigned", 2.0)
def array_instead_of_a_tuple(x):
    pair = np.array((x, 1.0))
    pair[1] = x * x
    return pair[0] * pair[1]


@mends("type_test", X, True)
def plain_test(x, scaled):
    return np.sum(x * 2.0) if scaled else x[0]


@mends("unassigned_in_a_single_round", 1.0)
@mends("unassigned_on_a_path", 1.0)
def assigned_before(x):
    y = 0.0
    while True:
        y += x * x
        break
    return y


@mends("unknown_attribute", 1.0)
@mends("unknown_name", 1.0)
def right_name(x):
    scale = 2.0
    return np.tanh(x) * scale


def _mean_of(first, *rest):
    return first / (1 + len(rest))


@mends("unpacked_array", X)
def items_written_out(x):
    return _mean_of(x[0], x[1], x[2])


@mends("unpacking_does_not_fit", 2.0)
def a_value_each(x):
    a, b, c = x, x * x, 3.0
    return a * b * c


@mends("with_statement", np.array([0.0, 1.0]))
def allowed_blocks(x):
    with bs.no_grad():
        weight = np.sum(np.array([1.0, 2.0]))
    with np.errstate(divide="ignore"):
        y = np.exp(-1.0 / (x + 1.0))
    with Halved(y) as halved:
        halved.value *= weight
    return halved.value


class Halved:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.value = 0.5 * self.value


@mends("zero_step", 1.1)
def step_of_two(x):
    for _ in range(0, 10, 2):
        x = x * x
    return x


@mends("kind_of_number", X)
def either_kind_of_number(x):
    if isinstance(x[0], (float, np.floating)):
        return np.sum(x * x)
    return 0.0


@mends("family_of_dtypes", X)
def dtype_by_name(x):
    y = x.astype(np.float64)
    return np.sum(y * y)


@mends("dtype_of_number", X)
def dtype_of_the_array(x):
    y = np.zeros(2, np.result_type(x.dtype, np.float32))
    y[0] = x[0] * x[1]
    return np.sum(y)


def cube(x):
    return x * x * x


@mends("function_by_address", cube, 1.5)
def given_itself(f, x):
    return 2.0 * f(x)


@mends("cfunc_of_whole_numbers", 2.5)
def converted_before(x):
    return x * float(tripled_number(int(x)))


@numba.cfunc("int64(int64)")
def tripled_number(n):
    return 3 * n


@mends("choices_unknown", X)
def of_four_in_loops(x):
    total = 0.0
    n = x.size
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                for m in range(k + 1, n):
                    total += x[i] * x[j] * x[k] * x[m]
    return total


@mends("choices_unknown", X)
def of_three(x):
    return sum(u * v * w for u, v, w in itertools.combinations(x, 3))


@mends("choices_unknown", X)
def of_four_at_once(x):
    return sum(t * u * v * w for t, u, v, w in itertools.combinations_with_replacement(x, 4))


@mends("heap_of_array", X)
def least_of_a_heap(x):
    heap = [v for v in x]  # noqa: C416  as the remedy says
    heapq.heapify(heap)
    return heap[0] ** 2


@mends("number_for_a_name", X)
def numbers_for_keys(x):
    parts = {0: x[0], 1: x[1]}
    s = 0.0
    for i in range(2):
        s += parts[i] * x[2]
    return s


@mends("number_for_a_name", X)
def strings_written_out(x):
    parts = {"low": x[0], "high": x[1]}
    s = 0.0
    for name in ("low", "high"):
        s += parts[name] * x[2]
    return s


@mends("heap_by_key", X)
def least_by_order(x):
    return x[np.argsort(abs(x))[0]] ** 2


@mends("printed_part", 0.7)
def one_text(x):
    print(f"{x} and {x * x}")
    return x * x


@dataclasses.dataclass
class Line:
    """A straight line."""

    slope: float
    offset: float


@mends("object_as_tuple", 1.0)
def attributes_named(x):
    line = Line(x, 2.0)
    first, second = (line.offset, line.slope)
    return first * second * x
