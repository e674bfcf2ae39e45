"""What NumPy and Python make of numbers of several types, and where Numba would make something else of them."""
