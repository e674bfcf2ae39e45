"""Means, moments, scores, entropies, correlations and lines of samples, of `scipy.stats`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import NamedTuple

import scipy.special
import scipy.stats

from backsweep.runtime.overloads.forms import NumbaType, axes_of, is_complex, is_none, refused
from backsweep.runtime.overloads.texts import counted, summed
from backsweep.runtime.samples.lines import is_number, is_sampled, of_samples, option, taken_note_of
from backsweep.runtime.scipy.series import log1p_quotient
from backsweep.runtime.support.marks import stop_gradient

TINY = "2.220446049250313e-16"
"""Relative to a mean, deviations are rounding errors below this."""


class Correlated(NamedTuple):
    """What `pearsonr` returns, but for intervals."""

    statistic: float
    pvalue: float


class Line(NamedTuple):
    """What `linregress` returns, but for the error of the intercept."""

    slope: float
    intercept: float
    rvalue: float
    pvalue: float
    stderr: float


def register() -> None:
    """Tell Numba of these functions."""
    taken_note_of()


class Sample:
    """An array of a call, and the axes that are reduced: what texts need of them."""

    def __init__(self, name: str, axes: Sequence[int], ndim: int) -> None:
        self.name, self.axes, self.ndim = name, axes, ndim

    @property
    def is_whole(self) -> bool:
        """Whether all axes are reduced, so that a number is left."""
        return len(self.axes) == self.ndim

    @property
    def count(self) -> str:
        """The text of the number of entries that are reduced to one."""
        return counted(self.name, self.axes, self.ndim)

    def sum(self, text: str) -> str:
        """The text of a sum."""
        return summed(text, self.axes, self.ndim)

    def back(self, text: str) -> str:
        """The text of what was reduced, which broadcasts with the array."""
        if self.is_whole:
            return text
        return f"{text}[{', '.join('np.newaxis' if axis in self.axes else ':' for axis in range(self.ndim))}]"

    def unless(self, condition: str, value: str) -> str:
        """The text of a reduced value that is nan on a condition."""
        if self.is_whole:
            return f"np.nan if {condition} else {value}"
        return f"np.where({condition}, np.nan, {value})"

    def centred(self) -> str:
        """The statements for the number of entries, their mean and the deviations of it."""
        return f"count = {self.count}\nmean = {self.sum(self.name)} / count\nmiddle = {self.name} - {self.back('mean')}\n"


def _sample(function: str, name: str, given: NumbaType, axis: NumbaType, **plain: NumbaType) -> Sample | None:
    """The array of a call, if it is one of real numbers; of `nan_policy` and `keepdims` the defaults are supported."""
    if not is_sampled(function, given):
        return None
    if is_complex(given):
        raise refused(f"`{function}` is supported for real numbers", "give the real and the imaginary part.")
    if "nan_policy" in plain:
        option(function, "nan_policy", plain["nan_policy"], "propagate")
    if "keepdims" in plain:
        option(function, "keepdims", plain["keepdims"], False)
    if "dtype" in plain:
        option(function, "dtype", plain["dtype"], None)
    return Sample(name, axes_of(function, axis, given.ndim), given.ndim)


def _correction(function: str, ddof: NumbaType) -> None:
    """Refuse what is no number of degrees of freedom."""
    if not is_number(ddof):
        raise refused(f"`ddof` of `{function}` is no number", "give a number.")


@of_samples(scipy.stats.zscore)
def zscore(a, axis=0, ddof=0, nan_policy="propagate"):
    """Deviations from the mean, in units of the standard deviation."""
    sample = _sample("scipy.stats.zscore", "a", a, axis, nan_policy=nan_policy)
    if sample is None:
        return None
    _correction("scipy.stats.zscore", ddof)
    known = sample.unless(f"width <= {TINY} * np.abs(mean)", "width")
    return (
        f"{sample.centred()}width = np.sqrt({sample.sum('middle ** 2')} / (count - ddof))\n"
        f"width = {known}\nreturn middle / {sample.back('width')}"
    )


@of_samples(scipy.stats.zmap)
def zmap(scores, compare, axis=0, ddof=0, nan_policy="propagate"):
    """Deviations from the mean of another sample, in units of its standard deviation."""
    name = "scipy.stats.zmap"
    sample = _sample(name, "compare", compare, axis, nan_policy=nan_policy)
    if sample is None or _sample(name, "scores", scores, 0) is None:
        return None
    if scores.ndim != compare.ndim:
        raise refused(f"the arrays of `{name}` have other numbers of axes", "give both as many.")
    _correction(name, ddof)
    return (
        f"{sample.centred()}width = np.sqrt({sample.sum('middle ** 2')} / (count - ddof))\n"
        f"return (scores - {sample.back('mean')}) / {sample.back('width')}"
    )


@of_samples(scipy.stats.sem)
def sem(a, axis=0, ddof=1, nan_policy="propagate", keepdims=False):
    """The standard error of the mean."""
    sample = _sample("scipy.stats.sem", "a", a, axis, nan_policy=nan_policy, keepdims=keepdims)
    if sample is None:
        return None
    _correction("scipy.stats.sem", ddof)
    return f"{sample.centred()}return np.sqrt({sample.sum('middle ** 2')} / (count - ddof) / count)"


@of_samples(scipy.stats.variation)
def variation(a, axis=0, nan_policy="propagate", ddof=0, keepdims=False):
    """The standard deviation, relative to the mean."""
    sample = _sample("scipy.stats.variation", "a", a, axis, nan_policy=nan_policy, keepdims=keepdims)
    if sample is None:
        return None
    _correction("scipy.stats.variation", ddof)
    return f"{sample.centred()}return np.sqrt({sample.sum('middle ** 2')} / (count - ddof)) / mean"


def _mean(function: str, text: str, sample: Sample, a: NumbaType, weights: NumbaType) -> str:
    """The text of the mean of what is computed of an array, with or without weights."""
    if is_none(weights):
        return f"{sample.sum(text)} / {sample.count}"
    if not is_sampled(function, weights) or weights.ndim != a.ndim:
        raise refused(
            f"`{function}` is supported with one weight for each entry", "np.broadcast_to gives them."
        )
    return f"{sample.sum(f'weights * ({text})')} / {sample.sum('weights')}"


def _same_shape(weights: NumbaType) -> str:
    """The statement that checks the shape of weights."""
    if is_none(weights):
        return ""
    return 'if weights.shape != a.shape:\n    raise ValueError("there must be one weight for each entry")\n'


@of_samples(scipy.stats.gmean)
def gmean(a, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """The exponential of the mean of logarithms."""
    name = "scipy.stats.gmean"
    sample = _sample(name, "a", a, axis, nan_policy=nan_policy, keepdims=keepdims, dtype=dtype)
    if sample is None:
        return None
    return f"{_same_shape(weights)}return np.exp({_mean(name, 'np.log(a)', sample, a, weights)})"


@of_samples(scipy.stats.hmean)
def hmean(a, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """The inverse of the mean of inverses."""
    name = "scipy.stats.hmean"
    sample = _sample(name, "a", a, axis, nan_policy=nan_policy, keepdims=keepdims, dtype=dtype)
    if sample is None:
        return None
    mean = _mean(name, "1.0 / np.where(a < 0.0, np.nan, a)", sample, a, weights)
    return f"{_same_shape(weights)}return 1.0 / ({mean})"


@of_samples(scipy.stats.pmean, exprel=scipy.special.exprel, log1p_quotient=log1p_quotient)
def pmean(a, p, axis=0, dtype=None, weights=None, nan_policy="propagate", keepdims=False):
    """The root of the mean of powers; of the power 0, the geometric mean."""
    name = "scipy.stats.pmean"
    sample = _sample(name, "a", a, axis, nan_policy=nan_policy, keepdims=keepdims, dtype=dtype)
    if sample is None or not is_number(p):
        return None
    base = "np.where(a < 0.0, np.nan, a)"
    powers = _mean(name, f"{base} ** (1.0 * p)", sample, a, weights)
    logarithms = _mean(name, f"np.log({base})", sample, a, weights)
    apart = f"np.log(a) - {sample.back('mean')}"
    slope = _mean(name, "apart * exprel(p * apart)", sample, a, weights)
    # Of the logarithms and p, which has no 0 / 0 where p is small
    near = f"mean = {logarithms}\napart = {apart}\nslope = {slope}\nreturn np.exp(mean + slope * log1p_quotient(0, p * slope))"
    return (
        f"{_same_shape(weights)}if np.isinf(p):\n"
        '    raise ValueError("Power mean only implemented for finite `p`")\n'
        f"if abs(p) < 0.5 and np.all(a > 0.0):\n{textwrap.indent(near, '    ')}\n"
        f"if p == 0:\n    return np.exp({logarithms})\nreturn ({powers}) ** (1.0 / p)"
    )


@of_samples(scipy.stats.moment)
def moment(a, order=1, axis=0, nan_policy="propagate", center=None, keepdims=False):
    """The mean of powers of deviations from the mean, or from a number."""
    name = "scipy.stats.moment"
    sample = _sample(name, "a", a, axis, nan_policy=nan_policy, keepdims=keepdims)
    if sample is None:
        return None
    power = option(name, "order", order)
    if not isinstance(power, int) or power < 0:
        raise refused(f"`{name}` is supported for one order, a whole number", "write it as a literal.")
    if is_none(center):
        if power < 2:
            return f"return {sample.sum('a')} * 0.0{' + 1.0' if power == 0 else ''}"
        return f"{sample.centred()}return {sample.sum(f'middle ** {power}')} / count"
    if not is_number(center):
        raise refused(f"`center` of `{name}` is no number", "subtract it first, and give center=0.")
    return f"return {sample.sum(f'(a - center) ** {power}')} / {sample.count}"


@of_samples(scipy.stats.skew)
def skew(a, axis=0, bias=True, nan_policy="propagate", keepdims=False):
    """The third moment, relative to the second."""
    name = "scipy.stats.skew"
    sample = _sample(name, "a", a, axis, nan_policy=nan_policy, keepdims=keepdims)
    if sample is None:
        return None
    known = sample.unless(f"second <= ({TINY} * mean) ** 2", "second")
    lines = [
        f"{sample.centred()}second = {sample.sum('middle ** 2')} / count",
        f"second = {known}",
        f"result = {sample.sum('middle ** 3')} / count / second ** 1.5",
    ]
    if not option(name, "bias", bias, True, False):
        lines.append("factor = np.sqrt(count * (count - 1.0)) / (count - 2.0) if count > 2 else 1.0")
        lines.append("result = factor * result")
    return "\n".join([*lines, "return result"])


@of_samples(scipy.stats.kurtosis)
def kurtosis(a, axis=0, fisher=True, bias=True, nan_policy="propagate", keepdims=False):
    """The fourth moment, relative to the second, by default less 3."""
    name = "scipy.stats.kurtosis"
    sample = _sample(name, "a", a, axis, nan_policy=nan_policy, keepdims=keepdims)
    if sample is None:
        return None
    known = sample.unless(f"second <= ({TINY} * mean) ** 2", "second")
    lines = [
        f"{sample.centred()}second = {sample.sum('middle ** 2')} / count",
        f"second = {known}",
        f"result = {sample.sum('middle ** 4')} / count / second ** 2",
    ]
    if not option(name, "bias", bias, True, False):
        lines += [
            "if count > 3:",
            "    result = ((count**2 - 1.0) * result - 3.0 * (count - 1.0) ** 2) / (count - 2.0) / (count - 3.0) + 3.0",
        ]
    shift = " - 3.0" if option(name, "fisher", fisher, True, False) else ""
    return "\n".join([*lines, f"return result{shift}"])


@of_samples(scipy.stats.entropy, rel_entr=scipy.special.rel_entr)
def entropy(pk, qk=None, base=None, axis=0, nan_policy="propagate", keepdims=False):
    """The entropy of frequencies, or that of one distribution relative to another.

    The frequencies are not divided by their sum first: the slope by one that is zero is infinite, and the sum would
    bring it, times zero, to all others.
    """
    name = "scipy.stats.entropy"
    sample = _sample(name, "pk", pk, axis, nan_policy=nan_policy, keepdims=keepdims)
    if sample is None:
        return None
    if not is_none(base) and not is_number(base):
        raise refused(f"`base` of `{name}` is no number", "give a number.")
    check = (
        ""
        if is_none(base)
        else 'if base <= 0:\n    raise ValueError("`base` must be a positive number or `None`.")\n'
    )
    scale = "" if is_none(base) else " / np.log(1.0 * base)"
    if is_none(qk):
        summed_up = sample.sum(f"rel_entr(pk, {sample.back('whole')})")
        return f"{check}whole = {sample.sum('pk')}\nreturn -{summed_up} / whole{scale}"
    other = _sample(name, "qk", qk, axis)
    if other is None or qk.ndim != pk.ndim:
        raise refused(f"the arrays of `{name}` have other numbers of axes", "give both as many.")
    ratio = f"whole / {other.sum('qk')}"
    lines = [
        f"{check}whole = {sample.sum('pk')}",
        f"scaled = qk * {sample.back(f'({ratio})')}",
        "each = np.where((pk == 0.0) & (scaled == 0.0), 0.0, rel_entr(pk, scaled))",
    ]
    return "\n".join([*lines, f"return {sample.sum('each')} / whole{scale}"])


def _are_vectors(function: str, x: NumbaType, y: NumbaType) -> bool:
    """Whether both arguments are vectors of real numbers; other arrays are refused."""
    if _sample(function, "x", x, 0) is None or _sample(function, "y", y, 0) is None:
        return False
    if x.ndim != 1 or y.ndim != 1:
        raise refused(f"`{function}` is supported for vectors", "write the loop over the others.")
    return True


_PRODUCTS = """
x_middle, y_middle = x - np.sum(x) / x.size, y - np.sum(y) / y.size
xx, xy, yy = np.sum(x_middle * x_middle), np.sum(x_middle * y_middle), np.sum(y_middle * y_middle)
"""
"""The statements that both functions of two vectors begin with."""
_CLIPPED = "r = r + stop_gradient(min(max(r, -1.0), 1.0) - r)\n"
"""The statement that cuts off rounding errors of a correlation, but none of its derivatives."""


@of_samples(
    scipy.stats.pearsonr, Correlated=Correlated, betainc=scipy.special.betainc, stop_gradient=stop_gradient
)
def pearsonr(x, y, alternative="two-sided", method=None, axis=0):
    """The correlation of two vectors, and the probability of one as large by chance."""
    name = "scipy.stats.pearsonr"
    if not _are_vectors(name, x, y):
        return None
    option(name, "alternative", alternative, "two-sided")
    option(name, "method", method, None)
    option(name, "axis", axis, 0, -1, None)
    return f"""
if x.size != y.size:
    raise ValueError("`x` and `y` must have the same length along `axis`.")
if x.size < 2:
    raise ValueError("`x` and `y` must have length at least 2.")
{_PRODUCTS}
r = xy / np.sqrt(xx * yy)
{_CLIPPED}
if np.all(x == x[0]) or np.all(y == y[0]):
    r = r * np.nan
shape = 0.5 * x.size - 1.0
pvalue = 1.0
if x.size > 2:
    pvalue = 2.0 * betainc(shape, shape, 0.5 * (1.0 - abs(r)))
return Correlated(r, pvalue)
"""


@of_samples(scipy.stats.linregress, Line=Line, stdtr=scipy.special.stdtr, stop_gradient=stop_gradient)
def linregress(x, y, alternative="two-sided", axis=0, nan_policy="propagate", keepdims=False):
    """The line that fits points best."""
    name = "scipy.stats.linregress"
    if not _are_vectors(name, x, y):
        return None
    option(name, "alternative", alternative, "two-sided")
    option(name, "nan_policy", nan_policy, "propagate")
    option(name, "keepdims", keepdims, False)
    option(name, "axis", axis, 0)
    return f"""
if x.size != y.size:
    raise ValueError("The arrays have other lengths")
if x.size < 2:
    raise ValueError("a line needs two points")
if np.all(x == x[0]):
    raise ValueError("Cannot calculate a linear regression if all x values are identical")
{_PRODUCTS}
slope = xy / xx
intercept = np.sum(y) / y.size - slope * (np.sum(x) / x.size)
r = 0.0
if yy == 0.0:
    r = np.nan if xy == 0.0 else 0.0
else:
    r = xy / np.sqrt(xx * yy)
    {_CLIPPED}
pvalue, stderr = 0.0, 0.0
if x.size == 2:
    pvalue = 1.0 if y[0] == y[1] else 0.0
else:
    free = x.size - 2.0
    t = r * np.sqrt(free / ((1.0 - r + 1e-20) * (1.0 + r + 1e-20)))
    pvalue = 2.0 * stdtr(free, -abs(t))
    stderr = np.sqrt((1.0 - r**2) * yy / xx / free)
return Line(slope, intercept, r, pvalue, stderr)
"""
