"""Windows of `scipy.signal` of any length and width, and the filters of finite length that are cut out by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal
import scipy.special
from scipy.signal import windows

from backsweep.prelude.declare import as_floats, computed, early, is_known, means, refuse

NAMES: Any = {
    "barthann": ("brthan", "bth"),
    "bartlett": ("bart", "brt"),
    "blackman": ("black", "blk"),
    "blackmanharris": ("blackharr", "bkh"),
    "bohman": ("bman", "bmn"),
    "boxcar": ("box", "ones", "rect", "rectangular"),
    "cosine": ("halfcosine",),
    "exponential": ("poisson",),
    "flattop": ("flat", "flt"),
    "gaussian": ("gauss", "gss"),
    "general_cosine": ("general cosine",),
    "general_gaussian": ("general gaussian", "general gauss", "general_gauss", "ggs"),
    "general_hamming": ("general hamming",),
    "hamming": ("hamm", "ham"),
    "hann": ("han",),
    "kaiser": ("ksr",),
    "nuttall": ("nutl", "nut"),
    "parzen": ("parz", "par"),
    "triang": ("triangle", "tri"),
    "tukey": ("tuk",),
}
"""The windows that are written out here, each with its other names."""


@means(scipy.signal.get_window)
def get_window(window, Nx, fftbins=True, *, xp=None, device=None):
    """A window by its name, which a tuple has before its widths; a number is that of Kaiser's window."""
    del xp, device
    if Nx <= 0:
        raise ValueError(f"Parameter Nx={Nx} is not a positive integer")
    if not isinstance(window, (str, tuple)):
        return windows.kaiser(Nx, window, not fftbins)
    name = window if isinstance(window, str) else window[0]
    if not is_known(name, fftbins):
        refuse("which window it is, only the run knows", "write its name out, as in 'hann'")
    found, sym = computed(_named)(name, fftbins)
    if not found:
        refuse(
            f"the window {name!r} is computed only while compiling, of a length and widths that are known",
            "write them out, or pass the window that is computed before the call",
        )
    function = early(_function_of, found)
    if isinstance(window, str):
        return function(Nx, sym=sym)
    return function(Nx, *window[1:], sym=sym)


def has_formula(window):
    """Whether a window is written out here, for lengths that only the run knows."""
    found, _ = computed(_named)(window if isinstance(window, str) else window[0], True)
    return found != ""


def _function_of(name):
    return getattr(windows, name)


def _named(name, fftbins):
    """The name of a window's function, if it is written out here, and whether its last sample is its first."""
    plain, sym = name, not fftbins
    for end in ("_symmetric", "_periodic"):
        if name.endswith(end):
            plain, sym = name.removesuffix(end), end == "_symmetric"
    return next((key for key, names in NAMES.items() if plain == key or plain in names), ""), sym


def _length(M, sym):
    """Over how many places a window is symmetric; the last one is cut off where it is periodic."""
    if M < 0 or int(M) != M:
        raise ValueError("Window length M must be a non-negative integer")
    return int(M) if sym else int(M) + 1


@means(windows.boxcar)
def boxcar(M, sym=True, *, xp=None, device=None):
    """Ones."""
    del xp, device
    _length(M, sym)
    return np.ones(int(M))


@means(windows.general_cosine)
def general_cosine(M, a, sym=True):
    """The sum of cosines of multiples of an angle that turns from -pi to pi, each by its share."""
    length = _length(M, sym)
    if M <= 1:
        return np.ones(int(M))
    angles = np.linspace(-math.pi, math.pi, length)[: int(M)]
    found = np.zeros(len(angles))
    for k in range(len(a)):
        found = found + a[k] * np.cos(k * angles)
    return found


@means(windows.general_hamming)
def general_hamming(M, alpha, sym=True, *, xp=None, device=None):
    """A constant and one cosine."""
    del xp, device
    return windows.general_cosine(M, (alpha, 1.0 - alpha), sym)


@means(windows.hann)
def hann(M, sym=True, *, xp=None, device=None):
    """Hann's."""
    del xp, device
    return windows.general_cosine(M, (0.5, 0.5), sym)


@means(windows.hamming)
def hamming(M, sym=True, *, xp=None, device=None):
    """Hamming's."""
    del xp, device
    return windows.general_cosine(M, (0.54, 0.46), sym)


@means(windows.blackman)
def blackman(M, sym=True, *, xp=None, device=None):
    """Blackman's."""
    del xp, device
    return windows.general_cosine(M, (0.42, 0.5, 0.08), sym)


@means(windows.nuttall)
def nuttall(M, sym=True, *, xp=None, device=None):
    """Nuttall's, of four cosines."""
    del xp, device
    return windows.general_cosine(M, (0.3635819, 0.4891775, 0.1365995, 0.0106411), sym)


@means(windows.blackmanharris)
def blackmanharris(M, sym=True, *, xp=None, device=None):
    """Blackman's and Harris's, of four cosines."""
    del xp, device
    return windows.general_cosine(M, (0.35875, 0.48829, 0.14128, 0.01168), sym)


@means(windows.flattop)
def flattop(M, sym=True, *, xp=None, device=None):
    """A window with a flat top, of five cosines."""
    del xp, device
    return windows.general_cosine(M, (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368), sym)


def _away(M, sym):
    """How far each sample is from the middle, to its left below zero; and the half of the length."""
    half = (_length(M, sym) - 1) / 2.0
    return np.arange(int(M)) - half, half


@means(windows.bartlett)
def bartlett(M, sym=True, *, xp=None, device=None):
    """A triangle that is zero at its ends."""
    del xp, device
    away, half = _away(M, sym)
    return np.ones(int(M)) if M <= 1 else 1.0 - np.abs(away) / half


@means(windows.triang)
def triang(M, sym=True, *, xp=None, device=None):
    """A triangle that is not zero at its ends."""
    del xp, device
    away, half = _away(M, sym)
    length = 2.0 * half + 1.0
    return (
        np.ones(int(M))
        if M <= 1
        else 1.0 - 2.0 * np.abs(away) / (length if length % 2.0 == 0.0 else length + 1.0)
    )


@means(windows.parzen)
def parzen(M, sym=True, *, xp=None, device=None):
    """Parzen's, of cubics."""
    del xp, device
    away, half = _away(M, sym)
    share = np.abs(away) / (half + 0.5)
    near, far = 1.0 - 6.0 * share**2 + 6.0 * share**3, 2.0 * (1.0 - share) ** 3
    return np.ones(int(M)) if M <= 1 else np.where(np.abs(away) <= half / 2.0, near, far)


@means(windows.bohman)
def bohman(M, sym=True, *, xp=None, device=None):
    """Bohman's, a cosine that is folded with itself."""
    del xp, device
    if M <= 1:
        return np.ones(int(M))
    away, half = _away(M, sym)
    share = np.abs(away) / half
    return np.where(
        share == 1.0, 0.0, (1.0 - share) * np.cos(math.pi * share) + np.sin(math.pi * share) / math.pi
    )


@means(windows.barthann)
def barthann(M, sym=True, *, xp=None, device=None):
    """Between Bartlett's and Hann's."""
    del xp, device
    if M <= 1:
        return np.ones(int(M))
    away, half = _away(M, sym)
    share = np.abs(away) / (2.0 * half)
    return 0.62 - 0.48 * share + 0.38 * np.cos(2.0 * math.pi * share)


@means(windows.cosine)
def cosine(M, sym=True, *, xp=None, device=None):
    """Half a wave."""
    del xp, device
    length = _length(M, sym)
    return np.ones(int(M)) if M <= 1 else np.sin(math.pi / length * (np.arange(int(M)) + 0.5))


@means(windows.tukey)
def tukey(M, alpha=0.5, sym=True, *, xp=None, device=None):
    """Ones between two flanks of cosines, which take this share."""
    del xp, device
    if M <= 1 or alpha <= 0.0:
        return boxcar(M, sym)
    last = _length(M, sym) - 1
    place = np.arange(int(M))
    flank = np.minimum(np.minimum(place, last - place) / (last * min(alpha, 1.0) / 2.0), 1.0)
    return 0.5 * (1.0 - np.cos(math.pi * flank))


@means(windows.kaiser)
def kaiser(M, beta, sym=True, *, xp=None, device=None):
    """Kaiser's."""
    del xp, device
    if M <= 1:
        return np.ones(int(M))
    away, half = _away(M, sym)
    return scipy.special.i0(beta * np.sqrt(1.0 - (away / half) ** 2)) / scipy.special.i0(beta * 1.0)


@means(windows.gaussian)
def gaussian(M, std, sym=True, *, xp=None, device=None):
    """The shape of a bell."""
    del xp, device
    away, _ = _away(M, sym)
    return np.ones(int(M)) if M <= 1 else np.exp(-(away**2) / (2.0 * std * std))


@means(windows.general_gaussian)
def general_gaussian(M, p, sig, sym=True, *, xp=None, device=None):
    """The shape of a bell by another power."""
    del xp, device
    away, _ = _away(M, sym)
    is_middle = away == 0.0  # where the window is 1 by any power
    share = np.where(is_middle, 1.0, np.abs(away)) / np.abs(sig)
    return np.ones(int(M)) if M <= 1 else np.where(is_middle, 1.0, np.exp(-0.5 * share ** (2.0 * p)))


@means(windows.exponential)
def exponential(M, center=None, tau=1.0, sym=True, *, xp=None, device=None):
    """A decay to both sides."""
    del xp, device
    if sym and center is not None:
        raise ValueError("If sym==True, center must be None.")
    away, _ = _away(M, sym)
    if center is not None:
        away = np.arange(int(M)) - center
    return np.ones(int(M)) if M <= 1 else np.exp(-np.abs(away) / tau)


@means(scipy.signal.kaiser_beta)
def kaiser_beta(a):
    """The width of Kaiser's window for an attenuation."""
    if a > 50:
        return 0.1102 * (a - 8.7)
    return 0.5842 * (a - 21.0) ** 0.4 + 0.07886 * (a - 21.0) if a > 21 else 0.0


@means(scipy.signal.kaiser_atten)
def kaiser_atten(numtaps, width):
    """The attenuation of a filter that is cut out by Kaiser's window."""
    return 2.285 * (numtaps - 1) * math.pi * width + 7.95


@means(scipy.signal.firwin)
def firwin(numtaps, cutoff, *, width=None, window="hamming", pass_zero=True, scale=True, fs=None):
    """A filter of finite length: the ideal one, cut out by a window."""
    if not is_known(pass_zero):
        refuse(
            "what the filter passes is known only when the program runs",
            "write it out, as in pass_zero=False",
        )
    highest = 1.0 if fs is None else 0.5 * fs
    edges = np.atleast_1d(as_floats(cutoff)) / highest
    if edges.ndim > 1:
        raise ValueError("The cutoff argument must be at most one-dimensional.")
    if len(edges) == 0:
        raise ValueError("At least one cutoff frequency must be given.")
    if np.min(edges) <= 0.0 or np.max(edges) >= 1.0:
        raise ValueError("Invalid cutoff frequency: frequencies must be greater than 0 and less than fs/2.")
    if np.any(np.diff(edges) <= 0.0):
        raise ValueError("Invalid cutoff frequencies: the frequencies must be strictly increasing.")
    from_zero = computed(_passes_zero)(pass_zero)
    if isinstance(pass_zero, str) and (len(edges) == 1) != (pass_zero in ("lowpass", "highpass")):
        count = "one element" if pass_zero in ("lowpass", "highpass") else "at least two elements"
        raise ValueError(f'cutoff must have {count} if pass_zero=="{pass_zero}"')
    to_highest = (len(edges) % 2 == 0) == from_zero
    if to_highest and numtaps % 2 == 0:
        raise ValueError(
            "A filter with an even number of coefficients must have zero response at the Nyquist frequency."
        )
    edges = np.concatenate((np.zeros(int(from_zero)), edges, np.ones(int(to_highest))))
    places = np.arange(numtaps) - 0.5 * (numtaps - 1)
    taps = np.zeros(numtaps)
    for band in range(len(edges) // 2):
        left, right = edges[2 * band], edges[2 * band + 1]
        taps += right * np.sinc(right * places) - left * np.sinc(left * places)
    if width is None:
        taps = taps * scipy.signal.get_window(window, numtaps, False)
    else:
        beta = scipy.signal.kaiser_beta(scipy.signal.kaiser_atten(numtaps, width / highest))
        taps = taps * windows.kaiser(numtaps, beta)
    if not scale:
        return taps
    middle = 0.0 if from_zero else 1.0 if len(edges) == 2 and to_highest else 0.5 * (edges[0] + edges[1])
    return taps / np.sum(taps * np.cos(math.pi * places * middle))


def _passes_zero(pass_zero):
    """Whether a filter passes the frequency zero."""
    kinds = {
        "lowpass": True,
        "bandstop": True,
        "highpass": False,
        "bandpass": False,
        True: True,
        False: False,
    }
    if pass_zero not in kinds:
        raise ValueError(
            f"Parameter {pass_zero=} not in (True, False, 'bandpass', 'lowpass', 'highpass', 'bandstop')"
        )
    return kinds[pass_zero]
