"""The only asker of Numba's type inference."""
