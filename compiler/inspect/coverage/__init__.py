"""What is differentiated of all that the installed Numba compiles: a call of each function is tried."""
