"""Loops over `prange` as kernels of a GPU: calls written out, memory of threads, atomic additions, and what the host does between."""
