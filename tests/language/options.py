"""Options: strings, None, booleans, functions and types

A branch that depends on an argument's type or on a string, None or function is decided before the program runs.
"""

import numpy as np

from tests.language.row import refused, runs

X = np.array([0.7, 0.2, 1.1])


@runs("string arguments", 0.7, "cubic")
def string(x, kind):
    """The code is specialised for the string."""
    if kind == "square":
        return x * x
    elif kind == "cubic":
        return x * x * x
    return undefined_function(x)  # noqa: F821


@runs("strings as defaults", 0.7)
def string_default(x, kind="square"):
    return x * x if kind == "square" else x


@runs('`kind in ("a", "b")`, `kind.startswith(...)`, `kind + "..."`', 0.7, "square_root")
def string_methods(x, kind):
    if kind in ("none", "nothing"):
        return x
    if kind.startswith("square") and kind.upper() != kind and kind + "!" == "square_root!":
        return np.sqrt(x) * len(kind)
    return undefined_function(x)  # noqa: F821


@runs("None as an argument", 0.7, None)
def none(x, scale):
    if scale is None:
        scale = 2.0
    return x * x * scale


@runs("None as a default, a value given", 0.7, 3.0)
def none_given(x, scale=None):
    if scale is not None:
        return x * scale
    return undefined_function(x)  # noqa: F821


@runs("`if option:` for an option that is None", 0.7, None)
def none_truth(x, weights):
    if weights:
        return weights[0] * x
    if not weights or x > 1.0:
        return x * x
    return x


@runs("`x == None`", 0.7, None)
def none_equal(x, weights):
    if weights == None:  # noqa: E711
        return x * x
    return x * weights


@runs("None in a tuple", 0.7, (None, 0.2))
def none_in_tuple(x, p):
    if p[0] is None:
        return x * p[1]
    return x


@runs("a variable that is None on some paths", X)
def none_until(x):
    last = None
    s = 0.0
    for i in range(x.size):
        if last is not None:
            s += last * x[i]
        last = x[i] * x[i]
    return s


@refused("a tuple that takes over such a variable", "BS120", X)
def none_in_tuple_of_paths(x):
    pair = (None, 1.0)
    for i in range(x.size):
        last = x[i] if i > 1 else None
        pair = (last, x[i])
    return pair[1]


@runs("bool arguments", 0.7, True)
def boolean(x, flag):
    if flag:
        return x * x
    return x


@runs("`isinstance(x, float)`, `isinstance(x, np.ndarray)`", X, 0.7)
def instance(x, y):
    """For arguments and constants. Compiled code does not distinguish float from np.float64."""
    if isinstance(y, (int, float)) and not isinstance(x, tuple):
        return y * x.sum() if isinstance(x, np.ndarray) else y * x
    return undefined_function(x)  # noqa: F821


@runs("`np.issubdtype(x.dtype, np.floating)`, `x.dtype == np.float64`, `np.result_type`", X)
def question_about_a_dtype(x):
    if not np.issubdtype(x.dtype, np.inexact) or x.dtype in (np.float32, np.complex64):
        return 0.0
    y = np.zeros(x.size, np.result_type(x, np.float32))
    y[:] = x * x
    return y.sum() if x.dtype == np.float64 else y[0]


@runs(
    "`np.isscalar(x)`, `np.ndim(x) == 0`, `x.shape == ()`, `np.iterable(x)`, `np.array(x, ndmin=1)`", X, 0.7
)
def question_about_axes(x, y):
    """For arrays and numbers. Only the branch that is taken is compiled."""
    if np.ndim(y) == 0:
        y = np.array([y])
    if np.iterable(x) and not np.isscalar(x) and np.shape(x) != ():
        x = np.array(x * x, ndmin=1)
    z = np.asarray(x)
    if z.ndim == 0:
        z = z[None]
    return z.sum() * y[0]


@runs("`isinstance` of what is computed", 0.7)
def instance_of_computed(x):
    y = x * x
    return y if isinstance(y, float) else x


@runs("`x.ndim`, `x.shape` and `len(x.shape)` in branches", X)
def dimensions(x):
    if x.ndim == 2:
        return x[0, 0]
    if len(x.shape) == 1:
        return x[0] * x[1]
    return undefined_function(x)  # noqa: F821


@runs("dtypes: `x.dtype`, `np.zeros(n, dtype=np.float64)`", X)
def dtypes(x):
    y = np.zeros(3, dtype=x.dtype)
    z = np.ones(x.shape, np.float64)
    for i in range(3):
        y[i] = x[i] * x[i]
    return (y * z).sum()


@runs('`hasattr(x, "shape")`', X)
def attributes(x):
    if hasattr(x, "shape"):
        return x[0] * x[1]
    return x


@runs("`type(x)`", 0.7)
def type_of(x):
    if type(x) is float:
        return x * x
    return x
