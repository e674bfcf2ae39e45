"""Functions of `math` and `statistics` that take many numbers."""

from __future__ import annotations

import math
from statistics import StatisticsError
from typing import Any

from backsweep.runtime.lists.sequences import spelled_in_bounds
from backsweep.runtime.support.marks import stop_gradient


@spelled_in_bounds
def exact_sum(items: Any) -> float:
    """The sum of the numbers, rounded once: that of parts that do not overlap (Shewchuk 1997)."""
    parts = [0.0]
    for k in range(len(items)):
        x = float(items[k])
        kept = 0
        for j in range(len(parts)):
            y = parts[j]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            x = high
        del parts[kept:]
        parts.append(x)
    total = 0.0
    for j in range(len(parts)):
        total += parts[j]
    return total


@spelled_in_bounds
def fsum(items: Any) -> Any:
    """`math.fsum(items)`; the derivative is that of the sum."""
    total = 0.0
    for k in range(len(items)):
        total += items[k]
    if not math.isfinite(total):
        return total
    return total + stop_gradient(exact_sum(items) - total)


@spelled_in_bounds
def hypotenuse(*coordinates: Any) -> float:
    """`math.hypot(*coordinates)`."""
    length = 0.0
    for each in coordinates:
        length = math.hypot(length, each)
    return length


@spelled_in_bounds
def distance(p: Any, q: Any) -> float:
    """`math.dist(p, q)`."""
    if len(p) != len(q):
        raise ValueError("both points must have the same number of dimensions")
    length = 0.0
    for k in range(len(p)):
        length = math.hypot(length, p[k] - q[k])
    return length


@spelled_in_bounds
def sum_of_products(p: Any, q: Any) -> Any:
    """`math.sumprod(p, q)`."""
    if len(p) != len(q):
        raise ValueError("Inputs are not the same length")
    total = 0.0
    for k in range(len(p)):
        total += p[k] * q[k]
    return total


@spelled_in_bounds
def are_close(a: Any, b: Any, *, rel_tol: Any = 1e-09, abs_tol: Any = 0.0) -> bool:
    """`math.isclose(a, b, rel_tol=rel_tol, abs_tol=abs_tol)`."""
    if a == b:
        return True
    apart = abs(a - b)
    return bool(math.isfinite(apart) and apart <= max(rel_tol * max(abs(a), abs(b)), abs_tol))


@spelled_in_bounds
def mean(data: Any) -> Any:
    """`statistics.mean(data)`."""
    if len(data) < 1:
        raise StatisticsError("mean requires at least one data point")
    return fsum(data) / len(data)


@spelled_in_bounds
def fmean(data: Any, weights: Any = None) -> Any:
    """`statistics.fmean(data, weights)`."""
    if len(data) < 1:
        raise StatisticsError("fmean requires at least one data point")
    if weights is None:
        return fsum(data) / len(data)
    if len(weights) != len(data):
        raise StatisticsError("data and weights must be the same length")
    total, whole = 0.0, 0.0
    for k in range(len(data)):
        total += data[k] * weights[k]
        whole += weights[k]
    if whole == 0.0:
        raise StatisticsError("sum of weights must be non-zero")
    return total / whole


@spelled_in_bounds
def squares_about(data: Any, centre: Any) -> Any:
    """The sum of the squares of the deviations from a number, or from the mean."""
    middle = mean(data) if centre is None else centre
    total = 0.0
    for k in range(len(data)):
        total += (data[k] - middle) ** 2
    return total


@spelled_in_bounds
def variance(data: Any, xbar: Any = None) -> Any:
    """`statistics.variance(data, xbar)`."""
    if len(data) < 2:
        raise StatisticsError("variance requires at least two data points")
    return squares_about(data, xbar) / (len(data) - 1)


@spelled_in_bounds
def pvariance(data: Any, mu: Any = None) -> Any:
    """`statistics.pvariance(data, mu)`."""
    if len(data) < 1:
        raise StatisticsError("pvariance requires at least one data point")
    return squares_about(data, mu) / len(data)


@spelled_in_bounds
def stdev(data: Any, xbar: Any = None) -> Any:
    """`statistics.stdev(data, xbar)`."""
    if len(data) < 2:
        raise StatisticsError("stdev requires at least two data points")
    return math.sqrt(squares_about(data, xbar) / (len(data) - 1))


@spelled_in_bounds
def pstdev(data: Any, mu: Any = None) -> Any:
    """`statistics.pstdev(data, mu)`."""
    if len(data) < 1:
        raise StatisticsError("pstdev requires at least one data point")
    return math.sqrt(squares_about(data, mu) / len(data))


@spelled_in_bounds
def geometric_mean(data: Any) -> Any:
    """`statistics.geometric_mean(data)`."""
    if len(data) < 1:
        raise StatisticsError("geometric_mean requires at least one data point")
    total = 0.0
    for k in range(len(data)):
        if data[k] <= 0.0:
            raise StatisticsError("geometric mean requires positive numbers")
        total += math.log(data[k])
    return math.exp(total / len(data))
