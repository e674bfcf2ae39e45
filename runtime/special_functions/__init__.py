"""Functions of `scipy.special` that SciPy has no name for: derivatives by shapes; and those that Numba cannot call."""
