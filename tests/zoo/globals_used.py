"""Module globals: numbers, arrays, and modules imported under any name."""

import math as m
from math import tanh
from types import SimpleNamespace

import numpy
import numpy as anything
import numpy.linalg as la
from numpy import exp as exponential
from scipy import constants

from tests.zoo.case import case, vector

GRAVITY = 9.81
TABLE = numpy.array([0.3, 0.7, 1.1])
SIZES = (2, 3)
_settings = SimpleNamespace(rate=0.3)
RATE = _settings.rate


@case(vector(3))
def import_as_anything(x):
    y = anything.exp(x) * numpy.sin(x)
    return anything.sum(y * y)


@case(0.4)
def imported_names(x):
    return tanh(x) * m.exp(x) + exponential(-x) * m.pi


@case(0.4)
def global_numbers(x):
    return GRAVITY * x * x + RATE * x * SIZES[1]


@case(vector(3))
def global_array(x):
    s = 0.0
    for i in range(3):
        s += TABLE[i] * x[i] * x[i]
    return s + anything.sum(TABLE * x)


@case(vector(3))
def submodule(x):
    return la.norm(x) * numpy.linalg.norm(x[:2])


@case(vector(3))
def local_alias_of_function(x):
    f = anything.tanh
    return f(x).sum() * f(x[0])


@case(0.4)
def global_hidden_by_local(x):
    GRAVITY = x * x  # noqa: N806
    return GRAVITY * RATE


SQUARE = numpy.arange(9.0).reshape(3, 3)
ROW = numpy.arange(3.0)
COLUMN = numpy.arange(3.0).reshape(3, 1)


@case(vector(3))
@case(vector(1))
def table_beside_a_vector(x):
    return numpy.sum(SQUARE * x + x)


@case(vector(3))
@case(vector(1))
def row_beside_a_vector(x):
    return numpy.sum(ROW * x + x * x)


@case(vector(3))
@case(vector(2))
def column_beside_a_vector(x):
    return numpy.sum(numpy.sin(COLUMN + x) * COLUMN)


@case(vector(3))
def rows_of_a_table(x):
    y = x.copy()
    y *= ROW
    y += SQUARE[1]
    return numpy.sum(y * y)


@case(0.7)
def rounds_by_the_length_of_a_table(x):
    s = x
    for k in range(len(TABLE)):
        a = numpy.sin(0.3 * x * s) + TABLE[k]
        b = numpy.cos(0.2 * a * s) * a
        c = numpy.tanh(b * a + s)
        d = numpy.sin(c * b)
        s = 0.3 * (a * b + c * d)
        if s > 5.0:
            s = s * s
    return s


FACTORS = numpy.array([1.0, 2.0, 0.5])


@case(vector(3))
def outer_products_of_a_table(x):
    return numpy.sum(numpy.outer(FACTORS, FACTORS) * x) + numpy.sum(
        numpy.outer(FACTORS, x) * numpy.outer(x, FACTORS) ** 2
    )


@case(vector(3))
def ranks_of_tables(x):
    if TABLE.ndim == 2:
        return np_sum_of_rows(x)
    return numpy.sum(x**TABLE.ndim)


def np_sum_of_rows(x):
    return x[0] * numpy.sum(TABLE[0])


@case(0.3)
def constants_of_nature(x):
    energy = x * constants.value("Boltzmann constant in eV/K") * 300.0
    if constants.unit("speed of light in vacuum") == "m s^-1":
        energy += constants.physical_constants["electron mass"][0] * 1e30 * x**2
    return energy + constants.precision("Boltzmann constant") * x
