"""Gradients on a GPU beside JAX's: `python -m benchmarks.cuda`."""
