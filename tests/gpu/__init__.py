"""Derivatives on a GPU. No card is needed: Numba's simulator runs the kernels as Python, in a process of its own."""
