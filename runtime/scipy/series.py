"""Derivatives of any order of functions of `scipy.special`, where formulas from the function itself lose their digits."""

from __future__ import annotations

import math

import scipy.special as sp

from backsweep.runtime.scipy.entries import by_entries
from backsweep.runtime.support.compiled import declared, kernel

# (2k)! / B_2k, k = 1, 2, ...
_FACTORS = (
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1892437580.3183792,
    74724249600.0,
    -2950130727918.1642,
    116467828143500.67,
    -4597978722407472.6,
    1.8152105401943546e17,
    -7.1661652561756670e18,
)


@kernel
def zeta(s, q):
    """Zeta function of two arguments by the formula of Euler and Maclaurin (DLMF 25.11.7), as SciPy's: nan for `s` below 1.

    Of negative `q` it is the sum for whole `s`.
    """
    if not s >= 1.0 or math.isnan(q):
        return math.nan
    if s == 1.0 or (q <= 0.0 and q == math.floor(q)):
        return math.inf
    if q < 0.0 and s != math.floor(s):
        return math.nan
    if q > 1e8:
        return float((1.0 / (s - 1.0) + 0.5 / q) * q ** (1.0 - s))
    total = 0.0
    term = 0.0
    while q < 10.0:
        term = _power(q, s)
        total += term
        if q > 0.0 and term < 1e-18 * abs(total):
            return total
        q += 1.0
    term = q**-s
    total += term * q / (s - 1.0) + 0.5 * term
    rising = 1.0
    k = 0.0
    for factor in _FACTORS:
        rising *= s + k
        term /= q
        part = rising * term / factor
        total += part
        if abs(part) < 1e-17 * abs(total):
            return total
        rising *= s + k + 1.0
        term /= q
        k += 2.0
    return total


@kernel
def _power(q: float, s: float) -> float:
    """`q` to the power `-s`, of negative `q` for whole `s`."""
    if q > 0.0:
        return float(q**-s)
    sign = 1.0 if s % 2.0 == 0.0 else -1.0
    return float(sign * (-q) ** -s)


@declared(by_entry=True)
@kernel
def erfcx_derivative(order, x):
    """Derivative of `erfcx` of this order.

    It is (-2)^n n! exp(x^2) times the n-th repeated integral of `erfc`, which obeys 2 n I_n = I_(n-2) - 2 x I_(n-1)
    (DLMF 7.18.4, 7.18.7). For x > 1 the integrals are computed from high orders down to the first, where rounding
    errors shrink.
    """
    return by_entries(_erfcx_derivative, (order, x))


@kernel
def _erfcx_derivative(operands: tuple[int, float]) -> float:
    order, x = operands
    if x > 1e8:  # the first term of the asymptotic series (DLMF 7.18.14)
        first = 0.5641895835477563 / x
        for n in range(1, order + 1):
            first *= -n / x
        return first
    below = 1.1283791670955126  # exp(x^2) times the integral of order -1
    here = sp.erfcx(x)
    if x <= 1.0:
        for n in range(1, order + 1):
            below, here = here, (below - 2.0 * x * here) / (2.0 * n)
    else:
        above, now, wanted = 0.0, 1e-280, 0.0
        start = order + 30 + int(220.0 / (x * x))
        for n in range(start, -1, -1):
            above, now = now, 2.0 * (n + 2) * above + 2.0 * x * now
            if n == order:
                wanted = now
            if now > 1e250:
                above, now, wanted = above * 1e-250, now * 1e-250, wanted * 1e-250
        here = here * (wanted / now)
    factor = 1.0
    for n in range(1, order + 1):
        factor *= -2.0 * n
    return float(factor * here)


@declared(by_entry=True)
@kernel
def exprel_derivative(order, x):
    """Derivative of `exprel` of this order: the integral of t^n exp(x t) for t from 0 to 1.

    It is exp(x) times a sum of positive terms for negative x, or a power series of positive terms for others, unless x is large.
    """
    return by_entries(_exprel_derivative, (order, x))


@kernel
def _exprel_derivative(operands: tuple[int, float]) -> float:
    order, x = operands
    if math.isnan(x):
        return math.nan
    if abs(x) > 30.0 + 2.0 * order:
        total = sp.exprel(x)
        for n in range(1, order + 1):
            total = (math.exp(x) - n * total) / x
        return float(total)
    term = 1.0 / (order + 1)
    total = 0.0
    if x < 0.0:
        n = 0
        while term > 1e-18 * total:
            total += term
            n += 1
            term *= -x / (order + 1 + n)
        return total * math.exp(x)
    power = 1.0
    n = 0
    while term > 1e-18 * total:
        total += term
        n += 1
        power *= x / n
        term = power / (order + 1 + n)
    return total


@declared(by_entry=True)
@kernel
def log1p_quotient(order, x):
    """Derivative of log(1 + x) / x of this order: (-1)^n n! times the integral of t^n (1 + x t)^-(n + 1) for t from 0 to 1."""
    return by_entries(_log1p_quotient, (order, x))


@kernel
def _log1p_quotient(operands: tuple[int, float]) -> float:
    order, x = int(operands[0]), float(operands[1])
    if math.isnan(x) or x < -1.0:
        return math.nan
    if x == -1.0:
        return math.inf if order % 2 == 0 else -math.inf
    if x == math.inf:
        return 0.0
    if abs(x) > 0.5:
        total, power = math.log1p(x) / x, 1.0
        for n in range(1, order + 1):
            power /= 1.0 + x
            total = (power - n * total) / x
            power *= -n
        return float(total)
    term = 1.0
    for n in range(1, order + 1):
        term *= -n
    total = 0.0
    n = 0
    while abs(term) > 1e-18 * abs(total):
        total += term / (order + 1 + n)
        n += 1
        term *= -x * (order + n) / n
    return total


@declared(by_entry=True)
@kernel
def scaled_i_derivative(v, order, x):
    """Derivative of `i0e` (`v` is 0) or `i1e` (1) of this order; at a kink at zero it is zero.

    For large x it is that of each term of the asymptotic series (DLMF 10.40.1); the terms of the other formula (DLMF
    10.29.5) nearly cancel there.
    """
    return by_entries(_scaled_i_derivative, (v, order, x))


@kernel
def _scaled_i_derivative(operands: tuple[int, int, float]) -> float:
    v, order, x = operands
    odd = (v + order) % 2 == 1
    if x == 0.0 and odd:
        return 0.0
    sign = -1.0 if x < 0.0 and odd else 1.0
    x = abs(x)
    total = 0.0
    if x > 20.0:
        term = 1.0 / math.sqrt(2.0 * math.pi * x)
        for n in range(order):
            term *= -(n + 0.5) / x
        for k in range(1, 60):
            total += term
            # (-1)^k a_k(v) x^-k, times the factors (k + 1/2) ... (k + order - 1/2) of the derivative
            change = -(4.0 * v * v - (2.0 * k - 1.0) ** 2) / (8.0 * k * x) * (k + order - 0.5) / (k - 0.5)
            if abs(change) >= 1.0 or abs(term) < 1e-18 * abs(total):
                break
            term *= change
        return sign * total
    outer = 1.0  # binomial coefficients, with their signs
    for k in range(order, -1, -1):
        inner, part = 1.0, 0.0
        for j in range(k + 1):
            part += inner * sp.ive(abs(v - k + 2.0 * j), x)
            inner *= (k - j) / (j + 1.0)
        total += outer * part / 2.0**k
        outer *= -k / (order - k + 1.0)
    return sign * total


@declared(by_entry=True)
@kernel
def ellipk_derivative(order, m):
    """Derivative of `ellipk` of this order (at least one)."""
    return by_entries(_ellipk_derivative, (order, m))


@kernel
def _ellipk_derivative(operands: tuple[int, float]) -> float:
    order, m = operands
    if abs(m) < 0.3:
        return _hypergeometric(0.5, 0.5, order, m)
    first = (sp.ellipe(m) - (1.0 - m) * sp.ellipk(m)) / (2.0 * m * (1.0 - m))
    return _continued(0.5, 0.5, sp.ellipk(m), first, order, m)


@declared(by_entry=True)
@kernel
def ellipe_derivative(order, m):
    """Derivative of `ellipe` of this order (at least one)."""
    return by_entries(_ellipe_derivative, (order, m))


@kernel
def _ellipe_derivative(operands: tuple[int, float]) -> float:
    order, m = operands
    if abs(m) < 0.3:
        return _hypergeometric(-0.5, 0.5, order, m)
    first = (sp.ellipe(m) - sp.ellipk(m)) / (2.0 * m)
    return _continued(-0.5, 0.5, sp.ellipe(m), first, order, m)


@kernel
def _hypergeometric(a: float, b: float, order: int, z: float) -> float:
    """Derivative of pi / 2 times `hyp2f1(a, b, 1, z)`, by its power series (DLMF 15.2.1)."""
    term = 0.5 * math.pi
    for k in range(order):
        term *= (a + k) * (b + k) / (k + 1.0)
    total = 0.0
    for k in range(200):
        total += term
        if abs(term) < 1e-18 * abs(total):
            break
        at = k + order
        term *= (a + at) * (b + at) / ((at + 1.0) * (k + 1.0)) * z
    return total


@kernel
def _continued(a: float, b: float, value: float, first: float, order: int, z: float) -> float:
    """Derivative of a solution of the hypergeometric equation with c = 1, from the value and the first (DLMF 15.10.1)."""
    for n in range(order - 1):
        slope = (n + 1.0 - (a + b + 1.0 + 2.0 * n) * z) * first
        value, first = first, ((a + n) * (b + n) * value - slope) / (z * (1.0 - z))
    return first
