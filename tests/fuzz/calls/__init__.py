"""Random calls of NumPy and SciPy, each with arguments in unusual forms: ranks, extents, axes, kinds of numbers, layouts, lists."""
