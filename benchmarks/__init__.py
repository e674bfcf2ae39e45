"""What a gradient costs beside its primal and beside an adjoint written by hand: `python -m benchmarks`."""
