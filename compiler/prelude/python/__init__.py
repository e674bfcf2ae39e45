"""What functions of Python's own modules mean: `math`, `cmath`, `statistics`, `itertools`, `functools`, `operator`, `bisect`."""

from backsweep.prelude.python import complex_numbers, iterators, numbers, searches

__all__ = ["complex_numbers", "iterators", "numbers", "searches"]
