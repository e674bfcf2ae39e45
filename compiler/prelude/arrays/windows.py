"""NumPy's windows, whose length may be any number: the derivative is that of their values, of which there are as many as before."""

from __future__ import annotations

import numpy as np

from backsweep.prelude.declare import core, means


def _places(M):
    """The places from `1 - M` on, less than `M`, in steps of 2."""
    M = float(M)
    return 1 - M + 2 * np.arange(int(np.ceil(M - 0.5)))


def _cosines(M, *shares):
    """The sum of cosines of multiples of an angle that turns from -pi to pi, each by its share."""
    if M < 1:
        return np.zeros(0)
    if M == 1:
        return np.ones(1)
    angles = np.pi * _places(M) / (M - 1)
    found = shares[0] + shares[1] * np.cos(angles)
    return found + shares[2] * np.cos(2.0 * angles) if len(shares) > 2 else found


def _is_float(M):
    return isinstance(M, (float, np.floating))


@means(np.hanning)
def hanning(M):
    """Hann's."""
    return _cosines(M, 0.5, 0.5) if _is_float(M) else core(np.hanning)(M)


@means(np.hamming)
def hamming(M):
    """Hamming's."""
    return _cosines(M, 0.54, 0.46) if _is_float(M) else core(np.hamming)(M)


@means(np.blackman)
def blackman(M):
    """Blackman's."""
    return _cosines(M, 0.42, 0.5, 0.08) if _is_float(M) else core(np.blackman)(M)


@means(np.bartlett)
def bartlett(M):
    """Bartlett's."""
    if not _is_float(M):
        return core(np.bartlett)(M)
    if M < 1:
        return np.zeros(0)
    if M == 1:
        return np.ones(1)
    places = _places(M) / (M - 1)
    return np.where(places <= 0, 1 + places, 1 - places)


@means(np.kaiser)
def kaiser(M, beta):
    """Kaiser's."""
    if not _is_float(M):
        return core(np.kaiser)(M, beta)
    if M == 1:
        return np.ones(1)
    M = float(M)
    middle = (M - 1) / 2.0
    places = (np.arange(int(np.ceil(M))) - middle) / middle
    heights = 1 - places**2.0
    is_end = heights == 0.0  # where the root has no slope, and the height is 0 of any length
    roots = np.where(is_end, 0.0, np.sqrt(np.where(is_end, 1.0, heights)))
    return np.i0(beta * roots) / np.i0(float(beta))
