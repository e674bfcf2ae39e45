"""What functions of Python's own modules mean: `math`, `cmath`, `statistics`, `itertools`, `functools`, `operator`."""

from backsweep.prelude.python import complex_numbers, iterators, numbers

__all__ = ["complex_numbers", "iterators", "numbers"]
