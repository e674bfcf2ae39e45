"""Numba compiles the transforms of `scipy.fft`: those of NumPy by other parameters, and the cosine and sine transforms."""
