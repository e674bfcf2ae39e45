"""Lower calls: of builtins, library functions, transformed functions, recursive functions and other functions."""
