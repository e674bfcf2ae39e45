"""What SciPy does with functions, as Python text that the compiler writes out where it is called: integrals, roots, differential equations."""
