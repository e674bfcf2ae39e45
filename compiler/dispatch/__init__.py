"""Our classes of Numba's dispatchers and compilers."""
