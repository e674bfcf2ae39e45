"""Designs of filters of `scipy.signal`: prototypes, what moves them to other bands, and the forms in which they are told."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.signal

from backsweep.prelude.declare import as_floats, computed, is_complex, is_known, means, refuse

BANDS: Any = {
    "lowpass": ("l", "low", "lowpass", "lp"),
    "highpass": ("h", "high", "highpass", "hp"),
    "bandpass": ("band", "bandpass", "pass", "bp"),
    "bandstop": ("bs", "bandstop", "bands", "stop"),
}
"""The kinds of bands, each with its names."""
FAMILIES: Any = {
    "butter": ("butter", "butterworth"),
    "cheby1": ("cheby1", "chebyshev1", "chebyshevi"),
    "cheby2": ("cheby2", "chebyshev2", "chebyshevii"),
    "ellip": ("cauer", "elliptic", "ellip"),
    "phase": ("bessel", "bessel_phase"),
    "delay": ("bessel_delay",),
    "mag": ("bessel_mag",),
}
"""The families of filters; those of Bessel's by how they are scaled."""


@means(scipy.signal.butter)
def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):
    """Butterworth's filter, which is flat at the frequency zero."""
    return scipy.signal.iirfilter(N, Wn, None, None, btype, analog, "butter", output, fs)


@means(scipy.signal.cheby1)
def cheby1(N, rp, Wn, btype="low", analog=False, output="ba", fs=None):
    """Chebyshev's filter with ripples in the band that passes."""
    return scipy.signal.iirfilter(N, Wn, rp, None, btype, analog, "cheby1", output, fs)


@means(scipy.signal.cheby2)
def cheby2(N, rs, Wn, btype="low", analog=False, output="ba", fs=None):
    """Chebyshev's filter with ripples in the band that is stopped."""
    return scipy.signal.iirfilter(N, Wn, None, rs, btype, analog, "cheby2", output, fs)


@means(scipy.signal.ellip)
def ellip(N, rp, rs, Wn, btype="low", analog=False, output="ba", fs=None):
    """The elliptic filter, with ripples in both."""
    return scipy.signal.iirfilter(N, Wn, rp, rs, btype, analog, "ellip", output, fs)


@means(scipy.signal.bessel)
def bessel(N, Wn, btype="low", analog=False, output="ba", norm="phase", fs=None):
    """Bessel's filter, which delays all frequencies alike."""
    return scipy.signal.iirfilter(N, Wn, None, None, btype, analog, "bessel_" + norm, output, fs)


@means(scipy.signal.iirfilter)
def iirfilter(N, Wn, rp=None, rs=None, btype="band", analog=False, ftype="butter", output="ba", fs=None):
    """A filter of a family: its prototype, moved to the band."""
    if not is_known(btype, ftype, output):
        refuse("the kind of a filter is known only when the program runs", "write it out, as in btype='low'")
    band, family, form = computed(_kinds)(btype, ftype, output)
    if fs is not None and analog:
        raise ValueError("fs cannot be specified for an analog filter")
    wn = as_floats(Wn) if fs is None else as_floats(Wn) / (fs / 2.0)
    if np.any(wn <= 0.0):
        raise ValueError("filter critical frequencies must be greater than 0")
    if not analog:
        if np.any(wn >= 1.0):
            raise ValueError("Digital filter critical frequencies must be 0 < Wn < 1")
        wn = 4.0 * np.tan(math.pi * wn / 2.0)
    z, p, k = _prototype(family, N, rp, rs)
    if band in ("lowpass", "highpass"):
        if np.size(wn) != 1:
            raise ValueError("Must specify a single critical frequency Wn for lowpass or highpass filter")
        wo = np.ravel(wn)[0]
        if band == "lowpass":
            z, p, k = scipy.signal.lp2lp_zpk(z, p, k, wo)
        else:
            z, p, k = scipy.signal.lp2hp_zpk(z, p, k, wo)
        return _told(z, p, k, analog, form)
    if np.ndim(wn) != 1:
        refuse("a band has a beginning and an end", "pass both, as in Wn=[0.1, 0.3]")
    if np.size(wn) != 2:
        raise ValueError("Wn must specify start and stop frequencies for bandpass or bandstop filter")
    if wn[0] >= wn[1]:
        raise ValueError("Wn[0] must be less than Wn[1]")
    bw, wo = wn[1] - wn[0], np.sqrt(wn[0] * wn[1])
    if band == "bandpass":
        zb, pb, kb = scipy.signal.lp2bp_zpk(z, p, k, wo, bw)
    else:
        zb, pb, kb = scipy.signal.lp2bs_zpk(z, p, k, wo, bw)
    return _told(zb, pb, kb, analog, form)


def _kinds(btype, ftype, output):
    """The band, the family and the form that a design's options name."""
    band, family = _named(BANDS, btype.lower()), _named(FAMILIES, ftype.lower())
    if band is None:
        raise ValueError(f"'{btype}' is an invalid bandtype for filter.")
    if family is None:
        raise ValueError(f"'{ftype}' is not a valid basic IIR filter.")
    if output.lower() not in ("ba", "zpk", "sos"):
        raise ValueError(f"'{output}' is not a valid output form.")
    return band, family, output.lower()


def _named(table, name):
    """Which entry of a table has this name; None if none has."""
    return next((key for key, names in table.items() if name in names), None)


def _prototype(family, N, rp, rs):
    """Zeros, poles and gain of the analog filter that passes what is below the frequency one."""
    if family in ("ellip", "phase", "delay", "mag") and not is_known(N):
        refuse("the order of this filter is known only when the program runs", "write it out, as in N=4")
    if family == "ellip":
        if not is_known(rp, rs):
            refuse(
                "the ripples of an elliptic filter are known only when the program runs",
                "write them out, as in rp=1, rs=40, or design a filter of Chebyshev's, whose ripples may vary",
            )
        return computed(_elliptic)(N, rp, rs)
    if family in ("phase", "delay", "mag"):
        return computed(_bessel)(N, family)
    theta = math.pi * np.arange(-N + 1, N, 2) / (2.0 * N)
    none = np.zeros(0)
    if family == "butter":
        return none, -np.exp(1j * theta), 1.0
    if family == "cheby1":
        if rp is None:
            raise ValueError("passband ripple (rp) must be provided to design a Chebyshev I filter.")
        if rp < 0:
            raise ValueError("passband ripple (rp) must be positive")
        ripple = np.sqrt(np.expm1(0.1 * math.log(10.0) * rp))
        poles = -np.sinh(np.arcsinh(1.0 / ripple) / N + 1j * theta)
        gain = np.real(np.prod(-poles))
        return none, poles, gain if N % 2 == 1 else gain / np.sqrt(1.0 + ripple * ripple)
    if rs is None:
        raise ValueError("stopband attenuation (rs) must be provided to design an Chebyshev II filter.")
    if rs < 0:
        raise ValueError("stopband attenuation (rs) must be positive")
    zeros = 1j / np.sin(theta[theta != 0.0])
    poles = -1.0 / np.sinh(np.arcsinh(np.sqrt(np.expm1(0.1 * math.log(10.0) * rs))) / N + 1j * theta)
    return zeros, poles, np.real(np.prod(-poles) / np.prod(-zeros))


def _elliptic(N, rp, rs):
    z, p, k = scipy.signal.ellipap(N, rp, rs)
    return np.asarray(z), np.asarray(p), float(k)


def _bessel(N, norm):
    z, p, k = scipy.signal.besselap(N, norm)
    return np.asarray(z), np.asarray(p), float(k)


def _told(z, p, k, analog, form):
    """A filter in the form that is asked for; the coefficients are real, as zeros and poles come in pairs."""
    if analog:
        zeros, poles, gain = z, p, k
    else:
        zeros, poles, gain = scipy.signal.bilinear_zpk(z, p, k, 2.0)
    if form == "zpk":
        return zeros, poles, gain
    if form == "ba":
        return gain * np.real(_with_roots(zeros)), np.real(_with_roots(poles))
    return scipy.signal.zpk2sos(zeros, poles, gain, analog=analog)


def _with_roots(roots):
    """The coefficients of a polynomial that begins with 1."""
    found = np.zeros(len(roots) + 1, np.complex128 if is_complex(roots) else np.float64)
    found[0] = 1.0
    for k in range(len(roots)):
        found[1 : k + 2] -= roots[k] * found[: k + 1]
    return found


def _degree(z, p):
    """How many zeros are at infinity."""
    degree = len(p) - len(z)
    if degree < 0:
        raise ValueError("Improper transfer function. Must have at least as many poles as zeros.")
    return degree


def _of_filter(z, p):
    """Zeros and poles as vectors."""
    z, p = np.atleast_1d(as_floats(z)), np.atleast_1d(as_floats(p))
    if z.ndim != 1 or p.ndim != 1:
        refuse("zeros and poles of a filter are vectors", "call it for each of the rows")
    return z, p


@means(scipy.signal.bilinear_zpk)
def bilinear_zpk(z, p, k, fs):
    """The digital filter of an analog one (Tustin); zeros at infinity come to the highest frequency."""
    z, p = _of_filter(z, p)
    degree, twice = _degree(z, p), 2.0 * fs
    zeros = np.concatenate(((twice + z) / (twice - z), -np.ones(degree)))
    return zeros, (twice + p) / (twice - p), k * np.real(np.prod(twice - z) / np.prod(twice - p))


@means(scipy.signal.lp2lp_zpk)
def lp2lp_zpk(z, p, k, wo=1.0):
    """A low-pass filter with another edge."""
    z, p = _of_filter(z, p)
    return wo * z, wo * p, k * (wo * 1.0) ** _degree(z, p)


@means(scipy.signal.lp2hp_zpk)
def lp2hp_zpk(z, p, k, wo=1.0):
    """The high-pass filter of a low-pass one."""
    z, p = _of_filter(z, p)
    zeros = np.concatenate((wo / z, np.zeros(_degree(z, p))))
    return zeros, wo / p, k * np.real(np.prod(-z) / np.prod(-p))


@means(scipy.signal.lp2bp_zpk)
def lp2bp_zpk(z, p, k, wo=1.0, bw=1.0):
    """The filter of a low-pass one that passes a band."""
    z, p = _of_filter(z, p)
    degree = _degree(z, p)
    zeros = np.concatenate((_twice(z * bw / 2.0, wo), np.zeros(degree)))
    return zeros, _twice(p * bw / 2.0, wo), k * (bw * 1.0) ** degree


@means(scipy.signal.lp2bs_zpk)
def lp2bs_zpk(z, p, k, wo=1.0, bw=1.0):
    """The filter of a low-pass one that stops a band."""
    z, p = _of_filter(z, p)
    middle = np.ones(_degree(z, p)) * (1j * wo)
    zeros = np.concatenate((_twice(bw / 2.0 / z, wo), middle, -middle))
    return zeros, _twice(bw / 2.0 / p, wo), k * np.real(np.prod(-z) / np.prod(-p))


def _twice(points, wo):
    """Points that are moved up by a frequency, and those that are moved down."""
    points = points.astype(
        np.complex128
    )  # keeps the signs of zeros, which say on which side of its cut the root is
    apart = np.sqrt(points**2 - wo**2)
    return np.concatenate((points + apart, points - apart))


def _polynomials(b, a):
    """Two polynomials as vectors of floats."""
    b, a = np.atleast_1d(as_floats(b)), np.atleast_1d(as_floats(a))
    if b.ndim != 1 or a.ndim != 1:
        refuse("the polynomials of a filter are vectors", "call it for each of the rows")
    return b, a


@means(scipy.signal.lp2lp)
def lp2lp(b, a, wo=1.0):
    """A low-pass filter with another edge, by its polynomials."""
    b, a = _polynomials(b, a)
    wo = np.ravel(as_floats(wo))[0]
    most, powers = max(len(a), len(b)), wo ** np.arange(max(len(a), len(b)) - 1.0, -1.0, -1.0)
    unit = powers[max(len(b) - len(a), 0)]
    return scipy.signal.normalize(b * unit / powers[most - len(b) :], a * unit / powers[most - len(a) :])


@means(scipy.signal.lp2hp)
def lp2hp(b, a, wo=1.0):
    """The high-pass filter of a low-pass one, by its polynomials."""
    b, a = _polynomials(b, a)
    powers = np.ravel(as_floats(wo))[0] ** (np.arange(max(len(a), len(b))) * 1.0)
    more_b, more_a = np.zeros(max(len(a) - len(b), 0)), np.zeros(max(len(b) - len(a), 0))
    return scipy.signal.normalize(
        np.concatenate((b[::-1], more_b)) * powers, np.concatenate((a[::-1], more_a)) * powers
    )


@means(scipy.signal.lp2bp)
def lp2bp(b, a, wo=1.0, bw=1.0):
    """The filter of a low-pass one that passes a band, by its polynomials: (s s + wo wo) / (s bw) is put for s."""
    b, a = _polynomials(b, a)
    most = max(len(a), len(b)) - 1
    return scipy.signal.normalize(_of_quotient(b, most, wo, bw), _of_quotient(a, most, wo, bw))


def _of_quotient(polynomial, most, wo, bw):
    """The sum of the coefficients c_i (s s + wo wo)^i s^(most - i) / bw^i."""
    n = len(polynomial) - 1
    found = np.zeros(n + most + 1, polynomial.dtype)
    power = np.zeros(2 * n + 1)
    power[2 * n] = 1.0
    for i in range(n + 1):
        found[n - i : n + i + 1] += polynomial[n - i] * power[2 * (n - i) :]
        power = (np.append(power[2:], np.zeros(2)) + power * (wo * wo)) / bw
    return found


@means(scipy.signal.lp2bs)
def lp2bs(b, a, wo=1.0, bw=1.0):
    """The filter of a low-pass one that stops a band, by its polynomials: s bw / (s s + wo wo) is put for s."""
    b, a = _polynomials(b, a)
    most = max(len(a), len(b)) - 1
    return scipy.signal.normalize(_of_inverse(b, most, wo, bw), _of_inverse(a, most, wo, bw))


def _of_inverse(polynomial, most, wo, bw):
    """The sum of the coefficients c_i (s bw)^i (s s + wo wo)^(most - i)."""
    n = len(polynomial) - 1
    found = np.zeros(2 * most + 1, polynomial.dtype)
    power = np.zeros(2 * most + 1)
    power[2 * most] = 1.0
    for j in range(most + 1):
        i = most - j
        if i <= n:
            width = polynomial[n - i] * (bw * 1.0) ** i
            found[most - j : most + j + 1] += width * power[2 * (most - j) :]
        if j < most:
            power = np.append(power[2:], np.zeros(2)) + power * (wo * wo)
    return found


@means(scipy.signal.zpk2tf)
def zpk2tf(z, p, k):
    """The polynomials of a filter of its zeros and poles."""
    z, p = as_floats(z), np.atleast_1d(as_floats(p))
    if is_complex(z) or is_complex(p):
        refuse(
            "whether `scipy.signal.zpk2tf` of complex zeros or poles gives real numbers is known only when the program runs",
            "multiply the factors, as in np.convolve(b, [1.0, -2.0 * z.real, abs(z) ** 2])",
        )
    if z.ndim > 1:
        refuse("`scipy.signal.zpk2tf` is supported of one numerator", "call it for each of the rows")
    return k * _with_roots(np.atleast_1d(z)), _with_roots(p)


@means(scipy.signal.tf2zpk)
def tf2zpk(b, a):
    """Zeros and poles of a filter by its polynomials, of which the divisor is complex."""
    if not is_complex(a):
        refuse(
            "the order of the zeros and poles of real polynomials is another driver's",
            "give complex ones, as in scipy.signal.tf2zpk(b + 0j, a + 0j), or take tf2sos",
        )
    return zeros_and_poles(b, a)


def zeros_and_poles(b, a):
    """Complex zeros and poles, in the order of complex polynomials."""
    b, a = scipy.signal.normalize(b, a)
    return np.roots(b / b[0] + 0j), np.roots(a + 0j), b[0]


@means(scipy.signal.sos2zpk)
def sos2zpk(sos):
    """Zeros and poles of all sections, and the product of their gains."""
    sos = as_floats(sos)
    if not is_complex(sos):
        refuse(
            "the order of the zeros and poles of real polynomials is another driver's",
            "give complex sections, as in scipy.signal.sos2zpk(sos + 0j)",
        )
    z, p = np.zeros(2 * sos.shape[0], np.complex128), np.zeros(2 * sos.shape[0], np.complex128)
    k = 1.0
    for section in range(sos.shape[0]):
        zeros, poles, gain = scipy.signal.tf2zpk(sos[section, :3], sos[section, 3:])
        z[2 * section : 2 * section + len(zeros)] = zeros
        p[2 * section : 2 * section + len(poles)] = poles
        k = k * gain
    return z, p, k


@means(scipy.signal.sos2tf)
def sos2tf(sos):
    """The products of the polynomials of all sections."""
    sos = as_floats(sos)
    b, a = np.ones(1, sos.dtype), np.ones(1, sos.dtype)
    for section in range(sos.shape[0]):
        b, a = np.polymul(b, sos[section, :3]), np.polymul(a, sos[section, 3:])
    return b, a
