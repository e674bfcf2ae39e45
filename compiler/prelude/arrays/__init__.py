"""What functions, methods and ufuncs of NumPy mean: shapes, joins, choices, entries, orders, places, subscripts, values between points, windows, scans."""

from backsweep.prelude.arrays import (
    array_api,
    between,
    choices,
    entries,
    index_tricks,
    joins,
    orders,
    placing,
    scans,
    shapes,
    ufuncs,
    windows,
)

__all__ = [
    "array_api",
    "between",
    "choices",
    "entries",
    "index_tricks",
    "joins",
    "orders",
    "placing",
    "scans",
    "shapes",
    "ufuncs",
    "windows",
]
