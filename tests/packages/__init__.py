"""Functions of packages that use Numba, differentiated as installed: `python -m tests.packages` prints the table."""
