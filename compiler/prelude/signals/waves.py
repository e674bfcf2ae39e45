"""Waves and filters of `scipy.signal`."""

from __future__ import annotations

import math

import numpy as np
import scipy.signal

from backsweep.prelude.declare import means, refuse


@means(scipy.signal.chirp)
def chirp(t, f0, t1, f1, method="linear", phi=0, vertex_zero=True, *, complex=False):
    """A wave whose frequency goes from `f0` to `f1`."""
    phase = 2.0 * math.pi * _cycles(t, f0, t1, f1, method, vertex_zero) + phi * (math.pi / 180.0)
    return np.exp(1j * phase) if complex else np.cos(phase)


def _cycles(t, f0, t1, f1, method, vertex_zero):
    """How often the wave has gone up and down until `t`: the integral of the frequency."""
    if method in ("linear", "lin", "li"):
        return f0 * t + 0.5 * ((f1 - f0) / t1) * t * t
    if method in ("quadratic", "quad", "q"):
        beta = (f1 - f0) / t1**2
        if vertex_zero:
            return f0 * t + beta * t**3 / 3.0
        return f1 * t + beta * ((t1 - t) ** 3 - t1**3) / 3.0
    if method in ("logarithmic", "log", "lo"):
        if f0 * f1 <= 0.0:
            raise ValueError("For a logarithmic chirp, f0 and f1 must be nonzero and have the same sign.")
        if f0 == f1:
            return f0 * t
        return t1 / np.log(f1 / f0) * f0 * ((f1 / f0) ** (t / t1) - 1.0)
    if method in ("hyperbolic", "hyp"):
        if f0 == 0 or f1 == 0:
            raise ValueError("For a hyperbolic chirp, f0 and f1 must be nonzero.")
        if f0 == f1:
            return f0 * t
        sing = -f1 * t1 / (f0 - f1)
        return -sing * f0 * np.log(np.abs(1.0 - t / sing))
    raise ValueError("method must be 'linear', 'quadratic', 'logarithmic', or 'hyperbolic'.")


@means(scipy.signal.gausspulse)
def gausspulse(t, fc=1000, bw=0.5, bwr=-6, tpr=-60, retquad=False, retenv=False):
    """A wave in the shape of a bell; for the text 'cutoff', when it has fallen to `tpr` decibels."""
    if fc < 0:
        raise ValueError("Center frequency must be >= 0.")
    if bw <= 0:
        raise ValueError("Fractional bandwidth must be > 0.")
    if bwr >= 0:
        raise ValueError("Reference level for bandwidth must be < 0 dB")
    ref = 10.0 ** (bwr / 20.0)
    a = -((math.pi * fc * bw) ** 2) / (4.0 * np.log(ref))
    if isinstance(t, str):
        if t != "cutoff":
            refuse("`scipy.signal.gausspulse` takes no other text than 'cutoff'", "give the times")
        if tpr >= 0:
            raise ValueError("Reference level for time cutoff must be < 0 dB")
        return np.sqrt(-tpr * (math.log(10.0) / 20.0) / a)
    envelope = np.exp(-a * t * t)
    inside = envelope * np.cos(2.0 * math.pi * fc * t)
    if retquad and retenv:
        return inside, envelope * np.sin(2.0 * math.pi * fc * t), envelope
    if retquad:
        return inside, envelope * np.sin(2.0 * math.pi * fc * t)
    if retenv:
        return inside, envelope
    return inside


@means(scipy.signal.sawtooth)
def sawtooth(t, width=1):
    """A wave that rises from -1 to 1 and falls again; `width` is the share of the period in which it rises."""
    turn, share = np.mod(np.asarray(t) * 1.0, 2.0 * math.pi) / (2.0 * math.pi), np.asarray(width) * 1.0
    rises = turn < share
    up = 2.0 * turn / np.where(rises, share, 1.0) - 1.0
    down = (share + 1.0 - 2.0 * turn) / np.where(rises, 1.0, 1.0 - share)
    return np.where((share > 1.0) | (share < 0.0), np.nan, np.where(rises, up, down))


@means(scipy.signal.square)
def square(t, duty=0.5):
    """A wave that is 1 or -1; `duty` is the share of the period in which it is 1."""
    turn, share = np.mod(np.asarray(t) * 1.0, 2.0 * math.pi) / (2.0 * math.pi), np.asarray(duty) * 1.0
    return np.where((share > 1.0) | (share < 0.0), np.nan, np.where(turn < share, 1.0, -1.0))


@means(scipy.signal.sweep_poly)
def sweep_poly(t, poly, phi=0):
    """A wave whose frequency is a polynomial of the time."""
    return np.cos(2.0 * math.pi * np.polyval(np.polyint(poly), t) + phi * (math.pi / 180.0))


@means(scipy.signal.vectorstrength)
def vectorstrength(events, period):
    """How well events keep to a period, and at which phase of it they are."""
    if np.ndim(events) != 1 or np.ndim(period) != 0:
        refuse(
            "`scipy.signal.vectorstrength` is supported of a vector of events and one period",
            "call it for each of the periods",
        )
    if period <= 0:
        raise ValueError("periods must be positive")
    turns = 2.0 * math.pi * (np.asarray(events) / period)
    across, up = np.mean(np.cos(turns)), np.mean(np.sin(turns))
    return np.hypot(across, up), np.arctan2(up, across)
