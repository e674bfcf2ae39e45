"""What functions, methods and ufuncs of NumPy mean: shapes, joins, entries, places, subscripts, values between points, windows."""

from backsweep.prelude.arrays import between, brackets, entries, joins, placing, shapes, ufuncs, windows

__all__ = ["between", "brackets", "entries", "joins", "placing", "shapes", "ufuncs", "windows"]
