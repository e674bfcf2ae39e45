"""What functions, methods and ufuncs of NumPy mean: shapes, joins, entries, subscripts, values between points, windows."""

from backsweep.prelude.arrays import between, brackets, entries, joins, shapes, ufuncs, windows

__all__ = ["between", "brackets", "entries", "joins", "shapes", "ufuncs", "windows"]
