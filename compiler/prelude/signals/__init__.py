"""Functions of `scipy.signal`."""

from backsweep.prelude.signals import designs, filters, linear, sections, spectra, waves, windows

__all__ = ["designs", "filters", "linear", "sections", "spectra", "waves", "windows"]
