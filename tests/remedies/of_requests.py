"""Remedies of refused requests and arguments: what to call instead, and the numbers that it gives."""

from __future__ import annotations

import math
import types
from typing import Any

import numpy as np
from scipy.optimize import brentq

import backsweep as bs
from tests.remedies import answers

ONES = np.ones(3)


def product(x, y):
    return x * y


def square(x):
    return x * x


def doubled(x):
    return 2.0 * x


def power(x, n):
    return x**n


def total(x):
    u = x * x
    return np.sum(u * x)


def root_of_difference(x, y):
    s = x - y
    return math.sqrt(s)


@answers("adjoint_not_finite", 0.25)
def away_from_the_point() -> Any:
    return bs.grad(root_of_difference, debug_nan=True, jit=False)(6.0, 2.0)


@answers("argnums_as_name", 2.0)
@answers("both_argnums_and_wrt", 2.0)
@answers("misspelt_wrt", 2.0)
@answers("unknown_wrt", 2.0)
def by_name() -> Any:
    return bs.grad(product, wrt="y", jit=False)(2.0, 3.0)


@answers("argnums_is_a_truth_value", 2.0)
@answers("unknown_position", 2.0)
@answers("both_argnums_and_wrt", 2.0)
def by_position() -> Any:
    return bs.grad(product, argnums=1, jit=False)(2.0, 3.0)


@answers("array_result", (2.0 * ONES, 2.0 * ONES / 3.0, [2.0, 0.0, 0.0], 6.0 * ONES))
def of_numbers() -> Any:
    return (
        bs.grad(lambda x: np.sum(doubled(x)), jit=False)(ONES),
        bs.grad(lambda x: doubled(x).mean(), jit=False)(ONES),
        bs.grad(lambda x: doubled(x)[0], jit=False)(ONES),
        bs.vjp(doubled, ONES, jit=False)[1](3.0 * ONES),
    )


@answers("aux_without_pair", (4.0, 2.0))
def pair_with_aux() -> Any:
    return bs.grad(lambda x: (x * x, x), has_aux=True, jit=False)(2.0)


@answers("buffer_is_a_number", 6.0)
def buffer_without_axes() -> Any:
    buffer = np.zeros(())
    bs.grad(square, jit=False)(3.0, out=buffer)
    return buffer


@answers("batch_without_axis", 3.0)
def shared_by_all_examples() -> Any:
    return np.sum(bs.batch(lambda x, rate: x * rate, in_axes=(0, None), jit=False)(np.ones(6), 0.5))


@answers("called_too_early", 6.0)
def result_called() -> Any:
    return bs.grad(square, jit=False)(3.0)


def decayed(x, n):
    start = 2.0 * x
    y = start
    for _ in bs.checkpointed(range(n), slots=3):
        y = y - 0.1 * y
    return y


def decayed_at_once(x, n):
    for _ in range(n):
        rate = 0.1 * x
        x = x - rate
    return x


@answers("checkpointed_variable_by_name", (0.9**3, [-0.81, -0.9, -1.0]))
def outside_of_the_checkpoint() -> Any:
    return (
        bs.grad(decayed, wrt="start", jit=False)(2.0, 3),
        bs.grad(decayed_at_once, wrt="rate", jit=False)(2.0, 3),
    )


@answers("cotangent_shape", 2.0 * ONES)
def cotangent_of_the_shape() -> Any:
    return bs.vjp(doubled, ONES, jit=False)[1](ONES)


@answers("cotangent_structure", 5.0)
def cotangent_of_the_structure() -> Any:
    return bs.vjp(lambda x: (x, x * x), 2.0, jit=False)[1]((1.0, 1.0))


@answers("dict_argument", [2.0, 1.0])
def dict_of_strings() -> Any:
    return list(bs.grad(lambda p: p["a"] * p["b"], jit=False)({"a": 1.0, "b": 2.0}).values())


@answers("dict_argument", [2.0, 1.0])
@answers("list_differentiated", [2.0, 1.0])
def array_of_parameters() -> Any:
    return bs.grad(lambda p: p[0] * p[1], jit=False)(np.array([1.0, 2.0]))


@answers("list_differentiated", (2.0, 1.0))
def tuple_of_parameters() -> Any:
    return bs.grad(lambda p: p[0] * p[1], jit=False)((1.0, 2.0))


@answers("error_model_unknown", (0.5, 0.5))
def error_models() -> Any:
    quotient = [bs.grad(lambda x, y: x / y, error_model=each, jit=False) for each in ("python", "numpy")]
    return tuple(each(1.0, 2.0) for each in quotient)


@answers("fastmath_is_a_number", (0.5, 0.5, 0.5))
def kinds_of_fastmath() -> Any:
    return tuple(
        bs.grad(lambda x, y: x / y, fastmath=each, jit=False)(1.0, 2.0) for each in (True, False, {"nnan"})
    )


def wave(x, w):
    return math.sin(x) * w


wave_slope = bs.grad(wave)


@answers("gradient_within", -2.0 * math.cos(0.3) * math.sin(0.3) * 0.49 + math.cos(0.3) * 0.7)
def gradient_of_an_outer_function() -> Any:
    return bs.grad(lambda x, w: wave(x, w) + wave_slope(x, w) ** 2, jit=False)(0.3, 0.7)


@answers("hessian_of_a_variable", 2.0 * np.eye(2))
def function_of_the_variable() -> Any:
    return bs.hessian(lambda u: np.sum(u * u), jit=False)(np.ones(2))


@answers("moved_variable", 8.0 * np.ones(2))
def product_by_the_argument() -> Any:
    x = np.ones(2)
    return bs.hvp(lambda x: np.sum((2.0 * x) ** 2), wrt="x", jit=False)((x,), (x,))


def drawn(x, y):
    return np.sum(x * y) ** 2 + 0.0 * np.random.normal(0.0, 1.0) * np.sum(x * x * y)  # noqa: NPY002


@answers("hessian_of_what_draws", 2.0 * np.ones((2, 2)))
def hessian_by_rows() -> Any:
    return bs.hessian(drawn, wrt="x", jit=False)(np.ones(2), np.ones(2))


def total_of_one(x):
    u = x * x
    return u * x


@answers("integer_argument", (12.0, 8.0 * math.log(2.0)))
def floats_for_both() -> Any:
    return bs.grad(power, argnums=(0, 1), jit=False)(2.0, 3.0)


@answers("integer_argument", 12.0)
def integer_left_out() -> Any:
    return bs.grad(power, argnums=0, jit=False)(2.0, 3)


@answers("integer_array", [3.0, 12.0, 27.0])
def array_of_floats() -> Any:
    return bs.grad(total, jit=False)(np.array([1, 2, 3]).astype(np.float64))


@answers("intermediate_is_argument", (8.0, 12.0))
def variable_returned() -> Any:
    found = bs.value_and_grad(total_of_one, return_intermediates="u", jit=False)(2.0)
    return found[0], found[1]


@answers("jacobian_of_a_tuple", ((3.0 + 1.0, 2.0 + 1.0), 5.0))
def products_of_a_tuple() -> Any:
    def pair(x, y):
        return x * y, np.array([x, y])

    back = bs.vjp(pair, 2.0, 3.0, jit=False)[1]((1.0, np.ones(2)))
    return back, bs.jvp(pair, (2.0, 3.0), (1.0, 1.0), jit=False)[1][0]


class Spring:
    def __init__(self, stiffness):
        self.stiffness = stiffness

    def energy(self, x):
        return 0.5 * self.stiffness * x * x


@answers("method_of_class", 1.0)
def method_of_the_object() -> Any:
    return bs.grad(Spring(2.0).energy, jit=False)(0.5)


@answers("object_argument", (1.0, 1.0))
def numbers_of_the_object() -> Any:
    def energy(spring, x):
        return 0.5 * spring[0] * x * x

    def energy_of_fields(spring, x):
        return 0.5 * spring.stiffness * x * x

    given = types.SimpleNamespace(stiffness=2.0)
    return (
        bs.grad(energy, argnums=1, jit=False)((2.0,), 0.5),
        bs.grad(energy_of_fields, argnums=1, jit=False)(given, 0.5),
    )


@answers("no_such_mode", True)
def known_modes() -> Any:
    return "square" in str(bs.check_grads(square, (1.0,), modes=("rev", "fwd")))


@answers("nothing_to_differentiate_by", 2.0)
def argument_named() -> Any:
    return bs.vjp(product, 1.0, 2.0, wrt="x", jit=False)[1](1.0)


@answers("numba_typing", [2.0, 2.0, 2.0])
def made_to_compile() -> Any:
    return bs.grad(lambda x: np.sum(x * 2.0 + 1.0), jit=False)(ONES)


@answers("numba_unification", 0.0)
def one_type_on_all_paths() -> Any:
    return bs.grad(lambda x: x if x > 3.0 else 0.0, jit=False)(2.0)


def neighbours(x):
    return x[1:] * x[:-1]


FOUR = np.array([1.0, 2.0, 3.0, 4.0])
DENSE = [[2.0, 1.0, 0.0, 0.0], [0.0, 3.0, 2.0, 0.0], [0.0, 0.0, 4.0, 3.0]]


@answers("pattern_shape", DENSE)
@answers("pattern_without_entries", DENSE)
def pattern_that_holds() -> Any:
    pattern = np.eye(3, 4) + np.eye(3, 4, 1)
    return bs.jacobian(neighbours, sparsity=pattern, jit=False)(FOUR).toarray()


@answers("pattern_without_entries", DENSE)
def pattern_left_out() -> Any:
    return bs.jacobian(neighbours, sparse=True, jit=False)(FOUR).toarray()


@answers("sparse_by_a_tuple", 2.0 * np.eye(3))
def items_apart() -> Any:
    return bs.jacobian(product, sparse=True, jit=False)(ONES, 2.0).toarray()


@answers("sparse_by_a_tuple", 2.0 * np.eye(3))
def dense_by_a_tuple() -> Any:
    return bs.jacobian(lambda pair: pair[0] * pair[1], jit=False)((ONES, 2.0))[0]


def fourth(x):
    return np.sum(x**4)


slope_of_fourth = bs.grad(fourth)


@answers("product_inside", 48.0 * np.ones(2) * 0.25)
def product_by_a_gradient() -> Any:
    def slope_along(x, direction):
        return np.sum(slope_of_fourth(x) * direction)

    return bs.grad(slope_along, jit=False)(np.ones(2), np.ones(2))


def multiplied(x, n):
    if n == 0:
        return 1.0
    return x * multiplied(x, n - 1)


@answers("recursion_of_a_gradient", 12.0)
def gradient_beside_the_function() -> Any:
    return bs.grad(multiplied, jit=False)(2.0, 3)


@answers("source_from_exec", 6.0)
def function_in_a_file() -> Any:
    return bs.grad(square, jit=False)(3.0)


class Model:
    @staticmethod
    def cost(x):
        return x * x

    slope = staticmethod(bs.grad(cost.__func__, jit=False))


@answers("staticmethod_object", (6.0, 6.0))
def static_method() -> Any:
    return bs.grad(Model.cost, jit=False)(3.0), Model.slope(3.0)


@answers("arguments_overlap", 2.0 * np.array([0.0, 0.0, 0.0, 0.0]))
def copy_of_an_argument() -> Any:
    def shifted(x, y):
        x[:] = 2.0 * y
        return np.sum(x)

    both = np.arange(5.0)
    return bs.grad(shifted, jit=False)(both[:4], both[1:].copy())


@answers("gradient_called_with_too_much", 3.0)
def called_with_its_parameters() -> Any:
    def scaled(x, factor):
        return x * factor

    return bs.grad(scaled, jit=False)(2.0, 3.0)


@answers("tangent_count", 3.0)
def tangents_of_those_chosen() -> Any:
    def area(width, height, corners):
        return width * height - corners

    return bs.jvp(area, (2.0, 3.0, 4), (1.0, 0.0), jit=False)[1]


@answers("tangent_shape", 2.0 * ONES)
def tangent_of_the_shape() -> Any:
    return bs.jvp(doubled, (ONES,), (ONES,), jit=False)[1]


@answers("tangent_not_finite", 0.6)
def tangent_away_from_the_point() -> Any:
    return bs.jvp(math_distance, (3.0, 4.0), (1.0, 0.0), debug_nan=True, strong_zeros=False, jit=False)[1]


def math_distance(x, y):
    s = x * x + y * y
    return math.sqrt(s)


def imaginary(z):
    a = 2.0 * z
    part = a.imag.copy()
    a[0] = a[1] * part[2]
    return np.sum(part)


@answers("trace_imaginary_by_name", [1.0, 1.0, 1.0])
def copy_by_name() -> Any:
    return bs.grad(imaginary, wrt="part", jit=False)(np.array([1.0 + 2.0j, 3.0j, 1.0]))


@answers("tuple_result", (1.0, (1.0, 4.0), 9.0))
def one_number_of_both() -> Any:
    def both(x):
        return x, x * x

    return (
        bs.grad(lambda x: both(x)[0], jit=False)(2.0),
        bs.grad(both, has_aux=True, jit=False)(2.0),
        bs.vjp(both, 2.0, jit=False)[1]((1.0, 2.0)),
    )


@answers("unknown_option", 6.0)
def known_options() -> Any:
    return bs.grad(square, jit=False, cache=False, boundscheck=True, strong_zeros=False)(3.0)


def with_variables(x, n):
    k = 1.0 * n
    pair = k * x, x
    first = pair[0]
    return first * k


@answers("variable_is_integer", (4.0 * 3.0, 3.0))
@answers("variable_is_tuple", (4.0 * 3.0, 3.0))
@answers("variable_never_reached", (4.0 * 3.0, 3.0))
def variables_of_floats() -> Any:
    return tuple(bs.grad(with_variables, wrt=("k", "first"), jit=False)(2.0, 3))


def cell(x):
    hidden = x * x
    return hidden + x


def of_two_cells(x):
    a = cell(x)
    b = cell(a)
    return a * b


@answers("variable_misspelt_in_call", 12.0)
def variable_of_a_call() -> Any:
    return bs.grad(lambda x: cell(x) ** 2, wrt="cell.hidden", jit=False)(2.0)


@answers("variable_of_two_calls", (120.0, 6.0))
def results_by_name() -> Any:
    return tuple(bs.grad(of_two_cells, wrt=("a", "b"), jit=False)(2.0))


def scaled_loss(x, scale=2.0):
    return x * x * scale


@answers("wrt_left_out", 1.0)
def value_given() -> Any:
    return bs.grad(scaled_loss, wrt="scale", jit=False)(1.0, scale=2.0)


@answers("wrt_left_out", 4.0)
def default_left_out() -> Any:
    return bs.grad(scaled_loss, wrt="x", jit=False)(1.0)


@answers("wrt_of_a_string", 2.0)
def string_left_out() -> Any:
    return bs.grad(lambda x, kind: x * x if kind == "square" else x, wrt="x", jit=False)(1.0, "square")


@answers("argnums_twice", (3.0, 2.0))
def each_once() -> Any:
    return bs.grad(product, argnums=(0, 1), jit=False)(2.0, 3.0)


@answers("named_twice", (3.0, 2.0))
def named_once() -> Any:
    return tuple(bs.grad(product, wrt=("x", "y"), jit=False)(2.0, 3.0))


def assigned_twice(x):
    u = x * x
    if u > 1.0:
        u = u + x
    return u * u


@answers("variable_assigned_twice", (12.0, 12.0))
@answers("variable_at_wrong_line", (12.0, 12.0))
def variables_by_line() -> Any:
    line = assigned_twice.__code__.co_firstlineno
    return tuple(bs.grad(assigned_twice, wrt=(f"u@{line + 1}", f"u@{line + 3}"), jit=False)(2.0))


@answers("sparse_made_within", [24.0, 36.0, 6.0, 12.0])
def products_written_out() -> Any:
    rows, columns = np.array([0, 1, 2, 0]), np.array([1, 2, 0, 0])

    def product(entries, x):
        y = np.zeros(3)
        np.add.at(y, rows, entries * x[columns])
        return np.sum(y**2)

    return bs.grad(product, jit=False)(np.array([1.0, 2.0, 3.0, 4.0]), np.arange(1.0, 4.0))


@answers("list_around_changed", [0.0, 3.0, 0.0])
def copies_changed() -> Any:
    around = [[1, 2], [0], [2, 1, 0]]

    def grown(x):
        total = 0.0
        for i in range(x.size):
            items = list(around[i])
            items.append(1)
            total += x[items[-1]]
        return total

    return bs.grad(grown, jit=False)(ONES)


@answers("given_twice", 3.0)
def a_copy_given() -> Any:
    def rescaled(new, old):
        new["rate"] = new["rate"] * 2.0
        return new["rate"] * old["rate"]

    params = {"rate": 1.5}
    return bs.grad(rescaled, jit=False)(dict(params), params)["rate"]


@answers("nonlocal_in_equation", 0.5 / 2.0**0.5)
def counted_outside() -> Any:
    def root(x):
        return brentq(lambda t: t * t - x, 0.0, 5.0)

    return bs.grad(root, jit=False)(2.0)
