"""What Fourier, cosine and sine transforms mean: those of `numpy.fft` and of `scipy.fft`."""

from backsweep.prelude.transforms import cosines, fourier

__all__ = ["cosines", "fourier"]
