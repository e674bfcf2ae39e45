"""Infer types; no other room asks Numba's type inference."""
