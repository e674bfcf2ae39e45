"""Tests of Numba's own, and of NumPy's and SciPy's, replayed: the calls that they make are differentiated and compared with differences."""
