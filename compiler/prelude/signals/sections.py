"""Filters of `scipy.signal` as sections of the second order, and the orders that a design needs."""

from __future__ import annotations

import math

import numpy as np
import scipy.signal
import scipy.special

from backsweep.prelude.declare import as_floats, means, refuse
from backsweep.prelude.signals.designs import zeros_and_poles

ANY, REAL, COMPLEX = 0, 1, 2
"""Which zeros and poles a section may take."""


@means(scipy.signal.tf2sos)
def tf2sos(b, a, pairing=None, *, analog=False):
    """The sections of a filter that is told by its polynomials."""
    z, p, k = zeros_and_poles(b, a)
    return scipy.signal.zpk2sos(z, p, k, pairing, analog=analog)


@means(scipy.signal.zpk2sos)
def zpk2sos(z, p, k, pairing=None, *, analog=False):
    """Each section takes the pole that is nearest to where a filter is unstable, its partner, and the zeros nearest to it."""
    way = ("minimal" if analog else "nearest") if pairing is None else pairing
    if way not in ("nearest", "keep_odd", "minimal"):
        raise ValueError("pairing must be one of ['nearest', 'keep_odd', 'minimal']")
    if analog and way != "minimal":
        raise ValueError('for analog zpk2sos conversion, pairing must be "minimal"')
    z, p = np.atleast_1d(as_floats(z)), np.atleast_1d(as_floats(p))
    if z.ndim != 1 or p.ndim != 1:
        refuse("zeros and poles of a filter are vectors", "call it for each of the rows")
    gain = np.real(np.ravel(as_floats(k))[0]) * 1.0
    exactness = 1.1920929e-05 if np.result_type(p).name in ("float32", "complex64") else 2.220446049250313e-14
    z, p = z.astype(np.complex128), p.astype(np.complex128)
    if len(z) == 0 and len(p) == 0:
        whole = np.array([[0.0, 0.0, 1.0, 0.0, 0.0, 1.0]] if analog else [[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]])
        return whole * np.array([gain, gain, gain, 1.0, 1.0, 1.0])
    if way != "minimal":
        missing = len(p) - len(z)
        p = np.concatenate((p, np.zeros(max(-missing, 0))))
        z = np.concatenate((z, np.zeros(max(missing, 0))))
        if way == "nearest" and len(p) % 2 == 1:
            p, z = np.append(p, 0.0), np.append(z, 0.0)
    elif len(p) < len(z):
        raise ValueError("for analog zpk2sos conversion, must have len(p)>=len(z)")
    count = (len(p) + 1) // 2
    z, p = _without_conjugates(z, exactness), _without_conjugates(p, exactness)
    pairs = _pairs(z, p, count, analog)
    sos = np.concatenate((_factors(z, pairs[:, :2], way), _factors(p, pairs[:, 2:], way)), axis=1)
    sos[0, :3] *= gain
    return sos


def _pairs(z, p, count, analog):
    """Which two zeros and poles each section takes; a complex number twice stands for itself and its conjugate, -1 for none."""
    away = np.abs(p.real) if analog else np.abs(1.0 - np.abs(p))
    is_free_zero, is_free_pole = np.ones(len(z), np.bool_), np.ones(len(p), np.bool_)
    is_real_zero, is_real_pole = z.imag == 0.0, p.imag == 0.0
    zeros, poles, real_zeros, real_poles = len(z), len(p), np.sum(is_real_zero), np.sum(is_real_pole)
    pairs = np.full((count, 4), -1)
    for section in range(count - 1, -1, -1):
        first = _least(away, is_free_pole, is_real_pole, ANY)
        second, is_last = first, False
        poles -= 1
        if is_real_pole[first]:
            real_poles -= 1
            is_last = real_poles == 0
            second = -1
            if not is_last:
                second = _least(away, is_free_pole, is_real_pole, REAL)
                poles, real_poles = poles - 1, real_poles - 1
        pairs[section, 2], pairs[section, 3] = first, second
        if zeros == 0:
            continue
        distances = np.abs(z - p[first])
        wanted = ANY
        if is_last:
            wanted = REAL
        elif second == first and poles + 1 == zeros and real_poles == real_zeros == 1:
            wanted = COMPLEX
        zero = _least(distances, is_free_zero, is_real_zero, wanted)
        pairs[section, 0] = zero
        zeros -= 1
        if not is_real_zero[zero]:
            pairs[section, 1] = zero
            continue
        real_zeros -= 1
        if not is_last and zeros > 0:
            pairs[section, 1] = _least(distances, is_free_zero, is_real_zero, REAL)
            zeros, real_zeros = zeros - 1, real_zeros - 1
    return pairs


def _least(distances, is_free, is_real, wanted):
    """Takes what is free and nearest, of all or of one kind."""
    least = -1
    for k in range(len(distances)):
        if is_free[k] and (wanted == ANY or is_real[k] == (wanted == REAL)):
            if least < 0 or distances[k] < distances[least]:
                least = k
    if least < 0:
        raise IndexError("index 0 is out of bounds for axis 0 with size 0")
    is_free[least] = False
    return least


def _factors(roots, pairs, way):
    """The polynomials of two roots each; with fewer, those of minimal sections are of a lower order, others have roots at zero."""
    roots, one, other = np.append(roots, 0j), pairs[:, 0], pairs[:, 1]
    first = roots[one]
    second = np.where(one == other, np.conj(first), roots[other])
    full = np.stack((np.ones(len(one)), -(first + second).real, (first * second).real), axis=1)
    if way != "minimal":
        return full
    short = np.stack(
        (np.zeros(len(one)), np.where(one < 0, 0.0, 1.0), np.where(one < 0, 1.0, -first.real)), axis=1
    )
    return np.where(np.reshape(other < 0, (-1, 1)), short, full)


def _without_conjugates(z, exactness):
    """Of each pair the number above the real axis, as the mean of both; then what is real."""
    is_real, is_free = np.abs(z.imag) <= exactness * np.abs(z), z.imag < 0.0
    up, down, count = np.zeros(len(z), np.int64), np.zeros(len(z), np.int64), 0
    order = _in_order(z)
    for one in order:
        if is_real[one] or z[one].imag < 0.0:
            continue
        partner = -1
        for other in order:
            if is_free[other] and abs(z[one] - np.conj(z[other])) <= exactness * abs(z[other]):
                partner = other
        if partner < 0:
            raise ValueError("Array contains complex value with no matching conjugate.")
        is_free[partner] = False
        up[count], down[count] = one, partner
        count += 1
    for one in order:
        if is_real[one]:
            up[count], down[count] = one, one
            count += 1
        elif is_free[one]:
            raise ValueError("Array contains complex value with no matching conjugate.")
    return 0.5 * (z[up[:count]] + np.conj(z[down[:count]]))


def _in_order(z):
    """The places of complex numbers by their real parts, those of equal ones away from the real axis."""
    order = np.arange(len(z))
    for end in range(1, len(z)):
        for k in range(end, 0, -1):
            one, other = z[order[k - 1]], z[order[k]]
            if one.real < other.real or (one.real == other.real and abs(one.imag) <= abs(other.imag)):
                break
            order[k - 1], order[k] = order[k], order[k - 1]
    return order


@means(scipy.signal.buttord)
def buttord(wp, ws, gpass, gstop, analog=False, fs=None):
    """The least order of Butterworth's filter that loses as much as is asked, and its edge."""
    edge, ratio, is_low = _asked(wp, ws, analog, fs)
    more, less = _losses(gpass, gstop)
    order = math.ceil(np.log10(more / less) / (2.0 * np.log10(ratio)))
    width = 1.0 if order == 0 else less ** (-1.0 / (2.0 * max(order, 1)))
    return order, _edge(edge * width if is_low else edge / width, analog, fs)


@means(scipy.signal.cheb1ord)
def cheb1ord(wp, ws, gpass, gstop, analog=False, fs=None):
    """The same of Chebyshev's filter of the first kind, whose edge is that of the band that passes."""
    edge, ratio, _ = _asked(wp, ws, analog, fs)
    more, less = _losses(gpass, gstop)
    return math.ceil(np.arccosh(np.sqrt(more / less)) / np.arccosh(ratio)), _edge(edge, analog, fs)


@means(scipy.signal.cheb2ord)
def cheb2ord(wp, ws, gpass, gstop, analog=False, fs=None):
    """The same of Chebyshev's filter of the second kind."""
    edge, ratio, is_low = _asked(wp, ws, analog, fs)
    more, less = _losses(gpass, gstop)
    height = np.arccosh(np.sqrt(more / less))
    order = math.ceil(height / np.arccosh(ratio))
    width = np.cosh(height / order)
    return order, _edge(edge * width if is_low else edge / width, analog, fs)


@means(scipy.signal.ellipord)
def ellipord(wp, ws, gpass, gstop, analog=False, fs=None):
    """The same of the elliptic filter."""
    edge, ratio, _ = _asked(wp, ws, analog, fs)
    more, less = _losses(gpass, gstop)
    of_edges, of_losses = 1.0 / ratio**2, less / more
    order = (
        scipy.special.ellipk(of_edges)
        * scipy.special.ellipkm1(of_losses)
        / (scipy.special.ellipkm1(of_edges) * scipy.special.ellipk(of_losses))
    )
    return math.ceil(order), _edge(edge, analog, fs)


def _asked(wp, ws, analog, fs):
    """The edge of what passes, as an analog frequency, how many times as far the other edge is, and whether low frequencies pass."""
    if np.ndim(wp) > 0 or np.ndim(ws) > 0:
        refuse(
            "orders of filters are supported for one edge of what passes and one of what is stopped",
            "compute the order of a band before the call, and give it as a whole number",
        )
    wp, ws = np.ravel(as_floats(wp))[0], np.ravel(as_floats(ws))[0]
    if fs is not None:
        if analog:
            raise ValueError("fs cannot be specified for an analog filter")
        wp, ws = 2.0 * wp / fs, 2.0 * ws / fs
    is_low = wp < ws
    if not analog:
        wp, ws = np.tan(math.pi * wp / 2.0), np.tan(math.pi * ws / 2.0)
    return wp, np.abs(ws / wp if is_low else wp / ws), is_low


def _losses(gpass, gstop):
    """By how much more than it passes a filter gets of what is stopped, and of what passes."""
    if gpass <= 0.0:
        raise ValueError(f"gpass should be larger than 0.0, {gpass} received")
    if gstop <= 0.0:
        raise ValueError(f"gstop should be larger than 0.0, {gstop} received")
    if gpass > gstop:
        raise ValueError(f"gpass should be smaller than gstop, {gpass} and {gstop} received")
    return 10.0 ** (0.1 * gstop) - 1.0, 10.0 ** (0.1 * gpass) - 1.0


def _edge(frequency, analog, fs):
    """An analog frequency as the user's."""
    if analog:
        return frequency
    frequency = np.arctan(frequency) * 2.0 / math.pi
    return frequency if fs is None else frequency * fs / 2.0
