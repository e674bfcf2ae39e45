"""Numba's own tests, replayed: the calls that they make of compiled functions are differentiated and compared with differences."""
