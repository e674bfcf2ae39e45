"""Numba compiles what SciPy computes of samples: their integrals, distances, moments, filters; and what is made of other functions."""
