"""Kernels as people write them with arrays, each beside its forms in loops: `python -m benchmarks --suite arrays`."""
