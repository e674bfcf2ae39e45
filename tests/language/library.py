"""Python's library

The functions of NumPy, SciPy and `math` that have derivatives are listed in [rules.md](rules.md).
"""

import cmath
import collections
import ctypes
import functools
import itertools
import math
import operator
import random
import statistics

import numpy as np
import scipy.stats as stats
from numba import njit

from tests.language.row import refused, runs

RNG = np.random.default_rng(0)
X = np.array([0.7, 0.2, 1.1])
Point = collections.namedtuple("Point", "x y")  # noqa: PYI024


@runs("`math`", 0.7, 0.2)
def mathematics(x, y):
    return (
        math.sin(x) * math.exp(y) + math.sqrt(x) * math.atan2(x, y) + math.floor(3.0 * x) + math.hypot(x, y)
    )


@runs("`scipy.stats`: distributions, also frozen", X, 0.2, 1.3)
def densities(x, mu, sigma):
    return np.sum(stats.norm.logpdf(x, mu, scale=sigma)) + stats.gamma(2.0, scale=sigma).logpdf(x[0])


@runs("`operator`", 0.7, 0.2)
def operators(x, y):
    return operator.mul(x, operator.add(y, x)) + operator.neg(x) + operator.truediv(x, y)


@runs("`functools.reduce`", (0.7, 0.2, 0.4))
def reduced(p):
    return functools.reduce(lambda a, b: a * b + a, p, 1.0)


@runs("`functools.reduce` over arrays", X)
def reduced_array(x):
    return functools.reduce(lambda a, b: a * b + a, x, 1.0)


@runs("`collections.namedtuple`", Point(0.7, 0.2))
def namedtuple(p):
    q = Point(p.y * p.x, y=p.x)
    return q.x * q.y


@runs("`cmath`", 0.7)
def complex_functions(x):
    return cmath.exp(complex(0.0, x)).real


@runs("`math.log(x, base)`, `math.fmod`, `math.modf`, `math.frexp`, `math.prod`, `math.cbrt`", 0.7, 1.3, 3)
def mathematics_by_numpy(x, y, n):
    fraction, whole = math.modf(3.0 * x)
    mantissa, exponent = math.frexp(8.0 * y)
    parts = fraction * x + whole * y + mantissa * x + exponent * y
    return parts + math.log(y, x) * math.log(x, 2) + math.fmod(y * n, x) * math.prod((x, y, x)) * math.cbrt(x)


@runs("`np.random`: random numbers", X)
def random_numbers(x):
    """They are drawn once, in the forward sweep, and have no derivative."""
    np.random.seed(3)
    s = 0.0
    for i in range(x.size):
        s += x[i] * x[i] * np.random.random()
    return s + x[0] * np.random.normal(0.0, 1.0)


@runs("`rng = np.random.default_rng(seed)`, and generators as arguments", X)
def generator(x):
    """They draw what Python draws, once, in the forward sweep, and are left in the state in which the function leaves them."""
    rng = np.random.default_rng(3)
    return (x * x * rng.normal(size=x.size)).sum() * rng.uniform(1.0, 2.0)


@runs("`rng.permutation(x)`, `rng.shuffle(x)`, and `np.random.choice(x, size, replace)` of an array", X)
def rearranged(x):
    """They read the array at drawn places, as `x[np.random.choice(x.size, size)]` does."""
    rng = np.random.default_rng(3)
    y = rng.permutation(x * x)
    rng.shuffle(y[1:])
    return y[0] * y[1] + rng.permutation(x)[2] * y[2]


@runs("a generator that the function reads around it: a global, a closure's, `self.rng`, a default", X)
def global_generator(x):
    """Each run draws from the generator that is there at the time; another one may take its place."""
    return (x * x).sum() * RNG.integers(2, 3)  # there is one such number


@njit
def drawing(x):
    return (x * RNG.normal(size=x.size)).sum()


@refused("the same in an `@njit` function, and a `RandomState`", "BS106", X)
def global_generator_of_compiled_code(x):
    return drawing(x)


@runs("`np.random.normal(x, y)`, `rng.uniform(x, y, size)`: parameters that are differentiated", 0.7, X)
def random_parameters(x, y):
    """Where they shift, scale or bend what is drawn, the numbers are functions of them; arrays are parameters, too."""
    np.random.seed(3)
    rng = np.random.default_rng(3)
    return np.random.normal(x, y).sum() + (rng.uniform(0.0, y, (2, 3)) * rng.weibull(2.0 + x)).sum()


@runs(
    "`rng.choice`, `permuted`, `multivariate_normal`, `multinomial`, `dirichlet`, `gumbel`, `vonmises`, `hypergeometric`",
    X,
)
def drawn_by_python(x):
    """Machine code enters Python for each call, because Numba lacks these methods."""
    rng = np.random.default_rng(3)
    y = (
        rng.multivariate_normal(x[:2], np.eye(2))
        * rng.dirichlet(np.ones(2))
        * rng.choice(x, 2, replace=False)
    )
    return y.sum() + (rng.permuted(x) * rng.multinomial(9, np.array([0.2, 0.5, 0.3]))).sum() * rng.gumbel(
        x[0], 1.0
    )


@refused("`rng.gamma(x, y)` where the shape `x` is differentiated, and its like", "BS202", 0.7, 0.2)
def random_shape(x, y):
    rng = np.random.default_rng(3)
    return rng.gamma(x, y)


@refused("`random` of the library", "BS202", 0.7)
def random_library(x):
    random.seed(3)
    return x * random.gauss(x, 1.0)


@runs("`itertools.pairwise`, `accumulate`, `islice`, `chain`, `takewhile`, `dropwhile`, `filterfalse`", X)
def iterated(x):
    """They give lists: what they call is called for all items before the loop begins."""
    s = 0.0
    for a, b in itertools.pairwise(x):
        s += (b - a) ** 2
    for a in itertools.accumulate(itertools.chain(x, x[:1]), lambda a, b: a * b, initial=1.0):
        s += a * a
    return s + sum(itertools.takewhile(lambda v: v < 1.5, itertools.islice(x, 1, None)))


@refused("other functions of `itertools`", "BS112", X)
def iterating(x):
    s = 0.0
    for a, b in itertools.zip_longest(x, x[:1], fillvalue=1.0):
        s += a * b
    return s


@runs("`math.fsum`, `math.dist`, `math.hypot` of many, `math.isclose`", X)
def math_of_many(x):
    close = math.isclose(x[0], x[1], rel_tol=1e-3)
    return (
        math.fsum(v * v for v in x)
        * math.dist(x[:2], (1.0, 2.0))
        * math.hypot(*(x[0], x[1], 1.0))
        * (1 + close)
    )


@runs("`statistics.mean`, `fmean`, `variance`, `stdev`, `pvariance`, `pstdev`, `geometric_mean`, `median`", X)
def statistics_of_numbers(x):
    return statistics.mean(x) * statistics.stdev(x) + statistics.fmean(
        [v * v for v in x], weights=x
    ) * statistics.median(x)


C_SIN = ctypes.CDLL(None).sin
C_SIN.restype, C_SIN.argtypes = ctypes.c_double, [ctypes.c_double]


@refused("`ctypes` functions without a rule", "BS202", 0.7)
def foreign(x):
    return C_SIN(x)


@refused("`input`, `open`, `eval`, `exec`", "BS115", 0.7)
def talking(x):
    return x * float(input())


@refused("`globals`, `locals`, `vars`, `id`, `hash`", "BS115", 0.7)
def looking(x):
    return x * hash(x)
