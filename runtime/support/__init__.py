"""How kernels are compiled and kept, and the marks that users put into their functions."""
