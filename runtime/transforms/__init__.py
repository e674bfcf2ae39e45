"""Discrete Fourier transforms, of which those of NumPy and SciPy are made."""
