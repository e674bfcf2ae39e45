"""Functions of `scipy.signal`."""

from backsweep.prelude.signals import filters, spectra, waves

__all__ = ["filters", "spectra", "waves"]
