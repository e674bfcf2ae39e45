"""Random programs with values of all types, judged by differences of their primal (`tests/fuzz/differences.py`)."""
