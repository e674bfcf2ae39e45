"""Functions of `scipy.signal`."""

from backsweep.prelude.signals import designs, filters, sections, spectra, waves, windows

__all__ = ["designs", "filters", "sections", "spectra", "waves", "windows"]
