"""What stands for further functions of `scipy.linalg`: decompositions, functions of matrices, banded systems, matrices of a pattern."""
