"""Functions of `scipy.signal`."""

from backsweep.prelude.signals import designs, filters, sections, spectra, waves

__all__ = ["designs", "filters", "sections", "spectra", "waves"]
