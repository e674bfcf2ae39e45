"""The rules of SciPy's functions, which are read when the program has imported the module of SciPy that they are for."""
