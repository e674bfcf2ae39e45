"""SciPy's functions in compiled code: `scipy.special` through `cython_special`, and what their derivatives call."""
